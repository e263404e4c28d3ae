"""Networks from the posteriors of tables that change little from round to round.

A search for parent sets takes most of the time of a round. While a chain is on its way, each round
searches anew: a search that begins with the last order stays near it, and the chain takes many more
rounds. Later the completed tables of two rounds in a row differ only in their drawn cells. Then the
search begins where the last one ended, with its order and its density: parents are searched along
this order, the order is sampled on, and a network is drawn given the order.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from lsbn.data import Dataset
from lsbn.kernels import draws as _draws
from lsbn.knowledge import Constraints
from lsbn.learners import LEARNERS, Candidates, Score
from lsbn.learners.averaging import SamplingSettings, SearchSettings
from lsbn.learners.averaging.annealing import walk_orders
from lsbn.learners.averaging.rounds import RoundSearch
from lsbn.learners.averaging.search import ParentSetSearch
from lsbn.pairs import PairStatistics

__all__ = ["NetworkWalk"]

PARTNERS = 20
"""With very many variables, the parents of a variable are sought among so many."""
SEARCH = SearchSettings(
    sides=1, exchanges=0, rounds=2, patience=1, density_passes=1, last_density_step=1.1
)
"""A search anew. A search that begins with the last order makes only `FURTHER_ROUNDS`."""
FURTHER_ROUNDS = 1
SAMPLING = SamplingSettings(
    chains=1,
    random_orders=0,
    sweeps=20,
    least_steps=1,
    most_steps=1,
    tolerance=1.0,
    pilot_sweeps=10,
    pilot_steps=0,
    restart_sweeps=10,
    tempered_variables=0,
)
"""A round needs one order, not an average over orders."""
WALK = 10
"""Sweeps of the order before a network is drawn."""


class NetworkWalk:
    """Draws networks from the posteriors of complete tables, one after the other.

    Parameters
    ----------
    dataset : Dataset
        With the variables of all tables. It tells which are constant.
    score : Score
    knowledge : Constraints, optional
    rng : Generator
    n_jobs : int
        Number of threads; the networks are the same for any number.
    """

    def __init__(
        self,
        dataset: Dataset,
        score: Score,
        knowledge: Constraints | None,
        rng: np.random.Generator,
        n_jobs: int = 1,
    ) -> None:
        self.varying = np.flatnonzero(dataset.cards > 1)
        self.score, self.rng, self.n_jobs = score, rng, n_jobs
        self.knowledge = None if knowledge is None else knowledge.select(self.varying)
        self.bounded = len(self.varying) > SearchSettings.max_unrestricted
        self.density = score.density
        self.keys: np.ndarray | None = None

    def step(self, table: Dataset, anew: bool) -> list[tuple[int, ...]]:
        """Draw a network from the posterior of a table.

        Parameters
        ----------
        table : Dataset
        anew : bool
            Whether the search begins without the last order.

        Returns
        -------
        list of tuple
            The parents of each variable.
        """
        above: list[tuple[int, ...]] = [()] * table.n_variables
        if len(self.varying) < 2:
            return above
        part = table.select(self.varying)
        pools = self._pools(part)
        search = self._search_anew if anew or self.keys is None else self._search_on
        found = search(part, pools)
        for v, parents in zip(self.varying.tolist(), found, strict=True):
            above[v] = tuple(self.varying[list(parents)].tolist())
        return above

    def _pools(self, part: Dataset) -> list[np.ndarray] | None:
        """Return the possible parents of each variable if there are very many, else None."""
        if not self.bounded:
            return None
        near = PairStatistics(part, self.n_jobs).heaviest(["MI"], most=PARTNERS)
        return [np.sort(partners) for partners in near]

    def _search_anew(
        self, part: Dataset, pools: Sequence[np.ndarray] | None
    ) -> Sequence[tuple[int, ...]]:
        """Learn a network without an order to begin with; its own order is kept."""
        options: dict[str, Any] = {"search": SEARCH, "sampling": SAMPLING, "score": self.score}
        if pools is not None:
            pairs = [(u, v) for v, partners in enumerate(pools) for u in partners.tolist()]
            options["candidates"] = Candidates.of_pairs(part.n_variables, np.array(pairs))
        with warnings.catch_warnings():  # the completions that are kept are learned again
            warnings.simplefilter("ignore", ConvergenceWarning)
            learned = LEARNERS["model-averaging"](
                part,
                knowledge=self.knowledge,
                random_state=self.rng,
                n_jobs=self.n_jobs,
                n_graphs=1,
                **options,
            )
        assert learned.graphs is not None
        parents = learned.graphs.parents_of(0)
        self.keys = _order_of(parents)
        if self.score.finds_density:
            self.density = learned.diagnostics.density
        return parents

    def _search_on(
        self, part: Dataset, pools: Sequence[np.ndarray] | None
    ) -> Sequence[tuple[int, ...]]:
        """Search along the last order, sample it on, and draw a network given the order."""
        n, keys = part.n_variables, self.keys
        assert keys is not None
        score = replace(self.score, density=self.density)
        search = ParentSetSearch(part, score, SEARCH, self.n_jobs, self.knowledge)
        possible = [np.arange(n)] * n if pools is None else pools
        before = [u[keys[u] < keys[v]] for v, u in enumerate(possible)]
        search.explore(before, 0, extensions=pools)
        finds = self.score.finds_density
        rounds = RoundSearch(search, pools, finds, SAMPLING, self.rng, self.n_jobs)
        result = rounds.run([keys], FURTHER_ROUNDS, 1)
        starts = [result.orders[0].keys]
        (self.keys,) = walk_orders(result.sets, starts, WALK, self.rng, self.n_jobs)
        self.density = result.prior.density
        chosen = np.empty(n, np.int32)
        _draws.draw_given_order(result.sets.lists, self.keys, self.rng, chosen)
        found: list[list[int]] = [[] for _ in range(n)]
        for u, v in zip(*_draws.list_edges(result.sets.lists, chosen), strict=True):
            found[int(v)].append(int(u))
        return [tuple(sorted(parents)) for parents in found]


def _order_of(parents: Sequence[tuple[int, ...]]) -> np.ndarray:
    """Return keys that put the parents of every variable before it.

    >>> _order_of([(1,), (), (0, 1)]).argsort().tolist()
    [1, 0, 2]
    """
    depth = np.full(len(parents), -1)

    def visit(v: int) -> None:
        """Give a variable its depth after those of its parents, without recursion."""
        waiting = [v]
        while waiting:
            last = waiting[-1]
            open_ = [u for u in parents[last] if depth[u] < 0]
            waiting += open_
            if not open_:
                depth[last] = max((depth[u] + 1 for u in parents[last]), default=0)
                waiting.pop()

    for v in range(len(parents)):
        if depth[v] < 0:
            visit(v)
    keys = np.empty(len(parents))
    keys[np.argsort(depth, kind="stable")] = (np.arange(len(parents)) + 0.5) / len(parents)
    return keys
