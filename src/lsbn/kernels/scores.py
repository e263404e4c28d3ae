"""Decomposable scores of families: BDeu, K2 and BIC, and BDeu of tables or trees.

Those of tables have one form. For a child with ``r`` states and parents with ``q`` configurations,

    score = constant(q, r) + sum_j [ sum_k T_jk(N_jk) - T_j(N_j) ]

with ``T(x) = lgamma(a + x) - lgamma(a)`` for BDeu (``a = ess / (q r)`` and ``ess / q``) and K2
(``a = 1`` and ``r``), and ``T(x) = x log x`` for BIC, whose constant is the penalty. Counts are
integers, so ``T`` is tabulated for each ``a`` that occurs; zero counts add nothing, and so the sum
runs over observed configurations only. Where trees are asked for, BDeu is averaged over a table and
all decision trees (`lsbn.kernels.trees`) of a family with two parents or more.

BDeu is the log evidence of the joint table of child and parents less that of the parents' table,
where the ``m`` cells of a table have the weight ``ess / m`` each. With dilution it is ``ess /
m**dilution``. Any such difference gives equivalent graphs the same score; what the weights of the
two tables add up to, ``A = ess * m**(1 - dilution)``, no longer cancels and makes the constant.
"""

import math

import numpy as np
from numba import njit

from lsbn.kernels.bits import and_into, count_and
from lsbn.kernels.subsets import log_add
from lsbn.kernels.trees import add_margins, average_trees, count_up, group_parents

BDEU, K2, BIC = 0, 1, 2
WIDTH = 2048
"""Counts below this are looked up; larger ones use Stirling's series, which is cheap there."""
_MAX_SLOTS = 512
_MAX_KEY = 4 * _MAX_SLOTS
_MASK_BYTES = 1 << 20
_MOST_LISTED = 1024
"""Families with more configurations than this have tables only."""


def score_tables(kind: int, ess: float, dilution: float = 1.0, trees: bool = False) -> tuple:
    """Make empty look-up tables for one score; they fill as they are used.

    The tuple ``(kind, (ess, dilution), slots, table, weights, used, trees)`` is what the kernels
    take. It is scratch space: give every thread its own.
    """
    slots = np.full(_MAX_KEY, -1, np.int32)
    table, weights = np.empty((_MAX_SLOTS, WIDTH)), np.empty(_MAX_SLOTS)
    return kind, (float(ess), float(dilution)), slots, table, weights, np.zeros(1, np.int64), trees


@njit(nogil=True, cache=True)
def log_gamma(x):
    """Logarithm of the gamma function of a positive number, to about 1e-13 relative."""
    shift = 0.0
    if x < 16.0:
        product = 1.0
        while x < 16.0:
            product *= x
            x += 1.0
        shift = math.log(product)
    y = 1.0 / (x * x)
    series = (1 / 12.0 - y * (1 / 360.0 - y * (1 / 1260.0 - y / 1680.0))) / x
    return (x - 0.5) * math.log(x) - x + 0.9189385332046727 + series - shift


@njit(nogil=True, cache=True)
def _term(kind, a, x):
    """``T(x)`` without a table."""
    if x == 0:
        return 0.0
    if kind == BIC:
        return x * math.log(x)
    return log_gamma(a + x) - log_gamma(a)


@njit(nogil=True, cache=True)
def _slot(tables, a):
    """Row of the table for pseudo-count ``a``, filled at first use; -1 where there is no room."""
    kind, _, slots, table, weights, used, _ = tables
    mantissa, exponent = math.frexp(a)
    key = (np.int64(mantissa * 2.0**40) + 31 * exponent) % _MAX_KEY
    while slots[key] >= 0 and weights[slots[key]] != a:
        key = (key + 1) % _MAX_KEY
    if slots[key] < 0 and used[0] < _MAX_SLOTS:
        slot = used[0]
        for x in range(WIDTH):
            table[slot, x] = _term(kind, a, x)
        weights[slot] = a
        slots[key] = slot
        used[0] += 1
    return slots[key]


