"""What knowledge means for the parent sets of model averaging."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lsbn.kernels.direction import NO_PARENTS
from lsbn.knowledge import Constraints
from lsbn.learners.scoring import Score

__all__ = ["ParentRules"]


class ParentRules:
    """Which parents a variable may have, must have, and how likely they are.

    Parameters
    ----------
    knowledge : Constraints or None
        None for no rules.
    n_variables : int
    depth : int
        Most parents of a variable, if fewer are not required.
    """

    def __init__(self, knowledge: Constraints | None, n_variables: int, depth: int) -> None:
        self.knowledge, self.n, self._depth = knowledge, n_variables, depth

    @property
    def depth(self) -> int:
        """Most parents of any variable."""
        return max(self._depth, 0 if self.knowledge is None else self.knowledge.most_required)

    @property
    def n_required(self) -> int:
        """Number of required edges."""
        return 0 if self.knowledge is None else len(self.knowledge.required)

    @property
    def free_pairs(self) -> int:
        """Number of pairs of variables that may have an edge or not."""
        if self.knowledge is None:
            return self.n * (self.n - 1) // 2
        return self.knowledge.free_pairs

    def required(self, v: int) -> np.ndarray:
        """Return the required parents of a variable, ascending."""
        return NO_PARENTS if self.knowledge is None else self.knowledge.required_parents(v)

    def possible(self, v: int, variables: np.ndarray) -> np.ndarray:
        """Return the variables that may be parents of ``v``, without those that must be."""
        if self.knowledge is None:
            return variables
        allowed = self.knowledge.allows(variables, v)
        return variables[allowed & ~np.isin(variables, self.required(v))]

    def most(self, v: int, depth: int | None = None) -> int:
        """Most parents of a variable, its required parents included."""
        most = self._depth if depth is None else min(depth, self._depth)
        if self.knowledge is None:
            return most
        return max(min(most, int(self.knowledge.most_parents[v])), len(self.required(v)))

    def fitting(self, v: int, rows: Sequence[Sequence[int]]) -> list[list[int]]:
        """Return parent sets without their impossible members, and with all required ones.

        Sets that have too many members then are left out.
        """
        if self.knowledge is None:
            return [list(row) for row in rows]
        must, fitted = self.required(v).tolist(), []
        for row in rows:
            members = np.array(row, np.int64)
            free = members[self.knowledge.allows(members, v)].tolist()
            fitted.append(sorted({*free, *must}))
        return [row for row in fitted if len(row) <= self.most(v)]

    def sizes(self, v: int, penalty: np.ndarray) -> np.ndarray:
        """Return the log prior of a family by its number of parents: too many are impossible."""
        most = self.most(v)
        if most + 1 == len(penalty):
            return penalty
        return np.where(np.arange(len(penalty)) > most, -np.inf, penalty)

    def with_prior(
        self, leaning: np.ndarray, v: int, parents: np.ndarray, score: Score
    ) -> np.ndarray:
        """Return leanings with the log prior of single edges; minus infinity if impossible."""
        if self.knowledge is None:
            return leaning
        leaning = leaning.copy()
        leaning[parents[~self.knowledge.allows(parents, v)]] = -np.inf
        likely, log_odds = self.knowledge.likely_parents(v)
        leaning[likely] += log_odds - score.edge_log_odds(self.n)
        return leaning

    def edge_priors(self, v: int, parents: np.ndarray, score: Score) -> np.ndarray:
        """Return what a prior of single edges adds to the log prior, for each of some parents."""
        added = np.zeros(len(parents))
        if self.knowledge is not None and len(self.knowledge.likely):
            likely, log_odds = self.knowledge.likely_parents(v)
            for u, own in zip(likely, log_odds, strict=True):
                added[parents == u] = own - score.edge_log_odds(self.n)
        return added

    def prior_change(
        self, v: int, members: np.ndarray, old: Score, new: Score
    ) -> np.ndarray | float:
        """Return what a new density does not change: the sum over edges with a prior of their own.

        The change of the prior of sizes counts these edges like all others, and must be corrected
        by this.
        """
        if self.knowledge is None or not len(self.knowledge.likely):
            return 0.0
        own = np.isin(members, self.knowledge.likely_parents(v)[0]).sum(axis=1)
        return own * (old.edge_log_odds(self.n) - new.edge_log_odds(self.n))
