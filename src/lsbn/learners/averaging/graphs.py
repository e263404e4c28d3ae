"""Chains of graphs, each counted once, sampled over listed parent sets.

An average over orders counts a graph as often as it has orders. Here the chains are over graphs
instead (`lsbn.kernels.graphs`). They start at graphs that are drawn given the orders at which the
chains of orders ended, which are in the mode by then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy import sparse

from lsbn.kernels import graphs as _graphs
from lsbn.kernels.state import EdgeSums, Partners
from lsbn.learners.averaging.collector import Trail
from lsbn.learners.averaging.convergence import ChainSums, best_mode, standard_error
from lsbn.learners.averaging.parent_sets import ParentSets
from lsbn.learners.averaging.settings import SamplingSettings
from lsbn.parallel import run

__all__ = ["GraphChain", "expected_edges", "partners_of", "sample_graphs", "without_excess"]


@dataclass(frozen=True)
class GraphSettings:
    """How graphs are sampled. All else is as in `SamplingSettings`, a step being a block.

    Attributes
    ----------
    together : int
        Variables whose parents are drawn together, 1 to 6. On tables of 8 variables with 50, 1,000
        and 5,000 rows, the squared error times the time was 63 on average with two, 52 with three,
        34 with four and 68 with five. Blocks of one often never left their first mode.
    least_weight : float
        Partners of a variable are drawn in proportion to the posterior of an edge between the two
        in the chains of orders, plus this.
    factor : int
        Factor of `SamplingSettings.most_steps`. On link with 500 rows, 400 sweeps of orders had an
        R-hat of 1.03. With graphs it was 1.15 after 420 sweeps, and 1.03 after 1,500.
    """

    together: int = 4
    least_weight: float = 0.02
    factor: int = 5

    def __post_init__(self) -> None:
        if not 1 <= self.together <= _graphs.MOST_TOGETHER:
            raise ValueError(f"blocks have 1 to {_graphs.MOST_TOGETHER} variables: {self}")
        if self.least_weight <= 0 or self.factor < 1:
            raise ValueError(f"weights must be positive, and the factor at least 1: {self}")


_SETTINGS = GraphSettings()


class OrderChain(Protocol):
    """A chain of orders: see `lsbn.learners.averaging.chains.Chain`."""

    keys: np.ndarray

    @property
    def mean(self) -> np.ndarray:
        """Mean posterior of every edge."""


def sample_graphs(
    sets: ParentSets,
    orders: Sequence[OrderChain],
    sampling: SamplingSettings,
    rng: np.random.Generator,
    n_jobs: int | None = 1,
) -> list[GraphChain]:
    """Run chains of graphs until the posteriors are precise enough.

    Parameters
    ----------
    sets : ParentSets
        The sets to sample and to average over.
    orders : sequence of OrderChain
        Chains of orders in the best mode. Their last orders are the starts, and their edge
        posteriors tell whose parents are drawn together.
    sampling : SamplingSettings
        Number of chains, of sweeps in a part, of steps in all, and the tolerance. A step draws the
        parents of a block of variables; there may be more, see `GraphSettings.factor`.
    rng : numpy.random.Generator
    n_jobs : int

    Returns
    -------
    list of GraphChain
        They have the sums that `lsbn.learners.averaging.convergence` and the average take.
    """
    partners = partners_of(sets, np.mean([chain.mean for chain in orders], axis=0))
    chains = [
        GraphChain(sets, partners, orders[c % len(orders)].keys, own)
        for c, own in enumerate(rng.spawn(sampling.chains))
    ]
    least = max(2 * sampling.sweeps, sampling.least_steps // sets.n_variables)
    most = max(least, _SETTINGS.factor * sampling.most_steps // sets.n_variables)
    while True:
        run(lambda chain: chain.advance(sampling.sweeps, sampling.thin), chains, n_jobs)
        done = chains[0].sweeps
        if done >= most:
            return chains
        kept = best_mode(chains, sampling.worse_mode)
        if done >= least and standard_error(kept) < sampling.tolerance:
            return chains


def partners_of(
    sets: ParentSets, edges: np.ndarray, settings: GraphSettings = _SETTINGS
) -> Partners:
    """Give every variable its neighbours, weighted by the posterior of an edge either way.

    Parameters
    ----------
    sets : ParentSets
    edges : float array
        Posterior of each candidate edge, in the order of ``sets.edges()``.
    settings : GraphSettings
    """
    n, links = sets.n_variables, sets.links
    matrix = sparse.csr_array((edges + settings.least_weight, sets.edges()), shape=(n, n))
    both = sparse.csr_array(matrix + matrix.T)
    both.sort_indices()
    total = np.concatenate([[0.0], np.cumsum(both.data)])
    first, last = total[links.start[:-1]], total[links.start[1:]]
    degree = np.diff(links.start)
    offset, span = np.repeat(first, degree), np.repeat(last - first, degree)
    return Partners(links.start, links.node, (total[1:] - offset) / span)


def without_excess(matrix: sparse.csr_array) -> sparse.csr_array:
    """Scale the two directions of a pair to the sum 1 where they exceed it.

    A chain averages the posterior of each direction given the parents of all other variables, and
    the two are given different ones. Their means exceed 1 together only by the sampling error.

    Examples
    --------
    >>> matrix = sparse.csr_array([[0.0, 0.75, 0.2], [0.5, 0.0, 0.0], [0.1, 0.0, 0.0]])
    >>> without_excess(matrix).toarray()
    array([[0. , 0.6, 0.2],
           [0.4, 0. , 0. ],
           [0.1, 0. , 0. ]])
    """
    both = sparse.csr_array(matrix + matrix.T)
    both.data = 1.0 / np.maximum(both.data, 1.0)
    return sparse.csr_array(matrix.multiply(both))


def expected_edges(
    sets: ParentSets, keys: np.ndarray, sweeps: int, rng: np.random.Generator
) -> float:
    """Posterior mean of the number of edges, by a pilot chain of graphs from an order."""
    chain = GraphChain(sets, partners_of(sets, np.zeros(sets.n_candidates)), keys, rng)
    for _ in range(2):
        chain.advance(sweeps, 1)
    return float(chain.mean.sum())


class GraphChain(ChainSums):
    """One chain of graphs, and its sums.

    Parameters
    ----------
    sets : ParentSets
    partners : Partners
    keys : float array
        The order of the first graph.
    rng : numpy.random.Generator
    settings : GraphSettings
    """

    def __init__(
        self,
        sets: ParentSets,
        partners: Partners,
        keys: np.ndarray,
        rng: np.random.Generator,
        settings: GraphSettings = _SETTINGS,
    ) -> None:
        super().__init__(sets.n_candidates)
        self.sets, self.partners, self.rng, self.settings = sets, partners, rng, settings
        self.state = _graphs.start_graph(sets.lists, keys, rng)
        self.trail = Trail(sets.n_variables)

    def advance(self, sweeps: int, thin: int) -> None:
        """Sample one more part. The first part is burn-in: the second replaces it."""
        lists, part, squares = self.sets.lists, *np.zeros((2, self.sets.n_candidates))
        sums, pace = EdgeSums(lists, part, squares), (self.settings.together, sweeps, thin)
        kept = np.empty((sweeps // thin, self.sets.n_variables), np.int32)
        scores = _graphs.sample(lists, self.partners, self.state, pace, self.rng, sums, kept)
        self.add_part(sums, scores, sweeps)
        self.trail.add(kept, first=self.parts == 1)

    def edge_draws(self, sets: ParentSets, edge: int) -> np.ndarray:
        """Whether each graph that was kept has an edge, an entry of ``sets.edges()``."""
        child, bit = sets.child_and_bit(edge)
        return (sets.lists.set_mask[self.trail.draws[:, child]] & bit > 0).astype(float)
