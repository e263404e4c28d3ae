"""Gibbs sampling of DAGs over listed parent sets, several variables at a time.

Every DAG has the weight ``exp(sum of the scores of its parent sets)``, and counts once. A step
draws the parents of a block of variables anew, together, given the parents of all others. Let
``D_j`` be what is reached from block variable ``j`` without entering the block, ``j`` itself among
it. The parents ``S_i`` of block variable ``i`` must avoid ``D_i``, and the graph is acyclic if and
only if the small graph over the block is that has ``j -> i`` where ``S_i`` meets ``D_j``. So with

    F_i(T) = log sum over sets of i that avoid D_i, and D_j for every j outside of T,

and by inclusion and exclusion the log weight ``W_i(T)`` of the sets that meet ``D_j`` for exactly
the ``j`` in ``T``, a small DAG with parents ``T_i`` has the weight ``exp(sum_i W_i(T_i))``. There
are 3 small DAGs of two variables, 25 of three and 543 of four: one is drawn, and then for each
variable one of the sets that agree with it. Such a draw is exact, so that it is always accepted.
The new edge reversal move (Grzegorczyk & Husmeier 2008) is a part of what a block of two can do.

``lists`` are `FamilyLists`, ``state`` is a `GraphState`, both in `lsbn.kernels.state`.
"""

import itertools
import math

import numpy as np
from numba import njit

from lsbn.kernels.bits import popcount
from lsbn.kernels.orders import add_edge_posteriors, allowed_masks, cached_family, new_memory
from lsbn.kernels.state import GraphState

MOST_TOGETHER = 4
"""Most variables of a block."""
INSIDE = 1 << MOST_TOGETHER
"""Bit that marks the variables of the block."""
NO_SHARE = 1e-9
"""Sets that meet all of ``D_j`` in ``T`` are left out below this share of ``exp(F_i(T))``: it is
within the rounding of the sums. The same small DAGs have the other sets, and lose as little."""


def _small_dags(k):
    """Parents of each variable, as bits, in every DAG of ``k`` variables."""
    masks = [[m for m in range(1 << k) if not m >> i & 1] for i in range(k)]
    return [row for row in itertools.product(*masks) if _is_acyclic(row)]


def _is_acyclic(row):
    """Say whether the variables can be taken away one by one, each after its parents."""
    left = (1 << len(row)) - 1
    while left:
        first = [i for i in range(len(row)) if left >> i & 1 and not row[i] & left]
        if not first:
            return False
        left &= ~sum(1 << i for i in first)
    return True


_SMALL = [_small_dags(k) for k in range(1, MOST_TOGETHER + 1)]
SMALL_START = np.cumsum([0, 0] + [len(dags) for dags in _SMALL])
"""The DAGs of ``k`` variables are ``SMALL_START[k]`` to ``SMALL_START[k + 1]``."""
SMALL_DAGS = np.array(
    [row + (0,) * (MOST_TOGETHER - len(row)) for dags in _SMALL for row in dags], np.int64
)


@njit(nogil=True, cache=True)
def empty_graph(lists):
    """Make the state of a chain at the graph without edges."""
    n = lists.set_start.shape[0] - 1
    room = np.zeros(n + 1, np.int64)
    for u in lists.cand:
        room[u + 1] += 1
    chosen = lists.set_start[:-1].copy()
    for v in range(n):
        while lists.set_mask[chosen[v]]:
            chosen[v] += 1
    return GraphState(
        chosen,
        np.cumsum(room),
        np.zeros(n, np.int64),
        np.empty(lists.cand.shape[0], np.int64),
        np.zeros(n, np.int64),
        np.empty(n * MOST_TOGETHER, np.int64),
        new_memory(n),
    )


@njit(nogil=True, cache=True)
def start_graph(lists, keys, rng):
    """Make the state of a chain at a graph that is drawn given the order of ``keys``."""
    state = empty_graph(lists)
    allowed = allowed_masks(lists, keys)
    nothing = np.empty(0, np.uint64)
    for v in range(keys.shape[0]):
        total = cached_family(lists, state.memory, v, allowed[v], 1.0)
        choose(lists, state, v, _draw_set(lists, v, ~allowed[v], nothing, total, rng))
    return state


@njit(nogil=True, cache=True)
def _draw_set(lists, v, forbidden, met, total, rng):
    """Draw a set without forbidden members that meets every mask of ``met``; -1 without any.

    ``total`` is the log sum of the scores of these sets.
    """
    target, last = rng.random(), -1
    for s in range(lists.set_start[v], lists.set_start[v + 1]):
        mask = lists.set_mask[s]
        if mask & forbidden:
            continue
        fits = True
        for other in met:
            if not mask & other:
                fits = False
        if fits:
            last = s
            target -= math.exp(lists.set_score[s] - total)
            if target < 0.0:
                break
    return last


