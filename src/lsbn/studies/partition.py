"""The paper's four tables of partitions, and how many true edges the communities hold.

Distances are measured on the true skeleton of the whole network, between the members of a
community. A community's average is over its pairs and the table's over communities, whatever
their size; communities of one have no pairs and unconnected pairs no distance, so both are left
out. Small communities do well by these measures, and breaking true edges costs nothing, so size
and edge coverage stand beside them.
"""

import csv
import os
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import shortest_path

from lsbn.data import Dataset
from lsbn.files import atomic_file
from lsbn.network import BayesianNetwork, load_network
from lsbn.partition import WEIGHTS, ropart
from lsbn.studies import published
from lsbn.studies.published import NETWORKS, PARTITIONS, SECOND_ORDER, SIZE_BINS
from lsbn.studies.tabular import Table

SMALL = 25
"""Largest size that the paper calls small enough."""


@dataclass(frozen=True)
class PartitionFigures:
    """What is measured of one partition of one table.

    Attributes
    ----------
    network : str
    seed : int
    partition : str
        A weight function, or ``second-order``.
    kept : float
        Fraction of all pairs in the graph that was partitioned.
    path, diameter : float
        Average shortest path and diameter, averaged over communities.
    covered, edges : int
        True edges inside at least one community, and true edges.
    communities, largest, small : int
        Number of communities, members of the largest, communities of at most 25.
    mean_size : float
    sizes : tuple of int
        Communities in each of the paper's bins of size.
    threshold : float, optional
        Truncate threshold of a weight function; None where nothing was cut.
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
    """Figures of every network, seed and partition; `text` makes the tables."""

    networks: tuple[str, ...]
    seeds: tuple[int, ...]
    rows: int
    figures: tuple[PartitionFigures, ...]

    def mean(self, network: str, partition: str, name: str) -> float:
        """Mean of a figure over the seeds."""
        found = [
            getattr(f, name)
            for f in self.figures
            if f.network == network and f.partition == partition
        ]
        return statistics.fmean(found)

    def threshold(self, network: str, weight: str) -> float | None:
        """Mean of a truncate threshold over the seeds, None if one of them cut nothing."""
        found = [
            f.threshold for f in self.figures if f.network == network and f.partition == weight
        ]
        known = [value for value in found if value is not None]
        return statistics.fmean(known) if len(known) == len(found) else None

    def ranks(self, network: str, name: str) -> dict[str, int]:
        """Ascending ranks of the eight partitions by a figure; equal figures share the best."""
        return _ranks({p: self.mean(network, p, name) for p in PARTITIONS})

    def coverage(self, network: str, partition: str) -> float:
        """Percent of the true edges that lie inside at least one community."""
        held = self.mean(network, partition, "covered")
        return 100 * held / self.mean(network, partition, "edges")

    def rank_among_peers(self, network: str, name: str) -> tuple[int, int]:
        """Rank of the second-order partition among those that cover as much, and their number."""
        least = self.coverage(network, SECOND_ORDER)
        peers = [p for p in PARTITIONS if self.coverage(network, p) >= least]
        ranks = _ranks({p: self.mean(network, p, name) for p in peers})
        return ranks[SECOND_ORDER], len(peers)

    def text(self) -> str:
        """All tables in Markdown, ours beside the paper's."""
        seeds = ", ".join(map(str, self.seeds))
        head = (
            f"# Partitions: ours / the paper's\n\n{self.rows:,} rows, mean over seeds {seeds}, "
            "columns shuffled. Ranks in brackets, 1 is the lowest.\n"
        )
        return "\n".join([head, *(table.markdown() for table in self.tables())])

    def tables(self) -> list[Table]:
        """All tables, in the paper's order."""
        return [
            _threshold_table(self),
            _kept_table(self),
            _ranked_table(self, "path", "Average shortest path", published.SHORTEST_PATH),
            _ranked_table(self, "diameter", "Average diameter", published.DIAMETER),
            _coverage_table(self),
            _size_table(self),
            _second_order_table(self),
        ]


