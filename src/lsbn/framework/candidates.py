"""The last pass: the learner once more, over all variables, with what communities proposed.

A community cannot see all that bears on its edges; the whole can. Where looking everywhere is too
much, the communities have said where to look.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from lsbn.data import Dataset
from lsbn.framework.blankets import blanket_candidates, markov_blankets
from lsbn.framework.subcommunities import expanded_community
from lsbn.graph import EdgeProbabilities
from lsbn.learners import (
    PUBLISHED,
    Learned,
    Score,
    learn_aracne,
    learn_greedy,
    learn_model_averaging,
    learn_pc,
)
from lsbn.learners.aracne import pair_level
from lsbn.learners.averaging import SearchSettings
from lsbn.learners.mmhc import max_min_pairs
from lsbn.learners.pc import adjacency, default_alpha
from lsbn.parallel import threads

__all__ = ["candidate_pools", "final_pass"]

LEAST_PROBABILITY = 0.01
_PARTNERS = 16
_JOINED = 0.5


def candidate_pools(
    communities: Sequence[np.ndarray],
    blankets: Sequence[np.ndarray],
    partners: Sequence[np.ndarray],
    proposed: Any,
    *,
    expanded: bool = True,
) -> list[np.ndarray]:
    """Where to look for the neighbours of each variable.

    Parameters
    ----------
    communities : sequence of int arrays
        All members of the communities that hold a variable are in its pool.
    blankets, partners : sequences of int arrays
        So are its Markov blanket and some of its heaviest partners: where a few strong relations
        raise the mean weight, the blankets were looked for among too few.
    proposed : sparse array
        And the variables that Mergence joined to it with a probability above 0.01.
    expanded : bool
        Whether it is the expanded communities that count. Their members grow with the number of
        variables. Otherwise the blankets of a blanket's members stand in for them.

    Returns
    -------
    list of int arrays
        Ascending, for each variable.
    """
    near: list[set[int]] = [
        {*b.tolist(), *p.tolist()} for b, p in zip(blankets, partners, strict=True)
    ]
    for community in communities:
        wide = expanded_community(community, blankets) if expanded else community
        members = set(wide.tolist())
        for v in members:
            near[v] |= members
    for v, blanket in enumerate(() if expanded else blankets):
        near[v].update(u for w in blanket.tolist() for u in blankets[w].tolist())
    both = (proposed + proposed.T).tocoo()
    for u, v, p in zip(both.row.tolist(), both.col.tolist(), both.data.tolist(), strict=True):
        if p > LEAST_PROBABILITY:
            near[u].add(v)
    return [np.array(sorted(some - {v}), np.int64) for v, some in enumerate(near)]


def final_pass(
    dataset: Dataset,
    learner: str,
    merged: Learned,
    communities: Sequence[np.ndarray],
    blankets: Sequence[np.ndarray],
    *,
    score: Score | None = None,
    random_state: Any = None,
    n_jobs: int | None = 1,
) -> Learned:
    """Settle the whole.

    Parameters
    ----------
    dataset : Dataset
    learner : str
    merged : Learned
        What Mergence gave.
    communities, blankets : sequences of int arrays
    score : Score, optional
        In place of the learner's own, if it has one.
    random_state : int, SeedSequence or Generator, optional
    n_jobs : int, optional

    Returns
    -------
    Learned
    """
    rng = np.random.default_rng(random_state)
    whole = _Whole(dataset, communities, blankets, merged, score, rng, threads(n_jobs))
    return _SETTLERS[learner](whole)


@dataclass(frozen=True)
class _Whole:
    """All that a last pass may look at."""

    dataset: Dataset
    communities: Sequence[np.ndarray]
    blankets: Sequence[np.ndarray]
    merged: Learned
    score: Score | None
    rng: np.random.Generator
    n_jobs: int

    @cached_property
    def pools(self) -> list[np.ndarray]:
        """Where to look for the neighbours of each variable: a pass over all pairs."""
        dataset, proposed = self.dataset, self.merged.edges.matrix
        partners = blanket_candidates(dataset, weights=("MI",), above_mean=False, most=_PARTNERS)
        few = dataset.n_variables <= SearchSettings.max_unrestricted
        return candidate_pools(self.communities, self.blankets, partners, proposed, expanded=few)


def _settle_model_averaging(whole: _Whole) -> Learned:
    """Search parents, in the pools first if the variables are many, and sample orders.

    Up to `SearchSettings.max_unrestricted` variables all are looked at from the beginning: on link
    that reached a higher log score in the same time.
    """
    pools = whole.pools if whole.dataset.n_variables > SearchSettings.max_unrestricted else None
    options: dict[str, Any] = {"random_state": whole.rng, "n_jobs": whole.n_jobs}
    return learn_model_averaging(whole.dataset, score=whole.score, pools=pools, **options)


def _settle_aracne(whole: _Whole) -> Learned:
    """Judge the triangles of the whole, and those among mutual members of blankets.

    An edge falls in the whole when two other pairs of its triangle weigh more, of which one may
    itself be indirect. The blankets know which pairs are: an edge that stands among pairs that
    both ends have in their blankets stands. Pairs that nobody proposed stay apart.
    """
    dataset, n = whole.dataset, whole.dataset.n_variables
    options: dict[str, Any] = {"n_jobs": whole.n_jobs}
    mutual = markov_blankets(dataset, whole.blankets, alpha=pair_level(n), mutual=True, **options)
    near = learn_aracne(dataset, pairs=_pairs_of(dataset, mutual), **options)
    far = learn_aracne(dataset, **options)
    proposed = adjacency(n, _pairs_of(dataset, whole.pools))
    matrix = far.edges.matrix.multiply(proposed).maximum(near.edges.matrix).tocsr()
    edges = EdgeProbabilities(matrix, dataset.names)
    return Learned(edges, {**far.diagnostics, "edges": matrix.nnz // 2})


def _settle_pc(whole: _Whole) -> Learned:
    """Take edges away, beginning with the pairs of the pools."""
    pairs = _pairs_of(whole.dataset, whole.pools)
    return learn_pc(whole.dataset, pairs=pairs, n_jobs=whole.n_jobs)


def _settle_greedy(whole: _Whole) -> Learned:
    """Climb within the pools, and where the learner itself would; the higher score counts.

    Parents that show only beside others are in no pool: on link the pools alone lost 8 points.
    """
    pairs = _pairs_of(whole.dataset, whole.pools)
    options: dict[str, Any] = {"score": whole.score or PUBLISHED, "random_state": whole.rng}
    near = learn_greedy(whole.dataset, pairs=pairs, **options)
    far = learn_greedy(whole.dataset, **options)
    return max(far, near, key=lambda learned: learned.diagnostics["score"])


def _settle_mmhc(whole: _Whole) -> Learned:
    """Climb within mutual max-min neighbours, looked for in the pools, and the merged edges."""
    dataset, merged = whole.dataset, whole.merged.edges.matrix
    alpha = default_alpha(dataset.n_variables)
    found = max_min_pairs(dataset, alpha, pools=whole.pools, n_jobs=whole.n_jobs)
    joined = np.stack(sparse.triu(merged + merged.T > _JOINED, 1).nonzero(), axis=1)
    pairs = np.unique(np.concatenate([found, joined]), axis=0)
    options: dict[str, Any] = {"score": whole.score or PUBLISHED, "random_state": whole.rng}
    return learn_greedy(dataset, pairs=pairs, **options)


def _pairs_of(dataset: Dataset, pools: Sequence[np.ndarray]) -> np.ndarray:
    """Pairs of variables, none constant, of which one is in the other's pool."""
    varying = dataset.cards > 1
    found = {
        (min(u, v), max(u, v))
        for v, pool in enumerate(pools)
        if varying[v]
        for u in pool[varying[pool]].tolist()
    }
    return np.array(sorted(found), np.int64).reshape(-1, 2)


_SETTLERS: dict[str, Callable[..., Learned]] = {
    "model-averaging": _settle_model_averaging,
    "aracne": _settle_aracne,
    "pc": _settle_pc,
    "greedy": _settle_greedy,
    "mmhc": _settle_mmhc,
}
