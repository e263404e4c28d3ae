"""Run the cells of a study: every learner in every scope on every data table."""

import inspect
import re
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from scipy import sparse, stats

from lsbn.data import Dataset
from lsbn.estimator import LSBN
from lsbn.framework import FitDiagnostics
from lsbn.graph import EdgeProbabilities
from lsbn.learners import LEARNERS, Diagnostics, learn_aracne
from lsbn.metrics import (
    average_precision,
    brier_score,
    calibration_curve,
    compare,
    expected_calibration_error,
)
from lsbn.network import load_network
from lsbn.studies.cells import Cell, CellStore, Outcome, Target, code_version
from lsbn.studies.partition import partition_figures, shuffled_sample

__all__ = ["MODEL_AVERAGING", "ROWS_STUDY", "SCOPES", "plan", "run_cell", "run_cells"]

SCOPES = ("lsbn", "paper", "global")
"""LSBN with our defaults, LSBN with every choice as published, and the learner alone."""

MODEL_AVERAGING = "model-averaging"
ROWS_STUDY = (500, 1_000, 2_000, 5_000, 10_000, 20_000)
"""Row counts of the study of rows."""

ROWS_STUDY_VARIABLES = 100
"""Most variables of a network in the study of rows."""

PARTITION = ("ropart", "partition")
"""Learner and scope of the cells that only measure the partition."""

LEVELS = np.arange(100) / 100
"""Thresholds of the precision-recall points."""

BINS = 10
"""Bins of the calibration curve."""

ARACNE_ALPHA: float = inspect.signature(learn_aracne).parameters["alpha"].default
"""Default level of ARACNE: probability of any false dependence in the whole data table."""

_LEARNER_COST = {
    MODEL_AVERAGING: 30.0,
    "greedy": 10.0,
    "mmhc": 4.0,
    "pc": 2.0,
    "aracne": 1.0,
    "ropart": 1.0,
}
_SCOPE_COST = {"lsbn": 3.0, "paper": 2.0, "global": 1.0, "partition": 1.0}
"""Rough relative costs. Only the order in which cells run depends on them."""


def plan(
    networks: Sequence[Target],
    rows: int,
    seeds: Sequence[int],
    learners: Sequence[str],
    scopes: Sequence[str],
    rows_study: bool = False,
) -> list[Cell]:
    """List the cells of a study, cheap ones first.

    Every network and seed has a cell for its partition. With `rows_study`, model averaging also
    runs with each of the row counts `ROWS_STUDY` on the networks of up to 100 variables.
    """
    cells = []
    for target in networks:
        label = target.label
        for seed in seeds:
            cells.append(Cell(label, rows, seed, *PARTITION))
            cells += [Cell(label, rows, seed, x, s) for x in learners for s in scopes]
        if rows_study:
            cells += rows_cells([target], seeds)
    sizes = {target.label: target.network.n_variables for target in networks}
    return sorted(dict.fromkeys(cells), key=lambda cell: (_cost(cell, sizes), cell.seed))


def rows_cells(networks: Iterable[Target], seeds: Sequence[int]) -> list[Cell]:
    """List the cells of the study of rows."""
    small = [t.label for t in networks if t.network.n_variables <= ROWS_STUDY_VARIABLES]
    return [
        Cell(label, rows, seed, MODEL_AVERAGING, "lsbn")
        for label in small
        for rows in ROWS_STUDY
        for seed in seeds
    ]


def _cost(cell: Cell, sizes: Mapping[str, int]) -> float:
    """Guess the relative cost of a cell."""
    size = sizes[cell.network] ** 1.5 * cell.rows**0.5
    return _LEARNER_COST.get(cell.learner, 100.0) * _SCOPE_COST.get(cell.scope, 1.0) * size


def run_cells(
    cells: Sequence[Cell],
    networks: Sequence[Target],
    store: CellStore,
    *,
    n_jobs: int | None = None,
    warm: bool = False,
    progress: Callable[[str], None] | None = None,
) -> int:
    """Run the cells that the store does not have, and write each as soon as it is done.

    Parameters
    ----------
    cells : sequence of Cell
    networks : sequence of Target
        The networks that the cells name by label.
    store : CellStore
    n_jobs : int, optional
    warm : bool
        Run each learner once on a small data table before its first cell. The seconds of the
        cells then contain no compilation.
    progress : callable, optional
        Called with one line for every finished cell.

    Returns
    -------
    int
        Number of cells run.
    """
    tell = progress or (lambda text: None)
    by_label = {target.label: target for target in networks}
    missing = [cell for cell in cells if not store.has(cell)]
    begin, done, warmed = time.perf_counter(), len(cells) - len(missing), set()
    for cell in missing:
        way = (cell.learner, cell.scope)
        if warm and way not in warmed:
            warmed.add(way)
            _warm(way, n_jobs)
        outcome = run_cell(cell, by_label[cell.network], n_jobs)
        store.write(outcome)
        done += 1
        spent = time.perf_counter() - begin
        score = f", F {outcome.figures['f_score']:.1f}" if outcome.figures else ""
        tell(
            f"[{done:,}/{len(cells):,}] {cell}{score}, {outcome.seconds['total']:.1f} s "
            f"({spent / 60:.1f} min so far)"
        )
    return len(missing)


def _warm(way: tuple[str, str], n_jobs: int | None) -> None:
    """Compile the kernels that a learner needs, or load them from numba's cache."""
    alarm = Target("alarm", "alarm", load_network("alarm"))
    run_cell(Cell("alarm", 200, 0, *way), alarm, n_jobs)


