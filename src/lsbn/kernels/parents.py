"""Search for parent sets of one variable by beams, scored on bit columns.

A parent set is a row of ascending indices padded with -1.
"""

from typing import NamedTuple

import numpy as np
from numba import types

from lsbn.kernels.apart import apart
from lsbn.kernels.direction import log_score, total_leaning
from lsbn.kernels.jit import njit
from lsbn.kernels.listing import insert_parent, set_size
from lsbn.kernels.memory import remembered_extensions
from lsbn.kernels.scores import n_parameters
from lsbn.kernels.sorting import argsort

ACTIVE = 32
"""Members of the pool that one scan of the whole pool recommends to the other sets of the beam."""
SCANS = 96
"""Scans of the pool that are remembered while the parents of one child are searched."""
NARROW_BEAM = 6
"""Most sets of a size that grow further in a search without one parent of the best set."""
NARROW_SCANS = 3
"""Sizes at which it scans the pool: the third finds a parent with an effect only beside two."""


class Growth(NamedTuple):
    """Limits of one beam search.

    Attributes
    ----------
    beams : int array
        Number of best sets of each size that are extended.
    wide : int array
        Number of these that are extended by every member of the pool.
    margin : float
        A set is left out if its score is lower by more than this than that of the set it grew from.
    room : int
        Most free parameters of a family.
    slack : float
        Growth goes on if the best set of a size is lower than smaller ones by less than this.
    """

    beams: np.ndarray
    wide: np.ndarray
    margin: float
    room: int
    slack: float


class Listing(NamedTuple):
    """Which sets an exploration lists.

    Attributes
    ----------
    delta : float
        Of each beam search, the sets within this distance of the best one.
    max_sets : int
        Most sets of each beam search.
    closed : int
        Number of best sets whose subsets are all listed.
    extended : int
        Most extensions of the best set.
    """

    delta: float
    max_sets: int
    closed: int
    extended: int


class Scans(NamedTuple):
    """Scores of sets with each member of the pool, remembered from search to search.

    Attributes
    ----------
    used : (1,) int64 array
        Number of scans in memory.
    sets : (SCANS, depth) int32 array
    values : (SCANS, pool) float array
        Scores, minus infinity for a member that has no room.
    """

    used: np.ndarray
    sets: np.ndarray
    values: np.ndarray


@njit(nogil=True, cache=True)
def empty_scans(pool, depth):
    """Make the memory of scans of a pool of this size, for sets of at most ``depth`` parents."""
    sets = np.empty((SCANS, depth), np.int32)
    return Scans(np.zeros(1, np.int64), sets, np.empty((SCANS, pool)))


@njit(nogil=True, cache=True)
def grow_parent_sets(scorer, pool, growth, barred, scans):
    """Score parent sets of a child by growing the best ones, one parent from the pool at a time.

    The first set has the required parents. Level ``k`` extends the ``beams[k]`` best sets with
    ``k`` further parents: the best ``wide[k]`` of them by every member of the (ascending) pool but
    ``barred``, the others by members that had a high score beside the best ones so far. Growth
    stops at a level whose best set is lower than the best one so far by ``slack``.

    Returns
    -------
    sets : (m, depth) int32 array
    scores : (m,) float array
    """
    sizes = scorer.prior.sizes
    depth, capacity = sizes.shape[0] - 1, 64
    sets = np.full((capacity, depth), -1, np.int32)
    scores = np.empty(capacity)
    r = scorer.required.shape[0]
    for i in range(r):
        sets[0, i] = scorer.required[i]
    scores[0] = log_score(scorer, scorer.required)
    active = np.zeros(pool.shape[0], np.bool_)
    m, level_start, best = 1, 0, scores[0]
    for k in range(min(growth.beams.shape[0], depth - r)):
        level_stop = m
        beam = argsort(-scores[level_start:level_stop])[: growth.beams[k]] + level_start
        least, gained = best - growth.slack, False
        for b in range(beam.shape[0]):
            base = scores[beam[b]]
            parents = sets[beam[b], : r + k].astype(np.int64)
            if b < growth.wide[k]:
                grown = _scan(scorer, parents, pool, growth.room, scans)
                for c in argsort(-grown)[:ACTIVE]:
                    active[c] = True
            else:
                grown = _grown_apart(scorer, parents, pool, growth.room, active)
            for c in range(pool.shape[0]):
                score = grown[c] + sizes[r + k + 1]
                if score < base - growth.margin or pool[c] == barred or grown[c] == -np.inf:
                    continue
                if m == capacity:
                    sets, scores = _double(sets, scores)
                    capacity *= 2
                insert_parent(parents, pool[c], sets[m])
                if _grown_before(sets, beam, b, r + k, sets[m]):
                    sets[m] = -1
                    continue
                scores[m] = score
                m += 1
                best, gained = max(best, score), gained or score > least
        level_start = level_stop
        if (not gained and k > 0) or m == level_stop:
            break
    return sets[:m], scores[:m]


