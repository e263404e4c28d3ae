"""Search for parent sets of one variable, scored on bit columns, and their lists for the sampler.

A parent set is a row of ascending indices padded with -1.
"""

import numpy as np
from numba import njit

from lsbn.kernels.direction import log_prior, total_leaning
from lsbn.kernels.scores import extension_scores, family_score, n_parameters

ACTIVE = 32
"""Members of the pool that one scan of the whole pool recommends to the other sets of the beam."""
SCANS = 96
"""Scans of the pool that are remembered while the parents of one child are searched."""


@njit(nogil=True, cache=True)
def empty_scans(pool, depth):
    """Room for scans of the pool that later searches of the same child may need again."""
    return np.zeros(1, np.int64), np.empty((SCANS, depth), np.int32), np.empty((SCANS, pool))


@njit(nogil=True, cache=True)
def grow_parent_sets(
    words, offsets, codes, lookup, child, pool, beams, wide, prior, margin, room, barred, scans
):
    """Score parent sets of ``child`` by growing the best ones, one parent from the pool at a time.

    Level ``k`` extends the ``beams[k]`` best sets of size ``k``: the best ``wide[k]`` of them by
    every member of the (ascending) pool but ``barred``, the others by those members that did well
    beside the best ones so far. A family never has more free parameters than ``room``.
    Growth stops when a level brings no new best. The log ``prior`` is added to the score of a set.
    Listed are the sets that come within ``margin`` of the set they grew from.
    ``scans`` are remembered from search to search: see `empty_scans`.

    Returns
    -------
    sets : (m, len(prior) - 1) int32 array
    scores : (m,) float array
    """
    depth = prior.sizes.shape[0] - 1
    capacity = 64
    sets = np.full((capacity, depth), -1, np.int32)
    scores = np.empty(capacity)
    scores[0] = prior.sizes[0] + family_score(
        words, offsets, codes, lookup, child, np.empty(0, np.int64)
    )
    active = np.zeros(pool.shape[0], np.bool_)
    m, level_start, best = 1, 0, scores[0]
    for k in range(min(beams.shape[0], depth)):
        level_stop = m
        beam = np.argsort(-scores[level_start:level_stop])[: beams[k]] + level_start
        gained = False
        for b in range(beam.shape[0]):
            base = scores[beam[b]]
            parents = sets[beam[b], :k].astype(np.int64)
            if b < wide[k]:
                grown = _scan(
                    words, offsets, codes, lookup, child, parents, pool, prior, room, scans
                )
                active[np.argsort(-grown)[:ACTIVE]] = True
            else:
                grown = _grown(
                    words, offsets, codes, lookup, child, parents, pool, prior, room, active
                )
            for c in range(pool.shape[0]):
                score = grown[c] + prior.sizes[k + 1]
                if score < base - margin or pool[c] == barred or grown[c] == -np.inf:
                    continue
                if m == capacity:
                    sets, scores = _double(sets, scores)
                    capacity *= 2
                _insert(parents, pool[c], sets[m])
                if _grown_before(sets, beam, b, k, sets[m]):
                    sets[m] = -1
                    continue
                scores[m] = score
                m += 1
                if score > best:
                    best = score
                    gained = True
        level_start = level_stop
        if (not gained and k > 0) or m == level_stop:
            break
    return sets[:m], scores[:m]


@njit(nogil=True, cache=True)
def _scan(words, offsets, codes, lookup, child, parents, pool, prior, room, scans):
    """Scores of ``parents`` with each member of the pool, remembered if there is room."""
    count, keys, values = scans
    k = parents.shape[0]
    for a in range(count[0]):
        if _size(keys[a]) == k and np.all(keys[a, :k] == parents):
            return values[a].copy()
    everyone = np.ones(pool.shape[0], np.bool_)
    grown = _grown(words, offsets, codes, lookup, child, parents, pool, prior, room, everyone)
    if count[0] < keys.shape[0]:
        keys[count[0]] = -1
        keys[count[0], :k] = parents
        values[count[0]] = grown
        count[0] += 1
    return grown


@njit(nogil=True, cache=True)
def _grown(words, offsets, codes, lookup, child, parents, pool, prior, room, active):
    """Scores of ``parents`` with each active member of the pool for which there is room.

    It is minus infinity for the others.
    """
    parameters = n_parameters(offsets, child, parents)
    keep = active.copy()
    for c in range(pool.shape[0]):
        card = offsets[pool[c] + 1] - offsets[pool[c]]
        keep[c] &= parameters * card <= room and not _contains(parents, pool[c])
    chosen = np.flatnonzero(keep)
    grown = np.full(pool.shape[0], -np.inf)
    grown[chosen] = extension_scores(words, offsets, codes, lookup, child, parents, pool[chosen])
    grown[chosen] += total_leaning(prior, parents) + prior.leaning[pool[chosen]]
    return grown