@njit(nogil=True, cache=True)
def _slots(tables, q, r):
    """Pseudo-counts and table rows of a cell and of a configuration: ``a, slot, a, slot``."""
    kind, (ess, dilution) = tables[0], tables[1]
    if kind == BDEU:
        a_cell, a_row = ess / (q * r) ** dilution, ess / q**dilution
    elif kind == K2:
        a_cell, a_row = 1.0, float(r)
    else:
        a_cell, a_row = 0.0, 0.0
    return a_cell, _slot(tables, a_cell), a_row, _slot(tables, a_row)


@njit(nogil=True, cache=True, inline="always")
def _look(kind, table, slot, a, x):
    if x < WIDTH and slot >= 0:
        return table[slot, x]
    return _term(kind, a, x)


@njit(nogil=True, cache=True)
def _constant(tables, q, r, n_rows):
    kind, weight = tables[0], tables[1]
    if kind == BIC:
        return -0.5 * math.log(n_rows) * q * (r - 1)
    if kind == BDEU and weight[1] != 1.0:
        return _whole(weight, q, n_rows) - _whole(weight, q * r, n_rows)
    return 0.0


@njit(nogil=True, cache=True)
def _whole(weight, cells, n_rows):
    """``T(n_rows)`` for the weight of a whole table."""
    ess, dilution = weight
    a = ess * cells ** (1.0 - dilution)
    return log_gamma(a + n_rows) - log_gamma(a)


@njit(nogil=True, cache=True)
def family_score(words, offsets, codes, tables, child, parents):
    """Score of ``child`` with the given ``parents`` (an array of indices, ascending).

    Counts by bits where the table is small, by relabelled rows where it is not.
    """
    if tables[6] and parents.shape[0] > 1:
        first, last = parents[:-1], parents[-1:]
        return extension_scores(words, offsets, codes, tables, child, first, last)[0]
    r = offsets[child + 1] - offsets[child]
    n_words, n_rows = words.shape[1], codes.shape[1]
    q = 1.0
    for p in parents:
        q *= offsets[p + 1] - offsets[p]
    slots = _slots(tables, q, r)
    constant = _constant(tables, q, r, n_rows)
    if q * r * n_words < 20.0 * n_rows * (1 + parents.shape[0]):
        return constant + _score_by_bits(words, offsets, tables, slots, child, parents, n_rows)
    ids, n_ids = configurations(codes, offsets, parents)
    return constant + _score_by_rows(codes[child], r, ids, n_ids, tables, slots)


@njit(nogil=True, cache=True)
def _score_by_bits(words, offsets, tables, slots, child, parents, n_rows):
    """Walk the configurations depth first, leaving a branch as soon as it holds no row."""
    kind, table = tables[0], tables[3]
    a_cell, cell, a_row, row = slots
    p = parents.shape[0]
    base, r = offsets[child], offsets[child + 1] - offsets[child]
    masks = np.empty((p + 1, words.shape[1]), np.uint64)
    masks[0] = np.uint64(0xFFFFFFFFFFFFFFFF)
    size = np.empty(p + 1, np.int64)
    size[0] = n_rows
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
        total -= _look(kind, table, row, a_row, left)
        for k in range(r - 1):
            count = count_and(masks[p], words[base + k])
            left -= count
            total += _look(kind, table, cell, a_cell, count)
        total += _look(kind, table, cell, a_cell, left)
        depth -= 1
    return total


@njit(nogil=True, cache=True)
def configurations(codes, offsets, parents):
    """Label each row by its configuration of the parents, in order of first appearance.

    Labels stay below the number of rows whatever the number of parents.
    """
    n_rows = codes.shape[1]
    ids = np.zeros(n_rows, np.int64)
    n_ids = 1
    for p in parents:
        card = offsets[p + 1] - offsets[p]
        label = np.full(n_ids * card, -1, np.int64)
        n_new = 0
        for t in range(n_rows):
            key = ids[t] * card + codes[p, t]
            if label[key] < 0:
                label[key] = n_new
                n_new += 1
            ids[t] = label[key]
        n_ids = n_new
    return ids, n_ids


