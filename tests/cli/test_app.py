import subprocess
import sys

import pytest

import lsbn
from cli.cases import run


@pytest.mark.parametrize(
    "command",
    [
        (),
        *(
            (c,)
            for c in [
                "demo",
                "check",
                "learn",
                "report",
                "evaluate",
                "partition",
                "sample",
                "study",
            ]
        ),
    ],
)
def test_help_teaches(command, capsys):
    with pytest.raises(SystemExit) as stop:
        run(*command, "--help")
    assert stop.value.code == 0
    out = capsys.readouterr().out
    assert "lsbn" in out
    assert max(map(len, out.splitlines())) <= 100


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("dance",),
        ("sample", "alarm", "--rows", "0", "-o", "x.csv"),
        ("sample", "alarm", "--rows", "many", "-o", "x.csv"),
        ("partition", "x.csv", "-o", "run", "--jobs", "0"),
        ("partition", "x.csv", "-o", "run", "--seed", "-1"),
        ("learn", "x.csv", "-o", "run", "--learner", "magic"),
    ],
)
def test_wrong_words_exit_with_two(words, capsys):
    with pytest.raises(SystemExit) as stop:
        run(*words)
    assert stop.value.code == 2
    assert "usage: lsbn" in capsys.readouterr().err


def test_debug_shows_the_way(tmp_path, capsys):
    assert run("--debug", "sample", "asia", "--rows", 1, "-o", tmp_path / "x.csv") == 2
    assert "Traceback" in capsys.readouterr().err


def test_help_imports_nothing_heavy():
    code = (
        "import sys, lsbn.cli.app; lsbn.cli.app.make_parser().format_help(); "
        "heavy = {'numba', 'sklearn', 'pandas', 'networkx', 'scipy', 'rich'} & set(sys.modules); "
        "sys.exit(repr(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_public_names():
    for name in lsbn.__all__:
        assert getattr(lsbn, name) is not None
        assert name in dir(lsbn)
    with pytest.raises(AttributeError, match="nothing"):
        _ = lsbn.nothing
