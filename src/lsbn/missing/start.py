"""The first completion of a table: chained equations with trees.

Each missing value begins as a value of its column. Then, column by column and several times, a tree
predicts a column from other columns of the completed table, and each missing value is drawn from
the rows of its leaf that have the value (Burgette & Reiter 2010, "Multiple imputation for missing
data via sequential regression trees"). So the first completion assumes no network, and has
dependences of several columns at once. Chains that begin with it end with more evidence, and after
fewer rounds, than chains that begin with values of similar rows: see ``experiments/missing.md``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from lsbn.data import Dataset
from lsbn.pairs import PairStatistics

__all__ = ["drawn_by_trees", "drawn_from_columns", "mask_of"]

PASSES = 10
"""How often the missing values of each column are drawn."""
LEAF = 5
"""A leaf has at least this many rows."""
PARTNERS = 32
"""A tree splits by at most this many other columns; not tuned."""
ROWS = 10_000
"""A tree is learned from at most this many rows, at random; not tuned."""


def mask_of(dataset: Dataset) -> np.ndarray:
    """Return the mask of the gaps; all false if there are none."""
    return np.zeros(dataset.codes.shape, bool) if dataset.gaps is None else dataset.gaps


def drawn_from_columns(dataset: Dataset, rng: np.random.Generator) -> Dataset:
    """Fill each gap with a value that is drawn from the observed values of its column."""
    codes = dataset.codes.copy()
    for own, gaps in zip(codes, mask_of(dataset), strict=True):
        own[gaps] = rng.choice(own[~gaps], int(gaps.sum()))
    return replace(dataset, codes=codes, gaps=None)


def drawn_by_trees(dataset: Dataset, rng: np.random.Generator) -> Dataset:
    """Fill each gap with a value that is drawn from a leaf of a tree.

    Columns with few gaps come first.
    """
    filled, mask = drawn_from_columns(dataset, rng), mask_of(dataset)
    gaps = mask.sum(axis=1)
    order = [v for v in np.argsort(gaps, kind="stable").tolist() if gaps[v]]
    near = PairStatistics(filled).heaviest(["MI"], most=PARTNERS)
    codes = filled.codes.copy()
    for _ in range(PASSES):
        for v in order:
            if len(near[v]):
                others = codes[np.sort(near[v])].T.astype(np.float32)
                codes[v, mask[v]] = _drawn(others, codes[v], mask[v], rng)
    return replace(filled, codes=codes)


def _drawn(
    others: np.ndarray, values: np.ndarray, gaps: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Draw the missing values of a column, given the rows of other columns."""
    known = np.flatnonzero(~gaps)
    if len(known) > ROWS:
        known = rng.choice(known, ROWS, replace=False)
    seed = int(rng.integers(2**31))
    tree = DecisionTreeClassifier(min_samples_leaf=LEAF, random_state=seed)
    tree.fit(others[known], values[known])
    below = tree.predict_proba(others[gaps]).cumsum(axis=1) < rng.random((int(gaps.sum()), 1))
    return tree.classes_[np.minimum(below.sum(axis=1), len(tree.classes_) - 1)]