@njit(nogil=True, cache=True)
def _score_by_rows(child, r, ids, n_ids, tables, slots):
    kind, table = tables[0], tables[3]
    a_cell, cell, a_row, row = slots
    counts = np.zeros((n_ids, r), np.int64)
    for t in range(child.shape[0]):
        counts[ids[t], child[t]] += 1
    total = 0.0
    for j in range(n_ids):
        size = 0
        for k in range(r):
            size += counts[j, k]
            total += _look(kind, table, cell, a_cell, counts[j, k])
        total -= _look(kind, table, row, a_row, size)
    return total


@njit(nogil=True, cache=True)
def extension_scores(words, offsets, codes, tables, child, parents, candidates):
    """Scores of ``child`` with ``parents`` and one of the ``candidates``, for each candidate."""
    if not tables[6] or parents.shape[0] == 0:
        return _table_extensions(words, offsets, codes, tables, child, parents, candidates)
    cards = np.diff(offsets)
    few = np.prod(cards[parents]) * cards[candidates] <= _MOST_LISTED
    out = np.empty(candidates.shape[0])
    out[few] = _tree_extensions(words, offsets, codes, tables, child, parents, candidates[few])
    out[~few] = _table_extensions(words, offsets, codes, tables, child, parents, candidates[~few])
    return out


@njit(nogil=True, cache=True)
def _table_extensions(words, offsets, codes, tables, child, parents, candidates):
    """Scores of tables.

    The bit columns of every configuration of child and parents are made once; a candidate then
    costs one AND and popcount per cell. Where they would not fit in cache, rows are labelled once
    and a candidate costs one pass over the rows.
    """
    r = offsets[child + 1] - offsets[child]
    q = 1.0
    for p in parents:
        q *= offsets[p + 1] - offsets[p]
    n_words, n_rows = words.shape[1], codes.shape[1]
    out = np.empty(candidates.shape[0])
    if q * r * n_words * 8 <= _MASK_BYTES and q * r * n_words < 20.0 * n_rows:
        masks, sizes, _ = _family_masks(words, offsets, child, parents, np.int64(q), r)
        for c in range(candidates.shape[0]):
            u = candidates[c]
            out[c] = _extend_by_bits(words, offsets, tables, masks, sizes, q, r, u, n_rows)
    else:
        ids, n_ids = configurations(codes, offsets, parents)
        for c in range(candidates.shape[0]):
            u = candidates[c]
            card = offsets[u + 1] - offsets[u]
            slots = _slots(tables, q * card, r)
            joint = ids * card + codes[u]
            score = _score_by_rows(codes[child], r, joint, n_ids * card, tables, slots)
            out[c] = score + _constant(tables, q * card, r, n_rows)
    return out


@njit(nogil=True, cache=True)
def _family_masks(words, offsets, child, parents, q, r):
    """Bit columns of each observed configuration of parents (rows) and child state.

    ``masks[j * r + k]`` and ``sizes[j * r + k]`` for configuration ``labels[j]`` and state ``k``.
    """
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
    return masks, sizes, labels[:n_current]


