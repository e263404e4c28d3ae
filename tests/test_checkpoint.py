import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from draft_cases import damage
from lsbn import LSBN, Dataset, checkpoint, parallel
from lsbn.checkpoint import PLAIN, Checkpoint
from lsbn.cli.app import main
from lsbn.drafts import draft_of, leftovers
from lsbn.files import atomic_file
from lsbn.fitting import NetworkFit
from lsbn.learners import Score
from lsbn.learners.averaging import SearchSettings
from lsbn.learners.averaging.search import ParentSetSearch


def test_the_draft_of_another_fit_is_refused(tmp_path):
    stored = Checkpoint(tmp_path / "x", {"data": "1", "settings": "2"})
    stored.store("1", 5)
    stored.flush()
    with pytest.raises(ValueError, match="differs in the settings; remove it"):
        Checkpoint(tmp_path / "x", {"data": "1", "settings": "3"})
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(ValueError, match=r"is not a draft of lsbn: mine\.txt"):
        Checkpoint(tmp_path, {})


@pytest.mark.parametrize("left", [b"", bytes(200), b'{\n "data": "1', None])
def test_a_draft_without_its_manifest_starts_again(tmp_path, left):
    """Nobody knows which fit its pieces are of."""
    folder = tmp_path / "x"
    stored = Checkpoint(folder, {"data": "1"})
    stored.store("1", 5)
    stored.flush()
    (folder / "1-1-0").mkdir()
    (folder / "1-1-0" / "manifest.json").write_text("{}")
    (folder / "manifest.json").unlink()
    if left is not None:
        (folder / "manifest.json").write_bytes(left)
        assert [(each.path, each.what) for each in leftovers(tmp_path)] == [
            (folder, "damaged draft of a run")
        ]
    again = Checkpoint(folder, {"data": "2"})
    assert not again.has("1")
    assert list(folder.iterdir()) == []
    again.store("2", 6)
    again.flush()
    assert Checkpoint(folder, {"data": "2"}).load("2") == 6


@pytest.mark.parametrize("mine", ["notes.txt", "1-1-0/notes.txt", "manifest.json"])
def test_files_of_others_are_not_removed(tmp_path, mine):
    folder = tmp_path / "x"
    stored = Checkpoint(folder, {"data": "1"})
    stored.store("1", 5)
    stored.flush()
    (folder / "manifest.json").write_bytes(b"")
    (folder / "1-1-0").mkdir()
    (folder / mine).write_text("// mine")
    before = sorted(folder.rglob("*"))
    with pytest.raises(ValueError, match=f"not a draft of lsbn: {mine} does not"):
        Checkpoint(folder, {"data": "1"})
    assert sorted(folder.rglob("*")) == before
    assert leftovers(tmp_path) == []


def test_damaged_pieces_are_computed_again_once(tmp_path):
    calls = []

    def square(k):
        calls.append(k)
        return np.arange(100) * k

    def work():
        stored = Checkpoint(tmp_path / "x", {})
        with stored.active():
            found = parallel.run(square, range(4), 1, PLAIN)
            stored.flush()
        return [each[1] for each in found]

    assert work() == [0, 1, 2, 3]
    for k, file in enumerate((tmp_path / "x").glob("*.npz")):
        damage(file.rename(file.with_name(f"f{k:015x}.npz")))
    calls.clear()
    assert work() == [0, 1, 2, 3]
    assert calls == [0, 1, 2, 3]
    assert work() == [0, 1, 2, 3]
    assert calls == [0, 1, 2, 3]


def test_a_process_may_die_while_it_makes_a_draft(tmp_path):
    with atomic_file(tmp_path / checkpoint.MANIFEST) as unfinished:
        unfinished.write_text("{")
    (tmp_path / "dead").mkdir()
    (tmp_path / "dead" / unfinished.name).write_text("{")
    stored = Checkpoint(tmp_path / "dead", {"data": "1"})
    stored.store("1", 5)
    stored.flush()
    assert Checkpoint(tmp_path / "dead", {"data": "1"}).load("1") == 5


