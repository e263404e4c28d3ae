"""Link communities: overlapping communities of nodes from a clustering of the edges.

Every edge belongs to one community. A node belongs to the communities of all its edges, so the
communities overlap. ROPART partitions each truncated weighted graph (step 3) and the second-order
network (step 5) by link communities.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lsbn.kernels import links, similarities

_DENSITY_TOLERANCE = 1e-12
"""Partition densities that differ by less than this are equal."""
_FILTER_LEVELS = 16
"""Similarities at which the spanning forest is cut to filter later chunks."""
_MAX_WEIGHT_RATIO = 1e150
"""Largest ratio of two weights. Beyond this ratio their squares would underflow."""

_Triples = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class LinkCommunities:
    """Communities of a graph, and the dendrogram that was cut to give them.

    Attributes
    ----------
    communities : list of int arrays
        Sorted node indices of each community. The largest community comes first. Communities of
        equal size are ordered by their first two nodes, then by their first edge. Every node is
        in at least one community: a node without edges is a community of one node. Two
        communities of different edges may have the same nodes.
    density : float
        Maximum partition density. It is 0 if no merge improves on single edges.
    dendrogram : float array (k, 5)
        One merge per row, by descending similarity: cluster, cluster, similarity, number of edges
        and number of nodes of the merged cluster. Cluster ``c < m`` is edge ``c`` of the input.
        Cluster ``m + t`` is the result of row ``t``. Edges in different connected components are
        never merged, so ``k = m - (connected components that have edges)``.
    edge_labels : int array (m,)
        Index in ``communities`` of each edge of the input.
    cut : int
        Number of merges. The communities are the clusters after the first ``cut`` rows of the
        dendrogram.
    """

    communities: list[NDArray[np.int64]]
    density: float
    dendrogram: NDArray[np.float64]
    edge_labels: NDArray[np.int64]
    cut: int


def link_communities(
    n_nodes: int, edges: ArrayLike, weights: ArrayLike | None = None
) -> LinkCommunities:
    r"""Find link communities at the maximum partition density (paper, Algorithm ROPART, step 3).

    Parameters
    ----------
    n_nodes : int
        Number of nodes. The nodes are numbered 0 to ``n_nodes - 1``.
    edges : array-like of int (m, 2)
        Undirected edges, each edge once, in any order and direction.
    weights : array-like of float (m,), optional
        Positive edge weights; all are 1 by default. Only the ratios of the weights matter.

    Returns
    -------
    LinkCommunities

    Notes
    -----
    Two edges (i, k) and (j, k) share the keystone node k. Their similarity is the Tanimoto
    coefficient of rows i and j of the weighted adjacency matrix,

    .. math:: S(i, j) = \frac{a_i \cdot a_j}{|a_i|^2 + |a_j|^2 - a_i \cdot a_j},

    where :math:`a_{ii}` is the mean weight of i's edges. With equal weights this is the Jaccard
    coefficient of the inclusive neighbourhoods. Similarities are rounded to 12 decimals.

    Edges are clustered by single linkage. Merges of equal similarity are one step. The partition
    density is computed before the first step and after every step:

    .. math:: D = \frac{2}{M} \sum_c m_c \frac{m_c - (n_c - 1)}{(n_c - 2)(n_c - 1)}

    :math:`M` is the number of edges; cluster c has :math:`m_c` edges and :math:`n_c` nodes. A
    single edge contributes 0. The density does not depend on the weights. The clusters with the
    largest density are the communities; of equal densities, the one of highest similarity is taken.

    Memory is O(n + m). The order of the edges changes only the indices of edges in the result.

    References
    ----------
    Y.-Y. Ahn, J. P. Bagrow, S. Lehmann, Link communities reveal multiscale complexity in
    networks, Nature 466, 761-764 (2010).

    Examples
    --------
    Two triangles that share node 2:

    >>> links = link_communities(6, [(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4)])
    >>> [c.tolist() for c in links.communities]
    [[0, 1, 2], [2, 3, 4], [5]]
    >>> links.density
    1.0
    """
    pairs = _checked_edges(n_nodes, edges)
    values = _checked_weights(weights, len(pairs))
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    pairs, values = pairs[order], values[order]
    _refuse_duplicates(pairs, order)
    return _renumbered(_canonical_communities(n_nodes, pairs, values), order)


def _canonical_communities(
    n_nodes: int, pairs: NDArray[np.int32], values: NDArray[np.float64]
) -> LinkCommunities:
    """Find the link communities of checked and sorted edges."""
    m = len(pairs)
    forest_e, forest_f, similarity = _spanning_forest(n_nodes, pairs, values)
    merges, leaves, joins = links.merge_tree(m, forest_e, forest_f)
    shared = links.shared_nodes(n_nodes, pairs, leaves, joins, len(merges))
    n_edges, n_inside, density, cut = links.sweep_density(
        m, merges, similarity, shared, _DENSITY_TOLERANCE
    )
    roots = links.cluster_roots(m, forest_e, forest_f, cut)
    communities, labels = _node_sets(n_nodes, pairs, roots)
    dendrogram = np.column_stack([merges, similarity, n_edges, n_inside]).astype(np.float64)
    return LinkCommunities(communities, float(density), dendrogram, labels, int(cut))


def _renumbered(found: LinkCommunities, order: NDArray[np.intp]) -> LinkCommunities:
    """Give edge ``e`` the number ``order[e]``, its place in the input."""
    labels, dendrogram = np.empty_like(found.edge_labels), found.dendrogram.copy()
    labels[order] = found.edge_labels
    names = np.concatenate([order, np.arange(len(order), len(order) + len(dendrogram))])
    dendrogram[:, :2] = np.sort(names[dendrogram[:, :2].astype(np.int64)], axis=1)
    return replace(found, dendrogram=dendrogram, edge_labels=labels)


def _checked_edges(n_nodes: int, edges: ArrayLike) -> NDArray[np.int32]:
    """Return the edges as int32 rows, smaller node first; raise an error for the first bad row."""
    if n_nodes < 0 or n_nodes > np.iinfo(np.int32).max:
        raise ValueError(f"n_nodes must be between 0 and 2**31 - 1, got {n_nodes}.")
    raw = np.asarray(edges)
    if raw.size == 0:
        return np.empty((0, 2), np.int32)
    if raw.ndim != 2 or raw.shape[1] != 2:
        raise ValueError(f"edges must have shape (m, 2), got {raw.shape}.")
    if raw.dtype.kind not in "iu":
        raise ValueError(f"edges must be integer node indices, got dtype {raw.dtype}.")
    outside = np.flatnonzero(((raw < 0) | (raw >= n_nodes)).any(axis=1))
    if outside.size:
        e = outside[0]
        raise ValueError(
            f"edge {e} is {tuple(raw[e].tolist())}, but nodes are numbered 0 to {n_nodes - 1}"
            f" ({outside.size} such edges)."
        )
    loops = np.flatnonzero(raw[:, 0] == raw[:, 1])
    if loops.size:
        e = loops[0]
        raise ValueError(
            f"edge {e} joins node {raw[e, 0]} to itself ({loops.size} such edges);"
            " remove self-loops."
        )
    return np.sort(raw, axis=1).astype(np.int32)


def _checked_weights(weights: ArrayLike | None, m: int) -> NDArray[np.float64]:
    """Divide the weights by a power of two, so that all are at most 1 and no square overflows."""
    if weights is None:
        return np.ones(m)
    values = np.asarray(weights, dtype=np.float64)
    if values.shape != (m,):
        raise ValueError(f"weights must have shape ({m},), one per edge, got {values.shape}.")
    bad = np.flatnonzero(~((values > 0) & np.isfinite(values)))
    if bad.size:
        e = bad[0]
        raise ValueError(
            f"weight {e} is {values[e]} ({bad.size} such weights); weights must be positive and"
            " finite: drop these edges or shift the weights."
        )
    if m == 0:
        return values
    if values.min() < values.max() / _MAX_WEIGHT_RATIO:
        raise ValueError(
            f"weights span {values.min()} to {values.max()}, a ratio above {_MAX_WEIGHT_RATIO:g},"
            " so their squares underflow: drop the negligible edges."
        )
    return np.ldexp(values, -np.frexp(values.max())[1])


def _refuse_duplicates(pairs: NDArray[np.int32], order: NDArray[np.intp]) -> None:
    """Raise an error if two sorted rows are equal; the message gives their places in the input."""
    same = np.flatnonzero((pairs[1:] == pairs[:-1]).all(axis=1))
    if same.size:
        first, second = sorted((int(order[same[0]]), int(order[same[0] + 1])))
        u, v = pairs[same[0]].tolist()
        raise ValueError(
            f"edges {first} and {second} both join nodes {u} and {v} ({same.size} duplicates);"
            " give each undirected edge once."
        )


def _spanning_forest(
    n_nodes: int, pairs: NDArray[np.int32], values: NDArray[np.float64]
) -> _Triples:
    r"""Return a maximum spanning forest of the edge similarities, sorted descending.

    The forest determines single linkage, so the :math:`\sum_k \binom{d_k}{2}` similarities need not
    be kept. They are computed in chunks. After each chunk, Kruskal's algorithm reduces the chunk
    and the forest to one forest. The forest is then cut at `_FILTER_LEVELS` similarities. If two
    edges are connected above a cut, then a similarity below this cut does not change the forest,
    and later chunks leave the similarity out.
    """
    m = len(pairs)
    adjacency = similarities.adjacency(n_nodes, pairs, values)
    graph = similarities.Graph(*adjacency, *similarities.self_weights(adjacency[0], adjacency[3]))
    room = _chunk_room(m)
    out = (np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.float64))
    known = similarities.Filter(np.empty(0), np.empty((m, 0), np.int32))
    start = np.zeros(2, np.int64)
    n_forest = 0
    while start[0] < n_nodes:
        count = similarities.stream_similarities(graph, known, start, out, n_forest)
        order = np.argsort(-out[2][:count], kind="stable")
        n_forest = links.keep_forest(m, order, out)
        if start[0] < n_nodes:
            taus = _filter_levels(out[2][:n_forest])
            known = similarities.Filter(taus, links.cut_forest(m, out, n_forest, taus))
    e, f, s = out
    return e[:n_forest].copy(), f[:n_forest].copy(), s[:n_forest].copy()


def _chunk_room(m: int) -> int:
    """Return the buffer size: room for the forest, one node's edges, and an efficient sort."""
    return max(1 << 16, 4 * m)