_LISTED = types.Tuple([types.Array(types.int32, 2, "C"), types.Array(types.float64, 1, "C")])
_grow_apart = apart(grow_parent_sets, _LISTED)


@njit(nogil=True, cache=True)
def _scan(scorer, parents, pool, room, scans):
    """Scores of ``parents`` with each member of the pool, remembered if there is room."""
    used, k = scans.used, parents.shape[0]
    for a in range(used[0]):
        same = set_size(scans.sets[a]) == k
        for i in range(k if same else 0):
            same &= scans.sets[a, i] == parents[i]
        if same:
            return scans.values[a].copy()
    grown = _grown_apart(scorer, parents, pool, room, np.ones(pool.shape[0], np.bool_))
    if used[0] < scans.sets.shape[0]:
        scans.sets[used[0]] = -1
        for i in range(k):
            scans.sets[used[0], i] = parents[i]
        for c in range(grown.shape[0]):
            scans.values[used[0], c] = grown[c]
        used[0] += 1
    return grown


@njit(nogil=True, cache=True)
def _grown(scorer, parents, pool, room, active):
    """Scores of ``parents`` with each active member of the pool, without the prior of sizes.

    The score is minus infinity for members that are not active, that are among the parents, or
    with which the family has more free parameters than ``room``.
    """
    columns, prior = scorer.columns, scorer.prior
    offsets = columns.offsets
    parameters = n_parameters(offsets, scorer.child, parents)
    keep = active.copy()
    for c in range(pool.shape[0]):
        card = offsets[pool[c] + 1] - offsets[pool[c]]
        keep[c] &= parameters * card <= room and not _contains(parents, pool[c])
    scores = remembered_extensions(
        columns, scorer.lookup, scorer.child, parents, pool[keep], scorer.memory
    )
    grown, m, leaning = np.full(pool.shape[0], -np.inf), 0, total_leaning(prior, parents)
    for c in range(pool.shape[0]):
        if keep[c]:
            grown[c] = scores[m] + (leaning + prior.leaning[pool[c]])
            m += 1
    return grown


_grown_apart = apart(_grown, types.Array(types.float64, 1, "C"))


@njit(nogil=True, cache=True)
def _contains(values, x):
    """Say whether ``x`` is among the values."""
    for value in values:
        if value == x:
            return True
    return False


@njit(nogil=True, cache=True)
def _grown_before(sets, beam, b, k, new):
    """Say whether ``new`` is also an extension of an earlier set of the beam."""
    for a in range(b):
        inside = True
        for i in range(k):
            if not _contains(new[: k + 1], sets[beam[a], i]):
                inside = False
                break
        if inside:
            return True
    return False


@njit(nogil=True, cache=True)
def _double(sets, scores):
    """Copy the arrays into arrays of twice the length."""
    more = np.full(sets.shape, -1, np.int32)
    return np.concatenate((sets, more)), np.concatenate((scores, np.empty(scores.shape[0])))


@njit(nogil=True, cache=True)
def _best(sets, scores, listing):
    """Keep the best sets: at most ``max_sets``, none more than ``delta`` below the first."""
    order = argsort(-scores)[: listing.max_sets]
    m = 0
    while m < order.shape[0] and scores[order[m]] >= scores[order[0]] - listing.delta:
        m += 1
    return sets[order[:m]], scores[order[:m]]


@njit(nogil=True, cache=True)
def score_parent_sets(scorer, sets):
    """Scores of given parent sets, minus infinity with more free parameters than rows.

    The score is also minus infinity without the required parents. These alone always have a score.
    """
    offsets, n_rows = scorer.columns.offsets, scorer.columns.codes.shape[2]
    scores = np.empty(sets.shape[0])
    for a in range(sets.shape[0]):
        size = set_size(sets[a])
        parents = sets[a, :size].astype(np.int64)
        complete, more = True, size > scorer.required.shape[0]
        for u in scorer.required:
            complete &= _contains(parents, u)
        if not complete or (more and n_parameters(offsets, scorer.child, parents) > n_rows):
            scores[a] = -np.inf
        else:
            scores[a] = log_score(scorer, parents)
    return scores


@njit(nogil=True, cache=True)
def _subsets(scorer, row):
    """All proper subsets of one set that have the required parents, scored."""
    k = set_size(row)
    m = (1 << (k - scorer.required.shape[0])) - 1
    sets = np.full((m, row.shape[0]), -1, np.int32)
    for mask in range(m):
        size, bits = 0, mask
        for i in range(k):
            fixed = _contains(scorer.required, row[i])
            if fixed or bits & 1:
                sets[mask, size] = row[i]
                size += 1
            if not fixed:
                bits >>= 1
    return sets, score_parent_sets(scorer, sets)


_subsets_apart = apart(_subsets, _LISTED)