@njit(nogil=True, cache=True)
def _extend_by_bits(words, offsets, tables, masks, sizes, q, r, u, n_rows):
    kind, table = tables[0], tables[3]
    base, card = offsets[u], offsets[u + 1] - offsets[u]
    a_cell, cell, a_row, row = _slots(tables, q * card, r)
    total = _constant(tables, q * card, r, n_rows)
    rows = np.empty(card, np.int64)
    for j in range(sizes.shape[0] // r):
        rows[:] = 0
        for k in range(r):
            left = sizes[j * r + k]
            if left == 0:
                continue
            for s in range(card - 1):
                count = count_and(masks[j * r + k], words[base + s])
                if count > 0:
                    left -= count
                    rows[s] += count
                    total += _look(kind, table, cell, a_cell, count)
            rows[card - 1] += left
            total += _look(kind, table, cell, a_cell, left)
        for s in range(card):
            total -= _look(kind, table, row, a_row, rows[s])
    return total


@njit(nogil=True, cache=True)
def _tree_extensions(words, offsets, codes, tables, child, parents, candidates):
    """Scores of families that have a table or a tree, one as likely as the other."""
    r = offsets[child + 1] - offsets[child]
    cards = np.diff(offsets)
    q = np.prod(cards[parents])
    by_bits = q * r * words.shape[1] < 20 * codes.shape[1]
    if by_bits:
        masks, sizes, labels = _family_masks(words, offsets, child, parents, q, r)
    else:
        joint, step = codes[child].astype(np.int64), r
        for p in parents:
            joint += codes[p] * step
            step *= cards[p]
    out = np.empty(candidates.shape[0])
    for c in range(candidates.shape[0]):
        u = candidates[c]
        if by_bits:
            columns = words[offsets[u] : offsets[u + 1]]
            counts = _counts_by_bits(columns, masks, sizes, labels, q, r)
        else:
            counts = np.bincount(joint + codes[u] * step, minlength=step * cards[u]).reshape(-1, r)
        place = np.searchsorted(parents, u)
        family = np.concatenate((cards[parents[:place]], cards[u : u + 1], cards[parents[place:]]))
        counts = _move_last(counts, np.prod(family[:place]), cards[u])
        out[c] = _tree_score(counts, group_parents(family), tables)
    return out


@njit(nogil=True, cache=True)
def _move_last(counts, low, card):
    """Move the digit of the last parent down to where its place value is ``low``."""
    if low * card == counts.shape[0]:
        return counts
    high = counts.shape[0] // (low * card)
    out = np.empty_like(counts)
    for s in range(card):
        for h in range(high):
            for i in range(low):
                out[(h * card + s) * low + i] = counts[(s * high + h) * low + i]
    return out


@njit(nogil=True, cache=True)
def _counts_by_bits(columns, masks, sizes, labels, q, r):
    """Count the child's states in each configuration of parents and one more."""
    last = columns.shape[0] - 1
    counts = np.zeros((last + 1, q, r), np.int64)
    for j in range(labels.shape[0]):
        for k in range(r):
            left = sizes[j * r + k]
            for s in range(last if left else 0):
                count = count_and(masks[j * r + k], columns[s])
                counts[s, labels[j], k] = count
                left -= count
            counts[last, labels[j], k] = left
    return counts.reshape(-1, r)


@njit(nogil=True, cache=True)
def _tree_score(counts, cards, tables):
    """Average of a table and of all trees for these counts."""
    wide = add_margins(counts, cards)
    leaf, all_fixed = _leaves(wide, cards, tables)
    if cards.shape[0] == 1:
        return all_fixed
    trees = average_trees(leaf, wide[:, -1], cards)
    return all_fixed if trees == -np.inf else log_add(all_fixed, trees) - math.log(2.0)


@njit(nogil=True, cache=True)
def _leaves(wide, cards, tables):
    """Score of the child alone in each context, and the sum where all parents are fixed.

    Contexts that fix the same parents share the constant alike.
    """
    kind, table = tables[0], tables[3]
    k, r = cards.shape[0], wide.shape[1] - 1
    slots, shares = [], np.empty(1 << k)
    for mask in range(1 << k):
        part = 1.0
        for i in range(k):
            part *= cards[i] if mask >> i & 1 else 1
        slots.append(_slots(tables, part, r))
        shares[mask] = _constant(tables, part, r, wide[-1, r]) / part
    leaf = np.zeros(wide.shape[0])
    all_fixed = 0.0
    digits, bases = np.zeros(k, np.int64), cards + 1
    for c in range(wide.shape[0]):
        mask = 0
        for i in range(k):
            mask |= (digits[i] < cards[i]) << i
        a_cell, cell, a_row, row = slots[mask]
        total = shares[mask] - _look(kind, table, row, a_row, wide[c, r])
        for state in range(r):
            total += _look(kind, table, cell, a_cell, wide[c, state])
        leaf[c] = total
        if mask == (1 << k) - 1:
            all_fixed += total
        count_up(digits, bases)
    return leaf, all_fixed
