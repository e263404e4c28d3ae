"""Which pairs are significant, with the rate of false discoveries controlled over all pairs.

The test of a pair is the G-test, whose statistic is ``2 * rows * MI``. No p-value is computed: the
mutual information is compared with critical values on a grid of levels. One walk over all pairs
counts the pairs at each level, and the counts give the level of Benjamini and Hochberg.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtri

from lsbn.kernels.survey import count_levels

__all__ = ["FALSE_DISCOVERIES", "LevelCounts", "Significance"]

FALSE_DISCOVERIES = 0.01
"""Default rate of false discoveries among the pairs of a weighted graph.

In a table of noise, this is also the probability that any pair is found."""
_LEVELS = 0.5 ** np.arange(1, 56, 0.5)
"""Levels of the tests, from 1/2 to 3e-17. The tests of 100,000 variables need 2e-12."""
_SPARSE = 1.16
"""Largest mean of the G statistic of a sparse table, per degree of freedom.

The mean of a cell's part of G is 1 if many rows are expected in the cell, rises to 1.16 at 1.4
expected rows, and falls to 0 at 0 (Poisson counts). The degrees of freedom are multiplied by this
bound. Without it, two independent variables of 20 states are significant in a table of 500 rows.
"""


@dataclass(frozen=True, eq=False)
class Significance:
    """The least mutual information of a significant pair, by the numbers of states.

    Attributes
    ----------
    kinds : (n,) int array
        Kind of each variable: variables with the same number of states have the same kind.
    least : (k, k) float array
        A pair is significant if its mutual information exceeds the entry of the two kinds.
    level : float
        The p-values of the significant pairs are at most this.
    """

    kinds: np.ndarray
    least: np.ndarray
    level: float

    @classmethod
    def of_any(cls, n: int) -> Significance:
        """Return the rule by which every pair is significant.

        Examples
        --------
        >>> Significance.of_any(3).selects(np.array([[0, 2]]), np.array([0.0]))
        array([ True])
        """
        return cls(np.zeros(n, np.int64), np.full((1, 1), -np.inf), 1.0)

    def selects(self, edges: np.ndarray, mutual_information: np.ndarray) -> np.ndarray:
        """Return which of some pairs are significant."""
        kinds = self.kinds[edges]
        return mutual_information > self.least[kinds[:, 0], kinds[:, 1]]


class LevelCounts:
    """Counts the pairs whose p-value is below each level of a grid.

    Parameters
    ----------
    cards : (n,) int array
        Number of states of each variable.
    n_rows : int

    Attributes
    ----------
    kinds : (n,) int array
        Kind of each variable, see `Significance`.
    critical : (k, k, levels) float array
        Critical values of mutual information, by the kinds of two variables.
    counts : int array
        Number of pairs above exactly k critical values.
    """

    names = ("MI",)

    def __init__(self, cards: np.ndarray, n_rows: int) -> None:
        sizes, kinds = np.unique(cards, return_inverse=True)
        self.kinds = kinds.reshape(-1).astype(np.int64)
        freedom = _SPARSE * np.multiply.outer(sizes - 1.0, sizes - 1.0)[..., None]
        critical = chdtri(np.maximum(freedom, 1e-300), _LEVELS) / (2 * n_rows)
        self.critical = np.where(freedom > 0, critical, np.inf)
        self.counts = np.zeros(len(_LEVELS) + 1, np.int64)

    def add(self, low: int, strips: Mapping[str, np.ndarray]) -> None:
        """Count the pairs of a strip."""
        count_levels(strips["MI"], low, self.kinds, self.critical, self.counts)

    def significance(self, rate: float) -> Significance:
        """Return the pairs that are significant at a rate of false discoveries.

        Parameters
        ----------
        rate : float
            Largest expected proportion of independent pairs among the significant pairs.

        Notes
        -----
        Let R(t) of m pairs have a p-value of at most t. The level is the largest t of the grid with
        ``t m <= rate R(t)`` (Benjamini & Hochberg 1995). If there is none, no pair is significant.
        """
        passed = self.counts[::-1].cumsum()[::-1][1:]
        fits = np.flatnonzero(_LEVELS * self.counts.sum() <= rate * passed)
        if not len(fits):
            return Significance(self.kinds, np.full(self.critical.shape[:2], np.inf), 0.0)
        return self.at_level(float(_LEVELS[fits[0]]))

    def at_level(self, level: float) -> Significance:
        """Return the pairs whose p-value is at most the next level of the grid below `level`.

        At level 1 all pairs are significant.
        """
        shape = self.critical.shape[:2]
        if level >= 1.0:
            return Significance(self.kinds, np.full(shape, -np.inf), 1.0)
        place = min(int(np.searchsorted(-_LEVELS, -level)), len(_LEVELS) - 1)
        least = np.ascontiguousarray(self.critical[..., place])
        return Significance(self.kinds, least, float(_LEVELS[place]))
