"""Searches for parent sets in parts of the variables, which are then joined.

The cost of a search of one part does not depend on the size of the network, and parts need not
know of each other: they are pieces of work for threads, processes or the workers of a cluster. An
edge from part to part is searched in both parts. The keys of the parts, taken together, are an
order of the whole network. Gibbs steps on the keys of all variables settle this order, and
the parents of variables that it leaves unsettled are searched again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse

from lsbn.checkpoint import Codec
from lsbn.data import Dataset
from lsbn.learners.averaging.annealing import AnnealedOrder
from lsbn.learners.averaging.edge_prior import EdgeCounts, EdgePrior
from lsbn.learners.averaging.islands import (
    add_further_parents,
    blankets,
    islands,
    regions_around,
)
from lsbn.learners.averaging.parent_sets import ScoredSets
from lsbn.learners.averaging.part_search import (
    PartPlan,
    PartResult,
    PartTask,
    listed_keys,
    set_keys,
)
from lsbn.learners.averaging.regions import search_part
from lsbn.learners.averaging.rounds import RoundSearch, SearchResult
from lsbn.learners.averaging.search import ParentSetSearch
from lsbn.learners.averaging.searches import UnitedSearch
from lsbn.learners.averaging.settings import SamplingSettings
from lsbn.learners.scoring import Score
from lsbn.parallel import Progress, processes_pay, spread

__all__ = ["SearchInParts"]

_MOST_PAIRS = 1 << 26
"""Most pairs of a child and a further parent in one look. The time of a look is proportional to
them, so the time of all looks is bounded. In a quilt of 10,349 variables a look among all variables
took 33 CPU seconds."""
_LOOKS = 3
"""Most looks across the borders of parts for parents with a joint effect.

