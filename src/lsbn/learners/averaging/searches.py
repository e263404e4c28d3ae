"""Independent searches for parent sets, until two sides reach the same log score.

One search ends where its own orders led it. What it misses, another search often has, so the parent
sets of two searches together often reach a higher log score than both (`experiments/seeds.py`
shows the scores), above all if their orders are recombined. So there are two sides that know
nothing of each other. Each starts with one search. As long as their log scores differ, each side
takes in one more search. In the end both are united. If the sides agree, another seed is likely to
reach the same log score as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lsbn.learners.averaging.rounds import RoundSearch, SearchResult, annealed_together
from lsbn.learners.averaging.search import ParentSetSearch
from lsbn.learners.averaging.settings import SamplingSettings
from lsbn.learners.scoring import Score

STAND_INS = ("bdeu", "k2")
"""Scores of tables by which searches for the mixed score start by turns: the mixed score is slow.

BDeu gives large families little weight, K2 gives them more. So they miss different sets. One side
starts by BDeu and the other by K2. When both started by BDeu, they agreed on scikit-learn's
breast_cancer on a log score that was 31 nats too low, and on hepar2 (2,000 rows) on one that was 12
nats too low (`experiments/seeds.py`). In a large network both sides share the search without an
order, by BDeu: pigs then took 0.83 of the time and link 0.87, at no lower log scores; hepar2 ended
at the same log score with one seed and 6 nats lower with another."""


@dataclass(frozen=True)
class UnitedSearch(SearchResult):
    """What the two sides end with, when they are united.

    Attributes
    ----------
    sides : list of SearchResult
        The result of each side; empty if there is only one.
    scores : list of float
        Log score of each side and of their union, with the density of the best side.
    searches : int
        Number of searches of each side.
    whole_score : float
        Log score of the best order, over all sets.
    """

    sides: list[SearchResult]
    scores: list[float]
    searches: int
    whole_score: float


@dataclass(frozen=True)
class _Side:
    """Searches that were united, and their result."""

    rounds: RoundSearch
    result: SearchResult


class IndependentSearches:
    """Runs searches on two sides and unites them.

    Parameters
    ----------
    search : ParentSetSearch
    score : Score
        The score of the posterior.
    sampling : SamplingSettings
    rng : numpy.random.Generator
    n_jobs : int

    Attributes
    ----------
    sparing : bool
        Whether searches by a stand-in leave out settled variables from their second round on.
    """

    def __init__(
        self,
        search: ParentSetSearch,
        score: Score,
        sampling: SamplingSettings,
        rng: np.random.Generator,
        n_jobs: int | None = 1,
    ) -> None:
        self.search = search
        self.settings = search.settings
        self.score = score
        self.sampling = sampling
        self.rng = rng
        self.n_jobs = n_jobs
        self._firsts: dict[str, ParentSetSearch] = {}
        self._small = len(search.varying) <= search.settings.small_network
        self.sparing = False

    def run(self, pools: Sequence[np.ndarray] | None = None) -> UnitedSearch:
        """Search on both sides until they agree, then unite them.

        Parameters
        ----------
        pools : sequence of int arrays, optional
            Candidate parents of each variable in the first search, all variables by default. With
            many variables they also bound the later searches.
        """
        settings = self.settings
        sides = [self._new(0, side, pools) for side in range(settings.sides)]
        if len(sides) == 1:
            return self._ended(sides[0], [], [], 1)
        searches, scores = 1, self._compare(sides)
        while searches < self._most_searches() and (
            np.ptp(scores) > settings.agreement or 1 < searches < settings.least_after_doubt
        ):
            sides = [self._further(searches, k, pools, side) for k, side in enumerate(sides)]
            searches, scores = searches + 1, self._compare(sides)
        results = [side.result for side in sides]
        rounds = 0 if np.ptp(scores) <= settings.agreement else settings.rounds
        return self._ended(self._united(sides, rounds), results, scores, searches)

    def _most_searches(self) -> int:
        """Most searches of each side."""
        return self.settings.most_searches(len(self.search.varying))

    def _further(
        self, number: int, side: int, pools: Sequence[np.ndarray] | None, before: _Side
    ) -> _Side:
        """Unite one side with one more search; a small network is also searched by tempering."""
        united, settings = self._united([before, self._new(number, side, pools)]), self.settings
        rounds, result = united.rounds, united.result
        result = rounds.exchange(result, settings.rounds, settings.exchange_patience)
        if self._small and self.score.kind == "mixed":
            result = rounds.temper(result)
        return replace(united, result=result)

    def _first(self, kind: str, pools: Sequence[np.ndarray] | None) -> ParentSetSearch:
        """Search parents without an order, by one kind of score; the result is kept."""
        if kind not in self._firsts:
            n, search = self.search.dataset.n_variables, self.search.fork()
            everything, room = [np.arange(n)] * n, self.settings.first_room
            search.rescore(replace(search.score, kind=kind))
            search.explore(pools or everything, 0, extensions=pools, max_parameters=room)
            self._firsts[kind] = search
        return self._firsts[kind]

    def _new(self, number: int, side: int, pools: Sequence[np.ndarray] | None) -> _Side:
        """Run one more search, by a stand-in for the mixed score and then by the score itself."""
        settings, rng, kind = self.settings, self.rng.spawn(1)[0], self.score.kind
        stand_in = STAND_INS[(number + side) % len(STAND_INS)] if kind == "mixed" else kind
        shared = stand_in if self._small or kind != "mixed" else STAND_INS[0]
        first = self._first(shared, pools).fork()
        if shared != stand_in:
            first.rescore(replace(first.score, kind=stand_in))
        bounds = pools if len(first.varying) > settings.max_unrestricted else None
        rounds = RoundSearch(
            first, bounds, self.score.finds_density, self.sampling, rng, self.n_jobs
        )
        rounds.sparing = self.sparing
        if self._small:
            rounds.search_random_order(settings.first_room)
        patience = settings.patience - (kind != stand_in)
        result = rounds.run([], settings.rounds, patience)
        if kind == stand_in:
            return _Side(rounds, result)
        rounds.search.rescore(replace(rounds.search.score, kind=kind))
        last = rounds.run([result.orders[0].keys], settings.rounds, 1)
        last = rounds.exchange(last, settings.rounds, settings.exchange_patience)
        return _Side(rounds, replace(last, history=result.history + last.history))

    def _ended(
        self, last: _Side, sides: list[SearchResult], scores: list[float], searches: int
    ) -> UnitedSearch:
        """Add the sets of equivalent graphs, and of wide beams, to the last search."""
        result = last.rounds.exchange(last.result, 0, self.settings.exchanges)
        if self._small and self.score.kind == "mixed":
            result = last.rounds.look_again(result, widely=searches > 1)
        self.search.take_prior(result.prior)
        whole = max(last.rounds.search.log_score(order.keys) for order in result.orders[:2])
        return UnitedSearch(
            **vars(result), sides=sides, scores=scores, searches=searches, whole_score=whole
        )

    def _compare(self, sides: Sequence[_Side]) -> list[float]:
        """Log scores of the sides and of their union."""
        return [search.log_score(keys) for search, keys in self._compared(sides)]

    def _compared(self, sides: Sequence[_Side]) -> list[tuple[ParentSetSearch, np.ndarray]]:
        """Return the sides and their union with their orders, by the density of the best side.

        The union costs little: its orders are annealed, and no parents are searched.
        """
        best = max(sides, key=lambda side: side.result.log_score)
        both, starts = best.rounds.search.fork(), [side.result.orders[0].keys for side in sides]
        compared = []
        for side in sides:
            search = side.rounds.search.fork()
            search.take_prior(both.prior)
            compared.append((search, side.result.orders[0].keys))
            both.unite(search)
        sets = both.listed(starts)
        orders = annealed_together(both, sets, starts, self.sampling, self.rng, self.n_jobs)
        keys = max((order.keys for order in orders[:2]), key=both.log_score)
        return [*compared, (both, keys)]

    def _united(self, sides: Sequence[_Side], rounds: int | None = None) -> _Side:
        """Unite searches into the best one of them, and search on for some rounds."""
        sides = sorted(sides, key=lambda side: -side.result.log_score)
        best = sides[0]
        for other in sides[1:]:
            best.rounds.search.unite(other.rounds.search)
        starts = [side.result.orders[0].keys for side in sides]
        most = self.settings.rounds if rounds is None else rounds
        result = best.rounds.run(starts, most, 1)
        return _Side(best.rounds, replace(result, history=best.result.history + result.history))
