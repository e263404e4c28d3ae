"""Decomposable scores of families: BDeu, K2, BIC, and the mixed score.

Those of tables have one form. For a child with ``r`` states and parents with ``q`` configurations,

    score = constant(q, r) + sum_j [ sum_k T_jk(N_jk) - T_j(N_j) ]

with ``T(x) = lgamma(a + x) - lgamma(a)`` for BDeu (``a = ess / (q r)`` and ``ess / q``) and K2
(``a = 1`` and ``r``), and ``T(x) = x log x`` for BIC, whose constant is the penalty. Zero counts
add nothing, and so the sum runs over observed configurations only. The mixed score
(`lsbn.kernels.mixture`) takes the counts of a family as a whole.

BDeu, K2 and the mixed score are log probabilities of the child's column given the parents' columns.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import types

from lsbn.kernels.apart import apart
from lsbn.kernels.bits import add_states, and_into, count_and, count_cells, state_of
from lsbn.kernels.borrowed import borrowed
from lsbn.kernels.jit import njit
from lsbn.kernels.lookup import BIC, MIXED, family_slots, log_term
from lsbn.kernels.mixture import mixed_score_apart

_MASK_BYTES = 1 << 20
"""Most bytes of the bit columns of one family, which should stay in the cache of the processor."""
_ROW_COST = 20
"""Words ANDed and counted in the time in which a pass over the rows reads one of them."""
_MOST_LISTED = 1024
"""Only configurations that occur are counted in a family with more configurations than this."""


class FamilyMasks(NamedTuple):
    """Bit columns of the observed configurations of the parents, with each state of the child.

    Attributes
    ----------
    masks : (m * r, n_words) uint64 array
        ``masks[j * r + k]`` marks the rows with the configuration ``j`` and the child's state
        ``k``.
    sizes : (m * r,) int64 array
        Number of these rows.
    labels : (m,) int64 array
        Number of the configuration ``j`` in mixed base, the first parent the lowest digit.
    """

    masks: np.ndarray
    sizes: np.ndarray
    labels: np.ndarray


@njit(nogil=True, cache=True)
def _constant(lookup, q, r, n_rows):
    """Constant of the score: the penalty of BIC, else 0."""
    if lookup.kind == BIC:
        return -0.5 * math.log(n_rows) * q * (r - 1)
    return 0.0


@njit(nogil=True, cache=True)
def n_configurations(offsets, variables):
    """Product of the numbers of states, as a float: it may be large."""
    total = 1.0
    for v in variables:
        total *= offsets[v + 1] - offsets[v]
    return total


@njit(nogil=True, cache=True)
def n_parameters(offsets, child, parents):
    """Free parameters of the table of a family."""
    return n_configurations(offsets, parents) * (offsets[child + 1] - offsets[child] - 1)


@njit(nogil=True, cache=True)
def family_score(columns, lookup, child, parents):
    """Score of ``child`` with the given ``parents`` (an array of indices, ascending)."""
    if lookup.kind != MIXED:
        return _table_score_apart(columns, lookup, child, parents)
    if parents.shape[0] > 0:
        first, last = parents[:-1], parents[-1:]
        return extension_scores_apart(columns, lookup, child, first, last)[0]
    r = columns.offsets[child + 1] - columns.offsets[child]
    counts = np.zeros((1, r), np.int64)
    for t in range(columns.codes.shape[2]):
        counts[0, state_of(columns.codes, child, t)] += 1
    return mixed_score_apart(counts, parents, lookup)


family_score_apart = apart(family_score, types.float64)


@njit(nogil=True, cache=True)
def _table_score(columns, lookup, child, parents):
    """Score of a table. Small tables are counted by bits, large ones by rows."""
    words, offsets, codes = columns
    r = offsets[child + 1] - offsets[child]
    n_words, n_rows = words.shape[1], codes.shape[2]
    q = n_configurations(offsets, parents)
    slots = family_slots(lookup, q, r)
    constant = _constant(lookup, q, r, n_rows)
    if q * r * n_words < float(_ROW_COST) * n_rows * (1 + parents.shape[0]):
        return constant + _score_by_bits(columns, lookup, slots, child, parents)
    ids, n_ids = configurations(codes, offsets, parents)
    return constant + _score_by_rows(codes, child, r, ids, n_ids, lookup, slots)


_table_score_apart = apart(_table_score, types.float64)


@njit(nogil=True, cache=True)
def _score_by_bits(columns, lookup, slots, child, parents):
    """Walk the configurations depth first, leaving a branch as soon as it holds no row."""
    columns, lookup = borrowed(columns), borrowed(lookup)
    words, offsets = columns.words, columns.offsets
    kind, table = lookup.kind, lookup.table
    a_cell, cell, a_row, row = slots
    p = parents.shape[0]
    base, r = offsets[child], offsets[child + 1] - offsets[child]
    masks = np.empty((p + 1, words.shape[1]), np.uint64)
    masks[0] = np.uint64(0xFFFFFFFFFFFFFFFF)
    size = np.empty(p + 1, np.int64)
    size[0] = columns.codes.shape[2]
    state = np.zeros(p + 1, np.int64)
    total, depth = 0.0, 0
    while depth >= 0:
        if depth < p:
            v = parents[depth]
            if state[depth] < offsets[v + 1] - offsets[v]:
                column = words[offsets[v] + state[depth]]
                state[depth] += 1
                size[depth + 1] = and_into(masks[depth], column, masks[depth + 1])
                if size[depth + 1] > 0:
                    depth += 1
                    state[depth] = 0
            else:
                depth -= 1
            continue
        left = size[p]
        total -= log_term(kind, table, row, a_row, left)
        for k in range(r - 1):
            count = count_and(masks[p], words[base + k])
            left -= count
            total += log_term(kind, table, cell, a_cell, count)
        total += log_term(kind, table, cell, a_cell, left)
        depth -= 1
    return total


@njit(nogil=True, cache=True)
def configurations(codes, offsets, parents):
    """Label each row by its configuration of the parents, in order of first appearance.

    Labels stay below the number of rows whatever the number of parents.
    """
    n_rows = codes.shape[2]
    ids = np.zeros(n_rows, np.int64)
    n_ids = 1
    for p in parents:
        card = offsets[p + 1] - offsets[p]
        label = np.full(n_ids * card, -1, np.int64)
        n_new = 0
        for t in range(n_rows):
            key = ids[t] * card + state_of(codes, p, t)
            if label[key] < 0:
                label[key] = n_new
                n_new += 1
            ids[t] = label[key]
        n_ids = n_new
    return ids, n_ids


@njit(nogil=True, cache=True)
def _score_by_rows(codes, child, r, ids, n_ids, lookup, slots):
    """Count the child's states for each label of the rows, and sum the terms of the counts."""
    kind, table = lookup.kind, lookup.table
    a_cell, cell, a_row, row = slots
    counts = np.zeros((n_ids, r), np.int64)
    for t in range(ids.shape[0]):
        counts[ids[t], state_of(codes, child, t)] += 1
    total = 0.0
    for j in range(n_ids):
        size = 0
        for k in range(r):
            size += counts[j, k]
            total += log_term(kind, table, cell, a_cell, counts[j, k])
        total -= log_term(kind, table, row, a_row, size)
    return total


