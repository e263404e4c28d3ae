"""Gibbs sampling of DAGs over listed parent sets, several variables at a time.

Every DAG has the weight ``exp(sum of the scores of its parent sets)``, and counts once. A step
draws the parents of a block of variables anew, together, given the parents of all others. Let
``D_j`` be what is reached from block variable ``j`` without entering the block, ``j`` itself among
it. The parents of block variable ``i`` must avoid ``D_i``. Say that ``i`` follows ``j`` if the
parents of ``i`` meet ``D_j``: the graph is acyclic if and only if nothing follows itself.

So the block falls into layers, in one way only (Kuipers & Moffa 2017 do so with all variables).
The first layer follows nothing. A variable of another layer follows some variable of the layer
before, maybe of earlier layers, and no others. With

    F_i(U) = log sum over the sets of i that avoid D_i, and D_j for every j outside of U,

variable ``i`` in the layer after ``L``, the last layer of the variables ``U``, has the weight
``exp(F_i(U)) - exp(F_i(U without L))``. Sums over all layers follow by recursion over ``U`` and
``L``, about ``4**k`` terms for ``k`` variables. The layers are drawn by these sums, then the set of
each variable given the layers. The draw is exact, so that it is always accepted. ``lists`` are
`FamilyLists`, ``state`` is a `GraphState`, both in `lsbn.kernels.state`.
"""

import math

import numpy as np

from lsbn.kernels.bits import popcount
from lsbn.kernels.graph_state import MOST_TOGETHER, choose, empty_graph
from lsbn.kernels.jit import njit
from lsbn.kernels.orders import add_edge_posteriors, allowed_masks, cached_family
from lsbn.kernels.state import Block

INSIDE = 1 << MOST_TOGETHER  # bit that marks the variables of the block
NO_SHARE = 1e-9
"""A smaller share of ``exp(F_i(U))`` that meets the last layer is within the rounding, and is left
out. The other sets of ``i`` go with the same sets of all others, so that as little is lost."""


@njit(nogil=True, cache=True)
def start_graph(lists, keys, rng):
    """Make the state of a chain at a graph that is drawn given the order of ``keys``."""
    state = empty_graph(lists)
    allowed = allowed_masks(lists, keys)
    for v in range(keys.shape[0]):
        total = cached_family(lists, state.memory, v, allowed[v])
        choose(lists, state, v, draw_set(lists, v, ~allowed[v], np.uint64(0), total, rng))
    return state


@njit(nogil=True, cache=True)
def draw_set(lists, v, forbidden, met, total, rng):
    """Draw a set without forbidden members, and with some of ``met`` unless it is 0; -1 if none.

    ``total`` is the log sum of the scores of these sets.
    """
    target, last = rng.random(), -1
    for s in range(lists.set_start[v], lists.set_start[v + 1]):
        mask = lists.set_mask[s]
        if mask & forbidden or (met and not mask & met):
            continue
        last = s
        target -= math.exp(lists.set_score[s] - total)
        if target < 0.0:
            break
    return last


@njit(nogil=True, cache=True)
def _reach(state, block):
    """Set bit ``j`` of ``state.reached`` in ``D_j``; gives the entries of the queue that it fills.

    The same variable is in the queue once for each ``j``.
    """
    reached, queue = state.reached, state.queue
    size = 0
    for v in block:
        reached[v] = INSIDE
    for j in range(block.shape[0]):
        bit = 1 << j
        done = size
        reached[block[j]] |= bit
        queue[size] = block[j]
        size += 1
        while done < size:
            x = queue[done]
            done += 1
            for c in range(state.child_start[x], state.child_start[x] + state.n_children[x]):
                y = state.child[c]
                if not reached[y] & (bit | INSIDE):
                    reached[y] |= bit
                    queue[size] = y
                    size += 1
    return size


@njit(nogil=True, cache=True)
def _meeting_masks(lists, state, block, meets):
    """Write to ``meets[i, j]`` which candidates of block variable ``i`` are in ``D_j``."""
    size = _reach(state, block)
    for i in range(block.shape[0]):
        for j in range(block.shape[0]):
            meets[i, j] = np.uint64(0)
        first = lists.cand_start[block[i]]
        for c in range(first, lists.cand_start[block[i] + 1]):
            bits = state.reached[lists.cand[c]]
            if bits:
                for j in range(block.shape[0]):
                    if bits >> j & 1:
                        meets[i, j] |= np.uint64(1) << np.uint64(c - first)
    for a in range(size):
        state.reached[state.queue[a]] = 0


