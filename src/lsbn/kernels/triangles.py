"""The data processing inequality on the triangles of a sparse weighted graph."""

import numpy as np
from numba import njit

TIE = 1e-9
"""Weights closer than this, relative, are equal: the copies of a variable weigh the same."""

STAYS, FALLS, DOUBTFUL = 0, 1, 2


@njit(nogil=True, cache=True)
def judge_triangles(indptr, neighbours, weights, tolerance, slack, several):
    """Judge every edge by the triangles it is in.

    Edge ``i, j`` falls if ``w_ij < (1 - tolerance) min(w_ik, w_jk)`` for some ``k`` joined to both.
    It is doubtful if ``w_ij < (1 + slack) min(w_ik, w_jk)`` for ``several`` of them. All triangles
    are judged in the graph as given, so that no order matters.

    Parameters
    ----------
    indptr, neighbours, weights : arrays
        Symmetric graph in CSR form, neighbours ascending.
    tolerance, slack : float
    several : int

    Returns
    -------
    uint8 array, as long as ``neighbours``
        ``STAYS``, ``FALLS`` or ``DOUBTFUL``.
    """
    verdict = np.zeros(neighbours.shape[0], np.uint8)
    share = (1.0 - tolerance) * (1.0 - TIE)
    for i in range(indptr.shape[0] - 1):
        for p in range(indptr[i], indptr[i + 1]):
            j = neighbours[p]
            a, b, near = indptr[i], indptr[j], 0
            while a < indptr[i + 1] and b < indptr[j + 1]:
                if neighbours[a] < neighbours[b]:
                    a += 1
                elif neighbours[b] < neighbours[a]:
                    b += 1
                else:
                    other = min(weights[a], weights[b])
                    near += weights[p] < (1.0 + slack) * other
                    if weights[p] < share * other:
                        verdict[p] = FALLS
                        break
                    a += 1
                    b += 1
            if near >= several and verdict[p] == STAYS:
                verdict[p] = DOUBTFUL
    return verdict


@njit(nogil=True, cache=True)
def settle_doubts(indptr, neighbours, weights, verdict):
    """Let doubtful edges fall unless they hold the graph together, the heaviest staying first.

    Among many copies of a variable every edge is doubtful; they must not lose one another, nor
    what they are joined to. ``verdict`` is changed in place.
    """
    n = indptr.shape[0] - 1
    root = np.arange(n)
    owner = np.empty(neighbours.shape[0], np.int64)
    for i in range(n):
        for p in range(indptr[i], indptr[i + 1]):
            owner[p] = i
            if verdict[p] == STAYS:
                root[_find(root, i)] = _find(root, neighbours[p])
    doubtful = np.flatnonzero(verdict == DOUBTFUL)
    for p in doubtful[np.argsort(-weights[doubtful], kind="mergesort")]:
        i, j = owner[p], neighbours[p]
        if i > j:
            continue
        a, b = _find(root, i), _find(root, j)
        result = FALLS if a == b else STAYS
        root[a] = b
        verdict[p] = result
        for q in range(indptr[j], indptr[j + 1]):
            if neighbours[q] == i:
                verdict[q] = result


@njit(nogil=True, cache=True)
def _find(root, x):
    while root[x] != x:
        root[x] = root[root[x]]
        x = root[x]
    return x
