"""Conditional-independence tests: G2, X2 and conditional mutual information.

The statistic of ``x`` and ``y`` given a set is

    G2 = 2 sum_z sum_ab N_abz log(N_abz N_z / (N_az N_bz)) = 2 N I(x; y | given)

Tables are sparse if the set has several members. So the degrees of freedom are counted in each
stratum over the observed rows and columns of the table: ``(rows - 1)(columns - 1)``. A set that
determines ``x`` or ``y`` leaves no degree of freedom. The test is then vacuous, and callers must
not take it for independence.

In strata with few rows G2 is larger than its degrees of freedom on average, even under
independence. Pearson's statistic, with ``N_z - 1`` for ``N_z`` in each stratum,

    X2 = sum_z (N_z - 1) (sum_ab N_abz^2 / (N_az N_bz) - 1)

has the degrees of freedom as its mean for any margins, so it is better for large sets.
"""

import math

import numpy as np

from lsbn.kernels.bits import and_into, count_and, state_of
from lsbn.kernels.gamma import log_gamma
from lsbn.kernels.jit import njit
from lsbn.kernels.scores import configurations

_ROW_COST = 20.0
"""Words ANDed and counted in the time in which a pass over the rows reads one of them."""


@njit(nogil=True, cache=True)
def g_test(data, x, y, given):
    """G2 of ``x`` and ``y`` given a set, and its degrees of freedom: see `statistics`."""
    g2, _, dof = statistics(data, x, y, given)
    return g2, dof


@njit(nogil=True, cache=True)
def statistics(data, x, y, given):
    """G2 and X2 of ``x`` and ``y`` given a set, and their degrees of freedom.

    Parameters
    ----------
    data : CountedColumns
    x, y : int
    given : int array

    Returns
    -------
    g2 : float
        Twice the number of rows times the conditional mutual information in nats; at least 0.
    x2 : float
    dof : int
        0 where the test is vacuous: in no stratum do both ``x`` and ``y`` vary.
    """
    words, offsets, codes, _ = data
    rx = offsets[x + 1] - offsets[x]
    ry = offsets[y + 1] - offsets[y]
    n_words, n_rows = words.shape[1], codes.shape[2]
    cells = float(rx * ry)
    for z in given:
        cells *= offsets[z + 1] - offsets[z]
    if cells * n_words < _ROW_COST * n_rows * (1 + given.shape[0]):
        return _by_bits(data, x, y, given)
    order, start = rows_by_stratum(codes, offsets, given)
    in_x, in_y = column_states(codes, x), column_states(codes, y)
    return by_strata(in_x, rx, in_y, ry, order, start, data.xlogx)


@njit(nogil=True, cache=True)
def _by_bits(data, x, y, given):
    """Walk the strata depth first, leaving a branch as soon as it holds less than two rows."""
    words, offsets = data.words, data.offsets
    p = given.shape[0]
    rx, ry = offsets[x + 1] - offsets[x], offsets[y + 1] - offsets[y]
    table = np.empty((rx, ry), np.int64)
    masks = np.empty((p + 2, words.shape[1]), np.uint64)
    masks[0] = np.uint64(0xFFFFFFFFFFFFFFFF)
    size = np.empty(p + 1, np.int64)
    size[0] = data.codes.shape[2]
    state = np.zeros(p + 1, np.int64)
    g2, x2, dof, depth = 0.0, 0.0, 0, 0
    while depth >= 0:
        if depth < p:
            z = given[depth]
            if state[depth] < offsets[z + 1] - offsets[z]:
                column = words[offsets[z] + state[depth]]
                state[depth] += 1
                size[depth + 1] = and_into(masks[depth], column, masks[depth + 1])
                if size[depth + 1] > 1:
                    depth += 1
                    state[depth] = 0
            else:
                depth -= 1
            continue
        _stratum_by_bits(words, offsets[x], offsets[y], masks, p, size[p], table)
        part, pearson, df = _stratum(table, size[p], data.xlogx)
        g2 += part
        x2 += pearson
        dof += df
        depth -= 1
    return 2.0 * max(0.0, g2), x2, dof