def test_a_power_cut_may_empty_the_folder_of_a_piece(tmp_path):
    (tmp_path / "1-1-0").mkdir()
    for name in (checkpoint.MANIFEST, "lost.npz"):
        (tmp_path / "1-1-0" / name).write_bytes(b"")
    with checkpoint.within_piece(tmp_path / "1-1-0"):
        checkpoint.begin_call(1).store(0, 5)
        checkpoint.begin_call(1).checkpoint.flush()
    assert Checkpoint(tmp_path / "1-1-0", {"piece": "1-1-0"}).load("1/1/0") == 5


class Stopped(Exception):
    """Stands for the death of a process."""


def test_a_piece_is_on_the_disk_before_the_calls_inside_are_removed(tmp_path, monkeypatch):
    """Single pieces do not wait for the disk."""
    monkeypatch.setattr(checkpoint, "_INTERVAL", 0.0)
    inside, sync, found = tmp_path / "x" / "1-1-0", os.fsync, []

    def look(handle):
        found.append(inside.exists())
        sync(handle)

    monkeypatch.setattr(os, "fsync", look)
    with Checkpoint(tmp_path / "x", {}).active():
        parallel.once(lambda: parallel.run(abs, [-1, -2], 1, PLAIN), PLAIN)
        parallel.run(abs, range(5), 1, PLAIN)
    assert found == [False, True, True]
    assert not inside.exists()


def test_a_draft_without_pieces_does_not_stay_after_an_error(tmp_path):
    def stop():
        parallel.run(print, [], 1, PLAIN)
        raise Stopped

    with pytest.raises(Stopped), Checkpoint(tmp_path / "x", {}).active():
        parallel.once(stop, PLAIN)
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_finished_pieces_are_not_computed_again(tmp_path, monkeypatch, n_jobs):
    monkeypatch.setattr(checkpoint, "_INTERVAL", 0.0)
    calls, stop = [], [True]

    def square(k):
        calls.append(k)
        if k == 4 and stop[0]:
            time.sleep(0.1)
            raise Stopped
        return np.array([k * k])

    def double(data, chunk):
        calls.extend(chunk)
        return [data[0] * k for k in chunk]

    def work():
        with Checkpoint(tmp_path / "x", {}).active():
            doubled = parallel.scatter(double, (2,), [10, 20], n_jobs, PLAIN)
            return doubled, [int(x[0]) for x in parallel.run(square, range(5), n_jobs, PLAIN)]

    with pytest.raises(Stopped):
        work()
    assert sorted(calls) == [0, 1, 2, 3, 4, 10, 20]
    calls.clear()
    stop[0] = False
    assert work() == ([20, 40], [0, 1, 4, 9, 16])
    assert calls == [4]


def fingerprint(model):
    matrix = model.edge_probabilities_.tocoo()
    return [matrix.row.tolist(), matrix.col.tolist(), matrix.data.tobytes(), model.communities_]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    columns = {}
    for v in range(24):
        source = columns[f"x{v - 3}"] if v % 5 > 2 else rng.integers(3, size=300)
        columns[f"x{v}"] = np.where(rng.random(300) < 0.6, source, rng.integers(3, size=300))
    return pd.DataFrame(columns)


