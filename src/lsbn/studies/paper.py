"""``lsbn study paper``: all experiments of the paper, in a folder that a stopped run can resume."""

import json
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lsbn.files import atomic_file
from lsbn.runs import versions
from lsbn.studies import published
from lsbn.studies.cells import Cell, CellStore, Target, code_version, load_targets
from lsbn.studies.comparison import SCOPES, plan, run_cells
from lsbn.studies.partition_tables import write_partition_study
from lsbn.studies.peers import PEER_SCOPE, PEERS, installed, peer_cells, run_peers
from lsbn.studies.plots import PLOTS_MISSING, all_plots, plots_available
from lsbn.studies.result_tables import main_tables, seconds_tables
from lsbn.studies.results import Results, cells_csv
from lsbn.studies.tabular import Table

__all__ = ["Settings", "read_results", "run_paper_study", "settings_of", "write_results"]

STUDY = "study.json"
"""File with the settings of a study."""

MADE = ("tables.md", "tables.txt", "seconds.md", "seconds.txt", "cells.csv")
MADE_PARTITION = ("partition.md", "partition.csv")
FOLDERS = ("cells", "tables", "plots")
"""Files and folders that a study writes."""


@dataclass(frozen=True)
class Settings:
    """Settings of a study.

    Attributes
    ----------
    networks : sequence of str
        Bundled names or BIF files.
    rows : int
        Rows of each data table.
    seeds : sequence of int
        The study samples one data table for each network and seed.
    learners, scopes : sequence of str
    rows_study : bool
        Also run model averaging with 500 to 20,000 rows.
    peers : bool
        Also run the installed learners of other packages.
    peer_limit : float
        Time limit of a peer on one data table, in seconds.
    """

    networks: Sequence[str] = published.NETWORKS
    rows: int = published.ROWS
    seeds: Sequence[int] = (0, 1, 2)
    learners: Sequence[str] = published.LEARNERS
    scopes: Sequence[str] = SCOPES
    rows_study: bool = False
    peers: bool = False
    peer_limit: float = 600.0


def settings_of(folder: str | os.PathLike[str]) -> Settings:
    """Read the settings of the study in a folder; without a study, return the defaults."""
    note = Path(folder) / STUDY
    if not note.is_file():
        return Settings()
    return Settings(**json.loads(note.read_text(encoding="utf-8"))["settings"])


def run_paper_study(
    output: str | os.PathLike[str],
    settings: Settings | None = None,
    *,
    resume: bool = False,
    force: bool = False,
    n_jobs: int | None = None,
    warm: bool = True,
    progress: Callable[[str], None] | None = None,
) -> Results:
    """Run the missing cells of a study, then write its tables and plots.

    Parameters
    ----------
    output : path
        Folder of the study. ``cells/`` gets a file as soon as a cell is done. Tables and plots
        are made from these files alone.
    settings : Settings, optional
    resume : bool
        Continue the study in the folder and keep its finished cells.
    force : bool
        Remove the study in the folder and start again.
    n_jobs : int, optional
    warm : bool
        Run each learner on a small data table first, so that the seconds contain no compilation.
    progress : callable, optional
        Called with one line for every finished cell, and with other messages.

    Returns
    -------
    Results

    Raises
    ------
    FileExistsError
        If the folder contains a study and neither `resume` nor `force` is given, or if it
        contains other files and no study.
    """
    settings = settings or Settings()
    tell = progress or (lambda text: None)
    folder = Path(output)
    networks = load_targets(settings.networks)
    _claim(folder, settings, networks, resume=resume, force=force)
    store = CellStore(folder / "cells")
    planned = _planned(networks, settings)
    _report_kept_cells(store, planned, tell)
    run_cells(planned, networks, store, n_jobs=n_jobs, warm=warm, progress=tell)
    if settings.peers:
        absent = sorted({PEERS[p].module for p in PEERS} - {PEERS[p].module for p in installed()})
        tell(f"peers not installed: {', '.join(absent)}" if absent else "all peers are installed")
        cells = peer_cells(networks, settings.rows, settings.seeds)
        run_peers(cells, networks, store, limit=settings.peer_limit, progress=tell)
    results = read_results(store, networks, settings)
    write_results(results, folder)
    if not plots_available():
        tell(PLOTS_MISSING)
    return results


