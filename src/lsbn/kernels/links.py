"""Arithmetic of link communities: spanning forest of the similarities, merges, density.

Edges are numbered 0..m-1 in canonical order (smaller endpoint first, sorted).
"""

import numpy as np

from lsbn.kernels.jit import njit


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
    for k in range(count):
        out_e[k], out_f[k], out_s[k] = kept_e[k], kept_f[k], kept_s[k]
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
