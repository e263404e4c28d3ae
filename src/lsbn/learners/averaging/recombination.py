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
    keys, n = first, len(sets)
    both = graph_of(sets, ours, n) + graph_of(sets, theirs, n)
    for region in _better_regions(np.not_equal(ours, theirs), gains, both):
        tried = list(ours)
        for v in region:
            tried[v] = theirs[v]
        graph = graph_of(sets, tried, n)
        order = parents_first(graph.indptr, graph.indices, np.argsort(keys[:n]))
        if len(order):
            ours, keys = tried, keys_of(order, keys)
    return keys


def graph_of(sets: Sequence[ScoredSets], rows: Sequence[int], n: int) -> sparse.csr_array:
    """Return the graph of some parent sets among the first n variables.

    Parameters
    ----------
    sets : sequence of ScoredSets
        Of the first variables; the others have no parents.
    rows : sequence of int
        The set of each of them.
    n : int

    Returns
    -------
    (n, n) sparse array
        Row v has the parents of v.
    """
    members = np.array([own.members[row] for own, row in zip(sets, rows, strict=True)])
    inside = (members >= 0) & (members < n)
    start, parents = np.zeros(n + 1, np.int64), members[inside].astype(np.int64)
    start[1:] = len(parents)
    start[1 : len(rows) + 1] = np.cumsum(inside.sum(axis=1))
    return sparse.csr_array((np.ones(len(parents)), parents, start), shape=(n, n))


def regions_of(differ: np.ndarray, graph: sparse.csr_array) -> list[np.ndarray]:
    """Return the regions in which two graphs differ.

    Parameters
    ----------
    differ : bool array
        The variables whose parents differ.
    graph : (n, n) sparse array
        The edges of both graphs.
    """
    variables = np.flatnonzero(differ)
    n, labels = connected_components(graph[variables][:, variables], directed=False)
    by_region = variables[np.argsort(labels, kind="stable")]
    return np.split(by_region, np.cumsum(np.bincount(labels))[:-1])[:n]


def _better_regions(
    differ: np.ndarray, gains: np.ndarray, graph: sparse.csr_array
) -> list[np.ndarray]:
    """Return the regions in which the second graph is better, largest gain first."""
    found = [(sum(gains[region].tolist()), region) for region in regions_of(differ, graph)]
    better = [(gain, region) for gain, region in found if gain > _LEAST_GAIN]
    return [region for _, region in sorted(better, key=lambda each: -each[0])]


def keys_of(order: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Give the first variables the same keys in another order."""
    moved, n = keys.copy(), len(order)
    moved[order] = np.sort(keys[:n])
    return moved
