import json
import os
from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import lsbn.files
from lsbn.files import atomic_file, atomic_folder
from lsbn.graph import EdgeProbabilities
from lsbn.network import load_network
from lsbn.runs import (
    Run,
    Summary,
    covered_edges,
    evaluation_of,
    load_truth,
    require_free,
    table_columns_of,
    threshold_of,
    write_run,
)

NAMES = ('β, "q"', "b", "c")
EDGES = EdgeProbabilities([[0, 0.9, 0], [0, 0, 0.6], [0, 0.2, 0]], NAMES)
SUMMARY = Summary(3, 10, {"command": "learn"}, 7, {"read": 0.1, "total": 0.2})


def everything_below(folder):
    return sorted(str(p.relative_to(folder)) for p in Path(folder).rglob("*"))


def test_run_folder_holds_the_contract(tmp_path):
    write_run(tmp_path / "deep" / "run", SUMMARY, [list(NAMES)], edges=EDGES)
    run = Run(tmp_path / "deep" / "run")
    assert everything_below(run.path) == [
        "communities.json",
        "edges.csv",
        "graph.graphml",
        "summary.json",
    ]
    assert list(run.summary) == [
        "variables",
        "rows",
        "settings",
        "seed",
        "seconds",
        "diagnostics",
        "evaluation",
        "versions",
        "names",
        "groups",
    ]
    assert run.groups == {}
    assert run.summary["evaluation"] is None
    assert run.communities == [list(NAMES)]
    assert run.edges().names == NAMES
    graph = nx.read_graphml(run.path / "graph.graphml")
    assert set(graph.edges) == {(NAMES[0], "b"), ("b", "c")}


def test_the_graph_of_a_run_is_that_of_its_threshold(tmp_path):
    high = Summary(3, 10, {"command": "learn", "threshold": 0.85}, 7, {})
    write_run(tmp_path / "run", high, [list(NAMES)], edges=EDGES)
    assert list(nx.read_graphml(tmp_path / "run" / "graph.graphml").edges) == [(NAMES[0], "b")]
    assert threshold_of(Run(tmp_path / "run").summary) == 0.85


@pytest.mark.parametrize("wrong", [None, "0.8", True, 1.0, -0.1, [0.8], float("nan")])
def test_settings_without_a_usable_threshold_mean_one_half(wrong):
    assert threshold_of({"settings": {"threshold": wrong}}) == 0.5
    assert threshold_of({"settings": None}) == threshold_of({}) == threshold_of(SUMMARY) == 0.5


def test_evaluation_has_a_threshold():
    truth = nx.DiGraph([(NAMES[0], "b")])
    truth.add_node("c")
    assert [evaluation_of(EDGES, truth, 7, t)["errors"] for t in (0.5, 0.85)] == [1, 0]


def test_evaluation_counts_the_edges_of_groups(tmp_path):
    groups = {NAMES[0]: ("x", "y")}
    write_run(tmp_path / "run", replace(SUMMARY, groups=groups), [list(NAMES)], edges=EDGES)
    run = Run(tmp_path / "run")
    assert run.groups == {NAMES[0]: ["x", "y"]}
    assert table_columns_of(run.edges().names, run.groups) == ["x", "y", "b", "c"]
    truth = nx.DiGraph([("x", "y"), ("y", "b"), ("b", "c")])
    found = evaluation_of(run.edges(), truth, 7, groups=run.groups)
    assert (found["hits"], found["misses"], found["errors"], found["shd"]) == (2, 0, 0, 0)


def test_an_older_folder_has_its_variables_in_the_communities(tmp_path):
    write_run(tmp_path / "run", SUMMARY, [[*NAMES, "lonely"]])
    EDGES.to_csv(tmp_path / "run" / "edges.csv")
    assert Run(tmp_path / "run").edges().names == tuple(sorted([*NAMES, "lonely"]))


def test_numbers_that_json_does_not_know_become_plain(tmp_path):
    odd = {"a": np.float64("nan"), "b": np.arange(2), "c": np.inf, "d": {1: np.bool_(True)}}
    summary = Summary(1, 2, {"path": Path("x")}, 0, {}, diagnostics=odd)
    write_run(tmp_path / "run", summary, [])
    text = (tmp_path / "run" / "summary.json").read_text()
    found = json.loads(text, parse_constant=lambda word: pytest.fail(word))
    assert found["diagnostics"] == {"a": None, "b": [0, 1], "c": None, "d": {"1": True}}
    assert json.loads((tmp_path / "run" / "communities.json").read_text()) == []


def test_existing_run_is_kept_unless_forced(tmp_path):
    write_run(tmp_path / "run", SUMMARY, [["old"]])
    with pytest.raises(FileExistsError, match="--force"):
        write_run(tmp_path / "run", SUMMARY, [["new"]])
    assert Run(tmp_path / "run").communities == [["old"]]
    write_run(tmp_path / "run", SUMMARY, [["new"]], force=True)
    assert Run(tmp_path / "run").communities == [["new"]]
    assert [p.name for p in tmp_path.iterdir()] == ["run"]


