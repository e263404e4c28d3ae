"""Acyclic graphs: a topological order, and edges that are inserted one by one."""

from typing import NamedTuple

import numpy as np

from lsbn.kernels.jit import njit

__all__ = ["DROPPED", "KEPT", "TURNED", "insert_edges", "parents_first"]

KEPT, TURNED, DROPPED = range(3)


@njit(nogil=True, cache=True)
def parents_first(start, parents, order):
    """Order nodes so that parents precede their children, otherwise as in ``order``.

    Parameters
    ----------
    start : (n + 1,) int array
        The parents of node v are ``parents[start[v]]`` to ``parents[start[v + 1]]``.
    parents : int array
    order : (n,) int array
        All nodes.

    Returns
    -------
    int64 array
        Each node follows its parents. Empty if the graph has a cycle.
    """
    n = order.shape[0]
    out, size = np.empty(n, np.int64), 0
    following, path = np.full(n, -1, np.int64), np.empty(n, np.int64)
    for root in order:
        if following[root] >= 0:
            continue
        following[root], path[0], depth = start[root], root, 1
        while depth > 0:
            v = path[depth - 1]
            if following[v] == start[v + 1]:
                out[size] = v
                following[v] += 1
                size, depth = size + 1, depth - 1
                continue
            u = parents[following[v]]
            following[v] += 1
            if following[u] < 0:
                following[u], path[depth] = start[u], u
                depth += 1
            elif following[u] <= start[u + 1]:
                return out[:0]
    return out


class _Edges(NamedTuple):
    """The edges on one side of every node, as linked lists.

    The edges of node x are ``first[x]``, ``following[first[x]]``, ... until -1. The node at the
    other end of edge e is ``end[e]``.
    """

    first: np.ndarray
    following: np.ndarray
    end: np.ndarray


@njit(nogil=True, cache=True)
def insert_edges(n, parents, children, turnable, most):
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
    turnable : ndarray of bool, shape (m,)
        Edges that may be reversed. Other edges are dropped instead.
    most : ndarray of int64, shape (n,)
        Most parents of each node. Edges beyond are reversed, too, or dropped.

    Returns
    -------
    ndarray of int8, shape (m,)
        `KEPT`, `TURNED` or `DROPPED`.
    """
    m = len(parents)
    status, n_parents = np.zeros(m, dtype=np.int8), np.zeros(n, dtype=np.int64)
    rank = np.arange(n)
    mark = np.full(n, -1)
    below = _Edges(np.full(n, -1), np.full(m, -1), np.empty(m, dtype=np.int64))
    above = _Edges(np.full(n, -1), np.full(m, -1), np.empty(m, dtype=np.int64))
    room = np.empty((2, n), dtype=np.int64)
    for e in range(m):
        u, v = parents[e], children[e]
        fits = n_parents[v] < most[v] and _can_precede(
            u, v, (below, above), rank, 4 * e, mark, room
        )
        if not fits:
            if not turnable[e] or n_parents[u] == most[u]:
                status[e] = DROPPED
                continue
            if not _can_precede(v, u, (below, above), rank, 4 * e + 2, mark, room):
                status[e] = DROPPED
                continue
            status[e] = TURNED
            u, v = v, u
        n_parents[v] += 1
        above.end[e], below.end[e] = u, v
        below.following[e], below.first[u] = below.first[u], e
        above.following[e], above.first[v] = above.first[v], e
    return status


@njit(nogil=True, cache=True)
def _can_precede(u, v, edges, rank, stamp, mark, room):
    """Say whether `v` does not lead to `u`; if so, give `u` a place before `v` in the order.

    Uses the stamps `stamp` and `stamp + 1`.
    """
    if rank[u] < rank[v]:
        return True
    below, above = edges
    between = (rank[v], rank[u])
    n_later = _reach(v, below, rank, between, stamp, mark, room[0])
    if mark[u] == stamp:
        return False
    n_earlier = _reach(u, above, rank, between, stamp + 1, mark, room[1])
    _share_places(rank, room[1, :n_earlier], room[0, :n_later])
    return True


@njit(nogil=True, cache=True)
def _reach(start, edges, rank, between, stamp, mark, out):
    """Write the nodes reached from `start` with a rank in `between` to `out`; count them.

    Nodes reached are stamped in `mark`.
    """
    low, high = between
    out[0] = start
    mark[start] = stamp
    size = 1
    done = 0
    while done < size:
        e = edges.first[out[done]]
        done += 1
        while e >= 0:
            x = edges.end[e]
            if mark[x] != stamp and low <= rank[x] <= high:
                mark[x] = stamp
                out[size] = x
                size += 1
            e = edges.following[e]
    return size


@njit(nogil=True, cache=True)
def _share_places(rank, earlier, later):
    """Give the places of both sets first to `earlier`, then to `later`; each keeps its order."""
    nodes = np.concatenate((earlier[np.argsort(rank[earlier])], later[np.argsort(rank[later])]))
    places = np.sort(rank[nodes])
    rank[nodes] = places
