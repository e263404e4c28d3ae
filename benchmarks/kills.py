"""``python -m benchmarks.kills``: kill a fit at random moments, resume it, and count.

First ``LSBN(checkpoint=...)`` runs once without a draft, and once with a draft but without a stop.
Then its process is killed by SIGKILL again and again, and started again. Each time it gets a random
share of the CPU seconds of the whole run, after it has started. The last process runs to its end.
Probabilities, communities and merge tree must have the same bits as those of the first run. CPU
seconds are those of the process and its children: other work of the machine does not count.

``start`` are the CPU seconds until Python has loaded the package and read the table. Every resumed
run needs them. What is lost beyond them is work that was done twice.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil

from benchmarks.cluster import tiled


def cpu_seconds(process: psutil.Process) -> float:
    """Return the CPU seconds of a process and its children so far, 0 if it has ended."""
    total = 0.0
    for each in [process, *_children(process)]:
        try:
            times = each.cpu_times()
        except psutil.Error:
            continue
        total += times.user + times.system + times.children_user + times.children_system
    return total


def _children(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.Error:
        return []


def run(command: list[str], most: float | None = None) -> dict:
    """Run a command; kill it after some CPU seconds beyond its start.

    Returns
    -------
    dict
        CPU seconds in all and of the start, and whether the command came to its end. The start
        ends when the command reports the partition.
    """
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(command, stderr=log, stdout=subprocess.DEVNULL)
        watched, spent, start = psutil.Process(process.pid), 0.0, None
        while process.poll() is None:
            spent = max(spent, cpu_seconds(watched))
            if start is None:
                log.seek(0)
                start = spent if "partition" in log.read() else None
            if most is not None and start is not None and spent > start + most:
                os.kill(process.pid, signal.SIGKILL)
                process.wait()
                break
            time.sleep(0.02)
        log.seek(0)
        if process.returncode not in (0, -signal.SIGKILL):
            raise RuntimeError(log.read())
    return {"cpu": spent, "start": start or spent, "ended": process.returncode == 0}


FIT = """
import sys, warnings
warnings.simplefilter("ignore")
import pandas as pd
from lsbn import LSBN
data, out, draft, jobs = sys.argv[1:]
def tell(text):
    print(text, file=sys.stderr, flush=True)
model = LSBN(random_state=0, n_jobs=int(jobs), checkpoint=draft or None, verbose=tell)
matrix = model.fit(pd.read_parquet(data)).edge_probabilities_
with open(out, "wb") as file:
    for array in (matrix.indptr, matrix.indices, matrix.data, model.hierarchy_):
        file.write(array.tobytes())
    file.write(repr(model.communities_).encode())
"""


def main() -> None:
    """Kill and resume, and print the CPU seconds."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.kills",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", help="a Parquet file; by default copies of alarm")
    parser.add_argument("--copies", type=int, default=50, help="of alarm")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    chosen = parser.parse_args()
    rng = np.random.default_rng(chosen.seed)
    with tempfile.TemporaryDirectory() as folder:
        data = chosen.data or f"{folder}/table.parquet"
        if not chosen.data:
            tiled(chosen.copies, 2_000, 0).to_parquet(data)
        draft, jobs = Path(folder, "draft"), str(chosen.jobs)

        def command(name: str, stored: bool = True) -> list[str]:
            """Return the command with an output of this name."""
            where = [data, f"{folder}/{name}", str(draft) if stored else "", jobs]
            return [sys.executable, "-c", FIT, *where]

        plain = run(command("plain", stored=False))
        print(f"without a draft: {plain['cpu']:.1f} CPU s, start {plain['start']:.1f}", flush=True)
        whole = run(command("whole"))
        print(f"with a draft, not stopped: {whole['cpu']:.1f} CPU s", flush=True)
        work, runs = whole["cpu"] - whole["start"], []
        for k in range(chosen.kills):
            runs.append(run(command("killed"), rng.uniform(0, 2) * work / (chosen.kills + 1)))
            print(f"kill {k + 1}: after {runs[-1]['cpu']:.1f} CPU s", flush=True)
            if runs[-1]["ended"]:
                break
        if not runs[-1]["ended"]:
            runs.append(run(command("killed")))
            print(f"to the end: {runs[-1]['cpu']:.1f} CPU s", flush=True)
        one, other = (Path(folder, name).read_bytes() for name in ("plain", "killed"))
        total, starts = sum(r["cpu"] for r in runs), sum(r["start"] for r in runs[1:])
        print(f"{len(runs) - 1} kills: {total:.1f} CPU s in all, {starts:.1f} of them new starts")
        lost = total - starts - whole["cpu"]
        print(f"done twice: {lost:.1f} CPU s, {lost / whole['cpu']:.1%}; same bits: {one == other}")


if __name__ == "__main__":
    main()
