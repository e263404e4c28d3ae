"""Figures of partitions: distances inside communities, sizes and covered edges.

A distance is the length of the shortest path between two members of a community, on the true
skeleton of the whole network. A community's figure is the average over its pairs. The table shows
the average over communities, without weights. Communities of one variable have no pairs, and
unconnected pairs have no distance; both are left out.

Small communities have short paths, and these measures do not punish cut edges. Therefore sizes
and the share of true edges inside a community are measured too.
"""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import shortest_path

from lsbn.data import Dataset
from lsbn.network import BayesianNetwork
from lsbn.partition import ropart
from lsbn.studies.cells import shuffled_table
from lsbn.studies.published import PARTITIONS, SECOND_ORDER, SIZE_BINS

SMALL = 25
"""Most variables of a community that the paper calls small."""


@dataclass(frozen=True)
class PartitionFigures:
    """Figures of one partition of one data table.

    Attributes
    ----------
    network : str
    seed : int
    partition : str
        A weight function, or ``second-order``.
    kept : float
        Fraction of all pairs that are edges of the partitioned graph.
    path, diameter : float
        Average shortest path and diameter, averaged over communities.
    covered, edges : int
        Number of true edges inside at least one community, and of all true edges.
    communities, largest, small : int
        Number of communities, size of the largest, number with at most 25 variables.
    mean_size : float
    sizes : tuple of int
        Number of communities in each of the paper's bins of size.
    threshold : float, optional
        Truncate threshold of a weight function; None if no pair was cut.
    """

    network: str
    seed: int
    partition: str
    kept: float
    path: float
    diameter: float
    covered: int
    edges: int
    communities: int
    largest: int
    small: int
    mean_size: float
    sizes: tuple[int, ...]
    threshold: float | None = None


@dataclass(frozen=True)
class PartitionStudy:
    """Figures of every network, seed and partition."""

    networks: tuple[str, ...]
    seeds: tuple[int, ...]
    rows: int
    figures: tuple[PartitionFigures, ...]

    def mean(self, network: str, partition: str, name: str) -> float:
        """Return the mean of a figure over the seeds."""
        values = [
            getattr(f, name)
            for f in self.figures
            if f.network == network and f.partition == partition
        ]
        return statistics.fmean(values)

    def threshold(self, network: str, weight: str) -> float | None:
        """Return the mean truncate threshold over the seeds, None if a seed has none."""
        values = [
            f.threshold for f in self.figures if f.network == network and f.partition == weight
        ]
        known = [value for value in values if value is not None]
        return statistics.fmean(known) if len(known) == len(values) else None

    def ranks(self, network: str, name: str) -> dict[str, int]:
        """Rank the eight partitions by a figure, 1 for the lowest; equal figures share a rank."""
        return ascending_ranks({p: self.mean(network, p, name) for p in PARTITIONS})

    def coverage(self, network: str, partition: str) -> float:
        """Return the percentage of true edges inside at least one community."""
        held = self.mean(network, partition, "covered")
        return 100 * held / self.mean(network, partition, "edges")

    def rank_at_coverage(self, network: str, name: str) -> tuple[int, int]:
        """Rank the second-order partition among those with at least its coverage.

        Returns
        -------
        (int, int)
            The rank, and the number of partitions compared.
        """
        least = self.coverage(network, SECOND_ORDER)
        compared = [p for p in PARTITIONS if self.coverage(network, p) >= least]
        ranks = ascending_ranks({p: self.mean(network, p, name) for p in compared})
        return ranks[SECOND_ORDER], len(compared)


def shuffled_sample(network: BayesianNetwork, rows: int, seed: int) -> tuple[Dataset, np.ndarray]:
    """Sample a data table with shuffled columns.

    Returns
    -------
    (Dataset, array)
        The data, and the true edges as pairs of column numbers of the data.
    """
    table = shuffled_table(network, rows, seed)
    place = table.columns.get_indexer(list(network.names))
    edges = [(place[p], place[v]) for v, above in enumerate(network.parents) for p in above]
    return Dataset.from_table(table), np.array(edges)


def partition_figures(
    network: BayesianNetwork, name: str, rows: int, seed: int, n_jobs: int | None = None
) -> list[PartitionFigures]:
    """Sample one data table, partition it and measure all eight partitions."""
    dataset, edges = shuffled_sample(network, rows, seed)
    parts = ropart(dataset, false_discoveries=None, n_jobs=n_jobs)
    distances = skeleton_distances(dataset.n_variables, edges)
    pairs = dataset.n_variables * (dataset.n_variables - 1) / 2
    kept = {**parts.kept, SECOND_ORDER: len(parts.second_order.edges) / pairs}
    partitions = {**parts.by_weight, SECOND_ORDER: parts.communities}
    cuts = {w: g.threshold for w, g in parts.graphs.items() if np.isfinite(g.threshold)}
    return [
        replace(
            measure(name, seed, p, kept[p], partitions[p], distances, edges),
            threshold=float(cuts[p]) if p in cuts else None,
        )
        for p in PARTITIONS
    ]


def skeleton_distances(n_nodes: int, edges: np.ndarray) -> np.ndarray:
    """Return the lengths of the shortest paths between all nodes, infinite without a path."""
    ones = np.ones(len(edges))
    graph = sparse.coo_array((ones, (edges[:, 0], edges[:, 1])), shape=(n_nodes, n_nodes))
    return shortest_path(graph.tocsr(), directed=False, unweighted=True)


def measure(
    network: str,
    seed: int,
    partition: str,
    kept: float,
    communities: Sequence[np.ndarray],
    distances: np.ndarray,
    edges: np.ndarray,
) -> PartitionFigures:
    """Measure a partition against the true network.

    Parameters
    ----------
    network : str
        Label of the network.
    seed : int
    partition : str
        A weight function, or ``second-order``.
    kept : float
        Fraction of all pairs that are edges of the partitioned graph.
    communities : sequence of arrays
        Members of every community.
    distances : array
        See `skeleton_distances`.
    edges : array
        The true edges, one in each row.
    """
    averages, diameters = [], []
    held = np.zeros(len(edges), bool)
    inside = np.zeros(len(distances), bool)
    for c in communities:
        among = distances[np.ix_(c, c)][np.triu_indices(len(c), 1)]
        among = among[np.isfinite(among)]
        if len(among):
            averages.append(float(among.mean()))
            diameters.append(float(among.max()))
        inside[c] = True
        held |= inside[edges[:, 0]] & inside[edges[:, 1]]
        inside[c] = False
    sizes = np.array([len(c) for c in communities])
    bins = np.minimum((sizes - 1) // 5, len(SIZE_BINS) - 1)
    return PartitionFigures(
        network=network,
        seed=seed,
        partition=partition,
        kept=kept,
        path=statistics.fmean(averages) if averages else 0.0,
        diameter=statistics.fmean(diameters) if diameters else 0.0,
        covered=int(held.sum()),
        edges=len(edges),
        communities=len(sizes),
        largest=int(sizes.max()),
        small=int((sizes <= SMALL).sum()),
        mean_size=float(sizes.mean()),
        sizes=tuple(np.bincount(bins, minlength=len(SIZE_BINS)).tolist()),
    )


def ascending_ranks(values: Mapping[str, float]) -> dict[str, int]:
    """Rank values, 1 for the lowest; equal values share a rank.

    Examples
    --------
    >>> ascending_ranks({"a": 0.3, "b": 0.1, "c": 0.3})
    {'a': 2, 'b': 1, 'c': 2}
    """
    return {p: 1 + sum(w < v for w in values.values()) for p, v in values.items()}