@njit(nogil=True, cache=True)
def _contains(values, x):
    for value in values:
        if value == x:
            return True
    return False


@njit(nogil=True, cache=True)
def _insert(parents, x, row):
    """Write ``parents`` with ``x`` into ``row``, ascending."""
    k = 0
    while k < parents.shape[0] and parents[k] < x:
        row[k] = parents[k]
        k += 1
    row[k] = x
    while k < parents.shape[0]:
        row[k + 1] = parents[k]
        k += 1


@njit(nogil=True, cache=True)
def _grown_before(sets, beam, b, k, new):
    """Say whether ``new`` has grown from an earlier set of the beam, too."""
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
    wide = np.full((2 * sets.shape[0], sets.shape[1]), -1, np.int32)
    wide[: sets.shape[0]] = sets
    more = np.empty(2 * scores.shape[0])
    more[: scores.shape[0]] = scores
    return wide, more


@njit(nogil=True, cache=True)
def _best(sets, scores, most, delta):
    """Keep the best sets: at most ``most``, none more than ``delta`` below the first."""
    order = np.argsort(-scores)[:most]
    m = 0
    while m < order.shape[0] and scores[order[m]] >= scores[order[0]] - delta:
        m += 1
    return sets[order[:m]], scores[order[:m]]


@njit(nogil=True, cache=True)
def _size(row):
    k = 0
    while k < row.shape[0] and row[k] >= 0:
        k += 1
    return k


@njit(nogil=True, cache=True)
def score_parent_sets(words, offsets, codes, lookup, child, sets, prior):
    """Scores of given parent sets of ``child``."""
    scores = np.empty(sets.shape[0])
    for a in range(sets.shape[0]):
        size = _size(sets[a])
        parents = sets[a, :size].astype(np.int64)
        if size > 0 and n_parameters(offsets, child, parents) > codes.shape[1]:
            scores[a] = -np.inf
            continue
        score = family_score(words, offsets, codes, lookup, child, parents)
        scores[a] = score + log_prior(prior, parents)
    return scores


@njit(nogil=True, cache=True)
def _subsets(words, offsets, codes, lookup, child, row, prior):
    """All proper subsets of one set, scored."""
    k = _size(row)
    m = (1 << k) - 1
    sets = np.full((m, row.shape[0]), -1, np.int32)
    for mask in range(m):
        size = 0
        for i in range(k):
            if mask >> i & 1:
                sets[mask, size] = row[i]
                size += 1
    return sets, score_parent_sets(words, offsets, codes, lookup, child, sets, prior)


@njit(nogil=True, cache=True)
def _extensions(words, offsets, codes, lookup, child, row, score, others, prior, most):
    """Extend ``row`` by one more: the ``most`` best sets, if they gain."""
    k = _size(row)
    parents = row[:k].astype(np.int64)
    parameters = n_parameters(offsets, child, parents)
    grown = extension_scores(words, offsets, codes, lookup, child, parents, others)
    for c in range(others.shape[0]):
        card = offsets[others[c] + 1] - offsets[others[c]]
        if _contains(parents, others[c]) or parameters * card > codes.shape[1]:
            grown[c] = -np.inf
    grown += prior.sizes[min(k + 1, prior.sizes.shape[0] - 1)]
    grown += total_leaning(prior, parents) + prior.leaning[others]
    order = np.argsort(-grown)[:most]
    m = 0
    while m < order.shape[0] and grown[order[m]] > score:
        m += 1
    sets = np.full((m, row.shape[0]), -1, np.int32)
    for a in range(m):
        _insert(parents, others[order[a]], sets[a])
    return sets, grown[order[:m]]


