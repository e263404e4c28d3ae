"""The paper's four tables of partitions, and a table of the true edges inside communities."""

import csv
import statistics
from dataclasses import asdict, fields
from pathlib import Path

import numpy as np

from lsbn.files import atomic_file
from lsbn.partition import WEIGHTS
from lsbn.studies import published
from lsbn.studies.partition import PartitionFigures, PartitionStudy, ascending_ranks
from lsbn.studies.published import PARTITIONS, SECOND_ORDER, SIZE_BINS
from lsbn.studies.tabular import Table

__all__ = ["partition_tables", "partition_text", "write_partition_study"]


def partition_tables(study: PartitionStudy) -> list[Table]:
    """Make all tables, in the paper's order."""
    return [
        _threshold_table(study),
        _kept_table(study),
        _ranked_table(study, "path", "Average shortest path", published.SHORTEST_PATH),
        _ranked_table(study, "diameter", "Average diameter", published.DIAMETER),
        _coverage_table(study),
        _size_table(study),
        _second_order_table(study),
    ]


def partition_text(study: PartitionStudy) -> str:
    """Format all tables as Markdown."""
    seeds = ", ".join(map(str, study.seeds))
    head = (
        f"# Partitions: ours / the paper's\n\n{study.rows:,} rows, mean over seeds {seeds}, "
        "columns shuffled. Ranks are in brackets; 1 is the lowest figure.\n"
    )
    return "\n".join([head, *(table.markdown() for table in partition_tables(study))])


def _threshold_table(study: PartitionStudy) -> Table:
    rows = []
    for w in WEIGHTS:
        cells = [w]
        for network in study.networks:
            ours, paper = study.threshold(network, w), published.TRUNCATION.get(network, {})
            shown = "none" if ours is None else f"{ours:.3g}"
            cells.append(f"{shown} / {paper[w]:g}" if paper else shown)
        rows.append(cells)
    note = (
        "Our threshold is the elbow of the weight function's histogram. Some weight functions are "
        "normalised in another way than in the paper, so their thresholds have other units; the "
        "percentages of the next table can be compared. The paper's rows MI_sqrt and MI_pr are "
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
            f"({min(swapped):.2f} to {max(swapped):.2f} if the paper's rows MI_sqrt and MI_pr are "
            "swapped here too)."
        )
    return Table("kept", "Pairs kept, percent", ["", *study.networks], rows, note)


def _ranked_table(
    study: PartitionStudy, name: str, title: str, paper: published.ByNetwork
) -> Table:
    """Make a table of one figure of all eight partitions, with ranks in brackets."""
    ours = {network: study.ranks(network, name) for network in study.networks}
    theirs = {
        network: ascending_ranks(paper[network]) for network in study.networks if network in paper
    }
    rows = []
    for p in PARTITIONS:
        cells = []
        for n in study.networks:
            shown = f"{study.mean(n, p, name):.2f}({ours[n][p]})"
            printed = f" / {paper[n][p]:.2f}({theirs[n][p]})" if n in paper else ""
            cells.append(shown + printed)
        means = [f"{statistics.fmean(r[n][p] for n in r):.1f}" for r in (ours, theirs) if r]
        rows.append([p, *cells, " / ".join(means)])
    note = "Communities of one and unconnected pairs are left out."
    return Table(name, title, ["", *study.networks, "mean rank"], rows, note)


def _coverage_table(study: PartitionStudy) -> Table:
    rows = [[p, *(f"{study.coverage(n, p):.1f}" for n in study.networks)] for p in PARTITIONS]
    medians = [statistics.median(study.coverage(n, w) for w in WEIGHTS) for n in study.networks]
    rows.append(["median of the seven", *(f"{m:.1f}" for m in medians)])
    for name, title in (("path", "rank by path"), ("diameter", "rank by diameter")):
        ranks = [study.rank_at_coverage(n, name) for n in study.networks]
        rows.append([title, *(f"{rank} of {count}" for rank, count in ranks)])
    note = (
        "The paper has no such table. The last two rows rank the second-order partition among the "
        "partitions that contain at least as many true edges."
    )
    title = "True edges inside a community, percent"
    return Table("coverage", title, ["", *study.networks], rows, note)


def _size_table(study: PartitionStudy) -> Table:
    rows = []
    for n in study.networks:
        sizes = [f.sizes for f in study.figures if f.network == n and f.partition == SECOND_ORDER]
        ours = [f"{a:.0f}" for a in np.mean(sizes, axis=0)]
        if n in published.SIZES:
            ours = [f"{a} / {b}" for a, b in zip(ours, published.SIZES[n], strict=True)]
        rows.append([n, *ours])
    note = "Number of second-order communities, by number of variables."
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
    """Write ``partition.md`` (the tables) and ``partition.csv`` (every figure)."""
    folder.mkdir(parents=True, exist_ok=True)
    with atomic_file(folder / "partition.md") as draft:
        draft.write_text(partition_text(study), encoding="utf-8")
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
