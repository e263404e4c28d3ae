"""Chains of orders, sampled over listed parent sets, and their average.

Orders are sampled by Gibbs steps (`lsbn.kernels.orders`; Friedman & Koller 2003 sample them by
Metropolis steps). Given an order the posterior of every edge is a sum over parent sets, so each
order adds probabilities instead of one graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from lsbn.checkpoint import PLAIN
from lsbn.data import Dataset
from lsbn.knowledge import Constraints
from lsbn.learners.averaging.annealing import AnnealedOrder, anneal_orders
from lsbn.learners.averaging.chains import Chain, TemperedChain
from lsbn.learners.averaging.collector import GraphCollector
from lsbn.learners.averaging.convergence import (
    best_mode,
    compare_sides,
    convergence,
    standard_error,
)
from lsbn.learners.averaging.density import edges_in_order, typical_density
from lsbn.learners.averaging.edge_prior import Blocks, EdgeCounts, EdgePrior
from lsbn.learners.averaging.graphs import (
    GraphChain,
    expected_edges,
    sample_graphs,
    without_excess,
)
from lsbn.learners.averaging.parent_sets import ParentSets
from lsbn.learners.averaging.parts import SearchInParts
from lsbn.learners.averaging.pilots import (
    plain_shares,
    selected,
    tempered_shares,
)
from lsbn.learners.averaging.regions import LARGE_NETWORK, RegionalSearches
from lsbn.learners.averaging.rounds import SearchResult
from lsbn.learners.averaging.search import ParentSetSearch
from lsbn.learners.averaging.searches import IndependentSearches, UnitedSearch
from lsbn.learners.averaging.settings import ENUMERATION, SamplingSettings, SearchSettings
from lsbn.learners.diagnostics import Diagnostics
from lsbn.learners.scoring import Score
from lsbn.parallel import Progress, run, spread

_COARSER = 1.5
"""Tempered chains stop at a tolerance that is larger by this factor: each sweep takes longer."""


class OrderSampler:
    """Finds parent sets, samples orders and averages the edge posteriors.

    Parameters
    ----------
    dataset : Dataset
        Without constant variables.
    score : Score
    settings : SearchSettings
    sampling : SamplingSettings
    rng : numpy.random.Generator
    n_jobs : int
    count : {"orders", "graphs"}
        With ``graphs``, chains of graphs follow those of orders, and are averaged instead.
    knowledge : Constraints, optional
    collector : GraphCollector, optional
        Draws networks from the chains that are averaged.
    blocks : Blocks, optional
        The prior of an edge depends on them if its density is estimated.

    Attributes
    ----------
    parts : sequence of int arrays
        Disjoint parts of all variables, in which parents are searched; none for the whole at once.
    progress : callable, optional
        Called with the number of parts that are searched, and of all parts.
    """

    def __init__(
        self,
        dataset: Dataset,
        score: Score,
        settings: SearchSettings,
        sampling: SamplingSettings,
        rng: np.random.Generator,
        n_jobs: int | None = 1,
        *,
        count: str = "orders",
        knowledge: Constraints | None = None,
        collector: GraphCollector | None = None,
        blocks: Blocks | None = None,
    ) -> None:
        self.collector = collector or GraphCollector(0)
        known = blocks if score.finds_density else None
        self.search = ParentSetSearch(dataset, score, settings, n_jobs, knowledge, blocks=known)
        self.score = score
        self.sampling = sampling
        self.rng = rng
        self.n_jobs = n_jobs
        self.count = count
        self.tempered = False
        self.parts: Sequence[np.ndarray] = ()
        self.progress: Progress | None = None

    def run_exhaustive(self, max_parents: int) -> tuple[sparse.csr_array, Diagnostics]:
        """Average over all parent sets up to a bound: edge posteriors and diagnostics."""
        self.search.enumerate_all(max_parents)
        self.sampling = self.sampling.exhaustive()
        sets = self.search.listed()
        orders = anneal_orders(sets, [], self.sampling, self.rng, self.n_jobs)
        for _ in range(ENUMERATION.density_passes if self.score.finds_density else 0):
            edges = self._expected_edges(sets, orders[0].keys)
            if not self.search.find_prior(EdgeCounts(edges), ENUMERATION.density_step):
                break
            sets = self.search.listed()
            orders = anneal_orders(sets, [orders[0].keys], self.sampling, self.rng, self.n_jobs)
        prior = self._typical_prior(sets, orders[0].keys)
        if prior is not None:
            self.search.take_prior(prior)
            sets = self.search.listed()
            orders = anneal_orders(sets, [orders[0].keys], self.sampling, self.rng, self.n_jobs)
        return self._average(sets, sets, orders, [])

    def run(
        self, pools: Sequence[np.ndarray] | None = None
    ) -> tuple[sparse.csr_array, Diagnostics]:
        """Average over parent sets that are searched, at first in the pools."""
        result = self._typical(self.find_sets(pools))
        if len(self.search.varying) <= self.sampling.tempered_variables:
            result = replace(result, orders=self._dispersed(result))
        averaged, core, warm = self.select_sets(result)
        matrix, diagnostics = self._average(averaged, core, result.orders, result.history, warm)
        diagnostics = replace(diagnostics, log_score=round(result.whole_score, 3))
        if not result.sides:
            return matrix, diagnostics
        if self.count == "graphs":  # the sides sample orders: only their log scores are compared
            sides = [matrix for _ in result.sides]
        else:
            seeds = [self.rng.spawn(2) for _ in result.sides]
            data = (self.sampling, self.tempered, result.sides)
            found = self._each(_side_average, data, list(enumerate(seeds)))
            sides = [sparse.csr_array(entries, shape=matrix.shape) for entries in found]
        names, agreement = self.search.dataset.names, self.search.settings.agreement
        return matrix, compare_sides(diagnostics, matrix, sides, result, agreement, names)

    def _each(self, function: Callable[[Any, Any], Any], data: tuple, items: Sequence[Any]) -> list:
        """Call ``function(data, item)`` on all items: on workers if there are parts, or in threads.

        A small network takes less time than the workers of a cluster need to begin.
        """
        if len(self.parts) > 1:
            return spread(function, data, items, self.n_jobs)
        return run(partial(function, data), items, self.n_jobs, PLAIN)

    def find_sets(self, pools: Sequence[np.ndarray] | None = None) -> UnitedSearch:
        """Search parent sets, in parts if there are any."""
        if pools is not None and len(self.parts) > 1:
            in_parts = SearchInParts(
                self.search, self.score, self.sampling, self.rng, self.n_jobs, self.progress
            )
            return in_parts.run(pools, self.parts)
        large = self.search.dataset.n_variables > LARGE_NETWORK
        searches = RegionalSearches if large else IndependentSearches
        settled = searches(self.search, self.score, self.sampling, self.rng, self.n_jobs)
        return settled.run(pools)

    def _typical_prior(self, sets: ParentSets, keys: np.ndarray) -> EdgePrior | None:
        """Return the prior with the density that stands for all of them, if it differs.

        One order shows fast if it may differ; then pilot chains find it. With blocks there are many
        variables, and edges enough.
        """
        (present, _), search = self.search.prior, self.search
        if not self.score.finds_density or present is None or search.rules.blocks is not None:
            return None
        if typical_density(edges_in_order(sets, keys, present), search.rules, present) is None:
            return None

        def expected(density: float) -> float:
            """Count the edges by a pilot chain."""
            penalty = replace(search.score, density=density).penalty(search.n_all, search.depth)
            moved = sets.with_penalty(penalty - search.penalty)
            data, rng = (moved, moved, self.sampling.pilot_sweeps), self.rng.spawn(1)[0]
            return float(plain_shares(data, (keys.copy(), rng)) @ sets.sizes)

        typical = typical_density(expected, search.rules, present)
        return None if typical is None else EdgePrior(typical)

    def _typical(self, result: UnitedSearch) -> UnitedSearch:
        """Give a search and its sides the density that stands for all of them."""
        prior, before = self._typical_prior(result.sets, result.orders[0].keys), self.search.penalty
        if prior is None:
            return result
        self.search.take_prior(prior)
        change, sampling = self.search.penalty - before, replace(self.sampling, random_orders=0)

        def moved(part: SearchResult) -> dict[str, Any]:
            """Return the sets, the orders and the prior."""
            sets, keys = part.sets.with_penalty(change), [order.keys for order in part.orders]
            orders = anneal_orders(sets, keys, sampling, self.rng, self.n_jobs)
            return {"sets": sets, "orders": orders, "prior": prior}

        sides = [replace(side, **moved(side)) for side in result.sides]
        united = replace(result, **moved(result), sides=sides)
        return replace(united, whole_score=united.log_score)

    def _dispersed(self, result: SearchResult) -> list[AnnealedOrder]:
        """Put orders that do not come from the search next to its best one, if they are as good.

        All orders of a search can end in one of several modes of equal weight. Chains that start
        elsewhere show the others.
        """
        sampling, (best, *others) = self.sampling, result.orders
        core = result.sets.undominated(sampling.core_margin)
        more = replace(sampling, random_orders=sampling.dispersed)
        found = anneal_orders(core, [best.keys], more, self.rng, self.n_jobs)
        good = [order for order in found if order.log_score > best.log_score - sampling.worse_mode]
        shuffled = [good[k] for k in self.rng.permutation(len(good))[: sampling.chains - 1]]
        return [best, *shuffled, *others]

    def select_sets(self, result: UnitedSearch) -> tuple[ParentSets, ParentSets, list[np.ndarray]]:
        """Give the sets to average over, the heavy ones by which orders are sampled, and orders.

        A pilot chain from each of the best orders gives the posterior share of every set. Chains
        over the heavy sets alone are many times faster. If the variables are few, and the first
        searches of the sides disagreed, the pilots are tempered. Then the orders are those with
        which they end, one array for each pilot.
        """
        sets, s = result.sets, self.sampling
        core = sets.undominated(s.core_margin)
        best = result.orders[0].log_score
        starts = [
            order.keys.copy() for order in result.orders if order.log_score > best - s.worse_mode
        ]
        if sets.n_variables > s.tempered_variables or result.searches < 2:
            pilots = list(zip(starts, self.rng.spawn(len(starts)), strict=True))
            shares = self._each(plain_shares, (sets, core, s.pilot(sets.n_variables)), pilots)
            return *selected(sets, np.max(shares, axis=0), s), []
        turns = [starts[p:] + starts[:p] for p in range(s.tempered_pilots)]
        seeds = self.rng.spawn(len(turns))
        found = self._each(tempered_shares, (sets, core, s), list(zip(turns, seeds, strict=True)))
        share = np.max([own for own, _ in found], axis=0)
        return *selected(sets, share, s), [orders for _, orders in found]

    def sample(
        self,
        sets: ParentSets,
        core: ParentSets,
        orders: Sequence[AnnealedOrder],
        warm: Sequence[np.ndarray],
    ) -> Sequence[Chain]:
        """Run chains over the core until the posteriors over all sets are precise enough.

        With warm orders of pilots, the chains are tempered. Plain chains that stay in different
        modes are replaced by tempered ones, if the variables are few.
        """
        s, size, error = self.sampling, sets.n_candidates, np.inf
        chains: list[Chain] = []
        if not len(warm):
            starts = [order.keys for order in orders]
            chains = [
                Chain(starts[c % len(starts)].copy(), size, rng)
                for c, rng in enumerate(self.rng.spawn(s.chains))
            ]
            error = self._advance(chains, sets, core, s.most_steps, s.tolerance)
            if error < s.tempered_error or sets.n_variables > s.tempered_variables:
                return chains
            ends = [chain.keys for chain in best_mode(chains, s.worse_mode)]
            warm = [np.roll(ends, -c, axis=0) for c in range(len(ends))]
        tempered = [
            TemperedChain(list(warm[c % len(warm)]), size, rng, s)
            for c, rng in enumerate(self.rng.spawn(s.chains))
        ]
        enough = _COARSER * s.tolerance
        self.tempered = self._advance(tempered, sets, core, s.tempered_steps, enough) < error
        return tempered if self.tempered else chains

    def _advance(
        self,
        chains: Sequence[Chain],
        sets: ParentSets,
        core: ParentSets,
        most_steps: int,
        tolerance: float,
    ) -> float:
        """Run chains until they are precise enough or have made the most steps; give the error."""
        s = self.sampling
        least = max(2 * s.sweeps, s.least_steps // sets.n_variables)
        most = max(least, most_steps // sets.n_variables)
        while True:
            parts = self._each(_advanced, (sets, core, s), chains)
            for chain, part in zip(chains, parts, strict=True):
                chain.add(part, sets, s)
            done = chains[0].sweeps
            error = standard_error(best_mode(chains, s.worse_mode))
            if done >= most or (done >= least and error < tolerance):
                return error

    def _expected_edges(self, sets: ParentSets, keys: np.ndarray) -> float:
        """Posterior mean of the number of edges, by a pilot chain from an order."""
        rng, sweeps = self.rng.spawn(1)[0], self.sampling.pilot(sets.n_variables)
        if self.count == "graphs":
            return expected_edges(sets, keys, sweeps, rng)
        data = sets, sets, sweeps
        return float(plain_shares(data, (keys.copy(), rng)) @ sets.sizes)

    def _average(
        self,
        sets: ParentSets,
        core: ParentSets,
        orders: Sequence[AnnealedOrder],
        history: Sequence[float],
        warm: Sequence[np.ndarray] = (),
    ) -> tuple[sparse.csr_array, Diagnostics]:
        """Sample chains and average them."""
        chains: Sequence[Chain | GraphChain] = self.sample(sets, core, orders, warm)
        if self.count == "graphs":
            starts = best_mode(chains, self.sampling.worse_mode)
            chains = sample_graphs(sets, starts, self.sampling, self.rng, self.n_jobs)
        matrix, diagnostics = average_chains(sets, chains, self.sampling.worse_mode)
        trails = [chain.trail for chain in best_mode(chains, self.sampling.worse_mode)]
        if self.count == "graphs":
            matrix = without_excess(matrix)
            self.collector.draw_from_graphs(trails, sets)
        else:
            self.collector.draw_from_orders(trails, sets)
        rounds = [round(float(best), 3) for best in history]
        density = self.search.score.density
        temperatures = self.sampling.temperatures if self.tempered else None
        return matrix, replace(
            diagnostics,
            count=self.count,
            density=density,
            rounds=rounds,
            temperatures=temperatures,
        )


def _advanced(data: tuple[ParentSets, ParentSets, SamplingSettings], chain: Chain) -> dict:
    """Sample one more part of a chain."""
    return chain.advance(*data)


def _side_average(
    data: tuple[SamplingSettings, bool, list[SearchResult]],
    piece: tuple[int, list[np.random.Generator]],
) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """Edge posteriors by one short chain over the sets of one side of the search.

    The piece is the number of the side, and the random numbers of its pilot chain and of its
    chain. The result is the values, and the parents and children.
    """
    (sampling, tempered, sides), (number, (pilot, rng)) = data, piece
    side = sides[number]
    core, keys = side.sets.undominated(sampling.core_margin), side.orders[0].keys
    if tempered:
        share, replicas = tempered_shares((side.sets, core, sampling), ([keys], pilot))
        sets, core = selected(side.sets, share, sampling)
        chain: Chain = TemperedChain(list(replicas), sets.n_candidates, rng, sampling)
    else:
        sweeps = sampling.pilot(core.n_variables)
        share = plain_shares((side.sets, core, sweeps), (keys.copy(), pilot))
        sets, core = selected(side.sets, share, sampling)
        chain = Chain(keys.copy(), sets.n_candidates, rng)
    least = sampling.least_steps // sets.n_variables
    for _ in range(max(sampling.side_parts, least // sampling.sweeps)):
        chain.add(chain.advance(sets, core, sampling), sets, sampling)
    return chain.mean, sets.edges()


def average_chains(
    sets: ParentSets, chains: Sequence[Chain | GraphChain], worse_mode: float
) -> tuple[sparse.csr_array, Diagnostics]:
    """Average the chains in the best mode: edge posteriors and diagnostics."""
    kept = best_mode(chains, worse_mode)
    mean = np.clip(np.array([chain.mean for chain in kept]).mean(axis=0), 0.0, 1.0)
    diagnostics = replace(
        convergence(chains, kept, lambda chain, edge: chain.edge_draws(sets, edge)),
        method="sampled",
        chains=len(chains),
        chains_kept=len(kept),
        sweeps=chains[0].sweeps,
        log_scores=[round(chain.log_score, 3) for chain in chains],
        parent_sets=sets.n_sets,
        candidates=sets.n_candidates,
    )
    return sets.matrix(mean), diagnostics
