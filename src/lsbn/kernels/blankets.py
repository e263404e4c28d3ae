"""Markov blankets: the heaviest partners of each variable, and IAMB."""

import numpy as np

from lsbn.kernels.independence import (
    by_strata,
    column_states,
    log_chi2_sf,
    rows_by_stratum,
    statistics,
)
from lsbn.kernels.jit import njit

_ROW_COST = 10.0
"""Words ANDed and counted in the time in which one row of a known stratum is counted."""


@njit(nogil=True, cache=True)
def keep_heaviest(strip, low, least, weights, partners, counts):
    """Put each pair of a strip into the heap of an end if it reaches the least weight of this end.

    Parameters
    ----------
    strip : (rows, n) float array
        Rows ``low`` and after of the upper triangle of the weights.
    low : int
    least : (n,) float array
        Pairs of lower weight, and of weight 0, are no partners.
    weights, partners : (n, most) arrays
        A heap for each variable, the lightest partner first; changed in place.
    counts : (n,) int array
        Partners in each heap; changed in place.
    """
    for a in range(strip.shape[0]):
        i = low + a
        for j in range(i + 1, strip.shape[1]):
            w = strip[a, j]
            if w <= 0.0:
                continue
            if w >= least[i]:
                _push(weights[i], partners[i], counts, i, w, j)
            if w >= least[j]:
                _push(weights[j], partners[j], counts, j, w, i)


@njit(nogil=True, cache=True)
def _lighter(w, a, u, b):
    """Compare partners by weight; of equal weights, the later variable counts as lighter."""
    return w < u or (w == u and a > b)


@njit(nogil=True, cache=True)
def _push(weights, partners, counts, v, w, partner):
    """Add a partner to the heap of ``v``; a full heap drops its lightest one."""
    k = counts[v]
    if k < weights.shape[0]:
        counts[v] += 1
        while k > 0:
            up = (k - 1) // 2
            if not _lighter(w, partner, weights[up], partners[up]):
                break
            weights[k], partners[k] = weights[up], partners[up]
            k = up
        weights[k], partners[k] = w, partner
        return
    if not _lighter(weights[0], partners[0], w, partner):
        return
    k = 0
    while 2 * k + 1 < weights.shape[0]:
        down = 2 * k + 1
        if down + 1 < weights.shape[0] and _lighter(
            weights[down + 1], partners[down + 1], weights[down], partners[down]
        ):
            down += 1
        if not _lighter(weights[down], partners[down], w, partner):
            break
        weights[k], partners[k] = weights[down], partners[down]
        k = down
    weights[k], partners[k] = w, partner


@njit(nogil=True, cache=True)
def associations(data, target, pool, given):
    """G2 of the target with every member of a pool given a set, and the log p-values of X2.

    Where bit columns are slow, the rows are sorted by the set's configurations once for the pool.

    Returns
    -------
    g2, log_p : float arrays, as long as ``pool``
        No degree of freedom means no evidence: a log p-value of 0.
    """
    words, offsets, codes, xlogx = data
    g2, log_p = np.zeros(pool.shape[0]), np.zeros(pool.shape[0])
    cells = float(offsets[target + 1] - offsets[target])
    for z in given:
        cells *= offsets[z + 1] - offsets[z]
    limit = _ROW_COST * codes.shape[2] / words.shape[1]
    is_sorted = False
    order = start = np.empty(0, np.int64)
    own = np.empty(0, np.uint16)
    rx = offsets[target + 1] - offsets[target]
    for k in range(pool.shape[0]):
        y = pool[k]
        ry = offsets[y + 1] - offsets[y]
        if cells * ry <= limit:
            g2[k], x2, dof = statistics(data, target, y, given)
        else:
            if not is_sorted:
                order, start = rows_by_stratum(codes, offsets, given)
                own = column_states(codes, target)
                is_sorted = True
            g2[k], x2, dof = by_strata(own, rx, column_states(codes, y), ry, order, start, xlogx)
        log_p[k] = log_chi2_sf(x2, dof)
    return g2, log_p


@njit(nogil=True, cache=True)
def iamb(data, target, pool, log_alpha, most):
    """Incremental association Markov blanket of a variable among a pool.

    Forward phase: of the variables that depend on the target given the chosen ones, choose the one
    with the largest conditional mutual information. Stop if no variable depends on the target, or
    if ``most`` are chosen. Backward phase: remove the weakest chosen variable if it is independent
    of the target given the others, and repeat.

    Returns
    -------
    int array
        The blanket, in the order of choice.
    """
    chosen = np.empty(0, np.int64)
    left = pool.copy()
    while chosen.shape[0] < most and left.shape[0] > 0:
        g2, log_p = associations(data, target, left, chosen)
        best = -1
        for k in range(left.shape[0]):
            if log_p[k] <= log_alpha and (best < 0 or g2[k] > g2[best]):
                best = k
        if best < 0:
            break
        chosen = np.append(chosen, left[best])
        left = np.concatenate((left[:best], left[best + 1 :]))
    return _backward(data, target, chosen, log_alpha)


@njit(nogil=True, cache=True)
def _backward(data, target, chosen, log_alpha):
    """Remove variables one by one, always the one with the largest p-value above the level."""
    while chosen.shape[0] > 1:
        worst, weakest = -1, log_alpha
        for k in range(chosen.shape[0]):
            others = np.concatenate((chosen[:k], chosen[k + 1 :]))
            _, x2, dof = statistics(data, target, chosen[k], others)
            if dof == 0:
                continue
            log_p = log_chi2_sf(x2, dof)
            if log_p > weakest:
                worst, weakest = k, log_p
        if worst < 0:
            break
        chosen = np.concatenate((chosen[:worst], chosen[worst + 1 :]))
    return chosen