def run_cell(cell: Cell, target: Target, n_jobs: int | None = None) -> Outcome:
    """Sample the data table of a cell, learn, and compare with the true network."""
    if (cell.learner, cell.scope) == PARTITION:
        return _run_partition(cell, target, n_jobs)
    dataset = fresh_table(target, cell.rows, cell.seed)
    _reset_peak()
    begin = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = _learn(cell, dataset, n_jobs)
    seconds = {**result.seconds, "total": time.perf_counter() - begin}
    truth = target.network.dag
    curves = _curves(result.edges, truth) if cell.learner == MODEL_AVERAGING else {}
    return Outcome(
        cell=cell,
        figures=compare(result.edges.dag(0.5), truth).as_dict(),
        curves=curves,
        diagnostics={**_excerpt(result.diagnostics), **_threshold_note(cell, dataset)},
        warnings=tuple(dict.fromkeys(f"{w.category.__name__}: {w.message}" for w in caught)),
        seconds={stage: round(spent, 4) for stage, spent in seconds.items()},
        peak_mb=_peak(),
        code=code_version(),
    )


@dataclass(frozen=True, eq=False)
class _Result:
    """Edges and diagnostics of a learner, and the seconds of its stages."""

    edges: EdgeProbabilities
    diagnostics: Diagnostics
    seconds: Mapping[str, float]


def _learn(cell: Cell, dataset: Dataset, n_jobs: int | None) -> _Result:
    if cell.scope == "global":
        begin = time.perf_counter()
        learned = LEARNERS[cell.learner](dataset, random_state=cell.seed, n_jobs=n_jobs)
        spent = time.perf_counter() - begin
        return _Result(learned.edges, learned.diagnostics, {"learn": spent})
    make = LSBN.paper if cell.scope == "paper" else LSBN
    model = make(learner=cell.learner, random_state=cell.seed, n_jobs=n_jobs).fit(dataset)
    return _Result(model.edges_, model.diagnostics_, model.diagnostics_.seconds or {})


def _run_partition(cell: Cell, target: Target, n_jobs: int | None) -> Outcome:
    begin = time.perf_counter()
    partitions = partition_figures(target.network, target.label, cell.rows, cell.seed, n_jobs)
    return Outcome(
        cell=cell,
        partition=tuple(asdict(figures) for figures in partitions),
        seconds={"total": round(time.perf_counter() - begin, 4)},
        code=code_version(),
    )


def fresh_table(target: Target, rows: int, seed: int) -> Dataset:
    """Sample a data table with shuffled columns, without values cached by earlier cells."""
    return replace(_table(target.source, rows, seed))


@lru_cache(maxsize=3)
def _table(source: str, rows: int, seed: int) -> Dataset:
    return shuffled_sample(load_network(source), rows, seed)[0]


def _excerpt(diagnostics: Diagnostics) -> dict[str, Any]:
    """Keep numbers and texts, and count communities and sub-communities."""
    kept = {
        name: value
        for name, value in diagnostics.items()
        if isinstance(value, str | int | float | None) or name in ("log_scores", "rounds")
    }
    if isinstance(diagnostics, FitDiagnostics) and diagnostics.communities is not None:
        parts = diagnostics.communities
        kept["communities"] = len(parts)
        kept["sub_communities"] = sum(part.sub_communities for part in parts)
    return kept


def _threshold_note(cell: Cell, dataset: Dataset) -> dict[str, Any]:
    """Return the least and greatest threshold of global ARACNE over all pairs."""
    if cell.learner != "aracne" or cell.scope != "global":
        return {}
    free = np.unique(dataset.cards - 1)
    degrees = np.unique(np.multiply.outer(free, free))
    degrees = degrees[degrees > 0]
    if not len(degrees):
        return {}
    n = dataset.n_variables
    level = 2 * ARACNE_ALPHA / (n * (n - 1))
    limits = stats.chi2.isf(level, degrees[[0, -1]]) / (2 * dataset.n_rows)
    return {"threshold_range": limits.tolist()}


def _curves(edges: EdgeProbabilities, truth: nx.DiGraph) -> dict[str, Any]:
    matrix, names = edges.matrix, edges.names
    bins = calibration_curve(matrix, truth, BINS, names=names)
    return {
        "average_precision": average_precision(matrix, truth, names=names),
        "brier_score": brier_score(matrix, truth, names=names),
        "calibration_error": expected_calibration_error(matrix, truth, BINS, names=names),
        "precision_recall": precision_recall(edges, truth),
        "calibration": {
            "counts": bins.counts,
            "predicted": bins.predicted,
            "observed": bins.observed,
        },
    }


def precision_recall(edges: EdgeProbabilities, truth: nx.DiGraph) -> list[list[float]]:
    """Compute precision and recall in percent of the pairs above 0.00, 0.01 ... 0.99.

    Levels without a pair above them are left out.

    Returns
    -------
    list of [level, precision, recall]
    """
    both = sparse.triu(edges.matrix + edges.matrix.T, 1).tocoo()
    names = edges.names
    pairs = zip(both.row.tolist(), both.col.tolist(), strict=True)
    true = np.array(
        [
            truth.has_edge(names[i], names[j]) or truth.has_edge(names[j], names[i])
            for i, j in pairs
        ],
        dtype=bool,
    )
    total = truth.number_of_edges()
    points = []
    for level in LEVELS.tolist():
        above = both.data > level
        if selected := int(above.sum()):
            hits = int(true[above].sum())
            points.append([level, 100 * hits / selected, 100 * hits / max(total, 1)])
    return points


def _reset_peak() -> None:
    """Reset the peak memory that Linux reports; other systems do nothing."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return


def _peak() -> float | None:
    """Return the peak memory since `_reset_peak` in MB, None if the system does not report it."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return None
    match = re.search(r"VmHWM:\s+(\d+) kB", status)
    return round(int(match[1]) / 1024, 1) if match else None