def test_force_never_replaces_what_is_no_run(tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter1.txt").write_text("years of work")
    with pytest.raises(FileExistsError, match="not a run"):
        write_run(tmp_path / "thesis", SUMMARY, [], force=True)
    (tmp_path / "file").write_text("x")
    with pytest.raises(FileExistsError, match="is a file"):
        require_free(tmp_path / "file", force=True)
    (tmp_path / "empty").mkdir()
    require_free(tmp_path / "empty")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_place_that_cannot_be_written_is_refused_early(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError):
        require_free(tmp_path / "run")


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError("disk full")])
def test_interrupted_run_leaves_nothing(tmp_path, monkeypatch, error):
    def fail(self, path, threshold=0.5):
        raise error

    monkeypatch.setattr(EdgeProbabilities, "to_graphml", fail)
    with pytest.raises((KeyboardInterrupt, OSError)):
        write_run(tmp_path / "new" / "run", SUMMARY, [], edges=EDGES)
    assert everything_below(tmp_path) == []
    write_run(tmp_path / "run", SUMMARY, [["old"]])
    with pytest.raises((KeyboardInterrupt, OSError)):
        write_run(tmp_path / "run", SUMMARY, [], edges=EDGES, force=True)
    assert Run(tmp_path / "run").communities == [["old"]]
    assert [p.name for p in tmp_path.iterdir()] == ["run"]


def test_failed_move_puts_the_old_folder_back(tmp_path, monkeypatch):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "x").write_text("old")
    rename = os.rename

    def fail_on_last_step(source, target):
        if Path(target).name == "run" and not (Path(source) / "x").exists():
            raise OSError("disk gone")
        rename(source, target)

    monkeypatch.setattr(os, "rename", fail_on_last_step)
    monkeypatch.setattr(lsbn.files, "_exchange", lambda one, other: False)
    with pytest.raises(OSError, match="disk gone"), atomic_folder(tmp_path / "run") as folder:
        (folder / "y").write_text("new")
    assert everything_below(tmp_path) == ["run", "run/x"]


def test_interrupted_file_keeps_the_old_one(tmp_path):
    (tmp_path / "x").write_text("old")

    def write_half():
        with atomic_file(tmp_path / "x") as draft:
            draft.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert (tmp_path / "x").read_text() == "old"
    assert everything_below(tmp_path) == ["x"]


def test_edges_of_a_folder_without_communities(tmp_path):
    EDGES.to_csv(tmp_path / "edges.csv")
    run = Run(tmp_path)
    assert set(run.edges(["lonely"]).names) == {*NAMES, "lonely"}
    assert run.summary == {}


def test_unreadable_runs(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        Run(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match=r"edges\.csv"):
        Run(tmp_path).edges()
    (tmp_path / "communities.json").write_text("[")
    with pytest.raises(ValueError, match=r"communities\.json: not JSON"):
        _ = Run(tmp_path).communities


def test_truth_comes_from_networks_and_lists(tmp_path):
    alarm = load_network("alarm")
    assert set(load_truth("alarm", alarm.names).edges) == set(alarm.dag.edges)
    alarm.write_bif(tmp_path / "a.bif.gz")
    assert set(load_truth(str(tmp_path / "a.bif.gz")).edges) == set(alarm.dag.edges)
    (tmp_path / "e.csv").write_text("source,target\na,b\n")
    graph = load_truth(str(tmp_path / "e.csv"), ["b", "a", "lonely"])
    assert list(graph) == ["b", "a", "lonely"]
    assert list(graph.edges) == [("a", "b")]


def test_truth_that_does_not_fit(tmp_path):
    with pytest.raises(ValueError, match=r"bundled.*nor a \.csv"):
        load_truth("asia")
    with pytest.raises(FileNotFoundError, match=r"x\.bif"):
        load_truth(str(tmp_path / "x.bif"))
    with pytest.raises(ValueError, match="same variables: 'ANAPHYLAXIS'"):
        load_truth("alarm", ["a"])
    (tmp_path / "e.csv").write_text("source,target\na,b\n")
    with pytest.raises(ValueError, match="unknown variables 'b'"):
        load_truth(str(tmp_path / "e.csv"), ["a"])


def test_evaluation_is_that_of_the_file(tmp_path):
    """The pair is above 0.5 only with an edge that edges.csv leaves out; results must agree."""
    edges = EdgeProbabilities([[0, 0.495], [0.0099, 0]], ("a", "b"))
    truth = nx.DiGraph([("a", "b")])
    write_run(tmp_path / "run", SUMMARY, [["a", "b"]], edges=edges)
    assert edges.dag().number_of_edges() == 1
    again = evaluation_of(Run(tmp_path / "run").edges(), truth, 7)
    assert evaluation_of(edges, truth, 7) == again
    assert again["hits"] == 0
    assert list(again) == [
        "hits",
        "misses",
        "errors",
        "precision",
        "recall",
        "f_score",
        "shd",
        "seed",
    ]


def test_coverage_counts_each_edge_once():
    truth = nx.DiGraph([("a", "b"), ("b", "c"), ("a", "z")])
    assert covered_edges([["a", "b"], ["b", "a"], ["b", "c"]], truth) == 2


def test_the_folder_needs_a_name():
    with pytest.raises(ValueError, match="name of the folder to write is empty"):
        require_free("", force=True)
