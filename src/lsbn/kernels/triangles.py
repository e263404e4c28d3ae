"""The data processing inequality on the triangles of a sparse weighted graph."""

import numpy as np

from lsbn.kernels.jit import njit

TIE = 1e-9
"""Weights with a smaller relative difference are equal: copies of a variable have them."""


@njit(nogil=True, cache=True)
def weakest_of_triangles(indptr, neighbours, weights, tolerance):
    """Mark the entries that are the weakest edge of some triangle.

    Edge ``i, j`` is marked if ``w_ij < (1 - tolerance) min(w_ik, w_jk)`` for some ``k`` that is
    joined to both. All triangles are those of the given graph, so the order of the edges does not
    matter. An edge that ties with the next weakest edge is not marked.

    Parameters
    ----------
    indptr, neighbours, weights : arrays
        Symmetric graph in CSR form, neighbours ascending.
    tolerance : float

    Returns
    -------
    bool array, as long as ``neighbours``
    """
    falls = np.zeros(neighbours.shape[0], np.bool_)
    share = (1.0 - tolerance) * (1.0 - TIE)
    for i in range(indptr.shape[0] - 1):
        for p in range(indptr[i], indptr[i + 1]):
            j = neighbours[p]
            a, b = indptr[i], indptr[j]
            while a < indptr[i + 1] and b < indptr[j + 1]:
                if neighbours[a] < neighbours[b]:
                    a += 1
                elif neighbours[b] < neighbours[a]:
                    b += 1
                else:
                    if weights[p] < share * min(weights[a], weights[b]):
                        falls[p] = True
                        break
                    a += 1
                    b += 1
    return falls
