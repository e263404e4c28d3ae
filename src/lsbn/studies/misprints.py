"""Misprints: figures of the paper that contradict other figures of the paper."""

from collections.abc import Iterator
from dataclasses import dataclass

from lsbn.metrics import Comparison
from lsbn.studies import published
from lsbn.studies.published import PERCENTAGES, PrintedFigures

ROUNDING = 0.0015
"""Allowed difference: percentages have three decimals, and the last may be cut, not rounded."""

RATIO_ROUNDING = 0.05
"""Allowed difference of a printed ratio of two percentages."""


@dataclass(frozen=True)
class Misprint:
    """A figure that contradicts other figures of the paper.

    Attributes
    ----------
    table : str
        Name of the table.
    cell : str
        Row and column.
    printed, recomputed : str
    reason : str
    """

    table: str
    cell: str
    printed: str
    recomputed: str
    reason: str


def recomputed(figures: PrintedFigures) -> Comparison:
    """Compute the percentages that follow from the printed counts."""
    return Comparison(figures.hits, figures.misses, figures.errors, shd=0)


def misprints() -> list[Misprint]:
    """List every figure of the paper that contradicts its other figures.

    Examples
    --------
    >>> [m.cell for m in misprints() if m.table == "comparison on pigs"][:2]
    ['aracne global, hits + misses', 'aracne global, precision']
    """
    return [*_thresholds(), *_paths(), *_sizes(), *_comparisons(), *_normalised()]


def _thresholds() -> Iterator[Misprint]:
    for network, thresholds in published.TRUNCATION.items():
        if (threshold := thresholds["MI_sqrt"]) > 1:
            yield Misprint(
                "truncate thresholds",
                f"MI_sqrt on {network}",
                f"{threshold:g}",
                f"{thresholds['MI_pr']:g}",
                "MI_sqrt cannot exceed 1: the rows MI_sqrt and MI_pr are swapped",
            )


def _paths() -> Iterator[Misprint]:
    """Find average paths that equal the diameter of another partition to the last digit."""
    for network, paths in published.SHORTEST_PATH.items():
        diameters = published.DIAMETER[network]
        for partition, path in paths.items():
            twins = [p for p, d in diameters.items() if d == path]
            if twins:
                yield Misprint(
                    "average shortest path",
                    f"{partition} on {network}",
                    f"{path:g}",
                    "unknown",
                    f"equals the diameter of {twins[0]} to the last digit",
                )


def _sizes() -> Iterator[Misprint]:
    """Find mean sizes that no whole number of members can give."""
    for network, mean in published.MEAN_SIZE.items():
        communities = sum(published.SIZES[network])
        members = round(mean * communities)
        if abs(members / communities - mean) > 6e-4:
            yield Misprint(
                "partition sizes",
                f"mean size on {network}",
                f"{mean:g}",
                f"{members / communities:.3f}",
                f"no whole number of members of {communities} communities gives this mean; the "
                "nearest mean is shown",
            )


def _comparisons() -> Iterator[Misprint]:
    for network, rows in published.COMPARISON.items():
        for learner, halves in rows.items():
            for scope, figures in halves.items():
                if figures is not None:
                    yield from _cell(network, f"{learner} {scope}", figures)


def _cell(network: str, cell: str, figures: PrintedFigures) -> Iterator[Misprint]:
    table, edges = f"comparison on {network}", published.TRUE_EDGES[network]
    if (total := figures.hits + figures.misses) != edges:
        reason = f"{network} has {edges} edges"
        yield Misprint(table, f"{cell}, hits + misses", str(total), str(edges), reason)
    right = recomputed(figures)
    for name in PERCENTAGES:
        printed, follows = getattr(figures, name), getattr(right, name)
        if abs(printed - follows) > ROUNDING:
            reason = f"hits {figures.hits}, misses {figures.misses}, errors {figures.errors}"
            yield Misprint(table, f"{cell}, {name}", f"{printed:.3f}", f"{follows:.3f}", reason)


def _normalised() -> Iterator[Misprint]:
    for name, rows in published.NORMALISED.items():
        for network, row in rows.items():
            for learner, printed in zip(published.LEARNERS, row, strict=False):
                follows = normalised_from_counts(network, learner, name)
                if abs(printed - follows) > RATIO_ROUNDING:
                    yield Misprint(
                        f"normalised {name}",
                        f"{learner} on {network}",
                        f"{printed:.3f}",
                        f"{follows:.3f}",
                        "recomputed from the counts of LSBN and global",
                    )


def normalised_from_counts(network: str, learner: str, name: str) -> float:
    """Compute LSBN in percent of global, both from the printed counts."""
    halves = published.COMPARISON[network][learner]
    lsbn, alone = halves["lsbn"], halves["global"]
    if lsbn is None or alone is None:
        raise ValueError(f"the paper has no global {learner} on {network}")
    return 100 * getattr(recomputed(lsbn), name) / getattr(recomputed(alone), name)
