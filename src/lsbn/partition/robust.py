"""ROPART, step 1 of LSBN: one partition from many weight functions (paper, Algorithm ROPART).

The five steps of the algorithm: (1) the complete graph of all variables; (2) one weighted graph for
each weight function, truncated at its elbow; (3) one partition of each weighted graph by link
communities; (4) the partition support matrices; (5) the second-order network and its partition.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from lsbn.checkpoint import PLAIN
from lsbn.data import Dataset
from lsbn.pairs import FALSE_DISCOVERIES, WEIGHTS, PairStatistics
from lsbn.parallel import run, spread
from lsbn.partition.linkcomm import link_communities
from lsbn.partition.second_order import (
    SecondOrderNetwork,
    second_order_network,
    second_order_partition,
)
from lsbn.partition.weights import WeightedGraph, weighted_graphs
from lsbn.stagenames import stage_name


@dataclass(frozen=True, eq=False)
class RobustPartition:
    """The second-order partition, and the results of all steps of ROPART before it.

    Attributes
    ----------
    communities : list of int arrays
        The second-order partition: sorted variable indices, largest community first. Every
        variable is in at least one community. Many variables are in several communities.
    by_weight : dict of str to list of int arrays
        The partition of the weighted graph of each weight function.
    graphs : dict of str to WeightedGraph
        The truncated weighted graphs.
    second_order : SecondOrderNetwork
        The second-order network of all these partitions.
    """

    communities: list[np.ndarray]
    by_weight: dict[str, list[np.ndarray]]
    graphs: dict[str, WeightedGraph]
    second_order: SecondOrderNetwork

    @property
    def kept(self) -> dict[str, float]:
        """Fraction of all pairs whose weight exceeds the threshold, for each weight function."""
        return {name: graph.kept for name, graph in self.graphs.items()}


def ropart(
    dataset: Dataset,
    *,
    weights: Sequence[str] = WEIGHTS,
    pairs: PairStatistics | None = None,
    false_discoveries: float | None = FALSE_DISCOVERIES,
    max_mean_degree: float = 100.0,
    min_agreement: float = 0.4,
    min_lift: float = 2.5,
    max_size: int = 50,
    n_jobs: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> RobustPartition:
    """Partition variables into overlapping communities (paper, Algorithm ROPART).

    Parameters
    ----------
    dataset : Dataset
    weights : sequence of str, names of weight functions, see `WEIGHTS`
    pairs : PairStatistics, optional, of the same dataset; by default they are computed here
    false_discoveries : float, optional
        Weighted graphs have only pairs that are significant at this rate of false discoveries.
        None means that pairs are not tested, as published.
    max_mean_degree : float
        Largest mean degree of a graph. This bound matters for a thousand variables and more.
    min_agreement, min_lift : float
        Thresholds of the second-order network, see `second_order_network`.
    max_size : int
        Communities of the second-order partition with more variables are partitioned again.
    n_jobs : int, optional
        Number of weighted graphs that are partitioned in parallel. It does not change the result.
    progress : callable, optional
        Called with a short text when a stage begins.

    Returns
    -------
    RobustPartition

    Examples
    --------
    >>> from lsbn.network import load_network
    >>> data = Dataset.from_table(load_network("alarm").sample(2_000, random_state=0))
    >>> partition = ropart(data)
    >>> sorted(partition.kept) == sorted(WEIGHTS)
    True
    """
    report = progress or (lambda text: None)
    pairs = pairs or PairStatistics(dataset, n_jobs)
    report(stage_name("partition", f"{pairs.n_pairs:,} pairs"))
    bound: dict[str, Any] = {"max_mean_degree": max_mean_degree}
    tested = bound | {"pairs": pairs, "false_discoveries": false_discoveries}
    graphs = weighted_graphs(dataset, weights, **tested)
    report(stage_name("partition", f"{len(graphs)} weighted graphs"))
    partitions = _partitions(list(graphs.values()), n_jobs, small=pairs.stored)
    report(stage_name("partition", "second order"))
    least: dict[str, Any] = {"min_agreement": min_agreement, "min_lift": min_lift, **bound}
    network = second_order_network(partitions, dataset.n_variables, **least)
    communities = second_order_partition(network, max_size=max_size)
    return RobustPartition(communities, dict(zip(graphs, partitions, strict=True)), graphs, network)


def _partitions(
    graphs: Sequence[WeightedGraph], n_jobs: int | None, *, small: bool
) -> list[list[np.ndarray]]:
    """Partition all graphs; the workers of a cluster need longer to begin than small ones take."""
    if small:
        return run(partial(_partition, ()), graphs, n_jobs, PLAIN)
    return spread(_partition, (), graphs, n_jobs)


def _partition(data: tuple, graph: WeightedGraph) -> list[np.ndarray]:
    """Return the link communities of a weighted graph."""
    return link_communities(graph.n_nodes, graph.edges, graph.weights).communities
