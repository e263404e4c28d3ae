import networkx as nx
import numpy as np
import pytest

from lsbn.pairs.pagerank import pagerank
from pair_cases import dense_pagerank


@pytest.mark.parametrize("seed", range(3))
def test_pagerank_agrees_with_networkx_and_a_dense_solve(seed):
    rng = np.random.default_rng(seed)
    n = 12
    mi = np.triu(rng.exponential(size=(n, n)), 1)
    mi[:, 3] = mi[3] = 0.0
    mi += mi.T
    edges = np.argwhere(np.triu(mi, 1) > 0)
    found = pagerank(n, edges, mi[tuple(edges.T)], mi.sum(axis=0))
    graph = nx.from_numpy_array(mi)
    expected = nx.pagerank(graph, weight="weight", tol=1e-14, max_iter=1000)
    assert found == pytest.approx([expected[v] for v in range(n)], abs=1e-9)
    assert found == pytest.approx(dense_pagerank(mi), abs=1e-9)
