"""The log prior of a family, and the correction of directions under the mixed score.

Equivalent graphs have the same BDeu, but not the same mixed score: for two columns alone, one
direction may have a much higher score than the other, though no data can distinguish them. With
the gains

    g(u -> v) = score(v | u) - score(v)

the edge u -> v has the *leaning* ``(g(v -> u) - g(u -> v)) / 2``, for any other parents of v.
Both directions of an edge between two variables without further parents then have the same gain,
the mean of the two. So all orientations of a tree without colliders have the same score. The
leaning of v -> u is minus that of u -> v: it changes only the weight of directions.

Leanings depend on the data, so they are not part of the prior. They are added separately, and the
score itself remains a log probability. The corrected evidence of two joined columns is the
geometric mean of two distributions. Its sum over all columns is at most 1. Where the limit
on free parameters forbids one direction of an edge, the leaning cannot help.
"""

from typing import NamedTuple

import numpy as np

from lsbn.kernels.jit import njit
from lsbn.kernels.lookup import MIXED, Lookup
from lsbn.kernels.memory import ScoreMemory, remembered_score
from lsbn.kernels.scores import extension_scores_apart, family_score_apart
from lsbn.kernels.state import Columns


class Prior(NamedTuple):
    """Log prior of the families of one child, with the leanings of its edges.

    Attributes
    ----------
    sizes : float array
        By number of parents.
    leaning : float array
        Added for each parent, by variable.
    """

    sizes: np.ndarray
    leaning: np.ndarray


@njit(nogil=True, cache=True)
def total_leaning(prior, parents):
    """Sum of the leanings of the edges from ``parents``."""
    total = 0.0
    for u in parents:
        total += prior.leaning[u]
    return total


@njit(nogil=True, cache=True)
def log_prior(prior, parents):
    """Log prior of a family, with the leanings of its edges."""
    return prior.sizes[parents.shape[0]] + total_leaning(prior, parents)


@njit(nogil=True, cache=True)
def leanings(columns, lookup, child, parents):
    """Leaning of the edge from each of ``parents`` to ``child``."""
    out = np.zeros(parents.shape[0])
    if lookup.kind != MIXED or parents.shape[0] == 0:
        return out
    none, one = np.empty(0, np.int64), np.array([child])
    down = extension_scores_apart(columns, lookup, child, none, parents)
    down -= family_score_apart(columns, lookup, child, none)
    for p in range(parents.shape[0]):
        u = parents[p]
        up = family_score_apart(columns, lookup, u, one)
        up -= family_score_apart(columns, lookup, u, none)
        out[p] = 0.5 * (up - down[p])
    return out


NO_PARENTS = np.empty(0, np.int64)


class FamilyScorer(NamedTuple):
    """All arguments of the score of a family of one child.

    Attributes
    ----------
    columns : Columns
    lookup : Lookup
    child : int
    prior : Prior
        A row of parent sets has one entry less than there are sizes.
    memory : ScoreMemory
    required : int64 array
        Parents that every set has, ascending.
    """

    columns: Columns
    lookup: Lookup
    child: int
    prior: Prior
    memory: ScoreMemory
    required: np.ndarray = NO_PARENTS


@njit(nogil=True, cache=True)
def log_score(scorer, parents):
    """Log score of a family, with its prior and the leanings of its edges."""
    columns, lookup, child = scorer.columns, scorer.lookup, scorer.child
    score = remembered_score(columns, lookup, child, parents, scorer.memory)
    return score + log_prior(scorer.prior, parents)
