"""Learning the tables of one cell of `wider_calibration.py`, and comparing with the truth."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from time import process_time

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from lsbn import LSBN
from lsbn.data import Dataset
from lsbn.kernels.scores import family_score
from lsbn.learners import Score
from lsbn.learners.scoring import columns_of
from parts.reliability import Pairs
from parts.wider_cases import Case
from parts.wider_cells import draw_cell

WEAK = 3.0
"""An edge that gains fewer nats than this is weak."""


@dataclass(frozen=True)
class Result:
    """What was found in one cell.

    Attributes
    ----------
    key : str
        The letter of the cell.
    pairs : Pairs
        The judged pairs of all tables.
    directed : bool
        Whether their directions can be compared too.
    tables, warned : int
        Number of tables, and of those on which the sampler says that its chains disagree.
    seconds : float
        Processor time of learning.
    missed : int array
        True edges that are not found, and for how many of them there is a reason: see `missed`.
    """

    key: str
    pairs: Pairs
    directed: bool
    tables: int
    warned: int
    seconds: float
    missed: np.ndarray


def learn(table: pd.DataFrame, seed: int) -> np.ndarray:
    """Give the edge probabilities that a user gets who changes nothing."""
    return LSBN(random_state=seed).fit(table).edge_probabilities_.toarray()


def run_cell(
    key: str, count: int, seed: int, learner: Callable[[pd.DataFrame, int], np.ndarray] = learn
) -> Result:
    """Learn from every table of a cell, and compare."""
    parts, warned, seconds, directed = [], 0, 0.0, True
    lost = np.zeros(3, np.int64)
    for case, learner_seed in draw_cell(key, count, seed):
        begun = process_time()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            matrix = learner(case.table, learner_seed)
        seconds += process_time() - begun
        warned += any(issubclass(w.category, ConvergenceWarning) for w in caught)
        parts.append(Pairs.of(matrix, case.graph, case.judged))
        directed &= case.directed
        lost += missed(case, matrix)
    return Result(key, Pairs.joined(parts), directed, count, warned, seconds, lost)


def missed(case: Case, matrix: np.ndarray) -> np.ndarray:
    """Count true edges with a probability of at most one half, and reasons why they are missed.

    Returns
    -------
    int array
        Missed edges; those whose true family has more free parameters than there are rows; those
        that raise the score of the true family by less than `WEAK`.
    """
    found = np.zeros(3, np.int64)
    dataset, lookup = Dataset.from_table(case.table), Score().lookup()
    data = (columns_of(dataset), lookup)
    for u, v in np.argwhere(case.graph & case.judged & (matrix + matrix.T <= 0.5)).tolist():
        parents = np.flatnonzero(case.graph[:, v] & (dataset.cards > 1))
        large = np.prod(dataset.cards[parents]) * (dataset.cards[v] - 1) > dataset.n_rows
        gain = family_score(*data, v, parents) - family_score(*data, v, parents[parents != u])
        found += [1, large, not large and gain < WEAK]
    return found
