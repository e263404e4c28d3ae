"""Step 1 of LocalLearn: the Markov blanket of every variable, in the whole network.

Given its blanket a variable is independent of all others, so that a community together with the
blankets of its members can be learned as if nothing else existed. Blankets are looked for among
all variables, not inside the community: what the partition cut, they bring back.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from lsbn.data import Dataset
from lsbn.framework.parts import Part
from lsbn.kernels import blankets as _blankets
from lsbn.kernels.counts import tabulate_xlogx
from lsbn.kernels.state import CountedColumns
from lsbn.pairs import MOST_PARTNERS, WEIGHTS, PairStatistics, base_weights
from lsbn.parallel import scatter

__all__ = ["blanket_candidates", "iamb", "markov_blankets", "symmetric"]


def blanket_candidates(
    dataset: Dataset,
    *,
    weights: Sequence[str] = WEIGHTS,
    most: int | None = MOST_PARTNERS,
    pairs: PairStatistics | None = None,
) -> list[np.ndarray]:
    r"""Partners of each variable whose weight is at least the average of its edges.

    .. math:: MB_{cand}(X) = \{ Y \mid w_{XY} \ge \overline{w}_X \}

    Parameters
    ----------
    dataset : Dataset
    weights : sequence of str
        Weight functions of `lsbn.partition.WEIGHTS`. A partner under any of them is a candidate.
    most : int, optional
        Under each weight function only the heaviest are taken.
    pairs : PairStatistics, optional
        Of the same dataset, if they are at hand.

    Returns
    -------
    list of int arrays
        Candidates of each variable, ascending.

    Notes
    -----
    The average is taken over *all* pairs of the variable, before truncation. The truncated graph
    has an average of its own, several times higher, and no edge at all for variables with weak
    relations only, whose edges would be lost for good.

    The paper does not say which of its weights it means. All of them together found 90 % F on
    insurance (`LSBN.paper`, six tables), mutual information alone 86 %: one strong relation, a
    near copy, lifts the average of a variable's mutual information above its other neighbours.

    Standard normalisation changes neither side of the inequality.
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
    """Markov blanket of a variable among candidates, by IAMB (Tsamardinos et al. 2003).

    Parameters
    ----------
    dataset : Dataset
    target : int
    candidates : int array
    alpha : float
        Level of the tests, by Pearson's statistic: see `lsbn.kernels.independence`.
    most : int
        The forward phase ends with so many.

    Returns
    -------
    int array
        In the order in which they were found, the most informative first.

    Notes
    -----
    Forward: of the candidates that depend on the target given those chosen so far, the one with
    most conditional mutual information is chosen next. Candidates that fail the test are passed
    over, for a large table has information by chance alone. Backward: as long as a chosen variable
    is independent of the target given the other ones, the one with the largest p-value leaves. A
    test without degrees of freedom proves nothing in either phase.
    """
    pool = np.asarray(candidates, np.int64)
    return _blankets.iamb(_columns(dataset), target, pool, math.log(alpha), most)


def markov_blankets(
    dataset: Dataset,
    candidates: Sequence[np.ndarray],
    *,
    alpha: float = 0.001,
    most: int = 12,
    n_jobs: int | None = 1,
) -> list[np.ndarray]:
    """Markov blankets of all variables by `iamb`, made symmetric by `symmetric`.

    Parameters
    ----------
    dataset : Dataset
    candidates : sequence of int arrays
        See `blanket_candidates`.
    alpha, most
        See `iamb`.
    n_jobs : int, optional

    Returns
    -------
    list of int arrays
    """

    def share(chunk: list | None) -> Part:
        if chunk is None:
            return Part.whole(dataset)
        return Part.of(dataset, np.concatenate([np.append(c, v) for v, c in chunk]))

    items = list(enumerate(candidates))
    found = scatter(partial(_each_iamb, alpha=alpha, most=most), share, items, n_jobs)
    return symmetric(found)


def _each_iamb(part: Part, chunk: list, alpha: float, most: int) -> list[np.ndarray]:
    columns = _columns(part.dataset)
    found = []
    for target, pool in chunk:
        place = int(part.places(np.array([target]))[0])
        blanket = _blankets.iamb(columns, place, part.places(pool), math.log(alpha), most)
        found.append(part.variables[blanket])
    return found


def _columns(dataset: Dataset) -> CountedColumns:
    return CountedColumns(*dataset.bits, dataset.codes, tabulate_xlogx(dataset.n_rows))


def symmetric(blankets: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Make Y a member of X's blanket wherever X is one of Y's.

    Blankets are symmetric in theory. Each variable's own findings come first, in their order.

    Examples
    --------
    >>> blankets = [np.array([2, 1]), np.array([], int), np.array([1, 0])]
    >>> [b.tolist() for b in symmetric(blankets)]
    [[2, 1], [0, 2], [1, 0]]
    """
    found = [b.tolist() for b in blankets]
    added: list[list[int]] = [[] for _ in found]
    for v, members in enumerate(found):
        for u in members:
            if v not in found[u]:
                added[u].append(v)
    return [np.array([*a, *b], np.int64) for a, b in zip(found, added, strict=True)]
