from pathlib import Path

import pytest

import lsbn.cli.progress as progress
import lsbn.kernels
from lsbn.cli.progress import StageProgress, kernels_are_compiled


def test_stages_add_up():
    stages = StageProgress()
    for _ in range(2):
        with stages("x", "x"):
            pass
    with pytest.raises(KeyError), stages("y", "y"):
        raise KeyError
    assert list(stages.seconds) == ["x", "y"]
    assert stages.total >= sum(stages.seconds.values())


def test_a_stage_is_split_into_its_parts():
    stages = StageProgress()
    for name in ("read", "fit"):
        with stages(name, name):
            pass
    stages.split("fit", {"read": 100.0, "partition": 2.0})
    assert list(stages.seconds) == ["read", "partition"]
    assert stages.seconds["read"] > 100
    assert stages.seconds["partition"] == 2


def test_spinner_appears_on_a_terminal_only_after_a_while(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    with StageProgress()("quick", "too quick to see"):
        pass
    assert "too quick" not in capsys.readouterr().err
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    spinner = progress._Spinner("counting [beans]")
    spinner._timer.join()
    spinner.say("weighing [pairs]")
    assert "weighing [pairs]" in spinner._progress.tasks[0].description
    spinner.stop()


def test_compiled_kernels_are_found_in_numbas_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert not kernels_are_compiled()
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "x.nbi").write_text("")
    assert kernels_are_compiled()


def test_cache_is_beside_the_kernels(monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    assert Path(lsbn.kernels.__file__).parent == progress.KERNELS
    monkeypatch.setattr(progress, "KERNELS", progress.KERNELS / "nowhere")
    assert not kernels_are_compiled()
