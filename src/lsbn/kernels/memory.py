"""Scores of families, remembered from search to search.

Searches along different orders score the same families again and again. A memory holds the scores
of the families of one child. The key of a parent set is the exclusive or of random 64-bit codes of
its members, and its slot is given by the lowest bits of the key. A new score replaces the one in
its slot. Two sets of a million have the same key with a probability below 1e-7.
"""

from typing import NamedTuple

import numpy as np

from lsbn.kernels.jit import njit
from lsbn.kernels.scores import extension_scores_apart, family_score_apart

_EMPTY_SET = np.uint64(0x9E3779B97F4A7C15)
"""Key of the set without members: 0 is the key of a slot without a score."""


class ScoreMemory(NamedTuple):
    """Remembered scores of the families of one child, without the prior.

    Attributes
    ----------
    codes : (n,) uint64 array
        Random code of each variable.
    keys : uint64 array
        Key of the parent set in each slot, 0 if there is none. The length is 0 or a power of two.
    values : float array
        Its score.
    """

    codes: np.ndarray
    keys: np.ndarray
    values: np.ndarray


def variable_codes(n: int) -> np.ndarray:
    """Make the codes of ``n`` variables, always the same."""
    return np.random.default_rng(n).integers(1 << 64, size=n, dtype=np.uint64)


def empty_memory(codes: np.ndarray, slots: int) -> ScoreMemory:
    """Make a memory without scores; it remembers nothing if it has no slots."""
    return ScoreMemory(codes, np.zeros(slots, np.uint64), np.empty(slots))


@njit(nogil=True, cache=True)
def set_key(memory, parents):
    """Key of a parent set."""
    key = _EMPTY_SET
    for u in parents:
        key ^= memory.codes[u]
    return key


@njit(nogil=True, cache=True)
def remembered_score(columns, lookup, child, parents, memory):
    """`family_score`, from the memory if it is there."""
    slots = memory.keys.shape[0]
    if slots == 0:
        return family_score_apart(columns, lookup, child, parents)
    key = set_key(memory, parents)
    slot = np.int64(key & np.uint64(slots - 1))
    if memory.keys[slot] != key:
        memory.values[slot] = family_score_apart(columns, lookup, child, parents)
        memory.keys[slot] = key
    return memory.values[slot]


@njit(nogil=True, cache=True)
def remembered_extensions(columns, lookup, child, parents, candidates, memory):
    """`extension_scores`, from the memory as far as they are there."""
    slots = memory.keys.shape[0]
    if slots == 0:
        return extension_scores_apart(columns, lookup, child, parents, candidates)
    out, base = np.empty(candidates.shape[0]), set_key(memory, parents)
    new, m = np.empty(candidates.shape[0], np.int64), 0
    for c in range(candidates.shape[0]):
        key = base ^ memory.codes[candidates[c]]
        slot = np.int64(key & np.uint64(slots - 1))
        if memory.keys[slot] == key:
            out[c] = memory.values[slot]
        else:
            new[m] = c
            m += 1
    new = new[:m]
    scores = extension_scores_apart(columns, lookup, child, parents, candidates[new])
    for a in range(m):
        key = base ^ memory.codes[candidates[new[a]]]
        slot = np.int64(key & np.uint64(slots - 1))
        memory.keys[slot], memory.values[slot] = key, scores[a]
        out[new[a]] = scores[a]
    return out
