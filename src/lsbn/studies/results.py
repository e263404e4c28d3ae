"""The finished cells of a study, and what follows from them: means, ratios, verdicts."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lsbn.studies import published
from lsbn.studies.cells import Cell, Outcome
from lsbn.studies.comparison import MODEL_AVERAGING, PARTITION, ROWS_STUDY
from lsbn.studies.misprints import recomputed
from lsbn.studies.partition import PartitionFigures, PartitionStudy
from lsbn.studies.peers import PEER_SCOPE, PEERS
from lsbn.studies.published import COUNTS, PERCENTAGES
from lsbn.studies.tabular import mean_and_spread

__all__ = [
    "Results",
    "Verdict",
    "cells_csv",
    "printed_figures",
    "ratio_to_global",
    "stage_seconds",
    "verdicts",
]

LEARNER_NAMES = {
    "aracne": "ARACNE",
    "pc": "PC",
    "greedy": "Greedy",
    "mmhc": "MMHC",
    MODEL_AVERAGING: "Model Avg",
}
"""Learners as the paper's tables name them."""

SCOPE_NAMES = {"lsbn": "LSBN", "paper": "LSBN as published", "global": "Global"}
"""Scopes as tables and plots name them."""

CURVE_FIGURES = ("average_precision", "brier_score", "calibration_error")
"""Figures of the edge probabilities of one data table."""


@dataclass(frozen=True)
class Results:
    """The finished cells of a study.

    Attributes
    ----------
    networks : tuple of str
        Labels, in the order of the tables.
    rows : int
        Rows of each data table.
    seeds : tuple of int
    learners, scopes : tuple of str
    outcomes : mapping of Cell to Outcome
    """

    networks: tuple[str, ...]
    rows: int
    seeds: tuple[int, ...]
    learners: tuple[str, ...]
    scopes: tuple[str, ...]
    outcomes: Mapping[Cell, Outcome]

    def of(self, network: str, learner: str, scope: str, rows: int = 0) -> list[Outcome]:
        """Return the outcomes of all seeds; without `rows`, those with `self.rows` rows."""
        cells = [Cell(network, rows or self.rows, s, learner, scope) for s in self.seeds]
        return [self.outcomes[cell] for cell in cells if cell in self.outcomes]

    def values(
        self, network: str, learner: str, scope: str, figure: str, rows: int = 0
    ) -> list[float]:
        """Return one figure for every seed whose cell is done."""
        outcomes = self.of(network, learner, scope, rows)
        return [o.figures[figure] for o in outcomes if o.status == "done"]

    def mean(self, network: str, learner: str, scope: str, figure: str, rows: int = 0) -> float:
        """Return the mean of a figure over the seeds."""
        return mean_and_spread(self.values(network, learner, scope, figure, rows))[0]

    def with_curves(self, network: str, scope: str) -> list[Outcome]:
        """Return the outcomes of model averaging that have curves of the edge probabilities."""
        return [o for o in self.of(network, MODEL_AVERAGING, scope) if o.curves]

    def partition(self) -> PartitionStudy | None:
        """Return the figures of the partitions, None if no partition is measured yet."""
        figures = [
            PartitionFigures(**{**f, "sizes": tuple(f["sizes"])})
            for n in self.networks
            for o in self.of(n, *PARTITION)
            for f in o.partition
        ]
        measured = {f.network for f in figures}
        names = tuple(n for n in self.networks if n in measured)
        return PartitionStudy(names, self.seeds, self.rows, tuple(figures)) if figures else None

    @property
    def paper_learners(self) -> list[str]:
        """Learners of this study that the paper has too, in the paper's order."""
        return [x for x in published.LEARNERS if x in self.learners]

    @property
    def has_curves(self) -> bool:
        """Whether some cell has curves of the edge probabilities."""
        return any(o.curves for o in self.outcomes.values())

    @property
    def rows_networks(self) -> list[str]:
        """Networks that have cells with at least two of the row counts `ROWS_STUDY`."""
        return [
            n
            for n in self.networks
            if sum(bool(self.of(n, MODEL_AVERAGING, "lsbn", r)) for r in ROWS_STUDY) > 1
        ]

    @property
    def peers(self) -> list[str]:
        """Peers that have a cell."""
        return [p for p in PEERS if any(self.of(n, p, PEER_SCOPE) for n in self.networks)]


