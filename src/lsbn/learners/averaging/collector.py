"""Collect networks from the posterior while it is averaged.

The chains keep some of their orders, a bounded number. In the end networks are drawn given these
orders, from the same parent sets by which edges are averaged. Chains of graphs keep graphs. Exact
averages draw networks that do not depend on each other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lsbn.graph.sampled import SampledGraphs
from lsbn.kernels import draws as _draws
from lsbn.learners.averaging.parent_sets import ParentSets

__all__ = ["GraphCollector", "Trail"]

MOST_ORDERS = 512
"""Most draws that a chain keeps."""
MOST_KEYS = 8_000_000
"""Most numbers that the kept draws of a chain have together (64 MB)."""
LEAST_ORDERS = 16
MOST_EDGES = 5_000_000
"""Most edges of all networks together (40 MB); with more, fewer networks are kept."""
OWN_STREAM = 2**32 - 1
"""Number of the stream of random numbers that draws networks, among those of a seed."""
_EXACT = {"orders": _draws.draw_graphs_by_orders, "graphs": _draws.draw_graphs_once}


class Trail:
    """Draws that a chain keeps, evenly spaced: if they become too many, every second is dropped.

    Parameters
    ----------
    n_variables : int

    Examples
    --------
    >>> trail = Trail(1)
    >>> for part in range(14):
    ...     trail.add(np.arange(100.0 * part, 100.0 * (part + 1))[:, None])
    >>> len(trail.draws), trail.draws[:3, 0].tolist()
    (350, [0.0, 4.0, 8.0])
    """

    def __init__(self, n_variables: int) -> None:
        self.most = max(LEAST_ORDERS, min(MOST_ORDERS, MOST_KEYS // max(n_variables, 1)))
        self.clear()

    def clear(self) -> None:
        """Forget all draws."""
        self._parts: list[np.ndarray] = []
        self._stride, self._next, self._seen = 1, 0, 0

    def add(self, draws: np.ndarray, first: bool = False) -> None:
        """Keep some of further draws, one row each; the ``first`` ones replace all before."""
        if first:
            self.clear()
        places = np.arange(self._next, self._seen + len(draws), self._stride)
        self._parts.append(draws[places - self._seen])
        self._seen += len(draws)
        while sum(map(len, self._parts)) > self.most:
            self._parts, self._stride = [self.draws[::2].copy()], 2 * self._stride
        self._next = -(-self._seen // self._stride) * self._stride

    @property
    def draws(self) -> np.ndarray:
        """All kept draws."""
        if len(self._parts) > 1:
            self._parts = [np.concatenate(self._parts)]
        return self._parts[0]


class GraphCollector:
    """Draws networks from the posterior of model averaging.

    Parameters
    ----------
    n_graphs : int
        Number of networks to keep; 0 for none.
    names : sequence of str
        Names of all variables of the networks.
    variables : int array
        Which of them are learned: the others are constant.
    rng : numpy.random.Generator
        The draws have random numbers of their own, derived from its seed. So edge probabilities do
        not depend on ``n_graphs``.
    """

    def __init__(
        self,
        n_graphs: int,
        names: Sequence[str] = (),
        variables: np.ndarray | None = None,
        rng: np.random.Generator | None = None,
    ) -> None:
        self.n_graphs, self.names, self.variables = n_graphs, tuple(names), variables
        self.rng = _own_generator(rng) if n_graphs else None
        self.graphs: SampledGraphs | None = None

    def draw_empty(self) -> None:
        """Keep networks without edges."""
        if self.n_graphs:
            self.graphs = SampledGraphs.of([[]] * self.n_graphs, self.names)

    def draw_exactly(self, subsets: tuple[np.ndarray, np.ndarray, np.ndarray], count: str) -> None:
        """Draw independent networks from an exact average.

        Parameters
        ----------
        subsets : tuple of arrays
            See `lsbn.learners.averaging.exact.as_subsets`.
        count : {"orders", "graphs"}
        """
        if not self.n_graphs:
            return
        start, mask, score = subsets
        n = len(start) - 1
        order = np.lexsort((-score, np.repeat(np.arange(n), np.diff(start))))
        sets = (start, mask[order], score[order])
        chosen = _EXACT[count](n, sets, self.n_graphs, self.rng)
        members = sets[1][chosen][:, :, None] >> np.arange(n) & 1
        of_graph, child, parent = np.nonzero(members)
        log_score = sets[2][chosen].sum(axis=1)
        self._keep((of_graph, parent, child), np.full(len(chosen), -1), log_score)

    def draw_from_orders(self, trails: Sequence[Trail], sets: ParentSets) -> None:
        """Draw networks given the orders that chains kept, from the listed sets.

        Every chain draws as many. If it kept fewer orders, several networks have the same order.
        """
        if not self.n_graphs:
            return
        orders = [trail.draws for trail in trails]
        row = np.empty(sets.n_variables, np.int32)
        _draws.draw_given_order(sets.lists, orders[0][0], self.rng, row)
        share = -(-self._affordable(sets.sizes[row].sum()) // len(trails))
        chosen = np.empty((len(trails), share, sets.n_variables), np.int32)
        for own, kept in zip(chosen, orders, strict=True):
            for t in range(share):
                place = t * len(kept) // share
                _draws.draw_given_order(sets.lists, kept[place], self.rng, own[t])
        self._keep_listed(chosen, sets)

    def draw_from_graphs(self, trails: Sequence[Trail], sets: ParentSets) -> None:
        """Take networks that chains of graphs kept, as many of each chain."""
        if not self.n_graphs:
            return
        kept = [trail.draws for trail in trails]
        wanted = -(-self._affordable(sets.sizes[kept[0][0]].sum()) // len(trails))
        share = min(wanted, *(len(own) for own in kept))
        chosen = [own[np.arange(share) * len(own) // share] for own in kept]
        self._keep_listed(np.array(chosen), sets)

    def _affordable(self, edges: int) -> int:
        """Return how many networks with this number of edges may be kept."""
        return min(self.n_graphs, max(1, MOST_EDGES // max(int(edges), 1)))

    def _keep_listed(self, chosen: np.ndarray, sets: ParentSets) -> None:
        """Keep networks given as (chains, draws, variables) places of their sets in the lists."""
        chains, share, n = chosen.shape
        chosen, lists = chosen.reshape(-1, n), sets.lists
        edges = [_draws.list_edges(lists, row) for row in chosen]
        of_graph = np.repeat(np.arange(len(chosen)), [len(parent) for parent, _ in edges])
        parent, child = (np.concatenate(ends) for ends in zip(*edges, strict=True))
        chain = np.repeat(np.arange(chains), share)
        self._keep((of_graph, parent, child), chain, lists.set_score[chosen].sum(axis=1))

    def _keep(
        self, edges: tuple[np.ndarray, ...], chain: np.ndarray, log_score: np.ndarray
    ) -> None:
        """Store networks: the number of its network, parent and child of every edge."""
        of_graph, *ends = edges
        parent, child = ends if self.variables is None else (self.variables[end] for end in ends)
        self.graphs = SampledGraphs.sorted(self.names, of_graph, parent, child, chain, log_score)
        if len(chain) > self.n_graphs:  # chains have equal shares, the number may not divide
            self.graphs = self.graphs.thinned(self.n_graphs)


def _own_generator(rng: np.random.Generator | None) -> np.random.Generator:
    """Return a generator derived from the seed of another one, which is not changed."""
    seed = None if rng is None else rng.bit_generator.seed_seq
    if not isinstance(seed, np.random.SeedSequence):
        return np.random.default_rng()
    own = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, OWN_STREAM))
    return np.random.default_rng(own)
