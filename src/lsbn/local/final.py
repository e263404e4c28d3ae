"""The last pass: the learner once more, over all variables, within what communities proposed.

A community cannot see all that bears on its edges; the whole can, once the communities have said
where to look.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from lsbn.data import Dataset
from lsbn.graph import EdgeProbabilities
from lsbn.kernels import tests as _tests
from lsbn.learners import Learned, Score, learn_aracne, learn_greedy, learn_model_averaging
from lsbn.learners.aracne import pair_level
from lsbn.learners.greedy import Effort, canonical_order, lists_of, search
from lsbn.learners.pc import Graph, _adjacency, _orient, _pdag, arrays_for_tests, default_alpha
from lsbn.local.blankets import blanket_candidates, markov_blankets
from lsbn.local.subcommunities import expanded_community
from lsbn.parallel import run, threads

__all__ = ["candidate_pools", "final_pass"]

LEAST_PROBABILITY = 0.01
_PARTNERS = 16
_JOINED = 0.5
_LARGEST_SET = 3
_MOST_PARENTS = 8


def candidate_pools(
    communities: Sequence[np.ndarray],
    blankets: Sequence[np.ndarray],
    partners: Sequence[np.ndarray],
    proposed: Any,
) -> list[np.ndarray]:
    """Where to look for the neighbours of each variable.

    Parameters
    ----------
    communities : sequence of int arrays
        All members of the expanded communities that hold a variable are in its pool.
    blankets, partners : sequences of int arrays
        So are its Markov blanket and some of its heaviest partners: where a few strong relations
        raise the mean weight, the blankets were looked for among too few.
    proposed : sparse array
        And the variables that Mergence joined to it with a probability above 0.01.

    Returns
    -------
    list of int arrays
        Ascending, for each variable.
    """
    near: list[set[int]] = [
        {*b.tolist(), *p.tolist()} for b, p in zip(blankets, partners, strict=True)
    ]
    for community in communities:
        members = set(expanded_community(community, blankets).tolist())
        for v in members:
            near[v] |= members
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
    fit_ess: bool = False,
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
    fit_ess : bool
        See `lsbn.learners.learn_model_averaging`.
    random_state : int, SeedSequence or Generator, optional
    n_jobs : int, optional

    Returns
    -------
    Learned
    """
    partners = blanket_candidates(dataset, weights=("MI",), above_mean=False, most=_PARTNERS)
    pools = candidate_pools(communities, blankets, partners, merged.edges.matrix)
    rng = np.random.default_rng(random_state)
    whole = _Whole(dataset, blankets, pools, merged, fit_ess, rng, threads(n_jobs))
    return _SETTLERS[learner](whole)


@dataclass(frozen=True)
class _Whole:
    """All that a last pass may look at."""

    dataset: Dataset
    blankets: Sequence[np.ndarray]
    pools: list[np.ndarray]
    merged: Learned
    fit_ess: bool
    rng: np.random.Generator
    n_jobs: int


def _settle_model_averaging(whole: _Whole) -> Learned:
    """Search parents in the pools first, then among predecessors, and sample orders."""
    options: dict[str, Any] = {"random_state": whole.rng, "n_jobs": whole.n_jobs}
    options |= {"pools": whole.pools, "fit_ess": whole.fit_ess}
    return learn_model_averaging(whole.dataset, **options)


