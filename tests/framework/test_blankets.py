import numpy as np
import pandas as pd
import pytest

import naive
from learner_cases import collider_table
from lsbn.data import Dataset
from lsbn.framework.blankets import blanket_candidates, iamb, markov_blankets
from lsbn.network import load_network
from lsbn.pairs import WEIGHTS, PairStatistics


@pytest.fixture(scope="module")
def insurance():
    table = load_network("insurance").sample(600, random_state=1)
    return Dataset.from_table(table[table.columns[:9]])


def weight_matrix(dataset, name="MI"):
    n = dataset.n_variables
    half = np.zeros((n, n))
    for low, strips in PairStatistics(dataset).strips([name]):
        rows = strips[name].shape[0]
        half[low : low + rows] = np.triu(strips[name], low + 1)
    return half + half.T


@pytest.mark.parametrize("weight", ["MI", "MI_sn", "Pearson"])
def test_candidates_weigh_at_least_the_average(insurance, weight):
    weights = weight_matrix(insurance, weight.removesuffix("_sn"))
    means = weights.sum(axis=1) / (len(weights) - 1)
    found = blanket_candidates(insurance, weights=[weight], most=None)
    for v, candidates in enumerate(found):
        assert set(candidates) == set(np.flatnonzero(weights[v] >= means[v])) - {v}


def test_candidates_under_any_weight_count(insurance):
    alone = [blanket_candidates(insurance, weights=[name]) for name in WEIGHTS]
    for v, together in enumerate(blanket_candidates(insurance)):
        assert set(together) == set().union(*(found[v] for found in alone))


@pytest.mark.parametrize("most", [0, 1, 2, 3, 5])
def test_the_heaviest_candidates_are_kept(insurance, most):
    weights = weight_matrix(insurance)
    found = PairStatistics(insurance).heaviest(["MI"], most=most)
    for v, some in enumerate(found):
        order = np.lexsort((np.arange(len(weights)), -weights[v]))
        assert some.tolist() == sorted(order[order != v][:most])


@pytest.mark.parametrize("most", [2, 12])
@pytest.mark.parametrize("alpha", [0.05, 0.001])
def test_iamb_does_as_the_naive_one(insurance, alpha, most):
    columns = insurance.codes.tolist()
    everyone = np.arange(insurance.n_variables)
    for target in range(insurance.n_variables):
        pool = everyone[everyone != target]
        expected = naive.markov_blanket(columns, target, pool.tolist(), alpha, most)
        assert iamb(insurance, target, pool, alpha=alpha, most=most).tolist() == expected


def test_blankets_of_a_collider_hold_spouses():
    dataset = collider_table()
    found = markov_blankets(dataset, PairStatistics(dataset).heaviest(["MI"], most=60))
    a, b, c, d = (dataset.names.index(x) for x in "abcd")
    assert [set(x.tolist()) for x in (found[a], found[b], found[c], found[d])] == [
        {b, c},
        {a, c},
        {a, b, d},
        {c},
    ]


def test_blankets_do_not_depend_on_jobs(insurance):
    candidates = blanket_candidates(insurance)
    one = markov_blankets(insurance, candidates, n_jobs=1)
    two = markov_blankets(insurance, candidates, n_jobs=2)
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def test_constant_columns_have_no_blanket():
    dataset = Dataset.from_table(pd.DataFrame({"a": [0, 1] * 50, "b": [0, 1] * 50, "k": [1] * 100}))
    found = markov_blankets(dataset, blanket_candidates(dataset))
    assert [x.tolist() for x in found] == [[1], [0], []]
