"""Steps 4 and 5 of ROPART: partition support, second-order network, second-order partition.

All communities of all partitions are the columns of one sparse matrix B, nodes x communities.
The partition support matrix PSM(v) is the transpose of the columns in which v has a one, and
co-occurrence is B B^T, whose rows are made one at a time and cut at once.
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


@dataclass(frozen=True, eq=False)
class SecondOrderNetwork:
    """Pairs of nodes that the partitions put together (Definition 4).

    Attributes
    ----------
    n_nodes : int
    n_partitions : int
    edges : (m, 2) int32 array
        Pairs ``u < v`` in lexicographic order.
    agreement : (m,) int32 array
        In how many partitions the pair has a community in common.
    lift : (m,) float array
        How much more than by chance they are together, see `second_order_network`.
    """

    n_nodes: int
    n_partitions: int
    edges: np.ndarray
    agreement: np.ndarray
    lift: np.ndarray


def membership(partitions: Sequence[Communities], n_nodes: int) -> sparse.csc_array:
    """Stack the communities of all partitions into the matrix B, nodes x communities."""
    communities = [c for partition in partitions for c in partition]
    indptr = np.concatenate([[0], np.cumsum([len(c) for c in communities])]).astype(np.int64)
    nodes = np.concatenate([*communities, np.empty(0, np.int64)]).astype(np.int32)
    ones = np.ones(len(nodes), np.int8)
    return sparse.csc_array((ones, nodes, indptr), shape=(n_nodes, len(communities)))


def partition_support(partitions: Sequence[Communities], node: int, n_nodes: int) -> np.ndarray:
    """Partition support matrix PSM(v) of a node (Definition 3).

    Parameters
    ----------
    partitions : sequence of partitions, each a sequence of index arrays
    node : int
    n_nodes : int

    Returns
    -------
    (k, n_nodes) int8 array
        A row for each community that contains the node, partition by partition; a one for each
        member.

    Examples
    --------
    Node 0 in a partition with two communities that hold it and in one with a single one:

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
    r"""Build the second-order network of several partitions (Definition 4).

    Parameters
    ----------
    partitions : sequence of partitions, each a sequence of sorted index arrays
    n_nodes : int
    min_agreement : float
        Smallest fraction of the partitions in which a pair must have a community in common: 0.4
        is three of seven.
    min_lift : float
        Smallest lift of a pair on which the partitions are not unanimous.
    max_mean_degree : float
        Bound on the size of the network: where more pairs than this many per node pass, only
        those of highest lift are kept, pairs of equal lift together or not at all.

    Returns
    -------
    SecondOrderNetwork

    Notes
    -----
    Co-occurrence is counted in two ways, and a pair has to pass both; where all partitions
    agree, lift is not asked for (few variables that all hang together have none).

    *Agreement* is the fraction of the partitions in which u and v share a community.

    *Lift* weighs every common community by its size, as a member of a large one meets another
    given member by chance. With P partitions

    .. math:: lift(u, v) = \frac{n - 1}{P} \sum_{c \ni u, v} \frac{1}{|c| - 1} .

    Each community of u hands out one unit to its other members, so the values of u sum to n - 1
    times its mean number of communities, and 1 is what v would get if a single community were
    handed out evenly to everybody.

    Dividing instead by how often u occurs, as a probability within PSM(u), starves hubs: in
    pigs, where a parent has dozens of children and a community for each, true edges then fall
    below pairs of strangers. ``experiments/second_order.md`` has the figures.

    Rows of B B^T are made one at a time and only pairs that pass are kept, so a community of
    thousands costs time in proportion to the square of its size but no memory.
    """
    n_partitions = len(partitions)
    wide = [[c for c in partition if len(c) > 1] for partition in partitions]
    matrix = membership(wide, n_nodes)
    rows = matrix.tocsr()
    rows.sort_indices()
    sizes = np.diff(matrix.indptr)
    share = max(n_nodes - 1, 1) / (max(n_partitions, 1) * np.maximum(sizes - 1.0, 1.0))
    source = np.repeat(np.arange(n_partitions), [len(p) for p in wide])
    # Sums of shares that are mathematically at the threshold must not fall to rounding.
    enough = max(1, int(np.ceil(min_agreement * n_partitions - 1e-9)))
    least = (enough, min_lift * (1 - 1e-9), n_partitions)
    by_node = (rows.indptr.astype(np.int64), rows.indices.astype(np.int32))
    by_community = (matrix.indptr.astype(np.int64), matrix.indices)
    limit = int(max_mean_degree * n_nodes / 2)
    edges, agreement, lift = _heaviest(
        (
            _support.co_occurrence_rows(
                low, min(low + _ROWS, n_nodes), by_node, by_community, source, share, least
            )
            for low in range(0, n_nodes, _ROWS)
        ),
        limit,
    )
    return SecondOrderNetwork(n_nodes, n_partitions, edges, agreement, lift)


