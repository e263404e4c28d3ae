"""The part of a dataset that a worker needs, with the variable indices of the full dataset."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lsbn.data import Dataset


class Remembered:
    """Results of `LocalSettings.learn` on one worker; another worker begins with none.

    Attributes
    ----------
    results : dict
        See `Part.known`.
    """

    def __init__(self) -> None:
        self.results: dict[tuple[int, ...], Any] = {}

    def __reduce__(self) -> tuple:
        return Remembered, ()


@dataclass(frozen=True, eq=False)
class Part:
    """Some variables of a dataset, called by their indices in the full dataset.

    A worker receives a part. Its results have the indices of the full dataset.

    Attributes
    ----------
    dataset : Dataset
        The variables of the part.
    variables : int array
        Indices of these variables in the full dataset, ascending.
    known : dict
        Results of `LocalSettings.learn` by the tuple of variables. A part must be used with one
        `LocalSettings` only.
    """

    dataset: Dataset
    variables: np.ndarray
    known: dict[tuple[int, ...], Any] = field(default_factory=dict, repr=False)

    @classmethod
    def whole(cls, dataset: Dataset, remembered: Remembered | None = None) -> Part:
        """Return a part with all variables of a dataset."""
        known = {} if remembered is None else remembered.results
        return cls(dataset, np.arange(dataset.n_variables), known)

    @classmethod
    def of(cls, dataset: Dataset, variables: np.ndarray) -> Part:
        """Return a part with some variables, in any order and possibly repeated."""
        chosen = np.unique(variables)
        return cls(dataset.select(chosen.tolist()), chosen)

    def places(self, variables: np.ndarray) -> np.ndarray:
        """Convert indices in the full dataset to indices in the part."""
        return np.searchsorted(self.variables, variables)

    def select(self, variables: np.ndarray) -> Dataset:
        """Return the dataset of some variables, by their indices in the full dataset."""
        return self.dataset.select(self.places(variables).tolist())
