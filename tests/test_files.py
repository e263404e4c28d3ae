"""Files and folders: whole, not at all, and by one process at a time."""

import os
import subprocess
import sys
import tempfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lsbn.files
from lsbn.files import atomic_file, atomic_folder, claimed, plain_name, require_ordinary, safe_name


def test_a_full_disk_names_the_file(tmp_path):
    for atomic in (atomic_file, atomic_folder):
        with (
            pytest.raises(OSError, match="No space left") as caught,
            atomic(tmp_path / "x") as draft,
        ):
            raise OSError(28, "No space left on device")
        assert caught.value.filename == str(tmp_path / "x")
    with (
        pytest.raises(OSError, match="No space left") as caught,
        atomic_folder(tmp_path / "x") as draft,
    ):
        raise OSError(28, "No space left on device", str(draft / "edges.csv"))
    assert caught.value.filename == str(tmp_path / "x" / "edges.csv")
    assert list(tmp_path.iterdir()) == []


def test_a_lasting_file_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    steps, sync, move = [], os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (steps.append("sync"), sync(handle)))
    monkeypatch.setattr(os, "replace", lambda *paths: (steps.append("move"), move(*paths)))
    for lasting, wanted in ((True, ["sync", "move"]), (False, ["move"])):
        with atomic_file(tmp_path / "x", lasting=lasting) as draft:
            draft.write_text("whole")
        assert steps == wanted
        steps.clear()
    assert (tmp_path / "x").read_text() == "whole"


@pytest.mark.parametrize("exchange", [True, False])
def test_a_folder_is_replaced(tmp_path, monkeypatch, exchange):
    if not exchange:
        monkeypatch.setattr(lsbn.files, "_exchange", lambda one, other: False)
    for text in ("old", "new"):
        with atomic_folder(tmp_path / "run") as draft:
            (draft / "x").write_text(text)
    assert (tmp_path / "run" / "x").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    with (
        pytest.raises(FileExistsError, match="another run"),
        atomic_folder(tmp_path / "run", replace=False),
    ):
        pass
    assert (tmp_path / "run" / "x").read_text() == "new"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux exchanges folders in one step")
def test_the_path_is_never_empty_while_a_folder_is_replaced(tmp_path, monkeypatch):
    def never(source, target):
        raise AssertionError("moved away")

    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "x").write_text("old")
    monkeypatch.setattr(os, "rename", never)
    with atomic_folder(tmp_path / "run") as draft:
        (draft / "x").write_text("new")
    assert (tmp_path / "run" / "x").read_text() == "new"


def test_drafts_of_killed_processes_are_removed(tmp_path):
    gone = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True
    )
    stale = tmp_path / f".run.{lsbn.files.HOST}-{int(gone.stdout)}-00000000.tmp"
    living = tmp_path / f".run.{lsbn.files.HOST}-{os.getpid()}-00000000.tmp"
    foreign = tmp_path / f".run.elsewhere-{int(gone.stdout)}-00000000.tmp"
    for folder in (stale, living, foreign):
        folder.mkdir()
    with atomic_folder(tmp_path / "run"):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["run", living.name, foreign.name]
    )


def test_only_one_process_writes_to_a_folder(tmp_path):
    code = (
        f"from lsbn.files import claimed\nwith claimed({str(tmp_path / 'run')!r}): print('alone')"
    )
    with claimed(tmp_path / "run"):
        other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert "another run is writing to this folder" in other.stderr
    again = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert again.stdout == "alone\n"


def test_pipes_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="no ordinary file"):
        require_ordinary(tmp_path / "pipe")
    with pytest.raises(FileNotFoundError, match="no such file"):
        require_ordinary(tmp_path / "nothing")
    with pytest.raises(ValueError, match="is a folder; give a file"):
        require_ordinary(tmp_path)


@given(st.text(st.sampled_from("'=+-@\t\ra(|!1"), max_size=6))
def test_names_of_formulas_are_written_and_read(name):
    assert plain_name(safe_name(name)) == name
    assert not safe_name(name).startswith(("=", "@", "\t", "\r"))


def test_tests_leave_nothing_in_the_temporary_folder(temporary_folder):
    """Also files that a package does not remove, and those of other processes."""
    assert tempfile.gettempdir() == temporary_folder
    command = [sys.executable, "-c", "import tempfile; print(tempfile.gettempdir())"]
    assert subprocess.check_output(command, text=True).strip() == temporary_folder
