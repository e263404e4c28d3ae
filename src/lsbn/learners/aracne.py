"""ARACNE: keep pairs with high mutual information, then remove indirect edges of triangles."""

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
from lsbn.knowledge import Constraints
from lsbn.learners.base import Candidates, Learned, pairs_of
from lsbn.learners.diagnostics import Diagnostics
from lsbn.learners.independence import Data, adjacency, arrays_for_tests, strips
from lsbn.learners.informed import directed_by_knowledge, within_limits
from lsbn.pairs import PairStatistics

__all__ = ["learn_aracne", "pair_level", "permutation_threshold"]

MOST_MEMBERS = 12
"""Largest number of members when a Markov blanket is found again."""
ALPHA = 0.05
"""Probability of at least one false dependence among all pairs."""


def learn_aracne(
    dataset: Dataset,
    *,
    threshold: float | str | None = None,
    alpha: float = ALPHA,
    tolerance: float = 0.0,
    permutations: int = 10,
    candidates: Candidates | None = None,
    knowledge: Constraints | None = None,
    pairs: PairStatistics | None = None,
    random_state: int | np.random.Generator | None = None,
    n_jobs: int | None = 1,
) -> Learned:
    """Learn an undirected graph by ARACNE (Margolin et al. 2006).

    Parameters
    ----------
    dataset : Dataset
    threshold : float, "permutation" or None
        The mutual information of an edge exceeds this, in nats. "permutation" takes that of
        `permutation_threshold`, None the analytic threshold, see Notes.
    alpha : float
        Probability of at least one false dependence among all pairs, for the analytic threshold.
    tolerance : float
        The weakest edge of a triangle is kept if it is within this fraction of the next edge.
    permutations : number of shuffled tables
    candidates : Candidates, optional
        Pairs that may have an edge; pairs in each other's blankets may too. By default all.
    knowledge : Constraints, optional
        Edges with one possible direction have probability 1; prior probabilities are not used.
    pairs, random_state, n_jobs : statistics, seed of the permutations, and number of threads

    Returns
    -------
    Learned
        Each edge has probability 0.5 in each direction, if knowledge does not direct it.

    Notes
    -----
    Under independence ``2 N MI`` has a chi-squared distribution with ``(r_i - 1)(r_j - 1)`` degrees
    of freedom. By default a pair is kept if its p-value is below `pair_level`. If x and z are
    independent given y, then ``I(x; z) <= min(I(x; y), I(y; z))`` (data processing inequality).
    Therefore the weakest edge of each triangle of the kept pairs is removed.
    """
    if not 0.0 <= tolerance < 1.0:
        raise ValueError(f"tolerance must be at least 0 and below 1, got {tolerance}")
    if threshold == "permutation":
        threshold = permutation_threshold(dataset, permutations, random_state, n_jobs)
    if isinstance(threshold, str):
        raise ValueError(f'threshold is {threshold!r}; use a number, "permutation" or None')
    graph = _kept_pairs(pairs or PairStatistics(dataset), threshold, alpha, knowledge)
    edges = _direct_edges(graph, tolerance)
    if candidates is not None:
        mutual = _mutual_blankets(dataset, candidates.blankets, alpha, n_jobs)
        edges = _candidate_edges(edges, candidates.pairs(dataset), graph, mutual, tolerance)
    kept, left = graph.nnz // 2, edges.nnz // 2
    edges = directed_by_knowledge(edges, knowledge)
    edges = within_limits(edges, knowledge, lambda u, v: np.ravel(graph[u, v]))
    diagnostics = Diagnostics(threshold=threshold, pairs_kept=kept, edges=left)
    return Learned(EdgeProbabilities(edges, dataset.names), diagnostics)


def _direct_edges(graph: sparse.csr_array, tolerance: float) -> sparse.csr_array:
    """Return the edges that are not the weakest of a triangle, with 0.5 in each direction.

    All triangles are compared before any edge is removed. If y is a copy of x, then ``x - z`` and
    ``y - z`` have the same weight, and neither edge is removed.
    """
    removed = weakest_of_triangles(graph.indptr, graph.indices, graph.data, tolerance)
    edges = graph.copy()
    edges.data = np.where(removed, 0.0, 0.5)
    edges.eliminate_zeros()
    return edges


