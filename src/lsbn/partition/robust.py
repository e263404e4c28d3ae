"""ROPART, step 1 of LSBN: a robust partition from many weight functions (Algorithm 1)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lsbn.data import Dataset
from lsbn.pairs import WEIGHTS, PairStatistics
from lsbn.parallel import run
from lsbn.partition.linkcomm import link_communities
from lsbn.partition.second_order import (
    SecondOrderNetwork,
    second_order_network,
    second_order_partition,
)
from lsbn.partition.weights import WeightedGraph, weighted_graphs


@dataclass(frozen=True, eq=False)
class RobustPartition:
    """What ROPART found.

    Attributes
    ----------
    communities : list of int arrays
        The second-order partition: sorted variable indices, largest community first. Every
        variable is in at least one, many are in several.
    by_weight : dict of str to list of int arrays
        The partition under each weight function.
    kept : dict of str to float
        Fraction of all pairs that each weight function's threshold leaves.
    graphs : dict of str to WeightedGraph
        The truncated weighted graphs.
    second_order : SecondOrderNetwork
    """

    communities: list[np.ndarray]
    by_weight: dict[str, list[np.ndarray]]
    kept: dict[str, float]
    graphs: dict[str, WeightedGraph]
    second_order: SecondOrderNetwork


def ropart(
    dataset: Dataset,
    *,
    weights: Sequence[str] = WEIGHTS,
    pairs: PairStatistics | None = None,
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
    weights : sequence of str
        Weight functions, of `WEIGHTS`.
    pairs : PairStatistics, optional
        Of the same dataset, if they are at hand.
    max_mean_degree : float
        Bound on the edges per variable of the weighted graphs and of the second-order network.
        It acts on a thousand variables and more.
    min_agreement, min_lift : float
        Thresholds of the second-order network, see `second_order_network`.
    max_size : int
        Larger communities of the second-order partition are partitioned again.
    n_jobs : int, optional
        Partitions made at a time; the answer does not depend on it.
    progress : callable, optional
        Is told in words what begins.

    Returns
    -------
    RobustPartition

    Examples
    --------
    >>> from lsbn.network import load_network
    >>> data = Dataset.from_table(load_network("alarm").sample(2_000, random_state=0))
    >>> found = ropart(data)
    >>> sorted(found.kept) == sorted(WEIGHTS)
    True
    """
    tell = progress or (lambda text: None)
    tell(f"weighing {dataset.n_variables * (dataset.n_variables - 1) // 2:,} pairs of variables")
    graphs = weighted_graphs(dataset, weights, pairs=pairs, max_mean_degree=max_mean_degree)
    tell(f"partitioning {len(graphs)} weighted graphs")
    found = run(_partition, list(graphs.values()), n_jobs)
    tell("building the second-order partition")
    network = second_order_network(
        found,
        dataset.n_variables,
        min_agreement=min_agreement,
        min_lift=min_lift,
        max_mean_degree=max_mean_degree,
    )
    return RobustPartition(
        communities=second_order_partition(network, max_size=max_size),
        by_weight=dict(zip(graphs, found, strict=True)),
        kept={name: graph.kept for name, graph in graphs.items()},
        graphs=graphs,
        second_order=network,
    )


def _partition(graph: WeightedGraph) -> list[np.ndarray]:
    return link_communities(graph.n_nodes, graph.edges, graph.weights).communities
