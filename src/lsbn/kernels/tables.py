"""What the order sampler computes once from its parent sets: weights, and tables of sums."""

import math

import numpy as np

from lsbn.kernels.jit import njit
from lsbn.kernels.state import FamilyLists
from lsbn.kernels.subsets import sum_over_subsets

REBASE = 300.0
"""Log of the ratio of weights with the same base: ``exp`` of more would leave the range."""


@njit(nogil=True, cache=True)
def weigh_sets(set_start, set_score):
    """Weights of sets relative to a base that changes every `REBASE` nats: ``(weight, base)``."""
    weight, base = np.empty_like(set_score), np.empty_like(set_score)
    for v in range(set_start.shape[0] - 1):
        reference = 0.0
        for s in range(set_start[v], set_start[v + 1]):
            if s == set_start[v] or set_score[s] < reference - REBASE:
                reference = set_score[s]
            base[s] = reference
            weight[s] = math.exp(set_score[s] - reference)
    return weight, base


@njit(nogil=True, cache=True)
def tabulate_families(set_start, set_mask, set_score, cand_start, most_candidates, least_sets):
    """Tabulate ``F`` for variables with many sets over few candidates: ``(table_start, table)``."""
    n = set_start.shape[0] - 1
    table_start = np.full(n, -1, np.int64)
    size = 0
    for v in range(n):
        k = cand_start[v + 1] - cand_start[v]
        if k <= most_candidates and set_start[v + 1] - set_start[v] >= least_sets:
            table_start[v] = size
            size += 1 << k
    table = np.full(size, -np.inf)
    for v in range(n):
        if table_start[v] >= 0:
            k = cand_start[v + 1] - cand_start[v]
            own = table[table_start[v] : table_start[v] + (1 << k)]
            for s in range(set_start[v], set_start[v + 1]):
                own[np.int64(set_mask[s])] = set_score[s]
            sum_over_subsets(own, k)
    return table_start, table


@njit(nogil=True, cache=True)
def tempered(lists, beta):
    """Multiply all scores by ``beta``, which is above 0; the new lists have no tables."""
    scores = beta * lists.set_score
    weight, base = weigh_sets(lists.set_start, scores)
    return FamilyLists(
        lists.set_start,
        lists.set_mask,
        scores,
        lists.cand_start,
        lists.cand,
        np.full(lists.table_start.shape[0], -1, np.int64),
        np.empty(0),
        weight,
        base,
    )
