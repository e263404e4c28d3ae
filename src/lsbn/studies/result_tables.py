"""The study's result tables: the paper's tables with our figures, and tables of costs.

Seconds and memory differ from run to run, so they have tables of their own.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lsbn.studies import published
from lsbn.studies.cells import Outcome
from lsbn.studies.comparison import ARACNE_ALPHA, MODEL_AVERAGING, ROWS_STUDY
from lsbn.studies.misprints import RATIO_ROUNDING, misprints, normalised_from_counts
from lsbn.studies.partition_tables import partition_tables
from lsbn.studies.peers import PEER_SCOPE, PEERS
from lsbn.studies.published import COUNTS, PERCENTAGES
from lsbn.studies.results import (
    CURVE_FIGURES,
    LEARNER_NAMES,
    SCOPE_NAMES,
    Results,
    printed_figures,
    ratio_to_global,
    stage_seconds,
    verdicts,
)
from lsbn.studies.tabular import Table, mean_and_spread

__all__ = ["main_tables", "seconds_tables"]

TITLES = {
    "hits": "hit",
    "misses": "miss",
    "errors": "error",
    "precision": "precision",
    "recall": "recall",
    "f_score": "F",
    "shd": "SHD",
}
"""Figures as the tables name them."""

NONE = "-"
"""What a table shows where there is no figure."""

ROWS_HEADER = ["", *(f"{r:,}" for r in ROWS_STUDY)]
"""Header of the two tables against rows."""


def main_tables(results: Results) -> list[Table]:
    """Make the tables that the same seeds always give again, in the paper's order."""
    study = results.partition()
    tables = partition_tables(study) if study else []
    if thresholds := _aracne_thresholds(results):
        tables.append(_aracne_table(thresholds))
    tables += [_comparison_table(results, n) for n in results.networks]
    tables += [_normalised_table(results, figure) for figure in PERCENTAGES]
    tables.append(_f_table(results))
    if results.has_curves:
        tables.append(_probability_table(results))
    if results.rows_networks:
        tables.append(_rows_table(results))
    if results.peers:
        tables.append(_peer_table(results))
    return [*tables, _misprint_table()]


def seconds_tables(results: Results) -> list[Table]:
    """Make the tables of seconds and memory, which differ from run to run."""
    tables = [
        _cost_table(results, "seconds", "Seconds", lambda o: o.seconds.get("total")),
        _cost_table(results, "memory", "Peak memory of the process, MB", lambda o: o.peak_mb),
        _stage_table(results),
    ]
    if results.rows_networks:
        tables.append(_rows_seconds_table(results))
    return tables


def _seeds_note(results: Results) -> str:
    seeds = ", ".join(map(str, results.seeds))
    sample = f"{results.rows:,} rows, columns shuffled"
    if len(results.seeds) > 1:
        return f"{sample}, mean and standard deviation over seeds {seeds}"
    return f"{sample}, seed {seeds}"


def _shown(values: Sequence[float], spread: bool = True) -> str:
    """Format the mean, and with `spread` the standard deviation if there are several values."""
    if not values:
        return NONE
    mean, deviation = mean_and_spread(values)
    return f"{mean:.1f} ± {deviation:.1f}" if spread and len(values) > 1 else f"{mean:.1f}"


def _beside(ours: str, printed: str | None) -> str:
    """Put our figure left of the slash and the paper's right of it."""
    return ours if printed is None else f"{ours} / {printed}"


def _printed_figure(network: str, learner: str, scope: str, figure: str) -> str | None:
    """Format the paper's figure: NA where the paper says so, None if it lacks the network."""
    printed = printed_figures(network, learner, scope)
    if printed is None:
        return "NA" if network in published.COMPARISON else None
    value = getattr(printed, figure)
    return f"{value}" if figure in COUNTS else f"{value:.1f}"


def _comparison_table(results: Results, network: str) -> Table:
    """Make one of the paper's five comparison tables, with the scope ``paper`` added."""
    rows = []
    for learner in results.paper_learners:
        for scope in results.scopes:
            cells = [LEARNER_NAMES[learner], SCOPE_NAMES[scope]]
            for figure in (*COUNTS, *PERCENTAGES):
                values = results.values(network, learner, scope, figure)
                printed = _printed_figure(network, learner, scope, figure)
                cells.append(_beside(_shown(values, figure in PERCENTAGES), printed))
            cells.append(_shown(results.values(network, learner, scope, "shd"), False))
            rows.append(cells)
    header = ["", "scope", *(TITLES[f] for f in (*COUNTS, *PERCENTAGES, "shd"))]
    note = (
        f"{_seeds_note(results)}. Ours / the paper's. Precision, recall and F are those of the "
        "skeleton, in percent."
    )
    return Table(f"comparison_{network}", f"Comparison on {network}", header, rows, note)