@njit(nogil=True, cache=True)
def explore_parent_sets(
    words, offsets, codes, lookup, child, pool, others, beams, wide, prior, limits
):
    """Parent sets that matter while the parents of ``child`` come from the pool.

    These are the best sets from the pool and the subsets of the best few; the best ones when a
    member of the first is taken out of the pool, so that the sampler knows what is left when the
    member moves behind the child; and the first with one more from ``others``, so that the sampler
    knows what a variable that is now behind the child would bring.

    ``limits = (margin, room, delta, most, closed, extended)``: see `grow_parent_sets` for margin
    and room; of each search at most ``most`` sets within ``delta`` of its best are listed; the
    number of sets whose subsets are listed, and of extensions.

    Returns
    -------
    sets : (m, depth) int32 array, the best set first, repetitions possible
    scores : (m,) float array
    """
    margin, room, delta, most, closed, extended = limits
    scans = empty_scans(pool.shape[0], prior.sizes.shape[0] - 1)
    sets, scores = grow_parent_sets(
        words, offsets, codes, lookup, child, pool, beams, wide, prior, margin, room, -1, scans
    )
    sets, scores = _best(sets, scores, most, delta)
    first, first_score = sets[0].copy(), scores[0]
    for a in range(min(closed, sets.shape[0])):
        more, more_scores = _subsets(words, offsets, codes, lookup, child, sets[a], prior)
        sets, scores = np.concatenate((sets, more)), np.concatenate((scores, more_scores))
    # A parent that shows only beside two others is found by a scan of the pool at the third level.
    few, narrow = np.minimum((beams + 1) // 2, 6), np.zeros_like(wide)
    narrow[:3] = 1
    for u in first[: _size(first)]:
        more, more_scores = grow_parent_sets(
            words, offsets, codes, lookup, child, pool, few, narrow, prior, margin, room, u, scans
        )
        more, more_scores = _best(more, more_scores, most, delta)
        below, below_scores = _subsets(words, offsets, codes, lookup, child, more[0], prior)
        sets = np.concatenate((sets, more, below))
        scores = np.concatenate((scores, more_scores, below_scores))
    if _size(first) < first.shape[0] and extended > 0:
        more, more_scores = _extensions(
            words, offsets, codes, lookup, child, first, first_score, others, prior, extended
        )
        sets, scores = np.concatenate((sets, more)), np.concatenate((scores, more_scores))
    return sets, scores


@njit(nogil=True, cache=True)
def list_parent_sets(sets, scores, stamps, most_candidates, margin):
    """Turn sets into bit masks over at most ``most_candidates`` candidates, best score first.

    Candidates are admitted set by set, those with the latest stamp first and the best scores
    first among them; sets with a member that is not admitted are left out, and so are repeated
    sets and those that a proper subset beats by ``margin``.

    Returns
    -------
    candidates, masks, scores, rows : arrays
        ``rows`` are the indices of the listed sets in ``sets``.
    """
    by_score = np.argsort(-scores, kind="mergesort")
    admission = by_score[np.argsort(-stamps[by_score], kind="mergesort")]
    candidates = np.empty(64, np.int32)
    n_candidates = 0
    masks = np.zeros(sets.shape[0], np.uint64)
    rows = np.empty(sets.shape[0], np.int64)
    m = 0
    for s in admission:
        mask, new = np.uint64(0), n_candidates
        for k in range(_size(sets[s])):
            position = 0
            while position < new and candidates[position] != sets[s, k]:
                position += 1
            if position == most_candidates:
                new = -1
                break
            if position == new:
                candidates[new] = sets[s, k]
                new += 1
            mask |= np.uint64(1) << np.uint64(position)
        if new >= 0:
            n_candidates = new
            masks[m] = mask
            rows[m] = s
            m += 1
    masks, rows = _distinct(masks[:m], rows[:m])
    order = np.argsort(-scores[rows], kind="mergesort")
    masks, rows = masks[order], rows[order]
    keep = undominated(masks, scores[rows], margin)
    masks, rows = masks[keep], rows[keep]
    used, masks = compress(masks)
    return candidates[used], masks, scores[rows], rows


@njit(nogil=True, cache=True)
def _distinct(masks, rows):
    order = np.argsort(masks, kind="mergesort")
    keep = np.ones(order.shape[0], np.bool_)
    for a in range(1, order.shape[0]):
        keep[a] = masks[order[a]] != masks[order[a - 1]]
    order = order[keep]
    return masks[order], rows[order]


@njit(nogil=True, cache=True)
def compress(masks):
    """Drop the bit positions that no mask uses."""
    union = np.uint64(0)
    for mask in masks:
        union |= mask
    used = np.array([i for i in range(64) if union >> np.uint64(i) & np.uint64(1)], np.int64)
    out = np.zeros_like(masks)
    for a in range(masks.shape[0]):
        for b in range(used.shape[0]):
            bit = masks[a] >> np.uint64(used[b]) & np.uint64(1)
            out[a] |= bit << np.uint64(b)
    return used, out


@njit(nogil=True, cache=True)
def undominated(masks, scores, margin):
    """Mark the sets, sorted by falling score, that no proper subset beats by ``margin``."""
    keep = np.ones(masks.shape[0], np.bool_)
    for a in range(masks.shape[0]):
        for b in range(a):
            if scores[b] <= scores[a] + margin:
                break
            if keep[b] and (masks[b] & ~masks[a]) == 0:
                keep[a] = False
                break
    return keep