@njit(nogil=True, cache=True)
def _stratum_by_bits(words, ox, oy, masks, p, size, table):
    """Count the table of one stratum; the last row and column follow from the margins."""
    rx, ry = table.shape
    mask, joint = masks[p], masks[p + 1]
    left = size
    for b in range(ry - 1):
        table[rx - 1, b] = count_and(mask, words[oy + b])
        left -= table[rx - 1, b]
    table[rx - 1, ry - 1] = left
    for a in range(rx - 1):
        left = and_into(mask, words[ox + a], joint)
        for b in range(ry - 1):
            cell = count_and(joint, words[oy + b]) if left > 0 else 0
            table[a, b] = cell
            table[rx - 1, b] -= cell
            left -= cell
        table[a, ry - 1] = left
        table[rx - 1, ry - 1] -= left


@njit(nogil=True, cache=True)
def _stratum(table, size, xlogx):
    """Half of G2, X2 and the degrees of freedom of one table of counts."""
    rx, ry = table.shape
    total, ratio = xlogx[size], 0.0
    n_a, n_b = 0, 0
    margins = np.zeros(rx, np.int64)
    for a in range(rx):
        for b in range(ry):
            margins[a] += table[a, b]
            total += xlogx[table[a, b]]
        total -= xlogx[margins[a]]
        n_a += margins[a] > 0
    for b in range(ry):
        margin, part = 0, 0.0
        for a in range(rx):
            margin += table[a, b]
            if table[a, b] > 0:
                part += table[a, b] * table[a, b] / margins[a]
        total -= xlogx[margin]
        if margin > 0:
            ratio += part / margin
            n_b += 1
    if n_a < 2 or n_b < 2:
        return 0.0, 0.0, 0
    return total, (size - 1) * (ratio - 1.0), (n_a - 1) * (n_b - 1)


@njit(nogil=True, cache=True)
def column_states(codes, v):
    """Copy the states of a variable; a test of sorted rows reads each of them several times."""
    out = np.empty(codes.shape[2], np.uint16)
    for t in range(out.shape[0]):
        out[t] = state_of(codes, v, t)
    return out


@njit(nogil=True, cache=True)
def rows_by_stratum(codes, offsets, given):
    """Rows sorted by the configuration of a set, and where each configuration starts."""
    ids, n_ids = configurations(codes, offsets, given)
    start = np.zeros(n_ids + 1, np.int64)
    for t in range(ids.shape[0]):
        start[ids[t] + 1] += 1
    for j in range(n_ids):
        start[j + 1] += start[j]
    free = start[:-1].copy()
    order = np.empty(ids.shape[0], np.int64)
    for t in range(ids.shape[0]):
        order[free[ids[t]]] = t
        free[ids[t]] += 1
    return order, start


@njit(nogil=True, cache=True)
def by_strata(x, rx, y, ry, order, start, xlogx):
    """G2, X2 and degrees of freedom of two columns, with the rows sorted by `rows_by_stratum`."""
    table = np.zeros((rx, ry), np.int64)
    in_x, in_y = np.zeros(rx, np.int64), np.zeros(ry, np.int64)
    g2, x2, dof = 0.0, 0.0, 0
    for j in range(start.shape[0] - 1):
        if start[j + 1] - start[j] < 2:
            continue
        rows = order[start[j] : start[j + 1]]
        part, pearson, df = _stratum_by_rows(x, y, rows, table, in_x, in_y, xlogx)
        g2 += part
        x2 += pearson
        dof += df
    return 2.0 * max(0.0, g2), x2, dof


@njit(nogil=True, cache=True)
def _stratum_by_rows(x, y, rows, table, in_x, in_y, xlogx):
    """`_stratum` from rows, in time proportional to their number.

    ``table`` and the margins are zero on entry and on return.
    """
    total, ratio = xlogx[rows.shape[0]], 0.0
    n_a, n_b = 0, 0
    for t in rows:
        table[x[t], y[t]] += 1
        in_x[x[t]] += 1
        in_y[y[t]] += 1
    for t in rows:
        a, b = x[t], y[t]
        total += xlogx[table[a, b]]
        ratio += table[a, b] * table[a, b] / (in_x[a] * in_y[b])
        table[a, b] = 0
    for t in rows:
        a, b = x[t], y[t]
        if in_x[a] > 0:
            total -= xlogx[in_x[a]]
            n_a += 1
            in_x[a] = 0
        if in_y[b] > 0:
            total -= xlogx[in_y[b]]
            n_b += 1
            in_y[b] = 0
    if n_a < 2 or n_b < 2:
        return 0.0, 0.0, 0
    return total, (rows.shape[0] - 1) * (ratio - 1.0), (n_a - 1) * (n_b - 1)


