"""Draw graphs from their posterior: exactly for few variables, or given sampled orders.

Exact draws take parent sets as subsets of all variables, see `lsbn.kernels.subsets`. If every graph
counts as often as it has orders, an order is drawn from its end: given that the variables of a
subset come first, the last of them is drawn by the sums over the orders of the others. Then each
variable draws its parents among those before it.

If every graph counts once, the variables fall into layers, in one way only (Kuipers & Moffa 2017).
The first layer has no parents. A variable of another layer has a parent in the layer before, maybe
in earlier layers, and no others. With ``F_i(U)``, the log sum over the sets of ``i`` within ``U``,
variable ``i`` in the layer after ``L``, the last layer of the variables ``U``, has the weight
``exp(F_i(U)) - exp(F_i(U without L))``. The sum over all layers that can follow has one entry for
each pair of ``U`` and ``L``; the entry is numbered in base 3, with the digit 0 for a variable
outside of ``U``, 1 for one in an earlier layer and 2 for one in ``L``.
"""

import math

import numpy as np

from lsbn.kernels.bits import popcount
from lsbn.kernels.graphs import NO_SHARE, draw_layer, draw_set
from lsbn.kernels.jit import njit
from lsbn.kernels.orders import allowed_masks, log_family
from lsbn.kernels.subsets import log_add, log_order_sums, squeeze, sum_families


@njit(nogil=True, cache=True)
def draw_given_order(lists, keys, rng, chosen):
    """Draw a parent set for every variable given the order of ``keys``.

    The places of the sets in the lists are written to ``chosen``.
    """
    allowed = allowed_masks(lists, keys)
    for v in range(keys.shape[0]):
        total = log_family(lists, v, allowed[v])
        chosen[v] = draw_set(lists, v, ~allowed[v], np.uint64(0), total, rng)


@njit(nogil=True, cache=True)
def list_edges(lists, chosen):
    """Parents and children of a graph, given by the places of its sets: ``(parents, children)``."""
    size = 0
    for v in range(chosen.shape[0]):
        size += popcount(lists.set_mask[chosen[v]])
    parents, children = np.empty(size, np.int32), np.empty(size, np.int32)
    at = 0
    for v in range(chosen.shape[0]):
        mask, c = lists.set_mask[chosen[v]], lists.cand_start[v]
        while mask:
            if mask & np.uint64(1):
                parents[at], children[at] = lists.cand[c], v
                at += 1
            mask >>= np.uint64(1)
            c += 1
    return parents, children


@njit(nogil=True, cache=True)
def _draw_subset(sets, v, within, met, log_total, rng):
    """Draw a set of ``v`` within a subset that has a member in ``met``, unless ``met`` is 0.

    ``log_total`` is the log sum of the scores of these sets.
    """
    set_start, set_mask, set_score = sets
    target, last = rng.random(), -1
    for s in range(set_start[v], set_start[v + 1]):
        if set_mask[s] & ~within or (met and not set_mask[s] & met):
            continue
        last = s
        target -= math.exp(set_score[s] - log_total)
        if target < 0.0:
            break
    return last


@njit(nogil=True, cache=True)
def draw_graphs_by_orders(n, sets, draws, rng):
    """Draw graphs, each counted as often as it has orders.

    Parameters
    ----------
    n : int
    sets : tuple of arrays
        ``set_start, set_mask, set_score`` of `lsbn.kernels.subsets.exact_edge_posteriors`, the sets
        of a variable by falling score.
    draws : int
    rng : numpy.random.Generator

    Returns
    -------
    (draws, n) int64 array
        Parent set of each variable, as its place in the sets.
    """
    within, _ = sum_families(n, sets[0], sets[1], sets[2])
    log_orders = log_order_sums(n, within)
    chosen = np.empty((draws, n), np.int64)
    for t in range(draws):
        subset = (1 << n) - 1
        while subset:
            target, last = rng.random(), -1
            for v in range(n):
                if subset >> v & 1:
                    rest = subset ^ (1 << v)
                    share = log_orders[rest] + within[v, squeeze(rest, v)] - log_orders[subset]
                    if share > -np.inf:
                        last = v
                        target -= math.exp(share)
                        if target < 0.0:
                            break
            subset ^= 1 << last
            total = within[last, squeeze(subset, last)] + sets[2][sets[0][last]]
            chosen[t, last] = _draw_subset(sets, last, subset, 0, total, rng)
    return chosen


@njit(nogil=True, cache=True)
def _next_weights(within, used, last, own):
    """Write the log weight of each variable in the next layer; gives those that can be in it."""
    possible = 0
    for i in range(within.shape[0]):
        if used >> i & 1:
            continue
        log_sum, share = within[i, squeeze(used, i)], 1.0
        if used:
            before = within[i, squeeze(used ^ last, i)]
            share = -math.expm1(before - log_sum)
        if share > NO_SHARE and log_sum > -np.inf:
            own[i] = log_sum + math.log(share)
            possible |= 1 << i
    return possible


@njit(nogil=True, cache=True)
def _layer_weights(after, used, possible, own, base_three, layers):
    """Write the log weight of each next layer, with all layers after it; gives their log sum."""
    code, total = 0, -np.inf
    for i in range(own.shape[0]):
        code += base_three[i] * (used >> i & 1)
    layer = 0
    while layer != possible:
        layer = (layer - possible) & possible
        weight, place = 0.0, code
        for i in range(own.shape[0]):
            if layer >> i & 1:
                weight += own[i]
                place += 2 * base_three[i]
        layers[layer] = weight + after[place]
        total = log_add(total, layers[layer])
    return total


@njit(nogil=True, cache=True)
def _sum_layers(within):
    """Log sums over all layers after the last one, for each state in base 3: ``(sums, base)``."""
    n = within.shape[0]
    base_three = 3 ** np.arange(n)
    after, everyone = np.full(3**n, -np.inf), (1 << n) - 1
    own, layers = np.empty(n), np.empty(1 << n)
    for used in range(everyone, -1, -1):
        last = used
        while True:
            code = 0
            for i in range(n):
                code += base_three[i] * ((used >> i & 1) + (last >> i & 1))
            if used == everyone:
                after[code] = 0.0
            else:
                possible = _next_weights(within, used, last, own)
                after[code] = _layer_weights(after, used, possible, own, base_three, layers)
            last = (last - 1) & used
            if last == 0 or used == 0:
                break
    return after, base_three


@njit(nogil=True, cache=True)
def draw_graphs_once(n, sets, draws, rng):
    """Draw graphs, each counted once. Parameters and result as for `draw_graphs_by_orders`.

    The time is proportional to ``n 4**n``, plus the draws.
    """
    within, _ = sum_families(n, sets[0], sets[1], sets[2])
    after, base_three = _sum_layers(within)
    chosen = np.empty((draws, n), np.int64)
    own, layers = np.empty(n), np.empty(1 << n)
    for t in range(draws):
        used, last = 0, 0
        while used != (1 << n) - 1:
            possible = _next_weights(within, used, last, own)
            total = _layer_weights(after, used, possible, own, base_three, layers)
            drawn = draw_layer(layers, possible, total, rng)
            for i in range(n):
                if drawn >> i & 1:
                    weight = own[i] + sets[2][sets[0][i]]
                    chosen[t, i] = _draw_subset(sets, i, used, last, weight, rng)
            used |= drawn
            last = drawn
    return chosen
