import json

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import lsbn.learners
import lsbn.report
from cli.cases import RUN_FILES, chain_of, names_in, run, summary_of
from lsbn.learners import Diagnostics, Learned
from lsbn.network import load_network


@pytest.fixture
def copycat(monkeypatch):
    """A learner that finds the chain of the columns in their order, and gives its seed as steps."""

    def learn(dataset, *, random_state, n_jobs):
        diagnostics = Diagnostics(steps=random_state, standard_error=float("nan"))
        return Learned(chain_of(dataset), diagnostics)

    monkeypatch.setitem(lsbn.learners.LEARNERS, "pc", learn)


def test_learn_runs_the_framework(tmp_path, chain, estimator, capsys):
    assert run("learn", chain, "-o", tmp_path / "run", "--seed", 3, "--jobs", 1) == 0
    (asked,) = estimator.asked
    assert callable(asked.pop("verbose"))
    assert asked.pop("checkpoint") == tmp_path / ".run.draft"
    assert asked == {"learner": "model-averaging", "random_state": 3, "n_jobs": 1}
    assert names_in(tmp_path / "run") == RUN_FILES
    summary = summary_of(tmp_path / "run")
    assert (summary["settings"]["scope"], summary["settings"]["paper"]) == ("lsbn", False)
    assert (summary["variables"], summary["rows"], summary["evaluation"]) == (4, 50, None)
    assert summary["seconds"]["read"] > 100  # the file and the coding of the table
    assert summary["seconds"]["partition"] == 2
    assert "fit" not in summary["seconds"]
    assert summary["diagnostics"] == {"method": "sampled", "r_hat": 1.0}
    communities = json.loads((tmp_path / "run" / "communities.json").read_text("utf-8"))
    assert communities == [["ä,1", "b"], ["b", "c", "d"]]
    out = capsys.readouterr().out
    assert "3 edges above 0.5 between 4 variables" in out
    assert f"open {tmp_path / 'run' / 'report.html'}\n" in out
    assert "warning" not in out


def test_learn_tells_of_columns_that_repeat_another(tmp_path, capsys):
    column = np.arange(200) % 2
    table = pd.DataFrame({"x": column, "y": 1 - column, "z": np.arange(200) % 3})
    table.to_csv(tmp_path / "t.csv", index=False)
    assert run("learn", tmp_path / "t.csv", "-o", tmp_path / "run", "--jobs", 1) == 0
    assert "note: 1 column(s) repeat another: 'y' of 'x'" in capsys.readouterr().out
    assert "&#x27;y&#x27; of" in (tmp_path / "run" / "report.html").read_text("utf-8")


def copied_table(folder):
    """A table of four columns of alarm and a copy, and the true edges of its columns."""
    table = load_network("alarm").sample(1000, random_state=0)[["HR", "HRBP", "HRSAT", "CO"]]
    table.assign(pulse=table["HR"]).to_csv(folder / "t.csv", index=False)
    edges = "HR,HRBP\nHR,HRSAT\npulse,CO\nHR,pulse\n"
    (folder / "truth.csv").write_text(f"source,target\n{edges}", encoding="utf-8")
    return folder / "t.csv", folder / "truth.csv"


@pytest.mark.parametrize("scope", ["lsbn", "global"])
def test_learn_reports_groups_of_copies(tmp_path, capsys, scope):
    table, truth = copied_table(tmp_path)
    words = ("--copies", "group", "--scope", scope, "--truth", truth, "--jobs", 1)
    folder = tmp_path / "run"
    assert run("learn", table, "-o", folder, *words) == 0
    out = capsys.readouterr().out
    assert "note: 1 group(s) of equal columns: 'HR = pulse'" in out
    assert "3 edges above 0.5 between 4 variables" in out
    summary = summary_of(folder)
    assert summary["settings"]["copies"] == "group"
    assert summary["groups"] == {"HR = pulse": ["HR", "pulse"]}
    assert summary["names"] == ["HR = pulse", "HRBP", "HRSAT", "CO"]
    assert summary["variables"] == 5
    assert (summary["evaluation"]["f_score"], summary["evaluation"]["shd"]) == (100.0, 0)
    assert "HR = pulse" in (folder / "edges.csv").read_text("utf-8")
    assert "HR = pulse" in nx.read_graphml(folder / "graph.graphml")
    communities = json.loads((folder / "communities.json").read_text("utf-8"))
    assert set().union(*communities) == set(summary["names"])
    page = (folder / "report.html").read_text("utf-8")
    assert "Groups of equal columns" in page
    assert "3 hits, 0 misses, 0 errors" in page
    assert run("evaluate", folder, "--truth", truth, "--json") == 0
    assert json.loads(capsys.readouterr().out) == summary["evaluation"]
    assert run("report", folder) == 0
    assert (folder / "report.html").read_text("utf-8") == page


