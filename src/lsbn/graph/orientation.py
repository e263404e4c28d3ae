"""Give every edge of a skeleton a direction, so that the most probable ones stand and no cycle is.

Kept apart from `lsbn.graph`, which says what the probabilities mean.
"""

import heapq
from collections.abc import Sequence

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

__all__ = ["acyclic_orientation", "cardinality_order"]


def acyclic_orientation(
    n: int, parents: np.ndarray, children: np.ndarray, order: np.ndarray
) -> np.ndarray:
    """Turn as few important edges as possible so that a directed graph becomes acyclic.

    The edges enter an empty graph one by one. One that would close a cycle enters turned round.

    Parameters
    ----------
    n : int
        Number of nodes.
    parents, children : numpy.ndarray of int, shape (m,)
        The edges, each pair of nodes at most once, in the direction that is preferred.
    order : numpy.ndarray of int, shape (m,)
        The edges in the order in which they enter, the most important first.

    Returns
    -------
    numpy.ndarray of bool, shape (m,)
        The edges that had to be turned.

    Notes
    -----
    *A turned edge never closes a cycle.* Let u -> v close one in the acyclic graph G: then G has a
    path from v to u. If v -> u closed one too, G would have a path from u to v; joined, the two
    paths are a closed walk, hence a cycle in G, against the assumption. So no edge is ever lost.

    *Only edges inside a strongly connected component can be turned.* A cycle lies within one
    component of the graph of all preferred edges, and a turned edge joins two nodes of the same
    component, so the components keep the order they have. Edges between them are therefore left
    alone, and most graphs need no more than finding the components.

    Inside a component `lsbn.kernels.acyclic.insert_edges` keeps a topological order up to date.
    The result depends on the order of the edges only.

    Examples
    --------
    >>> acyclic_orientation(3, np.array([0, 1, 2]), np.array([1, 2, 0]), np.array([2, 0, 1]))
    array([False,  True, False])
    """
    turned = np.zeros(len(parents), dtype=bool)
    shape = (n, n)
    graph = sparse.csr_array((np.ones(len(parents)), (parents, children)), shape=shape)
    _, component = csgraph.connected_components(graph, connection="strong")
    inside = order[component[parents[order]] == component[children[order]]]
    if len(inside):
        from lsbn.kernels.acyclic import insert_edges

        u, v = (x[inside].astype(np.int64) for x in (parents, children))
        turned[inside] = insert_edges(n, u, v)
    return turned


def cardinality_order(n: int, pairs: np.ndarray, priority: Sequence[int]) -> np.ndarray:
    """Place nodes of an undirected graph by maximum cardinality search.

    The next node is always one with most neighbours already placed. On a chordal graph, edges
    directed from earlier to later nodes form no v-structure (Tarjan & Yannakakis 1984): all placed
    neighbours of a node are joined with each other. The undirected part of a CPDAG is chordal, so
    its edges directed this way give a DAG of the same equivalence class.

    Parameters
    ----------
    n : int
        Number of nodes.
    pairs : numpy.ndarray of int, shape (m, 2)
        The undirected edges.
    priority : sequence of int
        Breaks ties: the smaller first.

    Returns
    -------
    numpy.ndarray of int, shape (n,)
        The place of every node.

    Examples
    --------
    >>> cardinality_order(4, np.array([[0, 3], [3, 1]]), [0, 1, 2, 3]).tolist()
    [0, 2, 3, 1]
    """
    neighbours: list[list[int]] = [[] for _ in range(n)]
    for u, v in pairs.tolist():
        neighbours[u].append(v)
        neighbours[v].append(u)
    place = [-1] * n
    placed = [0] * n
    heap = [(0, priority[v], v) for v in range(n)]
    heapq.heapify(heap)
    step = 0
    while heap:
        _, _, v = heapq.heappop(heap)
        if place[v] >= 0:
            continue
        place[v], step = step, step + 1
        for u in neighbours[v]:
            if place[u] < 0:
                placed[u] += 1
                heapq.heappush(heap, (-placed[u], priority[u], u))
    return np.array(place, dtype=np.int64)
