"""Triplet conflicts: cluster the triplets of mutually connected variables.

After structures are combined, two types of error are frequent: additional edges due to indirect
interactions, and missing edges with a weak weight (paper, Sampling and Learning, step 3). Both
types occur in triangles of the graph. Therefore the triangles are clustered, and each cluster is
learned again. In a cluster, the direct edges explain the indirect edge.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from lsbn.partition.linkcomm import link_communities

__all__ = ["triplet_clusters"]

Triplet = tuple[int, int, int]


def triplet_clusters(triplets: list[Triplet]) -> list[np.ndarray]:
    """Cluster the graph of the triplets' edges by link communities, without weights.

    Parameters
    ----------
    triplets : list of (int, int, int)
        Candidate triplets, each ascending.

    Returns
    -------
    list of int arrays
        Sorted variables of each cluster with at least three variables.

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
    clusters = link_communities(len(nodes), np.searchsorted(nodes, edges)).communities
    return [nodes[c] for c in clusters if len(c) > 2]