@pytest.mark.parametrize("scope", ["lsbn", "global"])
def test_learn_joins_copies(tmp_path, capsys, scope):
    table, truth = copied_table(tmp_path)
    words = ("--copies", "join", "--scope", scope, "--truth", truth, "--jobs", 1)
    assert run("learn", table, "-o", tmp_path / "run", *words) == 0
    assert "note: 1 column(s) repeat another: 'pulse' of 'HR'" in capsys.readouterr().out
    summary = summary_of(tmp_path / "run")
    assert (summary["groups"], len(summary["names"])) == ({}, 5)
    assert (summary["evaluation"]["hits"], summary["evaluation"]["errors"]) == (3, 1)


@pytest.mark.parametrize(
    ("words", "copies"),
    [
        ((), "join"),
        (("--copies", "group"), "group"),
        (("--scope", "global"), "keep"),
        (("--scope", "global", "--copies", "join"), "join"),
        (("--learner", "pc"), "keep"),
        (("--learner", "pc", "--copies", "group"), "group"),
        (("--paper",), "keep"),
        (("--paper", "--copies", "join"), "join"),
    ],
)
def test_summary_tells_what_was_done_with_copies(
    tmp_path, chain, estimator, copycat, words, copies
):
    assert run("learn", chain, "-o", tmp_path / "run", *words, "--jobs", 1) == 0
    assert summary_of(tmp_path / "run")["settings"]["copies"] == copies
    if estimator.asked:
        given = {"fold_copies": copies} if "--copies" in words else {}
        assert {k: v for k, v in estimator.asked[-1].items() if k == "fold_copies"} == given


def test_learn_as_published(tmp_path, chain, estimator):
    assert run("learn", chain, "-o", tmp_path / "run", "--paper", "--learner", "pc") == 0
    assert estimator.asked[-1]["published"] is True
    assert estimator.asked[-1]["learner"] == "pc"
    assert summary_of(tmp_path / "run")["settings"]["paper"] is True


@pytest.mark.parametrize(
    ("words", "score"),
    [
        ((), "mixed"),
        (("--score", "k2"), "k2"),
        (("--scope", "global"), "mixed"),
        (("--learner", "greedy"), "bdeu"),
        (("--learner", "mmhc", "--score", "bic"), "bic"),
        (("--learner", "mmhc", "--paper"), "bdeu"),
        (("--paper",), "bdeu"),
        (("--paper", "--score", "mixed"), "mixed"),
        (("--learner", "pc"), None),
        (("--learner", "aracne", "--paper"), None),
    ],
)
def test_summary_names_the_score_that_was_used(tmp_path, chain, estimator, copycat, words, score):
    assert run("learn", chain, "-o", tmp_path / "run", *words, "--jobs", 1) == 0
    assert summary_of(tmp_path / "run")["settings"]["score"] == score


def test_graphs_may_count_once(tmp_path, chain, estimator):
    assert run("learn", chain, "-o", tmp_path / "run", "--count", "graphs") == 0
    assert estimator.asked[-1]["count"] == "graphs"
    assert summary_of(tmp_path / "run")["settings"]["count"] == "graphs"
    words = ("--scope", "global", "--count", "graphs", "--jobs", 1)
    assert run("learn", chain, "-o", tmp_path / "alone", *words) == 0
    assert summary_of(tmp_path / "alone")["diagnostics"]["count"] == "graphs"


def test_learn_warns_of_chains_that_disagree(tmp_path, chain, estimator, monkeypatch, capsys):
    monkeypatch.setattr(estimator, "r_hat", 1.7)
    assert run("learn", chain, "-o", tmp_path / "run") == 0
    assert "warning: R-hat up to 1.7" in capsys.readouterr().out


@pytest.mark.parametrize("words", [(), ("--paper",)])
def test_real_learning_of_a_small_table(tmp_path, words):
    net = load_network("alarm")
    columns = ["HR", "HRBP", "HRSAT", "CO"]
    net.sample(1000, random_state=0)[columns].to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "truth.csv").write_text("source,target\nHR,HRBP\nHR,HRSAT\nHR,CO\n")
    words = (*words, "--truth", tmp_path / "truth.csv", "--jobs")
    for jobs in (1, 2):
        out = tmp_path / f"run{jobs}"
        assert run("learn", tmp_path / "t.csv", "-o", out, *words, jobs) == 0
        assert names_in(out) == RUN_FILES
        assert summary_of(out)["evaluation"]["f_score"] == 100.0
        stages = set(summary_of(out)["seconds"])
        assert {"read", "partition", "total"} <= stages
        assert "last pass" in stages or "merge" in stages
        assert "HRSAT" in (out / "report.html").read_text("utf-8")
    one, two = ((tmp_path / f"run{jobs}" / "edges.csv").read_text() for jobs in (1, 2))
    assert one == two


