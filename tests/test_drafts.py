import os

import numpy as np
import pandas as pd
import pytest

from draft_cases import damage
from lsbn import Dataset, checkpoint
from lsbn.cli.app import main
from lsbn.data.columns import DataError
from lsbn.drafts import KeptTable, draft_of, leftovers, resumable
from lsbn.files import claimed

OPTIONS = {"discretize": "quantile", "bins": 3, "missing": "infer", "na": "?"}
TABLE = pd.DataFrame(
    {
        "size": np.arange(40) * 0.5,
        "när": pd.date_range("2020-01-01", periods=40),
        "hue": ["red", "blue", None, "red"] * 10,
    }
)


@pytest.fixture
def file(tmp_path):
    TABLE.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


class Stopped(BaseException):
    """Stands for the death of a process."""


def stored(draft, file, options=OPTIONS):
    """Put the table of a file into a draft, as a fit that is stopped after its first piece."""
    table = KeptTable(draft, file, options)
    dataset = Dataset.read(file, **options)
    with pytest.raises(Stopped), table.kept(dataset), fit_of(draft, dataset):
        stop_after_a_piece()
    return dataset


def fit_of(draft, dataset):
    return resumable(draft, dataset, {"random_state": 0}, np.random.SeedSequence(0))


def stop_after_a_piece():
    record = checkpoint.begin_call(1)
    record.store(0, 5)
    record.checkpoint.flush()
    raise Stopped


def test_the_table_of_a_draft_is_that_of_the_file(tmp_path, file):
    dataset = stored(tmp_path / "draft", file)
    found = KeptTable(tmp_path / "draft", file, OPTIONS).read()
    assert found is not None
    for name in ("names", "states", "notes", "cuts", "missing", "na"):
        assert getattr(found, name) == getattr(dataset, name)
    for name in ("codes", "cards", "gaps"):
        ours, other = getattr(found, name), getattr(dataset, name)
        assert ours.dtype == other.dtype
        assert ours.tolist() == other.tolist()
    assert [cut is None for cut in found.cuts] == [False, False, True]


def test_another_file_or_other_options_are_noticed(tmp_path, file):
    stored(tmp_path / "draft", file)
    assert KeptTable(tmp_path / "draft", file, OPTIONS | {"bins": 4}).read() is None
    times = file.stat()
    file.write_text(file.read_text().replace("red", "tan", 1))
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert KeptTable(tmp_path / "draft", file, OPTIONS).read() is None
    file.unlink()
    assert KeptTable(tmp_path / "draft", file, OPTIONS).read() is None
    assert KeptTable(tmp_path / "no draft", tmp_path / "t.csv", OPTIONS).read() is None


def test_a_file_that_changes_after_it_was_read_is_noticed(tmp_path, file):
    table = KeptTable(tmp_path / "draft", file, OPTIONS)
    assert table.read() is None
    dataset = Dataset.read(file, **OPTIONS)
    file.write_text(file.read_text().replace("red", "tan", 1))
    with pytest.raises(Stopped), table.kept(dataset), fit_of(tmp_path / "draft", dataset):
        stop_after_a_piece()
    assert KeptTable(tmp_path / "draft", file, OPTIONS).read() is None


def lose(kept):
    """Remove the table: the process died before it was written."""
    kept.unlink()


def forget(kept):
    """Empty the manifest: the next fit starts again, and empties the draft."""
    (kept.parent / "manifest.json").write_bytes(b"")


@pytest.mark.parametrize("harm", [lose, damage, forget])
def test_a_table_that_is_lost_or_damaged_is_kept_again(tmp_path, file, harm):
    draft = tmp_path / "draft"
    stored(draft, file)
    harm(draft / "table.kept")
    table = KeptTable(draft, file, OPTIONS)
    found = table.read()
    assert (found is None) == (harm is not forget)
    dataset = found or Dataset.read(file, **OPTIONS)
    with pytest.raises(Stopped), table.kept(dataset), fit_of(draft, dataset):
        stop_after_a_piece()
    assert KeptTable(draft, file, OPTIONS).read() is not None


def test_a_table_that_was_read_from_the_draft_is_not_written_again(tmp_path, file, monkeypatch):
    stored(tmp_path / "draft", file)
    table = KeptTable(tmp_path / "draft", file, OPTIONS)
    dataset = table.read()
    monkeypatch.setattr("lsbn.drafts.write_value", None)
    with pytest.raises(Stopped), table.kept(dataset), fit_of(tmp_path / "draft", dataset):
        stop_after_a_piece()


def test_a_fit_removes_its_draft_but_not_that_of_a_run(tmp_path, file):
    table, dataset = KeptTable(tmp_path / "x", file, OPTIONS), Dataset.read(file, **OPTIONS)
    with table.kept(dataset):
        with fit_of(tmp_path / "x", dataset):
            checkpoint.begin_call(1).store(0, 5)
        assert len(list((tmp_path / "x").glob("*.npz"))) == 1
    assert not (tmp_path / "x").exists()
    with fit_of(tmp_path / "x", dataset):
        checkpoint.begin_call(1).store(0, 5)
        checkpoint.begin_call(1).checkpoint.flush()
    assert not (tmp_path / "x").exists()


def test_the_draft_stays_until_the_result_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "_INTERVAL", 0.0)
    data, run = tmp_path / "t.csv", tmp_path / "run"
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.integers(3, size=(200, 6))).add_prefix("x").to_csv(data, index=False)
    words = ["learn", str(data), "-o", str(run), "--effort", "quick", "--jobs", "1"]
    with monkeypatch.context() as full_disk:

        def refuse(*_, **__):
            raise OSError("no space left")

        full_disk.setattr("lsbn.runs.write_run", refuse)
        assert main(words) == 2
    assert draft_of(run).exists()

    assert main([*words, "--resume"]) == 0
    assert run.exists()
    assert not draft_of(run).exists()


