"""Steps 4 and 5 of ROPART: partition support, second-order network, second-order partition.

B is a sparse matrix of nodes x communities. Its columns are the communities of all partitions. The
partition support matrix PSM(v) is the transpose of the columns in which row v is one. The matrix
B B^T counts co-occurrence. Its rows are computed one at a time, and only entries above the
thresholds are kept.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from lsbn.kernels import support as _support
from lsbn.partition.linkcomm import link_communities

Communities = Sequence[np.ndarray]
"""One partition: sorted node indices of each of its communities."""

_ROWS = 64
"""Rows of B B^T that one call of the kernel computes."""

_Listed = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Pairs with their agreement and their lift."""


@dataclass(frozen=True, eq=False)
class SecondOrderNetwork:
    """Pairs of nodes that share a community in enough partitions (paper, Definition 4).

    Attributes
    ----------
    n_nodes : int
    n_partitions : int
    edges : (m, 2) int32 array
        Pairs ``u < v`` in lexicographic order.
    agreement : (m,) int32 array
        Number of partitions in which the two nodes share a community.
    lift : (m,) float array
        Ratio of the pair's co-occurrence to the co-occurrence by chance, see
        `second_order_network`.
    """

    n_nodes: int
    n_partitions: int
    edges: np.ndarray
    agreement: np.ndarray
    lift: np.ndarray


def membership(partitions: Sequence[Communities], n_nodes: int) -> sparse.csc_array:
    """Return the matrix B of nodes x communities, with the communities of all partitions."""
    communities = [c for partition in partitions for c in partition]
    indptr = np.concatenate([[0], np.cumsum([len(c) for c in communities])]).astype(np.int64)
    nodes = np.concatenate([*communities, np.empty(0, np.int64)]).astype(np.int32)
    ones = np.ones(len(nodes), np.int8)
    return sparse.csc_array((ones, nodes, indptr), shape=(n_nodes, len(communities)))


def partition_support(partitions: Sequence[Communities], node: int, n_nodes: int) -> np.ndarray:
    """Return the partition support matrix PSM(v) of a node (paper, Definition 3).

    Parameters
    ----------
    partitions : sequence of partitions, each a sequence of index arrays
    node : int
        The node v.
    n_nodes : int
        Number of nodes.

    Returns
    -------
    (k, n_nodes) int8 array
        One row for each community that contains the node, partition by partition. A member of the
        community has a one in this row.

    Examples
    --------
    Node 0 is in two communities of the first partition and in one community of the second:

    >>> partition_support([[np.array([0, 1]), np.array([0, 2])], [np.arange(3)]], 0, 3)
    array([[1, 1, 0],
           [1, 0, 1],
           [1, 1, 1]], dtype=int8)
    """
    matrix = membership(partitions, n_nodes)
    rows = matrix.tocsr()
    columns = np.sort(rows.indices[rows.indptr[node] : rows.indptr[node + 1]])
    return matrix[:, columns].toarray().T.copy()


def second_order_network(
    partitions: Sequence[Communities],
    n_nodes: int,
    *,
    min_agreement: float = 0.4,
    min_lift: float = 2.5,
    max_mean_degree: float = 100.0,
) -> SecondOrderNetwork:
    r"""Build the second-order network of several partitions (paper, Definition 4).

    Parameters
    ----------
    partitions : sequence of partitions, each a sequence of sorted index arrays
    n_nodes : int
        Number of nodes.
    min_agreement : float
        A pair must share a community in at least this fraction of the partitions (3 of 7).
    min_lift : float
        Smallest lift of a pair that does not share a community in every partition.
    max_mean_degree : float
        Largest mean degree of the network. If more pairs pass the thresholds, then those of highest
        lift are kept; pairs of equal lift are kept or left out together.

    Returns
    -------
    SecondOrderNetwork

    Notes
    -----
    A pair must pass both thresholds, but a pair that shares a community in every partition needs no
    lift. (If all variables are in one community, then no pair has a high lift.)

    *Agreement* is the fraction of the partitions in which u and v share a community.

    *Lift* gives a common community c the weight 1 / (size - 1), because two nodes share a
    large community more often by chance. With P partitions

    .. math:: lift(u, v) = \frac{n - 1}{P} \sum_{c \ni u, v} \frac{1}{|c| - 1} .

    If u is in one community of all n nodes in every partition, then every lift of u is 1.

    A probability within PSM(u) would divide by the number of communities of u instead. This loses
    the edges of hubs, see ``experiments/second_order.md``.

    Examples
    --------
    Nodes 0 and 1 share a community in both partitions, nodes 1 and 2 only in the second:

    >>> first, second = [np.array([0, 1]), np.array([2])], [np.array([0, 1]), np.array([1, 2])]
    >>> network = second_order_network([first, second], 3, min_lift=0.5)
    >>> network.edges.tolist(), network.agreement.tolist(), network.lift.tolist()
    ([[0, 1], [1, 2]], [2, 1], [2.0, 1.0])
    """
    # The tolerance 1e-9 keeps pairs that are exactly at a threshold in spite of rounding errors.
    n_partitions = len(partitions)
    least_agreement = max(1, int(np.ceil(min_agreement * n_partitions - 1e-9)))
    least = (least_agreement, min_lift * (1 - 1e-9), n_partitions)
    limit = int(max_mean_degree * n_nodes / 2)
    listed = _highest_lift(_co_occurrence(partitions, n_nodes, least), limit)
    return SecondOrderNetwork(n_nodes, n_partitions, *listed)


