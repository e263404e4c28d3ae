"""The part of a dataset that some communities need, under the numbers of the whole."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lsbn.data import Dataset


@dataclass(frozen=True, eq=False)
class Part:
    """Some variables of a dataset; they keep their indices in the whole.

    What is sent to a worker is a part, and what comes back speaks of the whole.

    Attributes
    ----------
    dataset : Dataset
        The variables of the part.
    variables : int array
        Their indices in the whole, ascending.
    known : dict
        What was learned of some of them: a part serves one `LocalSettings`.
    """

    dataset: Dataset
    variables: np.ndarray
    known: dict[tuple[int, ...], Any] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def whole(cls, dataset: Dataset) -> Part:
        """Take all variables."""
        return cls(dataset, np.arange(dataset.n_variables))

    @classmethod
    def of(cls, dataset: Dataset, variables: np.ndarray) -> Part:
        """Take some variables, given in any order and with repetitions."""
        chosen = np.unique(variables)
        return cls(dataset.select(chosen.tolist()), chosen)

    def places(self, variables: np.ndarray) -> np.ndarray:
        """Give the indices within the part of variables of the whole."""
        return np.searchsorted(self.variables, variables)

    def select(self, variables: np.ndarray) -> Dataset:
        """Dataset of some of the part's variables, given by their indices in the whole."""
        return self.dataset.select(self.places(variables).tolist())
