"""Networks drawn from their posterior, stored sparsely, and what their frequencies say."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
from scipy import sparse

from lsbn.kernels.walks import descendant_pairs, reached_graphs

__all__ = ["Estimate", "SampledGraphs"]

BATCH_PAIRS = 4_000_000
"""Pairs of ancestors and descendants that are counted at once."""


class Estimate(float):
    """A number with its Monte Carlo error: the mean of a feature over sampled networks.

    Attributes
    ----------
    error : float
        Standard error of the mean.

    Examples
    --------
    >>> Estimate(0.75, 0.014)
    0.750 ± 0.014
    >>> Estimate(0.75, 0.014) > 0.5
    True
    """

    error: float

    def __new__(cls, value: float, error: float = 0.0) -> Estimate:
        """Make a number with an error."""
        number = super().__new__(cls, value)
        number.error = float(error)
        return number

    def __repr__(self) -> str:
        return f"{float(self):.3f} ± {self.error:.3f}"

    __str__ = __repr__

    def __reduce__(self) -> tuple[type[Estimate], tuple[float, float]]:
        return Estimate, (float(self), self.error)


@dataclass(frozen=True, eq=False)
class SampledGraphs:
    """Networks drawn from their posterior, all with the same weight.

    Attributes
    ----------
    names : tuple of str
        Names of the variables.
    start : (k + 1,) int64 array
        The edges of network g are ``start[g]`` to ``start[g + 1]``.
    parent, child : int32 arrays
        The edges, in each network sorted by parent, then child.
    chain : (k,) int32 array
        The chain that drew each network; -1 if all draws are independent.
    log_score : (k,) float array
        Log score of each network as the learner had it, with its prior.

    Examples
    --------
    >>> graphs = SampledGraphs.of([[(0, 1)], [(0, 1), (1, 2)]], ("a", "b", "c"))
    >>> len(graphs), graphs.frequencies().toarray()[1].tolist()
    (2, [0.0, 0.0, 0.5])
    >>> list(graphs[1].edges)
    [('a', 'b'), ('b', 'c')]
    """

    names: tuple[str, ...]
    start: np.ndarray
    parent: np.ndarray
    child: np.ndarray
    chain: np.ndarray
    log_score: np.ndarray

    @classmethod
    def of(
        cls,
        edges: Sequence[Sequence[tuple[int, int]]],
        names: Sequence[str],
        chain: Sequence[int] | None = None,
    ) -> SampledGraphs:
        """Make the value from lists of edges, with log scores of zero."""
        k = len(edges)
        of_graph = np.repeat(np.arange(k), [len(own) for own in edges])
        ends = np.array([edge for own in edges for edge in own], np.int64).reshape(-1, 2)
        chains = np.full(k, -1) if chain is None else np.asarray(chain)
        return cls.sorted(tuple(names), of_graph, ends[:, 0], ends[:, 1], chains, np.zeros(k))

    @classmethod
    def sorted(
        cls,
        names: tuple[str, ...],
        of_graph: np.ndarray,
        parent: np.ndarray,
        child: np.ndarray,
        chain: np.ndarray,
        log_score: np.ndarray,
    ) -> SampledGraphs:
        """Sort edges by network, parent and child; ``of_graph`` is the network of each edge."""
        n = len(names)
        order = np.argsort((of_graph.astype(np.int64) * n + parent) * n + child)
        counts = np.bincount(of_graph, minlength=len(chain))
        start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        ends = (parent[order].astype(np.int32), child[order].astype(np.int32))
        return cls(names, start, *ends, chain.astype(np.int32), np.asarray(log_score, float))

    def __len__(self) -> int:
        return len(self.chain)

    def __iter__(self) -> Iterator[nx.DiGraph]:
        return (self[g] for g in range(len(self)))

    def __getitem__(self, g: int) -> nx.DiGraph:
        """Return one network over all variables."""
        own = slice(*self.start[range(len(self))[g] :][:2])
        graph = nx.DiGraph()
        graph.add_nodes_from(self.names)
        pairs = zip(self.parent[own].tolist(), self.child[own].tolist(), strict=True)
        graph.add_edges_from((self.names[u], self.names[v]) for u, v in pairs)
        return graph

    def parents_of(self, g: int) -> list[tuple[int, ...]]:
        """Return the parents of each variable in one network, ascending."""
        own = slice(*self.start[range(len(self))[g] :][:2])
        found: list[list[int]] = [[] for _ in self.names]
        for u, v in zip(self.parent[own].tolist(), self.child[own].tolist(), strict=True):
            found[v].append(u)
        return [tuple(parents) for parents in found]

    def __repr__(self) -> str:
        mean = len(self.parent) / max(len(self), 1)
        return f"<SampledGraphs: {len(self)} of {len(self.names)} variables, {mean:.1f} edges each>"

    @property
    def of_graph(self) -> np.ndarray:
        """The network of each edge."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    def thinned(self, k: int) -> SampledGraphs:
        """Return k of the networks, evenly spaced."""
        chosen = np.arange(k) * len(self) // k
        counts = np.diff(self.start)[chosen]
        start = np.concatenate([[0], np.cumsum(counts)])
        rows = np.arange(start[-1]) + np.repeat(self.start[chosen] - start[:-1], counts)
        ends = (self.parent[rows], self.child[rows])
        return SampledGraphs(self.names, start, *ends, self.chain[chosen], self.log_score[chosen])

    def frequencies(self) -> sparse.csr_array:
        """Return the share of networks with each edge, parent by child."""
        n = len(self.names)
        ones = np.full(len(self.parent), 1 / max(len(self), 1))
        return sparse.csr_array((ones, (self.parent, self.child)), shape=(n, n))

    def mean(self, values: np.ndarray) -> Estimate:
        """Return the mean of one value of each network, with its Monte Carlo error.

        The error is that of independent draws, or that of the means of the chains, whichever is
        larger: networks of one chain depend on each other.

        Examples
        --------
        >>> graphs = SampledGraphs.of([[], [], [(0, 1)], [(0, 1)]], ("a", "b"), [0, 0, 1, 1])
        >>> graphs.mean(np.array([0.0, 0.0, 1.0, 1.0]))
        0.500 ± 0.500
        """
        values = np.asarray(values, float)
        k = len(values)
        error = values.std(ddof=1) / math.sqrt(k) if k > 1 else 0.0
        chains = np.unique(self.chain)
        if len(chains) > 1:
            means = np.array([values[self.chain == c].mean() for c in chains])
            error = max(error, means.std(ddof=1) / math.sqrt(len(chains)))
        return Estimate(values.mean(), error)

    def feature(self, function: Callable[[nx.DiGraph], Any]) -> Estimate:
        """Return the mean of a function of a network, with its Monte Carlo error."""
        return self.mean(np.array([float(function(graph)) for graph in self]))

    def joined(self, u: int, v: int) -> np.ndarray:
        """Mark the networks with the edge from u to v."""
        ends = (self.parent == u) & (self.child == v)
        return np.bincount(self.of_graph[ends], minlength=len(self)) > 0

    @property
    def independent(self) -> bool:
        """Whether the networks are independent draws, from an exact average."""
        return bool((self.chain < 0).all())

    def reach(self, u: int, v: int) -> np.ndarray:
        """Mark the networks with a directed path from u to v."""
        return reached_graphs(len(self.names), self.start, self.parent, self.child, u, v)

    def blanket(self, u: int) -> sparse.csr_array:
        """Mark the Markov blanket of a variable: its parents, children, and their other parents.

        Returns
        -------
        sparse array, shape (networks, variables)
        """
        k, n = len(self), len(self.names)
        of_graph = self.of_graph
        ours, above = self.parent == u, self.child == u
        families = of_graph * n + self.child
        beside = np.isin(families, families[ours]) & ~ours
        rows = np.concatenate([of_graph[ours], of_graph[above | beside]])
        columns = np.concatenate([self.child[ours], self.parent[above | beside]])
        marks = np.unique(rows * n + columns)
        shape = (k, n)
        return sparse.csr_array((np.ones(len(marks)), (marks // n, marks % n)), shape=shape)

    def ancestors(self) -> sparse.csr_array:
        """Return the share of networks with a directed path, for all pairs, ancestor by descendant.

        Examples
        --------
        >>> graphs = SampledGraphs.of([[(0, 1), (1, 2)], [(0, 1)]], ("a", "b", "c"))
        >>> graphs.ancestors().toarray()[0].tolist()
        [0.0, 1.0, 0.5]
        """
        n, total = len(self.names), sparse.csr_array((len(self.names), len(self.names)))
        waiting: list[np.ndarray] = []
        for g in range(len(self)):
            own = slice(*self.start[g : g + 2])
            waiting.append(descendant_pairs(n, self.parent[own], self.child[own]))
            if sum(map(len, waiting)) > BATCH_PAIRS or g == len(self) - 1:
                pairs, counts = np.unique(np.concatenate(waiting), return_counts=True)
                total = total + sparse.csr_array((counts, (pairs // n, pairs % n)), shape=(n, n))
                waiting = []
        return sparse.csr_array(total / max(len(self), 1))
