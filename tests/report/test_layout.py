import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsbn.report import layout
from lsbn.report.layout import place


@st.composite
def graphs(draw):
    n = draw(st.integers(1, 25))
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda e: e[0] != e[1])
    pairs = sorted(draw(st.sets(ends, max_size=40))) if n > 1 else []
    lean = draw(st.lists(st.floats(-1, 1), min_size=len(pairs), max_size=len(pairs)))
    return n, np.array(pairs, dtype=np.int64).reshape(-1, 2), np.array(lean, dtype=np.float64)


@given(graphs())
@settings(deadline=None, max_examples=60)
def test_every_node_has_a_place_of_its_own(graph):
    n, pairs, lean = graph
    xy = place(n, pairs, lean)
    assert xy.shape == (n, 2)
    assert np.isfinite(xy).all()
    gaps = np.linalg.norm(xy[:, None] - xy[None], axis=2) + 9 * np.eye(n)
    assert gaps.min() > layout.NEAREST / 3
    assert np.array_equal(xy, place(n, pairs, lean))


def test_components_do_not_overlap():
    pairs = np.array([[0, 1], [1, 2], [3, 4], [4, 5], [5, 3]])
    xy = place(8, pairs, np.ones(5))
    boxes = [(xy[c].min(0), xy[c].max(0)) for c in ([0, 1, 2], [3, 4, 5], [6], [7])]
    for k, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[:k]:
            assert (low > other_high).any() or (other_low > high).any()


@pytest.mark.parametrize("lean", [1.0, -1.0])
def test_children_lie_below_their_parents(lean):
    tree = np.array([[v // 2, v] for v in range(1, 31) if v // 2 != v])
    xy = place(31, tree, np.full(len(tree), lean))
    down = lean * (xy[tree[:, 1], 1] - xy[tree[:, 0], 1])
    assert np.mean(down > 0) > 0.75


def test_neighbours_are_near_in_a_path():
    pairs = np.array([[v, v + 1] for v in range(20)])
    xy = place(21, pairs, np.zeros(20))
    steps = np.linalg.norm(np.diff(xy, axis=0), axis=1)
    assert np.allclose(steps, 1, atol=0.3)
    assert np.linalg.norm(xy[0] - xy[-1]) > 12


def test_no_nodes_no_places():
    assert place(0, np.zeros((0, 2)), np.zeros(0)).shape == (0, 2)
