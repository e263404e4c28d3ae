"""What learners that test independence have in common: level, arrays, false discoveries."""

from itertools import pairwise

import numpy as np
from scipy import sparse

from lsbn.data import Dataset
from lsbn.kernels.counts import tabulate_xlogx
from lsbn.kernels.state import CountedColumns

Data = CountedColumns
Pair = tuple[int, int]

FALSE_DISCOVERIES = 0.05
"""Share of false pairs among those that pass the marginal tests."""


def default_alpha(n_variables: int) -> float:
    """Level of the tests where the user gives none: ``min(0.05, 3 / n)``.

    At a fixed level the false partners left to a variable after the marginal tests grow with n;
    here a variable expects no more than three.

    Examples
    --------
    >>> default_alpha(37), default_alpha(600)
    (0.05, 0.005)
    """
    return min(0.05, 3.0 / max(n_variables, 1))


def checked_alpha(alpha: float | None, n_variables: int) -> float:
    """Level of the tests as given, or `default_alpha`; refuse what is no level."""
    alpha = default_alpha(n_variables) if alpha is None else alpha
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha, the level of the tests, must be between 0 and 1, got {alpha}")
    return alpha


def significant(log_p: np.ndarray, n_tests: int) -> np.ndarray:
    """Mark the p-values that control false discoveries (Benjamini & Hochberg 1995).

    Parameters
    ----------
    log_p : float array
        Logarithms of the smallest p-values.
    n_tests : int
        Number of all tests.

    Examples
    --------
    >>> significant(np.log([0.04, 0.001, 0.02]), 3), significant(np.log([0.02, 0.03]), 1000)
    (array([ True,  True,  True]), array([False, False]))
    """
    ranks = np.arange(1, len(log_p) + 1)
    low = np.sort(log_p) <= np.log(FALSE_DISCOVERIES * ranks / n_tests)
    return log_p <= np.sort(log_p)[np.flatnonzero(low)[-1]] if low.any() else low


def arrays_for_tests(dataset: Dataset) -> Data:
    """Return the arrays that the kernels of the tests take."""
    words, offsets = dataset.bits
    return Data(words, offsets, dataset.codes, tabulate_xlogx(dataset.n_rows))


def strips(n: int, height: int = 16) -> list[Pair]:
    """First and last row, exclusive, of the strips of a matrix."""
    return list(pairwise([*range(0, n, height), n]))


def adjacency(n: int, pairs: np.ndarray) -> sparse.csr_array:
    """Symmetric graph of the pairs, neighbours ascending."""
    half = sparse.coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    graph = (half + half.T).tocsr()
    graph.sort_indices()
    return graph