def run_partition_study(
    output: str | os.PathLike[str] | None = None,
    networks: Sequence[str] = NETWORKS,
    rows: int = published.ROWS,
    seeds: Iterable[int] = (0, 1, 2),
    progress: Callable[[str], None] | None = None,
    n_jobs: int | None = None,
) -> PartitionStudy:
    """Sample the paper's networks, partition them and measure the partitions.

    Parameters
    ----------
    output : path, optional
        Folder for ``partition.md`` (the tables) and ``partition.csv`` (every single figure).
    networks : sequence of str
        Some of the paper's five.
    rows : int
        Rows sampled from each network.
    seeds : iterable of int
        One table is sampled for each seed.
    progress : callable, optional
        Is told in words what begins.
    n_jobs : int, optional
        For `ropart`.

    Returns
    -------
    PartitionStudy
    """
    tell = progress or (lambda text: None)
    unknown = [name for name in networks if name not in NETWORKS]
    if unknown:
        raise ValueError(f"the paper has no network {unknown[0]!r}; it has {', '.join(NETWORKS)}")
    seeds, found = tuple(seeds), []
    for name in networks:
        network = load_network(name)
        for seed in seeds:
            tell(f"partitioning {name}, seed {seed}")
            found.extend(partition_figures(network, name, rows, seed, n_jobs))
    study = PartitionStudy(tuple(networks), seeds, rows, tuple(found))
    if output is not None:
        write_partition_study(study, Path(output))
    return study


def shuffled_sample(network: BayesianNetwork, rows: int, seed: int) -> tuple[Dataset, np.ndarray]:
    """Sample a table with its columns in random order, and give the true edges in that order."""
    table = network.sample(rows, random_state=seed)
    order = np.random.default_rng(seed).permutation(network.n_variables)
    place = np.argsort(order)
    edges = [(place[p], place[v]) for v, above in enumerate(network.parents) for p in above]
    return Dataset.from_table(table.iloc[:, order]), np.array(edges)


def partition_figures(
    network: BayesianNetwork, name: str, rows: int, seed: int, n_jobs: int | None = None
) -> list[PartitionFigures]:
    """Partition one sampled table and measure all eight partitions."""
    dataset, edges = shuffled_sample(network, rows, seed)
    parts = ropart(dataset, n_jobs=n_jobs)
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
    """Lengths of the shortest paths between all nodes, infinite where there is none."""
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
    """Measure a partition against the true network."""
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


def _ranks(values: dict[str, float]) -> dict[str, int]:
    return {p: 1 + sum(w < v for w in values.values()) for p, v in values.items()}


def _threshold_table(study: PartitionStudy) -> Table:
    rows = []
    for w in WEIGHTS:
        cells = [w]
        for network in study.networks:
            ours, paper = study.threshold(network, w), published.TRUNCATION.get(network, {})
            found = "none" if ours is None else f"{ours:.3g}"
            cells.append(f"{found} / {paper[w]:g}" if paper else found)
        rows.append(cells)
    note = (
        "The elbow of each weight function's histogram. Units differ where a normalisation does, "
        "so compare the percentages of the next table. The paper's rows MI_sqrt and MI_pr are "
        "swapped: MI_sqrt cannot exceed 1."
    )
    return Table("thresholds", "Truncate thresholds", ["", *study.networks], rows, note)


def _kept_table(study: PartitionStudy) -> Table:
    swap = {"MI_sqrt": "MI_pr", "MI_pr": "MI_sqrt"}
    rows, ratios, swapped = [], [], []
    for w in WEIGHTS:
        cells = [w]
        for network in study.networks:
            ours, paper = study.mean(network, w, "kept"), published.KEPT.get(network)
            if paper is None:
                cells.append(f"{100 * ours:.1f}")
                continue
            ratios.append(ours / paper[w])
            swapped.append(ours / paper[swap.get(w, w)])
            cells.append(f"{100 * ours:.1f} / {100 * paper[w]:.1f}")
        rows.append(cells)
    note = "The paper has none of these networks."
    if ratios:
        note = (
            f"Ours is {min(ratios):.2f} to {max(ratios):.2f} times the paper's "
            f"({min(swapped):.2f} to {max(swapped):.2f} if the rows MI_sqrt and MI_pr are swapped, "
            "as their thresholds are)."
        )
    return Table("kept", "Pairs kept, percent", ["", *study.networks], rows, note)


