"""Hill climbing over directed acyclic graphs: a step updates only what the last one changed.

A search holds, for every variable, the gain of adding each candidate parent and of dropping each
parent. A move changes the parents of one variable, a reversal those of two, and only their gains
are counted again. The gains of the last parent sets of each variable are remembered, since searches
often return to them. Acyclicity is checked only for moves with the largest gain so far.

The arrays are those of `lsbn.kernels.climb_state`.
"""

import numpy as np

from lsbn.kernels.climb_state import position
from lsbn.kernels.jit import njit
from lsbn.kernels.scores import extension_scores_apart, family_score_apart, n_parameters

TIE = 1e-7
"""Gains closer than this are equal: the first in the order of the variables is taken."""

ADD, DROP, TURN = 0, 1, 2


@njit(nogil=True, cache=True)
def refresh(problem, state, v):
    """Update the gains of ``v`` after its parents changed."""
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
    _count_gains(problem, state, v, m)


@njit(nogil=True, cache=True)
def _count_gains(problem, state, v, m):
    """Count the gains of ``v`` into slot ``m`` of its memory."""
    columns, lookup, penalty = problem.columns, problem.lookup, problem.penalty
    indptr, candidates = problem.lists.indptr, problem.lists.candidates
    parents, gains, bound = state.parents, state.gains, state.bound
    k = state.n_parents[v]
    above = parents[v, :k].copy()
    places, rules = np.empty(k, np.int64), problem.rules
    for i in range(k):
        places[i] = position(indptr, candidates, v, above[i])
    prior = rules.prior[places].sum()
    score = family_score_apart(columns, lookup, v, above) + penalty[k] + prior
    state.scores[m, v] = score
    for i in range(k):
        less = np.concatenate((above[:i], above[i + 1 :]))
        value = family_score_apart(columns, lookup, v, less) + penalty[k - 1]
        value += prior - rules.prior[places[i]]
        state.drops[m, v, i] = -np.inf if rules.required[places[i]] else value - score
    low, high = indptr[v], indptr[v + 1]
    bound[m, v] = -np.inf
    if k >= rules.most[v]:
        gains[m, low:high] = -np.inf
        return
    more = extension_scores_apart(columns, lookup, v, above, candidates[low:high])
    parameters, cards = (
        n_parameters(columns.offsets, v, above),
        columns.offsets[1:] - columns.offsets[:-1],
    )
    for p in range(low, high):
        gain = more[p - low] + penalty[k + 1] + prior + rules.prior[p] - score
        if parameters * cards[candidates[p]] > columns.codes.shape[2]:
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

    A move on a tabu pair is legal only if it gains more than ``short``, the difference between the
    score of the best graph so far and the present score.

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
                p = position(lists.indptr, lists.candidates, v, state.parents[v, i])
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
            p = position(lists.indptr, lists.candidates, v, u)
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
    """Remove the ``i``-th parent of ``v``."""
    for j in range(i, n_parents[v] - 1):
        parents[v, j] = parents[v, j + 1]
    n_parents[v] -= 1


@njit(nogil=True, cache=True)
def apply_move(problem, state, kind, v, where, until):
    """Make a move, update the gains that it changed and forbid its pair until a step."""
    lists = problem.lists
    u = lists.candidates[where] if kind == ADD else state.parents[v, where]
    p = where if kind == ADD else position(lists.indptr, lists.candidates, v, u)
    if kind == ADD:
        insert_parent(state.parents, state.n_parents, v, u)
    else:
        remove_parent(state.parents, state.n_parents, v, where)
    refresh(problem, state, v)
    if kind == TURN:
        insert_parent(state.parents, state.n_parents, u, v)
        refresh(problem, state, u)
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
def climb(problem, state, tabu):
    """Climb from the present graph with a tabu list; end at the best graph seen.

    Every step makes the best legal move, even if it lowers the score, on a pair that was not moved
    within the last ``tenure`` steps. The search ends after ``patience`` steps without a new best.

    Returns
    -------
    float
        The score.
    """
    parents, n_parents = state.parents, state.n_parents
    best_parents, best_n = parents.copy(), n_parents.copy()
    best = total_score(state)
    score, idle = best, 0
    while idle <= tabu.patience:
        tabu.clock[0] += 1
        step = tabu.clock[0]
        gain, kind, v, where = best_move(problem.lists, state, step, best - score)
        if kind < 0 or (gain <= TIE and tabu.patience == 0):
            break
        apply_move(problem, state, kind, v, where, step + tabu.tenure + 1)
        score += gain
        idle += 1
        if score > best + TIE:
            best, idle = score, 0
            best_parents, best_n = parents.copy(), n_parents.copy()
    restore(problem, state, best_parents, best_n)
    return total_score(state)


@njit(nogil=True, cache=True)
def restore(problem, state, wanted, n_wanted):
    """Go back to a graph; only the gains of variables with other parents are updated."""
    parents, n_parents = state.parents, state.n_parents
    for v in range(n_parents.shape[0]):
        k = n_wanted[v]
        same = n_parents[v] == k
        for i in range(k):
            same = same and parents[v, i] == wanted[v, i]
        if not same:
            for i in range(k):
                parents[v, i] = wanted[v, i]
            n_parents[v] = k
            refresh(problem, state, v)
    sort_topologically(state)


@njit(nogil=True, cache=True)
def start(problem, state):
    """Count the gains of every variable in the present graph."""
    for v in range(state.n_parents.shape[0]):
        refresh(problem, state, v)
    sort_topologically(state)


@njit(nogil=True, cache=True)
def region(state, centre, draws):
    """Grow a connected set of variables from ``centre``, one random neighbour for each draw.

    Returns
    -------
    (n,) bool array
        The variables in the set.
    """
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
                return inside
    return inside


@njit(nogil=True, cache=True)
def clear(problem, state, inside):
    """Remove all edges inside a set of variables; of a single variable, all its edges.

    Required edges stay.
    """
    parents, n_parents, lists = state.parents, state.n_parents, problem.lists
    alone = inside.sum() == 1
    for v in range(inside.shape[0]):
        before = n_parents[v]
        for i in range(before - 1, -1, -1):
            u = parents[v, i]
            if problem.rules.required[position(lists.indptr, lists.candidates, v, u)]:
                continue
            if (inside[u] and inside[v]) or (alone and (inside[u] or inside[v])):
                remove_parent(parents, n_parents, v, i)
        if n_parents[v] < before:
            refresh(problem, state, v)


@njit(nogil=True, cache=True)
def kick(problem, state, tabu, centre, draws, score):
    """Clear a random region, climb again and keep the result if it is no worse.

    Returns
    -------
    float
        The score, at least the one before.
    """
    parents, n_parents = state.parents.copy(), state.n_parents.copy()
    state.tabu[:] = 0
    clear(problem, state, region(state, centre, draws))
    new = climb(problem, state, tabu)
    if new < score - TIE:
        restore(problem, state, parents, n_parents)
        return score
    return new
