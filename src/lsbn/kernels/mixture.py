"""The mixed score: the average of five models of a variable given its parents.

The models are called ways, and all have the same prior probability. A family has a table with a row
for each configuration of the parents, or a decision tree with such rows at its leaves
(`lsbn.kernels.trees`). A row of a child with ``r`` states has a Dirichlet prior of some weight
``w``: each state has ``w / r``, except in shrunk rows.

- *one weight*: a table whose rows all have the same weight, averaged over `TABLE_WEIGHTS`. Without
  parents the average includes an infinite weight, which makes all states equally probable;
- *own weights*: a table in which each row has its own weight, averaged over `OWN_WEIGHTS`. So one
  row may be nearly deterministic and the next one not;
- *shrunk rows*: a table whose rows shrink towards the child's margin, all with the same weight,
  averaged over `SHRUNK_WEIGHTS`;
- *trees of one weight*, averaged over `TREE_WEIGHTS`, and *trees of own weights*, if there are two
  parents or more and not too many contexts.

Each way is a distribution of the child's column given the parents' columns, so their average is
also a distribution: its sum over all possible columns is 1. Whether there are trees depends on the
parents alone. BDeu is not among the ways: it gives every row the weight ``ess / q`` for ``q``
configurations, which is too small in large tables.

The infinite weight prevents edges in noise. If all states are equally probable, a table with many
rows has a higher score than a table with few rows, because each row has its own prior. So useless
parents would increase the score. The infinite weight has a share of 1 / 24 in the family without
parents. So useless parents gain at most log 24, about 3 nats, and the prior on graphs outweighs
this gain.

The margin must not be computed from the rows that it then helps to predict. Therefore the
configurations are sorted from the largest to the smallest, and each one shrinks towards the margin
of the larger ones. Configurations of the same size are taken together, so that the order of the
parents and of their states does not matter.

The ways and the weights were chosen by evidence, the sum of the scores of learned networks:
`experiments/ways.py` leaves out each of them and tries others. Markov equivalent graphs do not have
the same mixed score, so model averaging corrects its preference for a direction: see
`lsbn.kernels.direction`.
"""

import math

import numpy as np
from numba import types

from lsbn.kernels.apart import apart
from lsbn.kernels.dirichlet import WEIGHTS, row_evidence, row_sizes
from lsbn.kernels.gamma import rising
from lsbn.kernels.jit import njit
from lsbn.kernels.sorting import argsort
from lsbn.kernels.subsets import log_add
from lsbn.kernels.trees import (
    FAR,
    LEAST_MASS,
    add_margins,
    average_trees,
    configuration_places,
    n_contexts,
    plan_trees,
)

TABLE_WEIGHTS = WEIGHTS[:7]
OWN_WEIGHTS = WEIGHTS[2:7]
SHRUNK_WEIGHTS = np.array([0.5, 2.0, 8.0])
_TREES = np.array([1, 7, 8])
TREE_WEIGHTS = WEIGHTS[_TREES]
_SMALL, _LARGE = 1e-200, 1e200
"""A product is replaced by its logarithm outside of this range; one more factor fits in."""
MOST_CONTEXTS = 512
"""There are no trees if the parents have more contexts than this."""


@njit(nogil=True, cache=True)
def mixed_score(counts, cards, lookup):
    """Log probability of the child's column.

    Parameters
    ----------
    counts : (m, r) int array
        The child's states in each configuration: in all of them, in mixed base `cards` with the
        first parent the lowest digit, or only in those that occur.
    cards : int array
        States of each parent; empty if some configurations are left out.
    lookup : Lookup
    """
    shrunk = _shrunk_rows(counts)
    if cards.shape[0] > 1 and n_contexts(cards) <= MOST_CONTEXTS:
        wide = add_margins(counts, cards)
        plan = plan_trees(row_sizes(wide), cards)
        if plan.mass >= LEAST_MASS:
            rows, places = row_evidence(wide, lookup.rows), configuration_places(cards)
            own = own_weights(rows)
            score = log_add(_tables(rows, own, places), shrunk)
            return log_add(score, _trees(rows, own, cards, plan)) - math.log(5)
    rows = row_evidence(counts, lookup.rows)
    if counts.shape[0] == 1:
        one_weight = _with_infinite_weight(log_mean(rows[0, : TABLE_WEIGHTS.shape[0]]), counts)
        tables = log_add(one_weight, own_weights(rows)[0])
    else:
        tables = _tables(rows, own_weights(rows), np.arange(rows.shape[0]))
    return log_add(tables, shrunk) - math.log(3)


