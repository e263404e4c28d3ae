"""What every learner takes and gives.

A learner is a function ``learn_x(dataset, *, candidates, pairs, random_state, n_jobs, ...)`` that
gives a `Learned`. It works on the whole of the dataset it is handed, be that a table or one
community.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lsbn.data import Dataset
from lsbn.graph import EdgeProbabilities

__all__ = ["Candidates", "Learned"]


@dataclass(frozen=True, eq=False)
class Candidates:
    """What the framework proposes to the learner of the whole network.

    Attributes
    ----------
    neighbours : sequence of int arrays
        Where to look for the neighbours of each variable, ascending.
    blankets : sequence of int arrays
        The Markov blanket of each variable; empty arrays where none was looked for.
    joined : (m, 2) int array
        Pairs ``i < j`` that Mergence joined.
    """

    neighbours: Sequence[np.ndarray]
    blankets: Sequence[np.ndarray]
    joined: np.ndarray

    @classmethod
    def of_pairs(cls, n_variables: int, pairs: np.ndarray) -> Candidates:
        """Take the ends of each pair as candidates of one another."""
        pairs = np.asarray(pairs, np.int64).reshape(-1, 2)
        both = np.unique(np.concatenate([pairs, pairs[:, ::-1]]), axis=0)
        start = np.searchsorted(both[:, 0], np.arange(1, n_variables))
        nothing = [np.empty(0, np.int64)] * n_variables
        return cls(np.split(both[:, 1], start), nothing, np.empty((0, 2), np.int64))

    def pairs(self, dataset: Dataset) -> np.ndarray:
        """Pairs ``i < j`` of variables, none constant, of which one is a candidate of the other."""
        return pairs_of(dataset, self.neighbours)


def pairs_of(dataset: Dataset, lists: Sequence[np.ndarray]) -> np.ndarray:
    """Pairs ``i < j`` of variables, none constant, of which one is in the other's list.

    Examples
    --------
    >>> dataset = Dataset.from_table(np.array([[0, 1, 1, 0], [1, 0, 1, 1]]))
    >>> pairs_of(dataset, [np.array([1, 2]), np.array([0]), np.array([0]), np.array([], int)])
    array([[0, 1]])
    """
    varying = dataset.cards > 1
    u = np.repeat(np.arange(len(lists)), [len(some) for some in lists])
    v = np.concatenate([np.empty(0, np.int64), *lists]).astype(np.int64)
    keep = varying[u] & varying[v]
    ends = np.stack([np.minimum(u, v)[keep], np.maximum(u, v)[keep]], axis=1)
    return np.unique(ends, axis=0)


@dataclass(frozen=True)
class Learned:
    """What a learner found.

    Attributes
    ----------
    edges : EdgeProbabilities
        Learners that give one graph give 1 to a directed edge and 0.5 each way to an undirected
        one.
    diagnostics : mapping
        Figures about the run, ready for JSON.
    """

    edges: EdgeProbabilities
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
