"""Directed paths in graphs whose edges are sorted by parent."""

import numpy as np

from lsbn.kernels.jit import njit


@njit(nogil=True, cache=True)
def _child_start(n, parent):
    """Where the edges of each parent start: ``(n + 1,)``."""
    start = np.zeros(n + 1, np.int64)
    for u in parent:
        start[u + 1] += 1
    return np.cumsum(start)


@njit(nogil=True, cache=True)
def _reach(source, start, child, stamp, mark, queue):
    """Write all descendants of ``source`` to the queue; gives their number."""
    size, done = 0, -1
    while done < size:
        x = source if done < 0 else queue[done]
        done += 1
        for c in range(start[x], start[x + 1]):
            y = child[c]
            if stamp[y] != mark:
                stamp[y] = mark
                queue[size] = y
                size += 1
    return size


@njit(nogil=True, cache=True)
def descendant_pairs(n, parent, child):
    """Pairs of an ancestor and its descendant in one graph, as ``ancestor * n + descendant``."""
    start = _child_start(n, parent)
    stamp, queue = np.full(n, -1), np.empty(n + 1, np.int64)
    found, size = np.empty(4 * n + 16, np.int64), 0
    for u in range(n):
        reached = _reach(u, start, child, stamp, u, queue)
        while size + reached > found.shape[0]:
            found = np.concatenate((found, np.empty_like(found)))
        for a in range(reached):
            found[size + a] = u * n + queue[a]
        size += reached
    return found[:size]


@njit(nogil=True, cache=True)
def reached_graphs(n, start, parent, child, source, target):
    """Mark the graphs in which ``target`` is a descendant of ``source``.

    The edges of graph ``g`` are ``start[g]`` to ``start[g + 1]``.
    """
    out = np.zeros(start.shape[0] - 1, np.bool_)
    stamp, queue = np.full(n, -1), np.empty(n + 1, np.int64)
    for g in range(out.shape[0]):
        own = slice(start[g], start[g + 1])
        _reach(source, _child_start(n, parent[own]), child[own], stamp, g, queue)
        out[g] = stamp[target] == g
    return out
