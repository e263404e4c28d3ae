"""Scoring and finding parent sets of single variables, in threads or on workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy

import numpy as np

from lsbn.checkpoint import PLAIN, is_active
from lsbn.data import Dataset
from lsbn.kernels import parents as _parents
from lsbn.kernels.direction import FamilyScorer, Prior
from lsbn.kernels.families import enumerate_families
from lsbn.kernels.lookup import MIXED, Lookup
from lsbn.knowledge import Constraints
from lsbn.learners.averaging.edge_prior import Blocks
from lsbn.learners.averaging.memory import SearchMemory
from lsbn.learners.averaging.rules import ParentRules
from lsbn.learners.averaging.settings import MASK_BITS, SearchSettings
from lsbn.learners.scoring import Score, columns_of
from lsbn.parallel import processes_pay, run, scatter

__all__ = ["SetFinder"]

_CHUNKS = 16
"""Least number of chunks of work; it does not depend on the number of threads."""
_MANY = 512
"""Least number of variables for which a call of the workers pays."""


class SetFinder:
    """Scores and finds parent sets; what it finds depends on the data, the score and the rules.

    Parameters
    ----------
    dataset : Dataset
    score : Score
    settings : SearchSettings
    n_jobs : int
    knowledge : Constraints, optional
        Parent sets that contradict it are never scored. Every set has the required parents.
    n_all : int, optional
        Number of variables of the network, if the dataset has only some of them. The prior of a
        family depends on it.
    blocks, shares : Blocks and tuple of float, optional
        What the prior of an edge depends on, see `lsbn.learners.averaging.edge_prior`.

    Attributes
    ----------
    spreads : bool
        Whether parents of many variables are searched on the workers of `lsbn.parallel.scatter`.
    """

    def __init__(
        self,
        dataset: Dataset,
        score: Score,
        settings: SearchSettings,
        n_jobs: int | None = 1,
        knowledge: Constraints | None = None,
        *,
        n_all: int | None = None,
        blocks: Blocks | None = None,
        shares: tuple[float, ...] = (),
    ) -> None:
        self.dataset = dataset
        self.score = score
        self.settings = settings
        self.n_jobs, self.spreads = n_jobs, False
        n = dataset.n_variables
        self.n_all = n_all or n
        depth = min(len(settings.beams), max(n - 1, 1))
        self.rules = ParentRules(knowledge, self.n_all, depth, blocks, shares)
        self.depth = self.rules.depth
        if self.depth > MASK_BITS:
            raise ValueError(
                f"knowledge: a variable has {self.depth} required parents, and model averaging "
                f"lists at most {MASK_BITS}; use the learner 'greedy' (--learner greedy)"
            )
        self.penalty = score.penalty(self.n_all, self.depth)
        self.varying = np.flatnonzero(dataset.cards > 1)
        slots, small = settings.memory_slots(n), n <= settings.small_network
        self._memory = SearchMemory(n, slots, small)

    def _found(self, work: Sequence[tuple]) -> list[tuple]:
        """Call `_explore` on all items, on the workers if this is wanted and pays."""
        if not self.spreads or len(work) < _MANY:
            return self._each(self._explore, work)
        data, large = (self.dataset, self._alone()), processes_pay(*self.dataset.codes.shape)
        return scatter(_found_alone, data, work, self.n_jobs, PLAIN, processes=large)

    def _alone(self) -> SetFinder:
        """Return what a worker needs beside the data; its memory will be its own."""
        other, shared = SetFinder.__new__(SetFinder), ("score", "settings", "rules", "penalty")
        vars(other).update({name: vars(self)[name] for name in shared})
        other.n_jobs = 1
        return other

    def _explore(
        self,
        v: int,
        pool: np.ndarray,
        extensions: np.ndarray,
        room: int,
        widely: bool,
        lookup: Lookup,
    ) -> tuple:
        settings = self.settings.halved() if self.score.kind == "mixed" else self.settings
        settings = self.settings.widened() if widely else settings
        pool, others = self._parents_of(v, pool), self._parents_of(v, extensions)
        scorer = self._scorer(v, np.concatenate([pool, others]), lookup)
        further = self.rules.most(v) - len(scorer.required)
        beams, wide = (width[:further] for width in settings.widths(len(pool)))
        growth = _parents.Growth(beams, wide, settings.margin, room, settings.slack)
        return v, *_parents.explore_parent_sets(scorer, pool, others, growth, settings.listing())

    def _parents_of(self, v: int, variables: np.ndarray) -> np.ndarray:
        """Possible parents of ``v`` among some variables: not constant, not ``v``, not required."""
        possible = (variables != v) & (self.dataset.cards[variables] > 1)
        return self.rules.possible(v, variables[possible].astype(np.int64))

    def _enumerate(self, v: int, max_parents: int | None, lookup: Lookup) -> tuple:
        others = self._parents_of(v, self.varying)
        scorer = self._scorer(v, others, lookup)
        depth = self.rules.most(v, max_parents) - len(scorer.required)
        return v, *enumerate_families(scorer, others, depth)

    def _score(self, v: int, rows: list[list[int]], lookup: Lookup) -> tuple:
        """Score given sets of one variable."""
        members = np.full((len(rows), self.depth), -1, np.int32)
        for a, row in enumerate(rows):
            members[a, : len(row)] = row
        return v, members, self._scores(v, members, lookup)

    def _scores(self, v: int, members: np.ndarray, lookup: Lookup) -> np.ndarray:
        return _parents.score_parent_sets(self._scorer(v, members, lookup), members)

    def _scorer(self, v: int, parents: np.ndarray, lookup: Lookup) -> FamilyScorer:
        """Scorer of the families of ``v`` with parents among the given ones."""
        required, columns = self.rules.required(v), columns_of(self.dataset)
        if lookup.kind == MIXED or self.rules.differ:
            parents = np.union1d(parents[parents >= 0], required).astype(np.int64)
        leaning = self._memory.leanings(columns, lookup, v, parents)
        leaning = self.rules.with_prior(leaning, v, parents, self.score)
        prior = Prior(self.rules.sizes(v, self.penalty), leaning)
        memory = self._memory.scores(lookup.kind, v)
        return FamilyScorer(columns, lookup, v, prior, memory, required)

    def _each(self, function: Callable[..., tuple], work: Sequence[tuple]) -> list[tuple]:
        """Call ``function(*item, lookup)`` on all items, chunk by chunk."""
        recorded = is_active()

        def chunk(items: Sequence[tuple]) -> tuple[list, list]:
            changed = self._memory.changes(recorded)
            with self.score.lent_lookup() as lookup, changed as changes:
                results = [function(*item, lookup) for item in items]
            return results, changes

        size = max(1, min(32, -(-len(work) // _CHUNKS)))
        chunks = [work[a : a + size] for a in range(0, len(work), size)]
        parts = run(chunk, chunks, self.n_jobs, PLAIN)
        for _, changes in parts:
            self._memory.repeat(changes)
        return [result for results, _ in parts for result in results]


def _found_alone(data: tuple[Dataset, SetFinder], work: list[tuple]) -> list[tuple]:
    """Search parents of some variables."""
    (dataset, finder), slots = data, data[1].settings.memory_slots(data[0].n_variables)
    own = copy(finder)
    own.dataset, own._memory = dataset, SearchMemory(dataset.n_variables, slots, small=False)
    return own._each(own._explore, work)
