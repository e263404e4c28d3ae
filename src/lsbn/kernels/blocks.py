"""Blocks of missing cells of a row that are drawn at once, and the order of their elimination."""

from typing import NamedTuple

import numpy as np

from lsbn.kernels.jit import njit

__all__ = ["MOST_CELLS", "ONE", "Block", "gather", "join_factors", "plan", "room_of"]

MOST_CELLS = 64
"""Most cells of a block: sets of them are the bits of a number."""
ONE = np.uint64(1)


class Block(NamedTuple):
    """The cells of a block, and how they are eliminated; the arrays are used again.

    Attributes
    ----------
    place : (n,) int64 array
        The number of the cell of each variable in the block; -1 for all others.
    loose : (n,) bool array
        The variables whose cells are drawn at the end; the factors of the block are without them.
    used : (n,) int64 array
        Marks families, by the first number of `totals`.
    variable, card : int64 arrays
    near : uint64 array
        The cells that have a factor in common with each cell, when it is eliminated.
    order, rank : int64 arrays
        The cells as they are eliminated, and the place of each among them.
    first : int64 array
        Where the product of each cell begins.
    head, next : int64 arrays
        Linked lists of the cells whose sums are factors of each cell.
    member, states, digit, step : int64 arrays
        The cells of a product, how many states each has, a configuration, and steps in a factor.
    totals : (2,) int64 array
        Number of blocks so far, and number of cells.
    """

    place: np.ndarray
    loose: np.ndarray
    used: np.ndarray
    variable: np.ndarray
    card: np.ndarray
    near: np.ndarray
    order: np.ndarray
    rank: np.ndarray
    first: np.ndarray
    head: np.ndarray
    next: np.ndarray
    member: np.ndarray
    states: np.ndarray
    digit: np.ndarray
    step: np.ndarray
    totals: np.ndarray


@njit(nogil=True, cache=True)
def room_of(n):
    """Return room for the blocks of rows of n variables."""
    k = MOST_CELLS
    return Block(
        np.full(n, -1, np.int64),
        np.zeros(n, np.bool_),
        np.zeros(n, np.int64),
        np.empty(k, np.int64),
        np.empty(k, np.int64),
        np.empty(k, np.uint64),
        np.empty(k, np.int64),
        np.empty(k, np.int64),
        np.empty(k, np.int64),
        np.empty(k, np.int64),
        np.empty(k, np.int64),
        np.empty(k, np.int64),
        np.empty(k, np.int64),
        np.empty(k, np.int64),
        np.empty(k, np.int64),
        np.zeros(2, np.int64),
    )


@njit(nogil=True, cache=True)
def _join(net, block, waiting, v):
    """Put a variable into the block if its cell waits and there is room."""
    k = block.totals[1]
    if waiting[v] and block.place[v] < 0 and k < MOST_CELLS:
        block.place[v], block.variable[k], block.card[k] = k, v, net.cards[v]
        block.near[k], block.head[k] = 0, -1
        block.totals[1] = k + 1


@njit(nogil=True, cache=True)
def gather(net, block, waiting, v):
    """Fill a block with a cell and all that are connected with it."""
    block.totals[1] = 0
    _join(net, block, waiting, v)
    i = 0
    while i < block.totals[1]:
        v = block.variable[i]
        for j in range(net.child_start[v] - 1, net.child_start[v + 1]):
            c = v if j < net.child_start[v] else net.children[j]
            if block.loose[c]:
                continue
            _join(net, block, waiting, c)
            for p in range(net.start[c], net.start[c + 1]):
                _join(net, block, waiting, net.parents[p])
        i += 1


@njit(nogil=True, cache=True)
def join_factors(net, block):
    """Find the cells that have a factor in common with each cell."""
    for i in range(block.totals[1]):
        v = block.variable[i]
        for j in range(net.child_start[v] - 1, net.child_start[v + 1]):
            c = v if j < net.child_start[v] else net.children[j]
            if block.loose[c]:
                continue
            if block.place[c] >= 0:
                block.near[i] |= ONE << np.uint64(block.place[c])
            for p in range(net.start[c], net.start[c + 1]):
                u = block.place[net.parents[p]]
                if u >= 0:
                    block.near[i] |= ONE << np.uint64(u)
        block.near[i] &= ~(ONE << np.uint64(i))


@njit(nogil=True, cache=True)
def _size(block, i, among):
    """Return how many numbers the product of the factors of a cell has."""
    size, left, u = float(block.card[i]), block.near[i] & among, 0
    while left:
        if left & ONE:
            size *= block.card[u]
        left >>= ONE
        u += 1
    return size


@njit(nogil=True, cache=True)
def plan(block, waiting, sizes, most):
    """Order the cells: each next one has the smallest product. Leave out cells if it is too large.

    Returns the number of cells that are drawn.
    """
    k, drawn = block.totals[1], 0
    among = ~np.uint64(0) if k == 64 else (ONE << np.uint64(k)) - ONE
    for i in range(k):
        sizes[i] = _size(block, i, among)
    for _ in range(k):
        best, worst = -1, -1
        for i in range(k):
            if among >> np.uint64(i) & ONE:
                if best < 0 or sizes[i] < sizes[best]:
                    best = i
                if worst < 0 or sizes[i] > sizes[worst]:
                    worst = i
        fits = sizes[best] <= most or sizes[best] == block.card[best]
        out = best if fits else worst
        among &= ~(ONE << np.uint64(out))
        near = block.near[out] & among
        if fits:
            block.near[out], block.order[drawn] = near, out
            drawn += 1
            waiting[block.variable[out]] = False
        else:
            block.place[block.variable[out]] = -1
            for u in range(k):
                block.near[u] &= ~(ONE << np.uint64(out))
        for u in range(k):
            if near >> np.uint64(u) & ONE:
                if fits:
                    block.near[u] |= near & ~(ONE << np.uint64(u))
                sizes[u] = _size(block, u, among)
    return drawn