@dataclass(frozen=True)
class Verdict:
    """Our mean F in one cell of the paper, beside the paper's F.

    Attributes
    ----------
    network, learner, scope : str
    ours : float
        Mean F over the seeds, percent.
    printed : float
        F as printed in the paper.
    from_counts : float
        F that follows from the paper's own hits, misses and errors.
    """

    network: str
    learner: str
    scope: str
    ours: float
    printed: float
    from_counts: float

    @property
    def reached(self) -> bool:
        """Whether our F is at least the printed F, both with one decimal."""
        return round(self.ours, 1) >= round(self.printed, 1)

    @property
    def reached_counts(self) -> bool:
        """Whether our F is at least the F that follows from the printed counts."""
        return round(self.ours, 1) >= round(self.from_counts, 1)


def printed_figures(network: str, learner: str, scope: str) -> published.PrintedFigures | None:
    """Return the paper's figures for a cell, None if it has none.

    The scopes ``lsbn`` and ``paper`` both have the paper's LSBN as counterpart.
    """
    half = "global" if scope == "global" else "lsbn"
    return published.COMPARISON.get(network, {}).get(learner, {}).get(half)


def verdicts(results: Results, scopes: Sequence[str] = published.PRINTED_SCOPES) -> list[Verdict]:
    """Compare our F with the paper's, for every cell that both have."""
    compared = []
    for scope in scopes:
        for learner in published.LEARNERS:
            for network in results.networks:
                printed = printed_figures(network, learner, scope)
                if printed and (ours := results.values(network, learner, scope, "f_score")):
                    mean = mean_and_spread(ours)[0]
                    counts = recomputed(printed).f_score
                    compared.append(Verdict(network, learner, scope, mean, printed.f_score, counts))
    return compared


def ratio_to_global(
    results: Results, network: str, learner: str, scope: str, figure: str
) -> float | None:
    """Return the mean of a figure in percent of the mean of global, None if one is missing."""
    inside = results.values(network, learner, scope, figure)
    alone = results.values(network, learner, "global", figure)
    if not inside or not alone or mean_and_spread(alone)[0] == 0:
        return None
    return 100 * mean_and_spread(inside)[0] / mean_and_spread(alone)[0]


def stage_seconds(results: Results, network: str) -> dict[str, float]:
    """Return the mean seconds of every stage of LSBN with model averaging."""
    outcomes = results.of(network, MODEL_AVERAGING, "lsbn")
    stages = dict.fromkeys(s for o in outcomes for s in o.seconds if s != "total")
    return {s: mean_and_spread([o.seconds.get(s, 0.0) for o in outcomes])[0] for s in stages}


def cells_csv(results: Results) -> str:
    """Write every figure of every cell as CSV, without seconds and memory."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    figures = (*COUNTS, *PERCENTAGES, "shd")
    key = ("network", "rows", "seed", "learner", "scope", "status")
    writer.writerow([*key, *figures, *CURVE_FIGURES])
    for cell in sorted(results.outcomes, key=lambda c: c.file):
        outcome = results.outcomes[cell]
        if (cell.learner, cell.scope) == PARTITION:
            continue
        values = [outcome.figures.get(f) for f in figures]
        values += [outcome.curves.get(c) for c in CURVE_FIGURES]
        about = [cell.network, cell.rows, cell.seed, cell.learner, cell.scope, outcome.status]
        writer.writerow([*about, *("" if v is None else f"{v:.6g}" for v in values)])
    return file.getvalue()
