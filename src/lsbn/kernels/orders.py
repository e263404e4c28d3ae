"""Gibbs sampling of orders by latent uniform keys.

Every variable has a key in (0, 1); sorting the keys gives the order. The parents of ``v`` are one
of its listed parent sets, all of whose members have smaller keys, so with

    F_v(allowed) = log sum over listed sets S within allowed of exp(score(S))

the posterior of an order is ``exp(sum_v F_v)`` times a constant. Moving ``v`` past ``w`` changes
something only if one is a candidate parent of the other: the conditional density of one key is
piecewise constant between the keys of its neighbours, and is drawn exactly.

An order with a required parent after its child has the posterior 0: no listed set is allowed, and
``F_v`` is minus infinity. No step leads to such an order from another one.

A parent set is a bit mask over the candidates of its variable, at most 64. The sets of a variable
are sorted by falling score, so that the sum ``F`` ends where the remaining sets are negligible.
For a variable with many sets over few candidates, ``F`` is tabulated instead.

``lists`` are `FamilyLists`, ``links`` are `Links`, both in `lsbn.kernels.state`.
"""

import math

import numpy as np
from numba import types

from lsbn.kernels.apart import apart
from lsbn.kernels.bits import popcount
from lsbn.kernels.borrowed import borrowed
from lsbn.kernels.jit import njit
from lsbn.kernels.state import Memory, OrderState, StepRoom
from lsbn.kernels.tables import tempered

NEGLIGIBLE = 23.0
"""Log of the ratio below which a parent set is left out of a sum (1e-10)."""
CACHE = 32
"""Remembered values of ``F`` for each variable; a power of two."""


@njit(nogil=True, cache=True)
def log_family(lists, v, allowed):
    """``F_v(allowed)``."""
    set_mask, set_score = lists.set_mask, lists.set_score
    set_weight, set_base = lists.set_weight, lists.set_base
    if lists.table_start[v] >= 0:
        return lists.table[lists.table_start[v] + np.int64(allowed)]
    forbidden = ~allowed
    s, stop = lists.set_start[v], lists.set_start[v + 1]
    while s < stop and set_mask[s] & forbidden:
        s += 1
    if s == stop:
        return -np.inf
    base, floor = set_base[s], set_score[s] - NEGLIGIBLE
    total = set_weight[s]
    for t in range(s + 1, stop):
        if set_score[t] < floor:
            break
        if not set_mask[t] & forbidden:
            if set_base[t] == base:
                total += set_weight[t]
            else:
                total += set_weight[t] * math.exp(set_base[t] - base)
    return base + math.log(total)


