import math

import numpy as np
import pytest

import naive
from experiment_cases import load_experiment
from lsbn import Dataset
from lsbn.kernels import mixture, scores
from lsbn.kernels.dirichlet import row_evidence
from lsbn.learners import Score
from lsbn.learners.scoring import columns_of


@pytest.fixture(scope="module")
def study():
    return load_experiment("parts.family_ways")


CARDS = {
    "no parents": (3,),
    "one parent": (2, 4),
    "trees": (3, 2, 3),
    "constant parent": (2, 1, 3),
    "no trees": (2, 40, 40),
    "negligible trees": (2, 2, 30),
}
"""States of a child and of its parents."""


@pytest.fixture(params=CARDS.values(), ids=CARDS)
def case(request, study):
    """Give a random family, and its ways with the default weights."""
    rng = np.random.default_rng(0)
    rows = 6_000 if 30 in request.param else 300
    codes = np.array([rng.integers(card, size=rows) for card in request.param], np.uint8)
    names = tuple(f"X{v}" for v in range(len(codes)))
    states = tuple(tuple(map(str, range(card))) for card in request.param)
    dataset = Dataset(codes, np.array(request.param), names, states)
    family = study.Family.of(dataset, 0, np.arange(1, len(codes)))
    ways = np.array(family.ways(study.DEFAULT))
    return dataset, family, ways


def kernel_score(dataset, kind):
    parents = np.arange(1, dataset.n_variables)
    return scores.family_score(columns_of(dataset), Score(kind).lookup(), 0, parents)


def test_the_ways_average_to_the_mixed_score(study, case):
    dataset, _, ways = case
    (got,) = study.log_average(ways[None], study.MIXED)
    assert got == pytest.approx(kernel_score(dataset, "mixed"), abs=1e-6)
    assert ways[study.BDEU] == pytest.approx(kernel_score(dataset, "bdeu"), abs=1e-6)


def test_trees_are_there_where_they_can_be(study, case):
    dataset, _, ways = case
    with_trees = ways[[study.WAYS.index("trees"), study.WAYS.index("own trees")]]
    several = dataset.n_variables == 3 and dataset.cards.max() < 40
    assert np.isnan(with_trees).all() == (not several)
    if several:
        assert np.isinf(with_trees[1]) == (dataset.cards.max() == 30)


def test_tables_are_those_of_the_kernel(study, case):
    _, family, ways = case
    rows = row_evidence(family.counts, Score("mixed").lookup().rows)
    own, shrunk = mixture.own_weights(rows), mixture._shrunk_rows(family.counts)
    assert ways[1:3] == pytest.approx((own.sum(), shrunk), abs=1e-6)
    if len(rows) > 1:
        both = mixture._tables(rows, own, np.arange(len(rows)))
        assert np.logaddexp(*ways[:2]) == pytest.approx(both, abs=1e-6)
    slow = naive.shrunk_rows(2.0, family.counts[family.counts.sum(axis=1) > 0].tolist())
    assert study.shrunk_rows(family.counts, 2.0) == pytest.approx(slow, abs=1e-6)


def test_ways_that_are_not_there_are_left_out(study):
    """One family has trees, one has none, and the trees of one are negligible."""
    evidence = np.log([[1, 2, 3, 4, 6, 8], [1, 2, 3, 1, 1, 8], [1, 2, 3, 1, 1, 8]])
    evidence[1, 3:5] = np.nan
    evidence[2, 3:5] = -np.inf
    assert np.exp(study.log_average(evidence, study.MIXED)) == pytest.approx([3.2, 2, 1.2])
    assert np.exp(study.log_average(evidence, (0, 1, 2, 3))) == pytest.approx([2.5, 2, 1.5])
    assert np.exp(study.log_average(evidence, (3,))) == pytest.approx([4, 2, 2])
    assert np.exp(study.log_average(evidence, (study.BDEU,))) == pytest.approx([8, 8, 8])


def test_infinite_weight_is_for_no_parents_only(study):
    counts = np.array([[5, 7], [2, 1]])
    assert study.rows_of(counts, math.inf) == pytest.approx(np.log(0.5) * np.array([12, 3]))
    without = study.Weights(table=study.DEFAULT.table[:-1])
    two, one = study.Family(counts, np.array([2])), study.Family(counts[:1], np.array([], int))
    assert two.ways(study.DEFAULT)[0] == two.ways(without)[0]
    assert one.ways(study.DEFAULT)[0] > one.ways(without)[0]