def test_learn_refuses(tmp_path, chain, estimator, capsys):
    words = ("--scope", "global", "--paper")
    assert run("learn", chain, "-o", tmp_path / "run", *words) == 2
    assert "--paper" in capsys.readouterr().err
    words = ("--learner", "pc", "--score", "bdeu")
    assert run("learn", chain, "-o", tmp_path / "run", *words) == 2
    assert "--learner pc has no score; leave out --score" in capsys.readouterr().err
    for words in (("--learner", "pc"), ("--paper",)):
        assert run("learn", chain, "-o", tmp_path / "run", "--count", "graphs", *words) == 2
        assert "--count graphs is for the last pass of model-averaging" in capsys.readouterr().err
    assert run("learn", chain, "-o", tmp_path / "run", "--truth", "alarm") == 2
    assert "same variables" in capsys.readouterr().err
    assert estimator.asked == []
    assert names_in(tmp_path) == ["chain.csv"]


@pytest.mark.parametrize("old", [None, "an older run"])
def test_interrupted_learning_leaves_things_as_they_were(
    tmp_path, chain, estimator, monkeypatch, capsys, old
):
    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    if old:
        assert run("learn", chain, "-o", tmp_path / "run") == 0
    before = names_in(tmp_path)
    page = old and (tmp_path / "run" / "report.html").read_bytes()
    capsys.readouterr()
    for place, name in ((estimator, "fit"), (lsbn.report, "write_report")):
        with monkeypatch.context() as patch:
            patch.setattr(place, name, interrupt)
            assert run("learn", chain, "-o", tmp_path / "run", "--force", "--seed", 1) == 130
        assert capsys.readouterr().err == "lsbn: interrupted; nothing was written\n"
        assert names_in(tmp_path) == before
    if old:
        assert names_in(tmp_path / "run") == RUN_FILES
        assert (tmp_path / "run" / "report.html").read_bytes() == page


def test_learn_replaces_only_runs_and_only_by_force(tmp_path, chain, estimator, capsys):
    out = tmp_path / "run"
    assert run("learn", chain, "-o", out) == 0
    assert run("learn", chain, "-o", out, "--seed", 1) == 2
    assert "--force" in capsys.readouterr().err
    assert summary_of(out)["seed"] == 0
    assert run("learn", chain, "-o", out, "--seed", 1, "--force") == 0
    assert summary_of(out)["seed"] == 1
    (out / "summary.json").unlink()
    assert run("learn", chain, "-o", out, "--force") == 2
    assert "not a run" in capsys.readouterr().err
    assert (out / "edges.csv").is_file()
    assert len(estimator.asked) == 2


def test_learn_globally_and_evaluate(tmp_path, chain, copycat, capsys):
    (tmp_path / "truth.csv").write_text('source,target\n"ä,1",b\nb,c\n"ä,1",d\n')
    words = ("--scope", "global", "--learner", "pc", "--truth", tmp_path / "truth.csv")
    assert run("learn", chain, "-o", tmp_path / "run", *words, "--seed", 5) == 0
    text = (tmp_path / "run" / "edges.csv").read_text("utf-8")
    assert text == 'source,target,probability\nb,c,0.75\nc,d,0.75\n"ä,1",b,0.75\n'
    summary = json.loads((tmp_path / "run" / "summary.json").read_text("utf-8"))
    evaluation = summary["evaluation"]
    assert (evaluation["hits"], evaluation["misses"], evaluation["errors"]) == (2, 1, 1)
    assert evaluation["seed"] == summary["diagnostics"]["steps"] == 5
    assert evaluation["f_score"] == pytest.approx(66.667, abs=0.01)
    assert summary["diagnostics"]["standard_error"] is None
    assert names_in(tmp_path / "run") == RUN_FILES
    communities = json.loads((tmp_path / "run" / "communities.json").read_text("utf-8"))
    assert communities == [["ä,1", "b", "c", "d"]]
    graph = nx.read_graphml(tmp_path / "run" / "graph.graphml")
    assert nx.is_directed_acyclic_graph(graph)
    assert list(graph) == ["ä,1", "b", "c", "d"]
    capsys.readouterr()
    arguments = ("evaluate", tmp_path / "run", "--truth", tmp_path / "truth.csv")
    assert run(*arguments, "--json") == 0
    assert json.loads(capsys.readouterr().out) == evaluation
    assert run(*arguments) == 0
    assert "F 66.7 %" in capsys.readouterr().out
