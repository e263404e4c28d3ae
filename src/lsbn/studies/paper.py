"""``lsbn study paper``: the publication's whole experiment, in a folder that survives a kill."""

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
from lsbn.studies.cells import Cell, CellStore, Target, code_version, targets
from lsbn.studies.comparison import SCOPES, plan, run_cells
from lsbn.studies.partition import write_partition_study
from lsbn.studies.peers import PEERS, SCOPE, installed, peer_cells, run_peers
from lsbn.studies.plots import all_plots
from lsbn.studies.tables import Results, all_cells_csv, main_tables, seconds_tables
from lsbn.studies.tabular import Table

__all__ = ["Settings", "read_results", "run_paper_study", "settings_of", "write_tables"]

STUDY = "study.json"
MADE = ("tables.md", "tables.txt", "seconds.md", "seconds.txt", "cells.csv")
MADE_PARTITION = ("partition.md", "partition.csv")
FOLDERS = ("cells", "tables", "plots")


@dataclass(frozen=True)
class Settings:
    """What a study runs.

    Attributes
    ----------
    networks : sequence of str
        Bundled names or BIF files.
    rows : int
        Rows of each table.
    seeds : sequence of int
        One table for each network and seed.
    learners, scopes : sequence of str
    rows_study : bool
        Also run model averaging on 500 to 20,000 rows.
    peers : bool
        Also run other packages' learners, those that are installed.
    peer_limit : float
        Seconds that a peer has for one table.
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
    """Read the settings of the study in a folder, the defaults if there is none."""
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
    """Run what is missing of a study, and write its tables and plots.

    Parameters
    ----------
    output : path
        Folder. ``cells/`` has a file for every finished cell, written as soon as it is done;
        tables and plots are made from these alone.
    settings : Settings, optional
    resume : bool
        Go on with the study that stands in the folder; its finished cells are kept.
    force : bool
        Begin anew: the cells of the study in the folder are removed.
    n_jobs : int, optional
    warm : bool
        Run each learner on a small table first, so that no seconds contain compilation.
    progress : callable, optional
        Is told a line for every finished cell.

    Returns
    -------
    Results

    Raises
    ------
    FileExistsError
        If the folder holds a study and neither `resume` nor `force` is given, or something else.
    """
    settings = settings or Settings()
    tell = progress or (lambda text: None)
    folder = Path(output)
    found = targets(settings.networks)
    _claim(folder, settings, found, resume=resume, force=force)
    store = CellStore(folder / "cells")
    _tell_of_old_cells(store, found, settings, tell)
    options: dict[str, Any] = {"progress": tell}
    run_cells(_planned(found, settings), found, store, n_jobs=n_jobs, warm=warm, **options)
    if settings.peers:
        absent = sorted({PEERS[p].module for p in PEERS} - {PEERS[p].module for p in installed()})
        tell(f"peers not installed: {', '.join(absent)}" if absent else "all peers are installed")
        cells = peer_cells(found, settings.rows, settings.seeds)
        run_peers(cells, found, store, limit=settings.peer_limit, **options)
    results = read_results(store, found, settings)
    write_tables(results, folder)
    return results


def _planned(found: Sequence[Target], settings: Settings) -> list[Cell]:
    s = settings
    return plan(found, s.rows, s.seeds, s.learners, s.scopes, s.rows_study)


def read_results(store: CellStore, found: Sequence[Target], settings: Settings) -> Results:
    """Gather all finished cells of these networks and seeds, with or without rows and peers."""
    s = settings
    cells = plan(found, s.rows, s.seeds, s.learners, s.scopes, rows_study=True)
    cells += [Cell(t.label, s.rows, k, p, SCOPE) for t in found for k in s.seeds for p in PEERS]
    labels = [target.label for target in found]
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
    folder: Path, settings: Settings, found: Sequence[Target], *, resume: bool, force: bool
) -> None:
    """Make sure that the folder is free or may be used, and note the settings in it."""
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(f"{folder} is a file; a study is a folder: choose another name")
    note = folder / STUDY
    if folder.is_dir() and any(folder.iterdir()):
        if not note.is_file():
            raise FileExistsError(f"{folder} holds no study ({STUDY}); choose another name")
        if force:
            _clear(folder)
        elif resume:
            _check_networks(json.loads(note.read_text(encoding="utf-8")), found, folder)
        else:
            raise FileExistsError(
                f"{folder} holds a study; go on with it by --resume, or begin anew by --force"
            )
    folder.mkdir(parents=True, exist_ok=True)
    about = {
        "study": "paper",
        "settings": asdict(settings),
        "networks": {target.label: target.digest for target in found},
        "versions": versions(),
        "code": code_version(),
    }
    _write(note, json.dumps(about, indent=1) + "\n")


def _clear(folder: Path) -> None:
    """Remove what a study wrote, and nothing else."""
    for name in FOLDERS:
        shutil.rmtree(folder / name, ignore_errors=True)
    for name in (*MADE, *MADE_PARTITION):
        (folder / name).unlink(missing_ok=True)


def _check_networks(about: dict[str, Any], found: Sequence[Target], folder: Path) -> None:
    for target in found:
        if about["networks"].get(target.label, target.digest) != target.digest:
            raise ValueError(
                f"{target.source} is another network than the {target.label} of the study in "
                f"{folder}; rename the file, or begin anew by --force"
            )


def _tell_of_old_cells(
    store: CellStore, found: Sequence[Target], settings: Settings, tell: Callable[[str], None]
) -> None:
    kept = list(store.among(_planned(found, settings)))
    old = sum(outcome.code != code_version() for outcome in kept)
    if kept:
        tell(f"{len(kept):,} cells are there already")
    if old:
        tell(f"{old:,} of them were made by other code than today's; --force makes all anew")


def write_tables(results: Results, folder: Path) -> None:
    """Write tables and plots, which depend on nothing but the cells."""
    main, seconds = main_tables(results), seconds_tables(results)
    for name, tables in (("tables", main), ("seconds", seconds)):
        _write(folder / f"{name}.md", "\n".join(table.markdown() for table in tables))
        _write(folder / f"{name}.txt", as_text(tables))
    _write(folder / "cells.csv", all_cells_csv(results))
    for table in (*main, *seconds):
        _write(folder / "tables" / f"{table.name}.csv", table.csv())
    for name, svg in all_plots(results).items():
        _write(folder / "plots" / f"{name}.svg", svg)
    if study := results.partition():
        write_partition_study(study, folder)


def as_text(tables: Sequence[Table]) -> str:
    """Lay out tables for a terminal."""
    return "\n\n".join(table.text() for table in tables)


def _write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(path) as draft:
        draft.write_text(content, encoding="utf-8")