def _candidate_edges(
    edges: sparse.csr_array,
    proposed: np.ndarray,
    graph: sparse.csr_array,
    mutual: np.ndarray,
    tolerance: float,
) -> sparse.csr_array:
    """Keep the edges between candidates, and add those that remain among mutual blankets alone.

    A direct edge may be removed because one of the heavier edges of its triangle is indirect. The
    Markov blankets show which pairs are direct, see `_mutual_blankets`. The inequality is applied
    again to the triangles of these pairs alone, and an edge that remains there is kept.
    """
    n = graph.shape[0]
    direct = graph.multiply(adjacency(n, mutual)).tocsr()
    direct.sort_indices()
    return edges.multiply(adjacency(n, proposed)).maximum(_direct_edges(direct, tolerance)).tocsr()


def _mutual_blankets(
    dataset: Dataset, blankets: Sequence[np.ndarray], alpha: float, n_jobs: int | None
) -> np.ndarray:
    """Return the pairs (x, y) with x in MB(y) and y in MB(x), tested again at `pair_level`."""
    arrays = arrays_for_tests(dataset)
    level = math.log(pair_level(dataset.n_variables, alpha))

    def blanket(v: int) -> set[int]:
        """Find the blanket of v among the members of its old blanket."""
        return set(iamb(arrays, v, blankets[v], level, MOST_MEMBERS).tolist())

    again = parallel.run(blanket, range(dataset.n_variables), n_jobs)
    mutual = [np.array([u for u in mb if v in again[u]], np.int64) for v, mb in enumerate(again)]
    return pairs_of(dataset, mutual)


def pair_level(n: int, alpha: float = ALPHA) -> float:
    """Return the Bonferroni level ``alpha / C(n, 2)`` for all pairs of `n` variables.

    Examples
    --------
    >>> pair_level(5)
    0.005
    """
    return 2 * alpha / max(n * (n - 1), 1)


def permutation_threshold(
    dataset: Dataset,
    permutations: int = 10,
    random_state: int | np.random.Generator | None = None,
    n_jobs: int | None = 1,
) -> float:
    """Return the largest mutual information of a pair in tables with shuffled columns.

    Parameters
    ----------
    dataset : Dataset
    permutations : int
        Number of shuffled tables.
    random_state : int, Generator or None
        Seed of the permutations.
    n_jobs : int, optional
        Number of threads.

    Returns
    -------
    float
        Mutual information, in nats.
    """
    rng = np.random.default_rng(random_state)
    most = 0.0
    for _ in range(permutations):
        codes = rng.permuted(dataset.codes, axis=1)
        data = arrays_for_tests(Dataset(codes, dataset.cards, dataset.names, dataset.states))

        def largest(rows: tuple[int, int], data: Data = data) -> float:
            """Return the largest mutual information of a strip."""
            return float(information_strip(data, rows[0], rows[1]).max())

        most = max(most, *parallel.run(largest, strips(dataset.n_variables), n_jobs))
    return most


def _kept_pairs(
    pairs: PairStatistics,
    threshold: float | None,
    alpha: float,
    knowledge: Constraints | None = None,
) -> sparse.csr_array:
    """Return the symmetric graph of pairs above the threshold, weighted by mutual information.

    Pairs that can have no edge by knowledge are left out, so that they explain no other edge.

    The analytic threshold grows with the number of states and of variables. One constant threshold
    for all pairs would keep noise between variables with many states, or remove weak edges between
    variables with few states.
    """
    dataset, n = pairs.dataset, pairs.dataset.n_variables
    free = dataset.cards - 1
    critical = _critical_values(free, pair_level(n, alpha), dataset.n_rows)
    least = critical[critical > 0].min(initial=np.inf) if threshold is None else threshold
    edges, weights = pairs.above({"MI": float(least)})["MI"]
    i, j = edges.T
    degrees = free[i] * free[j]
    keep = (degrees > 0) & (weights > (critical[degrees] if threshold is None else threshold))
    if knowledge is not None:
        keep &= knowledge.allows(i, j) | knowledge.allows(j, i)
    half = sparse.coo_array((weights[keep], (i[keep], j[keep])), shape=(n, n))
    graph = (half + half.T).tocsr()
    graph.sort_indices()
    return graph


def _critical_values(free: np.ndarray, level: float, n_rows: int) -> np.ndarray:
    """Return the critical mutual information of a level, by degrees of freedom."""
    kinds = np.unique(free)
    degrees = np.unique(np.multiply.outer(kinds, kinds))
    table = np.zeros(int(degrees[-1]) + 1)
    table[degrees] = stats.chi2.isf(level, np.maximum(degrees, 1)) / (2 * n_rows)
    return table
