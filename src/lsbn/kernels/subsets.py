"""Exact edge posteriors by dynamic programming over subsets (Koivisto & Sood 2004).

A subset of ``n`` variables is the bits of an integer; a subset of the variables other than ``v``
is that integer with bit ``v`` squeezed out. All sums are of logarithms.
"""

import math

import numpy as np

from lsbn.kernels.jit import njit

_IMPOSSIBLE = 1e-18
"""Subsets that come first with a smaller probability are left out."""


@njit(nogil=True, cache=True, inline="always")
def log_add(a, b):
    """Logarithm of ``exp(a) + exp(b)``."""
    if a < b:
        a, b = b, a
    if b - a < -40.0 or b == -np.inf:
        return a
    return a + math.log1p(math.exp(b - a))


@njit(nogil=True, cache=True, inline="always")
def squeeze(subset, v):
    """Leave out bit ``v`` of a subset."""
    low = (1 << v) - 1
    return (subset & low) | ((subset >> 1) & ~low)


@njit(nogil=True, cache=True)
def sum_over_subsets(f, n_bits):
    """Replace each entry by the (log) sum over its subsets."""
    for bit in range(n_bits):
        step = 1 << bit
        for s in range(f.shape[0]):
            if s & step:
                f[s] = log_add(f[s], f[s ^ step])


@njit(nogil=True, cache=True)
def sum_families(n, set_start, set_mask, set_score):
    """Log sum of the scores of each variable's listed sets within every subset of the others.

    Scores are relative to the best score of their variable, and the sum of the best scores is also
    returned: with millions of rows, scores have few digits after the decimal point.
    """
    within = np.full((n, 1 << (n - 1)), -np.inf)
    total = 0.0
    for v in range(n):
        best = set_score[set_start[v] : set_start[v + 1]].max()
        total += best
        for s in range(set_start[v], set_start[v + 1]):
            within[v, squeeze(set_mask[s], v)] = set_score[s] - best
        sum_over_subsets(within[v], n - 1)
    return within, total


@njit(nogil=True, cache=True)
def log_order_sums(n, within):
    """Log sum over the orders of every subset, from the sums of `sum_families`."""
    log_orders = np.full(1 << n, -np.inf)
    log_orders[0] = 0.0
    for s in range(1, 1 << n):
        for v in range(n):
            if s >> v & 1:
                rest = s ^ (1 << v)
                term = log_orders[rest] + within[v, squeeze(rest, v)]
                log_orders[s] = log_add(log_orders[s], term)
    return log_orders


@njit(nogil=True, cache=True)
def exact_edge_posteriors(n, set_start, set_mask, set_score):
    """Posterior of every edge, averaged over all orders and all listed parent sets.

    Parameters
    ----------
    n : int
    set_start : (n + 1,) int array
        The sets of variable ``v`` are ``set_start[v]`` to ``set_start[v + 1]``.
    set_mask : int64 array
        Parent sets as subsets of all variables.
    set_score : float array

    Returns
    -------
    posterior : (n, n) array, parent by child
    log_evidence : float
        Log of the sum over orders of the products of the families' sums.

    Notes
    -----
    ``log_orders[s]`` is the log sum over the orders of subset ``s``. Given that the variables of
    ``s`` come first, ``v`` is the last of them with a probability that follows from these sums:
    walking down from the set of all variables gives the probability that ``v`` comes right after
    subset ``t``, without logarithms. These add up to 1 for each ``v`` for scores of any
    size, so P(u -> v) + P(v -> u) never exceeds 1 by more than rounding.
    """
    within, best = sum_families(n, set_start, set_mask, set_score)
    log_orders, full = log_order_sums(n, within), (1 << n) - 1
    first = np.zeros(full + 1)
    first[full] = 1.0
    last = np.empty(n)
    posterior = np.zeros((n, n))
    for s in range(full, 0, -1):
        if first[s] < _IMPOSSIBLE:
            continue
        for v in range(n):
            rest = s ^ (1 << v)
            last[v] = 0.0
            if s >> v & 1:
                last[v] = math.exp(log_orders[rest] + within[v, squeeze(rest, v)] - log_orders[s])
        last *= first[s] / last.sum()
        for v in range(n):
            if last[v] > 0.0:
                first[s ^ (1 << v)] += last[v]
                _add_parents(within[v], v, s ^ (1 << v), last[v], posterior)
    return posterior, log_orders[full] + best


@njit(nogil=True, cache=True)
def _add_parents(within, v, before, weight, posterior):
    """Add the probabilities of the parents of ``v`` given the variables that come before it."""
    allowed = within[squeeze(before, v)]
    for u in range(posterior.shape[0]):
        if before >> u & 1:
            without = within[squeeze(before ^ (1 << u), v)]
            posterior[u, v] += weight * max(0.0, -math.expm1(without - allowed))


@njit(nogil=True, cache=True)
def exact_graph_posteriors(n, set_start, set_mask, set_score):
    """Posterior of every edge, averaged over all graphs of listed parent sets, each counted once.

    Parameters and results are those of `exact_edge_posteriors`. The time is proportional to
    ``n**2 3**n``.
    """
    within, best = sum_families(n, set_start, set_mask, set_score)
    evidence = _log_graphs(within, -1, -1)
    posterior = np.zeros((n, n))
    for u in range(n):
        for v in range(n):
            if u != v:
                posterior[u, v] = max(0.0, -math.expm1(_log_graphs(within, u, v) - evidence))
    for u in range(n):
        for v in range(u):  # differences of logarithms: the sum may exceed 1 by their rounding
            both = max(1.0, posterior[u, v] + posterior[v, u])
            posterior[u, v] /= both
            posterior[v, u] /= both
    return posterior, evidence + best


@njit(nogil=True, cache=True)
def _log_graphs(within, u, v):
    """Log sum of the scores of all graphs, or of those without the edge ``u -> v``.

    A graph may have several variables without children. With k of them, it is counted k times for
    one of them, minus k (k - 1) / 2 times for two, and so on: once in total (Robinson 1973). No
    term exceeds 2**n times the sum, so little is lost by taking differences.
    """
    n = within.shape[0]
    graphs = np.empty(1 << n)
    graphs[0] = 0.0
    terms, signs = np.empty(1 << n), np.empty(1 << n)
    for s in range(1, 1 << n):
        m, top, last = 0, -np.inf, s
        while last:
            rest = s ^ last
            term, sign = graphs[rest], -1.0
            for w in range(n):
                if last >> w & 1:
                    parents = rest & ~(1 << u) if w == v else rest
                    term += within[w, squeeze(parents, w)]
                    sign = -sign
            terms[m], signs[m] = term, sign
            top = max(top, term)
            m += 1
            last = (last - 1) & s
        graphs[s] = top
        if top > -np.inf:  # else a required parent of some variable is not among them
            total = 0.0
            for t in range(m):
                total += signs[t] * math.exp(terms[t] - top)
            graphs[s] = top + math.log(total)
    return graphs[-1]
