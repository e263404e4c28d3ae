"""Log evidence of the rows of a table, under Dirichlet priors of several weights at once.

A prior of weight ``w`` gives each of ``r`` states the weight ``a = w / r``, and a state with count
``x`` the term ``T(x) = lgamma(a + x) - lgamma(a)``. A row has the sum of the terms of its states,
minus the term of its size, which is that of a single state. The terms of one count under all
weights stand side by side in memory, so that they are read and added at once.
"""

from typing import NamedTuple

import numpy as np

from lsbn.kernels.borrowed import borrowed
from lsbn.kernels.gamma import fill_rising, log_rising
from lsbn.kernels.jit import njit

WEIGHTS = np.array([1 / 64, 1 / 256, 1 / 16, 1 / 4, 1.0, 4.0, 16.0, 1 / 8, 2.0])
"""The weights of the mixed score, see `lsbn.kernels.mixture`."""
_WIDTH = 1 << 16
"""Counts below this are looked up. In tables of 20,000 rows, counts above 1 << 14 took most of the
time of a row."""
_SLOTS = 12
"""Most numbers of states with a table of their own; those of others are not looked up."""


class RowTerms(NamedTuple):
    """Terms that were computed before, for each number of states.

    Attributes
    ----------
    states : int64 array
        Number of states in each slot, 0 if there is none.
    filled : int64 array
        Number of counts whose terms are known.
    terms : (slots, counts, weights) float array
    """

    states: np.ndarray
    filled: np.ndarray
    terms: np.ndarray


def empty_terms(needed: bool) -> RowTerms:
    """Make room for terms; the memory of counts that do not occur is never touched."""
    slots = _SLOTS if needed else 0
    terms = np.empty((slots, _WIDTH, len(WEIGHTS)))
    return RowTerms(np.zeros(slots, np.int64), np.zeros(slots, np.int64), terms)


@njit(nogil=True, cache=True)
def row_sizes(counts):
    """Sum of each row."""
    sizes = np.zeros(counts.shape[0], np.int64)
    for j in range(counts.shape[0]):
        for k in range(counts.shape[1]):
            sizes[j] += counts[j, k]
    return sizes


@njit(nogil=True, cache=True)
def _slot(known, r, most):
    """Slot for ``r`` states with the terms of all counts up to ``most``, or -1."""
    s = 0
    while s < known.states.shape[0] and known.states[s] != r and known.states[s] > 0:
        s += 1
    if s == known.states.shape[0]:
        return -1
    known.states[s] = r
    if known.filled[s] <= most and known.filled[s] < _WIDTH:
        stop = min(most + most // 8 + 16, _WIDTH)
        column = np.empty(stop)
        for w in range(WEIGHTS.shape[0]):
            fill_rising(WEIGHTS[w] / r, known.filled[s], stop, column)
            for x in range(known.filled[s], stop):
                known.terms[s, x, w] = column[x]
        known.filled[s] = stop
    return s


@njit(nogil=True, cache=True, inline="always")
def _add_terms(terms, s, r, x, sign, out, j):
    """Add the terms of one count to row ``j`` of ``out``, or subtract them."""
    if s >= 0 and x < _WIDTH:
        for w in range(WEIGHTS.shape[0]):
            out[j, w] += sign * terms[s, x, w]
    else:
        for w in range(WEIGHTS.shape[0]):
            out[j, w] += sign * log_rising(WEIGHTS[w] / r, x)


@njit(nogil=True, cache=True)
def row_evidence(counts, known):
    """Log evidence of each row of ``counts`` under each of `WEIGHTS`."""
    counts, known = borrowed(counts), borrowed(known)
    m, r = counts.shape
    sizes = row_sizes(counts)
    most = sizes.max()
    cell, whole = _slot(known, r, most), _slot(known, 1, most)
    out, terms = np.zeros((m, WEIGHTS.shape[0])), known.terms
    for j in range(m):
        if sizes[j] > 0:
            for k in range(r):
                if counts[j, k] > 0:
                    _add_terms(terms, cell, r, counts[j, k], 1.0, out, j)
            _add_terms(terms, whole, 1, sizes[j], -1.0, out, j)
    return out