def test_a_draft_in_use_is_not_removed(tmp_path, file, capsys):
    run, words = (
        tmp_path / "run",
        ["--drop", "när", "--missing", "state", "--discretize", "quantile", "--force"],
    )
    draft_of(run).mkdir()
    with claimed(run):
        assert main(["learn", str(file), "-o", str(run), *words]) == 2
    assert "another run is writing to this folder" in capsys.readouterr().err
    assert draft_of(run).exists()


@pytest.mark.parametrize("pieces", [True, False])
def test_an_interrupted_command_says_what_remains(tmp_path, monkeypatch, file, capsys, pieces):
    run = tmp_path / "run"

    def interrupt(*_, **__):
        if pieces:
            (draft_of(run) / "0.npz").touch()
        raise KeyboardInterrupt

    monkeypatch.setattr("lsbn.cli.learn.learn_and_write", interrupt)
    words = ["--drop", "när", "--missing", "state", "--discretize", "quantile"]
    assert main(["learn", str(file), "-o", str(run), *words]) == 130
    remains = f"finished work is in {draft_of(run)}, use --resume"
    assert (remains if pieces else "nothing was written") in capsys.readouterr().err


def table_in(folder):
    """Write a table of words, and give the command that learns from it."""
    rng, data = np.random.default_rng(0), folder / "t.csv"
    table = pd.DataFrame(rng.integers(3, size=(300, 12)).astype(str)).add_prefix("x")
    table.to_csv(data, index=False)
    return data, ["learn", str(data), "--effort", "quick", "--jobs", "1", "-o"]


def stopped(words, monkeypatch, after=3):
    """Run a command that stops when it has written some files of pieces."""
    flush, left = checkpoint.Checkpoint.flush, [after]

    def stop(self):
        flush(self)
        left[0] -= 1
        if not left[0]:
            raise Stopped

    with monkeypatch.context() as patch:
        patch.setattr(checkpoint, "_INTERVAL", 0.0)
        patch.setattr(checkpoint.Checkpoint, "flush", stop)
        with pytest.raises(Stopped):
            main(words)


def test_a_resumed_command_does_not_code_the_file_again(tmp_path, monkeypatch):
    run, (data, words) = tmp_path / "run", table_in(tmp_path)
    stopped([*words, str(run)], monkeypatch)
    assert draft_of(run).exists()

    def refuse(*_, **__):
        raise DataError("the file is read again")

    monkeypatch.setattr("lsbn.data.dataset.file_columns", refuse)
    changed = data.read_text().replace("1", "0", 1)
    original = data.read_text()
    data.write_text(changed)
    assert main([*words, str(run), "--resume"]) == 2
    data.write_text(original)
    assert main([*words, str(run), "--resume"]) == 0
    assert not draft_of(run).exists()


RESULTS = ("edges.csv", "communities.json", "graph.graphml")


@pytest.mark.parametrize("damaged", ["*.npz", "table.kept"])
def test_a_run_with_damaged_files_resumes_with_the_same_bits(tmp_path, monkeypatch, damaged):
    whole, run, (_, words) = tmp_path / "whole", tmp_path / "run", table_in(tmp_path)
    assert main([*words, str(whole)]) == 0
    stopped([*words, str(run)], monkeypatch, after=8)
    files = list(draft_of(run).rglob(damaged))
    assert files
    for file in files:
        damage(file)
    assert main([*words, str(run), "--resume"]) == 0
    for name in RESULTS:
        assert (run / name).read_bytes() == (whole / name).read_bytes()


def test_a_run_that_lost_its_manifest_is_listed_and_starts_again(tmp_path, monkeypatch, capsys):
    whole, run, (_, words) = tmp_path / "whole", tmp_path / "run", table_in(tmp_path)
    assert main([*words, str(whole)]) == 0
    stopped([*words, str(run)], monkeypatch)
    (draft_of(run) / "manifest.json").write_bytes(b"")
    assert main(["clean", str(tmp_path)]) == 0
    assert f"{draft_of(run)}: damaged draft of a run" in capsys.readouterr().out
    assert main([*words, str(run), "--resume"]) == 0
    assert "has a draft that cannot be resumed; the run begins" in capsys.readouterr().out
    for name in RESULTS:
        assert (run / name).read_bytes() == (whole / name).read_bytes()
    assert not draft_of(run).exists()


def test_a_folder_of_the_name_of_a_draft_is_listed(tmp_path):
    """The process died before it wrote anything into it."""
    draft_of(tmp_path / "run").mkdir()
    (tmp_path / "mine").mkdir()
    assert [each.path for each in leftovers(tmp_path)] == [draft_of(tmp_path / "run")]


@pytest.mark.parametrize("pieces", [True, False])
def test_a_command_that_is_refused_leaves_the_draft_as_it_was(tmp_path, monkeypatch, pieces):
    run, (_, words) = tmp_path / "run", table_in(tmp_path)
    if pieces:
        stopped([*words, str(run)], monkeypatch)
    else:
        draft_of(run).mkdir()
        (draft_of(run) / "mine.txt").write_text("mine")
    before = {path: path.stat().st_mtime_ns for path in draft_of(run).rglob("*")}
    assert main([*words, str(run), "--resume", "--missing", "state", "--seed", "8"]) == 2
    assert {path: path.stat().st_mtime_ns for path in draft_of(run).rglob("*")} == before
