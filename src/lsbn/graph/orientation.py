"""Orient a skeleton without cycles, keeping the most probable directions.

The functions work on integer arrays. `lsbn.graph.EdgeProbabilities.dag` calls them.
"""

import heapq
from collections.abc import Sequence

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

__all__ = ["acyclic_orientation", "cardinality_order", "informed_orientation"]


def acyclic_orientation(
    n: int, parents: np.ndarray, children: np.ndarray, order: np.ndarray
) -> np.ndarray:
    """Choose edges to reverse, so that a directed graph becomes acyclic.

    The edges enter an empty graph one by one. An edge that would close a cycle is reversed.

    Parameters
    ----------
    n : int
        Number of nodes.
    parents, children : numpy.ndarray of int, shape (m,)
        The edges in their preferred direction; each pair of nodes at most once.
    order : numpy.ndarray of int, shape (m,)
        The order in which the edges enter, the most important edge first.

    Returns
    -------
    numpy.ndarray of bool, shape (m,)
        Marks the edges to reverse.

    Notes
    -----
    *A reversed edge never closes a cycle.* Suppose u -> v closes a cycle in the acyclic graph G.
    Then G has a path from v to u. If v -> u closed a cycle too, G would have a path from u to v.
    The two paths together would be a closed walk, hence G would have a cycle: a contradiction. So
    no edge is lost.

    *Only edges inside a strongly connected component are reversed.* A cycle lies within one
    strongly connected component of the graph of all preferred edges. A reversed edge joins two
    nodes of the same component, so the order of the components does not change. Edges between
    components keep their direction. Most graphs have no component of several nodes.

    Inside a component, `lsbn.kernels.acyclic.insert_edges` maintains a topological order. The
    result depends on the order of the edges only.

    Examples
    --------
    >>> acyclic_orientation(3, np.array([0, 1, 2]), np.array([1, 2, 0]), np.array([2, 0, 1]))
    array([False,  True, False])
    """
    reversed_edges = np.zeros(len(parents), dtype=bool)
    shape = (n, n)
    graph = sparse.csr_array((np.ones(len(parents)), (parents, children)), shape=shape)
    _, component = csgraph.connected_components(graph, connection="strong")
    inside = order[component[parents[order]] == component[children[order]]]
    if len(inside):
        from lsbn.kernels.acyclic import TURNED, insert_edges

        u, v = (x[inside].astype(np.int64) for x in (parents, children))
        anywhere, unlimited = np.ones(len(u), bool), np.full(n, n)
        reversed_edges[inside] = insert_edges(n, u, v, anywhere, unlimited) == TURNED
    return reversed_edges


def informed_orientation(
    n: int,
    parents: np.ndarray,
    children: np.ndarray,
    order: np.ndarray,
    turnable: np.ndarray,
    most: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Choose edges to reverse and edges to leave out, so that knowledge is honoured.

    Parameters
    ----------
    n, parents, children, order
        As for `acyclic_orientation`.
    turnable : numpy.ndarray of bool, shape (m,)
        Edges that may have the opposite direction.
    most : numpy.ndarray of int, shape (n,)
        Most parents of each node.

    Returns
    -------
    kept, reversed_edges : numpy.ndarray of bool, shape (m,)
        An edge is left out if it would close a cycle or have too many parents beside it, and its
        opposite is not possible either.

    Examples
    --------
    >>> kept, turned = informed_orientation(
    ...     3, np.array([0, 1, 2]), np.array([1, 2, 0]), np.arange(3),
    ...     np.array([True, True, False]), np.full(3, 2)
    ... )
    >>> kept.tolist(), turned.tolist()
    ([True, True, False], [False, False, False])
    """
    from lsbn.kernels.acyclic import DROPPED, TURNED, insert_edges

    status = np.empty(len(order), np.int8)
    u, v = (x[order].astype(np.int64) for x in (parents, children))
    status[order] = insert_edges(n, u, v, turnable[order], most.astype(np.int64))
    return status != DROPPED, status == TURNED


def cardinality_order(n: int, pairs: np.ndarray, priority: Sequence[int]) -> np.ndarray:
    """Order the nodes of an undirected graph by maximum cardinality search.

    The next node is always a node with the most neighbours in the order so far. On a chordal graph
    all earlier neighbours of a node are joined with each other (Tarjan & Yannakakis 1984). So edges
    directed from earlier to later nodes form no v-structure. The undirected part of a CPDAG is
    chordal. Directed this way, its edges give a DAG of the same equivalence class.

    Parameters
    ----------
    n : int
        Number of nodes.
    pairs : numpy.ndarray of int, shape (m, 2)
        The undirected edges.
    priority : sequence of int
        Breaks ties: the node with the smaller number comes first.

    Returns
    -------
    numpy.ndarray of int, shape (n,)
        The place of every node in the order.

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