@njit(nogil=True, cache=True)
def choose(lists, state, v, s):
    """Give ``v`` the set ``s``, and update the children of the parents it loses and gains."""
    old, new = lists.set_mask[state.chosen[v]], lists.set_mask[s]
    state.chosen[v] = s
    changed = old ^ new
    while changed:
        rest = changed & (changed - np.uint64(1))
        bit = changed ^ rest
        u = lists.cand[lists.cand_start[v] + popcount(bit - np.uint64(1))]
        first, count = state.child_start[u], state.n_children[u]
        if new & bit:
            state.child[first + count] = v
            state.n_children[u] = count + 1
        else:
            at = first
            while state.child[at] != v:
                at += 1
            state.child[at] = state.child[first + count - 1]
            state.n_children[u] = count - 1
        changed = rest


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
    meets[:] = np.uint64(0)
    for i in range(block.shape[0]):
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
def _log_weights(lists, state, block, meets, weights):
    """Write ``W_i(T)`` to ``weights[i, T]``, minus infinity if no set meets exactly ``T``."""
    k = block.shape[0]
    within = np.empty(1 << k)
    for i in range(k):
        everyone = _candidate_mask(lists, block[i])
        can_meet = 0
        for j in range(k):
            if j != i and meets[i, j] & ~meets[i, i]:
                can_meet |= 1 << j
        for subset in range(1 << k):
            weights[i, subset] = -np.inf
            if subset & ~can_meet:
                continue
            forbidden = np.uint64(0)
            for j in range(k):
                if not subset >> j & 1:
                    forbidden |= meets[i, j]
            allowed = everyone & ~forbidden
            within[subset] = cached_family(lists, state.memory, block[i], allowed, 1.0)
            share, part = 1.0, subset
            while part:
                part = (part - 1) & subset
                sign = 1.0 - 2.0 * (popcount(np.uint64(subset ^ part)) & 1)
                share += sign * math.exp(within[part] - within[subset])
            if share > NO_SHARE:
                weights[i, subset] = within[subset] + math.log(share)


@njit(nogil=True, cache=True)
def _draw_small_dag(weights, k, rng):
    """Draw a small DAG over the block: its row of ``SMALL_DAGS``."""
    first, stop = SMALL_START[k], SMALL_START[k + 1]
    heights = np.empty(stop - first)
    top = -np.inf
    for d in range(first, stop):
        height = 0.0
        for i in range(k):
            height += weights[i, SMALL_DAGS[d, i]]
        heights[d - first] = height
        top = max(top, height)
    total = 0.0
    for a in range(stop - first):
        heights[a] = math.exp(heights[a] - top)
        total += heights[a]
    target = rng.random() * total
    drawn = 0
    for a in range(stop - first):
        if heights[a] > 0.0:
            drawn = first + a
            target -= heights[a]
            if target < 0.0:
                break
    return drawn


@njit(nogil=True, cache=True)
def draw_block(lists, state, block, rng):
    """Draw the parents of all variables of a block anew, given the parents of all others."""
    k = block.shape[0]
    meets = np.empty((k, k), np.uint64)
    _meeting_masks(lists, state, block, meets)
    weights = np.empty((k, 1 << k))
    _log_weights(lists, state, block, meets, weights)
    dag = SMALL_DAGS[_draw_small_dag(weights, k, rng)]
    drawn = np.empty(k, np.int64)
    met = np.empty(k, np.uint64)
    for i in range(k):
        forbidden, m = np.uint64(0), 0
        for j in range(k):
            if dag[i] >> j & 1:
                met[m] = meets[i, j]
                m += 1
            else:
                forbidden |= meets[i, j]
        drawn[i] = _draw_set(lists, block[i], forbidden, met[:m], weights[i, dag[i]], rng)
    if drawn.min() >= 0:
        for i in range(k):
            choose(lists, state, block[i], drawn[i])


@njit(nogil=True, cache=True)
def _draw_partner(partners, v, rng):
    """Draw a neighbour of ``v`` by its weight; -1 if ``v`` has none."""
    first, stop = partners.start[v], partners.start[v + 1]
    if first == stop:
        return -1
    at = np.searchsorted(partners.cumulative[first:stop], rng.random(), side="right")
    return partners.node[first + min(at, stop - first - 1)]


@njit(nogil=True, cache=True)
def draw_block_around(partners, v, size, block, rng):
    """Fill a block with ``v`` and partners of its members, at most ``size``; gives their number.

    The choice does not depend on the graph, so that a draw of the block's parents stays exact.
    """
    block[0] = v
    m = 1
    for _ in range(size - 1):
        u = _draw_partner(partners, block[rng.integers(0, m)], rng)
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
    total = 0.0
    for s in state.chosen:
        total += lists.set_score[s]
    return total


@njit(nogil=True, cache=True)
def sample(lists, partners, state, size, sweeps, thin, rng, sums):
    """Sample graphs and sum the edge posteriors of every ``thin``-th; gives their log scores.

    The posterior of an edge into ``v`` is the one given the parents of all other variables: the
    sets of ``v`` without its descendants have a sum, as those before ``v`` in an order have. It
    varies less than the edge itself, which is there or not.
    """
    scores = np.empty(sweeps // thin)
    for t in range(scores.shape[0]):
        for _ in range(thin):
            sweep(lists, partners, state, size, rng)
        add_edge_posteriors(sums, non_descendants(sums.lists, state))
        scores[t] = log_graph(lists, state)
    return scores
