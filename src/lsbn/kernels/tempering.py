"""Chains of orders at several temperatures, which exchange their orders.

At the inverse temperature ``beta`` all scores are multiplied by ``beta``, so that orders between
two modes are less improbable. An order that crosses there reaches the chain at ``beta`` 1 by
exchanges (Geyer 1991). The chain at ``beta`` 1 then visits each mode in proportion to its
posterior mass. A search for parent sets follows such chains as well, see
`lsbn.learners.averaging.rounds`.
"""

import math

import numpy as np

from lsbn.kernels.jit import njit
from lsbn.kernels.orders import (
    add_edge_posteriors,
    allowed_masks,
    gibbs_sweep_apart,
    log_order,
    new_state,
)
from lsbn.kernels.tables import tempered


@njit(nogil=True, cache=True)
def exchange_orders(heated, states, first, rng):
    """Propose to exchange the orders of two neighbouring temperatures, and of every second pair.

    ``heated`` has the lists of each temperature. Such an exchange keeps the product of all
    distributions (Metropolis).
    """
    for t in range(first, len(states) - 1, 2):
        here, there = states[t], states[t + 1]
        change = log_order(heated[t], there.allowed)
        change += log_order(heated[t + 1], here.allowed)
        change -= log_order(heated[t], here.allowed)
        change -= log_order(heated[t + 1], there.allowed)
        if change >= 0.0 or rng.random() < math.exp(change):
            for v in range(here.keys.shape[0]):
                here.keys[v], there.keys[v] = there.keys[v], here.keys[v]
                here.allowed[v], there.allowed[v] = there.allowed[v], here.allowed[v]


@njit(nogil=True, cache=True)
def _heated(lists, betas):
    """Give the lists at each inverse temperature, of which the first is 1."""
    heated = [lists]
    for beta in betas[1:]:
        heated.append(tempered(lists, beta))
    return heated


@njit(nogil=True, cache=True)
def _sweep(heated, links, states, number, rng):
    """Draw every key once at each temperature, then propose exchanges; ``number`` counts sweeps."""
    for t in range(len(states)):
        gibbs_sweep_apart(heated[t], links, states[t], rng)
    exchange_orders(heated, states, number % 2, rng)


@njit(nogil=True, cache=True)
def sample_tempered(lists, links, replicas, pace, rng, sums, kept):
    """Sample orders at all temperatures, and sum the edge posteriors of those at ``beta`` 1.

    Parameters
    ----------
    lists, links : FamilyLists, Links
    replicas : (t, n) and (t,) float arrays
        The keys of the order at each temperature, which are changed, and the inverse temperatures,
        the first one 1.
    pace : (int, int)
        Number of sweeps, and sweeps between two orders of the sum.
    rng : numpy.random.Generator
    sums : EdgeSums
    kept : float array
        Its rows take the keys of the orders in the sums.

    Returns
    -------
    float array
        Log scores of the orders in the sums.
    """
    keys, betas = replicas
    sweeps, thin = pace
    heated = _heated(lists, betas)
    states = [new_state(lists, links, keys[t]) for t in range(len(betas))]
    scores = np.empty(sweeps // thin)
    for s in range(scores.shape[0] * thin):
        _sweep(heated, links, states, s, rng)
        if (s + 1) % thin == 0:
            add_edge_posteriors(sums, allowed_masks(sums.lists, keys[0]))
            scores[s // thin] = log_order(lists, states[0].allowed)
            for v in range(keys.shape[1]):
                kept[s // thin, v] = keys[0, v]
    return scores


@njit(nogil=True, cache=True)
def best_visited(lists, links, replicas, sweeps, rng):
    """Sample orders at all temperatures; gives the keys of the best one at ``beta`` 1.

    The parameters are those of `sample_tempered`.
    """
    keys, betas = replicas
    heated = _heated(lists, betas)
    states = [new_state(lists, links, keys[t]) for t in range(len(betas))]
    best, best_keys = -np.inf, keys[0].copy()
    for s in range(sweeps):
        _sweep(heated, links, states, s, rng)
        score = log_order(lists, states[0].allowed)
        if score > best:
            best = score
            best_keys = keys[0].copy()
    return best_keys
