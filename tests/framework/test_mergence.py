import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from learner_cases import chain_table
from lsbn.framework.local import LocalSettings
from lsbn.framework.mergence import merge_levels, merge_order, mergence
from lsbn.framework.votes import Structure

communities = st.lists(
    st.sets(st.integers(0, 11), min_size=1, max_size=6).map(lambda c: tuple(sorted(c))),
    min_size=1,
    max_size=9,
    unique=True,
).map(lambda found: [np.array(c) for c in found])


@given(communities)
@settings(deadline=None, max_examples=200)
def test_order_of_merges_is_that_of_the_naive_code(found):
    expected = naive.merge_order(found)
    assert merge_order(found) == pytest.approx(np.array(expected).reshape(-1, 4))


@given(communities)
@settings(deadline=None)
def test_the_tree_ends_with_all_variables(found):
    tree = merge_order(found)
    assert len(tree) == len(found) - 1
    if len(tree):
        assert tree[-1, 3] == len(set(np.concatenate(found).tolist()))
        assert len(set(tree[:, :2].ravel().tolist())) == 2 * len(tree)


def pair(i, j, p, weight=1.0):
    structure = Structure()
    structure.vote(np.array([i, j]), np.array([[0.0, p], [0.0, 0.0]]), np.full((2, 2), weight))
    return structure


def test_votes_on_common_pairs_add_up():
    dataset = chain_table()
    found = [np.array([0, 1]), np.array([0, 1, 2])]
    structure, tree = mergence(
        dataset, found, [pair(0, 1, 0.9), pair(0, 1, 0.5, weight=3.0)], LocalSettings()
    )
    assert structure.probabilities(3)[0, 1] == pytest.approx(0.6)
    assert tree[:, :2].tolist() == [[0, 1]]


def test_a_triangle_that_a_merge_closes_is_learned_again():
    dataset = chain_table()  # a -> b -> c; the edge a - c is indirect
    found = [np.array([0, 1]), np.array([1, 2]), np.array([0, 2])]
    parts = [pair(0, 1, 1.0), pair(1, 2, 1.0), pair(0, 2, 1.0)]
    structure, _ = mergence(dataset, found, parts, LocalSettings())
    matrix = structure.probabilities(3)
    both = matrix + matrix.T
    assert both[0, 1] > 0.9
    assert both[1, 2] > 0.9
    assert both[0, 2] < 0.1
    parts = [pair(0, 1, 1.0), pair(1, 2, 1.0), pair(0, 2, 1.0)]
    structure, _ = mergence(dataset, found, parts, LocalSettings(resolve=False))
    assert structure.probabilities(3)[0, 2] == 1.0


@pytest.mark.parametrize("most", [2, 3, 64])
def test_every_merge_is_in_one_level_after_those_it_needs(monkeypatch, most):
    monkeypatch.setattr("lsbn.framework.mergence._SUBTREE", most)
    rng = np.random.default_rng(0)
    found = [np.unique(rng.integers(0, 60, 4)) for _ in range(40)]
    rows = merge_order(found)[:, :2].astype(int)
    made, levels = set(range(40)), list(merge_levels(rows, 40))
    for level in levels:
        begun = set(made)
        for subtree in level:
            own = set(begun)
            for merge in subtree:
                assert {merge.first, merge.second} <= own
                own.add(merge.union)
            assert len(subtree) < most
            assert made.isdisjoint(merge.union for merge in subtree)
            made |= own
    assert made == set(range(79))
    assert all(tuple(rows[m.union - 40]) == m[:2] for m in levels[0][0])
