"""The search for parent sets of one part of the variables.

The variables of a part are searched, those around it are only possible parents. A variable around
the part has no parents there, so it precedes the part in every order. Orders of the part alone are
annealed, over parent sets that are summed over the variables around.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lsbn.data import Dataset
from lsbn.kernels.listing import sum_over_allowed
from lsbn.kernels.memory import variable_codes
from lsbn.kernels.state import FamilyLists, Links
from lsbn.knowledge import Constraints
from lsbn.learners.averaging.edge_prior import Blocks, EdgeCounts, EdgePrior, mean_prior
from lsbn.learners.averaging.memory import SearchMemory
from lsbn.learners.averaging.parent_sets import ParentSets, ScoredSets, join
from lsbn.learners.averaging.search import Lists, ParentSetSearch
from lsbn.learners.averaging.searches import UnitedSearch
from lsbn.learners.averaging.settings import MASK_BITS, SamplingSettings, SearchSettings
from lsbn.learners.scoring import Score

__all__ = ["PartPlan", "PartResult", "PartSearch", "PartTask", "take_in"]

_BEYOND = np.iinfo(np.int32).max


@dataclass(frozen=True)
class PartPlan:
    """What the searches of all parts have in common.

    Attributes
    ----------
    score : Score
    settings : SearchSettings
    sampling : SamplingSettings
    n_all, n_required, free_pairs : int
        Of the whole network: variables, required edges, and pairs with an edge or without.
    shares : tuple of float
        Shares of edges, see `EdgePrior`, as far as they are known.
    """

    score: Score
    settings: SearchSettings
    sampling: SamplingSettings
    n_all: int
    n_required: int
    free_pairs: int
    shares: tuple[float, ...] = ()

    @classmethod
    def of(cls, search: ParentSetSearch, score: Score, sampling: SamplingSettings) -> PartPlan:
        """Return the plan of parts of the variables of a search."""
        rules, settings = search.rules, search.settings
        shares = () if score.density is None else rules.shares
        sizes = search.n_all, rules.n_required, rules.free_pairs
        return cls(score, settings, sampling, *sizes, shares)

    def inside(self, n_variables: int) -> PartPlan:
        """Return the plan with searches only in pools, of a part with this number of variables."""
        settings = replace(
            self.settings, max_unrestricted=0, small_network=0, max_extended=n_variables
        )
        return replace(self, settings=settings)


@dataclass(frozen=True, eq=False)
class PartTask:
    """One part to search.

    Attributes
    ----------
    variables : int array
        The variables of the part, ascending, then those around it, ascending.
    n_own : int
        Number of variables of the part.
    pools : list of int arrays
        Places in ``variables`` of the candidate parents of each variable of the part, ascending.
    knowledge : Constraints, optional
        About ``variables``.
    rng : numpy.random.Generator
    blocks : Blocks, optional
        Of ``variables``.
    """

    variables: np.ndarray
    n_own: int
    pools: list[np.ndarray]
    knowledge: Constraints | None
    rng: np.random.Generator
    blocks: Blocks | None = None

    @property
    def own(self) -> np.ndarray:
        """The variables of the part."""
        return self.variables[: self.n_own]

    @property
    def all_pools(self) -> list[np.ndarray]:
        """The pools, and an empty one for each variable around the part."""
        nothing = np.empty(0, np.int64)
        return [*self.pools, *[nothing] * (len(self.variables) - self.n_own)]


@dataclass(frozen=True, eq=False)
class PartResult:
    """What the search of one part ends with; variables have the numbers of the whole network.

    Attributes
    ----------
    members, scores, stamps : arrays
        The sets of all variables of the part one after the other, as in `ScoredSets`. The prior
        is that of the plan's score.
    counts : int array
        Number of sets of each variable.
    sides : (m, sides) bool array
        Which sides of the search had each set.
    searched : (k, depth) int array
        Best sets of the searches along orders.
    searched_counts : int array
        Their number for each variable.
    keys, side_keys : float arrays, one order in each row
        The best orders, and the best order of each side.
    side_scores : list of float
        Log scores of the sides and of their union.
    searches : int
        Searches of each side.
    edges : float array
        Posterior mean of the number of edges, and of those of each class, see `EdgeCounts`.
    """

    members: np.ndarray
    scores: np.ndarray
    stamps: np.ndarray
    counts: np.ndarray
    sides: np.ndarray
    searched: np.ndarray
    searched_counts: np.ndarray
    keys: np.ndarray
    side_keys: np.ndarray
    side_scores: list[float]
    searches: int
    edges: np.ndarray


@dataclass(frozen=True)
class PartSets(ParentSets):
    """Listed parent sets of the variables of a part, with parents around it.

    Orders are annealed over `undominated` only, so these lists have no tables and no links.
    """

    def undominated(self, margin: float) -> ParentSets:
        """Sum over the variables around, and leave out the sets with a better subset."""
        start, mask, score, cand_start, cand = self.lists[:5]
        n = self.n_variables
        start, mask, score = sum_over_allowed(start, mask, score, cand_start, cand, n)
        inside = ParentSets(_without_tables(start, mask, score, cand_start, cand), self.links)
        return replace(inside.undominated(margin), n_before=self.n_before)


def _without_tables(
    start: np.ndarray,
    mask: np.ndarray,
    score: np.ndarray,
    cand_start: np.ndarray,
    cand: np.ndarray,
) -> FamilyLists:
    """Return lists without tables and weights."""
    none = np.empty(0)
    no_tables = none.astype(np.int64), none, none, none
    return FamilyLists(start, mask, score, cand_start, cand, *no_tables)


class PartSearch(ParentSetSearch):
    """Collects parent sets of the first variables of a dataset; the others are only parents.

    Parameters
    ----------
    dataset : Dataset
    task : PartTask
    plan : PartPlan
    n_jobs : int, optional
    """

    def __init__(
        self, dataset: Dataset, task: PartTask, plan: PartPlan, n_jobs: int | None = 1
    ) -> None:
        settings, self.n_own, self.plan = plan.settings, task.n_own, plan
        blocks: Any = {"n_all": plan.n_all, "blocks": task.blocks, "shares": plan.shares}
        super().__init__(dataset, plan.score, settings, n_jobs, task.knowledge, **blocks)
        slots = settings.memory_slots(self.n_own)
        self._memory = SearchMemory(dataset.n_variables, slots, small=False)
        self._sets = self._sets[: self.n_own]
        self._searched = self._searched[: self.n_own]
        self._reversed_sets = self._reversed_sets[: self.n_own]

    def explore(self, pools: Sequence[np.ndarray | None], stamp: int, **options: Any) -> None:
        """Search parents of the variables of the part; see `ParentSetSearch.explore`.

        By default the best sets are also extended by all variables around the part. Without them
        the log score of 1,850 variables was lower by 130 nats. A variable without a parent in its
        pool, which has its heaviest partners, needs no such extension. In noise all variables are
        of this kind.
        """
        if options.get("extensions") is None:
            empty = [(sets.members[sets.scores.argmax()] < 0).all() for sets in self._sets]
            options["extensions"] = [
                pool if alone and pool is not None else self.varying
                for pool, alone in zip(pools, empty, strict=False)
            ]
        around = [None] * (len(pools) - self.n_own)
        super().explore([*pools[: self.n_own], *around], stamp, **options)

    def candidates(self) -> list[np.ndarray]:
        """Members of the sets of each variable; none of a variable around the part."""
        return [*super().candidates(), *self._around(np.empty(0, np.int64))]

    def _around(self, value: np.ndarray) -> list[np.ndarray]:
        """Return the same array for each variable around the part."""
        return [value] * (self.dataset.n_variables - self.n_own)

    def _joined(self, lists: Lists) -> ParentSets:
        candidates, masks, scores = lists
        cand_start, cand = join(candidates, np.int64)
        start, mask = join(masks, np.uint64)
        score = np.concatenate(scores)
        none = np.empty(0, np.int64)
        joined = _without_tables(start, mask, score, cand_start, cand)
        n_around = self.dataset.n_variables - self.n_own
        return PartSets(joined, Links(none, none, none, none), n_around)

    def _exchanged(self, best: Sequence[tuple[int, np.ndarray]]) -> list[tuple]:
        return [(v, rows) for v, rows in super()._exchanged(best) if v < self.n_own]

    def _mean_prior(self, edges: EdgeCounts) -> EdgePrior:
        """Posterior mean of the prior, if the whole network has as many edges per variable."""
        plan, edges = self.plan, edges.times(self.n_all / self.n_own)
        return mean_prior(edges, plan.n_required, plan.free_pairs, self.rules.blocks)

    def result(self, numbers: np.ndarray, united: UnitedSearch, n_orders: int) -> PartResult:
        """Return all sets, with the prior of the plan's score, and the orders of a search.

        Parameters
        ----------
        numbers : int array
            Numbers of the variables in the whole network.
        united : UnitedSearch
        n_orders : int
            Most orders of the result.
        """
        edges = self.expected_edges(united.orders[0].keys)
        self.take_prior(EdgePrior(self.plan.score.density, self.plan.shares))
        own, sides = self._sets, [side.sets for side in united.sides]
        counts, members = join([s.members for s in own], np.int32)
        children = np.repeat(np.arange(self.n_own), np.diff(counts))
        n_all, n = self.dataset.n_variables, len(sides)
        keys = set_keys(children, members, n_all)
        best = [sorted(members for members, _ in known) for known in self._searched]
        shape = (-1, self.depth)
        searched, rows = join([np.array(own, np.int32).reshape(shape) for own in best], np.int32)
        orders = [order.keys for order in united.orders[:n_orders]]
        of_sides = [side.orders[0].keys for side in united.sides]
        return PartResult(
            _renumbered(members, numbers),
            np.concatenate([s.scores for s in own]),
            np.concatenate([s.stamps for s in own]),
            np.diff(counts),
            np.array([np.isin(keys, listed_keys(s, n_all)) for s in sides]).reshape(n, len(keys)).T,
            _renumbered(rows, numbers),
            np.diff(searched),
            np.array(orders)[:, : self.n_own],
            np.array(of_sides).reshape(n, len(numbers))[:, : self.n_own],
            united.scores,
            united.searches,
            np.array([edges.total, *edges.classes]),
        )


def take_in(search: ParentSetSearch, other: PartSearch, numbers: np.ndarray) -> None:
    """Add the sets of a search of some variables to a search of more.

    Parameters
    ----------
    search : ParentSetSearch
    other : PartSearch
        By the same score.
    numbers : int array
        Numbers of its variables in the first search.
    """
    other.take_prior(search.prior)
    wider = ((0, 0), (0, search.depth - other.depth))
    for v, sets, searched in zip(numbers.tolist(), other._sets, other._searched, strict=False):
        members = np.pad(_renumbered(sets.members, numbers), wider, constant_values=-1)
        more = ScoredSets(v, members, sets.scores, sets.stamps)
        search._sets[v] = search._sets[v].united(more)
        best = np.array([row for row, _ in searched], np.int32).reshape(-1, other.depth)
        rows = np.pad(_renumbered(best, numbers), wider, constant_values=-1)
        search._searched[v] |= {(tuple(row), -1) for row in rows}


def _renumbered(members: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Give the members of parent sets other numbers; each row stays ascending."""
    moved = np.where(members >= 0, numbers[members], _BEYOND)
    moved.sort(axis=1)
    return np.where(moved < _BEYOND, moved, -1).astype(np.int32)


def set_keys(children: np.ndarray, members: np.ndarray, n_variables: int) -> np.ndarray:
    """Return a 64-bit key of each family: the exclusive or of codes of its child and its parents.

    Parameters
    ----------
    children : (m,) int array
    members : (m, depth) int array
        Parents, padded with -1.
    n_variables : int

    Returns
    -------
    uint64 array
    """
    of_child, parents = np.split(variable_codes(2 * n_variables), 2)
    keys = of_child[children]
    for column in members.T:
        keys ^= np.where(column >= 0, parents[column], np.uint64(0))
    return keys


def listed_keys(sets: ParentSets, n_variables: int) -> np.ndarray:
    """Return the key of each listed set; see `set_keys`."""
    lists, one = sets.lists, np.uint64(1)
    of_child, parents = np.split(variable_codes(2 * n_variables), 2)
    counts = np.diff(lists.set_start)
    keys = np.repeat(of_child[: len(counts)], counts)
    first = np.repeat(lists.cand_start[:-1], counts)
    for bit in range(MASK_BITS):
        rows = np.flatnonzero(lists.set_mask >> np.uint64(bit) & one)
        keys[rows] ^= parents[lists.cand[first[rows] + bit]]
    return keys
