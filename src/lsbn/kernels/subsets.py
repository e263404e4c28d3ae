"""Exact edge posteriors by dynamic programming over subsets (Koivisto & Sood 2004).

A subset of ``n`` variables is the bits of an integer; a subset of the variables other than ``v``
is that integer with bit ``v`` squeezed out. All sums are of logarithms.
"""

import math

import numpy as np
from numba import njit


@njit(nogil=True, cache=True, inline="always")
def log_add(a, b):
    """Logarithm of ``exp(a) + exp(b)``."""
    if a < b:
        a, b = b, a
    if b - a < -40.0 or b == -np.inf:
        return a
    return a + math.log1p(math.exp(b - a))


@njit(nogil=True, cache=True, inline="always")
def _squeeze(subset, v):
    low = (1 << v) - 1
    return (subset & low) | ((subset >> 1) & ~low)


@njit(nogil=True, cache=True, inline="always")
def _spread(subset, v):
    low = (1 << v) - 1
    return (subset & low) | ((subset & ~low) << 1)


@njit(nogil=True, cache=True)
def sum_over_subsets(f, n_bits):
    """Replace each entry by the (log) sum over its subsets."""
    for bit in range(n_bits):
        step = 1 << bit
        for s in range(f.shape[0]):
            if s & step:
                f[s] = log_add(f[s], f[s ^ step])


@njit(nogil=True, cache=True)
def _sum_over_supersets(f, n_bits):
    """Replace each entry by the (log) sum over its supersets."""
    for bit in range(n_bits):
        step = 1 << bit
        for s in range(f.shape[0]):
            if not s & step:
                f[s] = log_add(f[s], f[s | step])


@njit(nogil=True, cache=True)
def _families(n, set_start, set_mask, set_score):
    """Log sum of the scores of each variable's listed sets within every subset of the others."""
    within = np.full((n, 1 << (n - 1)), -np.inf)
    for v in range(n):
        for s in range(set_start[v], set_start[v + 1]):
            within[v, _squeeze(set_mask[s], v)] = set_score[s]
        sum_over_subsets(within[v], n - 1)
    return within


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
    """
    half = 1 << (n - 1)
    within = _families(n, set_start, set_mask, set_score)
    full = (1 << n) - 1
    forward = np.full(full + 1, -np.inf)
    forward[0] = 0.0
    for s in range(1, full + 1):
        for v in range(n):
            if s >> v & 1:
                rest = s ^ (1 << v)
                forward[s] = log_add(forward[s], forward[rest] + within[v, _squeeze(rest, v)])
    backward = np.full(full + 1, -np.inf)
    backward[full] = 0.0
    for s in range(full - 1, -1, -1):
        for v in range(n):
            if not s >> v & 1:
                term = backward[s | (1 << v)] + within[v, _squeeze(s, v)]
                backward[s] = log_add(backward[s], term)
    posterior = np.zeros((n, n))
    around = np.empty(half)
    for v in range(n):
        for t in range(half):
            before = _spread(t, v)
            around[t] = forward[before] + backward[before | (1 << v)]
        _sum_over_supersets(around, n - 1)
        for s in range(set_start[v], set_start[v + 1]):
            weight = set_score[s] + around[_squeeze(set_mask[s], v)] - forward[full]
            if weight > -50.0:
                for u in range(n):
                    if set_mask[s] >> u & 1:
                        posterior[u, v] += math.exp(weight)
    return posterior, forward[full]


@njit(nogil=True, cache=True)
def exact_graph_posteriors(n, set_start, set_mask, set_score):
    """Posterior of every edge, averaged over all graphs of listed parent sets, each counted once.

    Takes and gives what `exact_edge_posteriors` does, in time proportional to ``n**2 3**n``.
    """
    within = _families(n, set_start, set_mask, set_score)
    evidence = _log_graphs(within, -1, -1)
    posterior = np.zeros((n, n))
    for u in range(n):
        for v in range(n):
            if u != v:
                posterior[u, v] = max(0.0, -math.expm1(_log_graphs(within, u, v) - evidence))
    return posterior, evidence


@njit(nogil=True, cache=True)
def _log_graphs(within, u, v):
    """Log sum of the scores of all graphs, or of those without the edge ``u -> v``.

    The variables of a graph that have no children may be any of several; a graph with k of them is
    counted k times for one, less k (k - 1) / 2 times for two, and so on, in all once (Robinson
    1973). No term exceeds 2**n times the sum, so little is lost by taking differences.
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
                    term += within[w, _squeeze(parents, w)]
                    sign = -sign
            terms[m], signs[m] = term, sign
            top = max(top, term)
            m += 1
            last = (last - 1) & s
        total = 0.0
        for t in range(m):
            total += signs[t] * math.exp(terms[t] - top)
        graphs[s] = top + math.log(total)
    return graphs[-1]