@njit(nogil=True, cache=True, inline="always")
def cached_family(lists, memory, v, allowed):
    """`log_family` through a small direct-mapped cache of recent values."""
    masks, values = memory.masks, memory.values
    if lists.table_start[v] >= 0:
        return log_family(lists, v, allowed)
    x = (allowed ^ (allowed >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15)
    slot = np.int64(x >> np.uint64(59)) & (CACHE - 1)
    if masks[v, slot] == allowed and not math.isnan(values[v, slot]):
        return values[v, slot]
    value = log_family(lists, v, allowed)
    masks[v, slot] = allowed
    values[v, slot] = value
    return value


@njit(nogil=True, cache=True)
def new_memory(n):
    """Make an empty cache for ``n`` variables."""
    return Memory(np.zeros((n, CACHE), np.uint64), np.full((n, CACHE), np.nan))


@njit(nogil=True, cache=True)
def new_state(lists, links, keys):
    """Make the state of a chain at the order of ``keys``, which the chain changes."""
    n, most = keys.shape[0], 0
    ranks = np.empty(links.node.shape[0], np.int64)
    for v in range(n):
        most = max(most, links.start[v + 1] - links.start[v])
        for c in range(links.start[v], links.start[v + 1]):
            ranks[c] = c - links.start[v]
    room = StepRoom(
        np.empty(most),
        np.empty(most),
        np.empty(most + 1),
        np.empty(most + 1),
        np.empty(64, np.int64),
    )
    return OrderState(keys, allowed_masks(lists, keys), new_memory(n), ranks, room)


@njit(nogil=True, cache=True)
def allowed_masks(lists, keys):
    """Mask, for each variable, of the candidates that precede it."""
    cand_start, cand = lists.cand_start, lists.cand
    n = keys.shape[0]
    allowed = np.zeros(n, np.uint64)
    for v in range(n):
        for c in range(cand_start[v], cand_start[v + 1]):
            if keys[cand[c]] < keys[v]:
                allowed[v] |= np.uint64(1) << np.uint64(c - cand_start[v])
    return allowed


@njit(nogil=True, cache=True)
def log_order(lists, allowed):
    """Log of the posterior of the order, up to a constant."""
    total = 0.0
    for v in range(allowed.shape[0]):
        total += log_family(lists, v, allowed[v])
    return total


@njit(nogil=True, cache=True, inline="always")
def _sort_by(values, order):
    """Sort ``order`` by the values, by insertions: it is mostly sorted before."""
    for a in range(1, order.shape[0]):
        item = order[a]
        b = a - 1
        while b >= 0 and values[order[b]] > values[item]:
            order[b + 1] = order[b]
            b -= 1
        order[b + 1] = item


@njit(nogil=True, cache=True, inline="always")
def gibbs_step(lists, links, state, v, rng):
    """Draw the key of ``v`` from its conditional distribution given all other keys."""
    start, m = links.start[v], links.start[v + 1] - links.start[v]
    if m == 0:  # as below, without neighbours
        rng.random()
        state.keys[v] = rng.random() or state.keys[v]
        return
    position, jump, weight, base = state.room[:4]
    one = np.uint64(1)
    for a in range(m):
        x, there = links.node[start + a], links.there[start + a]
        position[a], jump[a] = state.keys[x], 0.0
        if there >= 0:
            bit = one << np.uint64(there)
            without = state.allowed[x] & ~bit
            jump[a] = cached_family(lists, state.memory, x, without) - cached_family(
                lists, state.memory, x, without | bit
            )
    order = state.ranks[start : start + m]
    _sort_by(position, order)
    _own_weights(lists, links.here[start : start + m], order, v, state.room)
    rest, top = 0.0, -np.inf
    for b in range(m + 1):
        base[b] += rest
        if weight[b] > 0.0:
            top = max(top, base[b])
        if b < m:
            rest += jump[order[b]]
    total, low = 0.0, 0.0
    for b in range(m + 1):
        high = position[order[b]] if b < m else 1.0
        if weight[b] > 0.0:
            weight[b] *= math.exp(base[b] - top) * (high - low)
        total += weight[b]
        low = high
    b = _draw_place(weight[: m + 1], rng.random() * total)
    low = position[order[b - 1]] if b > 0 else 0.0
    high = position[order[b]] if b < m else 1.0
    key = low + (high - low) * rng.random()
    if low < key < high:  # in a narrow gap the rounding may reach a neighbour
        _move(links, state, v, key)


@njit(nogil=True, cache=True, inline="always")
def _draw_place(height, target):
    """Place at which the sum of the heights exceeds ``target``; its height is above 0."""
    place = 0
    for b in range(height.shape[0]):
        if height[b] > 0.0:
            place = b
            if target < height[b]:
                break
            target -= height[b]
    return place


@njit(nogil=True, cache=True, inline="always")
def _own_weights(lists, here, order, v, room):
    """``exp(F_v)`` with the first ``b`` of the neighbours allowed, for every ``b``.

    It is ``weight * exp(base)``. Every set enters the sum at the last of its members, so one pass
    over the sets is enough.
    """
    _, _, weight, base, place = room
    m = order.shape[0]
    if lists.table_start[v] >= 0:
        mask = np.uint64(0)
        for b in range(m + 1):
            value = log_family(lists, v, mask)
            weight[b], base[b] = (1.0, value) if value > -np.inf else (0.0, 0.0)
            if b < m and here[order[b]] >= 0:
                mask |= np.uint64(1) << np.uint64(here[order[b]])
        return
    weight[0], base[0] = 0.0, 0.0
    for b in range(1, m + 1):
        weight[b], base[b] = 0.0, 0.0
        if here[order[b - 1]] >= 0:
            place[here[order[b - 1]]] = b
    for s in range(lists.set_start[v], lists.set_start[v + 1]):
        last, mask = 0, lists.set_mask[s]
        while mask:
            rest = mask & (mask - np.uint64(1))
            member = place[popcount((mask ^ rest) - np.uint64(1))]
            last = member if member > last else last
            mask = rest
        _add_weight(weight, base, last, lists.set_weight[s], lists.set_base[s])
    for b in range(1, m + 1):
        _add_weight(weight, base, b, weight[b - 1], base[b - 1])


@njit(nogil=True, cache=True, inline="always")
def _add_weight(weight, base, b, more, more_base):
    """Add ``more * exp(more_base)`` to ``weight[b] * exp(base[b])``."""
    if more == 0.0:
        return
    if more_base == base[b]:
        weight[b] += more
    elif weight[b] == 0.0:
        weight[b], base[b] = more, more_base
    elif more_base > base[b]:
        weight[b] = weight[b] * math.exp(base[b] - more_base) + more
        base[b] = more_base
    else:
        weight[b] += more * math.exp(more_base - base[b])


@njit(nogil=True, cache=True, inline="always")
def _move(links, state, v, key):
    """Set the key of ``v`` and update the masks of ``v`` and its neighbours."""
    start, node, here, there = links
    keys, allowed = state.keys, state.allowed
    one = np.uint64(1)
    keys[v] = key
    mask = np.uint64(0)
    for c in range(start[v], start[v + 1]):
        x = node[c]
        if keys[x] < key and here[c] >= 0:
            mask |= one << np.uint64(here[c])
        if there[c] >= 0:
            bit = one << np.uint64(there[c])
            if key < keys[x]:
                allowed[x] |= bit
            else:
                allowed[x] &= ~bit
    allowed[v] = mask


@njit(nogil=True, cache=True)
def gibbs_sweep(lists, links, state, rng):
    """Draw every key once, in the order of the variables."""
    lists, links, state = borrowed(lists), borrowed(links), borrowed(state)
    for v in range(state.keys.shape[0]):
        gibbs_step(lists, links, state, v, rng)


gibbs_sweep_apart = apart(gibbs_sweep, types.none)


@njit(nogil=True, cache=True, inline="always")
def _edge_posteriors(lists, v, allowed, out):
    """``P(candidate -> v | order)`` for each candidate of ``v``."""
    z = log_family(lists, v, allowed)
    out[:] = 0.0
    if lists.table_start[v] >= 0:
        for c in range(out.shape[0]):
            bit = np.uint64(1) << np.uint64(c)
            if allowed & bit:
                out[c] = -math.expm1(log_family(lists, v, allowed & ~bit) - z)
        return
    forbidden, base, scale = ~allowed, np.inf, 0.0
    for s in range(lists.set_start[v], lists.set_start[v + 1]):
        if lists.set_score[s] < z - NEGLIGIBLE:
            break
        if lists.set_mask[s] & forbidden:
            continue
        if lists.set_base[s] != base:
            base = lists.set_base[s]
            scale = math.exp(base - z)
        mask = lists.set_mask[s]
        while mask:
            rest = mask & (mask - np.uint64(1))
            out[popcount((mask ^ rest) - np.uint64(1))] += lists.set_weight[s] * scale
            mask = rest


@njit(nogil=True, cache=True)
def add_edge_posteriors(sums, allowed):
    """Add ``P(candidate -> v | order)`` and its square to `EdgeSums`."""
    sums = borrowed(sums)
    cand_start = sums.lists.cand_start
    scratch = np.empty(64)
    for v in range(allowed.shape[0]):
        here = scratch[: cand_start[v + 1] - cand_start[v]]
        _edge_posteriors(sums.lists, v, allowed[v], here)
        for c in range(here.shape[0]):
            sums.total[cand_start[v] + c] += here[c]
            sums.squares[cand_start[v] + c] += here[c] * here[c]


@njit(nogil=True, cache=True)
def walk(lists, links, keys, sweeps, rng):
    """Sample orders on from ``keys``, which are changed to the last one."""
    state = new_state(lists, links, keys)
    for _ in range(sweeps):
        gibbs_sweep_apart(lists, links, state, rng)


@njit(nogil=True, cache=True)
def anneal(lists, links, keys, betas, sweeps, rng):
    """Sweep at each inverse temperature in turn, and give the log score of the best order.

    The last inverse temperature is 1. The best order is the best one that was visited there, the
    start included; ``keys`` are changed to it.
    """
    for beta in betas[:-1]:
        walk(tempered(lists, beta), links, keys, sweeps, rng)
    state = new_state(lists, links, keys)
    best, best_keys = log_order(lists, state.allowed), keys.copy()
    for _ in range(sweeps):
        gibbs_sweep_apart(lists, links, state, rng)
        score = log_order(lists, state.allowed)
        if score > best:
            best = score
            best_keys = keys.copy()
    for v in range(keys.shape[0]):
        keys[v] = best_keys[v]
    return best


@njit(nogil=True, cache=True)
def sample(lists, links, keys, pace, rng, sums, kept=None):
    """Sample orders and sum the edge posteriors of some; gives the log scores of these.

    ``pace`` is (number of sweeps, sweeps between two orders of the sum). Orders are drawn with
    ``lists``. The posteriors given an order use the lists of ``sums``, which
    may contain further sets of little weight. The keys of the orders in the sums are written to
    the rows of ``kept``.
    """
    state = new_state(lists, links, keys)
    sweeps, thin = pace
    scores = np.empty(sweeps // thin)
    for t in range(scores.shape[0]):
        for _ in range(thin):
            gibbs_sweep_apart(lists, links, state, rng)
        add_edge_posteriors(sums, allowed_masks(sums.lists, keys))
        scores[t] = log_order(lists, state.allowed)
        if kept is not None:
            for v in range(keys.shape[0]):
                kept[t, v] = keys[v]
    return scores
