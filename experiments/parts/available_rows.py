"""Hill climbing with missing values: edges are judged by the rows that have all values they need.

This is the other way to learn from tables with gaps. The gain of an edge u -> v, beside the parents
P of v, is the gain of BIC on the rows that have u, v and all of P, with and without u. Both terms
have the same rows, so they can be compared.
"""

from collections.abc import Iterator
from functools import cache

import networkx as nx
import numpy as np

from lsbn.data import Dataset

MOST_PARENTS = 5

Parents = tuple[frozenset[int], ...]
Step = list[tuple[int, int, int]]
"""Edges that a step adds (1) or removes (-1): child, parent and sign."""


def climb(dataset: Dataset) -> nx.DiGraph:
    """Return a graph that no added, removed or turned edge improves.

    Gains on different rows are no differences of one score, so the climb may come back to a graph.
    Then it ends.

    Parameters
    ----------
    dataset : Dataset
        With gaps.
    """
    n = dataset.n_variables
    known = np.ones(dataset.codes.shape, bool) if dataset.gaps is None else ~dataset.gaps

    @cache
    def gain(v: int, others: frozenset[int], u: int) -> float:
        return edge_gain(dataset, known, v, sorted(others), u)

    above: Parents = (frozenset(),) * n
    visited: set[Parents] = set()
    while above not in visited:
        visited.add(above)
        gains = [
            (sum(sign * gain(v, above[v] - {u}, u) for v, u, sign in step), step)
            for step in steps(above)
        ]
        best, step = max(gains)
        if best > 0:
            above = changed(above, step)
    graph = nx.DiGraph()
    graph.add_nodes_from(dataset.names)
    graph.add_edges_from((dataset.names[u], dataset.names[v]) for v in range(n) for u in above[v])
    return graph


def changed(above: Parents, step: Step) -> Parents:
    """Return the parents after a step."""
    own = list(above)
    for v, u, sign in step:
        own[v] = own[v] | {u} if sign > 0 else own[v] - {u}
    return tuple(own)


def steps(above: Parents) -> Iterator[Step]:
    """Yield all steps that close no cycle: an edge added, removed or turned."""
    n = len(above)
    graph = nx.DiGraph([(u, v) for v in range(n) for u in above[v]])
    graph.add_nodes_from(range(n))
    below = {u: nx.descendants(graph, u) for u in range(n)}
    for v in range(n):
        for u in range(n):
            if u in above[v]:
                yield [(v, u, -1)]
                detour = any(v in below[w] for w in graph.successors(u) if w != v)
                if not detour and len(above[u]) < MOST_PARENTS:
                    yield [(v, u, -1), (u, v, 1)]
            elif u != v and u not in below[v] and len(above[v]) < MOST_PARENTS:
                yield [(v, u, 1)]


def edge_gain(dataset: Dataset, known: np.ndarray, v: int, others: list[int], u: int) -> float:
    """Return the gain of BIC by the edge u -> v beside other parents, from rows that have all."""
    rows = known[[v, u, *others]].all(axis=0)
    total = int(rows.sum())
    if not total:
        return 0.0
    with_edge, without = (_fit(dataset, rows, v, parents) for parents in ([*others, u], others))
    cards = dataset.cards.astype(float)
    added = (cards[v] - 1) * np.prod(cards[others]) * (cards[u] - 1)
    return float(with_edge - without - 0.5 * np.log(total) * added)


def _fit(dataset: Dataset, rows: np.ndarray, v: int, parents: list[int]) -> float:
    """Return the largest log-likelihood of a family in some rows."""
    keys, r = np.zeros(int(rows.sum()), np.int64), int(dataset.cards[v])
    for u in parents:
        keys = keys * int(dataset.cards[u]) + dataset.codes[u, rows]
    _, keys = np.unique(keys, return_inverse=True)
    counts = np.bincount(keys * r + dataset.codes[v, rows], minlength=(keys.max() + 1) * r)
    counts = counts.reshape(-1, r)
    sizes = np.broadcast_to(counts.sum(axis=1, keepdims=True), counts.shape)
    seen = counts > 0
    return float((counts[seen] * np.log(counts[seen] / sizes[seen])).sum())