@njit(nogil=True, cache=True)
def _candidate_mask(lists, v):
    """Mask of all candidates of ``v``."""
    k = lists.cand_start[v + 1] - lists.cand_start[v]
    return ~np.uint64(0) >> np.uint64(64 - k) if k else np.uint64(0)


@njit(nogil=True, cache=True)
def _sum_sets(lists, state, block, variables):
    """Write ``F_i(U)`` to ``block.within[i, U]`` for all variables ``U`` that ``i`` can follow."""
    k = variables.shape[0]
    for i in range(k):
        everyone = _candidate_mask(lists, variables[i])
        can_follow = np.int64(0)
        for j in range(k):
            if j != i and block.meets[i, j] & ~block.meets[i, i]:
                can_follow |= 1 << j
        block.can_follow[i] = can_follow
        used = can_follow
        while True:
            allowed = everyone & ~_forbidden(block.meets, i, used)
            family = cached_family(lists, state.memory, variables[i], allowed)
            block.within[i, used] = family
            if not used:
                break
            used = (used - 1) & can_follow


@njit(nogil=True, cache=True)
def _forbidden(meets, i, used):
    """Candidates of ``i`` that are in ``D_i``, or in ``D_j`` for ``j`` outside of ``used``."""
    forbidden = np.uint64(0)
    for j in range(meets.shape[0]):
        if not used >> j & 1:
            forbidden |= meets[i, j]
    return forbidden


@njit(nogil=True, cache=True)
def _next_layers(block, used, last):
    """Log weights of all that can follow ``last``, the last layer of ``used``.

    Writes those of each variable to ``block.own``, and those of each layer, with all layers after
    it, to ``block.layers``. Gives the variables that can be in the next layer.
    """
    k, own, layers = block.own.shape[0], block.own, block.layers
    possible = 0
    for i in range(k):
        if used >> i & 1 or (used and not last & block.can_follow[i]):
            continue
        within, share = block.within[i, used & block.can_follow[i]], 1.0
        if within == -np.inf:  # a required parent is in a later layer
            continue
        if used:
            before = block.within[i, used & ~last & block.can_follow[i]]
            share = -math.expm1(before - within)
        if share > NO_SHARE:
            own[i] = within + math.log(share)
            possible |= 1 << i
    layers[0] = 0.0
    layer = 0
    while layer != possible:
        layer = (layer - possible) & possible
        rest = layer & (layer - 1)
        layers[layer] = layers[rest] + own[popcount(np.uint64((layer ^ rest) - 1))]
    while layer:
        layers[layer] += block.after[used | layer, layer]
        layer = (layer - 1) & possible
    return possible


@njit(nogil=True, cache=True)
def _log_sum_layers(layers, possible):
    """Log sum over all layers of possible variables, minus infinity without any."""
    top, layer = -np.inf, possible
    while layer:
        top = max(top, layers[layer])
        layer = (layer - 1) & possible
    if top == -np.inf:
        return top
    total, layer = 0.0, possible
    while layer:
        total += math.exp(layers[layer] - top)
        layer = (layer - 1) & possible
    return top + math.log(total)


@njit(nogil=True, cache=True)
def draw_layer(layers, possible, total, rng):
    """Draw a layer of possible variables; ``total`` is their log sum."""
    target = rng.random()
    drawn, layer = 0, possible
    while layer:
        if layers[layer] > -np.inf:
            drawn = layer
            target -= math.exp(layers[layer] - total)
            if target < 0.0:
                break
        layer = (layer - 1) & possible
    return drawn


@njit(nogil=True, cache=True)
def _sum_layers(block):
    """Write to ``block.after[U, L]`` the log sum over all layers after ``L``, the last of ``U``."""
    everyone = (1 << block.own.shape[0]) - 1
    for used in range(everyone, 0, -1):
        last = used
        while last:
            block.after[used, last] = 0.0
            if used != everyone:
                possible = _next_layers(block, used, last)
                block.after[used, last] = _log_sum_layers(block.layers, possible)
            last = (last - 1) & used