def _normalised_table(results: Results, figure: str) -> Table:
    """Make the table of one figure of LSBN in percent of global."""
    learners = results.paper_learners
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
        "Mean over seeds divided by the mean of global. Ours / the paper's. A figure in brackets "
        "follows from the paper's own counts; it is given where it differs from the printed one."
    )
    header = ["", "scope", *(LEARNER_NAMES[x] for x in learners)]
    return Table(f"normalised_{figure}", title, header, rows, note)


def _printed_ratio(network: str, learner: str, figure: str) -> str | None:
    printed = published.NORMALISED[figure].get(network)
    if printed is None:
        return None
    if learner not in published.LEARNERS[: len(printed)]:
        return "NA"
    value = printed[published.LEARNERS.index(learner)]
    right = normalised_from_counts(network, learner, figure)
    return f"{value:.1f}" + (f" ({right:.1f})" if abs(value - right) > RATIO_ROUNDING else "")


def _f_table(results: Results) -> Table:
    """Make the table of F of all networks and learners."""
    rows, counts = [], []
    for scope in results.scopes:
        for learner in results.paper_learners:
            cells = [LEARNER_NAMES[learner], SCOPE_NAMES[scope]]
            for network in results.networks:
                ours = _shown(results.values(network, learner, scope, "f_score"))
                cells.append(_beside(ours, _printed_figure(network, learner, scope, "f_score")))
            rows.append(cells)
        if compared := verdicts(results, [scope]):
            reached = sum(v.reached for v in compared)
            counts.append(f"{SCOPE_NAMES[scope]} {reached} of {len(compared)}")
    note = f"{_seeds_note(results)}. Ours / the paper's, percent."
    if counts:
        note += f" Cells with at least the printed F, to one decimal: {', '.join(counts)}."
    return Table("f_score", "F of all cells", ["", "scope", *results.networks], rows, note)


def _aracne_thresholds(results: Results) -> dict[str, tuple[float, float]]:
    """Lowest and highest threshold of global ARACNE over pairs and seeds, by network."""
    thresholds = {}
    for network in results.networks:
        notes = [o.diagnostics for o in results.of(network, "aracne", "global")]
        ranges = [n["threshold_range"] for n in notes if "threshold_range" in n]
        if ranges:
            thresholds[network] = (min(r[0] for r in ranges), max(r[1] for r in ranges))
    return thresholds


def _aracne_table(thresholds: Mapping[str, tuple[float, float]]) -> Table:
    rows = []
    for network, (low, high) in thresholds.items():
        printed = published.ARACNE_THRESHOLD.get(network)
        paper = NONE if printed is None else f"{printed:g}"
        rows.append([network, f"{low:.5f}", f"{high:.5f}", paper])
    note = (
        "Mutual information in nats. Our threshold follows from a test: if all variables were "
        "independent, some pair would exceed it with a probability of at most "
        f"{ARACNE_ALPHA:g}. The threshold depends on the number of states of the pair; the columns "
        "show the pairs with the fewest and the most states. The paper chose one constant for "
        "each network by hand, with knowledge of the true network."
    )
    header = ["", "ours, fewest states", "ours, most states", "paper"]
    return Table("aracne_thresholds", "ARACNE's low values threshold", header, rows, note)