@pytest.mark.parametrize(
    ("paper", "most", "part"), [(False, 150, 100), (False, 40, 8), (True, 12, 100)]
)
def test_a_fit_that_is_stopped_anywhere_has_the_same_bits(
    tmp_path, monkeypatch, table, paper, most, part
):
    """Every stop loses what was not stored; the next fit goes on with another number of jobs."""
    monkeypatch.setattr("lsbn.fitting.REACH", 10)
    monkeypatch.setattr("lsbn.framework.candidates._EXPANDED", 10)
    monkeypatch.setattr("lsbn.framework.candidates._PART", part)
    monkeypatch.setattr(checkpoint, "_INTERVAL", 0.0)
    monkeypatch.setattr("lsbn.pairs.statistics.STORED_VARIABLES", 10)
    monkeypatch.setattr("lsbn.pairs.survey._BLOCK", 16)
    make = LSBN.paper if paper else LSBN
    options = {"random_state": 1, "effort": "quick"} if not paper else {"random_state": 1}
    wanted = fingerprint(make(**options).fit(table))
    original, rng = Checkpoint.flush, np.random.default_rng(0)
    stops, left = 0, [0]

    def flush(self):
        original(self)
        left[0] -= 1
        if left[0] == 0:
            raise Stopped

    monkeypatch.setattr(Checkpoint, "flush", flush)
    while True:
        left[0] = int(rng.integers(2, most))
        try:
            found = make(**options, checkpoint=tmp_path / "x", n_jobs=1 + stops % 2).fit(table)
            break
        except Stopped:
            stops += 1
    assert fingerprint(found) == wanted
    assert stops > 2
    assert not (tmp_path / "x").exists()


def test_the_last_pass_needs_none_of_the_stages_before(tmp_path, monkeypatch, table):
    monkeypatch.setattr("lsbn.fitting.REACH", 10)
    monkeypatch.setattr("lsbn.framework.candidates._EXPANDED", 10)
    monkeypatch.setattr(checkpoint, "_INTERVAL", 0.0)
    options = {"random_state": 1, "effort": "quick"}
    wanted = LSBN(**options).fit(table)

    def stop(text):
        if text == "last pass: learn all variables":
            raise Stopped

    options["checkpoint"] = tmp_path / "x"
    with pytest.raises(Stopped):
        LSBN(**options, verbose=stop).fit(table)
    monkeypatch.setattr("lsbn.fitting.PairStatistics", None)
    found = LSBN(**options).fit(table)
    assert fingerprint(found) == fingerprint(wanted)
    assert np.array_equal(found.hierarchy_, wanted.hierarchy_)
    ours, other = (vars(model.diagnostics_) | {"seconds": None} for model in (found, wanted))
    ours["communities"], other["communities"] = (
        [vars(each) for each in figures["communities"]] for figures in (ours, other)
    )
    assert ours == other


def test_what_is_needed_of_the_pairs_is_one_piece(tmp_path, monkeypatch, table):
    """A fit that is stopped in LocalLearn does not count the pairs again."""
    monkeypatch.setattr("lsbn.fitting.REACH", 10)
    monkeypatch.setattr(checkpoint, "_INTERVAL", 0.0)
    options = {"random_state": 1, "effort": "quick"}
    wanted = fingerprint(LSBN(**options).fit(table))
    options["checkpoint"] = tmp_path / "x"

    def stop(*_, **__):
        raise Stopped

    with monkeypatch.context() as patch:
        patch.setattr("lsbn.fitting.propose", stop)
        with pytest.raises(Stopped):
            LSBN(**options).fit(table)
    monkeypatch.setattr(NetworkFit, "_surveyed", stop)
    assert fingerprint(LSBN(**options).fit(table)) == wanted


def test_without_a_seed_the_seed_of_the_draft_is_used(tmp_path, monkeypatch, table):
    monkeypatch.setattr(checkpoint, "_INTERVAL", 0.0)

    def stop(text):
        if text.startswith("last pass"):
            raise Stopped

    options = {"checkpoint": tmp_path / "x", "learner": "greedy"}
    with pytest.raises(Stopped):
        LSBN(verbose=stop, **options).fit(table.iloc[:, :8])
    seed = json.loads((tmp_path / "x" / "manifest.json").read_text())["seed"]
    known = np.random.SeedSequence(int(seed.split(" ")[0]))
    monkeypatch.setattr("lsbn.fitting.seed_sequence", lambda state: known)
    wanted = fingerprint(LSBN(learner="greedy").fit(table.iloc[:, :8]))
    monkeypatch.undo()
    assert fingerprint(LSBN(**options).fit(table.iloc[:, :8])) == wanted
    assert list(tmp_path.iterdir()) == []


