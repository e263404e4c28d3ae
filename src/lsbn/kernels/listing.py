"""Lists of parent sets for the order sampler: bit masks over few candidates.

A parent set is a row of ascending indices padded with -1, or a mask over candidates.
"""

import numpy as np

from lsbn.kernels.jit import njit
from lsbn.kernels.sorting import stable_argsort
from lsbn.kernels.subsets import log_add

_LIGHT = 4.0
"""A set is light if a subset has a log score that is higher by more than this, in nats.

A variable that is no parent has such a score beside all others. In a table of andes these sets
left no room for a parent that brings 1,381 nats if the edge has the other direction."""
_BEHIND_ALL = float(1 << 32)
"""What light sets are behind others in the order of admission: more than all stamps differ."""


@njit(nogil=True, cache=True)
def set_size(row):
    """Count the members of a set."""
    k = 0
    while k < row.shape[0] and row[k] >= 0:
        k += 1
    return k


@njit(nogil=True, cache=True)
def insert_parent(parents, x, row):
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
def list_parent_sets(sets, scores, stamps, most_candidates, margin):
    """Turn sets into bit masks over at most ``most_candidates`` candidates, best score first.

    Candidates are admitted set by set: light sets last, then the latest stamp first, of equal
    stamps the best score first. Left out are sets with a member that is not admitted, repeated
    sets, and sets with a proper subset whose score is higher by more than ``margin``.

    Returns
    -------
    candidates, masks, scores, rows : arrays
        ``rows`` are the indices of the listed sets in ``sets``.
    """
    by_score = stable_argsort(-scores)
    late = stamps[by_score].astype(np.float64)
    if _n_members(sets) > most_candidates:
        late -= _light(sets[by_score], scores[by_score]) * _BEHIND_ALL
    admission = by_score[stable_argsort(-late)]
    candidates = np.empty(64, np.int32)
    n_candidates = 0
    masks = np.zeros(sets.shape[0], np.uint64)
    rows = np.empty(sets.shape[0], np.int64)
    m = 0
    for s in admission:
        mask, new = np.uint64(0), n_candidates
        for k in range(set_size(sets[s])):
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
    order = stable_argsort(-scores[rows])
    masks, rows = masks[order], rows[order]
    keep = undominated(masks, scores[rows], margin)
    masks, rows = masks[keep], rows[keep]
    used, masks = compress(masks)
    return candidates[used], masks, scores[rows], rows


@njit(nogil=True, cache=True)
def _n_members(sets):
    """Count the variables in the sets."""
    last = -1
    for row in sets:
        for member in row:
            last = max(last, member)
    seen = np.zeros(last + 1, np.bool_)
    for row in sets:
        for k in range(set_size(row)):
            seen[row[k]] = True
    return seen.sum()


@njit(nogil=True, cache=True)
def _light(sets, scores):
    """Mark the sets, sorted by falling score, with a subset that is better by `_LIGHT` nats."""
    m = sets.shape[0]
    light, bits = np.zeros(m, np.bool_), np.zeros(m, np.uint64)
    for a in range(m):
        for k in range(set_size(sets[a])):
            bits[a] |= np.uint64(1) << np.uint64(sets[a, k] % 64)
        for b in range(a):
            if scores[b] <= scores[a] + _LIGHT:
                break
            if not light[b] and bits[b] & ~bits[a] == 0 and _is_subset(sets[b], sets[a]):
                light[a] = True
                break
    return light


@njit(nogil=True, cache=True)
def _is_subset(few, many):
    """Return whether all members of a set are in another; both are ascending."""
    place, size = 0, set_size(many)
    for k in range(set_size(few)):
        while place < size and many[place] < few[k]:
            place += 1
        if place == size or many[place] != few[k]:
            return False
    return True


@njit(nogil=True, cache=True)
def _distinct(masks, rows):
    """Keep the first of equal masks; the result is sorted by mask."""
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
    used, m = np.empty(64, np.int64), 0
    for i in range(64):
        if union >> np.uint64(i) & np.uint64(1):
            used[m] = i
            m += 1
    used = used[:m]
    out = np.zeros_like(masks)
    for a in range(masks.shape[0]):
        for b in range(used.shape[0]):
            bit = masks[a] >> np.uint64(used[b]) & np.uint64(1)
            out[a] |= bit << np.uint64(b)
    return used, out


