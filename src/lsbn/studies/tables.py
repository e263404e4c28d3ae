"""The paper's tables from the finished cells of a study, ours beside the published.

Whatever differs from run to run, the seconds and the memory, has tables of its own.
"""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lsbn.studies import published
from lsbn.studies.cells import Cell, Outcome
from lsbn.studies.comparison import ARACNE_ALPHA, MODEL_AVERAGING, PARTITION, ROWS_STUDY
from lsbn.studies.misprints import misprints, normalised_from_counts, recomputed
from lsbn.studies.partition import PartitionFigures, PartitionStudy
from lsbn.studies.peers import PEERS, SCOPE
from lsbn.studies.tabular import Table, mean_and_spread

__all__ = ["Results", "Verdict", "all_cells_csv", "main_tables", "seconds_tables", "verdicts"]

COUNTS = ("hits", "misses", "errors")
PERCENTAGES = ("precision", "recall", "f_score")
TITLES = {
    "hits": "hit",
    "misses": "miss",
    "errors": "error",
    "precision": "precision",
    "recall": "recall",
    "f_score": "F",
    "shd": "SHD",
}
LEARNER_NAMES = {
    "aracne": "ARACNE",
    "pc": "PC",
    "greedy": "Greedy",
    "mmhc": "MMHC",
    MODEL_AVERAGING: "Model Avg",
}
SCOPE_NAMES = {"lsbn": "LSBN", "paper": "LSBN as published", "global": "Global"}
NONE = "-"


@dataclass(frozen=True)
class Results:
    """The finished cells of a study.

    Attributes
    ----------
    networks : tuple of str
        Labels, in the order of the tables.
    rows : int
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
        """Outcomes of all seeds; without `rows` those of the main tables."""
        cells = [Cell(network, rows or self.rows, s, learner, scope) for s in self.seeds]
        return [self.outcomes[cell] for cell in cells if cell in self.outcomes]

    def values(
        self, network: str, learner: str, scope: str, figure: str, rows: int = 0
    ) -> list[float]:
        """Give one figure for every seed."""
        found = self.of(network, learner, scope, rows)
        return [o.figures[figure] for o in found if o.status == "done"]

    def mean(self, network: str, learner: str, scope: str, figure: str, rows: int = 0) -> float:
        """Mean of a figure over the seeds."""
        return mean_and_spread(self.values(network, learner, scope, figure, rows))[0]

    def partition(self) -> PartitionStudy | None:
        """Give the figures of the partitions, None if there are none yet."""
        found = [o for n in self.networks for o in self.of(n, *PARTITION)]
        figures = [
            PartitionFigures(**{**f, "sizes": tuple(f["sizes"])})
            for o in found
            for f in o.partition
        ]
        have = {f.network for f in figures}
        names = tuple(n for n in self.networks if n in have)
        return PartitionStudy(names, self.seeds, self.rows, tuple(figures)) if figures else None

    @property
    def rows_networks(self) -> list[str]:
        """Networks with cells at more than one of the rows of the study of rows."""
        return [
            n
            for n in self.networks
            if sum(bool(self.of(n, MODEL_AVERAGING, "lsbn", r)) for r in ROWS_STUDY) > 1
        ]

    @property
    def peers(self) -> list[str]:
        """Peers with a cell."""
        return [p for p in PEERS if any(self.of(n, p, SCOPE) for n in self.networks)]


@dataclass(frozen=True)
class Verdict:
    """Our mean F of a cell of the paper beside the printed one and what its counts give."""

    network: str
    learner: str
    scope: str
    ours: float
    printed: float
    from_counts: float

    @property
    def reached(self) -> bool:
        """Whether ours is at least the printed one, both with one decimal."""
        return round(self.ours, 1) >= round(self.printed, 1)

    @property
    def reached_counts(self) -> bool:
        """The same for what follows from the printed counts."""
        return round(self.ours, 1) >= round(self.from_counts, 1)


def printed_figures(network: str, learner: str, scope: str) -> published.Figures | None:
    """Give the paper's figures for a cell, if it has them; ``paper`` is beside its LSBN."""
    half = "global" if scope == "global" else "lsbn"
    return published.COMPARISON.get(network, {}).get(learner, {}).get(half)


def verdicts(results: Results, scopes: Sequence[str] = published.SCOPES) -> list[Verdict]:
    """Compare every cell that the paper has too."""
    found = []
    for scope in scopes:
        for learner in published.LEARNERS:
            for network in results.networks:
                printed = printed_figures(network, learner, scope)
                if printed and (ours := results.values(network, learner, scope, "f_score")):
                    mean = mean_and_spread(ours)[0]
                    counts = recomputed(printed).f_score
                    found.append(Verdict(network, learner, scope, mean, printed.f_score, counts))
    return found


