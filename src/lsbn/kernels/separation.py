"""Search for separating sets: the skeleton and the votes of PC, and the neighbours of MMPC."""

import numpy as np

from lsbn.kernels.combinatorics import next_subset
from lsbn.kernels.independence import g_test, independent, log_chi2_sf, mediated
from lsbn.kernels.jit import njit


@njit(nogil=True, cache=True)
def separate(data, pairs, indptr, neighbours, size, log_alpha):
    """Test for each pair whether ``size`` neighbours of one end separate it.

    Parameters
    ----------
    data : CountedColumns
    pairs : (m, 2) int array
    indptr, neighbours : int arrays
        The graph, in CSR form.
    size : int
    log_alpha : float

    Returns
    -------
    separated : (m,) bool array
    n_tests : int
    """
    separated = np.zeros(pairs.shape[0], np.bool_)
    n_tests = 0
    for e in range(pairs.shape[0]):
        for side in range(2):
            x, y = pairs[e, side], pairs[e, 1 - side]
            pool = neighbours[indptr[x] : indptr[x + 1]]
            pool = pool[pool != y]
            if pool.shape[0] < size or separated[e]:
                continue
            subset = np.arange(size)
            while True:
                n_tests += 1
                given = pool[subset]
                if independent(data, x, y, given, log_alpha):
                    separated[e] = True
                    break
                if not next_subset(subset, pool.shape[0]):
                    break
    return separated, n_tests


@njit(nogil=True, cache=True)
def separator_votes(data, pair, pools, start, largest, middle, log_alpha):
    """Count the sets that separate a pair, and how many of them hold each of ``middle``.

    The sets have up to ``largest`` members, all from ``pools[:start]``, the neighbours of one end,
    or all from ``pools[start:]``, the neighbours of the other.

    Returns
    -------
    total : int
    votes : int array, as long as ``middle``
    """
    x, y = pair
    total = 0
    votes = np.zeros(middle.shape[0], np.int64)
    for side in range(2):
        pool = pools[:start] if side == 0 else pools[start:]
        for size in range(side, min(largest, pool.shape[0]) + 1):
            subset = np.arange(size)
            while True:
                given = pool[subset]
                if independent(data, x, y, given, log_alpha):
                    total += 1
                    for k in range(middle.shape[0]):
                        votes[k] += (given == middle[k]).any()
                if not next_subset(subset, pool.shape[0]):
                    break
    return total, votes


@njit(nogil=True, cache=True)
def _weaken(data, x, t, given, log_alpha, strength):
    """Least association of ``x`` and ``t`` so far: a log p-value, +inf once they are separated."""
    g2, dof = g_test(data, x, t, given)
    if dof > 0:
        log_p = log_chi2_sf(g2, dof)
        return np.inf if log_p > log_alpha else max(strength, log_p)
    if mediated(data, x, t, given, log_alpha):
        return np.inf
    return strength


@njit(nogil=True, cache=True)
def _weaken_by_new(data, x, t, chosen, log_alpha, max_size, strength):
    """`_weaken` by all sets of at most ``max_size`` members that contain the last one chosen."""
    old, new = chosen[:-1], chosen[-1:]
    for size in range(min(max_size, chosen.shape[0])):
        subset = np.arange(size)
        while True:
            given = np.concatenate((old[subset], new))
            strength = _weaken(data, x, t, given, log_alpha, strength)
            if strength == np.inf or not next_subset(subset, old.shape[0]):
                break
        if strength == np.inf:
            break
    return strength


@njit(nogil=True, cache=True)
def max_min_neighbours(data, t, pool, log_alpha, max_size):
    """Parents and children of ``t`` by the max-min heuristic (MMPC), before symmetry correction.

    The association of a variable with ``t`` is the least one given any set of chosen variables with
    at most ``max_size`` members. Forward, the variable with the greatest association is chosen
    until none is left; each round tests only the sets with the latest choice. Backward, a chosen
    variable is dropped if a set of the others separates it from ``t``.

    Parameters
    ----------
    data : CountedColumns
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
        strength[k] = _weaken(data, pool[k], t, none, log_alpha, -np.inf)
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
                    data, left[k], t, chosen, log_alpha, max_size, strength[k]
                )
    return _without_separated(data, t, chosen, log_alpha, max_size)


@njit(nogil=True, cache=True)
def _without_separated(data, t, chosen, log_alpha, max_size):
    """Backward phase: drop every chosen variable that a set of the others separates from ``t``."""
    stays = np.ones(chosen.shape[0], np.bool_)
    for k in range(chosen.shape[0]):
        others = np.concatenate((chosen[:k], chosen[k + 1 :]))
        for size in range(1, min(max_size, others.shape[0]) + 1):
            subset = np.arange(size)
            while stays[k]:
                given = others[subset]
                if independent(data, chosen[k], t, given, log_alpha):
                    stays[k] = False
                if not next_subset(subset, others.shape[0]):
                    break
    return chosen[stays]