SLOW = """
import sys
from lsbn import checkpoint
checkpoint._INTERVAL = 0.0
from lsbn.cli.app import main
sys.exit(main(sys.argv[1:]))
"""


def test_kill_and_resume_on_the_command_line(tmp_path, table):
    """A run is killed at random moments, as by kill -9, and resumed."""
    data, run = tmp_path / "t.csv", tmp_path / "run"
    table.iloc[:, :20].to_csv(data, index=False)
    words = ["learn", str(data), "-o", str(run), "--seed", "3", "--effort", "quick"]
    assert main([*words[:3], str(tmp_path / "whole"), *words[4:]]) == 0
    command, rng = [sys.executable, "-c", SLOW, *words], np.random.default_rng(0)
    for _ in range(2):
        process = subprocess.Popen([*command, "--resume"], stdout=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while not draft_of(run).exists() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(float(rng.random()) * 0.3)
        process.send_signal(signal.SIGKILL)
        process.wait()
    if not run.exists():
        assert main(words) == 2 or not draft_of(run).exists()
        assert main([*words, "--resume"]) == 0
    for name in ("edges.csv", "communities.json", "graph.graphml"):
        assert (run / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert leftovers(tmp_path) == [] or os.name == "nt"


def test_clean_lists_and_removes_drafts(tmp_path, capsys):
    stored = Checkpoint(tmp_path / ".a.draft", {"code of lsbn": "1", "size of the table": "5 rows"})
    stored.store("1", np.arange(5))
    stored.flush()
    (tmp_path / ".b.csv.0123abcd.tmp").write_text("x")
    (tmp_path / "kept.csv").write_text("x")
    assert main(["clean", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert ".a.draft: draft of a run, 5 rows" in told
    assert ".b.csv.0123abcd.tmp: unfinished file" in told
    assert "--remove" in told
    assert main(["clean", str(tmp_path), "--remove", "--days", "1"]) == 0
    assert len(list(tmp_path.iterdir())) == 3
    assert main(["clean", str(tmp_path), "--remove"]) == 0
    assert [p.name for p in tmp_path.iterdir()] == ["kept.csv"]
    assert main(["clean", str(tmp_path / "nothing")]) == 2


def test_a_resumed_search_remembers_the_same_scores(tmp_path, monkeypatch, table):
    """A remembered score may differ from a new one in its last bits."""
    monkeypatch.setattr(checkpoint, "_INTERVAL", 0.0)
    data = Dataset.from_table(table.iloc[:, :10])
    pools = [np.delete(np.arange(10), v) for v in range(10)]

    def explored():
        search = ParentSetSearch(data, Score(), SearchSettings(), n_jobs=2)
        search.explore(pools, 0)
        return {key: (m.keys.tolist(), m.values[m.keys > 0].tolist()) for key, m in scores(search)}

    def scores(search):
        return search._memory._scores.items()

    wanted = explored()
    with pytest.raises(ZeroDivisionError), Checkpoint(tmp_path / "x", {}).active():
        _ = 1 / (len(explored()) - len(wanted))
    monkeypatch.setattr("lsbn.kernels.parents.explore_parent_sets", None)
    with Checkpoint(tmp_path / "x", {}).active():
        assert explored() == wanted


def test_files_that_were_being_written_are_found(tmp_path):
    """A process that is killed inside `atomic_file` leaves its draft."""
    with atomic_file(tmp_path / "edges.csv") as draft:
        draft.write_text("half")
        (tmp_path / "other.tmp").write_text("not ours")
        found = leftovers(tmp_path)
    assert [(each.path, each.what, each.size) for each in found] == [(draft, "unfinished file", 4)]
    assert leftovers(tmp_path) == []
