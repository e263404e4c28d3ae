"""What searches remember: scores of families, and leanings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import local

import numpy as np

from lsbn.kernels.direction import leanings
from lsbn.kernels.lookup import MIXED, Lookup
from lsbn.kernels.memory import ScoreMemory, empty_memory, variable_codes
from lsbn.kernels.state import Columns

Changes = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Three arrays. Each row of the first has: kind of score, child, number of new scores. The others
are the keys and the values of all new scores."""


class SearchMemory:
    """Scores of families and leanings, remembered for all searches on one dataset.

    Searches that share a memory do not learn of each other: the memory only saves time. At most
    one thread may score the families of a variable.

    Parameters
    ----------
    n_variables : int
    slots : int
        Scores that are remembered for each variable: a power of two, or 0.
    small : bool
        Whether the leanings of all edges are remembered in one matrix.
    """

    def __init__(self, n_variables: int, slots: int, small: bool) -> None:
        self._codes, self._slots = variable_codes(n_variables), slots
        self._scores: dict[tuple[int, int], ScoreMemory] = {}
        self._matrix = np.full((n_variables, n_variables), np.nan) if small else None
        self._leanings: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self._zeros, self._rooms = np.zeros(n_variables), local()

    def scores(self, kind: int, child: int) -> ScoreMemory:
        """Return the scores of the families of a child, by one kind of score."""
        if (kind, child) not in self._scores:
            self._scores[kind, child] = empty_memory(self._codes, self._slots)
        memory, watched = self._scores[kind, child], getattr(self._rooms, "watched", None)
        if watched is not None and (kind, child) not in watched:
            watched[kind, child] = memory.keys.copy()
        return memory

    @contextmanager
    def changes(self, wanted: bool) -> Iterator[list[Changes]]:
        """Collect the scores that this thread adds to the memory inside the block, if wanted.

        A score is rounded in another way if it is computed with other families. So a search that
        is resumed must remember what the stopped search remembered.
        """
        found: list[Changes] = []
        self._rooms.watched = {} if wanted else None
        yield found
        heads, new_keys, new_values = [], [], []
        for (kind, child), before in (self._rooms.watched or {}).items():
            memory = self._scores[kind, child]
            slots = np.flatnonzero(memory.keys != before)
            heads.append((kind, child, len(slots)))
            new_keys.append(memory.keys[slots])
            new_values.append(memory.values[slots])
        if heads:
            joined = np.concatenate(new_keys), np.concatenate(new_values)
            found.append((np.array(heads, np.int32), *joined))
        self._rooms.watched = None

    def repeat(self, changes: list[Changes]) -> None:
        """Add the scores that `changes` collected."""
        for heads, all_keys, all_values in changes:
            ends = np.cumsum(heads[:, 2])[:-1]
            new = np.split(all_keys, ends), np.split(all_values, ends)
            for (kind, child, _), keys, values in zip(heads.tolist(), *new, strict=True):
                memory = self.scores(kind, child)
                slots = (keys & np.uint64(max(self._slots, 1) - 1)).astype(np.int64)
                memory.keys[slots], memory.values[slots] = keys, values

    def leanings(
        self, columns: Columns, lookup: Lookup, child: int, parents: np.ndarray
    ) -> np.ndarray:
        """Return the leaning of each edge from the parents (ascending) to the child, by variable.

        Only the mixed score has leanings other than 0. The array is valid until the next call in
        the same thread: an array of all variables for each child would take quadratic time.
        """
        if lookup.kind != MIXED:
            return self._zeros
        if self._matrix is not None:
            return self._of_all(columns, lookup, child, self._matrix)
        nothing = np.empty(0, np.int64), np.empty(0)
        known, values = self._leanings.get(child, nothing)
        new = np.setdiff1d(parents, known, assume_unique=True)
        if len(new):
            found = leanings(columns, lookup, child, new)
            known, values = np.concatenate([known, new]), np.concatenate([values, found])
            self._leanings[child] = known, values
        return self._filled(known, values)

    @staticmethod
    def _of_all(columns: Columns, lookup: Lookup, child: int, known: np.ndarray) -> np.ndarray:
        """Return the leanings of the edges from all variables; u -> v has minus that of v -> u."""
        new = np.flatnonzero(np.isnan(known[child]))
        if len(new):
            new = new[new != child]
            found = leanings(columns, lookup, child, new)
            known[child, new], known[new, child], known[child, child] = found, -found, 0.0
        return known[child]

    def _filled(self, places: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return an array of this thread with the values at some places, 0 elsewhere."""
        if not hasattr(self._rooms, "array"):
            self._rooms.array, self._rooms.places = np.zeros(len(self._codes)), places
        self._rooms.array[self._rooms.places] = 0.0
        self._rooms.array[places], self._rooms.places = values, places
        return self._rooms.array
