"""Visitors of the strips of pair weights: each collects something about one weight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lsbn.kernels import blankets as _blankets
from lsbn.kernels import pairs as _pairs
from lsbn.pairs.significance import Significance

HISTOGRAM_BINS = 10_000
"""Bins of the histogram of a weight over all pairs."""


@dataclass(frozen=True)
class Moments:
    """Moments of a weight over all pairs.

    Attributes
    ----------
    mean, sd, minimum, maximum : float
        Mean, standard deviation and range over all pairs.
    strength : (n,) float array
        For each variable, the sum of the weight over all its pairs.
    """

    mean: float
    sd: float
    minimum: float
    maximum: float
    strength: np.ndarray

    @classmethod
    def of_sums(cls, sums: np.ndarray, n_pairs: int, strength: np.ndarray) -> Moments:
        """Return the moments from the sum, the sum of squares, the minimum and the maximum."""
        total, squares, minimum, maximum = sums.tolist()
        mean = total / max(n_pairs, 1)
        sd = float(np.sqrt(max(0.0, squares / max(n_pairs, 1) - mean**2)))
        if maximum - minimum <= 1e-9 * maximum:
            minimum, sd = maximum, 0.0
        return cls(mean, sd, minimum, maximum, strength)


class Visitor(Protocol):
    """An object that collects a statistic of the pairs, strip by strip."""

    @property
    def names(self) -> tuple[str, ...]:
        """The weights that the object needs."""

    def add(self, low: int, strips: Mapping[str, np.ndarray]) -> None:
        """Add the strips whose first row is ``low``, one for each weight."""


class MomentSums:
    """Collects the sums from which `Moments` are computed."""

    def __init__(self, name: str, n: int) -> None:
        self.name, self.names, self._n = name, (name,), n
        self._sums = np.array([0.0, 0.0, np.inf, -np.inf])
        self._strength = np.zeros(n)

    def add(self, low: int, strips: Mapping[str, np.ndarray]) -> None:
        """Add the weights of a strip to the sums."""
        _pairs.accumulate_strip(strips[self.name], low, self._sums, self._strength)

    def moments(self) -> Moments:
        """Return the moments after all strips."""
        return Moments.of_sums(self._sums, self._n * (self._n - 1) // 2, self._strength)


class Histogram:
    """Collects a histogram with `HISTOGRAM_BINS` equal bins."""

    def __init__(self, name: str, minimum: float, maximum: float) -> None:
        self.name, self.names, self.range = name, (name,), (minimum, maximum)
        self.counts = np.zeros(HISTOGRAM_BINS, np.int64)

    def add(self, low: int, strips: Mapping[str, np.ndarray]) -> None:
        """Count the weights of a strip."""
        _pairs.histogram_strip(strips[self.name], low, *self.range, self.counts)


class Above:
    """Collects the significant pairs whose weight exceeds a threshold."""

    def __init__(self, name: str, threshold: float, significance: Significance) -> None:
        self.name, self.names = name, tuple({name, "MI"})
        self._threshold, self._significance = threshold, significance
        self._parts = [(np.empty((0, 2), np.int32), np.empty(0))]

    def add(self, low: int, strips: Mapping[str, np.ndarray]) -> None:
        """List the pairs of a strip above the threshold."""
        rule = (strips["MI"], self._significance.kinds, self._significance.least)
        found = _pairs.collect_above(strips[self.name], low, self._threshold, *rule)
        self._parts.append(found)

    def listed(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the pairs and their weights."""
        edges, weights = zip(*self._parts, strict=True)
        return np.concatenate(edges), np.concatenate(weights)


class Heaviest:
    """Collects the heaviest partners of each variable, in one heap per variable."""

    def __init__(self, name: str, n: int, most: int) -> None:
        self.name, self.names, self.most = name, (name,), most
        self._least = np.zeros(n)
        self._weights, self._partners = np.zeros((n, most)), np.zeros((n, most), np.int64)
        self._counts = np.zeros(n, np.int64)

    def add(self, low: int, strips: Mapping[str, np.ndarray]) -> None:
        """Put the pairs of a strip into the heaps of both ends."""
        heaps = (self._weights, self._partners, self._counts)
        _blankets.keep_heaviest(strips[self.name], low, self._least, *heaps)

    def partners(self, v: int, most: int, least: float) -> np.ndarray:
        """Return the heaviest partners of variable v whose weight is at least ``least``."""
        weights, partners = self._weights[v], self._partners[v]
        order = np.lexsort((partners, -weights))[: min(most, self._counts[v])]
        order = order[: np.searchsorted(-weights[order], -least, side="right")]
        return partners[order]
