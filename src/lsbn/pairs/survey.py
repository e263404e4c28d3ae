"""One pass over all pairs, for tables with too many pairs to store.

The pairs are divided into square blocks, and each block is a piece of work. A piece needs the
columns of its variables only, and `survey_piece` is all that a device has to offer to take over the
pass. Each piece returns sums, a histogram of each weight, the counts of the levels of significance,
and a list of the pairs that are significant at a loose level. All stages take their pairs from this
list. With bounded degree its length is proportional to the number of variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from lsbn.checkpoint import Codec
from lsbn.data import Dataset
from lsbn.kernels import counts as _counts
from lsbn.kernels import survey as _kernel
from lsbn.kernels.state import MarginColumns
from lsbn.pairs.significance import LevelCounts, Significance
from lsbn.pairs.visitors import HISTOGRAM_BINS, Moments
from lsbn.parallel import Progress, ReadPlace, flow

__all__ = ["SURVEYED", "Piece", "Survey", "survey_pairs", "survey_piece"]

SURVEYED = ("MI", "MI_plus", "MI_sqrt", "Pearson")
"""The weights of the pass. ``MI_pr`` needs a PageRank, which follows from the pass."""
LISTED_PARTNERS = 16
"""Pairs with a p-value of at most 16/n are listed: in noise, a variable has 16 listed partners."""
MOST_LISTED = 200
"""Largest number of listed pairs for each variable. Then the level of the list is lowered."""
LEAST_ROOM = 4_000_000
"""The list has room for at least this number of pairs."""
_BLOCK = 1_024
"""Variables on a side of a block."""
Block = tuple[tuple[int, int], tuple[int, int]]
_CODEC = Codec(tuple, lambda fields: Piece(*fields))
_columns: WeakKeyDictionary[Dataset, MarginColumns] = WeakKeyDictionary()


class Piece(NamedTuple):
    """Statistics of one block of pairs.

    Attributes
    ----------
    moments, strength, levels : arrays
        See `lsbn.kernels.survey.BlockSums`. The strengths are those of the rows' variables and
        then those of the columns' variables.
    places, bins : int arrays
        The bins that are not empty, and their counts. Bin b of weight k has the place
        ``k * N_BINS + b``.
    edges : (m, 2) int32 array
        The listed pairs.
    values : (m, 2) float array
        Mutual information and sum of the products of codes of each listed pair.
    """

    moments: np.ndarray
    strength: np.ndarray
    levels: np.ndarray
    places: np.ndarray
    bins: np.ndarray
    edges: np.ndarray
    values: np.ndarray


def margin_columns(dataset: Dataset) -> MarginColumns:
    """Return the columns of a dataset as the pass takes them; they are kept with the dataset."""
    if dataset not in _columns:
        words, offsets = dataset.bits
        margins, xlogx = _counts.state_counts(words), _counts.tabulate_xlogx(dataset.n_rows)
        _columns[dataset] = MarginColumns(words, offsets, dataset.planes, margins, xlogx)
    return _columns[dataset]


def blocks(n: int) -> list[Block]:
    """Return the rows and the columns of each block: the first variable and the end of both.

    Examples
    --------
    >>> blocks(1500)
    [((0, 1024), (0, 1024)), ((0, 1024), (1024, 1500)), ((1024, 1500), (1024, 1500))]
    """
    sides = [(low, min(low + _BLOCK, n)) for low in range(0, n, _BLOCK)]
    return list(combinations_with_replacement(sides, 2))


def survey_piece(columns: MarginColumns, scales: _kernel.PairScales, block: Block) -> Piece:
    """Count the pairs of one block.

    Parameters
    ----------
    columns : MarginColumns
    scales : PairScales
    block : ((int, int), (int, int))
        Rows and columns, see `blocks`.
    """
    n, (rows, others) = len(scales.entropy), block
    moments = np.tile([0.0, 0.0, np.inf, -np.inf], (_kernel.N_WEIGHTS, 1))
    sums = _kernel.BlockSums(
        moments,
        np.zeros((_kernel.N_WEIGHTS, n)),
        np.zeros((_kernel.N_WEIGHTS, _kernel.N_BINS), np.int64),
        np.zeros(scales.critical.shape[2] + 1, np.int64),
    )
    edges, values = _kernel.survey_block(columns, scales, rows, others, sums)
    strength = [sums.strength[:, slice(*rows)]]
    if others != rows:
        strength.append(sums.strength[:, slice(*others)])
    flat = sums.bins.reshape(-1)
    places = np.flatnonzero(flat)
    joined = np.concatenate(strength, axis=1)
    return Piece(moments, joined, sums.levels, places, flat[places], edges, values)


@dataclass(frozen=True, eq=False)
class Survey:
    """What one pass over all pairs tells.

    Attributes
    ----------
    moments : dict of str to Moments
    bins : dict of str to int array
        A histogram of each weight with the bins of `lsbn.kernels.survey.bin_edges`.
    levels : LevelCounts
    listing : Significance
        The rule of the list.
    complete : bool
        Whether the list has all pairs of the level at which it was begun.
    edges : (m, 2) int32 array
        The listed pairs ``i < j``, sorted.
    values : (m, 2) float array
        Mutual information and sum of the products of codes of each listed pair.
    """

    moments: dict[str, Moments]
    bins: dict[str, np.ndarray]
    levels: LevelCounts
    listing: Significance
    complete: bool
    edges: np.ndarray
    values: np.ndarray

    def histogram(self, name: str) -> tuple[np.ndarray, tuple[float, float]]:
        """Return a histogram of `HISTOGRAM_BINS` equal bins over the range of a weight.

        Within a bin of the pass, which is a thousandth of its weight wide, the pairs are assumed to
        be spread evenly.
        """
        limits = (self.moments[name].minimum, self.moments[name].maximum)
        total = int(self.bins[name].sum())
        if limits[1] <= limits[0]:
            return np.bincount([0], [total], HISTOGRAM_BINS).astype(np.int64), limits
        below = np.concatenate([[0], np.cumsum(self.bins[name])])
        at = np.linspace(*limits, HISTOGRAM_BINS + 1)
        cumulative = np.rint(np.interp(at, _kernel.bin_edges(), below)).astype(np.int64)
        cumulative[0], cumulative[-1] = 0, total
        return np.diff(cumulative), limits

    def lists(self, rule: Significance) -> bool:
        """Return whether the list has all pairs that a rule selects."""
        return rule.level <= self.listing.level

    def lists_above(self, mutual_information: float) -> bool:
        """Return whether the list has all pairs of a greater mutual information."""
        least = self.listing.least
        return bool(np.all(least[np.isfinite(least)] <= mutual_information))


def survey_pairs(
    dataset: Dataset,
    scales: _kernel.PairScales,
    levels: LevelCounts,
    n_jobs: int | None = 1,
    progress: Progress | None = None,
) -> Survey:
    """Count all pairs once.

    Parameters
    ----------
    dataset : Dataset
    scales : PairScales
        The pass replaces ``least`` by the rule of the list.
    levels : LevelCounts
        Its counts are filled.
    n_jobs : int, optional
        Number of workers. The result does not depend on it.
    progress : callable, optional
        Called with the numbers of blocks done, of all, and of those read from a draft.

    Returns
    -------
    Survey
    """
    n = len(scales.entropy)
    listing = levels.at_level(LISTED_PARTNERS / n)
    scales = scales._replace(least=listing.least)
    total = _Totals(n, levels, listing)
    items = blocks(n)
    results = flow(_counted_block, (dataset, scales), items, n_jobs, _CODEC)
    read = 0
    for place, piece in _in_order(results):
        total.add(items[place], piece)
        read += isinstance(place, ReadPlace)
        if progress is not None:
            progress(place + 1, len(items), read)
    return total.survey()


def _counted_block(data: tuple[Dataset, _kernel.PairScales], block: Block) -> Piece:
    """Count the pairs of one block on a worker."""
    return survey_piece(margin_columns(data[0]), data[1], block)


def _in_order(results: Iterator[tuple[int, Piece]]) -> Iterator[tuple[int, Piece]]:
    """Yield results by ascending place, so that sums are rounded alike for any number of jobs."""
    waiting: dict[int, tuple[int, Piece]] = {}
    place = 0
    for ready, piece in results:
        waiting[ready] = ready, piece
        while place in waiting:
            yield waiting.pop(place)
            place += 1


class _Totals:
    """Sums over the pieces, and the list, which stays within its room."""

    def __init__(self, n: int, levels: LevelCounts, listing: Significance) -> None:
        self.n, self.levels, self.listing, self.complete = n, levels, listing, True
        self.room = max(MOST_LISTED * n, LEAST_ROOM)
        self.moments = np.tile([0.0, 0.0, np.inf, -np.inf], (len(SURVEYED), 1))
        self.strength = np.zeros((len(SURVEYED), n))
        self.bins = np.zeros((len(SURVEYED), _kernel.N_BINS), np.int64)
        self.parts = [(np.empty((0, 2), np.int32), np.empty((0, 2)))]
        self.listed = 0

    def add(self, block: Block, piece: Piece) -> None:
        """Add a piece."""
        self.moments[:, :2] += piece.moments[:, :2]
        self.moments[:, 2] = np.minimum(self.moments[:, 2], piece.moments[:, 2])
        self.moments[:, 3] = np.maximum(self.moments[:, 3], piece.moments[:, 3])
        places = np.concatenate([np.arange(*side) for side in dict.fromkeys(block)])
        self.strength[:, places] += piece.strength
        self.bins.reshape(-1)[piece.places] += piece.bins
        self.levels.counts += piece.levels
        self.parts.append((piece.edges, piece.values))
        self.listed += len(piece.edges)
        while self.listed > self.room:
            self._shorten()

    def _shorten(self) -> None:
        """Lower the level of the list by half."""
        edges, values = self._list()
        self.listing, self.complete = self.levels.at_level(self.listing.level / 2), False
        keep = self.listing.selects(edges, values[:, 0])
        self.parts, self.listed = [(edges[keep], values[keep])], int(keep.sum())

    def _list(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the list in one piece."""
        edges, values = (np.concatenate(part) for part in zip(*self.parts, strict=True))
        return edges, values

    def survey(self) -> Survey:
        """Return the result after all pieces."""
        edges, values = self._list()
        keep = self.listing.selects(edges, values[:, 0])
        edges, values = edges[keep], values[keep]
        order = np.lexsort((edges[:, 1], edges[:, 0]))
        n_pairs = self.n * (self.n - 1) // 2
        moments = {
            name: Moments.of_sums(self.moments[k], n_pairs, self.strength[k])
            for k, name in enumerate(SURVEYED)
        }
        bins = dict(zip(SURVEYED, self.bins, strict=True))
        rule = (self.levels, self.listing, self.complete)
        return Survey(moments, bins, *rule, edges[order], values[order])


