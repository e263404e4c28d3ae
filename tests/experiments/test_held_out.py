from itertools import product
from math import log

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from experiment_cases import load_experiment


@pytest.fixture(scope="module")
def study():
    return load_experiment("held_out")


def slow_log_likelihoods(dag, split, smoothing):
    """Count rows one family and one unseen row at a time."""
    states = {c: set(split.train[c]) | set(split.test[c]) for c in dag}
    logs = []
    for _, row in split.test.iterrows():
        total = 0.0
        for child in dag:
            above = list(dag.pred[child])
            q = int(np.prod([len(states[u]) for u in above]))
            r = len(states[child])
            same = [
                old for _, old in split.train.iterrows() if all(old[u] == row[u] for u in above)
            ]
            hits = sum(old[child] == row[child] for old in same)
            weight = smoothing(q, r)
            total += log((hits + weight) / (len(same) + r * weight))
        logs.append(total)
    return logs


def random_split(study, seed, rows=40):
    rng = np.random.default_rng(seed)
    cards = {"a": 2, "b": 3, "c": 4, "constant": 1}
    table = pd.DataFrame({name: rng.integers(card, size=rows) for name, card in cards.items()})
    return study.split_table(table, seed)


DAGS = [
    nx.DiGraph([("a", "b"), ("a", "c"), ("b", "c"), ("constant", "c")]),
    nx.DiGraph([("c", "a"), ("a", "constant"), ("c", "b")]),
]


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("dag", DAGS)
def test_log_likelihoods_are_those_of_the_slow_count(study, dag, seed):
    split = random_split(study, seed)
    found = []
    for smoothing in study.SMOOTHINGS:
        found.append(study.log_likelihoods(dag, split, smoothing))
        assert found[-1] == pytest.approx(slow_log_likelihoods(dag, split, smoothing))
    assert study.predict(dag, split).sum() == max(logs.sum() for logs in found)


@pytest.mark.parametrize("dag", DAGS)
def test_probabilities_of_all_rows_sum_to_one(study, dag):
    """Some states and configurations are not in the rows to learn from."""
    names = ["a", "b", "c", "constant"]
    rows = pd.DataFrame(list(product("01", "012", "0123", "0")), columns=names)
    table = pd.concat([rows.iloc[[0, 5, 5, 9]], rows])
    split = study.Split.of(table, np.arange(4), np.arange(4, len(table)))
    assert split.train["a"].nunique() < 2
    for smoothing in study.SMOOTHINGS:
        assert np.exp(study.log_likelihoods(dag, split, smoothing)).sum() == pytest.approx(1)


def test_many_parents_do_not_overflow(study):
    """64 parents of 3 states have more configurations than a 64-bit number can hold."""
    codes = np.random.default_rng(0).integers(3, size=(20, 65))
    logs = study.family_logs(codes[:10], codes[:10], [3] * 65, 0.25)
    assert logs == pytest.approx(np.full(10, log(1.25 / 1.75)))


def test_quantile_bins(study):
    assert study.quantile_bins(np.arange(9), 3).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert study.quantile_bins(np.array([0, 0, 0, 0, 5, 9]), 3).tolist() == [0, 0, 0, 0, 1, 1]
    assert study.quantile_bins(np.array([1, 9, 9, 9, 9, 9]), 3).tolist() == [0, 1, 1, 1, 1, 1]
    assert study.quantile_bins(np.full(5, 7), 3).max() <= 1


def test_tables_of_scikit_learn(study):
    found = study.sklearn_tables()
    shapes = {name: table.shape for name, table in found.items()}
    assert shapes == {
        "iris": (150, 5),
        "wine": (178, 14),
        "breast_cancer": (569, 31),
        "diabetes": (442, 11),
        "digits": (1797, 65),
    }
    for name, table in found.items():
        assert all(isinstance(value, str) for value in table.to_numpy().ravel())
        assert table.nunique().max() == (10 if name == "digits" else 3)


def test_splits_share_their_states_and_no_row(study):
    table = pd.DataFrame({"row": np.arange(50), "few": [0] * 49 + [1]})
    split = study.split_table(table, 3)
    assert (len(split.train), len(split.test)) == (35, 15)
    assert not set(split.train["row"]) & set(split.test["row"])
    for name in table:
        assert list(split.train[name].cat.categories) == list(split.test[name].cat.categories)


def test_unseen_rows_of_a_network_are_the_same_for_all_sizes(study):
    small, large = (study.split_network("insurance", rows, 1) for rows in (200, 1_000))
    assert (len(small.train), len(large.train), len(small.test)) == (200, 1_000, 5_000)
    assert (small.test.to_numpy() == large.test.to_numpy()).all()
    assert list(small.test.columns) == list(large.test.columns)


def test_comparison_with_a_method_of_ones_own(study):
    """A graph that predicts better gains, and the page shows every method."""
    rng = np.random.default_rng(0)
    x = rng.integers(2, size=300)
    table = pd.DataFrame({"x": x, "y": np.where(rng.random(300) < 0.9, x, 1 - x), "z": 0})
    methods = {
        study.OURS: lambda table, seed: nx.DiGraph([("x", "y"), ("y", "z")]),
        study.PEER: study.empty_graph,
    }
    splits = {seed: study.split_table(table, seed) for seed in (1, 2)}
    found = study.Comparison.of("pair", splits, methods)
    gain, error = found.difference(study.OURS)
    assert gain > 4 * error > 0
    assert found.cells()[:3] == ["pair", "210 + 90", "3"]
    text = study.page([found], "python experiments/held_out.py")
    assert f"{gain:+.3f} ± {error:.3f}" in text
    assert "(2.0)" in text


@pytest.mark.parametrize("name", ["LSBN()", "LSBN.paper()", "pyAgrum"])
def test_methods_take_constant_columns_and_unseen_states(study, name):
    if name == study.PEER:
        pytest.importorskip("pyagrum")
    split = random_split(study, 1)
    dag = study.METHODS[name](split.train, 0)
    assert set(dag) == set(split.train.columns)
    assert nx.is_directed_acyclic_graph(dag)
    assert np.isfinite(study.predict(dag, split)).all()


def test_missing_packages_are_left_out_with_a_reason(study, monkeypatch, capsys):
    monkeypatch.setattr(study, "find_spec", lambda name: None)
    assert study.statsmodels_tables() == {}
    methods = study.available_methods()
    assert study.PEER not in methods
    told = capsys.readouterr().err
    assert "statsmodels is not installed" in told
    assert "pyagrum is not installed" in told
    split = {0: random_split(study, 0)}
    found = study.Comparison.of("small", split, {"empty graph": methods["empty graph"]})
    assert "| small" in study.page([found], "python experiments/held_out.py")
