"""Co-occurrence in communities: rows of B B^T, one at a time, to save memory."""

from typing import NamedTuple

import numpy as np

from lsbn.kernels.jit import njit
from lsbn.kernels.sorting import argsort


class _Row(NamedTuple):
    """One row of B B^T while it is summed up; its arrays have an entry for each node.

    Attributes
    ----------
    weight : float array
        Sum of the shares of the common communities.
    partitions : int32 array
        Number of partitions with a common community.
    last : int64 array
        The partition counted last, -1 if none was.
    touched : int64 array
        The nodes with a community in common, at the front.
    """

    weight: np.ndarray
    partitions: np.ndarray
    last: np.ndarray
    touched: np.ndarray


@njit(nogil=True, cache=True)
def co_occurrence_rows(low, high, by_node, by_community, source, share, least):
    """List the pairs of some rows that co-occur often enough.

    Parameters
    ----------
    low, high : int
        Rows ``low <= u < high``; only partners ``v > u`` are listed.
    by_node : (indptr, communities)
        The communities of every node.
    by_community : (indptr, nodes)
        The nodes of every community, ascending.
    source : int array
        Partition of each community; a node's communities are listed partition by partition.
    share : float array
        What each community adds to the weight of a pair of its members.
    least : (int, float, int)
        Smallest number of partitions with a common community, smallest weight, and the number of
        partitions from which any weight is enough.

    Returns
    -------
    edges : int32 array (m, 2)
    partitions : int32 array (m,)
        In how many partitions the pair has a community in common.
    weights : float array (m,)
        Sum of ``share`` over the common communities.
    """
    n = by_node[0].size - 1
    weight, partitions = np.zeros(n), np.zeros(n, np.int32)
    last, touched = np.full(n, -1, np.int64), np.empty(n, np.int64)
    row = _Row(weight, partitions, last, touched)
    room = max(1024, n)
    edges, agree, weights = _room(room)
    m = 0
    for u in range(low, high):
        count = _sum_row(u, by_node, by_community, source, share, row)
        if m + count > room:
            room = max(2 * room, m + count)
            edges, agree, weights = _grown(edges, agree, weights, m, room)
        for v in touched[argsort(touched[:count].astype(np.float64))]:
            heavy = weight[v] >= least[1] or partitions[v] >= least[2]
            if heavy and partitions[v] >= least[0]:
                edges[m, 0] = u
                edges[m, 1] = v
                agree[m] = partitions[v]
                weights[m] = weight[v]
                m += 1
            weight[v] = 0.0
            partitions[v] = 0
            last[v] = -1
    return edges[:m].copy(), agree[:m].copy(), weights[:m].copy()


@njit(nogil=True, cache=True)
def _sum_row(u, by_node, by_community, source, share, row):
    """Sum up the entries ``v > u`` of row ``u``; return how many nodes were touched."""
    node_start, node_list = by_node
    start, members = by_community
    count = 0
    for p in range(node_start[u], node_start[u + 1]):
        c = node_list[p]
        q = start[c + 1] - 1
        while members[q] > u:
            v = members[q]
            if row.partitions[v] == 0:
                row.touched[count] = v
                count += 1
            if row.last[v] != source[c]:
                row.last[v] = source[c]
                row.partitions[v] += 1
            row.weight[v] += share[c]
            q -= 1
    return count


@njit(nogil=True, cache=True)
def _room(size):
    return np.empty((size, 2), np.int32), np.empty(size, np.int32), np.empty(size, np.float64)


@njit(nogil=True, cache=True)
def _grown(edges, agree, weights, m, size):
    new_edges, new_agree, new_weights = _room(size)
    for k in range(m):
        new_edges[k, 0], new_edges[k, 1] = edges[k]
        new_agree[k] = agree[k]
        new_weights[k] = weights[k]
    return new_edges, new_agree, new_weights
