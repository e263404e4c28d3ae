"""MMHC: max-min parents and children, then hill climbing among them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lsbn import parallel
from lsbn.data import Dataset
from lsbn.kernels import separation as _separation
from lsbn.learners.base import Candidates, Learned
from lsbn.learners.greedy import Climbing, canonical_order, climb_within
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
    effort: Climbing = Climbing(),  # noqa: B008
    candidates: Candidates | None = None,
    pairs: PairStatistics | None = None,
    random_state: int | np.random.Generator | None = None,
    n_jobs: int | None = 1,
) -> Learned:
    """Learn one graph by max-min hill climbing (Tsamardinos, Brown & Aliferis 2006).

    Parameters
    ----------
    dataset : Dataset
    alpha : float, optional
        Level of the G2 tests; `lsbn.learners.independence.default_alpha` if left out.
    max_size : int
        Largest conditioning set.
    score, max_parents, effort
        Those of `lsbn.learners.greedy.learn_greedy`, which climbs within the pairs found.
    candidates : Candidates, optional
        Where to look for max-min neighbours, and pairs to climb among in any case.
    pairs : PairStatistics, optional
        Of the same dataset, if they are at hand.
    random_state : int, Generator or None
        Seeds the kicks of the climb.
    n_jobs : int, optional
        Threads for the tests.

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
    )
    notes = {"alpha": alpha, "candidate_pairs": len(allowed), **learned.diagnostics}
    return Learned(learned.edges, notes)


def _allowed_pairs(
    pairs: PairStatistics,
    candidates: Candidates | None,
    alpha: float,
    max_size: int,
    n_jobs: int | None,
) -> np.ndarray:
    """Pairs to climb among: mutual max-min neighbours, and what the framework joined."""
    dataset = pairs.dataset
    if candidates is not None:
        pools = candidates.neighbours
        found = max_min_pairs(dataset, alpha, max_size, pools=pools, n_jobs=n_jobs)
        return np.unique(np.concatenate([found, candidates.joined]), axis=0)
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
    """Pairs of which each is among the other's max-min parents and children (MMPC).

    Parameters
    ----------
    dataset : Dataset
    alpha, max_size
        See `learn_mmhc`.
    pools : sequence of int arrays, optional
        Where to look for the neighbours of each variable; everywhere by default.
    n_jobs : int, optional

    Returns
    -------
    (m, 2) int array
        ``x < y`` in every row, rows sorted.
    """
    data = arrays_for_tests(dataset)
    varying = np.flatnonzero(dataset.cards > 1)

    def neighbours(t: int) -> np.ndarray:
        pool = varying[varying != t] if pools is None else np.intersect1d(pools[t], varying)
        return _separation.max_min_neighbours(data, t, pool, math.log(alpha), max_size)

    found = parallel.run(neighbours, varying.tolist(), n_jobs)
    near = {t: set(some.tolist()) for t, some in zip(varying.tolist(), found, strict=True)}
    pairs = [(x, y) for x in near for y in sorted(near[x]) if x < y and x in near[y]]
    return np.array(pairs, np.int64).reshape(-1, 2)
