"""Scores of all families of one child, for few variables."""

import numpy as np

from lsbn.kernels.combinatorics import n_subsets, next_subset
from lsbn.kernels.direction import log_score, total_leaning
from lsbn.kernels.jit import njit
from lsbn.kernels.listing import insert_parent
from lsbn.kernels.scores import extension_scores_apart, n_parameters


@njit(nogil=True, cache=True)
def enumerate_families(scorer, others, depth):
    """Score every set of at most ``depth`` of the others as parents, beside the required ones.

    A family has at most as many free parameters as there are rows, or only the required parents.

    Parameters
    ----------
    scorer : FamilyScorer
    others : int array
        Without the required parents.
    depth : int

    Returns
    -------
    sets : (m, width) int32 array
        By size, then lexicographic in the positions of the others; each set ascending, filled up
        with -1.
    scores : (m,) float array
    """
    columns, prior, required = scorer.columns, scorer.prior, scorer.required
    offsets, n_rows = columns.offsets, columns.codes.shape[2]
    r = required.shape[0]
    n = others.shape[0]
    depth = min(depth, n)
    m = n_subsets(n, depth)
    sets = np.full((m, prior.sizes.shape[0] - 1), -1, np.int32)
    scores = np.empty(m)
    for i in range(r):
        sets[0, i] = required[i]
    scores[0] = log_score(scorer, required)
    cards, row = offsets[1:] - offsets[:-1], 1
    for k in range(1, depth + 1):
        subset = np.arange(k - 1)
        while True:
            parents = _ascending(np.concatenate((required, others[subset])))
            rest = others[subset[-1] + 1 if k > 1 else 0 :]
            rest = rest[n_parameters(offsets, scorer.child, parents) * cards[rest] <= n_rows]
            grown = extension_scores_apart(columns, scorer.lookup, scorer.child, parents, rest)
            grown += prior.sizes[r + k] + total_leaning(prior, parents) + prior.leaning[rest]
            for c in range(rest.shape[0]):
                insert_parent(parents, rest[c], sets[row])
                scores[row] = grown[c]
                row += 1
            if not next_subset(subset, n):
                break
    return sets[:row], scores[:row]


@njit(nogil=True, cache=True)
def _ascending(values):
    """Sort a few values in place (`np.sort` is long to compile)."""
    for a in range(1, values.shape[0]):
        value, b = values[a], a
        while b > 0 and values[b - 1] > value:
            values[b] = values[b - 1]
            b -= 1
        values[b] = value
    return values
