"""Terms of the scores of tables, tabulated.

A Dirichlet prior of weight ``a`` gives a count ``x`` the term ``T(x) = lgamma(a + x) - lgamma(a)``.
Counts are integers and few weights occur, so each weight gets a row of a table when it is first
used.
"""

import math
from typing import NamedTuple

import numpy as np

from lsbn.kernels.dirichlet import RowTerms, empty_terms
from lsbn.kernels.gamma import fill_rising, log_gamma, log_rising
from lsbn.kernels.jit import njit

BDEU, K2, BIC, MIXED = range(4)
WIDTH = 2048
"""Counts below this are looked up; larger ones take one term of Stirling's series."""
_MAX_SLOTS = 512
_MAX_KEY = 4 * _MAX_SLOTS


class Lookup(NamedTuple):
    """A score and its tables, as the kernels take it. It is scratch space: one for each thread.

    Attributes
    ----------
    kind : int
        `BDEU`, `K2`, `BIC` or `MIXED`.
    ess : float
        Equivalent sample size of BDeu.
    slots, table, weights, used : arrays
        A hash table from weights to rows of ``table``, and the number of rows in use. The last
        entry of a row is the log gamma function of its weight, for counts that are not looked up.
    rows : RowTerms
        The tables of the mixed score.
    """

    kind: int
    ess: float
    slots: np.ndarray
    table: np.ndarray
    weights: np.ndarray
    used: np.ndarray
    rows: RowTerms


def make_lookup(kind: int, ess: float) -> Lookup:
    """Make empty tables for one score; they fill as they are used."""
    slots = np.full(_MAX_KEY, -1, np.int32)
    table, weights = np.empty((_MAX_SLOTS, WIDTH + 1)), np.empty(_MAX_SLOTS)
    rows = empty_terms(kind == MIXED)
    return Lookup(kind, float(ess), slots, table, weights, np.zeros(1, np.int64), rows)


@njit(nogil=True, cache=True)
def _term(kind, a, x):
    """``T(x)`` without a table; for BIC it is ``x log x``."""
    if x == 0:
        return 0.0
    if kind == BIC:
        return x * math.log(x)
    return log_rising(a, x)


@njit(nogil=True, cache=True)
def slot(lookup, a):
    """Row of the table for weight ``a``, filled at first use; -1 where there is no room."""
    slots, weights, used = lookup.slots, lookup.weights, lookup.used
    mantissa, exponent = math.frexp(a)
    key = (np.int64(mantissa * 2.0**40) + 31 * exponent) % _MAX_KEY
    while slots[key] >= 0 and weights[slots[key]] != a:
        key = (key + 1) % _MAX_KEY
    if slots[key] < 0 and used[0] < _MAX_SLOTS:
        row = used[0]
        if lookup.kind == BIC:
            for x in range(WIDTH):
                lookup.table[row, x] = _term(BIC, a, x)
        else:
            fill_rising(a, 0, WIDTH, lookup.table[row])
            lookup.table[row, WIDTH] = log_gamma(a)
        weights[row] = a
        slots[key] = row
        used[0] += 1
    return slots[key]


@njit(nogil=True, cache=True)
def family_slots(lookup, q, r):
    """Weights and table rows of a cell and of a configuration: ``a, row, a, row``."""
    if lookup.kind == K2:
        a_cell, a_row = 1.0, float(r)
    elif lookup.kind == BIC:
        a_cell, a_row = 0.0, 0.0
    else:
        a_cell, a_row = lookup.ess / (q * r), lookup.ess / q
    return a_cell, slot(lookup, a_cell), a_row, slot(lookup, a_row)


@njit(nogil=True, cache=True, inline="always")
def log_term(kind, table, row, a, x):
    """``T(x)`` for weight ``a``, read from row ``row`` of the table where possible."""
    if row >= 0 and x < WIDTH:
        return table[row, x]
    if row >= 0 and kind != BIC:
        return log_gamma(a + x) - table[row, WIDTH]
    return _term(kind, a, x)
