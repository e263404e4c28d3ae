"""Results as Parquet: by option, and in large runs."""

import json

import pandas as pd
import pytest

import lsbn.graph.parquet
from cli.cases import RUN_FILES, names_in, run
from lsbn.graph import EdgeProbabilities

TABLES = ["communities.parquet", "edges.parquet"]


@pytest.mark.usefixtures("estimator")
@pytest.mark.parametrize("large", [False, True])
def test_learn(tmp_path, chain, monkeypatch, large):
    folder = tmp_path / "run"
    if large:
        monkeypatch.setattr(lsbn.graph.parquet, "LARGE", 3)
    assert run("learn", chain, "-o", folder, *([] if large else ["--parquet"])) == 0
    assert names_in(folder) == sorted([*RUN_FILES, *TABLES])
    edges = pd.read_parquet(folder / "edges.parquet").astype({"source": str, "target": str})
    pd.testing.assert_frame_equal(
        edges, pd.read_csv(folder / "edges.csv"), check_dtype=False, check_categorical=False
    )
    rows = pd.read_parquet(folder / "communities.parquet")
    found = [group["variable"].tolist() for _, group in rows.groupby("community")]
    assert found == json.loads((folder / "communities.json").read_text("utf-8"))


@pytest.mark.usefixtures("halves")
def test_partition(tmp_path, chain):
    assert run("partition", chain, "-o", tmp_path / "run", "--parquet") == 0
    assert len(pd.read_parquet(tmp_path / "run" / "communities.parquet")) == 5


def test_edges_are_in_the_order_of_the_csv_file(tmp_path):
    matrix = [[0, 0.5, 0.5], [0.25, 0, 0.5], [0.125, 0.5, 0]]
    edges = EdgeProbabilities(matrix, ("b", "=a", "c"))
    edges.to_csv(tmp_path / "e.csv")
    lsbn.graph.parquet.write_edges(tmp_path / "e.parquet", edges)
    found = pd.read_parquet(tmp_path / "e.parquet").astype({"source": str, "target": str})
    expected = edges.to_frame()
    assert found.to_numpy().tolist() == expected.to_numpy().tolist()
