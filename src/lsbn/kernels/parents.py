"""Search for parent sets of one variable: a beam over growing sets, scored on bit columns."""

import numpy as np
from numba import njit

from lsbn.kernels.scores import extension_scores, family_score


@njit(nogil=True, cache=True)
def grow_parent_sets(words, offsets, codes, tables, child, pool, beams, penalty, margin):
    """Score parent sets of ``child`` by growing the best ones, one parent from the pool at a time.

    Level ``k`` extends the ``beams[k]`` best sets of size ``k`` by every member of the pool and
    stops when no extension gains on its best subset any more. ``penalty[k]`` is added to the score
    of a set of size ``k``. Listed are the sets that come within ``margin`` of the set they grew
    from.

    Returns
    -------
    sets : (m, len(beams)) int32 array, padded with -1, members ascending
    scores : (m,) float array
    """
    depth = beams.shape[0]
    capacity = 64
    sets = np.full((capacity, depth), -1, np.int32)
    scores = np.empty(capacity)
    none = np.empty(0, np.int64)
    scores[0] = family_score(words, offsets, codes, tables, child, none) + penalty[0]
    m = 1
    level_start = 0
    best = scores[0]
    for k in range(depth):
        level_stop = m
        chosen = np.argsort(-scores[level_start:level_stop])[: beams[k]] + level_start
        gained = False
        for s in chosen:
            parents = sets[s, :k].astype(np.int64)
            gains = extension_scores(words, offsets, codes, tables, child, parents, pool)
            gains += penalty[k + 1]
            for c in range(pool.shape[0]):
                if gains[c] < scores[s] - margin or _contains(parents, pool[c]):
                    continue
                new = _insert(parents, pool[c], depth)
                if _listed(sets, level_stop, m, new):
                    continue
                if m == capacity:
                    sets, scores = _double(sets, scores)
                    capacity *= 2
                sets[m] = new
                scores[m] = gains[c]
                m += 1
                if gains[c] > best:
                    best = gains[c]
                    gained = True
        level_start = level_stop
        if (not gained and k > 0) or m == level_stop:
            break
    return sets[:m], scores[:m]


@njit(nogil=True, cache=True)
def _contains(values, x):
    for value in values:
        if value == x:
            return True
    return False


@njit(nogil=True, cache=True)
def _insert(parents, x, depth):
    """Sorted copy of ``parents`` with ``x``, padded to ``depth``."""
    new = np.full(depth, -1, np.int32)
    k = 0
    for p in parents:
        if p < x:
            new[k] = p
            k += 1
    new[k] = x
    for p in parents[k:]:
        k += 1
        new[k] = p
    return new


@njit(nogil=True, cache=True)
def _listed(sets, start, stop, new):
    for s in range(start, stop):
        same = True
        for k in range(new.shape[0]):
            if sets[s, k] != new[k]:
                same = False
                break
        if same:
            return True
    return False


@njit(nogil=True, cache=True)
def _double(sets, scores):
    wide = np.full((2 * sets.shape[0], sets.shape[1]), -1, np.int32)
    wide[: sets.shape[0]] = sets
    more = np.empty(2 * scores.shape[0])
    more[: scores.shape[0]] = scores
    return wide, more


@njit(nogil=True, cache=True)
def undominated(masks, scores, margin):
    """Mark the sets, sorted by falling score, that no proper subset beats by ``margin``."""
    m = masks.shape[0]
    keep = np.ones(m, np.bool_)
    for a in range(m):
        for b in range(a):
            if scores[b] <= scores[a] + margin:
                break
            if keep[b] and (masks[b] & ~masks[a]) == 0:
                keep[a] = False
                break
    return keep
