"""Bayesian model averaging over orders: exact for few variables, sampled for any number.

The posterior of an edge is its share in the sum over all orders and all parent sets that agree
with the order (Friedman & Koller 2003; the paper's Section IV-B, step 3). A graph counts as often
as it has orders; among few variables it may count once.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from lsbn.data import Dataset
from lsbn.graph import EdgeProbabilities
from lsbn.kernels import orders as _orders
from lsbn.kernels.subsets import exact_edge_posteriors, exact_graph_posteriors
from lsbn.learners.base import Candidates, Learned
from lsbn.learners.parent_sets import (
    FINE_STEP,
    TABLE_CANDIDATES,
    Effort,
    ParentSets,
    ParentSetSearch,
)
from lsbn.learners.scoring import Score
from lsbn.pairs import PairStatistics
from lsbn.parallel import run

METHODS = ("auto", "exact", "sampled")
COUNTS = {"orders": exact_edge_posteriors, "graphs": exact_graph_posteriors}
"""What may be counted alike, and how its posterior is found."""
GRAPH_LIMIT = 12
"""Most variables whose graphs are counted once."""
LISTED = 10_000
"""Parent sets of a variable that are all scored rather than searched."""
REACH = 1024
"""With more variables than this, parents are searched only near the pools that are given."""
EXPLORED = 256
"""Orders times variables by which a round searches parents: few variables can afford several."""
_FIRST_LOOK = 256
"""Most free parameters of a family that is grown before there is an order: children crowd into the
sets of their parents, which are then large, slow to count, and of no use later."""
_FEW = 64
"""With more variables than this, no order is searched before the first round, and the mixed score
searches only around what tables found."""
_REFITS = 10
"""Most times that the density is found again."""
_BETAS = np.array([0.05, 0.1, 0.2, 0.4, 0.7, 1.0])
_THIN = 2
_PILOT = 100
_CORE_MARGIN = 3.0
"""A set that a subset beats by so much (in nats) has no say in where the orders are searched."""
_UNCOUNTED = 5e-5
"""A set with a smaller share of its variable's posterior is left out of the average."""
_LIGHT = 0.03
"""Sets with no more than this share of their variable's posterior, together, are left out when
orders are sampled; in each order they count."""
WORSE_MODE = 10.0
"""A chain whose mean log score is so far below the best one's is in a mode that hardly counts."""


@dataclass(frozen=True)
class Sampling:
    """How long to sample.

    Attributes
    ----------
    chains : int
        Chains, half of them from random orders.
    sweeps : int
        Sweeps of each chain between two looks at convergence.
    least_steps, most_steps : int
        Draws of single keys in a chain before which sampling never stops, and after which it
        stops in any case.
    tolerance : float
        Sampling stops when the standard error of every edge, by the spread of chains and of their
        parts, is below this.
    rounds : int
        Most rounds of searching parent sets again in the light of the best order.
    gain : float
        A round is idle if it raises the log score by less than this.
    patience : int
        Rounds end after so many idle ones.
    """

    chains: int = 4
    sweeps: int = 100
    least_steps: int = 40_000
    most_steps: int = 200_000
    tolerance: float = 0.02
    rounds: int = 20
    gain: float = 1.0
    patience: int = 2

    def __post_init__(self) -> None:
        if self.chains < 1 or self.sweeps < _THIN or self.rounds < 0 or self.patience < 1:
            raise ValueError(
                f"sampling needs at least one chain, {_THIN} sweeps and a patience of 1, and no "
                f"negative number of rounds: {self}"
            )

    def exhaustive(self) -> Sampling:
        """Ask for more precision, as few variables can afford."""
        return replace(
            self,
            tolerance=min(self.tolerance, 0.006),
            most_steps=4 * self.most_steps,
        )


