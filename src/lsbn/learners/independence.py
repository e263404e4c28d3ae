"""Functions for learners with independence tests: level, arrays, false discovery rate."""

from itertools import pairwise

import numpy as np
from scipy import sparse

from lsbn.data import Dataset
from lsbn.kernels.counts import tabulate_xlogx
from lsbn.kernels.state import CountedColumns

Data = CountedColumns
Pair = tuple[int, int]

FALSE_DISCOVERIES = 0.05
"""Expected proportion of false pairs among the pairs that pass the marginal tests."""


def default_alpha(n_variables: int) -> float:
    """Return the default level of the tests, ``min(0.05, 3 / n)``.

    At a fixed level, the expected number of false partners of a variable after the marginal tests
    grows with n. At this level, a variable has at most three expected false partners.

    Examples
    --------
    >>> default_alpha(37), default_alpha(600)
    (0.05, 0.005)
    """
    return min(0.05, 3.0 / max(n_variables, 1))


def checked_alpha(alpha: float | None, n_variables: int) -> float:
    """Return `alpha`, or `default_alpha` for None; raise an error unless 0 < alpha < 1."""
    alpha = default_alpha(n_variables) if alpha is None else alpha
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha, the level of the tests, must be between 0 and 1, got {alpha}")
    return alpha


def significant(log_p: np.ndarray, n_tests: int) -> np.ndarray:
    """Select p-values at a false discovery rate of 5 percent (Benjamini & Hochberg 1995).

    The k-th smallest of m p-values is compared with ``0.05 k / m``. All p-values up to the largest
    one that passes are selected.

    Parameters
    ----------
    log_p : float array
        Logarithms of the smallest p-values.
    n_tests : int
        Number of all tests, m.

    Returns
    -------
    bool array
        True for the selected p-values.

    Examples
    --------
    >>> significant(np.log([0.04, 0.001, 0.02]), 3), significant(np.log([0.02, 0.03]), 1000)
    (array([ True,  True,  True]), array([False, False]))
    """
    ranks = np.arange(1, len(log_p) + 1)
    low = np.sort(log_p) <= np.log(FALSE_DISCOVERIES * ranks / n_tests)
    return log_p <= np.sort(log_p)[np.flatnonzero(low)[-1]] if low.any() else low


def arrays_for_tests(dataset: Dataset) -> Data:
    """Return the arrays that the kernels of the tests take as arguments."""
    words, offsets = dataset.bits
    return Data(words, offsets, dataset.planes, tabulate_xlogx(dataset.n_rows))


def strips(n: int, height: int = 16) -> list[Pair]:
    """Return ``(low, high)`` of strips that cover the rows ``0`` to ``n - 1``."""
    return list(pairwise([*range(0, n, height), n]))


def adjacency(n: int, pairs: np.ndarray) -> sparse.csr_array:
    """Return the symmetric adjacency matrix of the pairs, with sorted indices."""
    half = sparse.coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    graph = (half + half.T).tocsr()
    graph.sort_indices()
    return graph
