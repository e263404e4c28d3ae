"""ARACNE: mutual information, and the data processing inequality against indirect edges."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import sparse, stats

from lsbn import parallel
from lsbn.data import Dataset
from lsbn.graph import EdgeProbabilities
from lsbn.kernels.blankets import iamb
from lsbn.kernels.independence import information_strip
from lsbn.kernels.triangles import weakest_of_triangles
from lsbn.learners.base import Candidates, Learned, pairs_of
from lsbn.learners.independence import Data, adjacency, arrays_for_tests, strips
from lsbn.pairs import PairStatistics

__all__ = ["learn_aracne", "pair_level", "permutation_threshold"]

MOST_MEMBERS = 12
"""Most members of a Markov blanket that is found again."""
ALPHA = 0.05
"""Probability of any false dependence at all."""


def learn_aracne(
    dataset: Dataset,
    *,
    threshold: float | str | None = None,
    alpha: float = ALPHA,
    tolerance: float = 0.0,
    permutations: int = 10,
    candidates: Candidates | None = None,
    pairs: PairStatistics | None = None,
    random_state: int | np.random.Generator | None = None,
    n_jobs: int | None = 1,
) -> Learned:
    """Learn an undirected graph by ARACNE (Margolin et al. 2006).

    Parameters
    ----------
    dataset : Dataset
    threshold : float, "permutation" or None
        Pairs need more mutual information than this, in nats. "permutation" takes the largest seen
        in tables with shuffled columns. None is the analytic counterpart: see Notes.
    alpha : float
        Probability of any false dependence at all, for the analytic threshold.
    tolerance : float
        The weakest edge of a triangle is kept if it comes within this fraction of the next one.
    permutations : int
        Number of shuffled tables.
    candidates : Candidates, optional
        Pairs that may be joined; all may by default. See Notes for the blankets.
    pairs : PairStatistics, optional
        Of the same dataset, if they are at hand.
    random_state : int, Generator or None
        Seeds the permutations; the default threshold needs none.
    n_jobs : int, optional
        Threads for the pass over all pairs.

    Returns
    -------
    Learned
        Every edge with 0.5 each way.

    Notes
    -----
    Under independence ``2 N MI`` is chi-squared with ``(r_i - 1)(r_j - 1)`` degrees of freedom. A
    pair is kept if its p-value is below `alpha` divided by the number of pairs. So the threshold
    grows with the number of states and of variables, as it must where one constant for all pairs
    would let noise of large tables in or keep weak edges of small ones out.

    The inequality says ``I(x; z) <= min(I(x; y), I(y; z))`` if all that x knows of z went
    through y. It is applied to the triangles of the kept graph at once. Where y is a copy of x,
    ``x - z`` and ``y - z`` weigh the same: neither falls.

    With candidates, the triangles are those of the whole graph, and pairs that are no candidates
    stay apart. An edge may fall in the whole graph when two other pairs of its triangle weigh more,
    of which one is itself indirect. The Markov blankets show which pairs are direct: an edge stands
    if it stands among the pairs whose ends are in each other's blanket at the level of all pairs.
    """
    if not 0.0 <= tolerance < 1.0:
        raise ValueError(f"tolerance must be at least 0 and below 1, got {tolerance}")
    if threshold == "permutation":
        threshold = permutation_threshold(dataset, permutations, random_state, n_jobs)
    if isinstance(threshold, str):
        raise ValueError(f'threshold is {threshold!r}; use a number, "permutation" or None')
    graph = _kept_pairs(pairs or PairStatistics(dataset), threshold, alpha)
    edges = _direct_edges(graph, tolerance)
    if candidates is not None:
        n = dataset.n_variables
        mutual = _mutual_blankets(dataset, candidates.blankets, pair_level(n, alpha), n_jobs)
        near = graph.multiply(adjacency(n, mutual)).tocsr()
        near.sort_indices()
        proposed = adjacency(n, candidates.pairs(dataset))
        edges = edges.multiply(proposed).maximum(_direct_edges(near, tolerance)).tocsr()
    diagnostics = {"threshold": threshold, "pairs_kept": graph.nnz // 2, "edges": edges.nnz // 2}
    return Learned(EdgeProbabilities(edges, dataset.names), diagnostics)


def _direct_edges(graph: sparse.csr_array, tolerance: float) -> sparse.csr_array:
    """Edges that are not the weakest of a triangle, with 0.5 each way."""
    falls = weakest_of_triangles(graph.indptr, graph.indices, graph.data, tolerance)
    edges = graph.copy()
    edges.data = np.where(falls, 0.0, 0.5)
    edges.eliminate_zeros()
    return edges


def _mutual_blankets(
    dataset: Dataset, blankets: Sequence[np.ndarray], alpha: float, n_jobs: int | None
) -> np.ndarray:
    """Pairs whose ends stay in each other's Markov blanket when it is found again at a level."""
    arrays = arrays_for_tests(dataset)

    def again(v: int) -> set[int]:
        return set(iamb(arrays, v, blankets[v], math.log(alpha), MOST_MEMBERS).tolist())

    found = parallel.run(again, range(dataset.n_variables), n_jobs)
    both = [np.array([u for u in some if v in found[u]], np.int64) for v, some in enumerate(found)]
    return pairs_of(dataset, both)


def pair_level(n: int, alpha: float = ALPHA) -> float:
    """Bonferroni level: `alpha` divided by the number of pairs of `n` variables."""
    return 2 * alpha / max(n * (n - 1), 1)


def permutation_threshold(
    dataset: Dataset,
    permutations: int = 10,
    random_state: int | np.random.Generator | None = None,
    n_jobs: int | None = 1,
) -> float:
    """Largest mutual information of any pair when the rows of every column are shuffled."""
    rng = np.random.default_rng(random_state)
    most = 0.0
    for _ in range(permutations):
        codes = rng.permuted(dataset.codes, axis=1)
        data = arrays_for_tests(Dataset(codes, dataset.cards, dataset.names, dataset.states))

        def largest(rows: tuple[int, int], data: Data = data) -> float:
            return float(information_strip(data, rows[0], rows[1]).max())

        most = max(most, *parallel.run(largest, strips(dataset.n_variables), n_jobs))
    return most


def _kept_pairs(pairs: PairStatistics, threshold: float | None, alpha: float) -> sparse.csr_array:
    """Symmetric graph of the pairs above the threshold, weighted by mutual information."""
    dataset, n = pairs.dataset, pairs.dataset.n_variables
    free = dataset.cards - 1
    critical = _critical_values(free, pair_level(n, alpha), dataset.n_rows)
    least = critical[critical > 0].min(initial=np.inf) if threshold is None else threshold
    edges, weights = pairs.above({"MI": float(least)})["MI"]
    i, j = edges.T
    degrees = free[i] * free[j]
    keep = (degrees > 0) & (weights > (critical[degrees] if threshold is None else threshold))
    half = sparse.coo_array((weights[keep], (i[keep], j[keep])), shape=(n, n))
    graph = (half + half.T).tocsr()
    graph.sort_indices()
    return graph


def _critical_values(free: np.ndarray, level: float, n_rows: int) -> np.ndarray:
    """Mutual information that reaches the level, by degrees of freedom."""
    kinds = np.unique(free)
    degrees = np.unique(np.multiply.outer(kinds, kinds))
    table = np.zeros(int(degrees[-1]) + 1)
    table[degrees] = stats.chi2.isf(level, np.maximum(degrees, 1)) / (2 * n_rows)
    return table
