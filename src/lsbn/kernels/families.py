"""Scores of all families of a variable, for few variables."""

import numpy as np
from numba import njit

from lsbn.kernels.scores import family_score
from lsbn.kernels.tests import next_subset


@njit(nogil=True, cache=True)
def _n_subsets(n, depth):
    total, some = 1, 1
    for k in range(depth):
        some = some * (n - k) // (k + 1)
        total += some
    return total


@njit(nogil=True, cache=True)
def enumerate_families(words, offsets, codes, tables, child, others, depth, penalty):
    """Score every set of at most ``depth`` of the others as parents of a child.

    Parameters
    ----------
    words, offsets, codes, tables : arrays
        The data, and the score, see `lsbn.kernels.scores.family_score`.
    child : int
    others : int array
    depth : int
    penalty : float array
        Log prior by number of parents; its length less one is the width of the rows.

    Returns
    -------
    sets : (m, width) int32 array
        By size, then lexicographic in the positions of the members; filled up with -1.
    scores : (m,) float array
    """
    depth = min(depth, others.shape[0])
    m = _n_subsets(others.shape[0], depth)
    sets = np.full((m, penalty.shape[0] - 1), -1, np.int32)
    scores = np.empty(m)
    row = 0
    for k in range(depth + 1):
        subset = np.arange(k)
        while True:
            parents = others[subset]
            scores[row] = family_score(words, offsets, codes, tables, child, parents) + penalty[k]
            for i in range(k):
                sets[row, i] = parents[i]
            row += 1
            if not next_subset(subset, others.shape[0]):
                break
    return sets, scores
