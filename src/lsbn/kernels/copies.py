"""Copies among columns with missing values: agreement in the rows that have both values."""

import numpy as np

from lsbn.kernels.bits import count_and
from lsbn.kernels.jit import njit

NO_ROWS = np.uint64(0)


@njit(nogil=True, cache=True)
def next_agreeing(words, offsets, firsts, start, v, image):
    """Find the next column with which a column agrees, up to the names of the states.

    The bit columns ``words[offsets[v]:offsets[v + 1]]`` have the observed states of column ``v``.
    Returns the first place ``k >= start`` at which ``v`` agrees with ``firsts[k]``, and
    ``len(firsts)`` if there is none. Then ``image[t]`` is the state of ``firsts[k]`` in the common
    rows in which ``v`` has state ``t``.
    """
    low, card = offsets[v], offsets[v + 1] - offsets[v]
    for k in range(start, firsts.shape[0]):
        first = offsets[firsts[k]]
        if offsets[firsts[k] + 1] - first == card and _agree(words, first, low, card, image):
            return k
    return firsts.shape[0]


@njit(nogil=True, cache=True)
def _agree(words, first, low, card, image):
    """Say whether the common rows of two columns show a renaming of all states.

    For most pairs that are no copies the first 64 rows show that there is none.
    """
    for t in range(card):
        image[t] = -1
    for w in range(words.shape[1]):
        observed = NO_ROWS
        for s in range(card):
            observed |= words[first + s, w]
        for t in range(card):
            common = words[low + t, w] & observed
            if common == NO_ROWS:
                continue
            if image[t] < 0 and not _renamed(words, first, w, common, t, card, image):
                return False
            if common & ~words[first + image[t], w] != NO_ROWS:
                return False
    for t in range(card):
        if image[t] < 0:
            return False
    return True


@njit(nogil=True, cache=True)
def _renamed(words, first, w, common, t, card, image):
    """Set the image of state ``t`` by some rows; return False if another state has this image."""
    s = 0
    while common & words[first + s, w] == NO_ROWS:
        s += 1
    for other in range(card):
        if image[other] == s:
            return False
    image[t] = s
    return True


@njit(nogil=True, cache=True)
def common_counts(words, offsets, first, v, image):
    """Count the common rows of two columns that agree, by the states of ``v``."""
    counts = np.empty(offsets[v + 1] - offsets[v], np.int64)
    for t in range(counts.shape[0]):
        counts[t] = count_and(words[offsets[v] + t], words[offsets[first] + image[t]])
    return counts
