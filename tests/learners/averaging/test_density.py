"""The density that stands for all densities: as many edges as on average over all of them."""

from functools import cache

import numpy as np
import pytest

import naive
from lsbn.data import Dataset
from lsbn.knowledge import Knowledge, resolve
from lsbn.learners import Score, learn_model_averaging
from lsbn.learners.averaging import SearchSettings
from lsbn.learners.averaging.density import edges_in_order, typical_density
from lsbn.learners.averaging.edge_prior import PRIOR_EDGES, EdgePrior
from lsbn.learners.averaging.rules import ParentRules
from lsbn.learners.averaging.search import ParentSetSearch
from lsbn.network import load_network

KNOWN = Knowledge(required=[("x0", "x1")], forbidden=[("x2", "x3"), ("x3", "x2")])


@cache
def counted_dags(n):
    return [(dag, naive.linear_extensions(dag)) for dag in naive.dags(n)]


def agreeing(rows, share, seed):
    """Four columns, of which two agree a little more often than by chance."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(2, size=(rows, 4))
    codes[:, 3] = np.where(rng.random(rows) < share, codes[:, 2], codes[:, 3])
    return Dataset.from_table(codes.astype(str))


def selected(rows, share, seed):
    """Four columns, of which one has an effect only beside two others: several edges, or none."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(2, size=(rows, 4))
    effect = codes[:, :3].sum(axis=1) % 2
    codes[:, 3] = np.where(rng.random(rows) < share, effect, codes[:, 3])
    return Dataset.from_table(codes.astype(str))


CASES = {
    "agreeing": agreeing(150, 0.35, 1),
    "agreeing less": agreeing(150, 0.2, 2),
    "from below": selected(90, 0.7, 0),
    "from above": selected(120, 0.6, 0),
    "most likely": selected(150, 0.65, 0),
}


def listed(dataset):
    columns, cards = dataset.codes.tolist(), dataset.cards.tolist()
    return naive.families("bdeu", 1.0, columns, cards, None, "none", None)


@pytest.mark.parametrize("method", ["exact", "sampled"])
@pytest.mark.parametrize("case", CASES)
def test_as_many_edges_as_over_all_densities(case, method):
    """The passes alone end at 0.00 and 2.9 edges where 0.08 and 0.17 are expected."""
    wanted = naive.edges_over_densities(listed(CASES[case]), counted_dags(4), PRIOR_EDGES)
    options = {"score": Score("bdeu"), "method": method, "random_state": 0}
    found = learn_model_averaging(CASES[case], **options)
    assert found.edges.matrix.sum() == pytest.approx(wanted, abs=0.05)


@pytest.mark.parametrize("case", CASES)
def test_required_edges_say_nothing_of_the_density(case):
    families = listed(CASES[case])
    families[1] = {members: own for members, own in families[1].items() if 0 in members}
    families[3] = {members: own for members, own in families[3].items() if 2 not in members}
    families[2] = {members: own for members, own in families[2].items() if 3 not in members}
    wanted = naive.edges_over_densities(families, counted_dags(4), PRIOR_EDGES, 4, 1)
    known = resolve(KNOWN, CASES[case].names)
    assert known.free_pairs == 4
    found = learn_model_averaging(CASES[case], score=Score("bdeu"), knowledge=known)
    assert found.edges.matrix.sum() == pytest.approx(wanted, abs=0.05)


def test_single_edges_with_priors_of_their_own_keep_the_density_found():
    names = ("x0", "x1", "x2", "x3")
    likely = resolve(Knowledge(edge_probabilities={("x0", "x1"): 0.5}), names)
    rules = ParentRules(likely, 4, 3)
    assert typical_density(lambda density: 12 * density, rules, 0.3) is None


def test_many_edges_keep_the_density_found():
    table = load_network("alarm").sample(2_000, random_state=0)
    found = learn_model_averaging(Dataset.from_table(table), random_state=0)
    edges, n = found.edges.matrix.sum(), 37
    assert found.diagnostics.density == pytest.approx((edges + 0.1) / (n * (n - 1) + 0.1), rel=0.02)


def test_edges_in_an_order_by_the_slow_version():
    dataset = Dataset.from_table(load_network("insurance").sample(300, random_state=0).iloc[:, :9])
    search = ParentSetSearch(dataset, Score("bdeu"), SearchSettings())
    search.enumerate_all(4)
    search.take_prior(EdgePrior(0.1))
    sets, keys = search.listed(), np.random.default_rng(0).random(9)
    expected = edges_in_order(sets, keys, 0.1)
    for density in (0.1, 0.003):
        search.take_prior(EdgePrior(density))
        assert expected(density) == pytest.approx(search.expected_edges(keys).total, rel=1e-9)