def main_tables(results: Results) -> list[Table]:
    """All tables that the same seeds give again, in the paper's order."""
    study = results.partition()
    tables = study.tables() if study else []
    tables += [_aracne_table(results)] if _thresholds(results) else []
    tables += [_comparison_table(results, n) for n in results.networks]
    tables += [_normalised_table(results, figure) for figure in PERCENTAGES]
    tables.append(_f_table(results))
    if any(o.curves for o in results.outcomes.values()):
        tables.append(_probability_table(results))
    if results.rows_networks:
        tables.append(_rows_table(results))
    if results.peers:
        tables.append(_peer_table(results))
    return [*tables, _misprint_table()]


def seconds_tables(results: Results) -> list[Table]:
    """Tables of what differs from run to run: seconds and memory."""
    tables = [
        _cost_table(results, "seconds", "Seconds", lambda o: o.seconds.get("total")),
        _cost_table(results, "memory", "Peak memory of the process, MB", lambda o: o.peak_mb),
        _stage_table(results),
    ]
    if results.rows_networks:
        tables.append(_rows_seconds_table(results))
    return tables


def all_cells_csv(results: Results) -> str:
    """Every single figure of every cell, but for seconds and memory."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    curves = ("average_precision", "brier_score", "calibration_error")
    figures = (*COUNTS, *PERCENTAGES, "shd")
    writer.writerow(["network", "rows", "seed", "learner", "scope", "status", *figures, *curves])
    for cell in sorted(results.outcomes, key=lambda c: c.file):
        outcome = results.outcomes[cell]
        if (cell.learner, cell.scope) == PARTITION:
            continue
        measured = [*(outcome.figures.get(f) for f in figures)]
        measured += [outcome.curves.get(c) for c in curves]
        key = [cell.network, cell.rows, cell.seed, cell.learner, cell.scope, outcome.status]
        writer.writerow([*key, *("" if v is None else f"{v:.6g}" for v in measured)])
    return file.getvalue()


def _seeds_note(results: Results) -> str:
    seeds = ", ".join(map(str, results.seeds))
    return (
        f"{results.rows:,} rows, columns shuffled, mean and standard deviation over seeds {seeds}"
        if len(results.seeds) > 1
        else f"{results.rows:,} rows, columns shuffled, seed {seeds}"
    )


def _shown(values: Sequence[float], spread: bool = True) -> str:
    if not values:
        return NONE
    mean, deviation = mean_and_spread(values)
    return f"{mean:.1f} ± {deviation:.1f}" if spread and len(values) > 1 else f"{mean:.1f}"


def _beside(ours: str, printed: str | None) -> str:
    return ours if printed is None else f"{ours} / {printed}"


def _comparison_table(results: Results, network: str) -> Table:
    """Lay out one of the paper's five comparison tables, with the published mode as a third."""
    rows = []
    for learner in (x for x in published.LEARNERS if x in results.learners):
        for scope in results.scopes:
            printed = printed_figures(network, learner, scope)
            cells = [LEARNER_NAMES[learner], SCOPE_NAMES[scope]]
            for figure in (*COUNTS, *PERCENTAGES):
                values = results.values(network, learner, scope, figure)
                paper = None
                if printed:
                    value = getattr(printed, figure)
                    paper = f"{value}" if figure in COUNTS else f"{value:.1f}"
                elif network in published.COMPARISON:
                    paper = "NA"
                cells.append(_beside(_shown(values, figure in PERCENTAGES), paper))
            cells.append(_shown(results.values(network, learner, scope, "shd"), False))
            rows.append(cells)
    header = ["", "scope", *(TITLES[f] for f in (*COUNTS, *PERCENTAGES, "shd"))]
    note = f"{_seeds_note(results)}. Ours / the paper's; percentages of the skeleton."
    return Table(f"comparison_{network}", f"Comparison on {network}", header, rows, note)


def _normalised_table(results: Results, figure: str) -> Table:
    learners = [x for x in published.LEARNERS if x in results.learners]
    rows = []
    for scope in (s for s in results.scopes if s != "global"):
        for network in results.networks:
            cells = [network, SCOPE_NAMES[scope]]
            for learner in learners:
                ratio = ratio_to_global(results, network, learner, scope, figure)
                ours = NONE if ratio is None else f"{ratio:.1f}"
                cells.append(_beside(ours, _printed_ratio(network, learner, figure)))
            rows.append(cells)
    title = f"LSBN in percent of global: {TITLES[figure]}"
    note = (
        "Mean over seeds divided by that of global. Ours / the paper's; in brackets what "
        "follows from the paper's own counts where that differs."
    )
    header = ["", "scope", *(LEARNER_NAMES[x] for x in learners)]
    return Table(f"normalised_{figure}", title, header, rows, note)


