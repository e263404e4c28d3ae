import math

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import naive
from experiment_cases import load_experiment
from lsbn import LSBN, Dataset, EdgeProbabilities
from lsbn.kernels import mixture, scores
from lsbn.learners import Score
from lsbn.learners.scoring import columns_of

CARDS = {
    "no parents": (3,),
    "one parent": (2, 4),
    "trees": (3, 2, 3),
    "constant parent": (2, 1, 3),
    "no trees": (2, 40, 40),
    "negligible trees": (2, 2, 30),
}
"""States of a child and of its parents."""


@pytest.fixture(scope="module")
def study():
    return load_experiment("ways")


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
    ways = np.array(family.ways(study.Weights(), Score("mixed").lookup()))
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
    lookup = Score("mixed").lookup()
    own, shrunk = mixture._own_weights(family.counts, lookup), mixture._shrunk_rows(family.counts)
    assert ways[1:3] == pytest.approx((own.sum(), shrunk), abs=1e-6)
    both = mixture._tables(family.counts, lookup)
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


def test_variants_have_other_ways_or_other_weights(study):
    found = study.variants()
    assert len({variant.name for variant in found}) == len(found) == 20
    default = study.Variant("")
    assert all((v.ways, v.weights) != (default.ways, default.weights) for v in found)


def test_a_comparison_sums_the_families_of_the_graph(study):
    rng = np.random.default_rng(1)
    a, b = rng.integers(3, size=(2, 400))
    table = pd.DataFrame({"a": a, "b": b, "c": np.where(rng.random(400) < 0.8, a * b % 3, a)})
    model = LSBN(random_state=0).fit(table)
    found = study.Comparison.of("three", model)
    families = study.families_of(model.dataset_, model.dag_)
    bdeu = sum(family.ways(study.Weights(), Score().lookup())[study.BDEU] for family in families)
    gain = dict(zip([v.name for v in study.variants()], found.gains, strict=True))
    assert found.families == 3
    assert gain["only BDeu"] == pytest.approx(bdeu - found.total)
    both = study.Comparison.sum_of([found, found])
    assert both.gains == pytest.approx([2 * g for g in found.gains])
    with pytest.raises(AssertionError, match="the score is"):
        study.check(found.total + 1, model.dataset_, model.dag_)
    text = study.page([found], [], "python experiments/ways.py")
    assert f"| {found.total:,.1f} " in text


def test_directions_of_compelled_and_reversible_edges(study):
    """a -> c <- b is compelled, and so is c -> d; e -> f is reversible, g -> h is not found."""
    truth = nx.DiGraph(["ac", "bc", "cd", "ef", "gh"])
    matrix = np.zeros((8, 8))
    matrix[0, 2], matrix[1, 2], matrix[2, 1] = 0.95, 0.6, 0.4
    matrix[3, 2], matrix[4, 5], matrix[5, 4] = 1.0, 0.19, 0.76
    matrix[6, 7] = study.FOUND - 0.01
    found = study.Directions.of("eight", "mixed", EdgeProbabilities(matrix, "abcdefgh"), truth)
    assert found.compelled == pytest.approx((1, 0, 0.6))  # in the order of the true edges
    assert found.reversible == pytest.approx((0.2,))
    assert study.figures(found.reversible) == ["1", "0.200", "0.640", "0.160", "0 of 0"]
    assert study.figures(found.compelled)[-1] == "1 of 2"
    assert study.figures(())[0] == "0"
    other = study.Directions("eight", "bdeu", (), (0.5,))
    mixed, bdeu = study.pooled([found, other, found])
    assert mixed.compelled == found.compelled * 2
    assert (bdeu.compelled, bdeu.reversible) == ((), (0.5,))


def test_infinite_weight_is_for_no_parents_only(study):
    counts = np.array([[5, 7], [2, 1]])
    lookup = Score("mixed").lookup()
    assert study.rows_of(counts, math.inf, lookup) == pytest.approx(np.log(0.5) * np.array([12, 3]))
    without = study.Weights(table=study.Weights().table[:-1])
    two, one = study.Family(counts, np.array([2])), study.Family(counts[:1], np.array([], int))
    assert two.ways(study.Weights(), lookup)[0] == two.ways(without, lookup)[0]
    assert one.ways(study.Weights(), lookup)[0] > one.ways(without, lookup)[0]
