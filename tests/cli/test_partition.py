import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import lsbn.partition
from cli.cases import run
from lsbn.network import load_network


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
    assert "40 smaller communities; all of them: " in capsys.readouterr().out
