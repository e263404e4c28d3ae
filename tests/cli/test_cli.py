import csv
import gzip
import json
import subprocess
import sys
from types import SimpleNamespace
from typing import ClassVar

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import lsbn.cli.commands
import lsbn.estimator
import lsbn.learners
import lsbn.partition
import lsbn.report
from lsbn.cli import main
from lsbn.data import Dataset
from lsbn.graph import EdgeProbabilities
from lsbn.learners.base import Learned
from lsbn.network import BayesianNetwork, load_network

RUN_FILES = ["communities.json", "edges.csv", "graph.graphml", "report.html", "summary.json"]


def run(*words):
    return main([str(word) for word in words])


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def summary_of(folder):
    return json.loads((folder / "summary.json").read_text("utf-8"))


def chain_of(dataset):
    n = dataset.n_variables
    return EdgeProbabilities(np.diag(np.full(n - 1, 0.75), 1), dataset.names)


@pytest.fixture
def strange_net(tmp_path):
    net = BayesianNetwork(
        names=("β, one", 'say "hi"', "plain"),
        states=(("no", "yes, sir"), ('"', ""), ("été", "1")),
        parents=(np.array([], int), np.array([0]), np.array([1])),
        tables=(
            np.array([[0.5, 0.5]]),
            np.array([[0.9, 0.1], [0.1, 0.9]]),
            np.array([[0.9, 0.1], [0.1, 0.9]]),
        ),
    )
    net.write_bif(tmp_path / "strange.bif")
    return net


@pytest.fixture
def halves(monkeypatch):
    """A stand-in for ROPART that cuts the variables in two overlapping halves."""

    def ropart(dataset, **options):
        middle, n = dataset.n_variables // 2, dataset.n_variables
        parts = (np.arange(middle + 1), np.arange(middle, n))
        return SimpleNamespace(communities=parts, by_weight={"MI": parts}, kept={"MI": 0.25})

    monkeypatch.setattr(lsbn.partition, "ropart", ropart, raising=False)


@pytest.fixture
def copycat(monkeypatch):
    """A learner that finds the chain of the columns as they stand."""

    def learn(dataset, *, random_state, n_jobs):
        diagnostics = {"seed_seen": random_state, "standard_error": float("nan")}
        return Learned(chain_of(dataset), diagnostics)

    monkeypatch.setitem(lsbn.learners.LEARNERS, "pc", learn)


@pytest.fixture
def estimator(monkeypatch):
    """A stand-in for LSBN that finds that chain, and keeps what it was asked for."""

    class Stub:
        asked: ClassVar[list] = []
        r_hat = 1.0

        def __init__(self, **options):
            self.asked.append(options)

        @classmethod
        def paper(cls, **options):
            return cls(published=True, **options)

        def fit(self, dataset):
            self.edges_ = chain_of(dataset)
            self.communities_ = [list(dataset.names[:2]), list(dataset.names[1:])]
            seconds = {"read": 100.0, "partition": 2.0}
            self.diagnostics_ = {"method": "sampled", "r_hat": self.r_hat, "seconds": seconds}
            return self

    monkeypatch.setattr(lsbn.estimator, "LSBN", Stub)
    return Stub


