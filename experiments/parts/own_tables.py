"""Predict with the tables of the score, by the single graph or averaged over networks."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from lsbn import LSBN, Dataset
from lsbn.answers.ensemble import Ensemble
from lsbn.answers.families import DataCounts, FamilyTables
from lsbn.graph.sampled import SampledGraphs
from lsbn.learners import Score
from parts.prediction import Split


@dataclass(frozen=True)
class OwnTables:
    """Networks whose tables follow from the mixed score.

    Attributes
    ----------
    graphs : SampledGraphs
    """

    graphs: SampledGraphs

    @property
    def edges(self) -> float:
        """Mean number of edges."""
        return len(self.graphs.parent) / len(self.graphs)

    def log_likelihoods(self, split: Split) -> np.ndarray:
        """Log-likelihood of every unseen row; states without a row to learn from are possible."""
        train, test = (_coded(part) for part in (split.train, split.test))
        tables = FamilyTables(DataCounts(train), Score())
        return Ensemble.of(self.graphs, train.cards, tables).log_likelihood(test.codes.astype(int))


def _coded(table: pd.DataFrame) -> Dataset:
    """Code categories, all of them states."""
    codes = np.array([table[name].cat.codes for name in table], np.uint16)
    states = tuple(tuple(table[name].cat.categories) for name in table)
    cards = np.array([len(labels) for labels in states])
    return Dataset(codes, cards, tuple(table), states)


_fitted: dict[tuple[int, int], LSBN] = {}


def fitted(table: pd.DataFrame, seed: int) -> LSBN:
    """Fit with the defaults; the last fit is remembered, so that several methods share it."""
    if (id(table), seed) not in _fitted:
        _fitted.clear()
        _fitted[id(table), seed] = LSBN(random_state=seed).fit(table)
    return _fitted[id(table), seed]


def single(table: pd.DataFrame, seed: int) -> OwnTables:
    """Take the single graph."""
    model = fitted(table, seed)
    place = {name: v for v, name in enumerate(model.edges_.names)}
    edges = [(place[u], place[v]) for u, v in model.dag_.edges]
    return OwnTables(SampledGraphs.of([edges], model.edges_.names))


def averaged(table: pd.DataFrame, seed: int) -> OwnTables:
    """Take all networks from the posterior."""
    return OwnTables(fitted(table, seed).graphs_)
