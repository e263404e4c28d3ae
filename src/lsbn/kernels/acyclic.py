"""Insert edges one by one into a graph that stays acyclic."""

import numpy as np
from numba import njit

__all__ = ["insert_edges"]


@njit(nogil=True, cache=True)
def insert_edges(n, parents, children):
    """Insert edges in the order given; reverse each edge that would close a cycle.

    A topological order is kept up to date (Pearce & Kelly 2007). An edge u -> v that agrees with
    the order costs nothing. Otherwise the nodes that are reached from v and are not after u are
    searched. If u is among them, the edge is reversed, and then it agrees with the order. If not,
    these nodes and the nodes that lead to u exchange their places.

    Parameters
    ----------
    n : int
        Number of nodes.
    parents, children : ndarray of int64, shape (m,)
        The edges.

    Returns
    -------
    ndarray of bool, shape (m,)
        The edges that were reversed.
    """
    m = len(parents)
    turned = np.zeros(m, dtype=np.bool_)
    rank = np.arange(n)
    mark = np.full(n, -1)
    below, above = np.full(n, -1), np.full(n, -1)
    next_below, next_above = np.full(m, -1), np.full(m, -1)
    head, tail = np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
    later, earlier = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for e in range(m):
        u, v = parents[e], children[e]
        if rank[u] > rank[v]:
            n_later = _reach(v, below, next_below, tail, rank, rank[v], rank[u], 2 * e, mark, later)
            if mark[u] == 2 * e:
                turned[e] = True
                u, v = v, u
            else:
                n_earlier = _reach(
                    u, above, next_above, head, rank, rank[v], rank[u], 2 * e + 1, mark, earlier
                )
                _share_places(rank, earlier[:n_earlier], later[:n_later])
        head[e], tail[e] = u, v
        next_below[e], below[u] = below[u], e
        next_above[e], above[v] = above[v], e
    return turned


@njit(nogil=True, cache=True)
def _reach(start, first, following, end, rank, low, high, stamp, mark, out):
    """Write the nodes reached from `start` with a rank in [low, high] to `out`; count them.

    The edges of node x are ``first[x]``, ``following[first[x]]``, ... until -1, and lead to
    ``end``. Nodes reached are stamped in `mark`.
    """
    out[0] = start
    mark[start] = stamp
    size = 1
    done = 0
    while done < size:
        e = first[out[done]]
        done += 1
        while e >= 0:
            x = end[e]
            if mark[x] != stamp and low <= rank[x] <= high:
                mark[x] = stamp
                out[size] = x
                size += 1
            e = following[e]
    return size


@njit(nogil=True, cache=True)
def _share_places(rank, earlier, later):
    """Give the places of both sets first to `earlier`, then to `later`; each keeps its order."""
    nodes = np.concatenate((earlier[np.argsort(rank[earlier])], later[np.argsort(rank[later])]))
    places = np.sort(rank[nodes])
    rank[nodes] = places