def learn_model_averaging(
    dataset: Dataset,
    *,
    score: Score | str | None = None,
    method: str = "auto",
    max_parents: int | None = None,
    exact_limit: int = 16,
    effort: Effort | None = None,
    sampling: Sampling | None = None,
    count: str = "orders",
    candidates: Candidates | None = None,
    pairs: PairStatistics | None = None,
    random_state: Any = None,
    n_jobs: int = 1,
) -> Learned:
    """Average over all networks and give the posterior of every edge.

    Parameters
    ----------
    dataset : Dataset
    score : Score or str, optional
        Or the name of its kind. By default the mixed score, with the density found from the data.
    method : {"auto", "exact", "sampled"}
        ``auto`` is exact up to `exact_limit` variables that are not constant. Exact takes memory
        and time in proportion to ``n 2**n``; 20 variables are comfortable.
    max_parents : int, optional
        Bound on the parents of a variable. By default 8, or as many as leave ten thousand sets
        for each variable where all are scored.
    exact_limit : int
    effort, sampling : Effort, Sampling, optional
        How hard to search parent sets, how long to sample orders.
    count : {"orders", "graphs"}
        Whether a graph counts as often as it has orders, which favours graphs with few edges, or
        once. The latter is exact, for up to 12 variables.
    candidates : Candidates, optional
        Where to look for the parents of each variable at first; everywhere by default.
    pairs : ignored
        The search counts for itself.
    random_state : int, SeedSequence or Generator, optional
    n_jobs : int
        Threads; the answer does not depend on it.

    Returns
    -------
    Learned
    """
    del pairs
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}; there are {', '.join(METHODS)}")
    if max_parents is not None and max_parents < 1:
        raise ValueError(f"max_parents must be at least 1, not {max_parents}")
    if count not in COUNTS:
        raise ValueError(f"unknown count {count!r}; there are {', '.join(COUNTS)}")
    score = Score.of(score)
    varying = np.flatnonzero(dataset.cards > 1)
    if count == "graphs" and (method == "sampled" or len(varying) > GRAPH_LIMIT):
        raise ValueError(
            f"graphs are counted once by the exact method, for up to {GRAPH_LIMIT} variables that "
            f"are not constant, of which there are {len(varying)}: use count='orders'"
        )
    if len(varying) < 2:
        return _learned(dataset, varying, sparse.csr_array((len(varying),) * 2), {"method": "none"})
    part = dataset.select(varying) if len(varying) < dataset.n_variables else dataset
    few = count == "graphs" or len(varying) <= exact_limit
    exact = method == "exact" or (method == "auto" and few)
    bound = _parent_bound(part.n_variables, max_parents)
    if exact:
        matrix, diagnostics = _exact(part, score, bound, count, n_jobs)
    else:
        rng = np.random.default_rng(random_state)
        effort = (effort or Effort()).bounded(max_parents)
        sampler = OrderSampler(part, score, effort, sampling or Sampling(), rng, n_jobs)
        if _is_small(part.n_variables, bound, max_parents):
            matrix, diagnostics = sampler.run_exhaustive(bound)
        else:
            pools = None if candidates is None else candidates.neighbours
            matrix, diagnostics = sampler.run(_within(pools, varying, dataset.n_variables))
    return _learned(dataset, varying, matrix, diagnostics)


def _learned(
    dataset: Dataset, varying: np.ndarray, matrix: sparse.csr_array, notes: dict
) -> Learned:
    """Put the variables that are not constant back into their places."""
    n = dataset.n_variables
    if len(varying) < n:
        entries = matrix.tocoo()
        places = (varying[entries.row], varying[entries.col])
        matrix = sparse.csr_array((entries.data, places), shape=(n, n))
    return Learned(EdgeProbabilities(matrix, dataset.names), notes)


def _within(
    pools: Sequence[np.ndarray] | None, varying: np.ndarray, n: int
) -> list[np.ndarray] | None:
    """Translate pools to the numbering of the variables that are not constant."""
    if pools is None:
        return None
    place = np.full(n, -1)
    place[varying] = np.arange(len(varying))
    moved = [place[np.asarray(pools[v], np.int64)] for v in varying]
    return [np.unique(pool[pool >= 0]) for pool in moved]


def _rows(matrix: sparse.csr_array) -> list[np.ndarray]:
    """Columns of the entries of each row, ascending."""
    matrix.sort_indices()
    return np.split(matrix.indices.astype(np.int64), matrix.indptr[1:-1])


