"""MMHC: find max-min parents and children by tests, then climb among these pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lsbn import parallel
from lsbn.data import Dataset
from lsbn.kernels import separation as _separation
from lsbn.knowledge import Constraints
from lsbn.learners.base import Candidates, Learned
from lsbn.learners.greedy import STANDARD_CLIMBING, Climbing, canonical_order, climb_within
from lsbn.learners.independence import arrays_for_tests, checked_alpha
from lsbn.learners.scoring import PUBLISHED, Score
from lsbn.pairs import PairStatistics

__all__ = ["learn_mmhc", "max_min_pairs"]


def learn_mmhc(
    dataset: Dataset,
    *,
    alpha: float | None = None,
    max_size: int = 3,
    score: Score | str = PUBLISHED,
    max_parents: int = 8,
    effort: Climbing = STANDARD_CLIMBING,
    candidates: Candidates | None = None,
    knowledge: Constraints | None = None,
    pairs: PairStatistics | None = None,
    random_state: int | np.random.Generator | None = None,
    n_jobs: int | None = 1,
) -> Learned:
    """Learn one graph by max-min hill climbing (Tsamardinos, Brown & Aliferis 2006).

    Parameters
    ----------
    dataset : Dataset
    alpha : float, optional
        Level of the G2 tests. By default `lsbn.learners.independence.default_alpha`.
    max_size : int
        Size of the largest conditioning set.
    score, max_parents, effort
        See `lsbn.learners.greedy.learn_greedy`. The search is restricted to the max-min pairs.
    candidates : Candidates, optional
        Max-min neighbours are searched among the candidate neighbours. The pairs that Mergence
        joined may have an edge in any case.
    knowledge : Constraints, optional
        Required edges may be outside of the max-min pairs.
    pairs : PairStatistics, optional
        Statistics of the same dataset. By default they are computed here.
    random_state : int, Generator or None
        Seed of the kicks.
    n_jobs : int, optional
        Number of threads for the tests.

    Returns
    -------
    Learned
        Directed edges with probability 1.
    """
    alpha = checked_alpha(alpha, dataset.n_variables)
    pairs = pairs or PairStatistics(dataset)
    allowed = _allowed_pairs(pairs, candidates, alpha, max_size, n_jobs)
    learned = climb_within(
        pairs,
        allowed,
        score=Score.of(score),
        max_parents=max_parents,
        effort=effort,
        rng=np.random.default_rng(random_state),
        knowledge=knowledge,
    )
    diagnostics = replace(learned.diagnostics, alpha=alpha, candidate_pairs=len(allowed))
    return Learned(learned.edges, diagnostics)


def _allowed_pairs(
    pairs: PairStatistics,
    candidates: Candidates | None,
    alpha: float,
    max_size: int,
    n_jobs: int | None,
) -> np.ndarray:
    """Return the pairs that may have an edge: max-min pairs, and pairs that Mergence joined."""
    dataset = pairs.dataset
    if candidates is not None:
        pools = candidates.neighbours
        mutual = max_min_pairs(dataset, alpha, max_size, pools=pools, n_jobs=n_jobs)
        return np.unique(np.concatenate([mutual, candidates.joined]), axis=0)
    order = canonical_order(pairs)
    return order[max_min_pairs(dataset.select(order.tolist()), alpha, max_size, n_jobs=n_jobs)]


def max_min_pairs(
    dataset: Dataset,
    alpha: float,
    max_size: int = 3,
    *,
    pools: Sequence[np.ndarray] | None = None,
    n_jobs: int | None = 1,
) -> np.ndarray:
    """Return the pairs in which each variable is a max-min neighbour of the other (MMPC).

    Parameters
    ----------
    dataset : Dataset
    alpha, max_size
        See `learn_mmhc`.
    pools : sequence of int arrays, optional
        Candidate neighbours of each variable. By default all variables.
    n_jobs : int, optional
        Number of threads.

    Returns
    -------
    (m, 2) int array
        ``x < y`` in every row, rows sorted.
    """
    data = arrays_for_tests(dataset)
    varying = np.flatnonzero(dataset.cards > 1)

    def neighbours_of(t: int) -> np.ndarray:
        """Return the max-min parents and children of variable t."""
        pool = varying[varying != t] if pools is None else np.intersect1d(pools[t], varying)
        return _separation.max_min_neighbours(data, t, pool, math.log(alpha), max_size)

    lists = parallel.run(neighbours_of, varying.tolist(), n_jobs)
    pc = {t: set(members.tolist()) for t, members in zip(varying.tolist(), lists, strict=True)}
    pairs = [(x, y) for x in pc for y in sorted(pc[x]) if x < y and x in pc[y]]
    return np.array(pairs, np.int64).reshape(-1, 2)
