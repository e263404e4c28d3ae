"""Picture a page for the README: ``python docs/screenshot.py RUN`` writes docs/report.png.

RUN is a run folder; its page is written again first. A Chromium must be installed.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from lsbn.report import report_from_run

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--hide-scrollbars",
    "--virtual-time-budget=3000",
    "--window-size=1300,960",
)


def main(run: str) -> None:
    """Write the page and picture its first screen."""
    browser = next(filter(None, map(shutil.which, NAMES)), None)
    if browser is None:
        raise SystemExit("no browser found: install chromium")
    page = report_from_run(run).resolve().as_uri()
    target = Path(__file__).with_name("report.png").resolve()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [browser, *FLAGS, f"--user-data-dir={profile}", f"--screenshot={target}", page]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL, timeout=120)
    print(f"{target}: {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1])
