"""Scores that are quick to compile, in place of the real ones, to compile what calls them.

Variable ``v`` has the parents ``v - 1`` and ``v + 1``: a search ends soon.
"""

import numpy as np

from lsbn.kernels import scores
from lsbn.kernels.apart import stand_in
from lsbn.kernels.jit import njit


@njit(nogil=True)
def _gain(child, parent):
    """Gain of a parent."""
    return 20.0 if abs(child - parent) == 1 else -5.0


@njit(nogil=True)
def _family_score(columns, lookup, child, parents):
    """Stand in for `lsbn.kernels.scores.family_score`."""
    total = -100.0
    for u in parents:
        total += _gain(child, u)
    return total


@njit(nogil=True)
def _extension_scores(columns, lookup, child, parents, candidates):
    """Stand in for `lsbn.kernels.scores.extension_scores`."""
    out = np.empty(candidates.shape[0])
    for c in range(candidates.shape[0]):
        out[c] = _family_score(columns, lookup, child, parents) + _gain(child, candidates[c])
    return out


def use() -> None:
    """Let the kernels of this process call these scores."""
    stand_in(scores.family_score, _family_score)
    stand_in(scores.extension_scores, _extension_scores)
