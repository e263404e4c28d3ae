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
from lsbn.parallel import scatter
from lsbn.partition.weights import WEIGHTS, PairWeights

__all__ = ["blanket_candidates", "iamb", "markov_blankets", "symmetric"]

_BASE = {"MI_sn": "MI", "Pearson_sn": "Pearson"}


def blanket_candidates(
    dataset: Dataset,
    *,
    weights: Sequence[str] = WEIGHTS,
    above_mean: bool = True,
    most: int | None = 60,
) -> list[np.ndarray]:
    r"""Partners of each variable whose weight is at least the average of its edges.

    .. math:: MB_{cand}(X) = \{ Y \mid w_{XY} \ge \overline{w}_X \}

    Parameters
    ----------
    dataset : Dataset
    weights : sequence of str
        Weight functions of `lsbn.partition.WEIGHTS`. A partner under any of them is a candidate.
    above_mean : bool
        Whether the inequality is asked for, as published. Otherwise only `most` bounds the list.
    most : int, optional
        Under each weight function only the heaviest are taken.

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

    Pairs are streamed twice, for the averages and for the heaviest of each variable, so memory is
    O(n most). Standard normalisation changes neither side of the inequality.
    """
    names = list(dict.fromkeys(_BASE.get(name, name) for name in weights))
    pairs = PairWeights(dataset)
    n = dataset.n_variables
    most = n - 1 if most is None else min(most, n - 1)
    if most < 1:
        return [np.empty(0, np.int64)] * n
    moments = pairs.moments(names)
    least = {
        name: moments[name].strength / (n - 1) * (1 - 1e-12) if above_mean else np.zeros(n)
        for name in names
    }
    heaps = {
        name: (np.zeros((n, most)), np.zeros((n, most), np.int64), np.zeros(n, np.int64))
        for name in names
    }
    for low, strips in pairs.strips(names):
        for name in names:
            _blankets.keep_heaviest(strips[name], low, least[name], *heaps[name])
    return [
        np.unique(np.concatenate([partners[v, : k[v]] for _, partners, k in heaps.values()]))
        for v in range(n)
    ]


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
    mutual: bool = False,
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
    mutual : bool
        See `symmetric`.
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
    return symmetric(found, mutual=mutual)


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


def symmetric(blankets: Sequence[np.ndarray], mutual: bool = False) -> list[np.ndarray]:
    """Make Y a member of X's blanket wherever X is one of Y's, or only if both are.

    Blankets are symmetric in theory. Each variable's own findings come first, in their order.

    Examples
    --------
    >>> blankets = [np.array([2, 1]), np.array([], int), np.array([1, 0])]
    >>> [b.tolist() for b in symmetric(blankets)]
    [[2, 1], [0, 2], [1, 0]]
    >>> [b.tolist() for b in symmetric(blankets, mutual=True)]
    [[2], [], [0]]
    """
    found = [b.tolist() for b in blankets]
    if mutual:
        return [np.array([u for u in b if v in found[u]], np.int64) for v, b in enumerate(found)]
    added: list[list[int]] = [[] for _ in found]
    for v, members in enumerate(found):
        for u in members:
            if v not in found[u]:
                added[u].append(v)
    return [np.array([*a, *b], np.int64) for a, b in zip(found, added, strict=True)]
