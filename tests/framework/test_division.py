"""Parts along the merge tree are disjoint, cover all variables and keep branches together."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lsbn.framework.division import blocks_of, divide
from lsbn.framework.mergence import merge_order

communities_of_twenty = st.lists(
    st.sets(st.integers(0, 19), min_size=1, max_size=8).map(lambda c: np.array(sorted(c))),
    max_size=8,
)


@given(communities_of_twenty, st.integers(1, 25))
def test_parts_are_disjoint_bounded_and_cover_all_variables(communities, most):
    parts = divide(communities, merge_order(communities), 20, most)
    assert sorted(np.concatenate(parts).tolist()) == list(range(20))
    assert all(1 <= len(part) <= most and np.all(np.diff(part) > 0) for part in parts)


def test_overlapping_communities_stay_together():
    communities = [np.array(c) for c in ([0, 1, 2], [6, 7, 8], [2, 3, 4], [8, 9, 5])]
    parts = divide(communities, merge_order(communities), 10, 5)
    assert sorted(part.tolist() for part in parts) == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]


def test_one_part_holds_a_small_network():
    assert [p.tolist() for p in divide([], np.empty((0, 4)), 3, 10)] == [[0, 1, 2]]


def test_blocks_are_large_branches_whose_communities_overlap():
    chain = [np.arange(a, a + 12) for a in range(0, 60, 10)]  # 0 to 61, each overlaps the next
    apart, small = np.arange(70, 90), np.arange(95, 99)
    communities = [*chain, apart, small]
    labels = blocks_of(communities, merge_order(communities), 100, (30, 512))
    one, large = labels.T
    assert len(set(large[:62])) == 1
    assert large[0] >= 0
    assert len(set(large[70:90])) == 1
    assert large[70] not in {-1, large[0]}
    assert (labels[95:] == -1).all()
    assert (labels[62:70] == -1).all()
    sizes = np.bincount(one[one >= 0])
    assert sizes.max() <= 30
    assert sizes[sizes > 0].min() >= 16


def test_independent_variables_are_in_no_block():
    labels = blocks_of([np.array([0, 1]), np.array([2])], np.array([[0, 1, 1.0, 3]]), 9, (64, 512))
    assert (labels == -1).all()