def _filter_levels(similarity: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return distinct similarities, descending, that split a sorted forest into equal parts."""
    places = np.linspace(0, len(similarity) - 1, _FILTER_LEVELS + 1).astype(np.int64)[1:]
    return np.unique(similarity[places])[::-1].copy()


def _node_sets(
    n_nodes: int, pairs: NDArray[np.int32], roots: NDArray[np.int32]
) -> tuple[list[NDArray[np.int64]], NDArray[np.int64]]:
    """Return the sorted communities (single nodes last) and the community of each edge."""
    first_edge, cluster = np.unique(roots, return_inverse=True)
    keys = np.unique(cluster[:, None].astype(np.int64) * n_nodes + pairs)
    owner, nodes = np.divmod(keys, max(n_nodes, 1))
    sizes = np.bincount(owner, minlength=len(first_edge))
    begins = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    heads = begins[:-1]
    ranking = np.lexsort((first_edge, nodes[heads + 1], nodes[heads], -sizes))
    communities = [nodes[begins[c] : begins[c + 1]].copy() for c in ranking]
    place = np.empty(len(ranking), np.int64)
    place[ranking] = np.arange(len(ranking))
    alone = np.setdiff1d(np.arange(n_nodes), nodes)
    communities.extend(alone[i : i + 1].copy() for i in range(len(alone)))
    return communities, place[cluster]