def ratio_to_global(
    results: Results, network: str, learner: str, scope: str, figure: str
) -> float | None:
    """Mean over seeds of a figure in percent of that of global, None where one is missing."""
    inside = results.values(network, learner, scope, figure)
    whole = results.values(network, learner, "global", figure)
    if not inside or not whole or mean_and_spread(whole)[0] == 0:
        return None
    return 100 * mean_and_spread(inside)[0] / mean_and_spread(whole)[0]


def _printed_ratio(network: str, learner: str, figure: str) -> str | None:
    printed = published.NORMALISED[figure].get(network)
    if printed is None:
        return None
    if learner not in published.LEARNERS[: len(printed)]:
        return "NA"
    value = printed[published.LEARNERS.index(learner)]
    right = normalised_from_counts(network, learner, figure)
    return f"{value:.1f}" + (f" ({right:.1f})" if abs(value - right) > 0.05 else "")


def _f_table(results: Results) -> Table:
    rows = []
    for scope in results.scopes:
        for learner in (x for x in published.LEARNERS if x in results.learners):
            cells = [LEARNER_NAMES[learner], SCOPE_NAMES[scope]]
            for network in results.networks:
                printed = printed_figures(network, learner, scope)
                shown = _shown(results.values(network, learner, scope, "f_score"))
                paper = "NA" if network in published.COMPARISON else None
                cells.append(_beside(shown, f"{printed.f_score:.1f}" if printed else paper))
            rows.append(cells)
    found = [v for s in results.scopes for v in verdicts(results, [s])]
    counts = []
    for scope in results.scopes:
        some = [v for v in found if v.scope == scope]
        if some:
            counts.append(f"{SCOPE_NAMES[scope]} {sum(v.reached for v in some)} of {len(some)}")
    note = f"{_seeds_note(results)}. Ours / the paper's, percent."
    if counts:
        note += f" At least the printed F, to one decimal: {', '.join(counts)}."
    return Table("f_score", "F of all cells", ["", "scope", *results.networks], rows, note)


def _thresholds(results: Results) -> dict[str, list[float]]:
    found = {}
    for network in results.networks:
        notes = [o.diagnostics for o in results.of(network, "aracne", "global")]
        ranges = [n["threshold_range"] for n in notes if "threshold_range" in n]
        if ranges:
            found[network] = [min(r[0] for r in ranges), max(r[1] for r in ranges)]
    return found


def _aracne_table(results: Results) -> Table:
    rows = []
    for network, (low, high) in _thresholds(results).items():
        printed = published.ARACNE_THRESHOLD.get(network)
        rows.append(
            [network, f"{low:.5f}", f"{high:.5f}", NONE if printed is None else f"{printed:g}"]
        )
    note = (
        "Mutual information in nats. Ours is not chosen: it is what independent variables exceed "
        f"with probability {ARACNE_ALPHA:g} anywhere in the table, for the pair with the fewest "
        "and the most states. The paper chose one constant for each network by hand, knowing the "
        "truth."
    )
    header = ["", "ours, fewest states", "ours, most states", "paper"]
    return Table("aracne_thresholds", "ARACNE's low values threshold", header, rows, note)


def _probability_table(results: Results) -> Table:
    names = ("average_precision", "brier_score", "calibration_error")
    rows = []
    for network in results.networks:
        for scope in results.scopes:
            found = results.of(network, MODEL_AVERAGING, scope)
            if not found:
                continue
            cells = [network, SCOPE_NAMES[scope]]
            for name, form in zip(names, ("{:.4f}", "{:.6f}", "{:.6f}"), strict=True):
                cells.append(form.format(mean_and_spread([o.curves[name] for o in found])[0]))
            cells.append(_range([o.diagnostics.get("r_hat") for o in found], ".2f"))
            cells.append(_range([o.diagnostics.get("standard_error") for o in found], ".3f"))
            cells.append(f"{sum(bool(o.warnings) for o in found)} of {len(found)}")
            rows.append(cells)
    header = ["", "scope", "average precision", "Brier score", "calibration error"]
    header += ["R-hat, worst edge", "standard error, worst edge", "tables with a warning"]
    note = (
        "Model averaging; mean over seeds, ranges for the last but one columns. Brier score and "
        "calibration error are over all pairs, most of which are clearly no edges."
    )
    return Table("probabilities", "Edge probabilities", header, rows, note)


