"""Averages over decision trees in the place of a family's table.

A tree asks the parents one by one, each branch in its own order, and stops where it likes: what a
parent says may count only where other parents have certain states. Given the parents, a tree stops
at a node with probability one half if there is a parent left to ask, and asks any of those left
with the same probability; trees that leave out a parent are not among its family's.

A context fixes some of the parents. The average below a context is that of stopping and of every
next question, whose branches are contexts, too: one pass over all contexts gives the sum over all
trees, of which there are very many more.
"""

import math

import numpy as np
from numba import njit

from lsbn.kernels.subsets import log_add

MOST_CONTEXTS = 1024
"""Families with more contexts than this have tables only."""
_HALF = math.log(0.5)
_LEAST = 1e-12


@njit(nogil=True, cache=True)
def n_contexts(cards):
    """Count the contexts, with parents that are left out beside those that are left to ask."""
    total = 1.0
    for card in cards:
        total *= card + 2
    return total


@njit(nogil=True, cache=True)
def _less(a, b):
    """``log(exp(a) - exp(b))``, where what is left is more than rounding."""
    return a + math.log(max(-math.expm1(min(b - a, 0.0)), _LEAST))


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
    digit; in the result each digit has one more value, which stands for any, and so has the child.
    """
    r = counts.shape[1]
    wide = np.zeros((int(np.prod(cards + 1)), r + 1), np.int64)
    digits = np.zeros(cards.shape[0], np.int64)
    for j in range(counts.shape[0]):
        place, step = 0, 1
        for i in range(cards.shape[0]):
            place += digits[i] * step
            step *= cards[i] + 1
        for state in range(r):
            wide[place, state] = counts[j, state]
            wide[place, r] += counts[j, state]
        count_up(digits, cards)
    step = 1
    for card in cards:
        for block in range(0, wide.shape[0], step * (card + 1)):
            for c in range(block, block + card * step):
                any_state = block + card * step + (c - block) % step
                for state in range(r + 1):
                    wide[any_state, state] += wide[c, state]
        step *= card + 1
    return wide


@njit(nogil=True, cache=True)
def tree_prior(cards):
    """Log probability, in every kind of context, that a tree asks only what it may.

    A digit in base 3 says for each parent whether it is fixed, left to ask, or left out.
    """
    k = cards.shape[0]
    prior = np.empty(3**k)
    digits = np.zeros(k, np.int64)
    bases = np.full(k, 3)
    for c in range(prior.shape[0]):
        unfixed, asked, step = 0, 0.0, 1
        for i in range(k):
            unfixed += digits[i] > 0
            if digits[i] == 1:
                branches = 1.0
                for _ in range(cards[i]):
                    branches *= prior[c - step]
                asked += branches
            step *= 3
        prior[c] = 0.5 + 0.5 * asked / unfixed if unfixed else 1.0
        count_up(digits, bases)
    return np.log(prior)


@njit(nogil=True, cache=True)
def average_trees(leaf, seen, cards, prior):
    """Log of the average likelihood of all trees that ask every parent at least once.

    Parameters
    ----------
    leaf : float array
        Log marginal likelihood of the child in each context, see `add_margins`.
    seen : bool array
        Whether there are any rows in it.
    cards : int array
        States of each parent.
    prior : float array
        What `tree_prior` gives for them.
    """
    k = cards.shape[0]
    bases = cards + 2
    below = np.empty(int(np.prod(bases)))
    digits, terms = np.zeros(k, np.int64), np.empty(k + 1)
    for c in range(below.shape[0]):
        kind, place, unfixed = 0, 0, 0
        step, step3 = 1, 1
        for i in range(k):
            place += min(digits[i], cards[i]) * step
            if digits[i] >= cards[i]:
                kind += (digits[i] - cards[i] + 1) * step3
                unfixed += 1
            step *= cards[i] + 1
            step3 *= 3
        if not seen[place]:
            below[c] = prior[kind]
        elif unfixed == 0:
            below[c] = leaf[place]
        else:
            below[c] = _next_questions(below, c, digits, cards, unfixed, leaf[place], terms)
        count_up(digits, bases)
    return _asking_all(below, bases, cards) - _asking_all(prior, np.full(k, 3), np.ones_like(cards))


@njit(nogil=True, cache=True)
def _next_questions(below, c, digits, cards, unfixed, leaf, terms):
    """Average of stopping in context ``c`` and of asking each parent that is left to ask."""
    terms[0] = _HALF + leaf
    top, m, step = terms[0], 1, 1
    cost = _HALF - math.log(unfixed)
    for i in range(cards.shape[0]):
        if digits[i] == cards[i]:
            terms[m] = cost
            for state in range(1, cards[i] + 1):
                terms[m] += below[c - state * step]
            top = max(top, terms[m])
            m += 1
        step *= cards[i] + 2
    if m == 1:
        return top
    total = 0.0
    for t in range(m):
        if terms[t] > top - 40.0:
            total += math.exp(terms[t] - top)
    return top + math.log(total)


@njit(nogil=True, cache=True)
def _asking_all(below, bases, ask):
    """Of trees that ask some of the parents, those that ask all: by inclusion and exclusion.

    Digit ``ask[i]`` of a context says that parent ``i`` is left to ask, the next one that it is
    left out.
    """
    k = bases.shape[0]
    even, odd = -np.inf, -np.inf
    for out in range(1 << k):
        place, step, sign = 0, 1, 0
        for i in range(k):
            left_out = out >> i & 1
            place += (ask[i] + left_out) * step
            sign ^= left_out
            step *= bases[i]
        if sign:
            odd = log_add(odd, below[place])
        else:
            even = log_add(even, below[place])
    return _less(even, odd)
