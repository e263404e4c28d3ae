"""Lists of parent sets, and the scored sets of one variable."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from lsbn.learners.averaging.parent_sets import FIRST_ADMITTED, ParentSets, ScoredSets
from lsbn.learners.averaging.settings import TableSettings


def small_lists():
    """Two sets of variable 0 over candidates 2 and 1, two of variable 1, one of variable 2."""
    return ParentSets.from_variables(
        [np.array([2, 1]), np.array([0]), np.array([], int)],
        [np.array([0, 3], np.uint64), np.array([0, 1], np.uint64), np.array([0], np.uint64)],
        [np.array([1.0, 0.0]), np.array([1.0, 0.0]), np.array([1.0])],
    )


def test_links_join_candidates_both_ways():
    sets = small_lists()
    start, node, here, there = sets.links
    assert start.tolist() == [0, 2, 3, 4]
    assert node.tolist() == [1, 2, 0, 0]
    assert here.tolist() == [1, 0, 0, -1]
    assert there.tolist() == [0, -1, 1, 0]
    parent, child = sets.edges()
    assert list(zip(parent.tolist(), child.tolist(), strict=True)) == [(2, 0), (1, 0), (0, 1)]


@pytest.mark.parametrize("min_sets", [1, 100])
def test_posterior_of_an_edge_given_orders(min_sets):
    rng = np.random.default_rng(2)
    candidates = [np.delete(np.arange(4), v) for v in range(4)]
    masks = [np.arange(8, dtype=np.uint64) for _ in range(4)]
    scores = [np.sort(rng.normal(0, 3, 8))[::-1] for _ in range(4)]
    tables = TableSettings(min_sets=min_sets)
    sets = ParentSets.from_variables(candidates, masks, scores, tables)
    families = [
        {
            frozenset(int(u) for c, u in enumerate(own) if mask >> c & 1): score
            for mask, score in enumerate(scores[v])
        }
        for v, own in enumerate(candidates)
    ]
    orders = rng.random((30, 4))
    for edge, (parent, child) in enumerate(zip(*sets.edges(), strict=True)):
        found = sets.edge_posteriors(edge, orders)
        wanted = [
            naive.edge_posteriors_given_order(families, np.argsort(keys).tolist())[parent][child]
            for keys in orders
        ]
        np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_the_lightest_sets_are_left_out_and_the_empty_ones_stay():
    sets = small_lists()
    share = np.array([0.98, 0.02, 0.6, 0.4, 1.0])
    heavy = sets.without_lightest(share, 0.03)
    assert np.diff(heavy.lists.set_start).tolist() == [1, 2, 1]
    assert heavy.lists.cand.tolist() == [0]
    empty = sets.only(np.zeros(5, bool))
    assert empty.lists.set_mask.tolist() == [0, 0, 0]
    assert empty.n_candidates == 0
    assert sets.sizes.tolist() == [0, 2, 0, 1, 0]


def test_scored_sets_of_a_variable_in_an_order():
    members = np.array([[-1, -1], [0, -1], [1, -1], [0, 1]], np.int32)
    sets = ScoredSets(2, members, np.array([0.0, 1.0, 5.0, 9.0]), np.zeros(4, np.int32))
    keys = np.array([0.1, 0.9, 0.5])
    assert sets.preceding(keys).tolist() == [True, True, False, False]
    assert sets.best(keys).tolist() == [0, -1]
    assert sets.expected_size(keys) == pytest.approx(np.e / (1 + np.e))
    assert sets.admission(np.empty((0, 3)), 0.5).tolist() == [0] * 4
    assert sets.admission(keys[None], 0.5).tolist() == [0, FIRST_ADMITTED, 0, 0]
    assert sets.masks().tolist() == [0, 1, 2, 3]
    more = sets.extended(members[:2], np.array([-np.inf, 3.0]), 7)
    assert more.stamps.tolist() == [0, 0, 0, 0, 7]
    assert more.scores[-1] == 3.0


sets_of_parents = st.lists(st.lists(st.integers(0, 4), unique=True, max_size=3), min_size=1)


@given(sets_of_parents, sets_of_parents)
def test_a_union_has_the_sets_of_both_once(some, others):
    rows = [[sorted(own) + [-1] * (3 - len(own)) for own in family] for family in (some, others)]
    score = {tuple(row): float(k) for k, row in enumerate(rows[0] + rows[1])}
    first, second = (
        ScoredSets(
            5,
            np.array(own, np.int32),
            np.array([score[tuple(row)] for row in own]),
            np.zeros(len(own), np.int32),
        )
        for own in rows
    )
    united = first.united(second)
    assert list(map(tuple, united.members.tolist())) == sorted(score)
    assert united.scores.tolist() == [score[own] for own in sorted(score)]