def _ranked_table(study: PartitionStudy, name: str, title: str, paper: published.Table) -> Table:
    ours = {network: study.ranks(network, name) for network in study.networks}
    theirs = {network: _ranks(paper[network]) for network in study.networks if network in paper}
    rows = []
    for p in PARTITIONS:
        cells = []
        for n in study.networks:
            found = f"{study.mean(n, p, name):.2f}({ours[n][p]})"
            printed = f" / {paper[n][p]:.2f}({theirs[n][p]})" if n in paper else ""
            cells.append(found + printed)
        means = [f"{statistics.fmean(r[n][p] for n in r):.1f}" for r in (ours, theirs) if r]
        rows.append([p, *cells, " / ".join(means)])
    note = "Communities of one and unconnected pairs are left out."
    return Table(name, title, ["", *study.networks, "mean rank"], rows, note)


def _coverage_table(study: PartitionStudy) -> Table:
    rows = [[p, *(f"{study.coverage(n, p):.1f}" for n in study.networks)] for p in PARTITIONS]
    medians = [statistics.median(study.coverage(n, w) for w in WEIGHTS) for n in study.networks]
    rows.append(["median of the seven", *(f"{m:.1f}" for m in medians)])
    for name, title in (("path", "rank by path"), ("diameter", "rank by diameter")):
        ranks = [study.rank_among_peers(n, name) for n in study.networks]
        rows.append([title, *(f"{rank} of {peers}" for rank, peers in ranks)])
    note = (
        "The paper has no such table. The last two rows rank the second-order partition among "
        "those that hold at least as many true edges as it does."
    )
    title = "True edges inside a community, percent"
    return Table("coverage", title, ["", *study.networks], rows, note)


def _size_table(study: PartitionStudy) -> Table:
    rows = []
    for n in study.networks:
        found = [f for f in study.figures if f.network == n and f.partition == SECOND_ORDER]
        ours = [f"{a:.0f}" for a in np.mean([f.sizes for f in found], axis=0)]
        if n in published.SIZES:
            ours = [f"{a} / {b}" for a, b in zip(ours, published.SIZES[n], strict=True)]
        rows.append([n, *ours])
    note = "Second-order communities by number of variables."
    return Table("sizes", "Sizes", ["", *SIZE_BINS], rows, note)


def _second_order_table(study: PartitionStudy) -> Table:
    rows = []
    for n in study.networks:
        count, small = (study.mean(n, SECOND_ORDER, x) for x in ("communities", "small"))
        size = study.mean(n, SECOND_ORDER, "mean_size")
        cells = [f"{count:.0f}", f"{100 * small / count:.1f}", f"{size:.1f}"]
        if n in published.SIZES:
            paper = published.SIZES[n]
            share = 100 * sum(paper[:5]) / sum(paper)
            theirs = [f"{sum(paper)}", f"{share:.1f}", f"{published.MEAN_SIZE[n]:.1f}"]
            cells = [f"{a} / {b}" for a, b in zip(cells, theirs, strict=True)]
        largest = f"{study.mean(n, SECOND_ORDER, 'largest'):.0f}"
        rows.append(
            [n, *cells, largest, *(f"{study.mean(n, w, 'mean_size'):.1f}" for w in WEIGHTS)]
        )
    header = ["", "communities", "of <= 25, %", "mean size", "largest", *WEIGHTS]
    note = "The last columns are the mean sizes of the communities of each weight function."
    return Table("second_order", "Second-order communities", header, rows, note)


def write_partition_study(study: PartitionStudy, folder: Path) -> None:
    """Write ``partition.md``, the tables, and ``partition.csv``, every single figure."""
    folder.mkdir(parents=True, exist_ok=True)
    with atomic_file(folder / "partition.md") as draft:
        draft.write_text(study.text(), encoding="utf-8")
    with (
        atomic_file(folder / "partition.csv") as draft,
        draft.open("w", newline="", encoding="utf-8") as file,
    ):
        names = [f.name for f in fields(PartitionFigures) if f.name != "sizes"]
        writer = csv.DictWriter(file, [*names, *SIZE_BINS])
        writer.writeheader()
        for figures in study.figures:
            row = asdict(figures)
            row.update(zip(SIZE_BINS, row.pop("sizes"), strict=True))
            writer.writerow(row)
