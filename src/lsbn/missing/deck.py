"""The first completion of a table: each gap takes the value of a similar row (a hot deck).

Rows are compared by the columns that tell most about the missing value. So the first completion
assumes no network, and has dependences of many columns at once. A forest of pairs has not, and a
chain that begins with one takes more rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lsbn.data import Dataset
from lsbn.pairs import PairStatistics

__all__ = ["drawn_from_columns", "drawn_from_rows", "mask_of", "similarities"]

PARTNERS = 16
"""Rows are compared by at most this many columns for each missing value."""
DONORS = 1000
"""The similar rows are sought among at most this many rows that have the value, at random."""
NEAREST = 5
"""The value comes from one of so many most similar rows, at random."""
BLOCK = 4096
"""Rows that are compared at once."""
UNITS = 1 << 16
"""Weights are whole numbers up to this one, so that sums do not depend on the order of terms."""


def mask_of(dataset: Dataset) -> np.ndarray:
    """Return the mask of the gaps; all false if there are none."""
    return np.zeros(dataset.codes.shape, bool) if dataset.gaps is None else dataset.gaps


def drawn_from_columns(dataset: Dataset, rng: np.random.Generator) -> Dataset:
    """Fill each gap with a value that is drawn from the observed values of its column."""
    codes = dataset.codes.copy()
    for own, gaps in zip(codes, mask_of(dataset), strict=True):
        own[gaps] = rng.choice(own[~gaps], int(gaps.sum()))
    return replace(dataset, codes=codes, gaps=None)


def drawn_from_rows(dataset: Dataset, rng: np.random.Generator) -> Dataset:
    """Fill each gap with the value of one of the most similar rows that have it.

    Two rows are the more similar the more columns agree in them, and the fewer differ. Each column
    that both have counts by what it tells about the missing value: the gain of BIC by an edge.
    """
    filled, gaps = drawn_from_columns(dataset, rng), mask_of(dataset)
    near = PairStatistics(filled).heaviest(["MI"], most=PARTNERS)
    codes = dataset.codes.copy()
    for v, partners in enumerate(near):
        weights = _weights(dataset, v, partners.tolist())
        used, weights = partners[weights > 0], weights[weights > 0]
        donors = rng.permutation(np.flatnonzero(~gaps[v]))[:DONORS]
        rows = np.flatnonzero(gaps[v])
        if not len(used):
            codes[v, rows] = filled.codes[v, rows]
            continue
        for first in range(0, len(rows), BLOCK):
            block = rows[first : first + BLOCK]
            alike = similarities(dataset, (used, weights), block, donors)
            k = min(NEAREST, len(donors))
            nearest = np.argpartition(-alike, k - 1, axis=1)[:, :k]
            chosen = nearest[np.arange(len(block)), rng.integers(k, size=len(block))]
            codes[v, block] = dataset.codes[v, donors[chosen]]
    return replace(dataset, codes=codes, gaps=None)


def similarities(
    dataset: Dataset,
    columns: tuple[np.ndarray, np.ndarray],
    rows: np.ndarray,
    donors: np.ndarray,
) -> np.ndarray:
    """Return how similar rows are to others: agreeing columns count plus, differing ones minus.

    Parameters
    ----------
    dataset : Dataset
    columns : tuple of int arrays
        The columns that are compared, and their weights.
    rows, donors : int array

    Returns
    -------
    (rows, donors) float array
    """
    found = np.zeros((len(rows), len(donors)), np.float32)
    gaps = mask_of(dataset)
    for u, weight in zip(*columns, strict=True):
        states = np.arange(dataset.cards[u])[:, None]
        here, there = (
            ((dataset.codes[u, some] == states) & ~gaps[u, some]).astype(np.float32)
            for some in (rows, donors)
        )
        both = np.outer(here.sum(axis=0), there.sum(axis=0))
        found += np.float32(weight) * (2 * (here.T @ there) - both)
    return found


def _weights(dataset: Dataset, v: int, partners: Sequence[int]) -> np.ndarray:
    """Return what each partner tells about a variable, as whole numbers; 0 for nothing."""
    gains = np.array([max(_gain(dataset, u, v), 0.0) for u in partners])
    return np.rint(gains * UNITS / max(gains.max(initial=0.0), 1e-300)).astype(np.int64)


def _gain(dataset: Dataset, u: int, v: int) -> float:
    """Gain of BIC for each row by an edge between two variables, from the rows that have both."""
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
    return float(gain - (a - 1) * (b - 1) * np.log(rows) / 2) / rows