def _planned(networks: Sequence[Target], settings: Settings) -> list[Cell]:
    s = settings
    return plan(networks, s.rows, s.seeds, s.learners, s.scopes, s.rows_study)


def read_results(store: CellStore, networks: Sequence[Target], settings: Settings) -> Results:
    """Read all finished cells of these networks and seeds.

    The cells of the study of rows and of the peers are read wherever they exist.
    """
    s = settings
    cells = plan(networks, s.rows, s.seeds, s.learners, s.scopes, rows_study=True)
    cells += [
        Cell(t.label, s.rows, seed, peer, PEER_SCOPE)
        for t in networks
        for seed in s.seeds
        for peer in PEERS
    ]
    labels = [target.label for target in networks]
    order = [n for n in published.NETWORKS if n in labels]
    return Results(
        networks=(*order, *(n for n in labels if n not in order)),
        rows=s.rows,
        seeds=tuple(s.seeds),
        learners=tuple(s.learners),
        scopes=tuple(s.scopes),
        outcomes={outcome.cell: outcome for outcome in store.among(cells)},
    )


def _claim(
    folder: Path, settings: Settings, networks: Sequence[Target], *, resume: bool, force: bool
) -> None:
    """Check that the study may use the folder, and write its settings there."""
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(
            f"{folder} is a file, but a study needs a folder; choose another name"
        )
    note = folder / STUDY
    if folder.is_dir() and any(folder.iterdir()):
        if not note.is_file():
            raise FileExistsError(
                f"{folder} contains files but no study ({STUDY}); choose another name"
            )
        if force:
            _clear(folder)
        elif resume:
            _check_networks(json.loads(note.read_text(encoding="utf-8")), networks, folder)
        else:
            raise FileExistsError(
                f"{folder} contains a study; continue it with --resume or replace it with --force"
            )
    folder.mkdir(parents=True, exist_ok=True)
    about = {
        "study": "paper",
        "settings": asdict(settings),
        "networks": {target.label: target.digest for target in networks},
        "versions": versions(),
        "code": code_version(),
    }
    _write(note, json.dumps(about, indent=1) + "\n")


def _clear(folder: Path) -> None:
    """Remove the files that a study wrote, and no others."""
    for name in FOLDERS:
        shutil.rmtree(folder / name, ignore_errors=True)
    for name in (*MADE, *MADE_PARTITION):
        (folder / name).unlink(missing_ok=True)


def _check_networks(about: dict[str, Any], networks: Sequence[Target], folder: Path) -> None:
    """Refuse a network that differs from the one of the same label in the study."""
    for target in networks:
        if about["networks"].get(target.label, target.digest) != target.digest:
            raise ValueError(
                f"{target.source} is another network than {target.label} of the study in "
                f"{folder}; rename the file or replace the study with --force"
            )


def _report_kept_cells(
    store: CellStore, planned: Sequence[Cell], tell: Callable[[str], None]
) -> None:
    """Report how many cells are finished already, and how many other code has made."""
    kept = list(store.among(planned))
    old = sum(outcome.code != code_version() for outcome in kept)
    if kept:
        tell(f"{len(kept):,} cells are finished already")
    if old:
        tell(f"{old:,} of them come from another version of the code; --force runs all again")


def write_results(results: Results, folder: Path) -> None:
    """Write tables and plots. They depend on the cells alone."""
    main, seconds = main_tables(results), seconds_tables(results)
    for name, tables in (("tables", main), ("seconds", seconds)):
        _write(folder / f"{name}.md", "\n".join(table.markdown() for table in tables))
        _write(folder / f"{name}.txt", as_text(tables))
    _write(folder / "cells.csv", cells_csv(results))
    for table in (*main, *seconds):
        _write(folder / "tables" / f"{table.name}.csv", table.csv())
    for name, svg in all_plots(results).items():
        _write(folder / "plots" / f"{name}.svg", svg)
    if study := results.partition():
        write_partition_study(study, folder)


def as_text(tables: Sequence[Table]) -> str:
    """Format tables for a terminal."""
    return "\n\n".join(table.text() for table in tables)


def _write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(path) as draft:
        draft.write_text(content, encoding="utf-8")
