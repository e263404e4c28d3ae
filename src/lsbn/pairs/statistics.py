"""Weights of all pairs of variables, counted once for a fit.

The matrix of all pairs is computed in strips of rows. One computation of all strips is a walk. Up
to `STORED_VARIABLES` variables, the first walk stores its counts, and later walks read them. With
more variables, no table of all pairs is stored. One pass then collects the statistics for every
stage and lists the pairs that are significant at a loose level, see `lsbn.pairs.survey`. A walk
follows only if a stage needs pairs that are not listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial

import numpy as np

from lsbn.data import Dataset
from lsbn.kernels import counts as _counts
from lsbn.kernels import pairs as _pairs
from lsbn.kernels.survey import PairScales
from lsbn.pairs.pagerank import pagerank
from lsbn.pairs.ranked import ranked_statistics
from lsbn.pairs.significance import LevelCounts, Significance
from lsbn.pairs.survey import Survey, heaviest_listed, margin_columns, survey_pairs
from lsbn.pairs.visitors import (
    Above,
    Heaviest,
    Histogram,
    Moments,
    MomentSums,
    Visitor,
)
from lsbn.parallel import Progress, run

__all__ = ["WEIGHTS", "PairStatistics", "base_weights"]

WEIGHTS = ("MI", "MI_plus", "MI_sqrt", "MI_pr", "MI_sn", "Pearson", "Pearson_sn")
"""Names of the paper's weight functions (Variable Partition, step 2), in the paper's order."""

STANDARDISED = {"MI_sn": "MI", "Pearson_sn": "Pearson"}
"""Weights with standard normalisation, and the base weight of each: ``(w - mean) / sd``."""

STORED_VARIABLES = 1_024
"""Up to this number of variables the statistics of all pairs are stored: 8 MB at most."""
MOST_PARTNERS = 60
"""Number of heaviest partners of a variable that are candidates for its blanket, by weight."""
LISTED_PAIRS = 4_000_000
"""Largest number of pairs in one list. PageRank is exact up to this number of pairs."""
_STRIP = 256
"""Rows of a strip."""
_TILE = 16
"""Columns of a tile, the unit of work of a thread."""
_ROUNDING = 1e-13
"""A mutual information below this is rounding error and set to 0."""


def base_weights(names: Sequence[str]) -> list[str]:
    """Return the base weights of some weight functions, without repetition.

    Parameters
    ----------
    names : sequence of str
        Names of weight functions, see `WEIGHTS`.

    Returns
    -------
    list of str
        The names, where standard normalisation is replaced by the weight that it normalises.

    Examples
    --------
    >>> base_weights(["MI_sn", "MI_pr", "MI"])
    ['MI', 'MI_pr']
    """
    unknown = [name for name in names if name not in WEIGHTS]
    if unknown:
        raise ValueError(f"unknown weight function {unknown[0]!r}; there are {', '.join(WEIGHTS)}")
    return list(dict.fromkeys(STANDARDISED.get(name, name) for name in names))


class PairStatistics:
    """The weights of all pairs of variables: moments, histograms, heaviest pairs, PageRank.

    The weights are the paper's weight functions (Variable Partition, step 2).

    Parameters
    ----------
    dataset : Dataset
    n_jobs : int, optional
        Number of workers that count all pairs.

    Attributes
    ----------
    dataset : Dataset
    entropy : (n,) float array
        Entropy of each variable, in nats.
    passes : int
        Number of times that all pairs were counted.
    progress : callable, optional
        Called with the pieces of a pass over all pairs that are done, and with all.

    Examples
    --------
    >>> table = np.array([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1]]).T
    >>> pairs = PairStatistics(Dataset.from_table(table))
    >>> pairs.moments(["Pearson"])["Pearson"].strength.tolist()
    [1.0, 1.0, 0.0]
    >>> pairs.heaviest(["MI"], most=1)[0].tolist()
    [1]
    """

    def __init__(self, dataset: Dataset, n_jobs: int | None = 1) -> None:
        self.dataset = dataset
        self._n_jobs = n_jobs
        self.passes = 0
        self.progress: Progress | None = None
        self._columns = margin_columns(dataset)
        margins, xlogx = self._columns.margins, self._columns.xlogx
        starts = self._columns.offsets[:-1]
        code = np.arange(len(margins)) - np.repeat(starts, dataset.cards)
        self._mean = np.add.reduceat(margins * code, starts) / dataset.n_rows
        variance = np.add.reduceat(margins * code**2, starts) / dataset.n_rows - self._mean**2
        self._inverse_sd = _inverse_root(variance)
        total = xlogx[dataset.n_rows]
        self.entropy = (total - np.add.reduceat(xlogx[margins], starts)) / dataset.n_rows
        self.entropy[dataset.cards < 2] = 0.0
        self._stored: list[tuple[np.ndarray, np.ndarray]] = []
        self._moments: dict[str, Moments] = {}
        self._histograms: dict[str, tuple[np.ndarray, tuple[float, float]]] = {}
        self._heaps: dict[str, Heaviest] = {}
        self._rank: np.ndarray | None = None

    @property
    def n_pairs(self) -> int:
        """Number of unordered pairs of variables."""
        n = self.dataset.n_variables
        return n * (n - 1) // 2

    @property
    def stored(self) -> bool:
        """Whether the first walk stores the statistics of all pairs."""
        return self.dataset.n_variables <= STORED_VARIABLES

    def strips(self, names: Sequence[str]) -> Iterator[tuple[int, dict[str, np.ndarray]]]:
        """Yield ``(first row, {name: strip})`` over the upper triangle, for base weights.

        All strips use the same memory. Copy a strip if you need it later.
        """
        n = self.dataset.n_variables
        out = {name: np.zeros((_STRIP, n)) for name in names if name != "MI"}
        if "MI_pr" in names:
            self.pagerank  # noqa: B018  (it takes walks of its own)
        for low, mi, product in self._counted():
            strips = {"MI": mi} if "MI" in names else {}
            for name, strip in out.items():
                strips[name] = strip[: len(mi)]
                self._fill(name, mi, product, low, strips[name])
            yield low, strips

    def _counted(self) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Yield strips of mutual information and of sums of products, stored or newly counted."""
        n = self.dataset.n_variables
        mi, product = np.zeros((_STRIP, n)), np.zeros((_STRIP, n))
        counted, new = bool(self._stored), []
        self.passes += not counted
        for place, low in enumerate(range(0, n - 1, _STRIP)):
            high = min(low + _STRIP, n)
            strip, sums = mi[: high - low], product[: high - low]
            if counted:
                strip[:, low:], sums[:, low:] = self._stored[place]
            else:
                arrays = {"mi": mi, "product": product}
                count = partial(_counts.pair_strip, self._columns, low, high, **arrays)
                tiles = [(start, min(start + _TILE, n)) for start in range(low, n, _TILE)]
                run(count, tiles, self._n_jobs)
                _pairs.clear_rounding(strip, low, _ROUNDING)
            if self.stored and not counted:
                new.append((strip[:, low:].copy(), sums[:, low:].copy()))
            yield low, strip, sums
        self._stored = self._stored or new

    def _fill(
        self, name: str, mi: np.ndarray, product: np.ndarray, low: int, out: np.ndarray
    ) -> None:
        """Compute a strip of another weight from mutual information or from sums of products."""
        if name == "MI_plus":
            _pairs.average_strip(mi, low, self.entropy, out)
        elif name == "MI_sqrt":
            root = _inverse_root(self.entropy)
            _pairs.scale_strip(mi, low, root, root, out)
        elif name == "MI_pr":
            root = _inverse_root(self.pagerank)
            _pairs.scale_strip(mi, low, root, root, out)
        elif name == "Pearson":
            n_rows = self.dataset.n_rows
            _pairs.correlate_strip(product, low, n_rows, self._mean, self._inverse_sd, out)

    def _walk(self, visitors: Sequence[Visitor]) -> None:
        """Give every strip to all visitors, in one walk over all pairs."""
        if not visitors:
            return
        names = list(dict.fromkeys(name for visitor in visitors for name in visitor.names))
        for low, strips in self.strips(names):
            for visitor in visitors:
                visitor.add(low, strips)

    @cached_property
    def _levels(self) -> LevelCounts:
        """The counts of the levels of significance; filled by `_survey`, or by a walk."""
        levels = LevelCounts(self.dataset.cards, self.dataset.n_rows)
        if self.stored:
            self._walk([levels])
        return levels

    @cached_property
    def _scales(self) -> PairScales:
        """What the pass needs of each variable."""
        levels, root = self._levels, _inverse_root(self.entropy)
        codes = (self._mean, self._inverse_sd)
        rule = (levels.kinds, levels.critical, levels.critical[..., 0])
        return PairScales(self.entropy, root, *codes, *rule, _ROUNDING)

    @cached_property
    def _survey(self) -> Survey:
        """The statistics of one pass over all pairs, for tables whose pairs are not stored."""
        self.passes += 1
        data = (self.dataset, self._scales, self._levels)
        return survey_pairs(*data, self._n_jobs, self.progress)

    def _add_surveyed(self, names: Sequence[str]) -> None:
        """Take moments and histograms of base weights from the pass."""
        if "MI_pr" in names and "MI_pr" not in self._moments:
            root = _inverse_root(self.pagerank)
            found = ranked_statistics(self._survey, self._columns, self._scales, root)
            self._moments["MI_pr"], self._histograms["MI_pr"] = found
        for name in names:
            if name not in self._moments:
                self._moments[name] = self._survey.moments[name]
                self._histograms[name] = self._survey.histogram(name)

    def _listed(self, name: str) -> np.ndarray:
        """Return a base weight of the listed pairs."""
        (i, j), (mi, product) = self._survey.edges.T, self._survey.values.T
        if name == "MI":
            return mi
        if name == "MI_plus":
            both = self.entropy[i] + self.entropy[j]
            return 2.0 * mi / np.where(both > 0, both, np.inf)
        if name == "Pearson":
            covariance = product / self.dataset.n_rows - self._mean[i] * self._mean[j]
            return np.minimum(1.0, np.abs(covariance * self._inverse_sd[i] * self._inverse_sd[j]))
        root = _inverse_root(self.entropy if name == "MI_sqrt" else self.pagerank)
        return mi * root[i] * root[j]

    def moments(self, names: Sequence[str]) -> dict[str, Moments]:
        """Return the moments of base weights."""
        if not self.stored:
            self._add_surveyed(names)
        n = self.dataset.n_variables
        missing = [MomentSums(name, n) for name in names if name not in self._moments]
        self._walk(missing)
        self._moments |= {each.name: each.moments() for each in missing}
        return {name: self._moments[name] for name in names}

    def _histogram(self, name: str) -> Histogram:
        """Return an empty histogram over the range of a weight."""
        m = self._moments[name]
        return Histogram(name, m.minimum, m.maximum)

    def histograms(self, names: Sequence[str]) -> dict[str, tuple[np.ndarray, tuple[float, float]]]:
        """Return the histogram of each base weight: counts of `HISTOGRAM_BINS` bins, and range."""
        self.moments(names)
        missing = [self._histogram(name) for name in names if name not in self._histograms]
        self._walk(missing)
        self._histograms |= {each.name: (each.counts, each.range) for each in missing}
        return {name: self._histograms[name] for name in names}

    def significance(self, rate: float) -> Significance:
        """Return which pairs are significant at a rate of false discoveries over all pairs."""
        levels = self._levels if self.stored else self._survey.levels
        return levels.significance(rate)

    def above(
        self, thresholds: Mapping[str, float], *, false_discoveries: float | None = None
    ) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Return, for each base weight, the pairs above its threshold and their weights.

        Parameters
        ----------
        thresholds : mapping of str to float
            A threshold for each base weight.
        false_discoveries : float, optional
            List only pairs that are significant at this rate of false discoveries.
        """
        if false_discoveries is None:
            rule = Significance.of_any(self.dataset.n_variables)
        else:
            rule = self.significance(false_discoveries)
        visitors, found = [], {}
        for name, threshold in thresholds.items():
            if self._has_listed(name, threshold, rule):
                edges, weights = self._survey.edges, self._listed(name)
                keep = (weights > threshold) & rule.selects(edges, self._listed("MI"))
                found[name] = (edges[keep], weights[keep])
            else:
                visitors.append(Above(name, threshold, rule))
        self._walk(visitors)
        found |= {visitor.name: visitor.listed() for visitor in visitors}
        return {name: found[name] for name in thresholds}

    def _has_listed(self, name: str, threshold: float, rule: Significance) -> bool:
        """Return whether all significant pairs above a threshold are listed by the pass."""
        if self.stored:
            return False
        above = name == "MI" and self._survey.lists_above(threshold)
        return above or self._survey.lists(rule)

    def threshold(self, name: str, pairs: float) -> float:
        """Return a threshold that at most ``pairs`` pairs exceed; it is the edge of a bin."""
        counts, (minimum, maximum) = self.histograms([name])[name]
        left = np.cumsum(counts[::-1])[::-1]
        edges = np.linspace(minimum, maximum, len(counts) + 1)
        return float(edges[np.count_nonzero(left > pairs)])

    def heaviest(
        self, names: Sequence[str], *, most: int, above_mean: bool = False
    ) -> list[np.ndarray]:
        """Return the heaviest partners of each variable under at least one base weight.

        If the pairs are not stored, then only pairs that are significant at a loose level are
        partners, see `lsbn.pairs.survey`.

        Parameters
        ----------
        names : sequence of str
            Base weights.
        most : int
            Largest number of partners under one weight.
        above_mean : bool
            Leave out partners whose weight is below the mean over all pairs of the variable.

        Returns
        -------
        list of int arrays
            The partners of each variable, ascending.
        """
        n = self.dataset.n_variables
        most = min(most, n - 1)
        if most < 1:
            return [np.empty(0, np.int64)] * n
        least = dict.fromkeys(names, np.zeros(n))
        if above_mean:
            moments = self.moments(names)
            least = {name: moments[name].strength / (n - 1) * (1 - 1e-12) for name in names}
        if not self.stored and self._survey.complete:
            weights, limits = [self._listed(name) for name in names], list(least.values())
            return heaviest_listed(n, self._survey.edges, weights, limits, most)
        missing = [
            Heaviest(name, n, most)
            for name in names
            if name not in self._heaps or self._heaps[name].most < most
        ]
        self._walk(missing)
        self._heaps |= {each.name: each for each in missing}
        return [
            np.unique(
                np.concatenate([self._heaps[x].partners(v, most, least[x][v]) for x in names])
            )
            for v in range(n)
        ]

    @property
    def pagerank(self) -> np.ndarray:
        """PageRank of each variable in the complete graph weighted by mutual information.

        PageRank is exact for at most `LISTED_PAIRS` pairs. With more pairs, the heaviest pairs have
        their exact weights. The other pairs are mostly noise. A rank-one matrix with the same row
        sums replaces their weights.
        """
        if self._rank is None:
            strength = self.moments(["MI"])["MI"].strength
            if not self.stored:
                edges, weights = self._survey.edges, self._listed("MI")
            else:
                exact = self.n_pairs <= LISTED_PAIRS
                least = -np.inf if exact else self.threshold("MI", LISTED_PAIRS)
                edges, weights = self.above({"MI": least})["MI"]
            self._rank = pagerank(self.dataset.n_variables, edges, weights, strength)
        return self._rank


def _inverse_root(x: np.ndarray) -> np.ndarray:
    """Return ``x ** -0.5``, or 0 if ``x`` is not positive."""
    positive = x > 1e-15
    return np.where(positive, 1.0 / np.sqrt(np.where(positive, x, 1.0)), 0.0)