def _probability_table(results: Results) -> Table:
    """Make the table of the quality of the edge probabilities of model averaging."""
    rows = []
    for network in results.networks:
        for scope in results.scopes:
            outcomes = results.with_curves(network, scope)
            if not outcomes:
                continue
            cells = [network, SCOPE_NAMES[scope]]
            for name, digits in zip(CURVE_FIGURES, (4, 6, 6), strict=True):
                mean = mean_and_spread([o.curves[name] for o in outcomes])[0]
                cells.append(f"{mean:.{digits}f}")
            cells.append(_range([o.diagnostics.get("r_hat") for o in outcomes], ".2f"))
            cells.append(_range([o.diagnostics.get("standard_error") for o in outcomes], ".3f"))
            cells.append(f"{sum(bool(o.warnings) for o in outcomes)} of {len(outcomes)}")
            rows.append(cells)
    header = ["", "scope", "average precision", "Brier score", "calibration error"]
    header += ["R-hat, worst edge", "standard error, worst edge", "tables with a warning"]
    note = (
        "Model averaging. The first three figures are means over seeds; R-hat and standard error "
        "are ranges over seeds. Brier score and calibration error are over all pairs, and most "
        "pairs are clearly not edges."
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
        scores = [
            results.values(network, MODEL_AVERAGING, "lsbn", "f_score", r) for r in ROWS_STUDY
        ]
        rows.append([network, *map(_shown, scores)])
    note = "F of LSBN with model averaging, by the number of rows of the data table."
    return Table("rows", "F against rows", ROWS_HEADER, rows, note)


def _rows_seconds_table(results: Results) -> Table:
    rows = []
    for network in results.rows_networks:
        by_rows = [results.of(network, MODEL_AVERAGING, "lsbn", r) for r in ROWS_STUDY]
        spent = [[o.seconds["total"] for o in outcomes] for outcomes in by_rows]
        rows.append([network, *(_shown(seconds, False) for seconds in spent)])
    note = "Wall seconds of LSBN with model averaging, mean over seeds."
    return Table("rows_seconds", "Seconds against rows", ROWS_HEADER, rows, note)


def _peer_table(results: Results) -> Table:
    """Make the table of F and SHD of the peers, or of why there is none."""
    rows = []
    for peer in results.peers:
        cells, versions = [], set()
        for network in results.networks:
            outcomes = results.of(network, peer, PEER_SCOPE)
            versions |= {str(o.diagnostics["version"]) for o in outcomes if o.status == "done"}
            scores = results.values(network, peer, PEER_SCOPE, "f_score")
            distances = results.values(network, peer, PEER_SCOPE, "shd")
            shown = [f"{_shown(scores)} (SHD {_shown(distances, False)})"] if scores else []
            cells.append(", ".join([*shown, *_unfinished_statuses(outcomes)]) or NONE)
        rows.append([peer, PEERS[peer].settings, ", ".join(sorted(versions)) or NONE, *cells])
    header = ["", "settings", "version", *results.networks]
    note = f"F in percent, and the SHD of the CPDAGs. {_seeds_note(results)}."
    return Table("peers", "Peers on the same tables", header, rows, note)


def _unfinished_statuses(outcomes: Sequence[Outcome]) -> list[str]:
    """Name the states of the cells that gave no figures."""
    return sorted({o.status for o in outcomes if o.status != "done"})


def _misprint_table() -> Table:
    rows = [[m.table, m.cell, m.printed, m.recomputed, m.reason] for m in misprints()]
    header = ["table", "cell", "printed", "recomputed", "why"]
    note = (
        "Figures of the paper that contradict other figures of the paper. Our figures are "
        "compared with the printed ones unless a table says otherwise."
    )
    return Table("misprints", "Misprints of the paper", header, rows, note)


def _cost_table(
    results: Results, name: str, title: str, cost: Callable[[Outcome], float | None]
) -> Table:
    """Make a table of one cost of every cell: a row for each learner and scope."""
    rows = []
    ways = [(x, s) for s in results.scopes for x in results.paper_learners]
    ways += [(p, PEER_SCOPE) for p in results.peers]
    for learner, scope in ways:
        cells = [LEARNER_NAMES.get(learner, learner), SCOPE_NAMES.get(scope, scope)]
        for network in results.networks:
            outcomes = results.of(network, learner, scope)
            known = [c for o in outcomes if (c := cost(o)) is not None and o.status == "done"]
            cells.append(
                _shown(known) if known else ", ".join(_unfinished_statuses(outcomes)) or NONE
            )
        rows.append(cells)
    note = f"{_seeds_note(results)}."
    return Table(name, title, ["", "scope", *results.networks], rows, note)


def _stage_table(results: Results) -> Table:
    by_network = {n: stage_seconds(results, n) for n in results.networks}
    stages = list(dict.fromkeys(s for seconds in by_network.values() for s in seconds))
    rows = [
        [n, *(f"{seconds[s]:.2f}" if s in seconds else NONE for s in stages)]
        for n, seconds in by_network.items()
    ]
    note = "LSBN with model averaging, mean wall seconds over seeds."
    return Table("stages", "Seconds by stage", ["", *stages], rows, note)
