"""PC: take edges away from the complete graph where a conditional-independence test allows it."""

import math
from itertools import combinations, pairwise

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from lsbn import parallel
from lsbn.data import Dataset
from lsbn.graph import EdgeProbabilities
from lsbn.kernels import independence as _independence
from lsbn.kernels import separation as _separation
from lsbn.learners.base import Candidates, Learned
from lsbn.learners.independence import (
    Data,
    adjacency,
    arrays_for_tests,
    checked_alpha,
    significant,
    strips,
)
from lsbn.pairs import PairStatistics

__all__ = ["learn_pc"]

_CHUNKS = 64
_VOTE_SIZE = 2

Graph = tuple[np.ndarray, np.ndarray]
Pair = tuple[int, int]


def learn_pc(
    dataset: Dataset,
    *,
    alpha: float | None = None,
    max_size: int = 3,
    candidates: Candidates | None = None,
    pairs: PairStatistics | None = None,
    random_state: int | np.random.Generator | None = None,
    n_jobs: int | None = 1,
) -> Learned:
    """Learn an equivalence class by the PC algorithm in its order-independent form.

    Parameters
    ----------
    dataset : Dataset
    alpha : float, optional
        Level of the G2 tests; `lsbn.learners.independence.default_alpha` if left out.
    max_size : int
        Largest conditioning set. Sets of four and more split 20,000 rows so finely that the tests
        say "independent" of true edges: without a bound F fell from 91.0 to 90.6 on insurance,
        gained nothing on the other networks, and link did not end.
    candidates : Candidates, optional
        Pairs that may be joined; all may by default.
    pairs : ignored
        The tests count for themselves.
    random_state : ignored
        Nothing is random.
    n_jobs : int, optional
        Threads for the tests.

    Returns
    -------
    Learned
        Directed edges with probability 1, undirected ones with 0.5 each way. The directed part
        has no cycle.

    Notes
    -----
    *Skeleton.* PC-stable (Colombo & Maathuis 2014): all tests of a level see the graph as it was
    before the level. Of the pairs that pass the marginal tests only as many stay as keep false
    discoveries among all pairs at 5 percent: without it 28 tables of noise had 103 false edges, F
    on networks hardly changed. Degrees of freedom are those observed (see
    `lsbn.kernels.independence`), so a test on few rows loses power instead of validity, and no
    minimum of rows per degree is imposed (none, one and five gave the same graphs).
    A vacuous test separates only if it is `mediated`:
    counting all of them as independence lost 5 points of F on win95pts, counting none 1 point on
    insurance and 3 on link.

    *Orientation.* The pair at the ends of an unshielded triple is tested again given all sets of
    at most two neighbours of either end. The triple is a v-structure if less than half of the sets
    that separate hold the middle variable (the majority rule). An edge that two v-structures want
    to direct in opposite ways stays undirected. Then Meek's rules 1 to 3; edges on a directed
    cycle, which only errors of the tests can make, become undirected.
    """
    del pairs, random_state
    n = dataset.n_variables
    alpha = checked_alpha(alpha, n)
    data = arrays_for_tests(dataset)
    allowed = None if candidates is None else candidates.pairs(dataset)
    joined, levels = _skeleton(data, n, allowed, math.log(alpha), max_size, n_jobs)
    directed = _orient(data, n, joined, math.log(alpha), n_jobs)
    edges = EdgeProbabilities(_pdag(n, joined, directed), dataset.names)
    return Learned(edges, {"alpha": alpha, "edges": len(joined), "levels": levels})


