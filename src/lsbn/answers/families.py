"""Counts of families in the data of a fit, and the predictive tables that follow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lsbn.answers.predictive import predictive_table
from lsbn.data import Dataset
from lsbn.learners import Score

__all__ = [
    "CountSource",
    "DataCounts",
    "FamilyCounts",
    "FamilyTable",
    "FamilyTables",
    "TableSource",
    "key_steps",
]

MOST_DENSE = 1024
"""A family with more configurations of the parents has a table of those that occur."""
_HASH_SEED = 0x9E3779B9


@dataclass(frozen=True, eq=False)
class FamilyTable:
    """The distribution of a variable given its parents.

    Attributes
    ----------
    child : int
    parents : int array
        Ascending.
    cards : int array
        Number of states of each parent.
    table : (m, r) float array
        A row for each configuration of the parents, the first parent the lowest digit. With many
        configurations, a row for each one that occurs in the data, and a last one for all others.
    keys : uint64 array, optional
        The configurations that occur, sorted, as `_keys` numbers them; None if all have a row.
    """

    child: int
    parents: np.ndarray
    cards: np.ndarray
    table: np.ndarray
    keys: np.ndarray | None = None

    def rows(self, codes: np.ndarray) -> np.ndarray:
        """Return the row of the table for each row of the data."""
        numbers = _keys(codes[self.parents], self.cards)
        if self.keys is None:
            return numbers.astype(np.int64)
        places = np.minimum(np.searchsorted(self.keys, numbers), len(self.keys) - 1)
        return np.where(self.keys[places] == numbers, places, len(self.keys))

    def dense(self) -> np.ndarray:
        """Return the table over all configurations, the first parent varying slowest."""
        k = len(self.parents)
        grid = np.indices((1, *self.cards[::-1].tolist())).reshape(k + 1, -1)[:0:-1]
        codes = np.zeros((max(self.parents, default=-1) + 1, grid.shape[1]), np.int64)
        codes[self.parents] = grid
        table = self.table[self.rows(codes)].reshape(*self.cards[::-1], -1)
        return table.transpose(*range(k)[::-1], k).reshape(-1, self.table.shape[1])


@dataclass(frozen=True, eq=False)
class FamilyCounts:
    """The rows of the data with each state of a child, in each configuration of its parents.

    Attributes
    ----------
    child : int
    parents : int array
        Ascending.
    cards : int array
        Number of states of each parent.
    counts : (m, r) int array
        Rows as in `FamilyTable`.
    keys : uint64 array, optional
        As in `FamilyTable`.
    """

    child: int
    parents: np.ndarray
    cards: np.ndarray
    counts: np.ndarray
    keys: np.ndarray | None = None


CountSource = Callable[[int, tuple[int, ...]], FamilyCounts]
"""Gives the counts of a child with parents in ascending order."""
TableSource = Callable[[int, tuple[int, ...]], FamilyTable]
"""Gives the predictive table of a child with parents in ascending order."""


@dataclass(frozen=True, eq=False)
class DataCounts:
    """Counts families in a dataset.

    Attributes
    ----------
    dataset : Dataset
        If it has gaps, only rows that have all values of a family are counted.
    completions : int
        Number of completions of a table that the dataset has, one after the other. The counts are
        their means, rounded.
    """

    dataset: Dataset
    completions: int = 1

    def __call__(self, child: int, parents: tuple[int, ...]) -> FamilyCounts:
        """Return the counts of a child with parents in ascending order."""
        data, above = self.dataset, np.array(parents, np.int64)
        r, cards, keys = int(data.cards[child]), data.cards[above], None
        own, codes = data.codes[child], data.codes[above]
        if data.gaps is not None:
            known = ~data.gaps[[child, *parents]].any(axis=0)
            own, codes = own[known], codes[:, known]
        numbers = _keys(codes, cards)
        q = float(np.prod(cards.astype(float)))
        if q > MOST_DENSE:
            keys, numbers = np.unique(numbers, return_inverse=True)
            q = len(keys) + 1
        cells = numbers.astype(np.int64) * r + own
        counts = np.bincount(cells, minlength=int(q) * r).reshape(-1, r)
        if self.completions > 1:
            counts = np.rint(counts / self.completions).astype(np.int64)
        return FamilyCounts(child, above, cards, counts, keys)


class FamilyTables:
    """Predictive tables of families under a score; each is computed once.

    Parameters
    ----------
    counts : CountSource
    score : Score
    """

    def __init__(self, counts: CountSource, score: Score) -> None:
        self.counts, self.score = counts, score
        self._known: dict[tuple[int, tuple[int, ...]], FamilyTable] = {}

    def __call__(self, child: int, parents: tuple[int, ...]) -> FamilyTable:
        """Return the table of a child with parents in ascending order."""
        if (child, parents) not in self._known:
            found = self.counts(child, parents)
            table = predictive_table(found.counts, found.cards, self.score)
            family = FamilyTable(child, found.parents, found.cards, table, found.keys)
            self._known[child, parents] = family
        return self._known[child, parents]


def key_steps(cards: np.ndarray) -> np.ndarray:
    """Return the factor of each parent's code in the number of a configuration.

    The number is in mixed base, or a hash modulo 2**64 if there are too many configurations.
    """
    steps, step = np.empty(len(cards), np.uint64), 1
    hashed = float(np.prod(cards.astype(float))) >= 2.0**63
    for i, card in enumerate(cards.tolist()):
        steps[i] = step
        step = (2 * _HASH_SEED * (i + 1) ** 7 + 1) ** 3 % 2**64 if hashed else step * card
    return steps


def _keys(codes: np.ndarray, cards: np.ndarray) -> np.ndarray:
    """Return a number for each configuration, see `key_steps`."""
    numbers = np.zeros(codes.shape[1], np.uint64)
    for own, step in zip(codes, key_steps(cards), strict=True):
        numbers += own.astype(np.uint64) * step
    return numbers
