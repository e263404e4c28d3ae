"""What searches remember: scores of families, and leanings."""

from __future__ import annotations

from threading import local

import numpy as np

from lsbn.kernels.direction import leanings
from lsbn.kernels.lookup import MIXED, Lookup
from lsbn.kernels.memory import ScoreMemory, empty_memory, variable_codes
from lsbn.kernels.state import Columns


class SearchMemory:
    """Scores of families and leanings, remembered for all searches on one dataset.

    Searches that share a memory do not learn of each other: the memory only saves time. At most
    one thread may score the families of a variable.

    Parameters
    ----------
    n_variables : int
    slots : int
        Scores that are remembered for each variable: a power of two, or 0.
    """

    def __init__(self, n_variables: int, slots: int) -> None:
        self._codes, self._slots = variable_codes(n_variables), slots
        self._scores: dict[tuple[int, int], ScoreMemory] = {}
        self._leanings: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self._zeros, self._rooms = np.zeros(n_variables), local()

    def scores(self, kind: int, child: int) -> ScoreMemory:
        """Return the scores of the families of a child, by one kind of score."""
        if (kind, child) not in self._scores:
            self._scores[kind, child] = empty_memory(self._codes, self._slots)
        return self._scores[kind, child]

    def leanings(
        self, columns: Columns, lookup: Lookup, child: int, parents: np.ndarray
    ) -> np.ndarray:
        """Return the leaning of each edge from the parents (ascending) to the child, by variable.

        Only the mixed score has leanings other than 0. The array is valid until the next call in
        the same thread: an array of all variables for each child would take quadratic time.
        """
        if lookup.kind != MIXED:
            return self._zeros
        nothing = np.empty(0, np.int64), np.empty(0)
        known, values = self._leanings.get(child, nothing)
        new = np.setdiff1d(parents, known, assume_unique=True)
        if len(new):
            found = leanings(columns, lookup, child, new)
            known, values = np.concatenate([known, new]), np.concatenate([values, found])
            self._leanings[child] = known, values
        return self._filled(known, values)

    def _filled(self, places: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return an array of this thread with the values at some places, 0 elsewhere."""
        if not hasattr(self._rooms, "array"):
            self._rooms.array, self._rooms.places = np.zeros(len(self._codes)), places
        self._rooms.array[self._rooms.places] = 0.0
        self._rooms.array[places], self._rooms.places = values, places
        return self._rooms.array
