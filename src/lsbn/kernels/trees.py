"""Averages over decision trees, which replace the table of a family.

A tree asks the parents one by one. Each branch has its own order of questions and may stop
anywhere. So a parent may have an effect only where other parents have certain states. In the prior,
a tree stops at a node with probability one half if there are parents left to ask; otherwise it asks
one of these parents, each with the same probability. A tree asks nothing where fewer rows are left
than the square root of all rows. Trees that leave out a parent do not belong to the family.

A context fixes some of the parents. The average below a context is the average of stopping and of
every next question, whose branches are contexts too. So one pass over all contexts gives the sum
over all trees, although there are many more trees than contexts.
"""

import math
from typing import NamedTuple

import numpy as np

from lsbn.kernels.bits import popcount
from lsbn.kernels.jit import njit

LEAST_MASS = 1e-6
"""There are no trees if a tree of the prior asks every parent with a smaller probability."""
_NEGLIGIBLE = 1e-10
"""Trees that ask every parent are left out of a sum if their share among all trees is smaller:
the share is a difference of large numbers, and rounding has destroyed its digits."""
FAR = 40.0
"""Trees are left out of a sum if they are less probable than others by this many nats."""


class Plan(NamedTuple):
    """The contexts in which trees may ask. They depend on the parents alone.

    Attributes
    ----------
    asking : int array
        Contexts in which a tree may ask, those with more fixed parents first.
    unfixed : int array
        The parents that are left to ask in each, as bits.
    place : int array
        For every context, its place among `asking`, or -1.
    start : int array
        Where the sums of each of `asking` begin: there is one for every set of its unfixed parents.
    mass : float
        Probability that a tree asks every parent.
    """

    asking: np.ndarray
    unfixed: np.ndarray
    place: np.ndarray
    start: np.ndarray
    mass: float


class Branches(NamedTuple):
    """Likelihoods in the contexts in which a tree may ask, relative to the best tree below.

    Attributes
    ----------
    stop : (contexts, kinds) float array
        Of a tree that stops in the context.
    ask : (contexts, parents, kinds) float array
        Of the best tree that asks this parent there.
    """

    stop: np.ndarray
    ask: np.ndarray


@njit(nogil=True, cache=True)
def n_contexts(cards):
    """Count the contexts: each parent has one of its states, or any."""
    total = 1.0
    for card in cards:
        total *= card + 1
    return total


@njit(nogil=True, cache=True)
def count_up(digits, bases):
    """Next number in a mixed base, lowest digit first."""
    for i in range(digits.shape[0]):
        digits[i] += 1
        if digits[i] < bases[i]:
            return
        digits[i] = 0


@njit(nogil=True, cache=True)
def configuration_places(cards):
    """Context of each configuration: the numbers of both are in mixed bases."""
    places, size, step = np.zeros(int(np.prod(cards)), np.int64), 1, 1
    for card in cards:
        for state in range(1, card):
            for j in range(size):
                places[state * size + j] = places[j] + state * step
        size *= card
        step *= card + 1
    return places


@njit(nogil=True, cache=True)
def add_margins(counts, cards):
    """Count the child's states in every context, from the counts in every configuration.

    ``counts[j]`` belongs to configuration ``j`` in mixed base `cards`, the first parent the lowest
    digit; in the result each digit has one more value, which stands for any.
    """
    r, places = counts.shape[1], configuration_places(cards)
    wide = np.zeros((int(np.prod(cards + 1)), r), np.int64)
    for j in range(counts.shape[0]):
        for state in range(r):
            wide[places[j], state] = counts[j, state]
    step = 1
    for card in cards:
        for block in range(0, wide.shape[0], step * (card + 1)):
            for c in range(block, block + card * step):
                any_state = block + card * step + (c - block) % step
                for state in range(r):
                    wide[any_state, state] += wide[c, state]
        step *= card + 1
    return wide


@njit(nogil=True, cache=True)
def plan_trees(rows, cards):
    """Find where trees may ask, from the rows in each context (see `add_margins`)."""
    asking, unfixed = _asking_contexts(rows, cards)
    m, place = asking.shape[0], np.full(rows.shape[0], -1, np.int64)
    start = np.zeros(m + 1, np.int64)
    for a in range(m):
        place[asking[a]] = a
        start[a + 1] = start[a] + (1 << popcount(np.uint64(unfixed[a])))
    plan = Plan(asking, unfixed, place, start, 1.0)
    alike = Branches(np.ones((m, 1)), np.ones((m, cards.shape[0], 1)))
    mass = _shares(_sums(alike, cards, plan), plan)[0, 0]
    return Plan(asking, unfixed, place, start, mass)


