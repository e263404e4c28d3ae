"""Similarities of adjacent edges, for link communities.

Edges are numbered 0..m-1 in canonical order (smaller endpoint first, sorted). The graph is in
CSR form: the neighbours of ``k`` are ``neighbours[indptr[k]:indptr[k + 1]]``, ascending, with
``links`` the edge number and ``values`` the weight of each.
"""

from typing import NamedTuple

import numpy as np

from lsbn.kernels.jit import njit

SCALE = 1e12
"""Similarities are rounded to multiples of 1 / SCALE, so that mathematically equal ones tie."""


class Graph(NamedTuple):
    """A weighted graph, see the top of this module.

    Attributes
    ----------
    indptr, neighbours, links, values : arrays
        The adjacency, see `adjacency`.
    diagonal, norms : float64 arrays (n,)
        See `self_weights`.
    """

    indptr: np.ndarray
    neighbours: np.ndarray
    links: np.ndarray
    values: np.ndarray
    diagonal: np.ndarray
    norms: np.ndarray


class Filter(NamedTuple):
    """What the forest known so far connects.

    Attributes
    ----------
    taus : float64 array (L,)
        Descending similarities at which the forest was cut.
    labels : int32 array (m, L)
        Component of each edge when the forest is cut at each of ``taus``.
    """

    taus: np.ndarray
    labels: np.ndarray


class _Row(NamedTuple):
    """Similarities of one node with others; its arrays have an entry for each node.

    Attributes
    ----------
    dots : float64 array
        Products of rows while they are summed up, else 0.
    similar : float64 array
        Similarities.
    level : int32 array
        Number of ``taus`` that are at least the similarity.
    touched : int32 array
        The nodes at distance two, at the front.
    """

    dots: np.ndarray
    similar: np.ndarray
    level: np.ndarray
    touched: np.ndarray


@njit(nogil=True, cache=True)
def adjacency(n_nodes, edges, weights):
    """Build the CSR adjacency of canonical edges.

    Parameters
    ----------
    n_nodes : int
    edges : int32 array (m, 2)
        ``u < v`` in every row, rows sorted.
    weights : float64 array (m,)

    Returns
    -------
    indptr, neighbours, links, values : arrays
        Neighbours come out ascending without a sort: rows ``(u, k)`` with ``u < k`` are all
        seen before rows ``(k, v)``.
    """
    m = edges.shape[0]
    indptr = np.zeros(n_nodes + 1, np.int64)
    for e in range(m):
        indptr[edges[e, 0] + 1] += 1
        indptr[edges[e, 1] + 1] += 1
    for v in range(n_nodes):
        indptr[v + 1] += indptr[v]
    neighbours = np.empty(2 * m, np.int32)
    links = np.empty(2 * m, np.int32)
    values = np.empty(2 * m, np.float64)
    free = indptr[:-1].copy()
    for side in range(2):
        for e in range(m):
            k = edges[e, 1 - side]
            p = free[k]
            free[k] += 1
            neighbours[p] = edges[e, side]
            links[p] = e
            values[p] = weights[e]
    return indptr, neighbours, links, values


@njit(nogil=True, cache=True)
def self_weights(indptr, values):
    """Diagonal ``a_ii``, the mean weight of i's edges, and squared row norms ``|a_i|^2``."""
    n = indptr.size - 1
    diagonal = np.zeros(n)
    norms = np.zeros(n)
    for i in range(n):
        total = 0.0
        square = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            total += values[p]
            square += values[p] * values[p]
        if indptr[i + 1] > indptr[i]:
            diagonal[i] = total / (indptr[i + 1] - indptr[i])
        norms[i] = square + diagonal[i] * diagonal[i]
    return diagonal, norms


@njit(nogil=True, cache=True)
def _row_similarities(i, graph, taus, row):
    """Write the Tanimoto similarities of ``i`` with every ``j > i`` at distance two to ``row``."""
    indptr, neighbours, _, values, diagonal, norms = graph
    dots, similar, level, touched = row
    count = 0
    for p in range(indptr[i], indptr[i + 1]):
        k = neighbours[p]
        q = indptr[k + 1] - 1
        while neighbours[q] > i:
            j = neighbours[q]
            if dots[j] == 0.0:
                touched[count] = j
                count += 1
            dots[j] += values[p] * values[q]
            q -= 1
    for p in range(indptr[i], indptr[i + 1]):
        j = neighbours[p]
        if dots[j] > 0.0:
            dots[j] += values[p] * (diagonal[i] + diagonal[j])
    for t in range(count):
        j = touched[t]
        s = dots[j] / (norms[i] + norms[j] - dots[j])
        similar[j] = np.floor(s * SCALE + 0.5) / SCALE
        dots[j] = 0.0
        low, high = 0, taus.size
        while low < high:
            middle = (low + high) // 2
            if taus[middle] >= similar[j]:
                low = middle + 1
            else:
                high = middle
        level[j] = low


@njit(nogil=True, cache=True)
def stream_similarities(graph, known, start, out, n_out):
    """Append (edge, edge, similarity) triples to a buffer until it is full or the graph ends.

    Edges ``(i, k)`` and ``(k, j)`` share keystone ``k`` and have the similarity ``S(i, j)``. A
    triple is left out if its two edges are already connected by similarities that are at least as
    large: there is a maximum spanning forest without it.

    Parameters
    ----------
    graph : Graph
    known : Filter
    start : int64 array (2,)
        Row ``i`` and offset of keystone ``k`` to go on from; updated in place.
    out : (int32 array, int32 array, float64 array)
        Buffers, longer than the largest degree.
    n_out : int
        Triples already in the buffers.

    Returns
    -------
    int
        Triples now in the buffers; ``start[0] == n`` when the graph is exhausted.
    """
    indptr, neighbours, links = graph.indptr, graph.neighbours, graph.links
    out_e, out_f, out_s = out
    labels = known.labels
    n = indptr.size - 1
    row = _Row(np.zeros(n), np.empty(n), np.empty(n, np.int32), np.empty(n, np.int32))
    similar, level = row.similar, row.level
    for i in range(start[0], n):
        _row_similarities(i, graph, known.taus, row)
        for p in range(indptr[i] + start[1], indptr[i + 1]):
            k = neighbours[p]
            if n_out + indptr[k + 1] - indptr[k] > out_s.size:
                start[0] = i
                start[1] = p - indptr[i]
                return n_out
            e = links[p]
            q = indptr[k + 1] - 1
            while neighbours[q] > i:
                j = neighbours[q]
                f = links[q]
                c = level[j] - 1
                if c < 0 or labels[e, c] != labels[f, c]:
                    out_e[n_out] = e
                    out_f[n_out] = f
                    out_s[n_out] = similar[j]
                    n_out += 1
                q -= 1
        start[1] = 0
    start[0] = n
    return n_out
