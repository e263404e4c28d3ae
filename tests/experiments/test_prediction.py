from itertools import product
from math import log

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from experiment_cases import load_experiment, random_split


@pytest.fixture(scope="module")
def study():
    return load_experiment("parts.prediction")


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


DAGS = [
    nx.DiGraph([("a", "b"), ("a", "c"), ("b", "c"), ("constant", "c")]),
    nx.DiGraph([("c", "a"), ("a", "constant"), ("c", "b")]),
]


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("dag", DAGS)
def test_log_likelihoods_are_those_of_the_slow_count(study, dag, seed):
    split = random_split(seed)
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
