"""Averages over decision trees in the place of a family's table.

A tree asks the parents one by one, each branch in its own order, and stops where it likes: what a
parent says may count only where other parents have certain states. Given the parents, a tree stops
at a node with probability one half if there is a parent left to ask, and asks any of those left
with the same probability. It asks nothing where fewer rows are left than the square root of all;
trees that leave out a parent are not among its family's.

A context fixes some of the parents. The average below a context is that of stopping and of every
next question, whose branches are contexts, too: one pass over all contexts gives the sum over all
trees, of which there are very many more.
"""

import math

import numpy as np
from numba import njit

MOST_CONTEXTS = 512
"""Where there are more contexts than this, parents are asked together: see `group_parents`."""
_HALF = math.log(0.5)
_LEAST = 1e-12
_FAR = 40.0
"""Trees that are less likely than others by so much (in nats) are left out of a sum."""


@njit(nogil=True, cache=True)
def n_contexts(cards):
    """Count the contexts: each parent has one of its states, or any."""
    total = 1.0
    for card in cards:
        total *= card + 1
    return total


@njit(nogil=True, cache=True)
def group_parents(cards):
    """Take neighbours together, those with fewest states first, until the contexts are few enough.

    They are asked as one then. The last resort is one group of all: the table.
    """
    groups, m = cards.copy(), cards.shape[0]
    while m > 1 and n_contexts(groups[:m]) > MOST_CONTEXTS:
        i = np.argmin(groups[: m - 1] * groups[1:m])
        groups[i] *= groups[i + 1]
        groups[i + 1 : m - 1] = groups[i + 2 : m]
        m -= 1
    return groups[:m]


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
def average_trees(leaf, rows, cards):
    """Log of the average likelihood of all trees that ask every parent at least once.

    Of trees that ask some of the parents, those that ask all are found by inclusion and exclusion:
    one pass for every set of parents that may be left out.

    Parameters
    ----------
    leaf : float array
        Log marginal likelihood of the child in each context, see `add_margins`.
    rows : int array
        Rows in it.
    cards : int array
        States of each parent.

    Returns
    -------
    float
        Minus infinity where there is no such tree.
    """
    asking, unfixed = _asking_contexts(rows, cards)
    mass = _asking_all(asking, unfixed, cards, leaf.shape[0])
    if mass < _LEAST:
        return -np.inf
    below, terms = leaf.copy(), np.empty(cards.shape[0])
    sums, signs = np.full(1 << cards.shape[0], -np.inf), _signs(cards.shape[0])
    for out in range(sums.shape[0]):
        if not _matters(sums, out):
            continue
        for a in range(asking.shape[0]):
            if unfixed[a] & out == out:
                below[asking[a]] = _ask(below, asking[a], unfixed[a], out, cards, leaf, terms)
        sums[out] = below[-1]
    even, odd = 0.0, 0.0
    for out in range(sums.shape[0]):
        if signs[out] > 0:
            even += math.exp(sums[out] - sums[0])
        else:
            odd += math.exp(sums[out] - sums[0])
    return sums[0] + math.log(max(even - odd, _LEAST)) - math.log(mass)


@njit(nogil=True, cache=True)
def _signs(k):
    """Signs of the sets of ``k`` things: plus if their number is even."""
    signs = np.ones(1 << k)
    for out in range(1, signs.shape[0]):
        signs[out] = -signs[out & (out - 1)]
    return signs


@njit(nogil=True, cache=True)
def _matters(sums, out):
    """Say whether trees that leave these out may count: those that leave out fewer did."""
    rest = out
    while rest:
        one = rest & -rest
        if sums[out ^ one] < sums[0] - _FAR:
            return False
        rest ^= one
    return True


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
    """Probability that a tree asks every parent where it may."""
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
    """Probability to stop in context ``c``, or to ask there and below only whom one may."""
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
