"""Conflicts: triplets of mutually connected variables, clustered and learned again.

Two errors dominate after structures were put together: indirect edges beside the direct ones, and
weak edges that fell to stronger ones nearby. Both show as triangles. Triangles that hang together
are therefore learned again on their own, where the direct edge explains the indirect one.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from lsbn.partition.linkcomm import link_communities

__all__ = ["triplet_clusters"]

Triplet = tuple[int, int, int]


def triplet_clusters(triplets: list[Triplet]) -> list[np.ndarray]:
    """Cluster the graph of the triplets' edges by link communities, without weights.

    Returns
    -------
    list of int arrays
        Sorted nodes of each cluster that has at least three.

    Examples
    --------
    Two triangles that share a node, and two that share an edge:

    >>> shared = [(0, 1, 2), (2, 3, 4), (5, 6, 7), (5, 6, 8)]
    >>> [c.tolist() for c in triplet_clusters(shared)]
    [[5, 6, 7, 8], [0, 1, 2], [2, 3, 4]]
    """
    pairs = {pair for triplet in triplets for pair in combinations(triplet, 2)}
    if not pairs:
        return []
    edges = np.array(sorted(pairs), np.int64)
    nodes = np.unique(edges)
    found = link_communities(len(nodes), np.searchsorted(nodes, edges))
    return [nodes[c] for c in found.communities if len(c) > 2]
