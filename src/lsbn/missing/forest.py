"""The first completion of a table: gaps drawn from a forest of the most dependent pairs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components, minimum_spanning_tree

from lsbn.data import Dataset
from lsbn.pairs import PairStatistics

__all__ = ["drawn_from_columns", "likely_forest", "mask_of"]

PARTNERS = 16
"""Pairs of the forest are sought among this many partners of each variable."""


def mask_of(dataset: Dataset) -> np.ndarray:
    """Return the mask of the gaps; all false if there are none."""
    return np.zeros(dataset.codes.shape, bool) if dataset.gaps is None else dataset.gaps


def drawn_from_columns(dataset: Dataset, rng: np.random.Generator) -> Dataset:
    """Fill each gap with a value that is drawn from the observed values of its column."""
    codes = dataset.codes.copy()
    for own, gaps in zip(codes, mask_of(dataset), strict=True):
        own[gaps] = rng.choice(own[~gaps], int(gaps.sum()))
    return replace(dataset, codes=codes, gaps=None)


def likely_forest(dataset: Dataset, filled: Dataset) -> list[tuple[int, ...]]:
    """Return the parent of each variable in the most likely forest (Chow & Liu 1968).

    The weight of a pair is the gain of BIC by an edge, from the rows that have both values.

    Parameters
    ----------
    dataset : Dataset
        With gaps.
    filled : Dataset
        The same table with any values in the gaps. It tells which pairs are worth a look.
    """
    n = dataset.n_variables
    weights = sparse.lil_array((n, n))
    for v, partners in enumerate(PairStatistics(filled).heaviest(["MI"], most=PARTNERS)):
        for u in partners.tolist():
            if not weights[u, v] and (gain := _gain(dataset, u, v)) > 0:
                weights[u, v] = weights[v, u] = -gain
    tree = minimum_spanning_tree(weights.tocsr())
    _, component = connected_components(tree, directed=False)
    parents: list[tuple[int, ...]] = [()] * n
    for root in np.unique(component, return_index=True)[1].tolist():
        order, above = breadth_first_order(tree, root, directed=False)
        for v in order[1:].tolist():
            parents[v] = (int(above[v]),)
    return parents


def _gain(dataset: Dataset, u: int, v: int) -> float:
    """Gain of BIC by an edge between two variables, from the rows that have both."""
    gaps = mask_of(dataset)
    known = ~(gaps[u] | gaps[v])
    rows, (a, b) = int(known.sum()), dataset.cards[[u, v]].tolist()
    if not rows:
        return 0.0
    cells = dataset.codes[u, known].astype(np.int64) * b + dataset.codes[v, known]
    counts = np.bincount(cells, minlength=a * b).reshape(a, b)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / rows
    seen = counts > 0
    gain = (counts[seen] * np.log(counts[seen] / expected[seen])).sum()
    return float(gain - (a - 1) * (b - 1) * np.log(rows) / 2)
