"""What knowledge means for the parent sets of model averaging."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np

from lsbn.kernels.direction import NO_PARENTS
from lsbn.knowledge import Constraints
from lsbn.learners.averaging.edge_prior import (
    TOGETHER,
    Blocks,
    EdgeCounts,
    EdgePrior,
    mean_prior,
)
from lsbn.learners.averaging.parent_sets import ScoredSets
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
    blocks : Blocks, optional
    shares : tuple of float
        See `EdgePrior`.
    """

    def __init__(
        self,
        knowledge: Constraints | None,
        n_variables: int,
        depth: int,
        blocks: Blocks | None = None,
        shares: tuple[float, ...] = (),
    ) -> None:
        self.knowledge, self.n, self._depth = knowledge, n_variables, depth
        self.blocks, self.shares = blocks, shares

    def with_shares(self, shares: tuple[float, ...], blocks: Blocks | None) -> ParentRules:
        """Return the rules with other shares of edges, and other blocks."""
        other = copy(self)
        other.shares, other.blocks = shares, blocks
        return other

    @property
    def differ(self) -> bool:
        """Whether rules or priors depend on the parents, not only on their number."""
        return self.knowledge is not None or self.blocks is not None

    @property
    def has_likely(self) -> bool:
        """Whether single edges have prior probabilities of their own."""
        return self.knowledge is not None and len(self.knowledge.likely) > 0

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

    def mean_prior(self, edges: EdgeCounts) -> EdgePrior:
        """Return the posterior mean of the prior of edges, see `mean_prior`."""
        return mean_prior(edges, self.n_required, self.free_pairs, self.blocks)

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
        if not self.differ:
            return leaning
        leaning = leaning.copy()
        leaning[parents] += self.edge_priors(v, parents, score)
        if self.knowledge is not None:
            leaning[parents[~self.knowledge.allows(parents, v)]] = -np.inf
        return leaning

    def edge_priors(self, v: int | np.ndarray, parents: np.ndarray, score: Score) -> np.ndarray:
        """Return what blocks and priors of single edges add to the log prior of each edge.

        The edges go from ``parents`` to one child, or each to its own child, ascending.
        It is 0 for an edge whose prior probability is the density.
        """
        added = np.zeros(len(parents))
        if self.blocks is not None:
            added += self.blocks.log_odds(v, parents, self.shares)
        if self.has_likely:
            self._add_likely(added, v, parents, score)
        return added

    def _add_likely(
        self, added: np.ndarray, v: int | np.ndarray, parents: np.ndarray, score: Score
    ) -> None:
        """Put in what is known of single edges."""
        assert self.knowledge is not None
        children = np.broadcast_to(v, len(parents))
        for child in np.unique(children).tolist():
            here = slice(*np.searchsorted(children, [child, child + 1]).tolist())
            likely, log_odds = self.knowledge.likely_parents(child)
            for u, own in zip(likely, log_odds, strict=True):
                added[here][parents[here] == u] = own - score.edge_log_odds(self.n)

    def log_priors(
        self, sets: Sequence[ScoredSets], penalty: np.ndarray, score: Score
    ) -> list[np.ndarray]:
        """Return the log prior of each parent set, by variable; `penalty` is that of its size."""
        priors: list[np.ndarray] = []
        for start in range(0, len(sets), TOGETHER):
            some = sets[start : start + TOGETHER]
            counts = [len(own.scores) for own in some]
            members = np.concatenate([own.members for own in some])
            inside = members >= 0
            found = penalty[inside.sum(axis=1)]
            if self.shares or self.has_likely:
                children = np.repeat([own.child for own in some], counts)
                of_member = np.broadcast_to(children[:, None], members.shape)[inside]
                added = np.zeros(members.shape)
                added[inside] = self.edge_priors(of_member, members[inside], score)
                found += added.sum(axis=1)
            priors += np.split(found, np.cumsum(counts)[:-1])
        return priors
