"""The best parents of a few variables, while all other variables keep theirs.

A *window* is a set of k variables. Every other variable keeps its parents. Which parents the window
may have together depends only on the order of its variables: parents ``P`` are possible for a
variable if all variables of the window in ``P``, or with a path through other variables into ``P``,
come before it. So the best graph follows from a dynamic programme over the ``2**k`` sets of
variables that come first, as in Silander & Myllymäki (2006), who take all variables as the window.
"""

from typing import NamedTuple

import numpy as np

from lsbn.kernels.acyclic import parents_first
from lsbn.kernels.jit import njit

__all__ = ["ListedSets", "chosen_graph", "rearrange_windows"]


class ListedSets(NamedTuple):
    """Parent sets of n variables, with their scores.

    The sets of variable v are rows ``start[v]`` to ``start[v + 1]``. Members of -1 are none, and
    those of n and more precede all n variables.
    """

    start: np.ndarray
    members: np.ndarray
    scores: np.ndarray


@njit(nogil=True, cache=True)
def chosen_graph(sets, rows):
    """Parents of each variable in a graph, as ``(start, parents)``; its sets are ``rows``."""
    n = rows.shape[0]
    start, size = np.zeros(n + 1, np.int64), 0
    parents = np.empty(n * sets.members.shape[1], np.int64)
    for v in range(n):
        for u in sets.members[rows[v]]:
            if 0 <= u < n:
                parents[size] = u
                size += 1
        start[v + 1] = size
    return start, parents[:size]


@njit(nogil=True, cache=True)
def _mark_above(graph, order, place, above):
    """Mark for each other variable the window's variables with a path to it through others."""
    start, parents = graph
    for v in order:
        above[v] = 0
        if place[v] < 0:
            for e in range(start[v], start[v + 1]):
                u = parents[e]
                above[v] |= above[u] if place[u] < 0 else 1 << place[u]


@njit(nogil=True, cache=True)
def _best_after(sets, v, own, place, above, best, row):
    """Best score and set of a variable after each subset of the window.

    Bit ``own`` of a subset is the variable itself; it is in no subset that is used.
    """
    n = place.shape[0]
    best[:], row[:] = -np.inf, -1
    for r in range(sets.start[v], sets.start[v + 1]):
        needed = 0
        for u in sets.members[r]:
            if 0 <= u < n:
                needed |= above[u] if place[u] < 0 else 1 << place[u]
        if not needed >> own & 1 and sets.scores[r] > best[needed]:
            best[needed], row[needed] = sets.scores[r], r
    step = 1
    while step < best.shape[0]:
        for subset in range(best.shape[0]):
            if subset & step and best[subset ^ step] > best[subset]:
                best[subset], row[subset] = best[subset ^ step], row[subset ^ step]
        step <<= 1


@njit(nogil=True, cache=True)
def _best_order(best, score, last):
    """Best score of each subset of the window, and its last variable."""
    score[:], last[:] = -np.inf, -1
    score[0] = 0.0
    for subset in range(1, score.shape[0]):
        for j in range(best.shape[0]):
            before = subset ^ (1 << j)
            if before < subset and score[before] + best[j, before] > score[subset]:
                score[subset], last[subset] = score[before] + best[j, before], j


@njit(nogil=True, cache=True)
def _best_rows(sets, window, place, above):
    """Return the best sets of a window's variables together, and the sum of their scores."""
    k = window.shape[0]
    best, row = np.empty((k, 1 << k)), np.empty((k, 1 << k), np.int64)
    for j in range(k):
        _best_after(sets, window[j], j, place, above, best[j], row[j])
    score, last, chosen = np.empty(1 << k), np.empty(1 << k, np.int64), np.empty(k, np.int64)
    _best_order(best, score, last)
    subset = (1 << k) - 1 if np.isfinite(score[-1]) else 0
    while subset:
        j = last[subset]
        subset ^= 1 << j
        chosen[j] = row[j, subset]
    return chosen, score[-1]


@njit(nogil=True, cache=True)
def rearrange_windows(sets, rows, order, windows, least_gain):
    """Give the variables of windows their best parents, window by window.

    Parameters
    ----------
    sets : ListedSets
    rows : (n,) int array
        The set of each variable in an acyclic graph; changed in place.
    order : (n,) int array
        An order of this graph.
    windows : tuple of int arrays
        ``(start, variables)``: window i is ``variables[start[i]:start[i + 1]]``.
    least_gain : float
        A window with a smaller gain keeps its parents.

    Returns
    -------
    gain : float
        By how much the score of the graph has risen.
    order : int array
        An order of the new graph.
    """
    n, total = rows.shape[0], 0.0
    place, above = np.full(n, -1, np.int64), np.zeros(n, np.int64)
    graph = chosen_graph(sets, rows)
    for i in range(windows[0].shape[0] - 1):
        window, gain = windows[1][windows[0][i] : windows[0][i + 1]], 0.0
        for j in range(window.shape[0]):
            place[window[j]] = j
            gain -= sets.scores[rows[window[j]]]
        _mark_above(graph, order, place, above)
        chosen, score = _best_rows(sets, window, place, above)
        gain += score
        for j in range(window.shape[0]):
            place[window[j]] = -1
            if gain > least_gain:
                rows[window[j]] = chosen[j]
        if gain > least_gain:
            graph = chosen_graph(sets, rows)
            order = parents_first(graph[0], graph[1], order)
            total += gain
    return total, order
