"""Strength and sign of the dependence of two variables.

The strength is Cramér's V with the correction of its bias by Bergsma (2013): 0 for independent
columns, 1 if each determines the other. It needs no order of the states. Where both variables have
an order, the sign is that of Kendall's tau-b: + if high states go with high ones, - if with low
ones. There is no sign if tau-b is less than two standard errors from 0. Both describe the two
columns alone. Given other variables, the dependence may be weaker, or have the other sign.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lsbn.answers.families import FamilyCounts
from lsbn.data.columns import in_order

if TYPE_CHECKING:
    from lsbn.answers.answers import Answers

__all__ = ["Dependence", "dependence", "known_pair_counts", "ordered_states", "pair_margin"]

_SCALES = ({"no", "yes"}, {"false", "true"}, {"absent", "present"})
"""States that have an order, which is also that of the alphabet."""
_DATE = re.compile(r"[0-9]{4}(-[0-9]{2}){1,2}([T ][0-9:.]+)?")
CLEAR = 2.0
"""A tau-b of fewer standard errors has no sign."""


@dataclass(frozen=True)
class Dependence:
    """How two variables depend on each other.

    Attributes
    ----------
    strength : float
        Cramér's V, corrected, from 0 to 1; NaN if a variable has one state only.
    tau : float
        Kendall's tau-b, from -1 to 1; NaN if a variable has no order.
    sign : str
        ``+``, ``-``, or an empty text.
    """

    strength: float
    tau: float = math.nan
    sign: str = ""


def ordered_states(labels: Sequence[str]) -> list[int]:
    """Return the states of a variable that have an order: none, or all but 'missing'.

    Numbers, intervals and dates are ordered, no and yes, and categories that were declared in
    another order than that of the alphabet.

    Examples
    --------
    >>> ordered_states(["[1, 2]", "(2, 5]", "(missing)"]), ordered_states(["blue", "red"])
    ([0, 1], [])
    """
    places = [i for i, label in enumerate(labels) if label.strip("()") != "missing"]
    words = [labels[i] for i in places]
    scale = {word.lower() for word in words} in _SCALES or all(map(_DATE.fullmatch, words))
    return places if scale or in_order(words) or words != sorted(words) else []


def dependence(
    counts: np.ndarray, rows: Sequence[int] = (), columns: Sequence[int] = ()
) -> Dependence:
    """Measure the dependence in a table of counts.

    Parameters
    ----------
    counts : (r, c) int array
        Rows of the data with each state of the first and of the second variable.
    rows, columns : sequence of int
        The states of each variable that have an order; see `ordered_states`.

    Examples
    --------
    >>> dependence(np.array([[50, 0], [0, 50]]), [0, 1], [0, 1])
    Dependence(strength=1.0, tau=1.0, sign='+')
    """
    tau, sign = math.nan, ""
    if len(rows) > 1 and len(columns) > 1:
        tau, errors = _kendall(counts[np.ix_(rows, columns)].astype(float))
        sign = "" if not abs(errors) > CLEAR else "+" if tau > 0 else "-"
    return Dependence(_cramer(counts.astype(float)), tau, sign)


def _cramer(counts: np.ndarray) -> float:
    """Return Cramér's V with Bergsma's correction, over the states that occur."""
    counts = counts[counts.any(axis=1)][:, counts.any(axis=0)]
    n, (r, c) = counts.sum(), counts.shape
    if min(r, c) < 2 or n < 2:
        return math.nan
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / n
    phi = float(((counts - expected) ** 2 / expected).sum() / n)
    phi = max(0.0, phi - (r - 1) * (c - 1) / (n - 1))
    sizes = [k - (k - 1) ** 2 / (n - 1) for k in (r, c)]
    return min(1.0, math.sqrt(phi / (min(sizes) - 1))) if min(sizes) > 1 else 0.0


def _kendall(counts: np.ndarray) -> tuple[float, float]:
    """Return tau-b, and the same in standard errors under independence (Kendall 1970)."""
    n, x, y = counts.sum(), counts.sum(axis=1), counts.sum(axis=0)
    pairs = n * (n - 1) / 2
    loose = [pairs - (t * (t - 1)).sum() / 2 for t in (x, y)]
    if min(loose) <= 0:
        return math.nan, math.nan
    below = np.zeros_like(counts)
    below[:-1] = counts[::-1].cumsum(axis=0)[::-1][1:]
    left = np.cumsum(below, axis=1) - below
    right = below.sum(axis=1, keepdims=True) - left - below
    excess = float((counts * (right - left)).sum())
    squares = [(t * (t - 1) * (2 * t + 5)).sum() for t in (x, y)]
    variance = (n * (n - 1) * (2 * n + 5) - sum(squares)) / 18
    variance += np.prod([(t * (t - 1)).sum() for t in (x, y)]) / (2 * n * (n - 1))
    if n > 2:
        thirds = np.prod([(t * (t - 1) * (t - 2)).sum() for t in (x, y)])
        variance += thirds / (9 * n * (n - 1) * (n - 2))
    return excess / math.sqrt(loose[0] * loose[1]), excess / math.sqrt(variance)


def pair_margin(family: FamilyCounts, parent: int) -> np.ndarray:
    """Sum the counts of a family over its other parents: (states of parent, states of child)."""
    place = family.parents.tolist().index(parent)
    numbers = np.arange(len(family.counts)) if family.keys is None else family.keys
    step = np.prod(family.cards[:place], dtype=np.uint64)
    states = (numbers.astype(np.uint64) // step % np.uint64(family.cards[place])).astype(np.intp)
    margin = np.zeros((int(family.cards[place]), family.counts.shape[1]), np.int64)
    np.add.at(margin, states, family.counts[: len(states)])
    return margin


def known_pair_counts(answers: Answers, u: int, v: int) -> np.ndarray | None:
    """Return the counts of two variables, from a family of a network that has an edge of both.

    A run folder has the counts of such families only. None if there is no such family.
    """
    sources = [answers.ensemble(False)] + ([answers.ensemble(True)] if answers.graphs else [])
    for child, parent in ((v, u), (u, v)):
        families = [own for each in sources for own in each.families[child] if parent in own]
        if not families:
            continue
        family = answers.tables.counts(child, min(families, key=len))
        if float(np.prod(family.cards.astype(float))) < 2.0**63:  # above, keys are hashes
            margin = pair_margin(family, parent)
            return margin if child == v else margin.T
    return None
