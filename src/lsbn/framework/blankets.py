"""Step 1 of LocalLearn: find the Markov blanket of every variable.

Given its Markov blanket, a variable is independent of all other variables. Therefore a community
can be learned together with the blankets of its members and without all other variables. The
blankets are searched among all variables, not only inside the community. So an edge between two
communities, which the partition cut, can still be found.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from lsbn.checkpoint import PLAIN
from lsbn.data import Dataset
from lsbn.kernels import blankets as _blankets
from lsbn.learners.independence import arrays_for_tests
from lsbn.pairs import MOST_PARTNERS, WEIGHTS, PairStatistics, base_weights
from lsbn.parallel import Progress, scatter

__all__ = ["blanket_candidates", "iamb", "markov_blankets", "symmetric"]


def blanket_candidates(
    dataset: Dataset,
    *,
    weights: Sequence[str] = WEIGHTS,
    most: int | None = MOST_PARTNERS,
    pairs: PairStatistics | None = None,
) -> list[np.ndarray]:
    r"""Return candidates for the Markov blanket of each variable (paper, Sampling and Learning).

    A candidate of X has an edge to X whose weight is at least the mean weight of X's edges:

    .. math:: MB_{cand}(X) = \{ Y \mid w_{XY} \ge \overline{w}_X \}

    Parameters
    ----------
    dataset : Dataset
    weights : sequence of str
        Names of weight functions, see `lsbn.partition.WEIGHTS`. A candidate under one weight
        function is a candidate.
    most : int, optional
        Largest number of candidates of a variable under each weight function; the heaviest are
        taken. None means no limit.
    pairs : PairStatistics, optional
        Statistics of the same dataset. By default they are computed here.

    Returns
    -------
    list of int arrays
        Candidates of each variable, ascending.

    Notes
    -----
    The mean is taken over *all* pairs of the variable, before truncation. The mean in the
    truncated graph is several times higher. A variable that has only weak edges has no edge in the
    truncated graph, and its true edges could not be found later.

    The paper does not say which weight function it means. All weight functions together gave 90 %
    F on insurance (`LSBN.paper`, six tables), and mutual information alone gave 86 %. The reason is
    that one strong edge, to a near copy, raises the mean mutual information of a variable above the
    weights of its other neighbours.

    The inequality is the same before and after standard normalisation.
    """
    pairs = pairs or PairStatistics(dataset)
    most = dataset.n_variables if most is None else most
    return pairs.heaviest(base_weights(weights), most=most, above_mean=True)


def iamb(
    dataset: Dataset,
    target: int,
    candidates: np.ndarray,
    *,
    alpha: float = 0.001,
    most: int = 12,
) -> np.ndarray:
    """Find the Markov blanket of a variable by IAMB (Tsamardinos et al. 2003).

    Parameters
    ----------
    dataset : Dataset
    target : int
        The variable X.
    candidates : int array
        Variables that may be members, MB_cand(X) of the paper.
    alpha : float
        Level of the tests. They use Pearson's statistic, see `lsbn.kernels.independence`.
    most : int
        Largest number of members in the forward phase.

    Returns
    -------
    int array
        The members in the order in which they were found, the most informative member first.

    Notes
    -----
    CMB is the estimated blanket, at first empty (paper, Sampling and Learning).

    *Forward phase.* Of the candidates that depend on X given CMB, the candidate Y with the largest
    conditional mutual information I(Y; X | CMB) joins CMB. A candidate that fails the test is left
    out, because a large table has mutual information by chance.

    *Backward phase.* While some Y in CMB is independent of X given the rest of CMB, the Y with the
    largest p-value leaves CMB.

    A test without degrees of freedom adds no member and removes no member.

    Examples
    --------
    In a chain 0 -> 1 -> 2, the blanket of variable 0 is variable 1:

    >>> rng = np.random.default_rng(0)
    >>> a = rng.integers(0, 2, 1000)
    >>> b = np.where(rng.random(1000) < 0.9, a, 1 - a)
    >>> c = np.where(rng.random(1000) < 0.9, b, 1 - b)
    >>> iamb(Dataset.from_table(np.array([a, b, c]).T), 0, np.array([1, 2])).tolist()
    [1]
    """
    pool = np.asarray(candidates, np.int64)
    return _blankets.iamb(arrays_for_tests(dataset), target, pool, math.log(alpha), most)


def markov_blankets(
    dataset: Dataset,
    candidates: Sequence[np.ndarray],
    *,
    alpha: float = 0.001,
    most: int = 12,
    n_jobs: int | None = 1,
    progress: Progress | None = None,
) -> list[np.ndarray]:
    """Find the Markov blankets of all variables by `iamb`, and make them symmetric.

    Parameters
    ----------
    dataset : Dataset
    candidates : sequence of int arrays
        Candidates of each variable, see `blanket_candidates`.
    alpha, most
        See `iamb`.
    n_jobs : int, optional
        Number of workers, as in joblib.
    progress : callable, optional
        Called with the numbers of variables done, of all, and of those read from a draft.

    Returns
    -------
    list of int arrays
        The blanket of each variable, see `symmetric`.
    """
    items = list(enumerate(candidates))
    find = partial(_each_iamb, alpha=alpha, most=most)
    return symmetric(scatter(find, (dataset,), items, n_jobs, PLAIN, progress=progress))


def _each_iamb(data: tuple[Dataset], chunk: list, alpha: float, most: int) -> list[np.ndarray]:
    """Find the blankets of some targets; chunk is a list of (target, candidates)."""
    columns, level = arrays_for_tests(data[0]), math.log(alpha)
    return [
        _blankets.iamb(columns, v, np.asarray(pool, np.int64), level, most) for v, pool in chunk
    ]


def symmetric(blankets: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Make blankets symmetric: if X is in MB(Y), then add Y to MB(X).

    True Markov blankets are symmetric. The members found for a variable come first, in their
    order. The added members follow.

    Examples
    --------
    >>> blankets = [np.array([2, 1]), np.array([], int), np.array([1, 0])]
    >>> [b.tolist() for b in symmetric(blankets)]
    [[2, 1], [0, 2], [1, 0]]
    """
    own = [b.tolist() for b in blankets]
    added: list[list[int]] = [[] for _ in own]
    for v, members in enumerate(own):
        for u in members:
            if v not in own[u]:
                added[u].append(v)
    return [np.array([*a, *b], np.int64) for a, b in zip(own, added, strict=True)]
