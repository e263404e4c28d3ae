"""Copies among columns with missing values.

Two columns agree if their states can be renamed such that the columns are equal in every row in
which both have a value, and if these rows show the new name of every state. If their gaps are in
different rows, then the values of each fill gaps of the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.special import gammaln

from lsbn.data.dataset import Dataset
from lsbn.kernels.bits import bit_columns
from lsbn.kernels.copies import common_counts, next_agreeing

__all__ = ["joined_columns", "surprise"]


def joined_columns(
    dataset: Dataset, least: float, alike: Callable[[int, int], bool]
) -> tuple[np.ndarray, Dataset]:
    """Join columns that agree, and let their values fill the gaps of each other.

    Columns come in the order of their names. A column is joined to the first original with which
    it agrees. Its values then fill the gaps of this original. So columns that are joined to the
    same original agree with each other, too. A column that is not joined is an original itself.

    Parameters
    ----------
    dataset : Dataset
        With gaps.
    least : float
        An agreement counts only if the `surprise` of the common rows is greater than this.
    alike : callable
        Says of an original and its copy, by their places, whether they may be joined. If not, the
        copy is not joined at all.

    Returns
    -------
    originals : numpy.ndarray of int, shape (n,)
        The original of each column.
    filled : Dataset
        Columns that are joined have the same gaps, in the rows in which none of them has a value.
        If no column is joined, it is the given dataset. If no gap is left, its ``gaps`` are None.
    """
    assert dataset.gaps is not None
    words, offsets = _observed_bits(dataset)
    codes, gaps = dataset.codes.copy(), dataset.gaps.copy()
    originals, renamed = np.arange(dataset.n_variables), {}
    firsts, n_firsts = np.empty(dataset.n_variables, np.int64), 0
    image = np.empty(int(dataset.cards.max()), np.int64)
    for v in sorted(np.flatnonzero(dataset.cards > 1).tolist(), key=dataset.names.__getitem__):
        before, k = firsts[:n_firsts], -1
        while (k := next_agreeing(words, offsets, before, k + 1, v, image)) < n_firsts:
            if surprise(common_counts(words, offsets, before[k], v, image)) > least:
                break
        if k < n_firsts and alike(u := int(before[k]), v):
            originals[v], renamed[v] = u, image[: dataset.cards[v]].copy()
            own, known = words[offsets[u] : offsets[u + 1]], gaps[u] & ~gaps[v]
            own[renamed[v]] |= words[offsets[v] : offsets[v + 1]] & ~np.bitwise_or.reduce(own)
            codes[u, known] = renamed[v][codes[v, known]]
            gaps[u, known] = False
        else:
            firsts[n_firsts] = v
            n_firsts += 1
    if not renamed:
        return originals, dataset
    for u in {int(originals[v]) for v in renamed}:
        codes[u, gaps[u]] = np.bincount(codes[u, ~gaps[u]]).argmax()
    for v, states in renamed.items():
        codes[v], gaps[v] = np.argsort(states)[codes[originals[v]]], gaps[originals[v]]
    return originals, replace(dataset, codes=codes, gaps=gaps if gaps.any() else None)


def _observed_bits(dataset: Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Return the bit columns of the states, without the rows of gaps."""
    words, offsets = bit_columns(dataset.planes, dataset.cards)
    missing = np.ascontiguousarray(dataset.gaps).view(np.uint8)[None]
    known = bit_columns(missing, np.full(dataset.n_variables, 2))[0][::2]
    for v, own in enumerate(known):
        words[offsets[v] : offsets[v + 1]] &= own
    return words, offsets


def surprise(counts: np.ndarray) -> float:
    """Return the log of the number of ways to divide the rows into groups of these sizes.

    >>> round(float(np.exp(surprise(np.array([2, 2])))))
    3
    """
    _, same = np.unique(counts, return_counts=True)
    return float(gammaln(counts.sum() + 1) - gammaln(counts + 1).sum() - gammaln(same + 1).sum())