@njit(nogil=True, cache=True)
def average_trees(leaves, cards, plan):
    """Log of the average likelihood of all trees that ask every parent at least once.

    Of trees that ask some of the parents, those that ask all are found by inclusion and exclusion:
    there is one sum for every set of parents that may be left out.

    Parameters
    ----------
    leaves : (contexts, kinds) float array
        Log evidence of the child in each context, see `add_margins`, for several kinds of leaves.
    cards : int array
        States of each parent.
    plan : Plan

    Returns
    -------
    float array
        By kind; minus infinity if these trees are negligible among those that ask some parents.
    """
    branches, top = _branches(leaves, cards, plan)
    shares = _shares(_sums(branches, cards, plan), plan)
    out = np.full(leaves.shape[1], -np.inf)
    for w in range(out.shape[0]):
        if shares[0, w] > _NEGLIGIBLE * shares[1, w]:
            out[w] = top[w] + math.log(shares[0, w] / plan.mass)
    return out


@njit(nogil=True, cache=True)
def _branches(leaves, cards, plan):
    """Likelihoods of stopping and asking relative to the best tree: ``(branches, log of it)``.

    The likelihood of the best tree below a context is the unit of all likelihoods there. So no
    number exceeds 1, and the passes over all contexts need neither logarithms nor exponentials.
    """
    asking, unfixed = plan.asking, plan.unfixed
    k, kinds, best = cards.shape[0], leaves.shape[1], leaves.copy()
    stop, ask = np.empty((asking.shape[0], kinds)), np.zeros((asking.shape[0], k, kinds))
    terms = np.empty((k, kinds))
    for a in range(asking.shape[0]):
        c, step = asking[a], 1
        for i in range(k):
            if unfixed[a] >> i & 1:
                for w in range(kinds):
                    terms[i, w] = best[c - step, w]
                for state in range(2, cards[i] + 1):
                    for w in range(kinds):
                        terms[i, w] += best[c - state * step, w]
                for w in range(kinds):
                    best[c, w] = max(best[c, w], terms[i, w])
            step *= cards[i] + 1
        for w in range(kinds):
            stop[a, w] = _exp(leaves[c, w] - best[c, w])
        for i in range(k):
            if unfixed[a] >> i & 1:
                for w in range(kinds):
                    ask[a, i, w] = _exp(terms[i, w] - best[c, w])
    return Branches(stop, ask), best[-1]


@njit(nogil=True, cache=True)
def _exp(x):
    """Exponential of ``x <= 0``, 0 if it is negligible."""
    return math.exp(x) if x > -FAR else 0.0