@njit(nogil=True, cache=True)
def extension_scores(columns, lookup, child, parents, candidates):
    """Scores of ``child`` with ``parents`` and one of the ``candidates``, for each candidate."""
    if candidates.shape[0] == 0:
        return np.empty(0)
    if lookup.kind != MIXED:
        return _table_extensions_apart(columns, lookup, child, parents, candidates)
    q = n_configurations(columns.offsets, parents)
    small = np.empty(candidates.shape[0], np.bool_)
    for c in range(candidates.shape[0]):
        u = candidates[c]
        small[c] = q * (columns.offsets[u + 1] - columns.offsets[u]) <= _MOST_LISTED
    if small.all():
        return _mixed_extensions_apart(columns, lookup, child, parents, candidates)
    few = _mixed_extensions_apart(columns, lookup, child, parents, candidates[small])
    many = _large_extensions_apart(columns, lookup, child, parents, candidates[~small])
    out, a = np.empty(candidates.shape[0]), 0
    for c in range(candidates.shape[0]):
        out[c] = few[a] if small[c] else many[c - a]
        a += small[c]
    return out


_SCORES = types.Array(types.float64, 1, "C")
extension_scores_apart = apart(extension_scores, _SCORES)


@njit(nogil=True, cache=True)
def _table_extensions(columns, lookup, child, parents, candidates):
    """Scores of tables.

    The bit columns of every configuration of child and parents are made once; a candidate then
    costs one AND and popcount per cell. If they would not fit in cache, rows are labelled once
    and a candidate costs one pass over the rows.
    """
    words, offsets, codes = columns
    r = offsets[child + 1] - offsets[child]
    q = n_configurations(offsets, parents)
    n_words, n_rows = words.shape[1], codes.shape[2]
    out = np.empty(candidates.shape[0])
    if q * r * n_words * 8 <= _MASK_BYTES and q * r * n_words < float(_ROW_COST) * n_rows:
        family = _family_masks(columns, child, parents, np.int64(q), r)
        for c in range(candidates.shape[0]):
            out[c] = _extend_by_bits(columns, lookup, family, q, r, candidates[c])
    else:
        ids, n_ids = configurations(codes, offsets, parents)
        for c in range(candidates.shape[0]):
            u = candidates[c]
            card = offsets[u + 1] - offsets[u]
            slots = family_slots(lookup, q * card, r)
            joint = ids * card
            add_states(codes, u, 1, joint)
            score = _score_by_rows(codes, child, r, joint, n_ids * card, lookup, slots)
            out[c] = score + _constant(lookup, q * card, r, n_rows)
    return out