In a quilt of 2,728 variables the first look brought 87,000 nats, the next two 3,000: edges to other
networks joined three selectors, so these were no islands."""
_CODEC = Codec(lambda result: dict(vars(result)), lambda fields: PartResult(**fields))


class SearchInParts:
    """Searches every part of the variables on two sides, and joins the results.

    Parameters
    ----------
    search : ParentSetSearch
        Of all variables; it gets the sets of all parts.
    score : Score
        The score of the posterior.
    sampling : SamplingSettings
    rng : numpy.random.Generator
    n_jobs : int, optional
    progress : callable, optional
        Called with the number of parts done and of all parts.
    """

    def __init__(
        self,
        search: ParentSetSearch,
        score: Score,
        sampling: SamplingSettings,
        rng: np.random.Generator,
        n_jobs: int | None = 1,
        progress: Progress | None = None,
    ) -> None:
        self.search = search
        self.score = score
        self.sampling = replace(sampling, random_orders=0)
        self.rng = rng
        self.n_jobs = n_jobs
        self.progress = progress

    def run(self, pools: Sequence[np.ndarray], parts: Sequence[np.ndarray]) -> UnitedSearch:
        """Search all parts, look across their borders, and join them.

        Parents that have an effect only beside others, see `add_further_parents`, are first looked
        for among islands. The regions around them are then searched like further parts, and
        further parents of these regions are looked for among all variables. Before each look, and
        after the last one, variables without a block may join one, see `Blocks.joined_by`.

        Parameters
        ----------
        pools : sequence of int arrays
            Candidate parents of each variable.
        parts : sequence of int arrays
            Disjoint parts that cover all variables, each ascending.
        """
        search, pools, pieces = self.search, list(pools), list(parts)
        results = self._searched(pieces, pools)
        regions: list[np.ndarray] = []
        for look in range(_LOOKS + 1):
            keys = self._orders(pieces, results)[0]
            graph = search.best_graph(keys)
            self._join_blocks(graph)
            children = np.concatenate(regions) if regions else search.varying
            others = search.varying if regions else np.intersect1d(islands(graph), search.varying)
            if look == _LOOKS or len(children) * len(others) > _MOST_PAIRS:
                break
            pairs = add_further_parents(search, keys, pools, children, others)
            if not len(pairs):
                break
            for u, v in pairs.tolist():
                pools[v] = np.union1d(pools[v], u)
            regions = regions_around(graph, pairs)
            results += self._searched(regions, pools, len(pieces))
            pieces += regions
        return self._joined(pieces, results, pools)

    def _join_blocks(self, graph: sparse.csr_array) -> None:
        """Put variables without a block into blocks of their Markov blankets in a graph."""
        search, blocks = self.search, self.search.rules.blocks
        if blocks is None:
            return
        joined = blocks.joined_by(blankets(graph))
        if not np.array_equal(joined.labels, blocks.labels):
            search.take_prior(search.prior, joined)

    def _searched(
        self, parts: Sequence[np.ndarray], pools: Sequence[np.ndarray], done: int = 0
    ) -> list[PartResult]:
        """Search some parts, and add their sets to those of the whole network.

        `done` is the number of parts searched before; the progress counts them.
        """
        search, tell = self.search, self.progress
        plan = PartPlan.of(search, self.score, self.sampling)
        seeds = self.rng.spawn(len(parts))
        tasks = [self._task(part, pools, rng) for part, rng in zip(parts, seeds, strict=True)]
        order = np.argsort([-sum(map(len, task.pools)) for task in tasks], kind="stable")
        ready = spread(  # the longest first, so that no worker has to wait for another at the end
            _search_part,
            (search.dataset, plan),
            [tasks[k] for k in order],
            self.n_jobs,
            _CODEC,
            processes=processes_pay(*search.dataset.codes.shape),
            nested=True,
            progress=tell and (lambda now, of, read: tell(done + now, done + of, read)),
        )
        results = [ready[place] for place in np.argsort(order)]
        prior = search.prior
        search.take_prior(EdgePrior(plan.score.density, plan.shares))
        for part, result in zip(parts, results, strict=True):
            searched = _padded(result.searched, search.depth)
            best = np.split(searched, np.cumsum(result.searched_counts)[:-1])
            search.adopt(_scored_sets(part, result, search.depth), best)
        search.take_prior(prior)
        if self.score.finds_density and prior.density is None:
            total, *classes = np.sum([result.edges for result in results], axis=0).tolist()
            search.find_prior(EdgeCounts(total, tuple(classes)))
        return results

    def _task(
        self, part: np.ndarray, pools: Sequence[np.ndarray], rng: np.random.Generator
    ) -> PartTask:
        """Collect what the search of one part needs."""
        knowledge = self.search.rules.knowledge
        needed = [np.union1d(pools[v], self.search.rules.required(v)) for v in part.tolist()]
        around = np.setdiff1d(np.concatenate(needed), part).astype(np.int64)
        variables = np.concatenate([part, around])
        place = np.empty(self.search.dataset.n_variables, np.int64)
        place[variables] = np.arange(len(variables))
        known = None if knowledge is None else knowledge.select(variables)
        near = [np.sort(place[pools[v]]) for v in part.tolist()]
        blocks = self.search.rules.blocks
        return PartTask(variables, len(part), near, known, rng, blocks and blocks.select(variables))

    def _orders(
        self, parts: Sequence[np.ndarray], results: Sequence[PartResult]
    ) -> list[np.ndarray]:
        """Join the orders of the parts, with required parents before their children."""
        search = self.search
        n, orders = search.dataset.n_variables, [result.keys for result in results]
        starts = _together(parts, orders, n)
        if search.rules.n_required:
            listed = search.fork().listed()
            starts = [listed.feasible(keys) for keys in starts]
        return starts

    def _joined(
        self,
        parts: Sequence[np.ndarray],
        results: Sequence[PartResult],
        pools: Sequence[np.ndarray],
    ) -> UnitedSearch:
        """Join the orders of all parts, and search on where the whole is not settled.

        An edge between two parts counts in the log scores of both. So only the differences of the
        log scores of the sides are taken from the parts. A disagreement in a part still counts if
        the sides agree in a region that was searched again: rather too much doubt than too little.
        """
        search, settings = self.search, self.search.settings
        starts = self._orders(parts, results)
        search.spreads = True
        rounds = RoundSearch(
            search, pools, self.score.finds_density, self.sampling, self.rng, self.n_jobs
        )
        whole = rounds.search_pools(rounds.run(starts, settings.rounds, 1))
        score = max(search.log_score(order.keys) for order in whole.orders[:2])
        scores = np.sum([result.side_scores for result in results], axis=0)
        return UnitedSearch(
            **vars(whole),
            sides=self._sides(parts, results, whole),
            scores=(scores - scores[-1:] + score).tolist(),
            searches=max(result.searches for result in results),
            whole_score=score,
        )

    def _sides(
        self, parts: Sequence[np.ndarray], results: Sequence[PartResult], whole: SearchResult
    ) -> list[SearchResult]:
        """Return the sets of each side, as far as they are listed for the whole network."""
        n = whole.sets.n_variables
        orders = _together(parts, [result.side_keys for result in results], n)
        keys, sides = listed_keys(whole.sets, n), []
        for side, order in enumerate(orders):
            had = [_keys_of(p, r, side, n) for p, r in zip(parts, results, strict=True)]
            sets = whole.sets.only(np.isin(keys, np.concatenate(had)))
            annealed = [AnnealedOrder(sets.feasible(order), 0.0)]
            sides.append(SearchResult(sets, annealed, [], whole.prior))
        return sides


def _search_part(data: tuple[Dataset, PartPlan], task: PartTask) -> PartResult:
    """Search one part."""
    dataset, plan = data
    return search_part(dataset.select(task.variables.tolist()), task, plan)


def _scored_sets(part: np.ndarray, result: PartResult, depth: int) -> list[ScoredSets]:
    """Return the sets of each variable of a part."""
    cuts = np.cumsum(result.counts)[:-1]
    arrays = (_padded(result.members, depth), result.scores, result.stamps)
    columns = (np.split(each, cuts) for each in arrays)
    return [ScoredSets(v, *own) for v, *own in zip(part.tolist(), *columns, strict=True)]


def _padded(members: np.ndarray, depth: int) -> np.ndarray:
    """Pad parent sets with -1 to a number of columns."""
    return np.pad(members, ((0, 0), (0, depth - members.shape[1])), constant_values=-1)


def _keys_of(part: np.ndarray, result: PartResult, side: int, n_variables: int) -> np.ndarray:
    """Return the keys of the sets of a part that one side had."""
    had = result.sides[:, side]
    return set_keys(np.repeat(part, result.counts)[had], result.members[had], n_variables)


def _together(
    parts: Sequence[np.ndarray], orders: Sequence[np.ndarray], n_variables: int
) -> list[np.ndarray]:
    """Join orders of the parts, as keys, to orders of all variables.

    If a part has fewer orders than another, its orders are taken by turns. Variables that earlier
    parts have, too, keep their keys among them, in the order of the later part.
    """
    joined, free = np.empty((max(map(len, orders)), n_variables)), np.ones(n_variables, bool)
    for part, own in zip(parts, orders, strict=True):
        for row, keys in enumerate(joined):
            wanted = own[row % len(own)]
            keys[part] = wanted if free[part].any() else _moved(keys[part], wanted)
        free[part] = False
    return list(joined)


def _moved(keys: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the same keys in the order of other ones."""
    moved = np.empty_like(keys)
    moved[np.argsort(wanted)] = np.sort(keys)
    return moved
