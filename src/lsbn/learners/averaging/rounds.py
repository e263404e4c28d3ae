"""Rounds of search: anneal orders over the parent sets, search parents along the orders, repeat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from lsbn.learners.averaging.annealing import AnnealedOrder, anneal_orders
from lsbn.learners.averaging.parent_sets import ParentSets
from lsbn.learners.averaging.search import ParentSetSearch
from lsbn.learners.averaging.settings import SamplingSettings
from lsbn.learners.scoring import Score


@dataclass(frozen=True)
class SearchResult:
    """What the rounds of search end with.

    Attributes
    ----------
    sets : ParentSets
    orders : list of AnnealedOrder
        Best order first.
    history : list of float
        Log score of the best order after each round.
    """

    sets: ParentSets
    orders: list[AnnealedOrder]
    history: list[float]


class RoundSearch:
    """Anneals orders and searches parents among the predecessors in them, in rounds.

    Parameters
    ----------
    search : ParentSetSearch
    score : Score
        The score of the posterior. The mixed score is slow: a search by BDeu tables comes first.
    sampling : SamplingSettings
        How orders are annealed.
    rng : numpy.random.Generator
    n_jobs : int
    """

    def __init__(
        self,
        search: ParentSetSearch,
        score: Score,
        sampling: SamplingSettings,
        rng: np.random.Generator,
        n_jobs: int = 1,
    ) -> None:
        self.search = search
        self.settings = search.settings
        self.score = score
        self.sampling = sampling
        self.rng = rng
        self.n_jobs = n_jobs

    def run(self, pools: Sequence[np.ndarray] | None = None) -> SearchResult:
        """Search by the tables of the score, then by the score itself.

        Parameters
        ----------
        pools : sequence of int arrays, optional
            Candidate parents of each variable in the first search, all variables by default. With
            many variables they also bound the later searches.
        """
        search, settings = self.search, self.settings
        n = search.dataset.n_variables
        search.rescore(self.score.tables())
        room = settings.first_parameters if settings.rounds else None
        search.explore(pools or [np.arange(n)] * n, 0, extensions=pools, max_parameters=room)
        bounds = pools if n > settings.max_unrestricted else None
        if n <= settings.small_network:
            self._search_order(self.rng.random(n), 0, bounds, max_parameters=room)
        result = self._rounds(None, bounds, settings.patience)
        if self.score.kind != "mixed":
            return result
        search.rescore(replace(search.score, kind="mixed"))
        last = self._rounds(result.orders[0].keys, bounds, 1)
        return replace(last, history=result.history + last.history)

    def _rounds(
        self, keys: np.ndarray | None, bounds: Sequence[np.ndarray] | None, patience: int
    ) -> SearchResult:
        """Anneal and search by turns, until the log score no longer rises."""
        best, idle = -np.inf, 0
        history: list[float] = []
        settings, sampling = self.settings, self.sampling
        for stamp in range(1, settings.rounds + 2):
            sets = self.search.listed([] if keys is None else [keys])
            core = sets.undominated(sampling.core_margin)
            orders = anneal_orders(core, keys, sampling, self.rng, self.n_jobs)
            keys, score = orders[0]
            history.append(score)
            idle = 0 if score > best + settings.gain else idle + 1
            best = max(best, score)
            if stamp <= settings.rounds and self._find_density(keys):
                idle, best = 0, -np.inf
            if idle == patience or stamp > settings.rounds:
                break
            self._search_orders(orders, stamp, bounds, idle > 0)
        return SearchResult(sets, orders, history)

    def _find_density(self, keys: np.ndarray) -> bool:
        """Find the density by the number of edges in an order; say whether it has changed."""
        if not self.score.finds_density:
            return False
        return self.search.find_density(self.search.expected_edges(keys))

    def _search_orders(
        self,
        orders: list[AnnealedOrder],
        stamp: int,
        bounds: Sequence[np.ndarray] | None,
        idle: bool,
    ) -> None:
        """Search parents along the best orders, after an idle round along all of them.

        After an idle round, and always by the mixed score, settled variables are left out.
        """
        search, settings, n = self.search, self.settings, self.search.dataset.n_variables
        mixed = search.score.kind == "mixed"
        pools = search.candidates() if mixed and n > settings.small_network else bounds
        for keys, _ in orders if idle else orders[: max(1, settings.round_visits // n)]:
            settled = search.settled(keys) if idle or mixed else None
            self._search_order(keys, stamp, pools, settled=settled, extend_by_all=not mixed)

    def _search_order(
        self,
        keys: np.ndarray,
        stamp: int,
        pools: Sequence[np.ndarray] | None,
        *,
        settled: np.ndarray | None = None,
        max_parameters: int | None = None,
        extend_by_all: bool = True,
    ) -> None:
        """Search parents among the predecessors in an order, of variables that are not settled.

        With pools, only the pools and the variables within two edges in the best graph of the order
        are searched. Extensions by all variables are scored in rounds 1, 2, 4, 8 and 16, if asked
        for: a parent with an effect only beside others is in no pool, and each such round scores
        all pairs. The average is then over the sets that were found, which may miss some.
        """
        n = len(keys)
        possible = [np.arange(n)] * n if pools is None else self._surroundings(pools, keys)
        predecessors = [
            None if settled is not None and settled[v] else u[keys[u] < keys[v]]
            for v, u in enumerate(possible)
        ]
        unbounded = pools is None or (extend_by_all and stamp.bit_count() == 1)
        extensions = None if unbounded else possible
        self.search.explore(
            predecessors, stamp, extensions=extensions, max_parameters=max_parameters
        )

    def _surroundings(self, pools: Sequence[np.ndarray], keys: np.ndarray) -> list[np.ndarray]:
        """Pools, and the variables within two edges in the best graph of an order."""
        n = len(pools)
        start, members = self.search.best_parents(keys)
        links = sparse.csr_array((np.ones(len(members)), members, start), shape=(n, n))
        links = links + links.T
        start = np.concatenate([[0], np.cumsum([len(pool) for pool in pools])])
        given = sparse.csr_array((np.ones(start[-1]), np.concatenate(pools), start), shape=(n, n))
        matrix = sparse.csr_array(given + links + links @ links)
        matrix.sort_indices()
        return np.split(matrix.indices.astype(np.int64), matrix.indptr[1:-1])
