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

from lsbn.kernels.jit import njit

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
    may_ask : (parents, sets) float array
        Say for each parent, and each set of parents to leave out, if it is not in the set: 1 or 0.
    signs : float array
        Sign of each such set: plus if the number of its members is even.
    mass : float
        Probability that a tree asks every parent.
    """

    asking: np.ndarray
    unfixed: np.ndarray
    may_ask: np.ndarray
    signs: np.ndarray
    mass: float


class Branches(NamedTuple):
    """Likelihoods in the contexts in which a tree may ask, relative to the best tree below.

    Attributes
    ----------
    stop : float array
        Of a tree that stops in the context.
    ask : (contexts, parents) float array
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
    may_ask, signs = _may_ask(cards.shape[0]), _signs(cards.shape[0])
    plan = Plan(asking, unfixed, may_ask, signs, 1.0)
    alike = Branches(np.ones(asking.shape[0]), np.ones((asking.shape[0], cards.shape[0])))
    sums = _sums(alike, cards, plan, rows.shape[0])
    return Plan(asking, unfixed, may_ask, signs, signs @ sums)


@njit(nogil=True, cache=True)
def average_trees(leaf, cards, plan):
    """Log of the average likelihood of all trees that ask every parent at least once.

    Of trees that ask some of the parents, those that ask all are found by inclusion and exclusion:
    one pass for every set of parents that may be left out.

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
    branches, top = _branches(leaf, cards, plan)
    sums = _sums(branches, cards, plan, leaf.shape[0])
    share = plan.signs @ sums
    if share <= _NEGLIGIBLE * sums[0]:
        return -np.inf
    return top + math.log(share / plan.mass)


@njit(nogil=True, cache=True)
def _branches(leaf, cards, plan):
    """Likelihoods of stopping and asking relative to the best tree: ``(branches, log of it)``.

    The likelihood of the best tree below a context is the unit of all likelihoods there. So no
    number exceeds 1, and the passes over all contexts need neither logarithms nor exponentials.
    """
    asking, unfixed = plan.asking, plan.unfixed
    k, best = cards.shape[0], leaf.copy()
    stop, ask = np.empty(asking.shape[0]), np.zeros((asking.shape[0], k))
    terms = np.empty(k)
    for a in range(asking.shape[0]):
        c, step = asking[a], 1
        for i in range(k):
            if unfixed[a] >> i & 1:
                terms[i] = 0.0
                for state in range(1, cards[i] + 1):
                    terms[i] += best[c - state * step]
                best[c] = max(best[c], terms[i])
            step *= cards[i] + 1
        stop[a] = _exp(leaf[c] - best[c])
        for i in range(k):
            if unfixed[a] >> i & 1:
                ask[a, i] = _exp(terms[i] - best[c])
    return Branches(stop, ask), best[-1]


@njit(nogil=True, cache=True)
def _exp(x):
    """Exponential of ``x <= 0``, 0 if it is negligible."""
    return math.exp(x) if x > -_FAR else 0.0


@njit(nogil=True, cache=True)
def _sums(branches, cards, plan, n_contexts):
    """Sum over the trees that leave out certain parents, for every set of such parents.

    The sums below a context are a row with an entry for each set, so that the inner loops run over
    all sets at once. Trees below a context cannot ask a parent that it fixes: the entries of sets
    with this parent are never used.
    """
    k = cards.shape[0]
    may_ask = plan.may_ask
    below = np.ones((n_contexts, 1 << k))
    term, asked = np.empty(1 << k), np.empty(1 << k)
    for a in range(plan.asking.shape[0]):
        c, unfixed, step, n_unfixed = plan.asking[a], plan.unfixed[a], 1, 0
        for out in range(asked.shape[0]):
            asked[out] = 0.0
        for i in range(k):
            if unfixed >> i & 1:
                n_unfixed += 1
                if branches.ask[a, i] > 0.0:
                    for out in range(asked.shape[0]):
                        term[out] = branches.ask[a, i] * may_ask[i, out]
                    for state in range(1, cards[i] + 1):
                        row = below[c - state * step]
                        for out in range(asked.shape[0]):
                            term[out] *= row[out]
                    for out in range(asked.shape[0]):
                        asked[out] += term[out]
            step *= cards[i] + 1
        for out in range(asked.shape[0]):
            below[c, out] = 0.5 * (branches.stop[a] + asked[out] / n_unfixed)
    return below[-1]


@njit(nogil=True, cache=True)
def _may_ask(k):
    """Say which of ``k`` parents each set to leave out does not have, see `Plan`."""
    may = np.ones((k, 1 << k))
    for i in range(k):
        for out in range(1 << k):
            if out >> i & 1:
                may[i, out] = 0.0
    return may


@njit(nogil=True, cache=True)
def _signs(k):
    """Signs of the sets of ``k`` things: plus if their number is even."""
    signs = np.ones(1 << k)
    for out in range(1, signs.shape[0]):
        signs[out] = -signs[out & (out - 1)]
    return signs


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
def predict_by_trees(leaf, gain, cards, plan):
    """Predict the child's next state in each configuration by an average over trees.

    The prediction is a ratio: the average likelihood with one more value, divided by that without.
    The contexts in which trees may ask remain those of the data, so the ratios of all states add
    up to 1.

    Parameters
    ----------
    leaf : float array
        Log evidence of the child in each context, see `add_margins`.
    gain : (contexts, r) float array
        What one more value of each state adds to it.
    cards : int array
    plan : Plan

    Returns
    -------
    table : (configurations, r) float array
        Zeros if trees that ask every parent are negligible.
    log_average : float
        See `average_trees`.
    """
    k, total = cards.shape[0], average_trees(leaf, cards, plan)
    out = np.zeros((int(np.prod(cards)), gain.shape[1]))
    if total == -np.inf:
        return out, total
    steps = np.ones(k, np.int64)
    for i in range(1, k):
        steps[i] = steps[i - 1] * (cards[i - 1] + 1)
    changed, digits = leaf.copy(), np.zeros(k, np.int64)
    contexts = np.empty(1 << k, np.int64)
    for j in range(out.shape[0]):
        contexts[0] = 0
        for i in range(k):
            for c in range(1 << i):
                contexts[c + (1 << i)] = contexts[c] + cards[i] * steps[i]
                contexts[c] += digits[i] * steps[i]
        for state in range(out.shape[1]):
            for c in contexts:
                changed[c] = leaf[c] + gain[c, state]
            out[j, state] = math.exp(average_trees(changed, cards, plan) - total)
        for c in contexts:
            changed[c] = leaf[c]
        count_up(digits, cards)
    return out, total
