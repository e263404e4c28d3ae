"""Gibbs sampling of missing cells, row by row, given the observed cells and a network.

Given all other cells of its row, the variable v has the probability of state s in proportion to
``P(v = s | parents) * prod over children c of P(c | parents of c, with v = s)``. A sweep draws
every missing cell once (Geman & Geman 1984).
"""

import math
from typing import NamedTuple

import numpy as np

from lsbn.kernels.jit import njit


class NetworkTables(NamedTuple):
    """The probability tables of one network, one after the other.

    Attributes
    ----------
    cards : (n,) int64 array
        Number of states of each variable.
    start, parents, steps : (n + 1,) int64, int64 and uint64 arrays
        The parents of v are ``parents[start[v]:start[v + 1]]``. The key of a configuration is the
        sum of their codes times their steps, modulo 2**64.
    child_start, children, child_steps : (n + 1,) int64, int64 and uint64 arrays
        The children of v, and the step of v in the key of each child.
    key_start, keys : (n + 1,) int64 and uint64 arrays
        The sorted keys of the rows of the table of v. If there are none, the key is the row. A key
        that is not listed has the row after the last.
    table_start, table : (n + 1,) int64 and float64 arrays
        The table of v begins at ``table_start[v]``, row by row.
    """

    cards: np.ndarray
    start: np.ndarray
    parents: np.ndarray
    steps: np.ndarray
    child_start: np.ndarray
    children: np.ndarray
    child_steps: np.ndarray
    key_start: np.ndarray
    keys: np.ndarray
    table_start: np.ndarray
    table: np.ndarray


@njit(nogil=True, cache=True)
def key_of(net, v, row):
    """Return the key of the configuration of the parents of v in a row."""
    key = np.uint64(0)
    for i in range(net.start[v], net.start[v + 1]):
        key += np.uint64(row[net.parents[i]]) * net.steps[i]
    return key


@njit(nogil=True, cache=True)
def place_of(net, v, key):
    """Return where the row of the table of v with this key begins."""
    low, high = net.key_start[v], net.key_start[v + 1]
    if low == high:
        return net.table_start[v] + np.int64(key) * net.cards[v]
    first, end = low, high
    while low < high:
        middle = (low + high) // 2
        if net.keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    found = low if low < end and net.keys[low] == key else end
    return net.table_start[v] + (found - first) * net.cards[v]


@njit(nogil=True, cache=True)
def _conditional(net, v, row, shares):
    """Write the distribution of v given all other cells of the row."""
    card, place = net.cards[v], place_of(net, v, key_of(net, v, row))
    for s in range(card):
        shares[s] = net.table[place + s]
    own = np.uint64(row[v])
    for i in range(net.child_start[v], net.child_start[v + 1]):
        c, step, total = net.children[i], net.child_steps[i], 0.0
        others = key_of(net, c, row) - own * step
        for s in range(card):
            place = place_of(net, c, others + np.uint64(s) * step)
            shares[s] *= net.table[place + row[c]]
            total += shares[s]
        for s in range(card):
            shares[s] = shares[s] / total if total > 0.0 else 1.0 / card


@njit(nogil=True, cache=True)
def drawn_state(shares, card, rng):
    """Draw a state."""
    total = 0.0
    for s in range(card):
        total += shares[s]
    target = rng.random() * total
    for s in range(card - 1):
        target -= shares[s]
        if target < 0.0:
            return s
    return card - 1


@njit(nogil=True, cache=True)
def sweep_gaps(net, rows, start, variables, sweeps, rng, sums):
    """Draw the missing cells of each row again and again.

    Parameters
    ----------
    net : NetworkTables
    rows : (m, n) int array
        The codes of each row, which are changed in its missing cells.
    start, variables : (m + 1,) and int64 arrays
        The missing cells of row r are those of ``variables[start[r]:start[r + 1]]``.
    sweeps : int
    rng : numpy.random.Generator
    sums : (cells, states) float array
        The distribution of each missing cell given all others is added in each sweep, unless the
        array has no rows.
    """
    shares = np.empty(net.cards.max())
    for r in range(rows.shape[0]):
        row = rows[r]
        for _ in range(sweeps):
            for i in range(start[r], start[r + 1]):
                v = variables[i]
                _conditional(net, v, row, shares)
                row[v] = drawn_state(shares, net.cards[v], rng)
                if sums.shape[0] > 0:
                    for s in range(net.cards[v]):
                        sums[i, s] += shares[s]


@njit(nogil=True, cache=True)
def _log_row(net, row):
    """Return the log probability of a complete row."""
    total = 0.0
    for v in range(net.cards.shape[0]):
        total += math.log(net.table[place_of(net, v, key_of(net, v, row)) + row[v]])
    return total


@njit(nogil=True, cache=True)
def log_rows(net, rows, logs):
    """Write the log probability of each complete row."""
    for r in range(rows.shape[0]):
        logs[r] = _log_row(net, rows[r])


@njit(nogil=True, cache=True)
def log_observed(net, rows, start, variables, sweeps, rng):
    """Return the log probability of the observed cells of each row.

    For any values z of the missing cells it is ``log P(observed, z) - log P(z | observed)``. The
    second term is the sum over the missing cells of the log probability of each given those before.
    Each of these is the mean over sweeps of the cells that are left (Chib 1995). With one missing
    cell it is exact.

    Parameters
    ----------
    net, rows, start, variables, sweeps, rng
        As in `sweep_gaps`.
    """
    found, shares, mean = np.empty(rows.shape[0]), np.empty(net.cards.max()), np.empty(0)
    for r in range(rows.shape[0]):
        row, log_gaps = rows[r], 0.0
        for first in range(start[r], start[r + 1]):
            v, mean = variables[first], np.zeros(net.cards[variables[first]])
            left = sweeps if first + 1 < start[r + 1] else 1
            for _ in range(left):
                for i in range(start[r + 1] - 1, first - 1, -1):
                    _conditional(net, variables[i], row, shares)
                    row[variables[i]] = drawn_state(shares, net.cards[variables[i]], rng)
                mean += shares[: mean.shape[0]]
            row[v] = mean.argmax()
            log_gaps += math.log(mean[row[v]] / left)
        found[r] = _log_row(net, row) - log_gaps
    return found