@njit(nogil=True, cache=True)
def _extensions(scorer, row, score, others, most):
    """Extend ``row`` by one of the others: the ``most`` best sets with a higher score."""
    columns, prior = scorer.columns, scorer.prior
    offsets, n_rows = columns.offsets, columns.codes.shape[2]
    k = set_size(row)
    parents = row[:k].astype(np.int64)
    parameters = n_parameters(offsets, scorer.child, parents)
    keep = np.ones(others.shape[0], np.bool_)
    for c in range(others.shape[0]):
        card = offsets[others[c] + 1] - offsets[others[c]]
        keep[c] = parameters * card <= n_rows and not _contains(parents, others[c])
    others = others[keep]
    grown = remembered_extensions(
        columns, scorer.lookup, scorer.child, parents, others, scorer.memory
    )
    grown += prior.sizes[min(k + 1, prior.sizes.shape[0] - 1)]
    grown += total_leaning(prior, parents) + prior.leaning[others]
    order = argsort(-grown)[:most]
    m = 0
    while m < order.shape[0] and grown[order[m]] > score:
        m += 1
    sets = np.full((m, row.shape[0]), -1, np.int32)
    for a in range(m):
        insert_parent(parents, others[order[a]], sets[a])
    return sets, grown[order[:m]]


_extensions_apart = apart(_extensions, _LISTED)


@njit(nogil=True, cache=True)
def swap_parents(scorer, pool, growth, row, score):
    """Exchange one parent that is not required for another of the pool, while the score rises.

    Returns
    -------
    sets : (m, depth) int32 array
        The sets that were scored, none lower than the first one by more than the margin.
    scores : (m,) float array
    """
    sizes, k = scorer.prior.sizes, set_size(row)
    sets, scores = np.empty((0, row.shape[0]), np.int32), np.empty(0)
    every, best, gained = np.ones(pool.shape[0], np.bool_), row.copy(), k > 0
    while gained:
        gained, centre = False, best[:k].astype(np.int64)
        for a in range(k):
            if _contains(scorer.required, centre[a]):
                continue
            rest = np.concatenate((centre[:a], centre[a + 1 :]))
            grown = _grown_apart(scorer, rest, pool, growth.room, every) + sizes[k]
            chosen = np.flatnonzero(grown >= score - growth.margin)
            more = np.full((chosen.shape[0], row.shape[0]), -1, np.int32)
            for c in range(chosen.shape[0]):
                insert_parent(rest, pool[chosen[c]], more[c])
                if grown[chosen[c]] > score:
                    score, gained = grown[chosen[c]], True
                    best = more[c].copy()
            sets, scores = np.concatenate((sets, more)), np.concatenate((scores, grown[chosen]))
    return sets, scores


_swap_apart = apart(swap_parents, _LISTED)


@njit(nogil=True, cache=True)
def _narrow(growth):
    """Give the limits of a search without one parent of the best set."""
    wide = np.zeros_like(growth.wide)
    wide[:NARROW_SCANS] = 1
    beams = np.minimum((growth.beams + 1) // 2, NARROW_BEAM)
    return Growth(beams, wide, growth.margin, growth.room, 0.0)


@njit(nogil=True, cache=True)
def explore_parent_sets(scorer, pool, others, growth, listing):
    """Parent sets of a child that are good in orders where the pool precedes the child.

    These are the best sets from the pool, grown and then improved by exchanges of one parent, and
    all subsets of some of them. For each member of the best set, they are also the best sets
    without this member: the sampler needs them in orders where the member follows the child.
    Extensions of the best set by one of ``others`` are for orders where it precedes the child.

    Returns
    -------
    sets : (m, depth) int32 array, the best set first, repetitions possible
    scores : (m,) float array
    """
    scans = empty_scans(pool.shape[0], scorer.prior.sizes.shape[0] - 1)
    sets, scores = _grow_apart(scorer, pool, growth, -1, scans)
    sets, scores = _best(sets, scores, listing)
    more, more_scores = _swap_apart(scorer, pool, growth, sets[0], scores[0])
    sets, scores = np.concatenate((sets, more)), np.concatenate((scores, more_scores))
    sets, scores = _best(sets, scores, listing)
    first, first_score = sets[0].copy(), scores[0]
    for a in range(min(listing.closed, sets.shape[0])):
        more, more_scores = _subsets_apart(scorer, sets[a])
        sets, scores = np.concatenate((sets, more)), np.concatenate((scores, more_scores))
    narrow = _narrow(growth)
    for u in first[: set_size(first)]:
        if _contains(scorer.required, u):
            continue
        more, more_scores = _grow_apart(scorer, pool, narrow, u, scans)
        more, more_scores = _best(more, more_scores, listing)
        subsets, subset_scores = _subsets_apart(scorer, more[0])
        sets = np.concatenate((sets, more, subsets))
        scores = np.concatenate((scores, more_scores, subset_scores))
    if set_size(first) < first.shape[0] and listing.extended > 0:
        more, more_scores = _extensions_apart(scorer, first, first_score, others, listing.extended)
        sets, scores = np.concatenate((sets, more)), np.concatenate((scores, more_scores))
    return sets, scores
