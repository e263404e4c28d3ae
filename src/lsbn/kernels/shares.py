"""Posterior shares of parent sets, given sampled orders."""

import math

import numpy as np

from lsbn.kernels.jit import njit
from lsbn.kernels.orders import (
    NEGLIGIBLE,
    allowed_masks,
    gibbs_sweep_apart,
    log_family,
    new_state,
)


@njit(nogil=True, cache=True)
def set_shares(lists, links, keys, sweeps, rng, averaged):
    """Sample orders on from ``keys`` and give the mean posterior of every set of ``averaged``.

    Orders are drawn with ``lists``; the lists ``averaged`` may contain further sets.
    """
    state = new_state(lists, links, keys)
    share = np.zeros(averaged.set_mask.shape[0])
    for _ in range(sweeps):
        gibbs_sweep_apart(lists, links, state, rng)
        _add_shares(averaged, keys, sweeps, share)
    return share


@njit(nogil=True, cache=True)
def shares_in_orders(lists, orders):
    """Give the mean posterior of every set given each of some orders, one row of keys each."""
    share = np.zeros(lists.set_mask.shape[0])
    for keys in orders:
        _add_shares(lists, keys, orders.shape[0], share)
    return share


@njit(nogil=True, cache=True)
def _add_shares(lists, keys, total, share):
    """Add the posterior of every set given an order, divided by ``total``."""
    allowed = allowed_masks(lists, keys)
    for v in range(keys.shape[0]):
        z = log_family(lists, v, allowed[v])
        base, scale = np.inf, 0.0
        for s in range(lists.set_start[v], lists.set_start[v + 1]):
            if lists.set_score[s] < z - NEGLIGIBLE:
                break
            if lists.set_mask[s] & ~allowed[v]:
                continue
            if lists.set_base[s] != base:
                base = lists.set_base[s]
                scale = math.exp(base - z) / total
            share[s] += lists.set_weight[s] * scale
