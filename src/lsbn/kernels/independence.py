"""Conditional-independence tests: G2, X2 and conditional mutual information.

The statistic of ``x`` and ``y`` given a set is

    G2 = 2 sum_z sum_ab N_abz log(N_abz N_z / (N_az N_bz)) = 2 N I(x; y | given)

Tables are sparse as soon as the set has a few members, so degrees of freedom are counted stratum
by stratum over what was observed: ``(rows - 1)(columns - 1)`` with rows and columns that hold at
least one observation. A set that determines ``x`` or ``y`` leaves no degree of freedom at all: the
test is then vacuous, which callers must not take for independence.

G2 exceeds its degrees of freedom where strata hold a few rows each, independent or not. Pearson's
statistic, with ``N_z - 1`` for ``N_z`` in each stratum,

    X2 = sum_z (N_z - 1) (sum_ab N_abz^2 / (N_az N_bz) - 1)

has exactly as many as its mean whatever the margins are, so it serves large sets better.
"""

import math

import numpy as np
from numba import njit

from lsbn.kernels.bits import and_into, count_and
from lsbn.kernels.combinatorics import next_subset
from lsbn.kernels.lookup import log_gamma
from lsbn.kernels.scores import configurations

_ROW_COST = 20.0
"""Words ANDed and counted in the time in which a pass over the rows reads one of them."""


@njit(nogil=True, cache=True)
def g_test(words, offsets, codes, xlogx, x, y, given):
    """G2 of ``x`` and ``y`` given a set, and its degrees of freedom: see `statistics`."""
    g2, _, dof = statistics(words, offsets, codes, xlogx, x, y, given)
    return g2, dof