_table_extensions_apart = apart(_table_extensions, _SCORES)


@njit(nogil=True, cache=True)
def _family_masks(columns, child, parents, q, r):
    """Make the bit columns of a family, parent by parent."""
    columns = borrowed(columns)
    words, offsets = columns.words, columns.offsets
    n_words = words.shape[1]
    current = np.empty((q, n_words), np.uint64)
    current[0] = np.uint64(0xFFFFFFFFFFFFFFFF)
    labels, n_current, step = np.zeros(q, np.int64), 1, 1
    for p in parents:
        new, new_labels = np.empty((q, n_words), np.uint64), np.empty(q, np.int64)
        n_new = 0
        for j in range(n_current):
            for s in range(offsets[p + 1] - offsets[p]):
                if and_into(current[j], words[offsets[p] + s], new[n_new]) > 0:
                    new_labels[n_new] = labels[j] + s * step
                    n_new += 1
        current, labels, n_current = new, new_labels, n_new
        step *= offsets[p + 1] - offsets[p]
    masks = np.empty((n_current * r, n_words), np.uint64)
    sizes = np.empty(n_current * r, np.int64)
    for j in range(n_current):
        for k in range(r):
            m = j * r + k
            sizes[m] = and_into(current[j], words[offsets[child] + k], masks[m])
    return FamilyMasks(masks, sizes, labels[:n_current])


