"""Topological orders, compared with networkx."""

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lsbn.kernels.acyclic import parents_first

edge_lists = st.integers(1, 7).flatmap(
    lambda n: st.tuples(
        st.just(n),
        st.sets(
            st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda e: e[0] != e[1])
        ),
        st.permutations(range(n)),
    )
)


def ordered(n, edges, order):
    parents = [sorted(u for u, v in edges if v == child) for child in range(n)]
    start = np.cumsum([0, *map(len, parents)])
    return parents_first(
        start, np.array([u for own in parents for u in own], np.int64), np.array(order)
    ).tolist()


@given(edge_lists)
def test_parents_come_first_or_there_is_a_cycle(case):
    n, edges, order = case
    graph = nx.DiGraph(edges)
    graph.add_nodes_from(range(n))
    found = ordered(n, edges, order)
    if not nx.is_directed_acyclic_graph(graph):
        assert found == []
        return
    assert sorted(found) == list(range(n))
    assert all(found.index(u) < found.index(v) for u, v in edges)


def test_an_order_that_fits_is_kept():
    assert ordered(4, {(3, 1), (1, 0)}, [3, 2, 1, 0]) == [3, 2, 1, 0]
