"""The wheel and the sdist have all files, and the wheel works apart from the repository."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from lsbn import __version__

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Folder with a wheel and an sdist, made by the build backend without a download."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("dist")
    for what in ("wheel", "sdist"):
        code = f"from hatchling.build import build_{what}; build_{what}({str(folder)!r})"
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
    return folder


def package_files():
    """All files of the package, relative to src."""
    files = (path for path in (SOURCE / "lsbn").rglob("*") if path.is_file())
    return {str(path.relative_to(SOURCE)) for path in files if "__pycache__" not in path.parts}


def test_wheel_has_the_package_and_its_licences(built):
    with zipfile.ZipFile(built / f"lsbn-{__version__}-py3-none-any.whl") as wheel:
        names = set(wheel.namelist())
        info = f"lsbn-{__version__}.dist-info"
        points = wheel.read(f"{info}/entry_points.txt").decode()
    assert {name for name in names if name.startswith("lsbn/")} == package_files()
    assert {f"{info}/licenses/LICENSE", f"{info}/licenses/NOTICE", "lsbn/py.typed"} <= names
    assert "lsbn = lsbn.cli:main" in points


def test_sdist_has_what_tests_and_documents_need(built):
    with tarfile.open(built / f"lsbn-{__version__}.tar.gz") as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert {f"src/{name}" for name in package_files()} <= names
    assert {"pyproject.toml", "Makefile", "mkdocs.yml", "CITATION.cff", "LICENSE"} <= names
    assert {"docs/index.md", "tests/test_distribution.py", "experiments/noise.py"} <= names
    assert not {name for name in names if name.startswith(("runs/", "site/", ".venv/"))}


def test_wheel_works_without_the_repository(built, tmp_path):
    """The command answers, and the bundled files are found, in a folder with the wheel alone."""
    with zipfile.ZipFile(built / f"lsbn-{__version__}-py3-none-any.whl") as wheel:
        wheel.extractall(tmp_path)
    code = (
        "import sys; sys.path.insert(0, sys.argv.pop(1))\n"
        "import lsbn; from lsbn.cli import main\n"
        "assert lsbn.__file__.startswith(sys.path[0]), lsbn.__file__\n"
        "main(['sample', 'alarm', '--rows', '5', '-o', 'alarm.csv'])"
    )
    subprocess.run(
        [sys.executable, "-I", "-c", code, str(tmp_path)], cwd=tmp_path, check=True, timeout=120
    )
    assert len((tmp_path / "alarm.csv").read_text().splitlines()) == 6


def test_citation_has_the_version():
    assert f"version: {__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