def _skeleton(
    data: Data,
    n: int,
    pairs: np.ndarray | None,
    log_alpha: float,
    max_size: int,
    n_jobs: int | None,
) -> tuple[np.ndarray, list[dict[str, int]]]:
    """Pairs that no set of at most `max_size` neighbours separates, and a record of the levels."""
    levels = []
    if pairs is None:

        def strip(bounds: Pair) -> np.ndarray:
            return _independence.dependent_strip(data, *bounds, log_alpha)

        pairs = np.concatenate(parallel.run(strip, strips(n), n_jobs))
        levels.append({"size": 0, "pairs": n * (n - 1) // 2, "tests": n * (n - 1) // 2})
    pairs = pairs[significant(_independence.pair_log_p_values(data, pairs), n * (n - 1) // 2)]
    for size in range(len(levels), max_size + 1):
        graph = adjacency(n, pairs)
        if len(pairs) == 0 or np.diff(graph.indptr).max() <= size:
            break
        graph_arrays = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)

        def level(part: np.ndarray, size: int = size, arrays: Graph = graph_arrays) -> tuple:
            return _separation.separate(data, part, *arrays, size, log_alpha)

        done = parallel.run(level, np.array_split(pairs, min(_CHUNKS, len(pairs))), n_jobs)
        tests = int(sum(count for _, count in done))
        levels.append({"size": size, "pairs": len(pairs), "tests": tests})
        pairs = pairs[~np.concatenate([found for found, _ in done])]
    return pairs, levels


def _orient(
    data: Data, n: int, pairs: np.ndarray, log_alpha: float, n_jobs: int | None
) -> set[Pair]:
    """Directed edges: v-structures by majority, then Meek's rules, and no cycle."""
    graph = adjacency(n, pairs)
    near = [set(graph.indices[a:b].tolist()) for a, b in pairwise(graph.indptr)]
    ends = sorted(
        {(x, y) for around in near for x, y in combinations(sorted(around), 2) if y not in near[x]}
    )

    def colliders(pair: Pair) -> list[tuple[int, int]]:
        x, y = pair
        middle = np.array(sorted(near[x] & near[y]), np.int64)
        pools = np.array([*sorted(near[x]), *sorted(near[y])], np.int64)
        total, votes = _separation.separator_votes(
            data, pair, pools, len(near[x]), _VOTE_SIZE, middle, log_alpha
        )
        heads = middle[2 * votes < total].tolist()
        return [(tail, head) for head in heads for tail in pair]

    arrows = {arrow for found in parallel.run(colliders, ends, n_jobs) for arrow in found}
    arrows = {(u, v) for u, v in arrows if (v, u) not in arrows}
    return _acyclic_part(n, _meek(near, _acyclic_part(n, arrows)))


def _acyclic_part(n: int, arrows: set[Pair]) -> set[Pair]:
    """Drop the directions of all edges inside strongly connected components."""
    if not arrows:
        return arrows
    u, v = np.array(sorted(arrows)).T
    graph = sparse.csr_array((np.ones(len(u)), (u, v)), shape=(n, n))
    _, label = csgraph.connected_components(graph, connection="strong")
    return {(a, b) for a, b in arrows if label[a] != label[b]}


def _meek(near: list[set[int]], arrows: set[Pair]) -> set[Pair]:
    """Close the directions under Meek's rules 1 to 3 (1995).

    Each round directs all edges that some rule directs one way only, so that no order matters.
    """
    arrows = set(arrows)
    into: list[set[int]] = [set() for _ in near]
    for u, v in arrows:
        into[v].add(u)
    while True:
        wanted = {
            (a, b)
            for a, around in enumerate(near)
            for b in around
            if a not in into[b] and b not in into[a] and _rule_applies(near, into, a, b)
        }
        new = {(a, b) for a, b in wanted if (b, a) not in wanted}
        if not new:
            return arrows
        arrows |= new
        for a, b in new:
            into[b].add(a)


def _rule_applies(near: list[set[int]], into: list[set[int]], a: int, b: int) -> bool:
    """Say whether one of the rules turns a - b into a -> b."""
    if any(c not in near[b] for c in into[a]):  # 1: c -> a - b
        return True
    if any(a in into[c] for c in into[b]):  # 2: a -> c -> b
        return True
    sides = [c for c in into[b] & near[a] if c not in into[a] and a not in into[c]]
    return any(d not in near[c] for c, d in combinations(sides, 2))  # 3: a - c -> b, a - d -> b


def _pdag(n: int, pairs: np.ndarray, directed: set[Pair]) -> sparse.csr_array:
    """Matrix with 1 for a directed edge and 0.5 each way for an undirected one."""
    matrix = 0.5 * adjacency(n, pairs)
    matrix = matrix.tolil()
    for u, v in directed:
        matrix[u, v], matrix[v, u] = 1.0, 0.0
    return matrix.tocsr()