@njit(nogil=True, cache=True)
def _new_block(k):
    """Make room for the sums over the parents of ``k`` variables."""
    return Block(
        np.empty((k, k), np.uint64),
        np.empty(k, np.int64),
        np.empty((k, 1 << k)),
        np.empty((1 << k, 1 << k)),
        np.empty(k),
        np.empty(1 << k),
    )


@njit(nogil=True, cache=True)
def draw_block(lists, state, variables, rng):
    """Draw the parents of a block of variables anew, given the parents of all others."""
    k = variables.shape[0]
    block = _new_block(k)
    _meeting_masks(lists, state, variables, block.meets)
    _sum_sets(lists, state, block, variables)
    _sum_layers(block)
    drawn = np.empty(k, np.int64)
    used, last, everyone = np.int64(0), np.int64(0), (1 << k) - 1
    while used != everyone:
        possible = _next_layers(block, used, last)
        total = _log_sum_layers(block.layers, possible)
        layer = draw_layer(block.layers, possible, total, rng)
        if not layer:
            return
        for i in range(k):
            if layer >> i & 1:
                met = np.uint64(0)
                for j in range(k):
                    if last >> j & 1:
                        met |= block.meets[i, j]
                forbidden = _forbidden(block.meets, i, used)
                drawn[i] = draw_set(lists, variables[i], forbidden, met, block.own[i], rng)
        used |= layer
        last = layer
    for i in range(k):
        if drawn[i] < 0:
            return
    for i in range(k):
        choose(lists, state, variables[i], drawn[i])


@njit(nogil=True, cache=True)
def _draw_partner(partners, v, rng):
    """Draw a neighbour of ``v`` by its weight; -1 if ``v`` has none."""
    first, stop = partners.start[v], partners.start[v + 1]
    if first == stop:
        return -1
    target, stop = rng.random(), stop - 1
    while first < stop:
        middle = (first + stop) // 2
        if partners.cumulative[middle] > target:
            stop = middle
        else:
            first = middle + 1
    return partners.node[first]


@njit(nogil=True, cache=True)
def draw_block_around(partners, v, size, block, rng):
    """Fill a block with ``v`` and partners of its members, at most ``size``; gives their number.

    The choice does not depend on the graph, so that a draw of the block's parents stays exact.
    """
    block[0] = v
    m = 1
    for _ in range(size - 1):
        u = _draw_partner(partners, block[int(m * rng.random())], rng)
        new = u >= 0
        for a in range(m):
            if block[a] == u:
                new = False
        if new:
            block[m] = u
            m += 1
    return m


@njit(nogil=True, cache=True)
def sweep(lists, partners, state, size, rng):
    """Draw a block around every variable, in the order of the variables."""
    block = np.empty(MOST_TOGETHER, np.int64)
    for v in range(state.chosen.shape[0]):
        m = draw_block_around(partners, v, size, block, rng)
        draw_block(lists, state, block[:m], rng)


@njit(nogil=True, cache=True)
def non_descendants(lists, state):
    """Mask, for each variable, of the candidates that are none of its descendants."""
    n = state.chosen.shape[0]
    allowed = np.empty(n, np.uint64)
    block, meets = np.empty(1, np.int64), np.empty((1, 1), np.uint64)
    for v in range(n):
        block[0] = v
        _meeting_masks(lists, state, block, meets)
        allowed[v] = _candidate_mask(lists, v) & ~meets[0, 0]
    return allowed


@njit(nogil=True, cache=True)
def log_graph(lists, state):
    """Log score of the graph."""
    return lists.set_score[state.chosen].sum()


@njit(nogil=True, cache=True)
def sample(lists, partners, state, pace, rng, sums, kept=None):
    """Sample graphs and sum the edge posteriors of some; gives the log scores of these.

    ``pace`` is (size of a block, number of sweeps, sweeps between two graphs of the sum). The
    posterior of an edge is the one given the parents of all others. ``kept`` takes the graphs.
    """
    size, sweeps, thin = pace
    scores = np.empty(sweeps // thin)
    for t in range(scores.shape[0]):
        for _ in range(thin):
            sweep(lists, partners, state, size, rng)
        add_edge_posteriors(sums, non_descendants(sums.lists, state))
        scores[t] = log_graph(lists, state)
        if kept is not None:
            kept[t] = state.chosen
    return scores
