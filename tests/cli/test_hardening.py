"""The command line in bad company: pipes, full disks, signals, faults of lsbn itself."""

import os
import shlex
import signal
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import pytest

import lsbn.cli.evaluate
import lsbn.kernels
from cli.cases import names_in, run
from lsbn.graph import EdgeProbabilities

COMMAND = """
import sys, lsbn.cli.evaluate
lsbn.cli.evaluate.run = lambda arguments: print("x" * 100_000)
from lsbn.cli import main
sys.exit(main(["evaluate", "x", "--truth", "alarm"]))
"""


def shell(line):
    """Run a line of bash in which ``lsbn`` is a command that prints much."""
    function = f'lsbn() {{ {shlex.quote(sys.executable)} -c {shlex.quote(COMMAND)} "$@"; }}\n'
    words = ["bash", "-c", function + line]
    return subprocess.run(words, capture_output=True, text=True, timeout=120)


@pytest.fixture
def edges(tmp_path):
    EdgeProbabilities(np.diag([0.9], 1), "ab").to_csv(tmp_path / "edges.csv")
    return tmp_path


def test_faults_of_lsbn_are_one_line(edges, capsys, monkeypatch):
    def fail(evaluation):
        raise TypeError("a\nb")

    monkeypatch.setattr(lsbn.cli.evaluate, "print_evaluation", fail)
    words = ("evaluate", edges, "--truth", edges / "edges.csv")
    assert run(*words) == 1
    err = capsys.readouterr().err
    assert err.startswith("lsbn: error: unexpected TypeError: a b; ")
    assert err.count("\n") == 1
    assert run("--debug", *words) == 1
    assert "Traceback" in capsys.readouterr().err


def test_warnings_are_plain(edges, capsys, monkeypatch):
    def warn(evaluation):
        warnings.warn_explicit("mind this", UserWarning, f"x{os.sep}lsbn{os.sep}y.py", 1)
        warnings.warn_explicit("noise", UserWarning, f"x{os.sep}numpy{os.sep}y.py", 1)

    monkeypatch.setattr(lsbn.cli.evaluate, "print_evaluation", warn)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert run("evaluate", edges, "--truth", edges / "edges.csv") == 0
    assert capsys.readouterr().err == "lsbn: warning: mind this\n"


def test_output_that_nobody_takes():
    full = shell("lsbn > /dev/full")
    assert full.returncode == 2
    assert full.stderr == "lsbn: error: standard output: No space left on device\n"
    closed = shell("lsbn >&-")
    assert (closed.returncode, closed.stderr) == (0, "")
    gone = shell("lsbn | true; exit ${PIPESTATUS[0]}")
    assert (gone.returncode, gone.stderr) == (0, "")


def test_a_pipe_as_truth_is_refused(edges, capsys):
    for name in ("truth.csv", "truth.bif"):
        os.mkfifo(edges / name)
        assert run("evaluate", edges, "--truth", edges / name) == 2
        assert "no ordinary file" in capsys.readouterr().err


def test_a_pipe_as_table_is_refused(tmp_path, capsys):
    os.mkfifo(tmp_path / "t.csv")
    assert run("learn", tmp_path / "t.csv", "-o", tmp_path / "run") == 2
    assert "no ordinary file" in capsys.readouterr().err


def test_sigterm_is_like_ctrl_c(tmp_path):
    code = (
        "import sys, time, lsbn.cli.evaluate as e, lsbn.cli.app as app\n"
        "from lsbn.files import atomic_folder\n"
        "def run(arguments):\n"
        f"    with atomic_folder({str(tmp_path / 'deep' / 'run')!r}):\n"
        "        print('ready', flush=True); time.sleep(60)\n"
        "e.run = run\n"
        "sys.exit(app.main(['evaluate', 'x', '--truth', 'alarm']))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (143, "lsbn: terminated; nothing was written\n")
    assert names_in(tmp_path) == []


def test_formulas_in_names_are_harmless(tmp_path, estimator):
    table = "\n".join(["=cmd(),b,'=x", *["1,0,1", "0,1,1", "1,1,0"] * 5])
    (tmp_path / "t.csv").write_text(table)
    assert run("learn", tmp_path / "t.csv", "-o", tmp_path / "run") == 0
    lines = (tmp_path / "run" / "edges.csv").read_text().splitlines()
    assert lines[1:] == ["'=cmd(),b,0.75", "b,'=x,0.75"]
    found = EdgeProbabilities.from_csv(tmp_path / "run" / "edges.csv")
    assert set(found.names) == {"=cmd()", "b", "=x"}


def test_a_damaged_cache_is_rebuilt(tmp_path):
    code = "from lsbn.kernels.combinatorics import n_subsets; print(n_subsets(5, 2))"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}

    def call():
        words = [sys.executable, "-c", code]
        done = subprocess.run(words, capture_output=True, text=True, env=environment)
        assert (done.stdout, done.stderr) == ("16\n", "")

    def half(text):
        return text[: len(text) // 2]

    def turned(text):
        middle = len(text) // 2
        return text[:middle] + bytes(255 - b for b in text[middle : middle + 200]) + text[middle:]

    call()
    for kind, damaged in (("nbi", half), ("nbc", half), ("nbc", turned)):
        (file,) = tmp_path.rglob(f"*.{kind}")
        whole = file.read_bytes()
        file.write_bytes(damaged(whole))
        call()
        assert next(tmp_path.rglob(f"*.{kind}")).stat().st_size == len(whole)


def test_kernels_are_kept_elsewhere_if_no_folder_can_be_written(monkeypatch, tmp_path):
    assert lsbn.kernels._place_of_cache() == ""
    monkeypatch.setattr(lsbn.kernels.config, "CACHE_DIR", "", raising=False)
    monkeypatch.setattr(lsbn.kernels, "_writable", lambda folder: False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert lsbn.kernels._place_of_cache().startswith(str(tmp_path))
