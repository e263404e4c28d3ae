"""Recombine two orders: where their best graphs differ, take the better families of the two.

Two searches end in different modes, and each is better in some regions of the network. Annealing
moves one variable at a time, so it seldom leaves the mode in which it starts. The best graphs of
two orders differ in the families of some variables. These variables form *regions*: two of them are
in one region if an edge of one of the graphs joins them. The score of a graph is a sum over
families. So the better families are chosen region by region, as far as the graph remains acyclic.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from lsbn.kernels.acyclic import parents_first
from lsbn.learners.averaging.parent_sets import ScoredSets

_LEAST_GAIN = 1e-6
"""A region with a smaller gain is left as it is, in nats: equivalent graphs differ by rounding."""


def recombine(sets: Sequence[ScoredSets], first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Take the better families of two orders, region by region.

    Parameters
    ----------
    sets : sequence of ScoredSets
        Of the first variables; there may be others, which precede them in both orders.
    first, second : float arrays
        Orders as keys.

    Returns
    -------
    float array
        Keys of an order in which the chosen families are possible: those of the second order in the
        regions where they are better, else those of the first. ``first`` if there are none.
    """
    ours, theirs = ([own.best_row(keys) for own in sets] for keys in (first, second))
    gains = np.array(
        [own.scores[b] - own.scores[a] for own, a, b in zip(sets, ours, theirs, strict=True)]
    )
    graphs = [_graph(sets, rows) for rows in (ours, theirs)]
    keys, n = first, len(sets)
    for region in _better_regions(np.not_equal(ours, theirs), gains, graphs):
        tried = list(ours)
        for v in region:
            tried[v] = theirs[v]
        graph = _graph(sets, tried)
        order = parents_first(graph.indptr, graph.indices, np.argsort(keys[:n]))
        if len(order):
            ours, keys = tried, keys_of(order, keys)
    return keys


def _graph(sets: Sequence[ScoredSets], rows: Sequence[int]) -> sparse.csr_array:
    """Return the graph of some families, without parents that have no sets: row v is of v."""
    members = np.array([own.members[row] for own, row in zip(sets, rows, strict=True)])
    n = len(rows)
    inside = (members >= 0) & (members < n)
    start = np.concatenate([[0], np.cumsum(inside.sum(axis=1))])
    parents = members[inside].astype(np.int64)
    return sparse.csr_array((np.ones(len(parents)), parents, start), shape=(n, n))


def _better_regions(
    differ: np.ndarray, gains: np.ndarray, graphs: Sequence[sparse.csr_array]
) -> list[np.ndarray]:
    """Return the regions in which the second graph is better, largest gain first."""
    variables = np.flatnonzero(differ)
    joined = (graphs[0] + graphs[1])[variables][:, variables]
    n, labels = connected_components(joined, directed=False)
    totals = np.bincount(labels, gains[variables], minlength=n)
    better = [r for r in np.argsort(-totals, kind="stable") if totals[r] > _LEAST_GAIN]
    return [variables[labels == r] for r in better]


def keys_of(order: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Give the first variables the same keys in another order."""
    moved, n = keys.copy(), len(order)
    moved[order] = np.sort(keys[:n])
    return moved
