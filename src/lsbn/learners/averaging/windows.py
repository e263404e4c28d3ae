"""Rearrange the best graph of an order: give the variables of small windows new parents together.

Annealing moves one variable at a time. From one mode to another, several variables often have to
take new parents at once, and every step between has a much lower score. A *window* is a variable
with its neighbours in the graph. The best parents of all its variables together are found exactly,
while the other variables keep theirs, see `lsbn.kernels.windows`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy import sparse

from lsbn.kernels.windows import ListedSets, chosen_graph, rearrange_windows
from lsbn.learners.averaging.parent_sets import ScoredSets
from lsbn.learners.averaging.recombination import keys_of

_WINDOW = 10
"""Most variables of a window; more neighbours are drawn at random."""
_PASSES = 5
"""Most passes over all windows."""
_LEAST_GAIN = 1e-6
"""A window with a smaller gain is left as it is, in nats: equivalent graphs differ by rounding."""


def rearrange(sets: Sequence[ScoredSets], keys: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Rearrange the windows of the best graph of an order, until none has a better graph.

    Parameters
    ----------
    sets : sequence of ScoredSets
        Of the first variables; there may be others, which precede them in the order.
    keys : float array
        The order.
    rng : numpy.random.Generator
        Draws the neighbours of variables that have many.

    Returns
    -------
    float array
        Keys of an order of the new graph; ``keys`` if nothing is better.
    """
    n, first = len(sets), np.cumsum([0, *(len(own.scores) for own in sets)])
    listed = ListedSets(
        first,
        np.concatenate([own.members for own in sets]),
        np.concatenate([own.scores for own in sets]),
    )
    rows = first[:-1] + [own.best_row(keys) for own in sets]
    order, total = np.argsort(keys[:n]), 0.0
    for _ in range(_PASSES):
        windows = _windows(chosen_graph(listed, rows), rng)
        gain, order = rearrange_windows(listed, rows, order, windows, _LEAST_GAIN)
        total += gain
        if not gain:
            break
    return keys_of(order, keys) if total else keys


def _windows(
    graph: tuple[np.ndarray, np.ndarray], rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return each variable with its neighbours, if it has at least two."""
    (start, parents), n = graph, len(graph[0]) - 1
    above = sparse.csr_array((np.ones(len(parents)), parents, start), shape=(n, n))
    near = sparse.csr_array(above + above.T)
    near.sort_indices()
    windows = []
    for v, (a, b) in enumerate(pairwise(near.indptr.tolist())):
        own = near.indices[a:b]
        if b - a >= _WINDOW:
            own = rng.choice(own, _WINDOW - 1, replace=False)
        if b - a > 1:
            windows.append([v, *own.tolist()])
    sizes = np.cumsum([0, *map(len, windows)])
    return sizes, np.array([v for window in windows for v in window], np.int64)