mixed_score_apart = apart(mixed_score, types.float64)


@njit(nogil=True, cache=True)
def log_mean(values):
    """Log of the mean of the exponentials."""
    total = values[0]
    for value in values[1:]:
        total = log_add(total, value)
    return total - math.log(values.shape[0])


@njit(nogil=True, cache=True)
def _tables(rows, own, places):
    """Log of the sum of both ways with tables that are not shrunk.

    Parameters
    ----------
    rows : (m, weights) float array
    own : (m,) float array, see `own_weights`
    places : int array
        The rows that are rows of the table.
    """
    totals, total = np.zeros(TABLE_WEIGHTS.shape[0]), 0.0
    for j in places:
        total += own[j]
        for w in range(totals.shape[0]):
            totals[w] += rows[j, w]
    return log_add(log_mean(totals), total)


@njit(nogil=True, cache=True)
def _with_infinite_weight(one_weight, counts):
    """Take the infinite weight into the average over the weights of a table with one row."""
    n, infinite = TABLE_WEIGHTS.shape[0], -counts.sum() * math.log(counts.shape[1])
    return log_add(one_weight + math.log(n), infinite) - math.log(n + 1)


@njit(nogil=True, cache=True)
def own_weights(rows):
    """Log evidence of each row, averaged over `OWN_WEIGHTS`."""
    out, n = np.empty(rows.shape[0]), OWN_WEIGHTS.shape[0]
    for j in range(out.shape[0]):
        top = rows[j, 2]
        for w in range(3, 2 + n):
            top = max(top, rows[j, w])
        total = 0.0
        for w in range(2, 2 + n):
            below = rows[j, w] - top
            if below == 0.0:
                total += 1.0
            elif below > -FAR:
                total += math.exp(below)
        out[j] = top + math.log(total / n)
    return out


@njit(nogil=True, cache=True)
def _trees(rows, own, cards, plan):
    """Log of the sum of both ways with trees."""
    n = _TREES.shape[0]
    leaves = np.empty((rows.shape[0], n + 1))
    for c in range(rows.shape[0]):
        for w in range(n):
            leaves[c, w] = rows[c, _TREES[w]]
        leaves[c, n] = own[c]
    averages = average_trees(leaves, cards, plan)
    return log_add(log_mean(averages[:n]), averages[n])


@njit(nogil=True, cache=True)
def _shrunk_rows(counts):
    """Log evidence of rows that shrink towards the margin, averaged over `SHRUNK_WEIGHTS`."""
    r = counts.shape[1]
    sizes = row_sizes(counts)
    margin, more = np.full(r, 1.0 / r), np.zeros(r)
    totals = np.zeros(SHRUNK_WEIGHTS.shape[0])
    before = -1
    for j in argsort(-sizes.astype(np.float64)):
        if sizes[j] == 0:
            break
        if sizes[j] != before:
            margin += more
            more[:] = 0.0
            before = sizes[j]
        share = 1.0 / margin.sum()
        for w in range(totals.shape[0]):
            weight = SHRUNK_WEIGHTS[w]
            whole, size_term = rising(weight, sizes[j])
            product, total = 1.0 / whole, -size_term
            for k in range(r):
                if counts[j, k]:
                    factor, term = rising(weight * margin[k] * share, counts[j, k])
                    product, total = product * factor, total + term
                    if not _SMALL < product < _LARGE:
                        product, total = 1.0, total + math.log(product)
            totals[w] += total + math.log(product)
        more += counts[j]
    return log_mean(totals)