def heaviest_listed(
    n: int, edges: np.ndarray, weights: Sequence[np.ndarray], least: Sequence[np.ndarray], most: int
) -> list[np.ndarray]:
    """Return the heaviest listed partners of each variable under at least one weight.

    Parameters
    ----------
    n : int
    edges : (m, 2) int array
    weights : sequence of (m,) float arrays
    least : sequence of (n,) float arrays
        For each weight, the least weight of a partner of each variable.
    most : int
        Largest number of partners under one weight; of equal weights, the earlier variable counts.

    Examples
    --------
    >>> edges, weights = np.array([[0, 1], [0, 2], [1, 2]]), np.array([3.0, 2.0, 0.0])
    >>> [x.tolist() for x in heaviest_listed(3, edges, [weights], [np.zeros(3)], 1)]
    [[1], [0], [0]]
    """
    here = np.concatenate([edges[:, 0], edges[:, 1]]).astype(np.int64)
    there = np.concatenate([edges[:, 1], edges[:, 0]]).astype(np.int64)
    found = [np.empty((0, 2), np.int64)]
    for values, limit in zip(weights, least, strict=True):
        both = np.concatenate([values, values])
        order = np.lexsort((there, -both, here))
        starts = np.searchsorted(here[order], np.arange(n))
        rank = np.arange(len(order)) - starts[here[order]]
        heavy = (both[order] > 0) & (both[order] >= limit[here[order]]) & (rank < most)
        found.append(np.stack([here[order][heavy], there[order][heavy]], axis=1))
    partners = np.unique(np.concatenate(found), axis=0)
    return np.split(partners[:, 1], np.searchsorted(partners[:, 0], np.arange(1, n)))
