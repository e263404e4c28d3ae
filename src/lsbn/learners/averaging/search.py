"""The search for parent sets of all variables.

The sampler can only average over the parent sets in its lists. Pairwise measures miss parents that
have an effect only beside others, and in nearly deterministic networks the children of a variable
hide its parents. So sets are grown by a beam search on the score itself. `lsbn.learners.averaging
.rounds` repeats the search along sampled orders, in which the children come later.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from lsbn.data import Dataset
from lsbn.kernels.listing import list_parent_sets
from lsbn.knowledge import Constraints
from lsbn.learners.averaging.edge_prior import Blocks, EdgeCounts, EdgePrior, expected_edges
from lsbn.learners.averaging.finder import SetFinder
from lsbn.learners.averaging.parent_sets import (
    LAST_ADMITTED,
    ParentSets,
    ScoredSets,
    exchanged_families,
)
from lsbn.learners.averaging.recombination import graph_of, recombine
from lsbn.learners.averaging.settings import ENUMERATION, SearchSettings
from lsbn.learners.averaging.windows import rearrange
from lsbn.learners.scoring import Score

Lists = tuple[Sequence[np.ndarray], Sequence[np.ndarray], Sequence[np.ndarray]]
"""Candidates, masks and scores of all variables."""


class ParentSetSearch(SetFinder):
    """Collects scored parent sets of all variables, search by search.

    Parameters
    ----------
    dataset, score, settings, n_jobs, knowledge, n_all, blocks, shares
        As in `SetFinder`.
    """

    def __init__(
        self,
        dataset: Dataset,
        score: Score,
        settings: SearchSettings,
        n_jobs: int | None = 1,
        knowledge: Constraints | None = None,
        **options: Any,
    ) -> None:
        super().__init__(dataset, score, settings, n_jobs, knowledge, **options)
        self.margin, n = settings.margin, dataset.n_variables
        firsts = [(v, [self.rules.required(v).tolist()]) for v in range(n)]
        self._sets = [
            ScoredSets(v, members, scores, np.zeros(1, np.int32))
            for v, members, scores in self._each(self._score, firsts)
        ]
        self._searched: list[set[tuple[tuple, int]]] = [set() for _ in range(n)]
        self._reversed_sets: list[set[tuple]] = [set() for _ in range(n)]

    # All sets, where they are few

    def enumerate_all(
        self, max_parents: int | None = None, margin: float = ENUMERATION.margin
    ) -> None:
        """Score every parent set up to a bound; the lists lose only sets below the margin."""
        self.margin = margin
        work = [(int(v), max_parents) for v in self.varying]
        for v, members, scores in self._each(self._enumerate, work):
            self._sets[v] = ScoredSets(v, members, scores, np.zeros(len(scores), np.int32))

    # Beam searches, where they are many

    def explore(
        self,
        pools: Sequence[np.ndarray | None],
        stamp: int,
        *,
        extensions: Sequence[np.ndarray] | None = None,
        max_parameters: int | None = None,
        widely: bool = False,
    ) -> None:
        """Search parents of every variable in its pool, and add the sets that are found.

        Parameters
        ----------
        pools : sequence of ascending int arrays, one for each variable
            None for a variable that is not searched.
        stamp : int
            Number of the round. Where candidates are too many, those of later stamps are kept.
        extensions : sequence of ascending int arrays, optional
            Variables by which the best set of each variable is extended; all by default.
        max_parameters : int, optional
            Most free parameters of a family that is grown, at most the number of rows. Extensions
            and families with child and parent exchanged may have more.
        widely : bool
            Whether the beams are wider than usual, see `SearchSettings.widened`.
        """
        n_rows = self.dataset.n_rows
        room = min(max_parameters or n_rows, n_rows)
        work = [
            (v, pools[v], self.varying if extensions is None else extensions[v], room, widely)
            for v in self.varying.tolist()
            if pools[v] is not None
        ]
        results = self._found(work)
        for v, members, scores in results:
            self._sets[v] = self._sets[v].extended(members, scores, stamp)
            self._searched[v].add((tuple(members[0]), self._mask(pools[v])))
        best = [(v, members[0]) for v, members, _ in results]
        for v, members, scores in self._each(self._score, self._exchanged(best)):
            self._sets[v] = self._sets[v].extended(members, scores, LAST_ADMITTED)

    def exchange(self, keys: np.ndarray, stamp: int) -> int:
        """Add the families that reverse one edge of the best graph in an order; count the new ones.

        An edge u -> v is reversed by two families: v without u, and u with v and the other parents
        of v. If all other parents of v are parents of u, both graphs are equivalent.
        """
        best = [(sets.child, sets.best(keys)) for sets in self._sets]
        rows = dict(self._exchanged(best))
        for v, parents in best:
            members = parents[parents >= 0].tolist()
            rows.setdefault(v, []).extend([u for u in members if u != left] for left in members)
        work = []
        for v, wanted in sorted(rows.items()):
            fitting = self.rules.fitting(v, wanted)
            new = {tuple(row) for row in fitting} - self._reversed_sets[v]
            if new:
                self._reversed_sets[v] |= new
                work.append((v, [list(row) for row in sorted(new)]))
        added = 0
        for v, members, scores in self._each(self._score, work):
            added += int((scores > -np.inf).sum())
            self._sets[v] = self._sets[v].extended(members, scores, stamp)
        return added

    def _exchanged(self, best: Sequence[tuple[int, np.ndarray]]) -> list[tuple]:
        """Exchange child and parents of the best families, as far as knowledge allows."""
        return [(v, self.rules.fitting(v, rows)) for v, rows in exchanged_families(best)]

    # Scores and the density of edges

    def rescore(self, score: Score) -> None:
        """Score all sets by another score with the same prior; no variable is settled then."""
        self.score = score
        self._searched = [set() for _ in self._sets]
        work = [(sets,) for sets in self._sets]
        results = self._each(
            lambda sets, lookup: (self._scores(sets.child, sets.members, lookup),), work
        )
        self._sets = [
            replace(sets, scores=scores)
            for sets, (scores,) in zip(self._sets, results, strict=True)
        ]

    @property
    def prior(self) -> EdgePrior:
        """The present prior of edges."""
        return EdgePrior(self.score.density, self.rules.shares)

    def find_prior(self, edges: EdgeCounts, step: float | None = None) -> bool:
        """Take the posterior mean of the prior of edges, given a network with these numbers.

        The new prior is taken and True is returned, if the odds of an edge change by at least a
        factor of `step`.
        """
        prior = self._mean_prior(edges) if self.rules.free_pairs else self.prior
        differs = prior.differs(self.prior, step or self.settings.density_step)
        if differs:
            self.take_prior(prior)
        return differs

    def _mean_prior(self, edges: EdgeCounts) -> EdgePrior:
        return self.rules.mean_prior(edges)

    def take_prior(self, prior: EdgePrior, blocks: Blocks | None = None) -> None:
        """Give all sets this prior, with other blocks if there are any."""
        if prior == self.prior and blocks is None:
            return
        before = self._log_priors()
        self.score = replace(self.score, density=prior.density)
        self.rules = self.rules.with_shares(prior.shares, blocks or self.rules.blocks)
        self.penalty = self.score.penalty(self.n_all, self.depth)
        self._sets = [
            replace(sets, scores=sets.scores + (new - old))
            for sets, new, old in zip(self._sets, self._log_priors(), before, strict=True)
        ]

    def _log_priors(self) -> list[np.ndarray]:
        """Log priors of the sets of each variable."""
        return self.rules.log_priors(self._sets, self.penalty, self.score)

    # Several searches

    def fork(self) -> ParentSetSearch:
        """Return a search that starts with the same sets; both remember the same scores."""
        other = copy(self)
        other._sets = list(self._sets)
        other._searched = [set(searched) for searched in self._searched]
        other._reversed_sets = [set(rows) for rows in self._reversed_sets]
        return other

    def unite(self, other: ParentSetSearch) -> None:
        """Add the sets of another search by the same score."""
        other.take_prior(self.prior)
        self._sets = [own.united(sets) for own, sets in zip(self._sets, other._sets, strict=True)]
        for own, searched in zip(self._searched, other._searched, strict=True):
            own |= searched

    def adopt(self, found: Sequence[ScoredSets], searched: Sequence[np.ndarray]) -> None:
        """Add the sets of some variables that a search with the same prior has found.

        Parameters
        ----------
        found : sequence of ScoredSets
        searched : sequence of (k, depth) int arrays
            For each of these variables, the best sets of the searches.
        """
        for sets, rows in zip(found, searched, strict=True):
            self._sets[sets.child] = self._sets[sets.child].united(sets)
            self._searched[sets.child] |= {(tuple(row), -1) for row in rows}

    # What the sets say in an order

    def candidates(self) -> list[np.ndarray]:
        """Members of the sets of each variable, ascending."""
        return [sets.candidates for sets in self._sets]

    def settled(self, keys: np.ndarray) -> np.ndarray:
        """Mark variables whose parents need no search among their predecessors in an order.

        Their best set in the order was the best of a search before. In a small network, this
        search was also among all these predecessors.
        """
        marks, small = np.zeros(len(keys), bool), len(keys) <= self.settings.small_network
        for v, (sets, searched) in enumerate(zip(self._sets, self._searched, strict=True)):
            best = tuple(sets.best(keys))
            before = self._mask(np.flatnonzero(keys < keys[v]) if small else None)
            marks[v] = any(best == old and not before & ~pool for old, pool in searched)
        return marks

    def _mask(self, variables: np.ndarray | None) -> int:
        """Give variables as the bits of an integer in a small network, else all bits."""
        if variables is None or self.dataset.n_variables > self.settings.small_network:
            return -1
        return int(np.bitwise_or.reduce(np.uint64(1) << variables.astype(np.uint64), initial=0))

    def best_graph(self, keys: np.ndarray) -> sparse.csr_array:
        """Return the best graph of an order: row v has the parents of v."""
        rows = [sets.best_row(keys) for sets in self._sets]
        return graph_of(self._sets, rows, self.dataset.n_variables)

    def expected_edges(self, keys: np.ndarray) -> EdgeCounts:
        """Posterior means of the numbers of edges in the order of ``keys``."""
        return expected_edges(self._sets, keys, self.rules.blocks)

    def log_score(self, keys: np.ndarray) -> float:
        """Log score of the order of ``keys``."""
        return float(sum(self.log_terms(keys)))

    def log_terms(self, keys: np.ndarray) -> list[float]:
        """Terms of the log score of the order of ``keys``, one for each variable."""
        return [sets.log_sum(keys) for sets in self._sets]

    def recombined(self, orders: Sequence[np.ndarray]) -> np.ndarray:
        """Recombine the first of several orders with each of the others, see `recombine`."""
        keys = orders[0]
        for other in orders[1:]:
            keys = recombine(self._sets, keys, other)
        return keys

    def rearranged(self, keys: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Rearrange the best graph of an order, see `rearrange`."""
        return rearrange(self._sets, keys, rng)

    def listed(self, orders: Sequence[np.ndarray] = ()) -> ParentSets:
        """List the sets for the sampler, and forget the sets that are not listed.

        Where candidates are too many, the good sets in the given orders are admitted first, so
        that the orders keep their scores.
        """
        settings = self.settings
        keys = np.array(orders, float).reshape(len(orders), self.dataset.n_variables)
        results = [
            list_parent_sets(
                sets.members,
                sets.scores,
                sets.admission(keys, settings.delta),
                settings.max_candidates,
                self.margin,
            )
            for sets in self._sets
        ]
        candidates, masks, scores, rows = zip(*results, strict=True)
        self._sets = [sets.only(own) for sets, own in zip(self._sets, rows, strict=True)]
        return self._joined((candidates, masks, scores))

    def _joined(self, lists: Lists) -> ParentSets:
        return ParentSets.from_variables(*lists)