def _range(values: Sequence[Any], form: str) -> str:
    known = [v for v in values if isinstance(v, int | float)]
    if not known:
        return NONE
    low, high = format(min(known), form), format(max(known), form)
    return low if low == high else f"{low} to {high}"


def _rows_table(results: Results) -> Table:
    rows = []
    for network in results.rows_networks:
        found = [results.values(network, MODEL_AVERAGING, "lsbn", "f_score", r) for r in ROWS_STUDY]
        rows.append([network, *map(_shown, found)])
    note = "F of LSBN with model averaging against the rows of the table."
    header = ["", *(f"{r:,}" for r in ROWS_STUDY)]
    return Table("rows", "F against rows", header, rows, note)


def _rows_seconds_table(results: Results) -> Table:
    rows = []
    for network in results.rows_networks:
        cells = []
        for r in ROWS_STUDY:
            found = results.of(network, MODEL_AVERAGING, "lsbn", r)
            cells.append(_shown([o.seconds["total"] for o in found], False))
        rows.append([network, *cells])
    header = ["", *(f"{r:,}" for r in ROWS_STUDY)]
    note = "Wall seconds of LSBN with model averaging, mean over seeds."
    return Table("rows_seconds", "Seconds against rows", header, rows, note)


def _peer_table(results: Results) -> Table:
    rows = []
    for peer in results.peers:
        cells, versions = [], set()
        for network in results.networks:
            found = results.of(network, peer, SCOPE)
            versions |= {str(o.diagnostics["version"]) for o in found if o.status == "done"}
            values = results.values(network, peer, SCOPE, "f_score")
            distance = results.values(network, peer, SCOPE, "shd")
            other = sorted({o.status for o in found if o.status != "done"})
            shown = f"{_shown(values)} (SHD {mean_and_spread(distance)[0]:.1f})" if values else ""
            cells.append(", ".join(filter(None, [shown, *other])) or NONE)
        rows.append([peer, PEERS[peer].settings, ", ".join(sorted(versions)) or NONE, *cells])
    header = ["", "settings", "version", *results.networks]
    note = f"F in percent, and the distance of the CPDAGs. {_seeds_note(results)}."
    return Table("peers", "Peers on the same tables", header, rows, note)


def _misprint_table() -> Table:
    rows = [[m.table, m.cell, m.printed, m.recomputed, m.reason] for m in misprints()]
    header = ["table", "cell", "printed", "recomputed", "why"]
    note = (
        "Figures of the paper that its own other figures contradict. Ours are compared with the "
        "printed ones unless a table says otherwise."
    )
    return Table("misprints", "Misprints of the paper", header, rows, note)


def _cost_table(
    results: Results, name: str, title: str, cost: Callable[[Outcome], float | None]
) -> Table:
    rows = []
    ways = [(x, s) for s in results.scopes for x in published.LEARNERS if x in results.learners]
    ways += [(p, SCOPE) for p in results.peers]
    for learner, scope in ways:
        cells = [LEARNER_NAMES.get(learner, learner), SCOPE_NAMES.get(scope, scope)]
        for network in results.networks:
            found = results.of(network, learner, scope)
            known = [c for o in found if (c := cost(o)) is not None and o.status == "done"]
            other = sorted({o.status for o in found if o.status != "done"})
            cells.append(_shown(known) if known else ", ".join(other) or NONE)
        rows.append(cells)
    note = f"{_seeds_note(results)}."
    return Table(name, title, ["", "scope", *results.networks], rows, note)


def stage_seconds(results: Results, network: str) -> dict[str, float]:
    """Mean seconds of every stage of LSBN with model averaging."""
    found = results.of(network, MODEL_AVERAGING, "lsbn")
    stages = dict.fromkeys(s for o in found for s in o.seconds if s != "total")
    return {s: mean_and_spread([o.seconds.get(s, 0.0) for o in found])[0] for s in stages}


def _stage_table(results: Results) -> Table:
    by_network = {n: stage_seconds(results, n) for n in results.networks}
    stages = list(dict.fromkeys(s for found in by_network.values() for s in found))
    rows = [
        [n, *(f"{found[s]:.2f}" if s in found else NONE for s in stages)]
        for n, found in by_network.items()
    ]
    note = "LSBN with model averaging, mean wall seconds over seeds."
    return Table("stages", "Seconds by stage", ["", *stages], rows, note)
