"""Contingency counts: all pairs in one streamed pass, and any family of variables."""

import numpy as np

from lsbn.kernels.bits import count_and, state_of
from lsbn.kernels.jit import njit

RADIX_CELL_COST = 20
"""Words that can be ANDed and counted in the time in which radix counting reads one row."""


@njit(nogil=True, cache=True, inline="always")
def bits_win(n_cells, n_words, n_rows):
    """Say whether ANDs and popcounts are faster than reading every row once."""
    return n_cells * n_words < RADIX_CELL_COST * n_rows


@njit(nogil=True, cache=True)
def state_counts(words):
    """Count the rows of every state, in the order of the bit columns."""
    out = np.empty(words.shape[0], np.int64)
    for s in range(words.shape[0]):
        out[s] = count_and(words[s], words[s])
    return out


@njit(nogil=True, cache=True)
def pair_strip(data, low, high, tile, mi, product):
    """Mutual information and cross moments of a strip of pairs.

    `data` are `MarginColumns`. For ``low <= i < high`` and every ``j > i`` of the columns
    ``tile[0] <= j < tile[1]``, ``mi[i - low, j]`` becomes the mutual information in nats and
    ``product[i - low, j]`` the sum over rows of code ``i`` times code ``j``. Entries with
    ``j <= i`` are not changed. A tile stays in the cache for all rows of the strip.
    """
    offsets, xlogx = data.offsets, data.xlogx
    n = offsets.shape[0] - 1
    n_rows = data.codes.shape[2]
    widest = 0
    for v in range(n):
        widest = max(widest, offsets[v + 1] - offsets[v])
    counts = np.empty((widest, widest), np.int64)
    for i in range(low, high):
        for j in range(max(tile[0], i + 1), tile[1]):
            m, p = pair_moments(data, i, j, counts)
            mi[i - low, j] = max(0.0, (m + xlogx[n_rows]) / n_rows)
            product[i - low, j] = p


@njit(nogil=True, cache=True)
def pair_moments(data, i, j, counts):
    """Sum of x log x over cells less both margins, and of the product of the codes."""
    words, offsets, codes, margins, xlogx = data
    oi, oj = offsets[i], offsets[j]
    ri, rj = offsets[i + 1] - oi, offsets[j + 1] - oj
    total, product = 0.0, 0.0
    if not bits_win((ri - 1) * (rj - 1), words.shape[1], codes.shape[2]):
        counts[:ri, :rj] = 0
        for r in range(codes.shape[2]):
            counts[state_of(codes, i, r), state_of(codes, j, r)] += 1
        for a in range(ri):
            for b in range(rj):
                total += xlogx[counts[a, b]]
                product += counts[a, b] * a * b
    else:
        last = counts[ri - 1]
        for b in range(rj):
            last[b] = margins[oj + b]
        for a in range(ri - 1):
            left = margins[oi + a]
            for b in range(rj - 1):
                cell = count_and(words[oi + a], words[oj + b])
                last[b] -= cell
                left -= cell
                total += xlogx[cell]
                product += cell * a * b
            last[rj - 1] -= left
            total += xlogx[left]
            product += left * a * (rj - 1)
        for b in range(rj):
            total += xlogx[last[b]]
            product += last[b] * (ri - 1) * b
    for a in range(ri):
        total -= xlogx[margins[oi + a]]
    for b in range(rj):
        total -= xlogx[margins[oj + b]]
    return total, product


def tabulate_xlogx(n_rows: int) -> np.ndarray:
    """Tabulate ``x log x`` for every possible count, with ``0 log 0 = 0``."""
    x = np.arange(n_rows + 1, dtype=float)
    return x * np.log(np.maximum(x, 1.0))


@njit(nogil=True, cache=True)
def first_seen(codes, v, card):
    """Give numbers to the states of a column in the order in which they appear."""
    place = np.full(card, -1, np.int32)
    out = np.empty(codes.shape[2], np.uint16)
    found = 0
    for r in range(codes.shape[2]):
        state = state_of(codes, v, r)
        if place[state] < 0:
            place[state] = found
            found += 1
        out[r] = place[state]
    return out
