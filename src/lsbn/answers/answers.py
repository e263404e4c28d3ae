"""All answers of a fitted estimator or of a run folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from scipy import sparse

from lsbn.answers.coding import Coding
from lsbn.answers.effects import Effect, effect_of
from lsbn.answers.ensemble import Ensemble
from lsbn.answers.families import DataCounts, FamilyTable, FamilyTables
from lsbn.answers.gaps import Gaps
from lsbn.answers.imputation import Imputation, cell_shares, impute, log_observed
from lsbn.answers.strength import dependence, ordered_states, pair_margin
from lsbn.answers.wholetable import WholeTable
from lsbn.data import Dataset
from lsbn.graph import EdgeProbabilities
from lsbn.graph.edge_access import place_of
from lsbn.graph.sampled import Estimate, SampledGraphs
from lsbn.learners import Score
from lsbn.network import BayesianNetwork

__all__ = ["HOW", "NO_GRAPHS", "Answers"]

HOW = ("edge", "adjacent", "path", "blanket")
"""Relations of two variables whose probability can be asked."""
NO_GRAPHS = (
    "there are no networks from a posterior: only the last pass of model averaging draws them. "
    "Use LSBN() with learner='model-averaging', last_pass=True and n_graphs=1000 (command line: "
    "`lsbn learn` without --paper and with --learner model-averaging)"
)
MOST_CELLS = 2_000_000
"""Most cells of a table of `to_network`."""


@dataclass(frozen=True, eq=False)
class Answers:
    """What can be asked about a learned network.

    Attributes
    ----------
    edges : EdgeProbabilities
    dag : networkx.DiGraph
        The single graph.
    coding : Coding
        How the rows of a table become states.
    tables : FamilyTables
        The predictive tables of families.
    graphs : SampledGraphs, optional
        Networks from the posterior.
    """

    edges: EdgeProbabilities
    dag: nx.DiGraph
    coding: Coding
    tables: FamilyTables
    graphs: SampledGraphs | None = None

    @classmethod
    def of(
        cls,
        counts: DataCounts,
        score: Score,
        edges: EdgeProbabilities,
        dag: nx.DiGraph,
        graphs: SampledGraphs | None = None,
        *,
        groups: Mapping[str, Sequence[str]] | None = None,
        table: Dataset | None = None,
    ) -> Answers:
        """Take the tables from data.

        Parameters
        ----------
        counts : DataCounts
            Of data over the variables of the result, groups of copies as single variables.
        score : Score
            The score under which families have their tables.
        edges, dag, graphs
            See `Answers`.
        groups : mapping of str to sequence of str, optional
            The columns of each group.
        table : Dataset, optional
            All columns with gaps, if those of a group may fill gaps of each other.
        """
        tables = FamilyTables(counts, score)
        return cls(edges, dag, Coding.of(counts.dataset, groups, table), tables, graphs)

    def under(self, score: Score) -> Answers:
        """Return the same answers with the tables of another score."""
        return replace(self, tables=FamilyTables(self.tables.counts, score))

    def with_na(self, values: Iterable[str]) -> Answers:
        """Return the same answers to tables in which more values mean 'missing'."""
        na = tuple(dict.fromkeys([*self.coding.na, *values]))
        return replace(self, coding=replace(self.coding, na=na))

    # The posterior of graphs

    @property
    def posterior(self) -> SampledGraphs:
        """Networks from the posterior; an error that names the cure if there are none."""
        if not self.graphs:
            raise ValueError(NO_GRAPHS)
        return self.graphs

    def sample_graphs(self, k: int) -> list[nx.DiGraph]:
        """Return k of the networks from the posterior."""
        kept = len(self.posterior)
        if not 1 <= k <= kept:
            raise ValueError(
                f"k is {k}; use 1 to {kept:,}, the number of networks that were kept. "
                "LSBN(n_graphs=...) keeps more (command line: `lsbn learn --graphs N`)"
            )
        return list(self.posterior.thinned(k))

    def feature(self, function: Callable[[nx.DiGraph], Any]) -> Estimate:
        """Return the posterior mean of a function of a network."""
        return self.posterior.feature(function)

    def probability(self, source: str, target: str, how: str = "edge") -> Estimate:
        """Return the probability of a relation between two variables."""
        if how not in HOW:
            raise ValueError(f"how is {how!r}; use {', '.join(HOW)}")
        u, v = (place_of(self.edges.names, name) for name in (source, target))
        if u == v:
            raise ValueError(f"{source!r} twice; give two different variables")
        if how in ("edge", "adjacent"):
            return self._edge(u, v, both=how == "adjacent")
        if how == "path":
            return self.posterior.mean(self.posterior.reach(u, v))
        marks = self.posterior.blanket(u)[:, [v]].toarray().ravel()
        return self.posterior.mean(marks)

    def _edge(self, u: int, v: int, *, both: bool) -> Estimate:
        """Return the probability of an edge; the error of single networks is a bound of its own."""
        matrix, graphs, error = self.edges.matrix, self.graphs, 0.0
        if graphs and not graphs.independent:
            error = graphs.mean(graphs.joined(u, v) | (both & graphs.joined(v, u))).error
        return Estimate(matrix[u, v] + (matrix[v, u] if both else 0.0), error)

    def markov_blanket(self, name: str, minimum: float = 0.01) -> pd.DataFrame:
        """Return the variables in the Markov blanket of one, with probabilities and errors."""
        graphs, u = self.posterior, place_of(self.edges.names, name)
        marks = graphs.blanket(u).tocsc()
        shares = np.asarray(marks.mean(axis=0)).ravel()
        members = np.flatnonzero(shares >= minimum)
        found = [graphs.mean(marks[:, [v]].toarray().ravel()) for v in members]
        frame = pd.DataFrame(
            {
                "variable": [graphs.names[v] for v in members],
                "probability": [float(each) for each in found],
                "error": [each.error for each in found],
            }
        )
        order = ["probability", "variable"]
        return frame.sort_values(order, ascending=[False, True], ignore_index=True)

    def ancestors(self) -> sparse.csr_array:
        """Return the probability of a directed path for all pairs, ancestor by descendant."""
        return self.posterior.ancestors()

    def edge_strengths(self, minimum: float = 0.01) -> pd.DataFrame:
        """Return strength and sign of the dependence along each edge, from the data of a fit."""
        frame = self.edges.to_frame(minimum)
        place = {name: v for v, name in enumerate(self.coding.names)}
        orders = [ordered_states(labels) for labels in self.coding.states]
        found = []
        for pair in zip(frame["source"], frame["target"], strict=True):
            u, v = (place[name] for name in pair)
            margin = pair_margin(self.tables.counts(v, (u,)), u)
            found.append(dependence(margin, orders[u], orders[v]))
        figures = {
            key: [getattr(each, key) for each in found] for key in ("strength", "sign", "tau")
        }
        return frame.assign(**figures)

    # Likelihood and prediction

    @cached_property
    def _one(self) -> Ensemble:
        """The single graph as an ensemble."""
        place = {name: v for v, name in enumerate(self.coding.names)}
        edges = [(place[u], place[v]) for u, v in self.dag.edges]
        return self._ensemble(SampledGraphs.of([edges], self.coding.names))

    @cached_property
    def _many(self) -> Ensemble:
        """The networks from the posterior as an ensemble."""
        return self._ensemble(self.posterior)

    def _ensemble(self, graphs: SampledGraphs) -> Ensemble:
        return Ensemble.of(graphs, self.coding.cards, self.tables)

    def ensemble(self, average: bool) -> Ensemble:
        """Return the networks that predict: all from the posterior, or the single graph."""
        return self._many if average else self._one

    def log_likelihood(self, table: Any, average: bool = False) -> np.ndarray:
        """Return the log probability of each row; of its observed values, if some are missing."""
        ensemble = self.ensemble(average)
        codes, gaps = self.coding.codes(table)
        some = gaps.any(axis=0)
        logs = np.empty(codes.shape[1])
        if not some.all():
            logs[~some] = ensemble.log_likelihood(codes[:, ~some])
        if some.any():
            logs[some] = log_observed(ensemble, codes[:, some], gaps[:, some])
        return logs

    def predict_proba(self, table: Any, target: str, average: bool = False) -> np.ndarray:
        """Return the distribution of a variable in each row, given all others that are there."""
        t, ensemble = place_of(self.coding.names, target), self.ensemble(average)
        codes, gaps = self.coding.codes(table, without=target)
        shares = np.empty((codes.shape[1], int(self.coding.cards[t])))
        some = gaps.any(axis=0)
        if not some.all():
            shares[~some] = ensemble.predict_proba(codes[:, ~some], t)
        if some.any():
            gaps[t] = True
            cells = Gaps.of(gaps[:, some]).variable == t
            found = cell_shares(ensemble, codes[:, some], gaps[:, some])
            shares[some] = found[cells, : shares.shape[1]]
        return shares

    def impute(self, table: Any, average: bool | None = None) -> Imputation:
        """Return a table with the most probable value in each missing cell."""
        average = bool(self.graphs) if average is None else average
        coding = self.coding
        whole = WholeTable.of(table, coding.columns, coding.na, coding.more_columns)
        found = impute(self.ensemble(average), self.coding, whole.columns)
        return replace(found, table=whole.filled(found.table))

    def predict(self, table: Any, target: str, average: bool = False) -> np.ndarray:
        """Return the most probable state of a variable in each row, given all others."""
        labels = np.array(self.coding.states[place_of(self.coding.names, target)], object)
        return labels[self.predict_proba(table, target, average).argmax(axis=1)]

    def sample(self, rows: int, average: bool = False, random_state: Any = None) -> pd.DataFrame:
        """Draw rows from the distribution that was learned."""
        if rows < 1:
            raise ValueError(f"rows is {rows}; use 1 or more")
        codes = self.ensemble(average).sample(rows, np.random.default_rng(random_state))
        return self.coding.table(codes)

    def effect(self, cause: str, outcome: str, level: float = 0.9) -> Effect:
        """Return the distribution of the outcome if the cause is set from outside."""
        names = self.coding.names
        x, y = place_of(names, cause), place_of(names, outcome)
        if x == y:
            raise ValueError(f"{cause!r} twice; give two different variables")
        if not 0 < level < 1:
            raise ValueError(f"level is {level}; use more than 0, less than 1")
        shares = effect_of(self._many, x, y)
        return Effect(cause, outcome, self.coding.states[x], self.coding.states[y], level, shares)

    def to_network(self) -> BayesianNetwork:
        """Return the single graph with its predictive tables."""
        names, parents, tables = self.coding.names, [], []
        for v in range(len(names)):
            family = self._one.family(0, v)
            _check_size(family, names)
            parents.append(family.parents)
            tables.append(family.dense())
        parts = (tuple(parents), tuple(tables), "learned")
        return BayesianNetwork(names, self.coding.states, *parts)


def _check_size(family: FamilyTable, names: tuple[str, ...]) -> None:
    cells = np.prod(family.cards.astype(float)) * family.table.shape[1]
    if cells > MOST_CELLS:
        raise ValueError(
            f"the table of {names[family.child]!r} with its {len(family.parents)} parents has "
            f"{cells:.3g} cells, more than {MOST_CELLS:,}; use a higher threshold"
        )
