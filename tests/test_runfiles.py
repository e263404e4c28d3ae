"""Broken run folders: one line that names the file."""

import json

import numpy as np
import pytest

from cli.cases import run
from lsbn.graph import EdgeProbabilities
from lsbn.runs import Summary, write_run


@pytest.fixture
def folder(tmp_path):
    edges = EdgeProbabilities(np.diag([0.9, 0.8], 1), "abc")
    summary = Summary(
        3, 10, {"command": "learn"}, 0, {"total": 1.0}, {"method": "sampled", "r_hat": 1.0}
    )
    write_run(tmp_path / "run", summary, [["a", "b"], ["b", "c"]], edges=edges)
    return tmp_path / "run"


WRONG = [
    "[]",
    "null",
    "3",
    '"text"',
    "[[1]]",
    '{"a": 1}',
    "",
    "{",
    "[" * 100_000,
    '["\\ud800"]',
    "NaN",
]


@pytest.mark.parametrize("text", WRONG, ids=range(len(WRONG)))
@pytest.mark.parametrize("name", ["summary.json", "communities.json"])
def test_broken_files_are_named(folder, name, text, capsys):
    (folder / name).write_text(text)
    good = (name == "summary.json" and text == '{"a": 1}') or (name, text) == (
        "communities.json",
        "[]",
    )
    assert run("report", folder) == (0 if good else 2)
    assert (name in capsys.readouterr().err) is not good
    assert run("evaluate", folder, "--truth", folder / "edges.csv") in (0, 2)
    assert "unexpected" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "part", ["settings", "seconds", "diagnostics", "names", "groups", "seed", "rows"]
)
@pytest.mark.parametrize("value", [[1], "text", True, [["a"]], {"a": 1}, {"a": [1]}, -1.5])
def test_broken_parts_are_named(folder, part, value, capsys):
    summary = json.loads((folder / "summary.json").read_text())
    (folder / "summary.json").write_text(json.dumps(summary | {part: value}))
    assert run("report", folder) in (0, 2)
    assert "unexpected" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "field", ["r_hat", "method", "standard_error", "communities", "notes", "searches"]
)
@pytest.mark.parametrize("value", ["text", [1], {"a": [1]}, True, [[]]])
def test_broken_diagnostics_are_no_traceback(folder, field, value, capsys):
    summary = json.loads((folder / "summary.json").read_text())
    summary["diagnostics"][field] = value
    (folder / "summary.json").write_text(json.dumps(summary))
    assert run("report", folder) in (0, 2)
    assert "unexpected" not in capsys.readouterr().err


def test_a_run_agrees_with_its_own_edges(folder, capsys):
    assert run("evaluate", folder, "--truth", folder / "edges.csv", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["f_score"], found["shd"], found["hits"]) == (100.0, 0, 2)


def test_a_run_with_groups_agrees_with_its_own_edges(tmp_path, capsys):
    edges = EdgeProbabilities(np.diag([0.9], 1), ("a = c", "b"))
    summary = Summary(3, 10, {}, 0, {}, groups={"a = c": ("a", "c")})
    write_run(tmp_path / "run", summary, [["a = c", "b"]], edges=edges)
    assert (
        run("evaluate", tmp_path / "run", "--truth", tmp_path / "run" / "edges.csv", "--json") == 0
    )
    assert json.loads(capsys.readouterr().out)["f_score"] == 100.0


def test_probabilities_of_a_truth_are_honoured_and_cycles_refused(folder, tmp_path, capsys):
    truth = tmp_path / "truth.csv"
    truth.write_text("source,target,probability\na,b,0.9\nb,c,0.2\nc,a,0.7\n")
    assert run("evaluate", folder, "--truth", truth, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["hits"], found["misses"], found["errors"]) == (1, 1, 1)
    truth.write_text("source,target\na,b\nb,c\nc,a\n")
    assert run("evaluate", folder, "--truth", truth) == 2
    assert "the edges have a cycle, 'a' -> 'b' -> 'c' -> 'a'" in capsys.readouterr().err
    truth.write_text("source,target,probability\na,b,nan\n")
    assert run("evaluate", folder, "--truth", truth) == 2
    assert "line 2: 'nan' is not a probability" in capsys.readouterr().err