@njit(nogil=True, cache=True)
def _sums(branches, cards, plan):
    """Sum over the trees below each context that leave out certain parents.

    There is a sum for every set of parents that are not fixed in the context. The sets are numbered
    by the bits of their members among these parents. The sums of a set for all kinds of leaves
    stand side by side. A parent that is asked is not left out: its branches know the sets without
    it, which have the same order. Where a tree may not ask, all sums are 1.

    Returns
    -------
    float array
        The sums of each of ``plan.asking`` begin at ``plan.start`` times the number of kinds.
    """
    k, kinds = cards.shape[0], branches.stop.shape[1]
    below = np.zeros(plan.start[-1] * kinds)
    term = np.empty(kinds << k)
    for a in range(plan.asking.shape[0]):
        own, step, low = below[plan.start[a] * kinds : plan.start[a + 1] * kinds], 1, kinds
        half = own.shape[0] // 2
        for i in range(k):
            if plan.unfixed[a] >> i & 1:
                for e in range(0, half, kinds):
                    for w in range(kinds):
                        term[e + w] = branches.ask[a, i, w]
                for state in range(1, cards[i] + 1):
                    child = plan.place[plan.asking[a] - state * step]
                    if child >= 0:
                        first = plan.start[child] * kinds
                        for e in range(half):
                            term[e] *= below[first + e]
                for block in range(half // low):
                    for e in range(low):
                        own[2 * block * low + e] += term[block * low + e]
                low *= 2
            step *= cards[i] + 1
        n_unfixed = float(popcount(np.uint64(plan.unfixed[a])))
        for e in range(0, own.shape[0], kinds):
            for w in range(kinds):
                own[e + w] = 0.5 * (branches.stop[a, w] + own[e + w] / n_unfixed)
    return below


@njit(nogil=True, cache=True)
def _shares(sums, plan):
    """Give the sums of the trees that ask every parent, and of all trees, for each kind: two rows.

    By inclusion and exclusion, a set of parents to leave out counts with a plus if the number of
    its members is even.
    """
    m = plan.start.shape[0] - 1
    sets = plan.start[m] - plan.start[m - 1]
    kinds = sums.shape[0] // plan.start[m]
    last = sums[plan.start[m - 1] * kinds :].reshape(sets, kinds)
    out = np.zeros((2, kinds))
    out[1] = last[0]
    for left_out in range(sets):
        sign = 1.0 - 2.0 * (popcount(np.uint64(left_out)) & 1)
        for w in range(kinds):
            out[0, w] += sign * last[left_out, w]
    return out


@njit(nogil=True, cache=True)
def _asking_contexts(rows, cards):
    """Contexts in which a tree may ask, those with more fixed parents first, and whom."""
    least = math.sqrt(rows[-1])
    asking, unfixed = np.empty(rows.shape[0], np.int64), np.empty(rows.shape[0], np.int64)
    digits, bases = np.zeros(cards.shape[0], np.int64), cards + 1
    m = 0
    for c in range(rows.shape[0]):
        if rows[c] >= least:
            unfixed[m] = 0
            for i in range(cards.shape[0]):
                unfixed[m] |= (digits[i] == cards[i]) << i
            asking[m] = c
            m += unfixed[m] > 0
        count_up(digits, bases)
    return asking[:m], unfixed[:m]


@njit(nogil=True, cache=True)
def leaf_shares(leaf, cards, plan):
    """Share of the trees that stop in each context, by their posterior probabilities.

    The sums of `_sums` are followed from the root down: each sum is divided among the trees that
    stop and those that ask, and goes to all branches of a question. Trees that leave out certain
    parents count with plus or minus, see `_shares`.

    Parameters
    ----------
    leaf : float array
        Log evidence of the child in each context, see `add_margins`.
    cards : int array
    plan : Plan

    Returns
    -------
    shares : float array
        Zeros if trees that ask every parent are negligible.
    log_average : float
        See `average_trees`.
    """
    k, m, shares = cards.shape[0], plan.asking.shape[0], np.zeros(leaf.shape[0])
    branches, top = _branches(leaf.reshape(-1, 1), cards, plan)
    below = _sums(branches, cards, plan)
    asked, every = _shares(below, plan)[:, 0]
    if not asked > _NEGLIGIBLE * every:
        return shares, -np.inf
    mass = np.zeros(below.shape[0])
    for e in range(plan.start[m - 1], plan.start[m]):
        odd = popcount(np.uint64(e - plan.start[m - 1])) & 1
        mass[e] = (1.0 - 2.0 * odd) * below[e] / asked
    for a in range(m - 1, -1, -1):
        c, first, step, bit = plan.asking[a], plan.start[a], 1, 0
        n_sets, n_unfixed = plan.start[a + 1] - first, float(popcount(np.uint64(plan.unfixed[a])))
        for e in range(n_sets):
            if below[first + e] > 0.0:
                mass[first + e] /= below[first + e]
                shares[c] += 0.5 * mass[first + e] * branches.stop[a, 0]
        for i in range(k):
            if plan.unfixed[a] >> i & 1:
                low = (1 << bit) - 1
                for half in range(n_sets // 2):
                    e = (half & low) | ((half & ~low) << 1)
                    term = mass[first + e] * 0.5 / n_unfixed * branches.ask[a, i, 0]
                    for state in range(1, cards[i] + 1):
                        child = plan.place[c - state * step]
                        if child >= 0:
                            term *= below[plan.start[child] + half]
                    for state in range(1, cards[i] + 1):
                        child = plan.place[c - state * step]
                        if child >= 0:
                            mass[plan.start[child] + half] += term
                        else:
                            shares[c - state * step] += term
                bit += 1
            step *= cards[i] + 1
    return shares, top[0] + math.log(asked / plan.mass)


@njit(nogil=True, cache=True)
def predict_by_trees(leaf, means, cards, plan):
    """Predict the child's next state in each configuration by an average over trees.

    Every tree predicts by the context in which it stops on the way of the configuration.

    Parameters
    ----------
    leaf : float array
        Log evidence of the child in each context, see `add_margins`.
    means : (contexts, r) float array
        Distribution of the child's next state in each context.
    cards : int array
    plan : Plan

    Returns
    -------
    table : (configurations, r) float array
        Zeros if trees that ask every parent are negligible.
    log_average : float
        See `average_trees`.
    """
    k = cards.shape[0]
    shares, log_average = leaf_shares(leaf, cards, plan)
    out = np.zeros((int(np.prod(cards)), means.shape[1]))
    steps = np.ones(k, np.int64)
    for i in range(1, k):
        steps[i] = steps[i - 1] * (cards[i - 1] + 1)
    digits, contexts = np.zeros(k, np.int64), np.empty(1 << k, np.int64)
    for j in range(out.shape[0]):
        contexts[0] = 0
        for i in range(k):
            for c in range(1 << i):
                contexts[c + (1 << i)] = contexts[c] + cards[i] * steps[i]
                contexts[c] += digits[i] * steps[i]
        for c in contexts:
            for state in range(out.shape[1]):
                out[j, state] += max(shares[c], 0.0) * means[c, state]
        count_up(digits, cards)
    return out, log_average
