"""Rounds of search: anneal orders over the parent sets, search parents along the orders, repeat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from scipy import sparse

from lsbn.kernels.tempering import best_visited
from lsbn.learners.averaging.annealing import AnnealedOrder, anneal_orders, walk_orders
from lsbn.learners.averaging.edge_prior import EdgePrior
from lsbn.learners.averaging.parent_sets import ParentSets
from lsbn.learners.averaging.search import ParentSetSearch
from lsbn.learners.averaging.settings import SamplingSettings


@dataclass(frozen=True)
class SearchResult:
    """What rounds of search end with.

    Attributes
    ----------
    sets : ParentSets
    orders : list of AnnealedOrder
        Best order first.
    history : list of float
        Log score of the best order after each round.
    prior : EdgePrior
    """

    sets: ParentSets
    orders: list[AnnealedOrder]
    history: list[float]
    prior: EdgePrior

    @property
    def log_score(self) -> float:
        """Log score of the best order."""
        return self.orders[0].log_score


def annealed_together(
    search: ParentSetSearch,
    sets: ParentSets,
    starts: Sequence[np.ndarray],
    sampling: SamplingSettings,
    rng: np.random.Generator,
    n_jobs: int | None = 1,
) -> list[AnnealedOrder]:
    """Anneal orders over the sets that a search lists, and recombine them; best order first."""
    core = sets.undominated(sampling.core_margin)
    orders = anneal_orders(core, starts, sampling, rng, n_jobs)
    keys = search.recombined([order.keys for order in orders])
    if keys is orders[0].keys:
        return orders
    alone = replace(sampling, random_orders=0)
    orders += anneal_orders(core, [keys], alone, rng, n_jobs)
    return sorted(orders, key=lambda order: -order.log_score)


class RoundSearch:
    """Anneals orders and searches parents among the predecessors in them, in rounds.

    Parameters
    ----------
    search : ParentSetSearch
    bounds : sequence of int arrays, optional
        Variables among which the parents of each variable are searched, besides those near the
        best graph; all variables by default.
    finds_density : bool
        Whether the density is found from the data.
    sampling : SamplingSettings
        How orders are annealed.
    rng : numpy.random.Generator
    n_jobs : int

    Attributes
    ----------
    sparing : bool
        Whether settled variables are always left out from the second round on.
    """

    def __init__(
        self,
        search: ParentSetSearch,
        bounds: Sequence[np.ndarray] | None,
        finds_density: bool,
        sampling: SamplingSettings,
        rng: np.random.Generator,
        n_jobs: int | None = 1,
    ) -> None:
        self.search = search
        self.settings = search.settings
        self.bounds = bounds
        self.finds_density = finds_density
        self.sampling = sampling
        self.rng = rng
        self.n_jobs = n_jobs
        self.sparing = False
        self.stamp = 0

    def search_random_order(self, max_parameters: int | None) -> None:
        """Search parents along a random order."""
        keys = self.rng.random(self.search.dataset.n_variables)
        self._search_order(keys, self.bounds, max_parameters=max_parameters)

    def run(self, starts: Sequence[np.ndarray], most_rounds: int, patience: int) -> SearchResult:
        """Anneal and search by turns, until the log score no longer rises.

        Parameters
        ----------
        starts : sequence of float arrays
            Orders of searches before this one, as keys.
        most_rounds : int
        patience : int
            The search ends after this number of rounds in a row without a gain.
        """
        best, idle = -np.inf, 0
        history: list[float] = []
        for left in range(most_rounds, -1, -1):
            sets, orders = self._anneal(starts, anew=most_rounds > 0)
            starts, score = [orders[0].keys], orders[0].log_score
            history.append(score)
            idle = 0 if score > best + self.settings.gain else idle + 1
            best = max(best, score)
            if left and self._find_prior(orders[0].keys, self.settings.density_step):
                idle, best = 0, -np.inf
            if idle == patience or not left:
                break
            self._search_orders(orders, idle > 0)
        for _ in range(self.settings.density_passes):
            if not self._find_prior(starts[0], self.settings.last_density_step):
                break
            sets, orders = self._anneal(starts, anew=False)
            starts = [orders[0].keys]
        return SearchResult(sets, orders, history, self.search.prior)

    def exchange(self, result: SearchResult, rounds: int, patience: int) -> SearchResult:
        """Walk through graphs with single edges reversed, rearrange them, and list their sets.

        Equivalent graphs differ in families that no search along one order finds together. What a
        window can gain also depends on the directions of the edges around it. The walk ends after
        `patience` steps without a gain; then parents are searched for some rounds.
        """
        if not self.settings.exchanges:
            return result
        search, best, idle = self.search, result.orders[0].keys, 0
        starts = [best] * self.settings.walks
        self.stamp += 1
        for _ in range(self.settings.exchanges):
            new = sum(search.exchange(keys, self.stamp) for keys in [best, *starts])
            starts = [search.rearranged(keys, self.rng) for keys in starts]
            better = max([best, *starts], key=search.log_score)
            idle = 0 if better is not best else idle + 1
            if idle == patience or (idle and not new):
                break
            best = better
            core = search.listed([best, *starts]).undominated(self.sampling.core_margin)
            sweeps = self.settings.walk_sweeps
            starts = walk_orders(core, starts, sweeps, self.rng, self.n_jobs)
        last = self.run([best, *starts], rounds, 1)
        return replace(last, history=result.history + last.history)

    def search_pools(self, result: SearchResult) -> SearchResult:
        """Search parents in whole pools along the best order, then go on in rounds.

        In rounds the mixed score searches only around the sets that tables have found. Tables
        miss some weak parents: in a quilt of 2,728 variables the log score rises by 330 nats. Any
        other score has searched the pools in rounds.
        """
        if self.bounds is None or self.search.score.kind != "mixed":
            return result
        self.stamp += 1
        self._search_order(result.orders[0].keys, self.bounds)
        last = self.run([order.keys for order in result.orders[:2]], self.settings.rounds, 1)
        return replace(last, history=result.history + last.history)

    def look_again(self, result: SearchResult, widely: bool) -> SearchResult:
        """Search parents along the best order, or widely along several, and list what is found.

        Some sets are good though none of their subsets is. On breast_cancer a set of four parents
        with a third of a variable's posterior was missing with two of three seeds.
        """
        search, settings, sampling = self.search, self.settings, self.sampling
        starts = [order.keys for order in result.orders[: 1 + widely]]
        along, self.stamp = starts, self.stamp + 1
        if widely:
            core = search.listed(starts).undominated(sampling.core_margin)
            first = starts[:1] * sampling.chains
            walked = walk_orders(core, first, settings.tempered_sweeps, self.rng, self.n_jobs)
            along = starts + walked
        for keys in along:
            settled = None if widely else search.settled(keys)
            self._search_order(keys, self.bounds, settled=settled, widely=widely)
        last = self.run([order.keys for order in result.orders[:2]], 0, 1)
        return replace(last, history=result.history + last.history)

    def temper(self, result: SearchResult) -> SearchResult:
        """Search parents along orders of several temperatures, which exchange their orders.

        A search lists sets for orders near its best one. Between two modes there are none, so that
        orders over these lists never cross. Hot orders and random ones do, and where they come sets
        are listed.
        """
        search, settings, sampling = self.search, self.settings, self.sampling
        betas, best = sampling.ladder(sampling.hottest_search), result.orders[0].keys
        replicas = np.tile(best, (len(betas), 1))
        for rng in self.rng.spawn(settings.tempered_rounds):
            core = search.listed([best, *replicas]).undominated(sampling.core_margin)
            sweeps = settings.tempered_sweeps
            visited = best_visited(core.lists, core.links, (replicas, betas), sweeps, rng)
            best = max(best, visited, key=search.log_score)
            self.stamp += 1
            anywhere = core.feasible(rng.random(len(best)))
            for keys in (visited, *replicas[1::2], anywhere):
                known = None if keys is visited else search.settled(keys)
                self._search_order(keys.copy(), self.bounds, settled=known, widely=keys is visited)
        core = search.listed([best]).undominated(sampling.core_margin)
        starts = [best] * sampling.chains
        longer = replace(sampling, random_orders=0, restart_sweeps=settings.last_sweeps)
        last = anneal_orders(core, starts, longer, self.rng, self.n_jobs)[0]
        found = self.run([last.keys], settings.rounds, 1)
        return replace(found, history=result.history + found.history)

    def _anneal(
        self, starts: Sequence[np.ndarray], anew: bool = True
    ) -> tuple[ParentSets, list[AnnealedOrder]]:
        """List the sets and anneal orders over them, random ones too if ``anew``."""
        sampling = self.sampling if anew else replace(self.sampling, random_orders=0)
        sets = self.search.listed(starts)
        return sets, annealed_together(self.search, sets, starts, sampling, self.rng, self.n_jobs)

    def _find_prior(self, keys: np.ndarray, step: float) -> bool:
        """Find the prior of edges by their number in an order; say whether it has changed."""
        if not self.finds_density:
            return False
        return self.search.find_prior(self.search.expected_edges(keys), step)

    def _search_orders(self, orders: list[AnnealedOrder], idle: bool) -> None:
        """Search parents along the best orders, after an idle round along all of them.

        After an idle round, and always by the mixed score, settled variables are left out.
        """
        search, settings, n = self.search, self.settings, self.search.dataset.n_variables
        mixed, small = search.score.kind == "mixed", n <= settings.small_network
        sparing = idle or mixed or (self.sparing and self.stamp > 0)
        pools = search.candidates() if mixed and not small else self.bounds
        self.stamp += 1
        for keys, _ in orders if idle else orders[: max(1, settings.round_visits // n)]:
            settled = search.settled(keys) if sparing else None
            self._search_order(keys, pools, settled=settled, extend_by_all=not mixed)

    def _search_order(
        self,
        keys: np.ndarray,
        pools: Sequence[np.ndarray] | None,
        *,
        settled: np.ndarray | None = None,
        max_parameters: int | None = None,
        extend_by_all: bool = False,
        widely: bool = False,
    ) -> None:
        """Search parents among the predecessors in an order, of variables that are not settled.

        With pools, only the pools and the variables within two edges in the best graph of the order
        are searched. Extensions by all variables are scored in rounds 1, 2, 4, 8 and 16, if asked
        for: a parent with an effect only beside others is in no pool. Each such round scores all
        pairs, so with more than `SearchSettings.max_extended` variables there is none.
        """
        n = len(keys)
        possible = [np.arange(n)] * n if pools is None else self._surroundings(pools, keys)
        predecessors = [
            None if settled is not None and settled[v] else u[keys[u] < keys[v]]
            for v, u in enumerate(possible)
        ]
        asked = extend_by_all and n <= self.settings.max_extended
        unbounded = pools is None or (asked and self.stamp.bit_count() == 1)
        extensions = None if unbounded else possible
        self.search.explore(
            predecessors,
            self.stamp,
            extensions=extensions,
            max_parameters=max_parameters,
            widely=widely,
        )

    def _surroundings(self, pools: Sequence[np.ndarray], keys: np.ndarray) -> list[np.ndarray]:
        """Pools, and the variables within two edges in the best graph of an order."""
        n = len(pools)
        links = self.search.best_graph(keys)
        links = links + links.T
        start = np.concatenate([[0], np.cumsum([len(pool) for pool in pools])])
        given = sparse.csr_array((np.ones(start[-1]), np.concatenate(pools), start), shape=(n, n))
        matrix = sparse.csr_array(given + links + links @ links)
        matrix.sort_indices()
        members = matrix.indices.astype(np.int64)
        return [members[a:b] for a, b in pairwise(matrix.indptr.tolist())]
