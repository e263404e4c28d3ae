"""The graph of a chain of graphs: its parent sets, and the children of every variable."""

import numpy as np

from lsbn.kernels.bits import popcount
from lsbn.kernels.jit import njit
from lsbn.kernels.listing import required_mask
from lsbn.kernels.orders import new_memory
from lsbn.kernels.state import GraphState

MOST_TOGETHER = 6
"""Most variables of a block, whose parents are drawn together."""


@njit(nogil=True, cache=True)
def empty_graph(lists):
    """Make the state of a chain at the graph of the required edges, mostly the empty graph."""
    n = lists.set_start.shape[0] - 1
    child_start, chosen = np.zeros(n + 1, np.int64), np.empty(n, np.int64)
    for u in lists.cand:
        child_start[u + 1] += 1
    for v in range(n):
        child_start[v + 1] += child_start[v]
        chosen[v] = lists.set_start[v]
        required = required_mask(lists.set_mask[lists.set_start[v] : lists.set_start[v + 1]])
        while lists.set_mask[chosen[v]] != required:
            chosen[v] += 1
    state = GraphState(
        chosen,
        child_start,
        np.zeros(n, np.int64),
        np.empty(lists.cand.shape[0], np.int64),
        np.zeros(n, np.int64),
        np.empty(n * MOST_TOGETHER, np.int64),
        new_memory(n),
    )
    for v in range(n):
        _change_children(lists, state, v, np.uint64(0), lists.set_mask[chosen[v]])
    return state


@njit(nogil=True, cache=True)
def choose(lists, state, v, s):
    """Give ``v`` the set ``s``, and update the children of the parents it loses and gains."""
    old = lists.set_mask[state.chosen[v]]
    state.chosen[v] = s
    _change_children(lists, state, v, old, lists.set_mask[s])


@njit(nogil=True, cache=True)
def _change_children(lists, state, v, old, new):
    """Update the children of the parents that ``v`` loses and gains."""
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
