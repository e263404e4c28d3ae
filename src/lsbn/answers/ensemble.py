"""One network or many, with their predictive tables: likelihood, prediction, sampling."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from lsbn.answers.families import FamilyTable, TableSource
from lsbn.graph.equivalence import topological_order
from lsbn.graph.sampled import SampledGraphs

__all__ = ["Ensemble"]

MOST_CELLS = 4_000_000
"""Most cells of all tables together (32 MB); with more, fewer networks are averaged."""
BLOCK = 4_000_000
"""Most numbers in a block of rows, for all networks together."""


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Networks of equal weight, and where their tables come from.

    Attributes
    ----------
    cards : int array
        Number of states of each variable.
    families : list of list of tuple of int
        The parent sets of each variable that occur in a network, ascending.
    members : (k, n) int32 array
        Which of them each variable has in each network.
    tables : TableSource
    """

    cards: np.ndarray
    families: list[list[tuple[int, ...]]]
    members: np.ndarray
    tables: TableSource

    @classmethod
    def of(cls, graphs: SampledGraphs, cards: np.ndarray, tables: TableSource) -> Ensemble:
        """Find the distinct families of networks. Very large tables allow fewer networks."""
        while True:
            families, members = _distinct_families(graphs)
            pairs = [[v, *parents] for v, sets in enumerate(families) for parents in sets]
            cells = sum(float(np.prod(cards[pair].astype(float))) for pair in pairs)
            if len(graphs) < 2 or cells <= MOST_CELLS:
                return cls(cards, families, members, tables)
            graphs = graphs.thinned(len(graphs) // 2)

    def __len__(self) -> int:
        return len(self.members)

    def family(self, g: int, v: int) -> FamilyTable:
        """Return the table of variable v in network g."""
        return self.tables(v, self.families[v][self.members[g, v]])

    def parents(self, g: int) -> list[tuple[int, ...]]:
        """Return the parents of each variable in network g."""
        return [sets[m] for sets, m in zip(self.families, self.members[g], strict=True)]

    def log_likelihood(self, codes: np.ndarray) -> np.ndarray:
        """Log of the mean probability of each row over the networks."""
        rows = max(1, BLOCK // len(self))
        parts = [
            self._block(codes[:, start : start + rows]) for start in range(0, codes.shape[1], rows)
        ]
        return np.concatenate(parts)

    def _block(self, codes: np.ndarray) -> np.ndarray:
        total = np.zeros((len(self), codes.shape[1]))
        for v, sets in enumerate(self.families):
            logs = np.empty((len(sets), codes.shape[1]))
            for own, parents in zip(logs, sets, strict=True):
                family = self.tables(v, parents)
                own[:] = np.log(family.table[family.rows(codes), codes[v]])
            total += logs[self.members[:, v]]
        return logsumexp(total, axis=0) - np.log(len(self))

    def predict_proba(self, codes: np.ndarray, target: int) -> np.ndarray:
        """Distribution of a variable in each row given all others: the mean over the networks.

        Given all other variables, a network predicts by the families of the variable and of its
        children. Networks that share these families are counted together.
        """
        has_target = [
            np.array([target in parents or v == target for parents in sets])
            for v, sets in enumerate(self.families)
        ]
        involved = [v for v, has in enumerate(has_target) if has.any()]
        near = self.members[:, involved].copy()
        for column, v in zip(near.T, involved, strict=True):
            column[~has_target[v][column]] = -1
        kinds, counts = np.unique(near, axis=0, return_counts=True)
        total = np.zeros((codes.shape[1], int(self.cards[target])))
        known: dict[tuple[int, int], np.ndarray] = {}
        for kind, count in zip(kinds.tolist(), counts.tolist(), strict=True):
            pairs = [(v, m) for v, m in zip(involved, kind, strict=True) if m >= 0]
            for v, m in pairs:
                if (v, m) not in known:
                    family = self.tables(v, self.families[v][m])
                    known[v, m] = self._log_factor(codes, target, family)
            logs = np.sum([known[pair] for pair in pairs], axis=0)
            shares = np.exp(logs - logs.max(axis=1, keepdims=True))
            total += count * shares / shares.sum(axis=1, keepdims=True)
        return total / len(self)

    def _log_factor(self, codes: np.ndarray, target: int, family: FamilyTable) -> np.ndarray:
        """Log probability of a family's child in each row, for each state of the target."""
        logs = np.empty((codes.shape[1], int(self.cards[target])))
        tried = codes.copy()
        for state in range(logs.shape[1]):
            tried[target] = state
            logs[:, state] = np.log(family.table[family.rows(tried), tried[family.child]])
        return logs

    def sample(self, rows: int, rng: np.random.Generator) -> np.ndarray:
        """Draw rows, each from a network that is drawn for it; codes, variable by row."""
        codes = np.zeros((len(self.cards), rows), np.int64)
        chosen = rng.integers(len(self), size=rows) if len(self) > 1 else np.zeros(rows, int)
        for g in np.unique(chosen).tolist():
            own = np.flatnonzero(chosen == g)
            drawn = np.zeros((len(self.cards), len(own)), np.int64)
            for v in topological_order(len(self.cards), self.parents(g)).tolist():
                family = self.family(g, v)
                upper = np.cumsum(family.table, axis=1)[family.rows(drawn)]
                drawn[v] = (rng.random(len(own))[:, None] >= upper[:, :-1]).sum(axis=1)
            codes[:, own] = drawn
        return codes


def _distinct_families(
    graphs: SampledGraphs,
) -> tuple[list[list[tuple[int, ...]]], np.ndarray]:
    """Return the distinct parent sets of each variable, and that of each network.

    Parent sets are compared by the sum of random numbers of their members.
    """
    k, n = len(graphs), len(graphs.names)
    labels = np.random.default_rng(0).integers(2**63, size=n).astype(np.uint64)
    sums = np.zeros((k, n), np.uint64)
    np.add.at(sums, (graphs.of_graph, graphs.child), labels[graphs.parent])
    families, members = [], np.empty((k, n), np.int32)
    for v in range(n):
        _, first, members[:, v] = np.unique(sums[:, v], return_index=True, return_inverse=True)
        sets = []
        for g in first.tolist():
            own = slice(*graphs.start[g : g + 2])
            sets.append(tuple(graphs.parent[own][graphs.child[own] == v].tolist()))
        families.append(sets)
    return families, members
