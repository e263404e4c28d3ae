"""The last pass: the learner once more, over all variables, within what communities proposed.

A community cannot see all that bears on its edges; the whole can, once the communities have said
where to look.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lsbn.data import Dataset
from lsbn.graph import EdgeProbabilities
from lsbn.kernels import tests as _tests
from lsbn.learners import Learned, Score, learn_model_averaging
from lsbn.learners.greedy import Effort, canonical_order, lists_of, search
from lsbn.learners.pc import Graph, _adjacency, _orient, _pdag, arrays_for_tests, default_alpha
from lsbn.local.blankets import blanket_candidates
from lsbn.local.subcommunities import expanded_community
from lsbn.parallel import run, threads

__all__ = ["candidate_pools", "final_pass"]

LEAST_PROBABILITY = 0.01
_PARTNERS = 16
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
    random_state : int, SeedSequence or Generator, optional
    n_jobs : int, optional

    Returns
    -------
    Learned
    """
    partners = blanket_candidates(dataset, above_mean=False, most=_PARTNERS)
    pools = candidate_pools(communities, blankets, partners, merged.edges.matrix)
    settle = _SETTLERS.get(learner)
    if settle is None:
        return merged
    rng = np.random.default_rng(random_state)
    return settle(dataset, pools, rng, threads(n_jobs))


def _settle_model_averaging(
    dataset: Dataset, pools: list[np.ndarray], rng: np.random.Generator, n_jobs: int
) -> Learned:
    return learn_model_averaging(dataset, pools=pools, random_state=rng, n_jobs=n_jobs)


def _settle_greedy(
    dataset: Dataset, pools: list[np.ndarray], rng: np.random.Generator, n_jobs: int
) -> Learned:
    """Climb within the pools."""
    return _climb(dataset, _pairs_of(dataset, pools), rng)


def _settle_mmhc(
    dataset: Dataset, pools: list[np.ndarray], rng: np.random.Generator, n_jobs: int
) -> Learned:
    """Max-min neighbours within the pools, then climb within those that are mutual."""
    data, alpha = arrays_for_tests(dataset), default_alpha(dataset.n_variables)
    varying = dataset.cards > 1

    def neighbours(v: int) -> np.ndarray:
        pool = pools[v][varying[pools[v]]] if varying[v] else pools[v][:0]
        return _tests.max_min_neighbours(*data, v, pool, math.log(alpha), _LARGEST_SET)

    near = run(neighbours, list(range(dataset.n_variables)), n_jobs)
    mutual = [some[[v in near[u] for u in some]] for v, some in enumerate(near)]
    return _climb(dataset, _pairs_of(dataset, mutual), rng)


def _settle_pc(
    dataset: Dataset, pools: list[np.ndarray], rng: np.random.Generator, n_jobs: int
) -> Learned:
    """Take edges away, beginning with the dependent pairs of the pools."""
    n, alpha = dataset.n_variables, default_alpha(dataset.n_variables)
    data, log_alpha = arrays_for_tests(dataset), math.log(alpha)
    pairs = _pairs_of(dataset, pools)
    for size in range(_LARGEST_SET + 1):
        graph = _adjacency(n, pairs)
        arrays = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)

        def level(part: np.ndarray, size: int = size, arrays: Graph = arrays) -> np.ndarray:
            return _tests.separate(*data, part, *arrays, size, log_alpha)[0]

        parts = np.array_split(pairs, max(1, min(64, len(pairs))))
        pairs = pairs[~np.concatenate(run(level, parts, n_jobs))]
    directed = _orient(data, n, pairs, log_alpha, n_jobs)
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
    "greedy": _settle_greedy,
    "mmhc": _settle_mmhc,
    "pc": _settle_pc,
}
"""How the last pass goes; ARACNE judges triangles one by one and needs none."""
