"""What searches remember: scores of families, and leanings."""

from __future__ import annotations

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

    def scores(self, kind: int, child: int) -> ScoreMemory:
        """Return the scores of the families of a child, by one kind of score."""
        if (kind, child) not in self._scores:
            self._scores[kind, child] = empty_memory(self._codes, self._slots)
        return self._scores[kind, child]

    def leanings(
        self, columns: Columns, lookup: Lookup, child: int, parents: np.ndarray
    ) -> np.ndarray:
        """Return the leaning of each edge from the parents (ascending) to the child, by variable.

        Only the mixed score has leanings other than 0.
        """
        if lookup.kind != MIXED:
            return np.zeros(len(self._codes))
        nothing = np.empty(0, np.int64), np.empty(0)
        known, values = self._leanings.get(child, nothing)
        new = np.setdiff1d(parents, known, assume_unique=True)
        found = leanings(columns, lookup, child, new)
        found[known] = values
        if len(new):
            known = np.union1d(known, new)
            self._leanings[child] = known, found[known]
        return found
