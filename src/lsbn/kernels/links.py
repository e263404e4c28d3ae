"""Arithmetic of link communities: similarities of adjacent edges, spanning forest, merges.

Edges are numbered 0..m-1 in canonical order (smaller endpoint first, sorted). The graph is in
CSR form: the neighbours of ``k`` are ``neighbours[indptr[k]:indptr[k + 1]]``, ascending, with
``links`` the edge number and ``values`` the weight of each.
"""

import numpy as np
from numba import njit

SCALE = 1e12
"""Similarities are rounded to multiples of 1 / SCALE, so that mathematically equal ones tie."""


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
def _row_similarities(i, graph, diagonal, norms, taus, dots, similar, level, touched):
    """Tanimoto similarity of ``i`` with every ``j > i`` at distance two, and its filter level.

    ``dots`` must be zero on entry and is left zero. The level is the number of ``taus``
    (descending) that are at least the similarity. Returns how many ``j`` were ``touched``.
    """
    indptr, neighbours, _, values = graph
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
    return count


@njit(nogil=True, cache=True)
def stream_similarities(graph, diagonal, norms, taus, labels, start, out, n_out):
    """Append (edge, edge, similarity) triples to a buffer until it is full or the graph ends.

    Edges ``(i, k)`` and ``(k, j)`` share keystone ``k`` and have the similarity ``S(i, j)``. A
    triple is left out if its two edges are already connected by similarities that are at least as
    large: there is a maximum spanning forest without it.

    Parameters
    ----------
    graph : (indptr, neighbours, links, values)
    diagonal, norms : float64 arrays (n,)
    taus : float64 array (L,)
        Descending similarities at which the forest known so far was cut.
    labels : int32 array (m, L)
        Component of each edge when the forest is cut at each of ``taus``.
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
    indptr, neighbours, links, _ = graph
    out_e, out_f, out_s = out
    n = indptr.size - 1
    dots = np.zeros(n)
    similar = np.empty(n)
    level = np.empty(n, np.int32)
    touched = np.empty(n, np.int32)
    for i in range(start[0], n):
        _row_similarities(i, graph, diagonal, norms, taus, dots, similar, level, touched)
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


@njit(nogil=True, cache=True)
def _find(parent, x):
    """Root of ``x``, halving the path on the way."""
    while parent[x] != x:
        parent[x] = parent[parent[x]]
        x = parent[x]
    return x


@njit(nogil=True, cache=True)
def keep_forest(m, order, out):
    """Kruskal: move the forest among the triples, taken in ``order``, to the buffers' front.

    Returns
    -------
    int
        Length of the forest, at most ``m - 1``; it keeps the sequence of ``order``.
    """
    out_e, out_f, out_s = out
    parent = np.arange(m).astype(np.int32)
    forest = np.empty(min(m, order.size), np.int64)
    count = 0
    for t in order:
        a = _find(parent, out_e[t])
        b = _find(parent, out_f[t])
        if a != b:
            parent[max(a, b)] = min(a, b)
            forest[count] = t
            count += 1
    chosen = forest[:count]
    kept_e, kept_f, kept_s = out_e[chosen], out_f[chosen], out_s[chosen]
    out_e[:count] = kept_e
    out_f[:count] = kept_f
    out_s[:count] = kept_s
    return count


@njit(nogil=True, cache=True)
def cut_forest(m, out, n_forest, taus):
    """Label every edge with its component when only similarities >= each tau are kept.

    The forest is sorted by descending similarity and ``taus`` descends too, so that one
    union-find serves all levels.
    """
    out_e, out_f, out_s = out
    parent = np.arange(m).astype(np.int32)
    labels = np.empty((m, taus.size), np.int32)
    t = 0
    for c in range(taus.size):
        while t < n_forest and out_s[t] >= taus[c]:
            a = _find(parent, out_e[t])
            b = _find(parent, out_f[t])
            parent[max(a, b)] = min(a, b)
            t += 1
        for e in range(m):
            labels[e, c] = _find(parent, e)
    return labels


@njit(nogil=True, cache=True)
def merge_tree(m, forest_e, forest_f):
    """Turn a sorted spanning forest into successive merges of edge clusters.

    Returns
    -------
    merges : int64 array (k, 2)
        Clusters joined at each step; an id below ``m`` is one edge, ``m + t`` what step t made.
    leaves : int32 array (m,)
        The edges in an order in which every cluster is contiguous.
    joins : int32 array (m,)
        Step that joins the clusters on either side of the gap after each leaf; ``k`` if none.
    """
    n_merges = forest_e.size
    merges = np.empty((n_merges, 2), np.int64)
    parent = np.arange(m).astype(np.int32)
    cluster = np.arange(m)
    last = np.arange(m).astype(np.int32)
    follower = np.full(m, -1, np.int32)
    step_after = np.full(m, n_merges, np.int32)
    for t in range(n_merges):
        a = _find(parent, forest_e[t])
        b = _find(parent, forest_f[t])
        if a > b:
            a, b = b, a
        merges[t, 0] = min(cluster[a], cluster[b])
        merges[t, 1] = max(cluster[a], cluster[b])
        parent[b] = a
        cluster[a] = m + t
        follower[last[a]] = b
        step_after[last[a]] = t
        last[a] = last[b]
    leaves = np.empty(m, np.int32)
    joins = np.empty(m, np.int32)
    position = 0
    for root in range(m):
        if parent[root] != root:
            continue
        e = root
        while e >= 0:
            leaves[position] = e
            joins[position] = step_after[e]
            position += 1
            e = follower[e]
    return merges, leaves, joins


@njit(nogil=True, cache=True)
def shared_nodes(n_nodes, edges, leaves, joins, n_merges):
    """Count the nodes that the two clusters of every merge have in common.

    A node whose incident edges are at leaf positions p1 < p2 < ... is counted twice until the
    step that joins p1 and p2, and so on for each adjacent pair. That step is the maximum of
    ``joins`` between them. Sweeping the positions upwards, a stack of decreasing maxima whose
    popped members point to their successor (union-find) answers each such query at its right
    end, in O(m) memory.
    """
    m = leaves.size
    shared = np.zeros(n_merges, np.int64)
    previous = np.full(n_nodes, -1, np.int64)
    maximum = np.arange(m).astype(np.int32)
    stack = np.empty(m, np.int32)
    depth = 0
    for q in range(m):
        if q > 0:
            while depth > 0 and joins[stack[depth - 1]] <= joins[q - 1]:
                depth -= 1
                maximum[stack[depth]] = q - 1
            stack[depth] = q - 1
            depth += 1
        for side in range(2):
            v = edges[leaves[q], side]
            if previous[v] >= 0:
                t = joins[_find(maximum, previous[v])]
                if t < n_merges:
                    shared[t] += 1
            previous[v] = q
    return shared


@njit(nogil=True, cache=True)
def _density_term(m_c, n_c):
    """Term of one cluster in the partition density, without the factor 2 / M."""
    if n_c <= 2:
        return 0.0
    return m_c * (m_c - (n_c - 1.0)) / ((n_c - 2.0) * (n_c - 1.0))


@njit(nogil=True, cache=True)
def sweep_density(m, merges, similarity, shared, tolerance):
    """Follow the partition density through the merges; find its first maximum.

    The density is evaluated only where the similarity changes, because tied merges are one step.
    The running sum is compensated (Neumaier), so a million updates cause no drift. A later level
    replaces the best one only if it is better by more than ``tolerance``.

    Returns
    -------
    n_edges, n_nodes : int64 arrays (k,)
        Size of the cluster each merge makes.
    best : float
        Maximum partition density.
    cut : int
        Number of merges up to the maximum.
    """
    k = merges.shape[0]
    n_edges = np.ones(m + k, np.int64)
    n_nodes = np.full(m + k, 2, np.int64)
    total, lost = 0.0, 0.0
    best, cut = 0.0, 0
    for t in range(k):
        a, b = merges[t]
        c = m + t
        n_edges[c] = n_edges[a] + n_edges[b]
        n_nodes[c] = n_nodes[a] + n_nodes[b] - shared[t]
        gain = _density_term(n_edges[c], n_nodes[c])
        gain -= _density_term(n_edges[a], n_nodes[a])
        gain -= _density_term(n_edges[b], n_nodes[b])
        grown = total + gain
        if abs(total) >= abs(gain):
            lost += (total - grown) + gain
        else:
            lost += (gain - grown) + total
        total = grown
        if t + 1 == k or similarity[t + 1] < similarity[t]:
            density = 2.0 * (total + lost) / m
            if density > best + tolerance:
                best, cut = density, t + 1
    return n_edges[m:], n_nodes[m:], best, cut


@njit(nogil=True, cache=True)
def cluster_roots(m, forest_e, forest_f, cut):
    """Label every edge by the smallest edge of its cluster after the first ``cut`` merges."""
    parent = np.arange(m).astype(np.int32)
    for t in range(cut):
        a = _find(parent, forest_e[t])
        b = _find(parent, forest_f[t])
        parent[max(a, b)] = min(a, b)
    for e in range(m):
        parent[e] = _find(parent, e)
    return parent