def _co_occurrence(
    partitions: Sequence[Communities], n_nodes: int, least: tuple[int, float, int]
) -> Iterator[_Listed]:
    """Yield edges, agreement and lift of the pairs that pass, for a few rows of B B^T at a time.

    A community of thousands of nodes takes time quadratic in its size, but no memory. See
    `lsbn.kernels.support.co_occurrence_rows` for `least`.
    """
    shared = [[c for c in partition if len(c) > 1] for partition in partitions]
    matrix = membership(shared, n_nodes)
    rows = matrix.tocsr()
    rows.sort_indices()
    sizes = np.diff(matrix.indptr)
    weight = max(n_nodes - 1, 1) / (max(len(partitions), 1) * np.maximum(sizes - 1.0, 1.0))
    source = np.repeat(np.arange(len(partitions)), [len(p) for p in shared])
    by_node = (rows.indptr.astype(np.int64), rows.indices.astype(np.int32))
    by_community = (matrix.indptr.astype(np.int64), matrix.indices)
    for low in range(0, n_nodes, _ROWS):
        yield _support.co_occurrence_rows(
            low, min(low + _ROWS, n_nodes), by_node, by_community, source, weight, least
        )


def second_order_partition(network: SecondOrderNetwork, *, max_size: int = 50) -> list[np.ndarray]:
    """Partition a second-order network by link communities (paper, Definition 5).

    Parameters
    ----------
    network : SecondOrderNetwork
    max_size : int
        A community with more nodes is partitioned again, as Definition 2 allows. This ends when a
        community has at most ``max_size`` nodes or cannot be divided.

    Returns
    -------
    list of int arrays
        Sorted node indices of each community, without repetition. The largest community comes
        first; communities of equal size are in lexicographic order. Every node is in at least one
        community; a node without edges is a community of one node.

    Notes
    -----
    All links have the same weight. The network holds only pairs that pass both thresholds, and on
    these pairs weights of any kind made communities longer, not tighter.

    The division of a large community leaves many single links outside the new communities. Most of
    these links join variables that are far apart in the true network. Such a link is a community
    of two nodes, and it is kept only if the two nodes share a community in every partition.

    Examples
    --------
    >>> partition = [np.array([0, 1, 2]), np.array([2, 3])]
    >>> network = second_order_network([partition], 5)
    >>> [community.tolist() for community in second_order_partition(network)]
    [[0, 1, 2], [2, 3], [4]]
    """
    nodes, links = np.arange(network.n_nodes), np.arange(len(network.edges))
    communities = list(_split(nodes, network, links, max_size))
    alone = np.setdiff1d(nodes, np.concatenate([*communities, np.empty(0, int)]))
    distinct = {tuple(c.tolist()) for c in communities} | {(v,) for v in alone.tolist()}
    return [np.array(c) for c in sorted(distinct, key=lambda c: (-len(c), c))]


def _split(
    nodes: np.ndarray, network: SecondOrderNetwork, links: np.ndarray, max_size: int
) -> Iterator[np.ndarray]:
    """Yield the communities of at least two nodes of a part of the network; divide large ones."""
    first = len(links) == len(network.edges)
    parts = link_communities(len(nodes), np.searchsorted(nodes, network.edges[links]))
    order = np.argsort(parts.edge_labels, kind="stable")
    starts = np.searchsorted(parts.edge_labels[order], np.arange(len(parts.communities) + 1))
    for k, community in enumerate(parts.communities):
        inside = links[np.sort(order[starts[k] : starts[k + 1]])]
        if len(inside) == 1:
            if first or network.agreement[inside[0]] == network.n_partitions:
                yield nodes[community]
        elif 1 < len(community) <= max_size or 0 < len(inside) == len(links):
            yield nodes[community]
        elif len(inside):
            yield from _split(nodes[community], network, inside, max_size)


def _highest_lift(parts: Iterator[_Listed], limit: int) -> _Listed:
    """Concatenate triples (edges, agreement, lift); keep at most `limit` rows of highest lift."""
    kept = (np.empty((0, 2), np.int32), np.empty(0, np.int32), np.empty(0))
    waiting, n_waiting = [kept], 0
    for part in parts:
        waiting.append(part)
        n_waiting += len(part[2])
        if n_waiting > 2 * limit:
            waiting = [_top(waiting, limit)]
            n_waiting = len(waiting[0][2])
    return _top(waiting, limit)


def _top(parts: list[_Listed], limit: int) -> _Listed:
    """Keep at most `limit` rows of highest lift, and rows of equal lift together."""
    edges, agreement, lift = (np.concatenate(column) for column in zip(*parts, strict=True))
    if len(lift) > limit:
        first_left_out = np.partition(lift, len(lift) - limit - 1)[len(lift) - limit - 1]
        keep = lift > first_left_out
        edges, agreement, lift = edges[keep], agreement[keep], lift[keep]
    return edges, agreement, lift
