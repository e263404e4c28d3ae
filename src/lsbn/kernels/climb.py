"""Hill climbing over directed acyclic graphs: one step costs what the last one changed.

A search holds, for every variable, the gain of adding each candidate parent and of dropping each
parent. A move changes the parents of one variable or, a reversal, of two; only their gains are
counted again, and the gains of the last few parent sets of each variable are remembered, as
searches come back to where they were. Acyclicity is checked only for moves that would be the best
so far.

Candidates are in CSR form and symmetric: if ``u`` is a candidate of ``v``, then ``v`` is one of
``u``. Position ``p`` of ``(v, u)`` has a ``twin``, the position of ``(u, v)``.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from lsbn.kernels.scores import extension_scores, family_score, n_parameters

TIE = 1e-7
"""Gains closer than this are equal: the first in the order of the variables is taken."""
MEMORY = 16
"""Parent sets of each variable whose gains are remembered."""

ADD, DROP, TURN = 0, 1, 2


class Lists(NamedTuple):
    """Candidate parents: those of ``v`` are ``candidates[indptr[v]:indptr[v + 1]]``, ascending."""

    indptr: np.ndarray
    candidates: np.ndarray
    twin: np.ndarray


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
            out[p] = _position(indptr, candidates, candidates[p], v)
    return out


@njit(nogil=True, cache=True)
def _position(indptr, candidates, v, u):
    """Position of candidate ``u`` of ``v``, by bisection; -1 if it is none."""
    low, high = indptr[v], indptr[v + 1]
    while low < high:
        middle = (low + high) // 2
        if candidates[middle] < u:
            low = middle + 1
        else:
            high = middle
    return low if low < indptr[v + 1] and candidates[low] == u else -1


@njit(nogil=True, cache=True)
def refresh(data, lookup, penalty, lists, state, v):
    """Bring the gains of ``v`` up to date after its parents changed."""
    parents, keys = state.parents, state.keys
    k = state.n_parents[v]
    key = np.uint64(k + 1)
    for i in range(k):
        key = key * np.uint64(0x9E3779B97F4A7C15) + np.uint64(parents[v, i] + 1)
        key ^= key >> np.uint64(29)
    for m in range(keys.shape[0]):
        if keys[m, v] == key:
            state.current[v] = m
            return
    m = (state.newest[v] + 1) % keys.shape[0]
    state.newest[v] = m
    state.current[v] = m
    keys[m, v] = key
    _count_gains(data, lookup, penalty, lists, state, v, m)


@njit(nogil=True, cache=True)
def _count_gains(data, lookup, penalty, lists, state, v, m):
    words, offsets, codes = data
    indptr, candidates = lists.indptr, lists.candidates
    parents, gains, bound = state.parents, state.gains, state.bound
    k = state.n_parents[v]
    above = parents[v, :k].copy()
    score = family_score(words, offsets, codes, lookup, v, above) + penalty[k]
    state.scores[m, v] = score
    for i in range(k):
        less = np.concatenate((above[:i], above[i + 1 :]))
        value = family_score(words, offsets, codes, lookup, v, less) + penalty[k - 1]
        state.drops[m, v, i] = value - score
    low, high = indptr[v], indptr[v + 1]
    bound[m, v] = -np.inf
    if k == parents.shape[1]:
        gains[m, low:high] = -np.inf
        return
    more = extension_scores(words, offsets, codes, lookup, v, above, candidates[low:high])
    parameters, cards = n_parameters(offsets, v, above), np.diff(offsets)
    for p in range(low, high):
        gain = more[p - low] + penalty[k + 1] - score
        if parameters * cards[candidates[p]] > codes.shape[1]:
            gain = -np.inf
        for u in above:
            if u == candidates[p]:
                gain = -np.inf
        gains[m, p] = gain
        bound[m, v] = max(bound[m, v], gain)


@njit(nogil=True, cache=True)
def sort_topologically(state):
    """Renew the ranks: every parent before its children, by a depth-first walk upwards."""
    parents, n_parents, mark, stack = state.parents, state.n_parents, state.mark, state.stack
    n = n_parents.shape[0]
    placed = 0
    for root in range(n):
        if mark[root] > 0:
            continue
        stack[0] = root
        mark[root] = 1
        depth = 1
        while depth > 0:
            v = stack[depth - 1]
            i = mark[v] - 1
            if i == n_parents[v]:
                state.rank[v] = placed
                placed += 1
                depth -= 1
                continue
            mark[v] += 1
            u = parents[v, i]
            if mark[u] == 0:
                mark[u] = 1
                stack[depth] = u
                depth += 1
    mark[:] = 0


@njit(nogil=True, cache=True)
def reaches(state, source, target, skip):
    """Say whether a directed path leads from ``source`` to ``target``.

    Walks from parent to parent upwards, among the variables ranked between the two. With ``skip``
    the edge ``source -> target`` itself does not count.
    """
    parents, n_parents, mark, stack = state.parents, state.n_parents, state.mark, state.stack
    floor = state.rank[source]
    if floor > state.rank[target]:
        return False
    half = mark.shape[0]
    n_seen, depth = 1, 1
    stack[0] = target
    stack[half] = target
    mark[target] = 1
    found = False
    while depth > 0 and not found:
        depth -= 1
        v = stack[depth]
        for i in range(n_parents[v]):
            u = parents[v, i]
            if u == source and not (skip and v == target):
                found = True
                break
            if mark[u] == 0 and state.rank[u] > floor:
                mark[u] = 1
                stack[half + n_seen] = u
                n_seen += 1
                stack[depth] = u
                depth += 1
    for i in range(n_seen):
        mark[stack[half + i]] = 0
    return found


@njit(nogil=True, cache=True)
def best_move(lists, state, step, short):
    """Find the legal move with the largest gain.

    A move on a tabu pair counts only if it gains more than ``short``, what the search lacks to its
    best graph so far.

    Returns
    -------
    gain, kind, v, where : float, int, int, int
        Kind of move, child, and position of the parent in the lists (add) or among its parents.
    """
    best, kind, child, where = -np.inf, -1, -1, -1
    for v in range(state.n_parents.shape[0]):
        m = state.current[v]
        for i in range(state.n_parents[v]):
            gain = state.drops[m, v, i]
            if gain > best + TIE:
                p = _position(lists.indptr, lists.candidates, v, state.parents[v, i])
                if state.tabu[p] <= step or gain > short + TIE:
                    best, kind, child, where = gain, DROP, v, i
    for v in range(state.n_parents.shape[0]):
        m = state.current[v]
        if state.bound[m, v] > best + TIE:
            for p in range(lists.indptr[v], lists.indptr[v + 1]):
                gain = state.gains[m, p]
                if gain <= best + TIE or (state.tabu[p] > step and gain <= short + TIE):
                    continue
                if not reaches(state, v, lists.candidates[p], False):
                    best, kind, child, where = gain, ADD, v, p
    for v in range(state.n_parents.shape[0]):
        m = state.current[v]
        for i in range(state.n_parents[v]):
            u = state.parents[v, i]
            if state.drops[m, v, i] + state.bound[state.current[u], u] <= best + TIE:
                continue
            p = _position(lists.indptr, lists.candidates, v, u)
            gain = state.drops[m, v, i] + state.gains[state.current[u], lists.twin[p]]
            if gain > best + TIE and (state.tabu[p] <= step or gain > short + TIE):
                if not reaches(state, u, v, True):
                    best, kind, child, where = gain, TURN, v, i
    return best, kind, child, where


@njit(nogil=True, cache=True)
def insert_parent(parents, n_parents, v, u):
    """Add ``u`` to the parents of ``v``, which stay ascending."""
    i = n_parents[v]
    while i > 0 and parents[v, i - 1] > u:
        parents[v, i] = parents[v, i - 1]
        i -= 1
    parents[v, i] = u
    n_parents[v] += 1


@njit(nogil=True, cache=True)
def remove_parent(parents, n_parents, v, i):
    """Take the ``i``-th parent from ``v``."""
    for j in range(i, n_parents[v] - 1):
        parents[v, j] = parents[v, j + 1]
    n_parents[v] -= 1


@njit(nogil=True, cache=True)
def apply_move(data, lookup, penalty, lists, state, kind, v, where, until):
    """Make a move, count again what it changed and forbid its pair until a step."""
    u = lists.candidates[where] if kind == ADD else state.parents[v, where]
    p = where if kind == ADD else _position(lists.indptr, lists.candidates, v, u)
    if kind == ADD:
        insert_parent(state.parents, state.n_parents, v, u)
    else:
        remove_parent(state.parents, state.n_parents, v, where)
    refresh(data, lookup, penalty, lists, state, v)
    if kind == TURN:
        insert_parent(state.parents, state.n_parents, u, v)
        refresh(data, lookup, penalty, lists, state, u)
    if kind == TURN or (kind == ADD and state.rank[u] > state.rank[v]):
        sort_topologically(state)
    state.tabu[p] = until
    state.tabu[lists.twin[p]] = until


@njit(nogil=True, cache=True)
def total_score(state):
    """Score of the present graph."""
    total = 0.0
    for v in range(state.n_parents.shape[0]):
        total += state.scores[state.current[v], v]
    return total


@njit(nogil=True, cache=True)
def climb(data, lookup, penalty, lists, state, clock, tenure, patience):
    """Climb from the present graph with a tabu list; end at the best graph seen.

    Every step makes the best legal move, be it for the worse, that touches no pair moved within
    the last ``tenure`` steps; after ``patience`` steps without a new best the search ends.

    Returns
    -------
    float
        The score.
    """
    parents, n_parents = state.parents, state.n_parents
    best_parents, best_n = parents.copy(), n_parents.copy()
    best = total_score(state)
    score, idle = best, 0
    while idle <= patience:
        clock[0] += 1
        gain, kind, v, where = best_move(lists, state, clock[0], best - score)
        if kind < 0 or (gain <= TIE and patience == 0):
            break
        apply_move(data, lookup, penalty, lists, state, kind, v, where, clock[0] + tenure + 1)
        score += gain
        idle += 1
        if score > best + TIE:
            best, idle = score, 0
            best_parents[:] = parents
            best_n[:] = n_parents
    restore(data, lookup, penalty, lists, state, best_parents, best_n)
    return total_score(state)


@njit(nogil=True, cache=True)
def restore(data, lookup, penalty, lists, state, wanted, n_wanted):
    """Go back to a graph, counting only what differs."""
    parents, n_parents = state.parents, state.n_parents
    for v in range(n_parents.shape[0]):
        k = n_wanted[v]
        same = n_parents[v] == k
        for i in range(k):
            same = same and parents[v, i] == wanted[v, i]
        if not same:
            parents[v, :k] = wanted[v, :k]
            n_parents[v] = k
            refresh(data, lookup, penalty, lists, state, v)
    sort_topologically(state)


@njit(nogil=True, cache=True)
def start(data, lookup, penalty, lists, state):
    """Count the gains of every variable in the present graph."""
    for v in range(state.n_parents.shape[0]):
        refresh(data, lookup, penalty, lists, state, v)
    sort_topologically(state)


@njit(nogil=True, cache=True)
def region(state, centre, draws):
    """Grow a connected set of variables from ``centre``, one random neighbour for each draw."""
    parents, n_parents = state.parents, state.n_parents
    n = n_parents.shape[0]
    inside = np.zeros(n, np.bool_)
    inside[centre] = True
    for draw in draws:
        count = 0
        for chosen in range(2):
            target = np.int64(draw * count) if chosen else -1
            count = 0
            for v in range(n):
                for i in range(n_parents[v]):
                    u = parents[v, i]
                    if inside[u] != inside[v]:
                        if chosen and count == target:
                            inside[u] = True
                            inside[v] = True
                            target = -1
                        count += 1
            if count == 0:
                return np.flatnonzero(inside)
    return np.flatnonzero(inside)


@njit(nogil=True, cache=True)
def clear(data, lookup, penalty, lists, state, members):
    """Take away all edges between members of a set; of a single variable, all its edges."""
    parents, n_parents = state.parents, state.n_parents
    n = n_parents.shape[0]
    inside = np.zeros(n, np.bool_)
    inside[members] = True
    alone = members.shape[0] == 1
    for v in range(n):
        before = n_parents[v]
        for i in range(before - 1, -1, -1):
            u = parents[v, i]
            if (inside[u] and inside[v]) or (alone and (inside[u] or inside[v])):
                remove_parent(parents, n_parents, v, i)
        if n_parents[v] < before:
            refresh(data, lookup, penalty, lists, state, v)


@njit(nogil=True, cache=True)
def kick(data, lookup, penalty, lists, state, clock, centre, draws, score, tenure, patience):
    """Clear a random region, climb again and keep the result if it is no worse.

    Returns
    -------
    float
        The score, at least the one before.
    """
    parents, n_parents = state.parents.copy(), state.n_parents.copy()
    state.tabu[:] = 0
    clear(data, lookup, penalty, lists, state, region(state, centre, draws))
    new = climb(data, lookup, penalty, lists, state, clock, tenure, patience)
    if new < score - TIE:
        restore(data, lookup, penalty, lists, state, parents, n_parents)
        return score
    return new
