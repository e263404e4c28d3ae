"""Scores of all families of a variable, for few variables."""

import numpy as np
from numba import njit

from lsbn.kernels.direction import total_leaning
from lsbn.kernels.independence import next_subset
from lsbn.kernels.scores import extension_scores, family_score, n_parameters


@njit(nogil=True, cache=True)
def _n_subsets(n, depth):
    total, some = 1, 1
    for k in range(depth):
        some = some * (n - k) // (k + 1)
        total += some
    return total


@njit(nogil=True, cache=True)
def enumerate_families(words, offsets, codes, lookup, child, others, depth, prior):
    """Score every set of at most ``depth`` of the others as parents of a child.

    A family has at most as many free parameters as there are rows.

    Parameters
    ----------
    words, offsets, codes, lookup : arrays
        The data, and the score, see `lsbn.kernels.scores.family_score`.
    child : int
    others : int array
    depth : int
    prior : Prior
        The number of sizes less one is the width of the rows.

    Returns
    -------
    sets : (m, width) int32 array
        By size, then lexicographic in the positions of the members; filled up with -1.
    scores : (m,) float array
    """
    n, n_rows = others.shape[0], codes.shape[1]
    depth = min(depth, n)
    m = _n_subsets(n, depth)
    sets = np.full((m, prior.sizes.shape[0] - 1), -1, np.int32)
    scores = np.empty(m)
    none = np.empty(0, np.int64)
    scores[0] = family_score(words, offsets, codes, lookup, child, none) + prior.sizes[0]
    cards, row = np.diff(offsets), 1
    for k in range(1, depth + 1):
        subset = np.arange(k - 1)
        while True:
            parents = others[subset]
            rest = others[subset[-1] + 1 if k > 1 else 0 :]
            rest = rest[n_parameters(offsets, child, parents) * cards[rest] <= n_rows]
            grown = extension_scores(words, offsets, codes, lookup, child, parents, rest)
            grown += prior.sizes[k] + total_leaning(prior, parents) + prior.leaning[rest]
            for c in range(rest.shape[0]):
                sets[row, : k - 1] = parents
                sets[row, k - 1] = rest[c]
                scores[row] = grown[c]
                row += 1
            if not next_subset(subset, n):
                break
    return sets[:row], scores[:row]