@pytest.fixture
def chain(tmp_path):
    """A small table with a name that needs care."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.integers(0, 2, (50, 4)), columns=["ä,1", "b", "c", "d"])
    table.to_csv(tmp_path / "chain.csv", index=False)
    return tmp_path / "chain.csv"


# -- sample


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet"])
def test_sample_writes_what_the_network_draws(tmp_path, suffix, capsys):
    target = tmp_path / f"a{suffix}"
    assert run("sample", "alarm", "--rows", 200, "-o", target, "--seed", 3) == 0
    assert "200 rows of 37 variables" in capsys.readouterr().out
    found = Dataset.read(target).to_pandas().astype(str)
    expected = load_network("alarm").sample(200, random_state=3).astype(str)
    pd.testing.assert_frame_equal(found, expected)


def test_sample_shuffles_columns_by_the_seed(tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        target = tmp_path / f"{name}.csv"
        run("sample", "alarm", "--rows", 20, "-o", target, "--seed", seed, "--shuffle-columns")
    a, b, c = (pd.read_csv(tmp_path / f"{name}.csv") for name in "abc")
    pd.testing.assert_frame_equal(a, b)
    names = list(load_network("alarm").names)
    assert list(a) != names
    assert sorted(a) == sorted(names)
    assert list(a) != list(c)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_sample_quotes_strange_words(tmp_path, strange_net):
    assert run("sample", tmp_path / "strange.bif", "--rows", 50, "-o", tmp_path / "x.csv") == 0
    with open(tmp_path / "x.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, strict=True))
    assert tuple(rows[0]) == strange_net.names
    expected = strange_net.sample(50, random_state=0).astype(str).to_numpy().tolist()
    assert rows[1:] == expected


def test_compressed_samples_are_the_same_bytes_every_time(tmp_path):
    for name in "ab":
        run("sample", "alarm", "--rows", 20, "-o", tmp_path / f"{name}.csv.gz")
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.csv.gz").read_bytes()).count(b"\n") == 21


def test_sample_does_not_overwrite(tmp_path, capsys):
    target = tmp_path / "a.csv"
    target.write_text("precious")
    assert run("sample", "alarm", "--rows", 5, "-o", target) == 2
    assert capsys.readouterr().err == (
        f"lsbn: error: {target} exists; choose another name, or replace it by --force\n"
    )
    assert target.read_text() == "precious"
    assert run("sample", "alarm", "--rows", 5, "-o", target, "--force") == 0
    assert target.read_text() != "precious"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("asia", "-o", "x.csv"), "'asia' is neither a bundled network"),
        (("nowhere.bif", "-o", "x.csv"), "nowhere.bif"),
        (("bad.bif", "-o", "x.csv"), "bad.bif, line 1"),
        (("alarm", "-o", "x.xlsx"), "must end in .csv"),
        (("alarm", "-o", "missing/x.csv"), "no such folder"),
        (("alarm", "-o", "folder.csv"), "is a folder"),
    ],
)
def test_sample_refuses(tmp_path, monkeypatch, capsys, words, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.bif").write_text("nonsense")
    (tmp_path / "folder.csv").mkdir()
    assert run("sample", "--rows", 5, *words) == 2
    err = capsys.readouterr().err
    assert err.startswith("lsbn: error: ")
    assert message in err
    assert err.count("\n") == 1
    assert not (tmp_path / "x.csv").exists()


def test_interrupted_sample_leaves_nothing(tmp_path, monkeypatch, capsys):
    def interrupt(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr("lsbn.cli.commands._csv_lines", interrupt)
    assert run("sample", "alarm", "--rows", 5, "-o", tmp_path / "a.csv") == 130
    assert capsys.readouterr().err == "lsbn: interrupted; nothing was written\n"
    assert list(tmp_path.iterdir()) == []


# -- partition


def test_partition_writes_a_run(tmp_path, chain, halves, capsys):
    (tmp_path / "truth.csv").write_text('source,target\n"ä,1",b\nb,c\n"ä,1",d\n')
    out = tmp_path / "runs" / "chain"
    words = ("--truth", tmp_path / "truth.csv", "--seed", 4, "--jobs", 1)
    assert run("partition", chain, "-o", out, *words) == 0
    assert json.loads((out / "communities.json").read_text("utf-8")) == [
        ["ä,1", "b", "c"],
        ["c", "d"],
    ]
    partition = json.loads((out / "partition.json").read_text("utf-8"))
    assert partition["kept"] == {"MI": 0.25}
    assert partition["by_weight"]["MI"][1] == ["c", "d"]
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    assert (summary["variables"], summary["rows"], summary["seed"]) == (4, 50, 4)
    assert summary["evaluation"] is None
    assert summary["settings"]["command"] == "partition"
    assert {"read", "partition", "total"} <= set(summary["seconds"])
    assert summary["versions"]["lsbn"] == lsbn.__version__
    assert summary["diagnostics"]["edge_coverage"] == {"second_order": 2, "MI": 2}
    text = capsys.readouterr().out
    assert "2 communities of 4 variables" in text
    assert "    3  b, c, ä,1" in text
    assert "66.7 %" in text


def test_real_partition_of_a_shuffled_table(tmp_path, capsys):
    run("sample", "alarm", "--rows", 2000, "-o", tmp_path / "a.csv", "--shuffle-columns")
    words = ("--truth", "alarm", "--jobs", 2)
    assert run("partition", tmp_path / "a.csv", "-o", tmp_path / "run", *words) == 0
    communities = json.loads((tmp_path / "run" / "communities.json").read_text())
    names = set(load_network("alarm").names)
    assert {name for community in communities for name in community} == names
    partition = json.loads((tmp_path / "run" / "partition.json").read_text())
    assert len(partition["by_weight"]) == len(partition["kept"]) == 7
    assert all(0 < kept < 1 for kept in partition["kept"].values())
    coverage = json.loads((tmp_path / "run" / "summary.json").read_text())["diagnostics"]
    assert 30 <= coverage["edge_coverage"]["second_order"] <= 46
    assert "of 46" in capsys.readouterr().out


def test_partition_does_not_overwrite(tmp_path, chain, halves, capsys):
    assert run("partition", chain, "-o", tmp_path / "run") == 0
    before = (tmp_path / "run" / "summary.json").read_text()
    assert run("partition", chain, "-o", tmp_path / "run") == 2
    assert "--force" in capsys.readouterr().err
    assert (tmp_path / "run" / "summary.json").read_text() == before
    assert run("partition", chain, "-o", tmp_path / "run", "--force", "--seed", 9) == 0
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["seed"] == 9


def test_interrupted_partition_leaves_nothing(tmp_path, chain, monkeypatch, capsys):
    def interrupt(dataset, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(lsbn.partition, "ropart", interrupt, raising=False)
    assert run("partition", chain, "-o", tmp_path / "runs" / "x") == 130
    assert capsys.readouterr().err.count("\n") == 1
    assert [p.name for p in tmp_path.iterdir()] == ["chain.csv"]


def test_partition_tells_what_was_done_to_the_table(tmp_path, halves, capsys):
    rows = ["a,b,c,k", *[f"{r % 2},{r / 7},{'' if r == 3 else 'x'},1" for r in range(20)]]
    (tmp_path / "t.csv").write_text("\n".join(rows))
    words = ("--discretize", "quantile", "--bins", 3, "--missing", "drop")
    assert run("partition", tmp_path / "t.csv", "-o", tmp_path / "run", *words) == 0
    out = capsys.readouterr().out
    assert "note: " in out
    assert "'k'" in out
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["rows"] == 19


@pytest.mark.parametrize(
    ("content", "words", "message"),
    [
        (None, (), "t.csv"),
        ("", (), "t.csv"),
        ("a,b\n1,2\n1\n", (), "t.csv"),
        ("a,a\n1,2\n3,4\n", (), "'a'"),
        ("a,b\n0.5,1\n0.25,2\n", (), "--discretize"),
        ("a,b\n,1\n2,2\n", (), "--missing"),
        ("a,b\n1,1\n2,2\n", ("--truth", "alarm"), "same variables"),
        ("a,b\n1,1\n2,2\n", ("--truth", "asia"), "asia"),
        ("a,b\n1,1\n2,2\n", ("--bins", "100"), "bins"),
    ],
)
def test_partition_refuses(tmp_path, monkeypatch, halves, capsys, content, words, message):
    monkeypatch.chdir(tmp_path)
    if content is not None:
        (tmp_path / "t.csv").write_text(content)
    assert run("partition", "t.csv", "-o", "run", *words) == 2
    err = capsys.readouterr().err
    assert err.startswith("lsbn: error: ")
    assert message in err
    assert "Traceback" not in err
    assert not (tmp_path / "run").exists()


def test_many_communities_are_not_all_printed(tmp_path, monkeypatch, capsys):
    def ropart(dataset, **options):
        parts = [np.array([v]) for v in range(dataset.n_variables)]
        return SimpleNamespace(communities=parts, by_weight={}, kept={})

    monkeypatch.setattr(lsbn.partition, "ropart", ropart, raising=False)
    pd.DataFrame(np.eye(60, dtype=int)).to_csv(tmp_path / "t.csv", index=False)
    assert run("partition", tmp_path / "t.csv", "-o", tmp_path / "run") == 0
    assert "40 smaller ones; all of them: " in capsys.readouterr().out


# -- learn and evaluate


def test_learn_runs_the_framework(tmp_path, chain, estimator, capsys):
    assert run("learn", chain, "-o", tmp_path / "run", "--seed", 3, "--jobs", 1) == 0
    (asked,) = estimator.asked
    assert callable(asked.pop("verbose"))
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
    assert f"look at {tmp_path / 'run' / 'report.html'}\n" in out
    assert "warning" not in out


def test_learn_tells_of_columns_that_repeat_another(tmp_path, capsys):
    column = np.arange(200) % 2
    table = pd.DataFrame({"x": column, "y": 1 - column, "z": np.arange(200) % 3})
    table.to_csv(tmp_path / "t.csv", index=False)
    assert run("learn", tmp_path / "t.csv", "-o", tmp_path / "run", "--jobs", 1) == 0
    assert "note: 1 column(s) repeat another: 'y' of 'x'" in capsys.readouterr().out
    assert "&#x27;y&#x27; of" in (tmp_path / "run" / "report.html").read_text("utf-8")


def test_learn_as_published(tmp_path, chain, estimator):
    assert run("learn", chain, "-o", tmp_path / "run", "--paper", "--learner", "pc") == 0
    assert estimator.asked[-1]["published"] is True
    assert estimator.asked[-1]["learner"] == "pc"
    assert summary_of(tmp_path / "run")["settings"]["paper"] is True


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
        assert {"read", "partition", "local", "merge", "total"} <= set(summary_of(out)["seconds"])
        assert "HRSAT" in (out / "report.html").read_text("utf-8")
    one, two = ((tmp_path / f"run{jobs}" / "edges.csv").read_text() for jobs in (1, 2))
    assert one == two


def test_learn_refuses(tmp_path, chain, estimator, capsys):
    words = ("--scope", "global", "--paper")
    assert run("learn", chain, "-o", tmp_path / "run", *words) == 2
    assert "--paper" in capsys.readouterr().err
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
    assert "no run" in capsys.readouterr().err
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
    assert evaluation["seed"] == summary["diagnostics"]["seed_seen"] == 5
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


def test_report_writes_the_page_anew(tmp_path, chain, estimator, capsys):
    run("learn", chain, "-o", tmp_path / "run")
    page = tmp_path / "run" / "report.html"
    page.unlink()
    capsys.readouterr()
    assert run("report", tmp_path / "run") == 0
    assert capsys.readouterr().out == f"written: {page}\n"
    assert "ä,1" in page.read_text("utf-8")
    assert names_in(tmp_path / "run") == RUN_FILES


def test_report_refuses(tmp_path, chain, halves, capsys):
    assert run("report", tmp_path / "nowhere") == 2
    assert "nowhere" in capsys.readouterr().err
    run("partition", chain, "-o", tmp_path / "run")
    assert run("report", tmp_path / "run") == 2
    assert "lsbn learn" in capsys.readouterr().err


def test_evaluate_against_a_network(tmp_path, capsys):
    alarm = load_network("alarm")
    edges = EdgeProbabilities(nx.to_numpy_array(alarm.dag), alarm.names)
    edges.to_csv(tmp_path / "edges.csv")
    assert run("evaluate", tmp_path, "--truth", "alarm", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["hits"], found["f_score"], found["shd"], found["seed"]) == (46, 100.0, 0, None)


def test_evaluate_refuses(tmp_path, chain, halves, capsys):
    assert run("evaluate", tmp_path / "nowhere", "--truth", "alarm") == 2
    assert "nowhere" in capsys.readouterr().err
    run("partition", chain, "-o", tmp_path / "run")
    assert run("evaluate", tmp_path / "run", "--truth", "alarm") == 2
    assert "lsbn learn" in capsys.readouterr().err
    EdgeProbabilities(np.diag([1.0], 1), "ab").to_csv(tmp_path / "run" / "edges.csv")
    assert run("evaluate", tmp_path / "run", "--truth", "alarm") == 2
    assert "unknown variables 'a'" in capsys.readouterr().err


# -- the rest


def test_demo_learns_alarm(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(lsbn.cli.commands, "DEMO_ROWS", 1000)
    assert run("demo") == 0
    out = capsys.readouterr().out
    assert "37 variables, 46 edges" in out
    assert "From 1,000 rows" in out
    assert "of the 46 true edges lie inside a community" in out
    assert out.rstrip().endswith("report.html")
    assert names_in(tmp_path / "runs" / "demo") == RUN_FILES
    assert summary_of(tmp_path / "runs" / "demo")["evaluation"]["f_score"] > 80


def test_demo_replaces_nothing_but_a_demo(tmp_path, chain, estimator, monkeypatch, capsys):
    monkeypatch.setattr(lsbn.cli.commands, "DEMO_ROWS", 10)
    for seed in (0, 1):
        assert run("demo", "-o", tmp_path / "demo", "--seed", seed) == 0
        assert summary_of(tmp_path / "demo")["seed"] == seed
    assert run("learn", chain, "-o", tmp_path / "mine") == 0
    capsys.readouterr()
    assert run("demo", "-o", tmp_path / "mine") == 2
    captured = capsys.readouterr()
    assert "mine exists" in captured.err
    assert captured.out == ""
    assert summary_of(tmp_path / "mine")["settings"]["command"] == "learn"


def test_study_prints_and_writes_tables(tmp_path, capsys):
    words = ("--networks", "alarm", "--rows", 500, "--seeds", 1, "--learners", "pc")
    words = (*words, "--scopes", "global", "-o", tmp_path / "s")
    assert run("study", "paper", *words) == 0
    assert "alarm" in capsys.readouterr().out
    assert {"tables.md", "partition.md", "study.json"} <= set(names_in(tmp_path / "s"))


def test_study_is_not_run_over_another_but_goes_on(tmp_path, capsys):
    only = ("--learners", "pc", "--scopes", "global", "--seeds", 1, "-o", tmp_path / "s")
    words = ("study", "paper", "--networks", "alarm", "--rows", 500, *only)
    assert run(*words, "--page", tmp_path / "page.md") == 0
    assert (tmp_path / "page.md").is_file()
    written = (tmp_path / "s" / "tables.txt").read_text("utf-8")
    assert run(*words) == 2
    assert "--resume" in capsys.readouterr().err
    assert run("study", "paper", "--resume", "-o", tmp_path / "s") == 0
    assert (tmp_path / "s" / "tables.txt").read_text("utf-8") == written


@pytest.mark.parametrize("seeds", ["x", "0", "-1,2", "1,1"])
def test_study_refuses_strange_seeds(seeds, tmp_path, capsys):
    assert run("study", "paper", f"--seeds={seeds}", "-o", tmp_path / "s") == 2
    assert "--seeds" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [(), *((c,) for c in ["demo", "learn", "report", "evaluate", "partition", "sample", "study"])],
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
        "import sys, lsbn.cli.commands; lsbn.cli.commands._parser(); "
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
