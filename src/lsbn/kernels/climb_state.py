"""The arrays of hill climbing: candidate lists, the problem, the state of a search.

Candidates are in CSR form and symmetric: if ``u`` is a candidate of ``v``, then ``v`` is one of
``u``. Position ``p`` of ``(v, u)`` has a ``twin``, the position of ``(u, v)``.
"""

from typing import NamedTuple

import numpy as np

from lsbn.kernels.jit import njit
from lsbn.kernels.lookup import Lookup
from lsbn.kernels.state import Columns

MEMORY = 16
"""Parent sets of each variable whose gains are remembered."""


class Lists(NamedTuple):
    """Candidate parents: those of ``v`` are ``candidates[indptr[v]:indptr[v + 1]]``, ascending."""

    indptr: np.ndarray
    candidates: np.ndarray
    twin: np.ndarray


class EdgeRules(NamedTuple):
    """What is known about single edges.

    Attributes
    ----------
    prior : (positions,) float array
        Log prior of the edge from each candidate, beside that of sizes; minus infinity if the edge
        is not possible.
    required : (positions,) bool array
        Edges that are never dropped or turned.
    most : (n,) int64 array
        Most parents of each variable.
    """

    prior: np.ndarray
    required: np.ndarray
    most: np.ndarray


class Problem(NamedTuple):
    """What is maximised, and among which graphs.

    Attributes
    ----------
    columns : Columns
    lookup : Lookup
    penalty : float array
        Log prior of a family by its number of parents.
    lists : Lists
    rules : EdgeRules
    """

    columns: Columns
    lookup: Lookup
    penalty: np.ndarray
    lists: Lists
    rules: EdgeRules


class Tabu(NamedTuple):
    """The tabu list's limits.

    Attributes
    ----------
    clock : (1,) int64 array
        Steps made so far; changed by a climb.
    tenure : int
        Steps for which a pair must not be touched after a move.
    patience : int
        Steps without a new best graph after which a climb ends.
    """

    clock: np.ndarray
    tenure: int
    patience: int


class State(NamedTuple):
    """The arrays of a search.

    Attributes
    ----------
    parents : (n, max_parents) int64 array, ascending; n_parents : (n,) int64 array
    keys : (MEMORY, n) uint64 array
        Hashes of the parent sets that each variable remembers.
    current, newest : (n,) int64 arrays
        Which of them it has now, and which was counted last.
    gains : (MEMORY, positions), drops : (MEMORY, n, max_parents), scores : (MEMORY, n) arrays
        Gain of adding a candidate and of dropping a parent, score of the family.
    bound : (MEMORY, n) array
        The best gain of adding a parent.
    tabu : (positions,) int64 array
        The step until which a pair must not be touched.
    rank : (n,) int64 array
        A topological order of the graph.
    mark, stack : (n,) int64 scratch arrays; ``mark`` is zero between calls.
    """

    parents: np.ndarray
    n_parents: np.ndarray
    keys: np.ndarray
    current: np.ndarray
    newest: np.ndarray
    gains: np.ndarray
    drops: np.ndarray
    scores: np.ndarray
    bound: np.ndarray
    tabu: np.ndarray
    rank: np.ndarray
    mark: np.ndarray
    stack: np.ndarray


def new_state(lists: Lists, max_parents: int) -> State:
    """Make the arrays of a search from the empty graph; `start` fills them."""
    n = len(lists.indptr) - 1
    positions = len(lists.candidates)
    return State(
        parents=np.full((n, max_parents), -1, np.int64),
        n_parents=np.zeros(n, np.int64),
        keys=np.zeros((MEMORY, n), np.uint64),
        current=np.zeros(n, np.int64),
        newest=np.zeros(n, np.int64),
        gains=np.empty((MEMORY, positions)),
        drops=np.empty((MEMORY, n, max_parents)),
        scores=np.empty((MEMORY, n)),
        bound=np.empty((MEMORY, n)),
        tabu=np.zeros(positions, np.int64),
        rank=np.arange(n),
        mark=np.zeros(n, np.int64),
        stack=np.zeros(2 * n, np.int64),
    )


def new_lists(indptr: np.ndarray, candidates: np.ndarray) -> Lists:
    """Complete symmetric candidate lists by their twins."""
    return Lists(indptr, candidates, twins(indptr, candidates))


@njit(nogil=True, cache=True)
def twins(indptr, candidates):
    """Position of ``(u, v)`` for each position of ``(v, u)``, in ascending symmetric lists."""
    out = np.full(candidates.shape[0], -1, np.int64)
    for v in range(indptr.shape[0] - 1):
        for p in range(indptr[v], indptr[v + 1]):
            out[p] = position(indptr, candidates, candidates[p], v)
    return out


@njit(nogil=True, cache=True)
def position(indptr, candidates, v, u):
    """Position of candidate ``u`` of ``v``, by bisection; -1 if it is none."""
    low, high = indptr[v], indptr[v + 1]
    while low < high:
        middle = (low + high) // 2
        if candidates[middle] < u:
            low = middle + 1
        else:
            high = middle
    return low if low < indptr[v + 1] and candidates[low] == u else -1
