"""PageRank of variables in the graph of their mutual information."""

import numpy as np
from scipy import sparse

__all__ = ["pagerank"]


def pagerank(
    n_nodes: int,
    edges: np.ndarray,
    weights: np.ndarray,
    strength: np.ndarray,
    damping: float = 0.85,
    tolerance: float = 1e-12,
) -> np.ndarray:
    """Return the PageRank of each node of an undirected weighted graph.

    Parameters
    ----------
    n_nodes : int
        Number of nodes.
    edges : (m, 2) int array
        Listed edges; lighter edges may be left out.
    weights : (m,) float array
        Weights of the listed edges.
    strength : (n,) float array
        Sum of the weights of all edges of each node, listed or not.
    damping : float
        Probability that the random walk follows an edge.
    tolerance : float
        The iteration ends if the ranks change by less than this, summed over all nodes.

    Returns
    -------
    (n,) float array
        The ranks; their sum is 1.

    Notes
    -----
    Let r be the strengths minus the weights of the listed edges. The edges that are not listed are
    replaced by the matrix r r^T / sum(r), which has the row sums r. From a node of strength 0 the
    random walk jumps to any node with equal probability.

    Examples
    --------
    >>> edges, weights = np.array([[0, 1], [1, 2]]), np.array([1.0, 1.0])
    >>> pagerank(3, edges, weights, np.array([1.0, 2.0, 1.0])).round(3).tolist()
    [0.257, 0.486, 0.257]
    """
    half = sparse.coo_array((weights, tuple(edges.T)), shape=(n_nodes, n_nodes))
    matrix = (half + half.T).tocsr()
    rest = np.maximum(0.0, strength - matrix.sum(axis=1))
    rest[rest < 1e-9 * strength] = 0.0
    total = rest.sum()
    rest_scaled = rest / np.sqrt(total) if total > 0 else rest
    inverse = np.where(strength > 0, 1.0 / np.where(strength > 0, strength, 1.0), 0.0)
    rank = np.full(n_nodes, 1.0 / n_nodes)
    for _ in range(1000):
        flow = rank * inverse
        moved = matrix @ flow + rest_scaled * (rest_scaled @ flow)
        lost = rank[strength <= 0].sum()
        new = damping * (moved + lost / n_nodes) + (1.0 - damping) / n_nodes
        change = np.abs(new - rank).sum()
        rank = new
        if change < tolerance:
            break
    return rank