@njit(nogil=True, cache=True)
def log_chi2_sf(x, dof):
    """Logarithm of the upper tail probability of a chi-squared variable; no underflow.

    The series for the lower tail or the continued fraction (Lentz) for the upper one, whichever
    converges at ``x``. No degree of freedom means no evidence: 0, which is the logarithm of 1.
    """
    if dof <= 0 or x <= 0.0:
        return 0.0
    a, h = 0.5 * dof, 0.5 * x
    scale = a * math.log(h) - h - log_gamma(a)
    if h < a + 1.0:
        term = 1.0 / a
        total = term
        k = a
        while term > 1e-15 * total:
            k += 1.0
            term *= h / k
            total += term
        return math.log1p(-min(math.exp(scale) * total, 1.0 - 1e-16))
    b = h + 1.0 - a
    c = 1e300
    d = 1.0 / b
    fraction = d
    for i in range(1, 100_000):
        an = -i * (i - a)
        b += 2.0
        d = an * d + b
        d = 1.0 / (d if abs(d) > 1e-300 else 1e-300)
        c = b + an / c
        if abs(c) < 1e-300:
            c = 1e-300
        step = d * c
        fraction *= step
        if abs(step - 1.0) < 1e-14:
            break
    return scale + math.log(fraction)


@njit(nogil=True, cache=True)
def conditional_mi(data, x, y, given):
    """Conditional mutual information of ``x`` and ``y`` given a set, in nats."""
    return g_test(data, x, y, given)[0] / (2.0 * data.codes.shape[2])


@njit(nogil=True, cache=True)
def information_strip(data, low, high):
    """Mutual information of the pairs ``x < y`` with ``low <= x < high``, else 0.

    On one thread, unlike `lsbn.kernels.counts.pair_strip`: learners run inside workers.
    """
    n = data.offsets.shape[0] - 1
    none = np.empty(0, np.int64)
    out = np.zeros((high - low, n))
    for x in range(low, high):
        for y in range(x + 1, n):
            out[x - low, y] = conditional_mi(data, x, y, none)
    return out


@njit(nogil=True, cache=True)
def dependent_strip(data, low, high, log_alpha):
    """List the pairs ``x < y`` with ``low <= x < high`` whose log p-value is at most the level."""
    n = data.offsets.shape[0] - 1
    none = np.empty(0, np.int64)
    pairs = np.empty(((high - low) * n, 2), np.int64)
    m = 0
    for x in range(low, high):
        for y in range(x + 1, n):
            g2, dof = g_test(data, x, y, none)
            if dof > 0 and log_chi2_sf(g2, dof) <= log_alpha:
                pairs[m] = x, y
                m += 1
    return pairs[:m].copy()


@njit(nogil=True, cache=True)
def pair_log_p_values(data, pairs):
    """Log p-values of the marginal tests of some pairs; 0 where a test is vacuous."""
    none, out = np.empty(0, np.int64), np.zeros(pairs.shape[0])
    for e in range(pairs.shape[0]):
        g2, dof = g_test(data, pairs[e, 0], pairs[e, 1], none)
        if dof > 0:
            out[e] = log_chi2_sf(g2, dof)
    return out


@njit(nogil=True, cache=True)
def mediated(data, x, y, given, log_alpha):
    """Say whether a member of the set depends on ``x`` given ``y``, and on ``y`` given ``x``.

    The rest of the set is also given. A vacuous test of ``x`` and ``y`` is evidence of independence
    only in this case. Let ``z`` be a copy of ``x``: the test given ``z`` is vacuous, but so is the
    test of ``z`` and ``y`` given ``x``, and ``y`` may be a neighbour of either.
    """
    rest = given.copy()
    for k in range(given.shape[0]):
        z = given[k]
        rest[k] = y
        g2, dof = g_test(data, x, z, rest)
        tied = dof > 0 and log_chi2_sf(g2, dof) <= log_alpha
        if tied:
            rest[k] = x
            g2, dof = g_test(data, y, z, rest)
            tied = dof > 0 and log_chi2_sf(g2, dof) <= log_alpha
        rest[k] = z
        if tied:
            return True
    return False


@njit(nogil=True, cache=True)
def independent(data, x, y, given, log_alpha):
    """Say whether the set separates ``x`` and ``y``: a p-value above the level.

    If the test is vacuous, without a degree of freedom, the set separates only if a member carries
    the dependence: see `mediated`.
    """
    g2, dof = g_test(data, x, y, given)
    if dof == 0:
        return mediated(data, x, y, given, log_alpha)
    return log_chi2_sf(g2, dof) > log_alpha