def second_order_partition(network: SecondOrderNetwork, *, max_size: int = 50) -> list[np.ndarray]:
    """Partition a second-order network (Definition 5).

    Parameters
    ----------
    network : SecondOrderNetwork
    max_size : int
        Communities with more members are partitioned again (Definition 2 allows it), as long as
        they come apart.

    Returns
    -------
    list of int arrays
        Sorted node indices, largest community first, then lexicographically, without repetition.
        Every node is in at least one; a node without edges is a community of one.

    Notes
    -----
    Links count alike: on the pairs that pass both thresholds, weights of any kind made
    communities longer, not tighter.

    Taking a large community apart leaves many links that belong to none of its parts, and
    most join variables far apart in the true network. Such a link is a community of two; it is
    kept only if every partition agrees on it.
    """
    everything = np.arange(network.n_nodes), network, np.arange(len(network.edges))
    found = list(_split(*everything, max_size))
    alone = np.setdiff1d(np.arange(network.n_nodes), np.concatenate([*found, np.empty(0, int)]))
    distinct = {tuple(c.tolist()) for c in found} | {(v,) for v in alone.tolist()}
    return [np.array(c) for c in sorted(distinct, key=lambda c: (-len(c), c))]


def _split(
    nodes: np.ndarray, network: SecondOrderNetwork, links: np.ndarray, max_size: int
) -> Iterator[np.ndarray]:
    """Communities of two and more nodes of a part of the network, large ones taken apart."""
    first = len(links) == len(network.edges)
    found = link_communities(len(nodes), np.searchsorted(nodes, network.edges[links]))
    order = np.argsort(found.edge_labels, kind="stable")
    starts = np.searchsorted(found.edge_labels[order], np.arange(len(found.communities) + 1))
    for k, community in enumerate(found.communities):
        inside = links[np.sort(order[starts[k] : starts[k + 1]])]
        if len(inside) == 1:
            if first or network.agreement[inside[0]] == network.n_partitions:
                yield nodes[community]
        elif 1 < len(community) <= max_size or 0 < len(inside) == len(links):
            yield nodes[community]
        elif len(inside):
            yield from _split(nodes[community], network, inside, max_size)


def _heaviest(
    parts: Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]], limit: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Concatenate (edges, agreement, lift), keeping at most `limit` rows of highest lift."""
    kept = (np.empty((0, 2), np.int32), np.empty(0, np.int32), np.empty(0))
    waiting, n_waiting = [kept], 0
    for part in parts:
        waiting.append(part)
        n_waiting += len(part[2])
        if n_waiting > 2 * limit:
            waiting = [_top(waiting, limit)]
            n_waiting = len(waiting[0][2])
    return _top(waiting, limit)


def _top(
    parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]], limit: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    edges, agreement, lift = (np.concatenate(column) for column in zip(*parts, strict=True))
    if len(lift) > limit:
        first_left_out = np.partition(lift, len(lift) - limit - 1)[len(lift) - limit - 1]
        keep = lift > first_left_out
        edges, agreement, lift = edges[keep], agreement[keep], lift[keep]
    return edges, agreement, lift
