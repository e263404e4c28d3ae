"""ARACNE: mutual information, and the data processing inequality against indirect edges."""

from __future__ import annotations

import numpy as np
from scipy import sparse, stats

from lsbn import parallel
from lsbn.data import Dataset
from lsbn.graph import EdgeProbabilities
from lsbn.kernels.independence import information_strip
from lsbn.kernels.triangles import weakest_of_triangles
from lsbn.learners.base import Knowledge, Learned
from lsbn.learners.pc import Data, adjacency, arrays_for_tests, strips

__all__ = ["learn_aracne", "pair_level", "permutation_threshold"]

ALPHA = 0.05
"""Probability of any false dependence at all."""


def learn_aracne(
    dataset: Dataset,
    *,
    threshold: float | str | None = None,
    alpha: float = ALPHA,
    tolerance: float = 0.0,
    permutations: int = 10,
    pairs: np.ndarray | None = None,
    knowledge: Knowledge = Knowledge(),  # noqa: B008
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
    pairs : (m, 2) int array, optional
        Pairs that may be joined; all may by default.
    knowledge : Knowledge
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
    """
    del knowledge
    if not 0.0 <= tolerance < 1.0:
        raise ValueError(f"tolerance must be at least 0 and below 1, got {tolerance}")
    if threshold == "permutation":
        threshold = permutation_threshold(dataset, permutations, random_state, n_jobs)
    if isinstance(threshold, str):
        raise ValueError(f'threshold is {threshold!r}; use a number, "permutation" or None')
    graph = _kept_pairs(dataset, threshold, alpha, n_jobs)
    if pairs is not None:
        graph = graph.multiply(adjacency(dataset.n_variables, pairs)).tocsr()
        graph.sort_indices()
    falls = weakest_of_triangles(graph.indptr, graph.indices, graph.data, tolerance)
    diagnostics = {
        "threshold": threshold,
        "pairs_kept": graph.nnz // 2,
        "edges": int((~falls).sum()) // 2,
    }
    graph.data = np.where(falls, 0.0, 0.5)
    graph.eliminate_zeros()
    return Learned(EdgeProbabilities(graph, dataset.names), diagnostics)


def pair_level(n: int, alpha: float = ALPHA) -> float:
    """Level of one test of so many that all pairs of `n` variables have a share of `alpha`."""
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


def _kept_pairs(
    dataset: Dataset, threshold: float | None, alpha: float, n_jobs: int | None = 1
) -> sparse.csr_array:
    """Symmetric graph of the pairs above the threshold, weighted by mutual information."""
    n = dataset.n_variables
    data = arrays_for_tests(dataset)
    free = dataset.cards - 1
    critical = _critical_values(free, pair_level(n, alpha), dataset.n_rows)

    def kept(rows: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        low, high = rows
        strip = information_strip(data, low, high)
        degrees = free[low:high, None] * free
        least = critical[degrees] if threshold is None else threshold
        i, j = np.nonzero((strip > least) & (degrees > 0))
        return strip[i, j], i + low, j

    parts = parallel.run(kept, strips(n), n_jobs)
    weights, i, j = (np.concatenate([part[k] for part in parts]) for k in range(3))
    half = sparse.coo_array((weights, (i, j)), shape=(n, n))
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