@njit(nogil=True, cache=True)
def compress_lists(set_start, masks, cand_start, cand):
    """Drop the candidates that no set of their variable has: ``(masks, cand_start, cand)``."""
    n = set_start.shape[0] - 1
    out, kept = np.empty_like(masks), np.empty_like(cand)
    start = np.zeros(n + 1, np.int64)
    for v in range(n):
        used, own = compress(masks[set_start[v] : set_start[v + 1]])
        out[set_start[v] : set_start[v + 1]] = own
        start[v + 1] = start[v] + used.shape[0]
        for a in range(used.shape[0]):
            kept[start[v] + a] = cand[cand_start[v] + used[a]]
    return out, start, kept[: start[n]].copy()


@njit(nogil=True, cache=True)
def sum_over_allowed(set_start, masks, scores, cand_start, cand, n):
    """Sum over the members ``n`` and above, which are always allowed.

    Sets that are equal without these members become one set. Its score is the log of the sum of
    their exponential scores. The sets of each variable stay sorted by falling score.

    Returns
    -------
    set_start, masks, scores : arrays
    """
    start, m = np.zeros_like(set_start), 0
    out, sums = np.empty_like(masks), np.empty_like(scores)
    for v in range(set_start.shape[0] - 1):
        kept, first = np.uint64(0), m
        for c in range(cand_start[v], cand_start[v + 1]):
            if cand[c] < n:
                kept |= np.uint64(1) << np.uint64(c - cand_start[v])
        for s in range(set_start[v], set_start[v + 1]):
            a, mask = first, masks[s] & kept
            while a < m and out[a] != mask:
                a += 1
            if a == m:
                m += 1
                score = scores[s]
            else:
                score = log_add(sums[a], scores[s])
            while a > first and sums[a - 1] < score:
                out[a], sums[a] = out[a - 1], sums[a - 1]
                a -= 1
            out[a], sums[a] = mask, score
        start[v + 1] = m
    return start, out[:m].copy(), sums[:m].copy()


@njit(nogil=True, cache=True)
def preceding(sets, child, keys):
    """Mark the sets whose members all precede the child in the order of ``keys``."""
    marks = np.ones(sets.shape[0], np.bool_)
    for a in range(sets.shape[0]):
        for k in range(sets.shape[1]):
            if sets[a, k] < 0:
                break
            if not keys[sets[a, k]] < keys[child]:
                marks[a] = False
                break
    return marks


@njit(nogil=True, cache=True)
def best_row(sets, scores, child, keys):
    """Return the first of the best sets whose members all precede the child."""
    marks, best = preceding(sets, child, keys), -1
    for a in range(sets.shape[0]):
        if marks[a] and (best < 0 or scores[a] > scores[best]):
            best = a
    return max(best, 0)


@njit(nogil=True, cache=True)
def admission(family, child, orders, delta, first):
    """Stamps of sets for `list_parent_sets`: ``first`` for the good sets in one of the orders.

    ``family`` is (sets, scores, stamps). A set is good if it is within ``delta`` of the best set
    that precedes the child. The smallest set has the stamp ``first + 1``, unless it is empty.
    """
    sets, scores, stamps = family
    out, least = stamps.copy(), sets.shape[1]
    for a in range(orders.shape[0]):
        marks, best = preceding(sets, child, orders[a]), -np.inf
        for s in range(sets.shape[0]):
            if marks[s]:
                best = max(best, scores[s])
        for s in range(sets.shape[0]):
            if marks[s] and scores[s] > best - delta:
                out[s] = first
    for s in range(sets.shape[0]):
        least = min(least, set_size(sets[s]))
    for s in range(sets.shape[0]):
        if 0 < least == set_size(sets[s]):
            out[s] = first + 1
    return out


@njit(nogil=True, cache=True)
def required_mask(masks):
    """Members that all sets of a variable have: its required parents, if they are listed alone."""
    shared = ~np.uint64(0)
    for mask in masks:
        shared &= mask
    return shared


@njit(nogil=True, cache=True)
def undominated(masks, scores, margin):
    """Mark the sets, sorted by falling score, without a subset that is better by ``margin``."""
    keep = np.ones(masks.shape[0], np.bool_)
    for a in range(masks.shape[0]):
        for b in range(a):
            if scores[b] <= scores[a] + margin:
                break
            if keep[b] and (masks[b] & ~masks[a]) == 0:
                keep[a] = False
                break
    return keep


@njit(nogil=True, cache=True)
def undominated_lists(set_start, masks, scores, margin):
    """`undominated` for the sets of each variable."""
    keep = np.empty(masks.shape[0], np.bool_)
    for v in range(set_start.shape[0] - 1):
        own = slice(set_start[v], set_start[v + 1])
        keep[own] = undominated(masks[own], scores[own], margin)
    return keep
