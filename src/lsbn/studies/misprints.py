"""The paper's figures checked against each other: what cannot be as printed."""

from collections.abc import Iterator
from dataclasses import dataclass

from lsbn.metrics import Comparison
from lsbn.studies import published
from lsbn.studies.published import Figures

PERCENTAGES = ("precision", "recall", "f_score")
ROUNDING = 0.0015
"""Percentages are printed with three decimals; this allows for a last one cut, not rounded."""

RATIO_ROUNDING = 0.05
"""The same for a ratio of two percentages as printed."""


@dataclass(frozen=True)
class Misprint:
    """A figure that disagrees with others of the paper.

    Attributes
    ----------
    table : str
        Where it stands.
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


def recomputed(figures: Figures) -> Comparison:
    """Percentages that follow from the printed counts."""
    return Comparison(figures.hits, figures.misses, figures.errors, shd=0)


def misprints() -> list[Misprint]:
    """List every figure of the paper that its other figures contradict.

    Examples
    --------
    >>> [m.cell for m in misprints() if m.table == "comparison on pigs"][:2]
    ['aracne global, hits + misses', 'aracne global, precision']
    """
    return [*_thresholds(), *_paths(), *_sizes(), *_comparisons(), *_normalised()]


def _thresholds() -> Iterator[Misprint]:
    for network, thresholds in published.TRUNCATION.items():
        if (found := thresholds["MI_sqrt"]) > 1:
            yield Misprint(
                "truncate thresholds",
                f"MI_sqrt on {network}",
                f"{found:g}",
                f"{thresholds['MI_pr']:g}",
                "MI_sqrt cannot exceed 1: the thresholds of MI_sqrt and MI_pr stand in each "
                "other's rows",
            )


def _paths() -> Iterator[Misprint]:
    """Find paths that are another cell's diameter to the last digit, and greater than their own."""
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
                    f"is to the last digit the diameter of {twins[0]}",
                )


def _sizes() -> Iterator[Misprint]:
    """Find mean sizes that no whole number of members gives."""
    for network, mean in published.MEAN_SIZE.items():
        communities = sum(published.SIZES[network])
        members = round(mean * communities)
        if abs(members / communities - mean) > 6e-4:
            yield Misprint(
                "partition sizes",
                f"mean size on {network}",
                f"{mean:g}",
                f"{members / communities:.3f}",
                f"no whole number of members in {communities} communities has this mean; the "
                "nearest is given",
            )


def _comparisons() -> Iterator[Misprint]:
    for network, rows in published.COMPARISON.items():
        for learner, halves in rows.items():
            for scope, figures in halves.items():
                if figures is not None:
                    yield from _cell(network, f"{learner} {scope}", figures)


def _cell(network: str, cell: str, figures: Figures) -> Iterator[Misprint]:
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
                        "follows from the counts of LSBN and global",
                    )


def normalised_from_counts(network: str, learner: str, name: str) -> float:
    """LSBN in percent of global, both recomputed from the printed counts."""
    halves = published.COMPARISON[network][learner]
    ours, whole = halves["lsbn"], halves["global"]
    if ours is None or whole is None:
        raise ValueError(f"the paper has no {learner} on all of {network} at once")
    return 100 * getattr(recomputed(ours), name) / getattr(recomputed(whole), name)
