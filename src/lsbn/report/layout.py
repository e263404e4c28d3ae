"""Positions for the nodes of a graph; the same graph always gets the same positions.

Stress majorisation (Gansner, Koren & North 2004) places each connected component. It brings the
distance of two nodes close to the length of the shortest path between them. A second term of the
vertical coordinate draws a child below its parent, with a weight equal to the certainty of the
direction. At the end the components are packed into a page.
"""

from functools import cache

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, shortest_path
from scipy.spatial.distance import cdist
from threadpoolctl import ThreadpoolController

__all__ = ["place"]

PULL = 0.6
"""Total weight of the terms 'child below parent', relative to that of the distances."""
NEAREST = 0.5
"""Least distance of two nodes, in edge lengths."""
OFF_EDGE = 0.3
"""Wanted distance of a node from the edges of other nodes, in edge lengths."""
LARGE = 100
"""Components with more nodes are drawn from left to right if that fills the page better."""
ASPECT = 1.7
"""Width over height of the page that components are packed into."""
GAP = 1.1
"""Space between two components, in edge lengths."""
ALONE = np.array([1.5, 0.75])
"""Width and height for a node without an edge, so that its name fits."""
MOST_CHECKS = 200_000
"""With more pairs of a node and an edge, nodes are not moved away from edges: it takes too long."""


def place(n: int, pairs: np.ndarray, lean: np.ndarray) -> np.ndarray:
    """Place the nodes of a graph.

    Parameters
    ----------
    n : int
        Number of nodes.
    pairs : int array, shape (m, 2)
        The edges.
    lean : float array, shape (m,)
        Certainty of the direction of each edge, from 1 (the first node is the parent) to -1 (the
        first node is the child).

    Returns
    -------
    numpy.ndarray, shape (n, 2)
        Coordinates, with the y axis downwards; a typical edge has length 1.

    Examples
    --------
    >>> xy = place(3, np.array([[0, 1], [1, 2]]), np.array([1.0, 1.0]))
    >>> bool(xy[0, 1] < xy[1, 1] < xy[2, 1])  # the chain runs downwards
    True
    """
    if n == 0:
        return np.zeros((0, 2))
    pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    ones = np.ones(len(pairs))
    graph = csr_array(coo_array((ones, (pairs[:, 0], pairs[:, 1])), shape=(n, n)))
    _, label = connected_components(graph, directed=False)
    members = np.split(np.argsort(label, kind="stable"), np.cumsum(np.bincount(label))[:-1])
    where = np.empty(n, dtype=np.int64)
    drawn = []
    owner = label[pairs[:, 0]]
    order = np.argsort(owner, kind="stable")
    cuts = np.searchsorted(owner[order], np.arange(len(members) + 1))
    with _threads().limit(limits=1):  # more threads are slower on small matrices
        for k, nodes in enumerate(members):
            where[nodes] = np.arange(len(nodes))
            mine = order[cuts[k] : cuts[k + 1]]
            drawn.append(_component(len(nodes), where[pairs[mine]], lean[mine]))
    xy = np.zeros((n, 2))
    for nodes, inside, corner in zip(members, drawn, _packed(drawn), strict=True):
        xy[nodes] = inside + corner
    return xy


@cache
def _threads() -> ThreadpoolController:
    """Return the controller of threads; to make one takes 5 ms, more than a small component."""
    return ThreadpoolController()


def _component(n: int, pairs: np.ndarray, lean: np.ndarray) -> np.ndarray:
    """Place one connected component; its least coordinates are zero."""
    if n == 1:
        return np.zeros((1, 2))
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    distance = shortest_path(csr_array(graph), directed=False, unweighted=True)
    xy = _majorised(distance, _levelled(_scaled(distance), pairs, lean), pairs, lean)
    xy = _apart(xy, pairs)
    width, height = np.ptp(xy, axis=0)
    if n > LARGE and height > 1.3 * width:
        xy = xy[:, ::-1]  # from left to right: pages are wide
    return xy - xy.min(axis=0)


def _scaled(distance: np.ndarray) -> np.ndarray:
    """Place by classical scaling; a little fixed noise keeps nodes apart."""
    squares = distance**2
    centred = -0.5 * (squares - squares.mean(0) - squares.mean(1)[:, None] + squares.mean())
    start = np.random.default_rng(0).standard_normal((len(distance), 2))
    basis, _ = np.linalg.qr(start)
    for _ in range(30):
        basis, _ = np.linalg.qr(centred @ basis)
    length = np.sqrt(np.maximum(np.einsum("ik,ij,jk->k", basis, centred, basis, optimize=True), 0))
    return basis * length + 0.05 * start


def _levelled(xy: np.ndarray, pairs: np.ndarray, lean: np.ndarray) -> np.ndarray:
    """Return start positions: y is the level of a node, x the main direction besides the level.

    Levels are the least squares solution of 'a child is one below its parent'.
    """
    n = len(xy)
    pull = np.abs(lean) + 1e-3
    rows = np.repeat(np.arange(len(pairs)), 2)
    steps = csr_array((np.tile([-1.0, 1.0], len(pairs)), (rows, pairs.ravel())), (len(pairs), n))
    normal = (steps.T @ (steps * pull[:, None])).toarray() + 1.0 / n
    level = cho_solve(cho_factor(normal), steps.T @ (pull * np.clip(lean, -1, 1)))
    size = level @ level
    if size < 1e-6 * n:
        return xy
    flat = xy - np.outer(level, level @ xy) / size
    across = flat @ np.linalg.svd(flat.T @ flat)[0][:, 0]
    return np.stack((across, level), axis=1)