def _weighty(start: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Mark all but the lightest sets of each variable, which together have `_LIGHT` at most."""
    heavy = np.empty(len(share), bool)
    for v in range(len(start) - 1):
        own = slice(*start[v : v + 2])
        order = np.argsort(share[own], kind="stable")
        heavy[own][order] = np.cumsum(share[own][order]) > _LIGHT
    return heavy


def _parent_bound(n: int, max_parents: int | None) -> int:
    """Most parents such that no variable has more than `LISTED` sets, at most 8."""
    if max_parents is not None:
        return max(1, min(max_parents, n - 1))
    total, k = 1, 0
    while k < min(8, n - 1) and total + comb(n - 1, k + 1) <= LISTED:
        k += 1
        total += comb(n - 1, k)
    return max(k, 2 if n > 2 else 1)


def _is_small(n: int, bound: int, asked: int | None) -> bool:
    """Say whether all sets of as many parents as were asked for, or of four, can be tabulated."""
    enough = bound >= min(4 if asked is None else asked, n - 1)
    listed = sum(comb(n - 1, k) for k in range(bound + 1)) <= LISTED
    return enough and listed and n - 1 <= TABLE_CANDIDATES


def _exact(dataset: Dataset, score: Score, bound: int, count: str, n_jobs: int) -> tuple:
    """Average over all parent sets, with the density that is expected in their average."""
    n = dataset.n_variables
    if n > 25:
        raise ValueError(
            f"exact model averaging over {n} variables would take 2**{n} sums: use method='sampled'"
        )
    search = ParentSetSearch(dataset, score, Effort().bounded(bound), n_jobs)
    search.enumerate_all()
    posterior, evidence = COUNTS[count](n, *search.as_subsets())
    for _ in range(_REFITS if score.finds_density else 0):
        if not search.find_density(posterior.sum(), FINE_STEP):
            break
        posterior, evidence = COUNTS[count](n, *search.as_subsets())
    diagnostics = {"method": "exact", "max_parents": bound, "log_evidence": float(evidence)}
    return sparse.csr_array(posterior), diagnostics | _density(search.score)


def _density(score: Score) -> dict[str, float]:
    """Prior probability of an edge, if the score has one."""
    return {} if score.density is None else {"density": score.density}


class OrderSampler:
    """Finds parent sets, samples orders and averages the edge posteriors.

    Parameters
    ----------
    dataset : Dataset
        Without constant variables.
    score, effort, sampling
        See `learn_model_averaging`.
    rng : numpy.random.Generator
    n_jobs : int
    """

    def __init__(
        self,
        dataset: Dataset,
        score: Score,
        effort: Effort,
        sampling: Sampling,
        rng: np.random.Generator,
        n_jobs: int,
    ) -> None:
        self.search = ParentSetSearch(dataset, score, effort, n_jobs)
        self.score = score
        self.sampling = sampling
        self.rng = rng
        self.n_jobs = n_jobs

    def run_exhaustive(self, max_parents: int) -> tuple[sparse.csr_array, dict[str, Any]]:
        """Average over all parent sets up to a bound."""
        self.search.enumerate_all(max_parents)
        self.sampling = self.sampling.exhaustive()
        sets = self.search.listed()
        starts = self._starts(sets, None)
        for _ in range(_REFITS if self.score.finds_density else 0):
            if not self.search.find_density(self._expected_edges(sets, starts), FINE_STEP):
                break
            sets = self.search.listed()
            starts = self._starts(sets, starts[0][0])
        return self._averaged(sets, sets, starts, [])

    def _expected_edges(self, sets: ParentSets, starts: list) -> float:
        """Posterior mean of the number of edges, by a few orders sampled on from the best."""
        keys, rng = starts[0][0].copy(), self.rng.spawn(1)[0]
        share = _orders.set_shares(sets.lists, sets.links, keys, _PILOT, rng, sets.lists)
        bits = np.unpackbits(sets.lists[1].view(np.uint8).reshape(-1, 8), axis=1)
        return float(share @ bits.sum(axis=1))

    def _denser(self, keys: np.ndarray) -> bool:
        """Find the density by the number of edges in an order; say whether it is new."""
        if not self.score.finds_density:
            return False
        return self.search.find_density(self.search.expected_edges(keys))

    def run(
        self, pools: Sequence[np.ndarray] | None = None
    ) -> tuple[sparse.csr_array, dict[str, Any]]:
        """Average over parent sets that are searched, at first in the pools."""
        sets, starts, history = self._search(pools)
        return self._averaged(*self._counted(sets, starts), starts, history)

    def _averaged(
        self, sets: ParentSets, core: ParentSets, starts: list, history: list[float]
    ) -> tuple[sparse.csr_array, dict[str, Any]]:
        matrix, diagnostics = _average(sets, self._sample(sets, core, starts))
        diagnostics |= _density(self.search.score)
        diagnostics["rounds"] = [round(float(best), 3) for best in history]
        _warn_if_apart(diagnostics)
        return matrix, diagnostics

    def _search(self, pools: Sequence[np.ndarray] | None) -> tuple[ParentSets, list, list[float]]:
        """Sample orders and search parents among the predecessors in the best, in rounds.

        After a round without gain all annealed orders are searched, but only variables whose best
        set there is new. The mixed score is slow: tables show first where to look; then no
        variable is searched twice with the same best set, and the first idle round is the last.
        """
        search, n = self.search, self.search.dataset.n_variables
        search.rescore(self.score.tables())
        room = _FIRST_LOOK if self.sampling.rounds else None
        search.explore(pools or [np.arange(n)] * n, 0, near=pools, room=room)
        bounds = pools if n > REACH else None
        if n <= _FEW:
            self._explore_by(self.rng.random(n), 0, bounds, room=room)

        def look(starts: list, stamp: int, idle: int) -> None:
            again = search.score.kind == "mixed"
            pools = search.candidates() if again and n > _FEW else bounds
            for order, _ in starts if idle else starts[: max(1, EXPLORED // n)]:
                done = search.settled(order) if idle or again else None
                self._explore_by(order, stamp, pools, done, everywhere=not again)

        sets, starts, history = self._rounds(None, look, self.sampling.patience)
        if self.score.kind == "mixed":
            search.rescore(replace(search.score, kind="mixed"))
            sets, starts, more = self._rounds(starts[0][0], look, 1)
            history += more
        return sets, starts, history

    def _rounds(
        self, keys: np.ndarray | None, look: Callable[[list, int, int], None], patience: int
    ) -> tuple[ParentSets, list, list[float]]:
        """Anneal orders and look for more sets by turns, until the log score no longer rises."""
        best, idle = -np.inf, 0
        history: list[float] = []
        for stamp in range(1, self.sampling.rounds + 2):
            sets = self.search.listed(keys)
            starts = self._starts(sets.undominated(_CORE_MARGIN), keys)
            keys, score = starts[0]
            history.append(score)
            idle = 0 if score > best + self.sampling.gain else idle + 1
            best = max(best, score)
            if stamp <= self.sampling.rounds and self._denser(keys):
                idle, best = 0, -np.inf
            if idle == patience or stamp > self.sampling.rounds:
                break
            look(starts, stamp, idle)
        return sets, starts, history

    def _counted(self, sets: ParentSets, starts: list) -> tuple[ParentSets, ParentSets]:
        """Give the sets that count in orders near the best ones, and the weighty ones of them.

        Each start samples for a while to show the share of every set. Chains over the weighty ones
        are many times faster.
        """
        core = sets.undominated(_CORE_MARGIN)
        best = starts[0][1]
        near = [keys.copy() for keys, score in starts if score > best - WORSE_MODE]

        def visit(item: tuple) -> np.ndarray:
            keys, rng = item
            return _orders.set_shares(core.lists, core.links, keys, _PILOT, rng, sets.lists)

        found = run(visit, list(zip(near, self.rng.spawn(len(near)), strict=True)), self.n_jobs)
        share = np.max(found, axis=0)
        return sets.only(share > _UNCOUNTED), sets.only(_weighty(sets.lists[0], share))

    def _explore_by(
        self,
        keys: np.ndarray,
        stamp: int,
        pools: Sequence[np.ndarray] | None,
        done: np.ndarray | None = None,
        room: int | None = None,
        everywhere: bool = True,
    ) -> None:
        """Search parents of the variables that are not done among those that come before.

        With pools, only these and what is within two steps in the best graph of the order are
        looked at. Where one more parent would help is asked `everywhere` in rounds 1, 2, 4, 8 and
        16: a parent that shows only beside others is in no pool, and each time costs a pass over
        all pairs. The average is then over what was found, which need not be all that counts.
        """
        n = len(keys)
        near = [np.arange(n)] * n if pools is None else self._around(pools, keys)
        first = [
            None if done is not None and done[v] else u[keys[u] < keys[v]]
            for v, u in enumerate(near)
        ]
        everywhere = pools is None or (everywhere and stamp.bit_count() == 1)
        self.search.explore(first, stamp, near=None if everywhere else near, room=room)

    def _around(self, pools: Sequence[np.ndarray], keys: np.ndarray) -> list[np.ndarray]:
        """Pools, and what is within two steps in the best graph of an order."""
        n = len(pools)
        start, members = self.search.best_parents(keys)
        links = sparse.csr_array((np.ones(len(members)), members, start), shape=(n, n))
        links = links + links.T
        start = np.concatenate([[0], np.cumsum([len(pool) for pool in pools])])
        given = sparse.csr_array((np.ones(start[-1]), np.concatenate(pools), start), shape=(n, n))
        return _rows(sparse.csr_array(given + links + links @ links))

    def _starts(self, sets: ParentSets, keys: np.ndarray | None) -> list:
        """Orders to start from, best first: annealed from random ones, and the given one."""
        n = sets.n_variables
        fresh = max(1, self.sampling.chains // 2)
        firsts = [(self.rng.random(n), _BETAS, 10) for _ in range(fresh)]
        if keys is not None:
            firsts.append((keys.copy(), _BETAS[-1:], 30))

        def settle(item: tuple) -> tuple[np.ndarray, float]:
            (keys, betas, sweeps), rng = item
            return keys, _orders.anneal(sets.lists, sets.links, keys, betas, sweeps, rng)

        settled = run(
            settle, list(zip(firsts, self.rng.spawn(len(firsts)), strict=True)), self.n_jobs
        )
        return sorted(settled, key=lambda start: -start[1])

    def _sample(self, sets: ParentSets, core: ParentSets, starts: list) -> list[_Chain]:
        """Run chains of orders over the core until the posteriors over all sets agree."""
        s = self.sampling
        rngs = self.rng.spawn(s.chains)
        chains = [
            _Chain(starts[c % len(starts)][0].copy(), len(sets.lists[4]), rngs[c])
            for c in range(s.chains)
        ]
        least = max(2 * s.sweeps, s.least_steps // sets.n_variables)
        most = max(least, s.most_steps // sets.n_variables)
        while True:
            run(lambda chain: chain.advance(sets, core, s.sweeps), chains, self.n_jobs)
            done = chains[0].sweeps
            if done >= most:
                return chains
            if done >= least and _standard_error(_kept(chains)) < s.tolerance:
                return chains


class _Chain:
    """One chain: its keys, and sums over its parts after the first."""

    def __init__(self, keys: np.ndarray, size: int, rng: np.random.Generator) -> None:
        self.keys, self.rng = keys, rng
        self.total, self.squares = np.zeros(size), np.zeros(size)
        self.part_squares = np.zeros(size)
        self.scores: list[np.ndarray] = []
        self.sweeps = self.parts = 0

    def advance(self, sets: ParentSets, core: ParentSets, sweeps: int) -> None:
        """Sample one more part. The first is forgotten when the second comes."""
        part, squares = np.zeros_like(self.total), np.zeros_like(self.total)
        arguments = (core.lists, core.links, self.keys, sweeps, _THIN, self.rng)
        scores = _orders.sample(*arguments, sets.lists, part, squares)
        if self.sweeps == sweeps:
            self.total[:], self.squares[:], self.part_squares[:] = 0.0, 0.0, 0.0
            self.scores.clear()
            self.parts = 0
        self.total += part
        self.squares += squares
        self.part_squares += (part / len(scores)) ** 2
        self.scores.append(scores)
        self.sweeps += sweeps
        self.parts += 1

    @property
    def draws(self) -> int:
        """Number of orders in the sums."""
        return sum(len(part) for part in self.scores)

    @property
    def mean(self) -> np.ndarray:
        """Mean edge posterior of this chain."""
        return self.total / self.draws

    @property
    def log_score(self) -> float:
        """Mean log score of the orders."""
        return float(np.mean(np.concatenate(self.scores)))


def _kept(chains: list[_Chain]) -> list[_Chain]:
    """Chains that are not plainly in a worse mode than the best one.

    Chains that do not reach each other must not be averaged as if they had mixed: one whose mean
    log score is `WORSE_MODE` nats below the best would hardly ever be visited.
    """
    best = max(chain.log_score for chain in chains)
    return [chain for chain in chains if chain.log_score > best - WORSE_MODE]


def _standard_error(chains: list[_Chain]) -> float:
    """Largest standard error of an edge, by the spread of chains or of their parts."""
    if not len(chains[0].total):
        return 0.0
    means = np.array([chain.mean for chain in chains])
    parts = sum(chain.parts for chain in chains)
    second = sum(chain.part_squares for chain in chains) / parts
    by_parts = np.maximum(second - means.mean(axis=0) ** 2, 0.0) / max(parts - 1, 1)
    by_chains = means.var(axis=0, ddof=1) / len(chains) if len(chains) > 1 else by_parts
    return float(np.sqrt(np.maximum(by_parts, by_chains).max()))


def _average(sets: ParentSets, chains: list[_Chain]) -> tuple[sparse.csr_array, dict[str, Any]]:
    """Average the chains that are kept."""
    kept = _kept(chains)
    n = sets.n_variables
    means = np.array([chain.mean for chain in kept])
    mean = np.clip(means.mean(axis=0), 0.0, 1.0)
    diagnostics: dict[str, Any] = {
        "method": "sampled",
        "chains": len(chains),
        "chains_kept": len(kept),
        "sweeps": chains[0].sweeps,
        "log_scores": [round(chain.log_score, 3) for chain in chains],
        "parent_sets": len(sets.lists[1]),
        "candidates": len(sets.lists[4]),
    }
    diagnostics |= _convergence(kept, means)
    parent, child = sets.edges()
    matrix = sparse.csr_array((mean, (parent, child)), shape=(n, n))
    matrix.eliminate_zeros()
    return matrix, diagnostics


def _convergence(kept: list[_Chain], means: np.ndarray) -> dict[str, Any]:
    """R-hat and effective sample size of the least certain edge, and its standard error."""
    draws, m = kept[0].draws, len(kept)
    within = np.mean([chain.squares / draws - chain.mean**2 for chain in kept], axis=0)
    within = np.maximum(within, 0.0)
    between = means.var(axis=0, ddof=1) if m > 1 else np.zeros_like(within)
    uncertain = within + between > 1e-6
    within, between = within[uncertain], between[uncertain]
    rhat = np.sqrt(1.0 + between / np.maximum(within, 1e-9))
    size = (within + between) / np.maximum(between / m, 1e-12)
    return {
        "r_hat": round(float(min(rhat.max(initial=1.0), 1e3)), 4),
        "r_hat_above_1.1": int((rhat > 1.1).sum()),
        "effective_sample_size": round(float(size.min(initial=draws * m)), 1),
        "standard_error": round(_standard_error(kept), 4),
    }


def _warn_if_apart(diagnostics: dict[str, Any]) -> None:
    lost = diagnostics["chains"] - diagnostics["chains_kept"]
    error = diagnostics["standard_error"]
    if error > 0.1 or diagnostics["chains_kept"] == 1 < diagnostics["chains"]:
        warnings.warn(
            f"chains disagree after {diagnostics['sweeps']} sweeps: standard error of an edge up "
            f"to {error:.2f}, R-hat up to {diagnostics['r_hat']:.2f} "
            f"({diagnostics['r_hat_above_1.1']} edges above 1.1), {lost} of "
            f"{diagnostics['chains']} chains left out in worse modes; more sweeps may help, or "
            f"columns may be copies of each other",
            ConvergenceWarning,
            stacklevel=5,
        )
