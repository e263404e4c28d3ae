"""The prior of edges: density, and classes of pairs by blocks of variables."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import naive
from lsbn.data import Dataset
from lsbn.knowledge import Knowledge, resolve
from lsbn.learners import Score
from lsbn.learners.averaging import SearchSettings
from lsbn.learners.averaging.edge_prior import (
    Blocks,
    EdgeCounts,
    EdgePrior,
    expected_edges,
    mean_prior,
)
from lsbn.learners.averaging.search import ParentSetSearch
from lsbn.network import load_network

NESTED = np.array([[0, 0], [0, 0], [1, 0], [1, 0], [2, 1], [2, 1], [-1, 1], [-1, -1]])
"""Two levels; variable 6 has no small block, variable 7 no block at all."""


def class_by_definition(labels, u, v):
    """Find the class of a pair: the first common level, the last class, or none (the number)."""
    n_classes = labels.shape[1] + 1
    if min(labels[u, -1], labels[v, -1]) < 0:
        return n_classes
    for level in range(labels.shape[1]):
        if labels[u, level] == labels[v, level] >= 0:
            return level
    return n_classes - 1


def test_classes_and_their_shares_of_pairs():
    blocks = Blocks.of(NESTED)
    n, found = len(NESTED), np.zeros(4)
    for v in range(n):
        others = np.delete(np.arange(n), v)
        classes = blocks.classes(v, others)
        assert classes.tolist() == [class_by_definition(NESTED, u, v) for u in others]
        found += np.bincount(classes, minlength=4)
    np.testing.assert_allclose(blocks.ratios, found[:3] / found[:3].sum())


@pytest.mark.parametrize("labels", [np.empty((4, 0), int), np.full((4, 2), -1), np.zeros((4, 1))])
def test_blocks_that_say_nothing_are_none(labels):
    assert Blocks.of(labels.astype(int)) is None


counts = st.lists(st.floats(0, 1e5), min_size=3, max_size=3)


@given(counts)
def test_classes_move_the_odds_but_not_the_mean(edges):
    """The mean of the factors of all pairs that have a class is 1."""
    blocks = Blocks.of(NESTED)
    prior = mean_prior(EdgeCounts(sum(edges), tuple(edges)), 0, 28, blocks)
    assert sum(prior.shares) == pytest.approx(1)
    factors = np.exp([blocks.log_odds(0, np.array([u]), prior.shares)[0] for u in (1, 2, 4)])
    assert blocks.ratios @ factors == pytest.approx(1)
    assert blocks.log_odds(0, np.array([7]), prior.shares) == 0


def test_without_edges_blocks_have_no_effect():
    blocks = Blocks.of(NESTED)
    prior = mean_prior(EdgeCounts(0.0, (0.0, 0.0, 0.0)), 0, 28, blocks)
    np.testing.assert_allclose(blocks.log_odds(0, np.arange(1, 8), prior.shares), 0, atol=1e-12)
    assert prior.density == pytest.approx(0.1 / 56.1)


@pytest.fixture(scope="module")
def alarm():
    return Dataset.from_table(load_network("alarm").sample(500, random_state=0).iloc[:, :8])


@pytest.mark.parametrize("seed", range(8))
def test_variables_join_blocks_of_their_markov_blankets(seed):
    rng = np.random.default_rng(seed)
    large = np.repeat([0, 1, 2, -1], [12, 9, 9, 20])
    small = np.where(rng.random(50) < 0.7, np.minimum(large * 2 + (np.arange(50) % 2), 5), -1)
    labels = np.stack([np.where(large < 0, -1, small), large], axis=1)
    near = sparse.random_array((50, 50), density=0.06, rng=rng, format="csr") > 0
    near = sparse.csr_array(near + near.T)
    near.setdiag(0)
    near.eliminate_zeros()
    around = [near[[v]].tocoo().col.tolist() for v in range(50)]
    joined = Blocks.of(labels).joined_by(near)
    expected = naive.joined_blocks(labels.tolist(), around)
    assert joined.labels.tolist() == expected
    assert (joined.labels[labels >= 0] == labels[labels >= 0]).all()
    assert (joined.labels[:, -1] < 0).sum() < 20
    np.testing.assert_allclose(joined.ratios, Blocks.of(np.array(expected)).ratios)


@pytest.fixture
def few_together(monkeypatch):
    """Join the parent sets of three variables at a time, so that eight need several steps."""
    for module in ("edge_prior", "rules"):
        monkeypatch.setattr(f"lsbn.learners.averaging.{module}.TOGETHER", 3)


@pytest.mark.usefixtures("few_together")
@pytest.mark.parametrize("kind", ["bdeu", "mixed"])
def test_a_new_prior_changes_scores_as_if_they_were_scored_again(alarm, kind):
    """Also where an edge has a prior of its own, which blocks do not change."""
    likely = {(alarm.names[1], alarm.names[0]): 0.3}
    known = resolve(Knowledge(edge_probabilities=likely), alarm.names)
    blocks = Blocks.of(NESTED)
    search = ParentSetSearch(alarm, Score(kind), SearchSettings(), knowledge=known, blocks=blocks)
    search.explore([np.arange(8)] * 8, 0)
    search.take_prior(EdgePrior(0.1, (0.7, 0.2, 0.1)))
    check_scores(search)
    search.take_prior(search.prior, Blocks.of(NESTED[::-1]))
    check_scores(search)


def check_scores(search):
    for v, sets in enumerate(search._sets):
        with search.score.lent_lookup() as lookup:
            again = search._scores(v, sets.members, lookup)
        np.testing.assert_allclose(sets.scores, again, rtol=1e-9)


@pytest.mark.usefixtures("few_together")
def test_expected_edges_have_the_classes_of_their_pairs(alarm):
    blocks = Blocks.of(NESTED)
    search = ParentSetSearch(alarm, Score("bdeu"), SearchSettings())
    search.explore([np.arange(8)] * 8, 0)
    keys = np.random.default_rng(1).random(8)
    by_class = expected_edges(search._sets, keys, blocks)
    assert by_class.total == pytest.approx(expected_edges(search._sets, keys, None).total)
    wanted = np.zeros(4)
    for v, sets in enumerate(search._sets):
        for u, share in zip(*sets.expected_parents(keys), strict=True):
            wanted[class_by_definition(NESTED, u, v)] += share
    np.testing.assert_allclose(by_class.classes, wanted[:3])
    assert (wanted > 0).sum() >= 3