@njit(nogil=True, cache=True)
def _extend_by_bits(columns, lookup, family, q, r, u):
    """Score of a family with one more parent ``u``, from the bit columns of the family."""
    columns, lookup, family = borrowed(columns), borrowed(lookup), borrowed(family)
    words, offsets = columns.words, columns.offsets
    masks, sizes = family.masks, family.sizes
    kind, table = lookup.kind, lookup.table
    base, card = offsets[u], offsets[u + 1] - offsets[u]
    a_cell, cell, a_row, row = family_slots(lookup, q * card, r)
    total = _constant(lookup, q * card, r, columns.codes.shape[2])
    rows, cells = np.empty(card, np.int64), np.empty((r, card - 1), np.int64)
    for j in range(sizes.shape[0] // r):
        rows[:] = 0
        count_cells(masks, sizes, j * r, words, base, cells)
        for k in range(r):
            left = sizes[j * r + k]
            if left == 0:
                continue
            for s in range(card - 1):
                count = cells[k, s]
                if count > 0:
                    left -= count
                    rows[s] += count
                    total += log_term(kind, table, cell, a_cell, count)
            rows[card - 1] += left
            total += log_term(kind, table, cell, a_cell, left)
        for s in range(card):
            total -= log_term(kind, table, row, a_row, rows[s])
    return total


@njit(nogil=True, cache=True)
def _mixed_extensions(columns, lookup, child, parents, candidates):
    """Mixed scores of families whose configurations are few enough to count all of them."""
    words, offsets, codes = columns
    out = np.empty(candidates.shape[0])
    if candidates.shape[0] == 0:
        return out
    cards = offsets[1:] - offsets[:-1]
    r, q = cards[child], np.prod(cards[parents])
    by_bits = q * r * words.shape[1] < _ROW_COST * codes.shape[2]
    if by_bits:
        family = _family_masks(columns, child, parents, q, r)
    else:
        joint, step = np.zeros(codes.shape[2], np.int64), r
        add_states(codes, child, 1, joint)
        for p in parents:
            add_states(codes, p, step, joint)
            step *= cards[p]
    above = np.empty(parents.shape[0] + 1, np.int64)
    for i in range(parents.shape[0]):
        above[i] = cards[parents[i]]
    for c in range(candidates.shape[0]):
        u = candidates[c]
        above[-1] = cards[u]
        if by_bits:
            counts = _counts_by_bits(words[offsets[u] : offsets[u + 1]], family, q, r)
        else:
            cells = joint.copy()
            add_states(codes, u, step, cells)
            counts = np.bincount(cells, minlength=step * cards[u]).reshape(-1, r)
        out[c] = mixed_score_apart(counts, above, lookup)
    return out


_mixed_extensions_apart = apart(_mixed_extensions, _SCORES)


@njit(nogil=True, cache=True)
def _large_extensions(columns, lookup, child, parents, candidates):
    """Mixed scores of families with many configurations: only those that occur are counted."""
    offsets, codes = columns.offsets, columns.codes
    out = np.empty(candidates.shape[0])
    cards = offsets[1:] - offsets[:-1]
    r = cards[child]
    ids, n_ids = configurations(codes, offsets, parents)
    for c in range(candidates.shape[0]):
        u = candidates[c]
        counts = np.zeros((n_ids * cards[u], r), np.int64)
        for t in range(codes.shape[2]):
            state = state_of(codes, child, t)
            counts[ids[t] * cards[u] + state_of(codes, u, t), state] += 1
        out[c] = mixed_score_apart(counts, cards[:0], lookup)
    return out


_large_extensions_apart = apart(_large_extensions, _SCORES)


@njit(nogil=True, cache=True)
def _counts_by_bits(states, family, q, r):
    """Count the child's states in each configuration of parents and one more.

    ``states`` are the bit columns of the parent that is added.
    """
    family, states = borrowed(family), borrowed(states)
    masks, sizes, labels = family.masks, family.sizes, family.labels
    last = states.shape[0] - 1
    counts, cells = np.zeros((last + 1, q, r), np.int64), np.empty((r, last), np.int64)
    for j in range(labels.shape[0]):
        count_cells(masks, sizes, j * r, states, 0, cells)
        for k in range(r):
            left = sizes[j * r + k]
            for s in range(last):
                counts[s, labels[j], k] = cells[k, s]
                left -= cells[k, s]
            counts[last, labels[j], k] = left
    return counts.reshape(-1, r)