def _majorised(
    distance: np.ndarray, xy: np.ndarray, pairs: np.ndarray, lean: np.ndarray
) -> np.ndarray:
    """Minimise the stress by majorisation, until no node moves much.

    The stress is ``sum_ij (|x_i - x_j| - d_ij)^2 / d_ij^2`` plus `PULL` times the sum over edges
    of ``|lean| (y_child - y_parent - 1)^2``, scaled to the same total weight. Each step minimises a
    quadratic upper bound, so it solves one linear system for each axis. The factors of the two
    matrices are computed once.
    """
    n = len(xy)
    weight = np.zeros_like(distance)
    np.divide(1.0, distance**2, out=weight, where=distance > 0)
    laplacian = np.diag(weight.sum(axis=1)) - weight + 1.0 / n
    pull = PULL * np.abs(lean) * weight.sum() / (2 * len(pairs))
    tail, head = np.where(lean[:, None] >= 0, pairs, pairs[:, ::-1]).T
    along = laplacian.copy()
    downward = np.zeros(n)
    for (i, j), s in (((tail, tail), 1), ((head, head), 1), ((tail, head), -1), ((head, tail), -1)):
        np.add.at(along, (i, j), s * pull)
    np.add.at(downward, head, pull)
    np.add.at(downward, tail, -pull)
    across_factor, along_factor = cho_factor(laplacian), cho_factor(along)
    goal = weight * distance
    for _ in range(120 if n <= 500 else 60):
        ratio = goal / np.maximum(cdist(xy, xy), 1e-6)
        target = xy * ratio.sum(axis=1)[:, None] - ratio @ xy
        new = np.empty_like(xy)
        new[:, 0] = cho_solve(across_factor, target[:, 0])
        new[:, 1] = cho_solve(along_factor, target[:, 1] + downward)
        moved = np.abs(new - xy).max()
        xy = new
        if moved < 0.01:
            break
    return xy


def _apart(xy: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Push close nodes apart, and push nodes away from the edges of other nodes."""
    xy = xy + 1e-3 * np.random.default_rng(1).standard_normal(xy.shape)
    check_edges = len(xy) * len(pairs) <= MOST_CHECKS
    for _ in range(60):
        push = np.zeros_like(xy)
        gaps = cdist(xy, xy)
        np.fill_diagonal(gaps, np.inf)
        i, j = np.nonzero(gaps < NEAREST)
        gap = gaps[i, j]
        np.add.at(push, i, (xy[i] - xy[j]) * (0.3 * (NEAREST / np.maximum(gap, 1e-6) - 1))[:, None])
        if check_edges:
            _off_edges(xy, pairs, push)
        if np.abs(push).max() < 1e-3:
            break
        xy = xy + push
    return xy


def _off_edges(xy: np.ndarray, pairs: np.ndarray, push: np.ndarray) -> None:
    """Add to `push` the steps that move nodes away from the edges of other nodes."""
    tail, head = xy[pairs[:, 0]], xy[pairs[:, 1]]
    way = head - tail
    length = np.maximum((way**2).sum(axis=1), 1e-9)
    share = np.einsum("nmk,mk->nm", xy[:, None] - tail, way) / length
    off = xy[:, None] - (tail + share[..., None] * way)
    far = np.linalg.norm(off, axis=2)
    edge = np.arange(len(pairs))
    far[pairs[:, 0], edge] = far[pairs[:, 1], edge] = np.inf
    node, edge = np.nonzero((far < OFF_EDGE) & (share > 0) & (share < 1))
    gap = np.maximum(far[node, edge], 1e-6)
    step = off[node, edge] * (0.2 * (OFF_EDGE / gap - 1))[:, None]
    np.add.at(push, node, step)
    np.add.at(push, pairs[edge, 0], -step / 2)
    np.add.at(push, pairs[edge, 1], -step / 2)


def _packed(drawn: list[np.ndarray]) -> list[np.ndarray]:
    """Return the upper left corner of every component: rows of boxes, the largest first.

    Nodes without an edge have separate rows at the end.
    """
    sizes = [xy.max(axis=0) + (GAP if len(xy) > 1 else ALONE) for xy in drawn]
    area = sum(w * h for w, h in sizes)
    width = max(max((w for w, _ in sizes), default=0.0), float(np.sqrt(area * ASPECT)))
    alone = [len(xy) == 1 for xy in drawn]
    order = sorted(range(len(sizes)), key=lambda k: (alone[k], -sizes[k][1], -sizes[k][0], k))
    corners = [np.zeros(2) for _ in sizes]
    x = y = row = 0.0
    for rank, k in enumerate(order):
        w, h = sizes[k]
        first_alone = alone[k] and not alone[order[rank - 1]]
        if x > 0 and (x + w > width + 1e-9 or first_alone):
            x, y, row = 0.0, y + row, 0.0
        corners[k] = np.array([x, y])
        x, row = x + w, max(row, h)
    return corners
