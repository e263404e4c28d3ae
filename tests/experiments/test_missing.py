import networkx as nx
import numpy as np
import pandas as pd
import pytest

from experiment_cases import load_experiment
from lsbn import Dataset, load_network
from lsbn.kernels.gaps import log_observed
from lsbn.missing import chain
from lsbn.missing.start import drawn_by_trees

pytestmark = pytest.mark.filterwarnings("ignore:.* completions of the table disagree")
"""Two completions are not precise."""


@pytest.fixture(scope="module")
def study():
    return load_experiment("missing")


@pytest.fixture(scope="module")
def table():
    return load_network("alarm").sample(2_000, random_state=0)


def test_values_missing_by_columns_depend_on_complete_columns_only(study, table):
    mask = study.missing_cells(table, "by columns", 0.3, np.random.default_rng(0))
    assert mask.mean() == pytest.approx(0.3, abs=0.02)
    complete = ~mask.any(axis=0)
    assert complete.sum() == table.shape[1] // 4
    rates = [
        pd.Series(mask[:, v]).groupby(table.iloc[:, u].to_numpy()).mean()
        for v in np.flatnonzero(~complete)
        for u in np.flatnonzero(complete)
    ]
    assert max(rate.max() - rate.min() for rate in rates) > 0.2


def test_values_missing_at_random(study, table):
    mask = study.missing_cells(table, "at random", 0.1, np.random.default_rng(0))
    np.testing.assert_allclose(mask.mean(axis=0), 0.1, atol=0.03)


def test_other_imputers_are_measured_on_missing_cells(study):
    column = np.arange(60) % 3
    table = pd.DataFrame({"a": column, "b": column, "c": column})
    mask = np.zeros(table.shape, bool)
    mask[:20, 0] = True
    assert study.accuracy(table, mask, "KNN") == 100
    assert study.accuracy(table, mask, "mode") == pytest.approx(35, abs=5)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_case_is_learned_once(study, monkeypatch):
    short = chain.ChainSettings(
        completions=2, most_completions=2, between=1, chains=1, most_rounds=1
    )
    monkeypatch.setattr(chain, "ChainSettings", lambda: short)
    case = study.Case("alarm", "at random", 0.1, 200, 0)
    found = study.measured(case, "infer")
    assert 30 < found["infer"] <= 100
    assert 50 < study.measured(case, "impute")["impute"] <= 100
    assert case.model is case.model
    assert -30 < study.measured(case, "unseen")["unseen"] < -10
    assert study.measured(case, "drop")["drop"] < found["infer"]


def test_a_figure_that_a_seed_lacks_is_a_dash(study):
    cells = [dict.fromkeys(study.FIGURES, 50.0), {"infer": 60.0}]
    assert study.means(cells, ["infer", "mode"]) == ["55.0", "-"]


def test_differences_are_paired(study):
    cells = [{"infer": 90.0, "fewer rows": 88.0}, {"infer": 92.0, "fewer rows": 91.0}]
    found = study.differences([("alarm", "30% at random", cell) for cell in cells])
    assert [row[0] for row in found] == ["alarm", "30% at random", "all"]
    assert all(row[1:] == ["2", "+1.5 ± 0.5", "-", "-", "-"] for row in found)


def test_chains_begin_with_the_true_cells(table):
    parts = load_experiment("parts.true_cells")
    mask = np.random.default_rng(0).random(table.shape) < 0.3
    data = Dataset.from_table(table.astype(object).mask(mask), missing="infer")
    with parts.chains_begin_with(table):
        found = chain.drawn_by_trees(data, np.random.default_rng(0))
    assert found.gaps is None
    assert (found.to_pandas().astype(str) == table.astype(str)).to_numpy().mean() > 0.999
    assert chain.drawn_by_trees is drawn_by_trees


def test_noise_is_not_joined(study, monkeypatch):
    short = chain.ChainSettings(
        completions=2, most_completions=2, between=1, chains=1, most_rounds=2
    )
    monkeypatch.setattr(chain, "ChainSettings", lambda: short)
    found = study.noise_joined(0, rows=200, columns=5)
    assert found["highest"] < 0.5
    assert found["above 0.5"] == 0


def test_finished_cells_are_not_computed_again(study, tmp_path):
    first, calls = study.Store(tmp_path / "cells.json"), []
    for _ in range(2):
        assert first.get("a", lambda: calls.append(1) or {"infer": 1.0}) == {"infer": 1.0}
    assert len(calls) == 1
    again = study.Store(tmp_path / "cells.json", finished=True)
    assert again.get("a", dict) == {"infer": 1.0}
    assert again.get("b", lambda: calls.append(1)) == {}
    assert len(calls) == 1


def test_edges_are_judged_by_their_rows():
    part = load_experiment("parts.available_rows")
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 400)
    b, c = (np.where(rng.random(400) < 0.9, a, 1 - a) for _ in range(2))
    table = pd.DataFrame({"a": a, "b": b, "c": c, "d": rng.integers(0, 2, 400)}).astype(object)
    mask = rng.random(table.shape) < 0.2
    gaps = Dataset.from_table(table.mask(mask), missing="infer")
    rows = ~mask[:, :2].any(axis=1)
    counts = pd.crosstab(table["a"][rows], table["b"][rows]).to_numpy()
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / rows.sum()
    wanted = (counts * np.log(counts / expected)).sum() - np.log(rows.sum()) / 2
    assert part.edge_gain(gaps, ~gaps.gaps, 1, [], 0) == pytest.approx(wanted)
    found = {frozenset(edge) for edge in part.climb(gaps).edges}
    assert found == {frozenset("ab"), frozenset("ac")}


def test_no_step_closes_a_cycle():
    part = load_experiment("parts.available_rows")
    above = (frozenset(), frozenset({0}), frozenset({0, 1}), frozenset({2}))
    for step in part.steps(above):
        new = part.changed(above, step)
        graph = nx.DiGraph([(u, v) for v, own in enumerate(new) for u in own])
        assert nx.is_directed_acyclic_graph(graph)


def test_true_cells_are_drawn_by_the_tables_of_the_network():
    net, parts = load_network("alarm"), load_experiment("parts.true_cells")
    table = net.sample(400, random_state=0)[list(reversed(net.names))]
    mask = np.random.default_rng(0).random(table.shape) < 0.1
    data = Dataset.from_table(table.astype(object).mask(mask), missing="infer")
    rows = np.array(
        [
            [s.index(x) for s, x in zip(data.states, row, strict=True)]
            for row in table.head(20).astype(str).to_numpy()
        ]
    )
    no_gaps = (np.zeros(21, np.int64), np.zeros(0, np.int64))
    rng = np.random.default_rng(0)
    found = log_observed(parts.true_tables(net, data), rows, *no_gaps, 1, rng)
    for log, (_, row) in zip(found, table.head(20).iterrows(), strict=True):
        codes = [
            states.index(row[name]) for name, states in zip(net.names, net.states, strict=True)
        ]
        expected = 0.0
        for v, (above, own) in enumerate(zip(net.parents, net.tables, strict=True)):
            place = 0
            for u in above.tolist():
                place = place * len(net.states[u]) + codes[u]
            expected += np.log(own[place, codes[v]])
        assert log == pytest.approx(expected, abs=1e-6)
    assert parts.graph_by_true_cells(net, data, 0).number_of_edges() > 20