@njit(nogil=True, cache=True)
def statistics(words, offsets, codes, xlogx, x, y, given):
    """G2 and X2 of ``x`` and ``y`` given a set, and their degrees of freedom.

    Parameters
    ----------
    words, offsets : arrays
        Bit columns, see `lsbn.kernels.bits.bit_columns`.
    codes : (n, rows) array
    xlogx : (rows + 1,) float array
        See `lsbn.kernels.counts.tabulate_xlogx`.
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
    rx = offsets[x + 1] - offsets[x]
    ry = offsets[y + 1] - offsets[y]
    n_words, n_rows = words.shape[1], codes.shape[1]
    cells = float(rx * ry)
    for z in given:
        cells *= offsets[z + 1] - offsets[z]
    if cells * n_words < _ROW_COST * n_rows * (1 + given.shape[0]):
        return _by_bits(words, offsets, xlogx, x, y, given, n_rows)
    ids, n_ids = configurations(codes, offsets, given)
    return _by_rows(codes[x], rx, codes[y], ry, ids, n_ids, xlogx)


@njit(nogil=True, cache=True)
def _by_bits(words, offsets, xlogx, x, y, given, n_rows):
    """Walk the strata depth first, leaving a branch as soon as it holds no row."""
    p = given.shape[0]
    rx, ry = offsets[x + 1] - offsets[x], offsets[y + 1] - offsets[y]
    table = np.empty((rx, ry), np.int64)
    masks = np.empty((p + 2, words.shape[1]), np.uint64)
    masks[0] = np.uint64(0xFFFFFFFFFFFFFFFF)
    size = np.empty(p + 1, np.int64)
    size[0] = n_rows
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
        part, pearson, df = _stratum(table, size[p], xlogx)
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
def _by_rows(x, rx, y, ry, ids, n_ids, xlogx):
    """Sort the rows by stratum, then count one small table after the other."""
    n_rows = x.shape[0]
    start = np.zeros(n_ids + 1, np.int64)
    for t in range(n_rows):
        start[ids[t] + 1] += 1
    for j in range(n_ids):
        start[j + 1] += start[j]
    free = start[:-1].copy()
    order = np.empty(n_rows, np.int64)
    for t in range(n_rows):
        order[free[ids[t]]] = t
        free[ids[t]] += 1
    table = np.zeros((rx, ry), np.int64)
    in_x, in_y = np.zeros(rx, np.int64), np.zeros(ry, np.int64)
    g2, x2, dof = 0.0, 0.0, 0
    for j in range(n_ids):
        rows = order[start[j] : start[j + 1]]
        if rows.shape[0] < 2:
            continue
        part, pearson, df = _stratum_by_rows(x, y, rows, table, in_x, in_y, xlogx)
        g2 += part
        x2 += pearson
        dof += df
    return 2.0 * max(0.0, g2), x2, dof


@njit(nogil=True, cache=True)
def _stratum_by_rows(x, y, rows, table, in_x, in_y, xlogx):
    """Touch only what is observed: ``table`` and margins are zero on entry and on return."""
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
def conditional_mi(words, offsets, codes, xlogx, x, y, given):
    """Conditional mutual information of ``x`` and ``y`` given a set, in nats."""
    return g_test(words, offsets, codes, xlogx, x, y, given)[0] / (2.0 * codes.shape[1])


@njit(nogil=True, cache=True)
def information_strip(words, offsets, codes, xlogx, low, high):
    """Mutual information of the pairs ``x < y`` with ``low <= x < high``, else 0.

    On one thread, unlike `lsbn.kernels.counts.pair_strip`: learners run inside workers.
    """
    n = offsets.shape[0] - 1
    none = np.empty(0, np.int64)
    out = np.zeros((high - low, n))
    for x in range(low, high):
        for y in range(x + 1, n):
            out[x - low, y] = conditional_mi(words, offsets, codes, xlogx, x, y, none)
    return out


@njit(nogil=True, cache=True)
def dependent_strip(words, offsets, codes, xlogx, low, high, log_alpha):
    """List the pairs ``x < y`` with ``low <= x < high`` whose log p-value is at most the level."""
    n = offsets.shape[0] - 1
    none = np.empty(0, np.int64)
    pairs = np.empty(((high - low) * n, 2), np.int64)
    m = 0
    for x in range(low, high):
        for y in range(x + 1, n):
            g2, dof = g_test(words, offsets, codes, xlogx, x, y, none)
            if dof > 0 and log_chi2_sf(g2, dof) <= log_alpha:
                pairs[m] = x, y
                m += 1
    return pairs[:m].copy()


@njit(nogil=True, cache=True)
def pair_log_p_values(words, offsets, codes, xlogx, pairs):
    """Log p-values of the marginal tests of some pairs; 0 where a test is vacuous."""
    none, out = np.empty(0, np.int64), np.zeros(pairs.shape[0])
    for e in range(pairs.shape[0]):
        g2, dof = g_test(words, offsets, codes, xlogx, pairs[e, 0], pairs[e, 1], none)
        if dof > 0:
            out[e] = log_chi2_sf(g2, dof)
    return out


@njit(nogil=True, cache=True)
def mediated(words, offsets, codes, xlogx, x, y, given, log_alpha):
    """Say whether some member of the set depends on ``x`` and on ``y``, all the others given.

    This is what makes a vacuous test of ``x`` and ``y`` credible. Let ``z`` be a copy of ``x``:
    given ``z`` nothing is left to learn of ``x``, but given ``x`` nothing is left to learn of
    ``z`` either, and ``y`` may belong to the one as well as to the other.
    """
    rest = given.copy()
    for k in range(given.shape[0]):
        z = given[k]
        rest[k] = y
        g2, dof = g_test(words, offsets, codes, xlogx, x, z, rest)
        tied = dof > 0 and log_chi2_sf(g2, dof) <= log_alpha
        if tied:
            rest[k] = x
            g2, dof = g_test(words, offsets, codes, xlogx, y, z, rest)
            tied = dof > 0 and log_chi2_sf(g2, dof) <= log_alpha
        rest[k] = z
        if tied:
            return True
    return False


@njit(nogil=True, cache=True)
def independent(words, offsets, codes, xlogx, x, y, given, log_alpha):
    """Say whether the set separates ``x`` and ``y``: a p-value above the level.

    Where the test is vacuous, no degree of freedom left, the set separates only if the dependence
    is seen to pass through it, see `mediated`.
    """
    g2, dof = g_test(words, offsets, codes, xlogx, x, y, given)
    if dof == 0:
        return mediated(words, offsets, codes, xlogx, x, y, given, log_alpha)
    return log_chi2_sf(g2, dof) > log_alpha


@njit(nogil=True, cache=True)
def separate(words, offsets, codes, xlogx, pairs, indptr, neighbours, size, log_alpha):
    """Look for a set of ``size`` neighbours of either end that separates each pair.

    Parameters
    ----------
    words, offsets, codes, xlogx : arrays
        The data, see `g_test`.
    pairs : (m, 2) int array
    indptr, neighbours : int arrays
        The graph, in CSR form.
    size : int
    log_alpha : float

    Returns
    -------
    found : (m,) bool array
        Whether there is such a set.
    n_tests : int
    """
    found = np.zeros(pairs.shape[0], np.bool_)
    n_tests = 0
    for e in range(pairs.shape[0]):
        for side in range(2):
            x, y = pairs[e, side], pairs[e, 1 - side]
            pool = neighbours[indptr[x] : indptr[x + 1]]
            pool = pool[pool != y]
            if pool.shape[0] < size or found[e]:
                continue
            subset = np.arange(size)
            while True:
                n_tests += 1
                given = pool[subset]
                if independent(words, offsets, codes, xlogx, x, y, given, log_alpha):
                    found[e] = True
                    break
                if not next_subset(subset, pool.shape[0]):
                    break
    return found, n_tests


@njit(nogil=True, cache=True)
def separator_votes(words, offsets, codes, xlogx, x, y, pools, start, largest, middle, log_alpha):
    """Count the sets that separate ``x`` and ``y``, and how many of them hold each of ``middle``.

    Subsets of up to ``largest`` members are drawn from ``pools[:start]`` and ``pools[start:]``,
    the neighbours of the one and of the other.

    Returns
    -------
    total : int
    votes : int array, as long as ``middle``
    """
    total = 0
    votes = np.zeros(middle.shape[0], np.int64)
    for side in range(2):
        pool = pools[:start] if side == 0 else pools[start:]
        for size in range(side, min(largest, pool.shape[0]) + 1):
            subset = np.arange(size)
            while True:
                given = pool[subset]
                if independent(words, offsets, codes, xlogx, x, y, given, log_alpha):
                    total += 1
                    for k in range(middle.shape[0]):
                        votes[k] += (given == middle[k]).any()
                if not next_subset(subset, pool.shape[0]):
                    break
    return total, votes


@njit(nogil=True, cache=True)
def _weaken(words, offsets, codes, xlogx, x, t, given, log_alpha, strength):
    """Least association of ``x`` and ``t`` so far: a log p-value, +inf once they are separated."""
    g2, dof = g_test(words, offsets, codes, xlogx, x, t, given)
    if dof > 0:
        log_p = log_chi2_sf(g2, dof)
        return np.inf if log_p > log_alpha else max(strength, log_p)
    if mediated(words, offsets, codes, xlogx, x, t, given, log_alpha):
        return np.inf
    return strength


@njit(nogil=True, cache=True)
def _weaken_by_new(words, offsets, codes, xlogx, x, t, chosen, log_alpha, max_size, strength):
    """`_weaken` by all sets of at most ``max_size`` members that hold the last one chosen."""
    old, new = chosen[:-1], chosen[-1:]
    for size in range(min(max_size, chosen.shape[0])):
        subset = np.arange(size)
        while True:
            given = np.concatenate((old[subset], new))
            strength = _weaken(words, offsets, codes, xlogx, x, t, given, log_alpha, strength)
            if strength == np.inf or not next_subset(subset, old.shape[0]):
                break
        if strength == np.inf:
            break
    return strength


@njit(nogil=True, cache=True)
def max_min_neighbours(words, offsets, codes, xlogx, t, pool, log_alpha, max_size):
    """Parents and children of ``t`` by the max-min heuristic (MMPC), before symmetry correction.

    The association of a variable with ``t`` is the least over all sets of chosen ones, where sets
    are bounded by ``max_size``. Forward, the variable with the greatest association is chosen
    until none is left; each round tests only the sets that hold the latest choice. Backward, a
    chosen variable leaves if a set of the others separates it.

    Parameters
    ----------
    words, offsets, codes, xlogx : arrays
    t : int
    pool : int array
        Variables to choose from.
    log_alpha : float
    max_size : int

    Returns
    -------
    int array
    """
    none = np.empty(0, np.int64)
    left = pool.copy()
    strength = np.empty(pool.shape[0])
    for k in range(pool.shape[0]):
        strength[k] = _weaken(words, offsets, codes, xlogx, pool[k], t, none, log_alpha, -np.inf)
    chosen = np.empty(0, np.int64)
    while True:
        keep = strength < np.inf
        left, strength = left[keep], strength[keep]
        if left.shape[0] == 0:
            break
        best = np.argmin(strength)
        chosen = np.append(chosen, left[best])
        strength[best] = np.inf
        for k in range(left.shape[0]):
            if strength[k] < np.inf:
                strength[k] = _weaken_by_new(
                    words,
                    offsets,
                    codes,
                    xlogx,
                    left[k],
                    t,
                    chosen,
                    log_alpha,
                    max_size,
                    strength[k],
                )
    return _without_separated(words, offsets, codes, xlogx, t, chosen, log_alpha, max_size)


@njit(nogil=True, cache=True)
def _without_separated(words, offsets, codes, xlogx, t, chosen, log_alpha, max_size):
    """Backward phase: judge every chosen variable against the sets of all the others."""
    stays = np.ones(chosen.shape[0], np.bool_)
    for k in range(chosen.shape[0]):
        others = np.concatenate((chosen[:k], chosen[k + 1 :]))
        for size in range(1, min(max_size, others.shape[0]) + 1):
            subset = np.arange(size)
            while stays[k]:
                given = others[subset]
                if independent(words, offsets, codes, xlogx, chosen[k], t, given, log_alpha):
                    stays[k] = False
                if not next_subset(subset, others.shape[0]):
                    break
    return chosen[stays]
