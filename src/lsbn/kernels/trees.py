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
from numba import njit

_HALF = math.log(0.5)
LEAST_MASS = 1e-6
"""There are no trees if a tree of the prior asks every parent with a smaller probability."""
_NEGLIGIBLE = 1e-10
"""Trees that ask every parent are left out of a sum if their share among all trees is smaller:
the share is a difference of large numbers, and rounding has destroyed its digits."""
_FAR = 40.0
"""Trees are left out of a sum if they are less probable than others by this many nats."""


class Plan(NamedTuple):
    """The contexts in which trees may ask. They depend on the parents alone.

    Attributes
    ----------
    asking : int array
        Contexts in which a tree may ask, those with more fixed parents first.
    unfixed : int array
        The parents that are left to ask in each, as bits.
    mass : float
        Probability that a tree asks every parent.
    """

    asking: np.ndarray
    unfixed: np.ndarray
    mass: float


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
def add_margins(counts, cards):
    """Count the child's states in every context, from the counts in every configuration.

    ``counts[j]`` belongs to configuration ``j`` in mixed base `cards`, the first parent the lowest
    digit; in the result each digit has one more value, which means any state.
    """
    r = counts.shape[1]
    wide = np.zeros((int(np.prod(cards + 1)), r), np.int64)
    digits = np.zeros(cards.shape[0], np.int64)
    for j in range(counts.shape[0]):
        place, step = 0, 1
        for i in range(cards.shape[0]):
            place += digits[i] * step
            step *= cards[i] + 1
        for state in range(r):
            wide[place, state] = counts[j, state]
        count_up(digits, cards)
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
    """Find the contexts in which trees may ask, from the rows in each (see `add_margins`)."""
    asking, unfixed = _asking_contexts(rows, cards)
    return Plan(asking, unfixed, _asking_all(asking, unfixed, cards, rows.shape[0]))


@njit(nogil=True, cache=True)
def average_trees(leaf, cards, plan):
    """Log of the average likelihood of all trees that ask every parent at least once.

    Inclusion and exclusion selects the trees that ask all parents from those that ask some: there
    is one pass for every set of parents that may be left out.

    Parameters
    ----------
    leaf : float array
        Log evidence of the child in each context, see `add_margins`.
    cards : int array
        States of each parent.
    plan : Plan

    Returns
    -------
    float
        Minus infinity if these trees are negligible among those that ask some parents.
    """
    asking, unfixed, mass = plan
    below, terms = leaf.copy(), np.empty(cards.shape[0])
    sums, signs = np.full(1 << cards.shape[0], -np.inf), _signs(cards.shape[0])
    for out in range(sums.shape[0]):
        if not _matters(sums, out):
            continue
        for a in range(asking.shape[0]):
            if unfixed[a] & out == out:
                below[asking[a]] = _ask(below, asking[a], unfixed[a], out, cards, leaf, terms)
        sums[out] = below[-1]
    share = 0.0
    for out in range(sums.shape[0]):
        share += signs[out] * math.exp(sums[out] - sums[0])
    return sums[0] + math.log(share / mass) if share > _NEGLIGIBLE else -np.inf


@njit(nogil=True, cache=True)
def _signs(k):
    """Signs of the subsets of ``k`` things: plus for an even number of members."""
    signs = np.ones(1 << k)
    for out in range(1, signs.shape[0]):
        signs[out] = -signs[out & (out - 1)]
    return signs


@njit(nogil=True, cache=True)
def _matters(sums, out):
    """Whether trees without these parents may count: those without one parent less did."""
    rest = out
    while rest:
        one = rest & -rest
        if sums[out ^ one] < sums[0] - _FAR:
            return False
        rest ^= one
    return True


@njit(nogil=True, cache=True)
def _asking_contexts(rows, cards):
    """Contexts in which a tree may ask, most fixed parents first, and the parents to ask."""
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
def _ask(below, c, unfixed, out, cards, leaf, terms):
    """Log average of stopping in context ``c`` and of asking each parent that is not left out."""
    top, m, step, n_unfixed = -np.inf, 0, 1, 0
    for i in range(cards.shape[0]):
        n_unfixed += unfixed >> i & 1
        if (unfixed & ~out) >> i & 1:
            term = 0.0
            for state in range(1, cards[i] + 1):
                term += below[c - state * step]
            terms[m] = term
            top = max(top, term)
            m += 1
        step *= cards[i] + 1
    if top < leaf[c] - _FAR:
        return leaf[c] + _HALF
    total = math.exp(leaf[c] - top) * n_unfixed if leaf[c] > top - _FAR else 0.0
    for t in range(m):
        if terms[t] > top - _FAR:
            total += math.exp(terms[t] - top)
    return top + math.log(total / (2 * n_unfixed))


@njit(nogil=True, cache=True)
def _asking_all(asking, unfixed, cards, n_contexts):
    """Probability that a tree asks every parent, if it asks only in these contexts."""
    signs, below = _signs(cards.shape[0]), np.ones(n_contexts)
    mass = 0.0
    for out in range(signs.shape[0]):
        for a in range(asking.shape[0]):
            if unfixed[a] & out == out:
                below[asking[a]] = _ask_anyone(below, asking[a], unfixed[a], out, cards)
        mass += signs[out] * below[-1]
    return mass


@njit(nogil=True, cache=True)
def _ask_anyone(below, c, unfixed, out, cards):
    """Probability that the subtree of context ``c`` splits only on permitted parents."""
    asked, step, n_unfixed = 0.0, 1, 0
    for i in range(cards.shape[0]):
        n_unfixed += unfixed >> i & 1
        if (unfixed & ~out) >> i & 1:
            branches = 1.0
            for state in range(1, cards[i] + 1):
                branches *= below[c - state * step]
            asked += branches
        step *= cards[i] + 1
    return 0.5 + 0.5 * asked / n_unfixed