def _settle_aracne(whole: _Whole) -> Learned:
    """Judge the triangles of the whole, and those among mutual members of blankets.

    An edge falls in the whole when two other pairs of its triangle weigh more, of which one may
    itself be indirect. The blankets know which pairs are: an edge that stands among pairs that
    both ends have in their blankets stands. Pairs that nobody proposed stay apart.
    """
    dataset, n = whole.dataset, whole.dataset.n_variables
    alpha = pair_level(n)
    mutual = markov_blankets(dataset, whole.blankets, alpha=alpha, mutual=True, n_jobs=whole.n_jobs)
    far = learn_aracne(dataset, n_jobs=whole.n_jobs)
    near = learn_aracne(dataset, within=_joined(dataset, mutual), n_jobs=whole.n_jobs)
    matrix = far.edges.matrix.multiply(_joined(dataset, whole.pools)).maximum(near.edges.matrix)
    edges = EdgeProbabilities(matrix.tocsr(), dataset.names)
    return Learned(edges, {**far.diagnostics, "edges": matrix.nnz // 2})


def _joined(dataset: Dataset, pools: list[np.ndarray]) -> sparse.csr_array:
    """Symmetric graph of the pairs of pools."""
    u, v = _pairs_of(dataset, pools).T
    half = sparse.csr_array((np.ones(len(u)), (u, v)), shape=(dataset.n_variables,) * 2)
    return half + half.T


def _settle_greedy(whole: _Whole) -> Learned:
    """Climb within the pools, and where the learner itself would; the higher score counts.

    Parents that show only beside others are in no pool: on link the pools alone lost 8 points.
    """
    near = _climb(whole.dataset, _pairs_of(whole.dataset, whole.pools), whole.rng)
    far = learn_greedy(whole.dataset, random_state=whole.rng)
    return max(far, near, key=lambda learned: learned.diagnostics["score"])


def _settle_mmhc(whole: _Whole) -> Learned:
    """Climb within mutual max-min neighbours, looked for in the pools, and the merged edges."""
    dataset, pools = whole.dataset, whole.pools
    data, alpha = arrays_for_tests(dataset), default_alpha(dataset.n_variables)
    varying = dataset.cards > 1

    def neighbours(v: int) -> np.ndarray:
        pool = pools[v][varying[pools[v]]] if varying[v] else pools[v][:0]
        return _tests.max_min_neighbours(*data, v, pool, math.log(alpha), _LARGEST_SET)

    near = run(neighbours, list(range(dataset.n_variables)), whole.n_jobs)
    joined = (whole.merged.edges.matrix + whole.merged.edges.matrix.T > _JOINED).tocsr()
    chosen = [
        np.union1d(some[[v in near[u] for u in some]], joined.indices[a:b])
        for v, (some, a, b) in enumerate(zip(near, joined.indptr, joined.indptr[1:], strict=False))
    ]
    return _climb(dataset, _pairs_of(dataset, chosen), whole.rng)


def _settle_pc(whole: _Whole) -> Learned:
    """Take edges away, beginning with the pairs of the pools."""
    dataset, n = whole.dataset, whole.dataset.n_variables
    alpha = default_alpha(n)
    data, log_alpha = arrays_for_tests(dataset), math.log(alpha)
    pairs = _pairs_of(dataset, whole.pools)
    for size in range(_LARGEST_SET + 1):
        graph = _adjacency(n, pairs)
        arrays = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)

        def level(part: np.ndarray, size: int = size, arrays: Graph = arrays) -> np.ndarray:
            return _tests.separate(*data, part, *arrays, size, log_alpha)[0]

        parts = np.array_split(pairs, max(1, min(64, len(pairs))))
        pairs = pairs[~np.concatenate(run(level, parts, whole.n_jobs))]
    directed = _orient(data, n, pairs, log_alpha, whole.n_jobs)
    edges = EdgeProbabilities(_pdag(n, pairs, directed), dataset.names)
    return Learned(edges, {"alpha": alpha, "edges": len(pairs)})


def _pairs_of(dataset: Dataset, pools: list[np.ndarray]) -> np.ndarray:
    """Pairs of variables, none constant, of which one is in the other's pool."""
    varying = dataset.cards > 1
    found = {
        (min(u, v), max(u, v))
        for v, pool in enumerate(pools)
        if varying[v]
        for u in pool[varying[pool]].tolist()
    }
    return np.array(sorted(found), np.int64).reshape(-1, 2)


def _climb(dataset: Dataset, pairs: np.ndarray, rng: np.random.Generator) -> Learned:
    """Greedy search among pairs, in an order of the variables that is read off the data."""
    order = canonical_order(dataset)
    back = np.argsort(order)
    lists = lists_of(dataset.n_variables, back[pairs])
    ordered = dataset.select(order.tolist())
    matrix, diagnostics = search(ordered, lists, Score(), _MOST_PARENTS, Effort(), rng)
    edges = EdgeProbabilities(matrix[back][:, back], dataset.names)
    return Learned(edges, {"candidate_pairs": len(pairs), **diagnostics})


_SETTLERS: dict[str, Callable[..., Learned]] = {
    "model-averaging": _settle_model_averaging,
    "aracne": _settle_aracne,
    "pc": _settle_pc,
    "greedy": _settle_greedy,
    "mmhc": _settle_mmhc,
}
