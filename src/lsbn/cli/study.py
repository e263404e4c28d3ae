"""``lsbn study``: reproduce the tables of the paper."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lsbn.cli.options import LEARNERS, NETWORKS, Commands, add_command, add_jobs, count
from lsbn.cli.progress import StageProgress

if TYPE_CHECKING:
    from lsbn.studies.paper import Settings

__all__ = ["add_parser", "run"]

HELP = """\
Samples tables from the networks, with shuffled columns. Partitions the tables, and learns with
every learner inside the framework, inside the framework as published, and without the framework.

FOLDER holds
  cells/        a JSON file for every finished cell (network, seed, learner, scope)
  tables.md     all tables, also as tables.txt, and one by one in tables/ as CSV
  seconds.md    seconds and memory, which differ from run to run
  plots/        plots as SVG files       cells.csv   every figure of every cell
  partition.md  the partition tables     study.json  settings and versions

Examples:
  lsbn study paper --rows-study --page docs/paper.md
  lsbn study paper --resume                      continue after an interruption
  lsbn study paper --networks alarm my.bif --seeds 1 --learners pc -o /tmp/quick"""


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    summary = "reproduce the paper's tables, with our figures beside the published ones"
    command = add_command(commands, "study", run, summary, HELP)
    command.add_argument("name", choices=("paper",), help="which study")
    command.add_argument(
        "-o",
        "--output",
        default="runs/study-paper",
        metavar="FOLDER",
        help="folder to write (default runs/study-paper)",
    )
    _add_cell_options(command)
    _add_extra_options(command)
    command.add_argument("--resume", action="store_true", help="continue the study in FOLDER")
    command.add_argument("--force", action="store_true", help="start the study in FOLDER again")
    command.add_argument("--page", metavar="FILE", help="also write a page in Markdown, with plots")
    add_jobs(command)


def _add_cell_options(command: argparse.ArgumentParser) -> None:
    """Add the options that choose the cells of the tables."""
    command.add_argument(
        "--networks",
        nargs="+",
        metavar="NET",
        help="bundled names or BIF files (default " + ", ".join(NETWORKS) + ")",
    )
    command.add_argument("--rows", type=count, metavar="N", help="rows per table (default 20,000)")
    command.add_argument(
        "--seeds",
        nargs="+",
        metavar="S",
        help="a number of seeds, or a list such as 5,7 (default 3: seeds 0, 1, 2)",
    )
    command.add_argument(
        "--learners",
        nargs="+",
        choices=LEARNERS,
        metavar="NAME",
        help="some of " + ", ".join(LEARNERS) + " (default all)",
    )
    command.add_argument(
        "--scopes",
        nargs="+",
        choices=("lsbn", "paper", "global"),
        metavar="SCOPE",
        help="some of lsbn, paper (the framework as published) and global (default all)",
    )


def _add_extra_options(command: argparse.ArgumentParser) -> None:
    """Add the options that extend the study."""
    command.add_argument(
        "--rows-study",
        action="store_true",
        default=None,
        help="also run model averaging on 500 to 20,000 rows of the small networks",
    )
    command.add_argument(
        "--peers",
        action="store_true",
        default=None,
        help="also run pyAgrum, causal-learn and pgmpy, if they are installed",
    )
    command.add_argument(
        "--peer-limit",
        type=count,
        metavar="SECONDS",
        help="time limit of a peer per table (default 600)",
    )


def run(arguments: argparse.Namespace) -> None:
    """Reproduce the tables of the paper."""
    from lsbn.studies.page import write_page
    from lsbn.studies.paper import as_text, run_paper_study
    from lsbn.studies.result_tables import main_tables, seconds_tables

    stages = StageProgress()
    with stages("study", "the paper's study"):
        try:
            results = run_paper_study(
                arguments.output,
                _settings(arguments),
                resume=arguments.resume,
                force=arguments.force,
                n_jobs=arguments.jobs,
                progress=lambda words: print(words, file=sys.stderr, flush=True),
            )
        except KeyboardInterrupt:
            remains = f"finished cells are in {arguments.output}, use --resume"
            raise KeyboardInterrupt(remains) from None
    print(as_text([*main_tables(results), *seconds_tables(results)]))
    if arguments.page:
        for path in write_page(results, Path(arguments.output), Path(arguments.page)):
            print(f"written: {path}")
    print(f"written to {arguments.output} in {stages.total:.1f} s")


def _settings(arguments: argparse.Namespace) -> Settings:
    """Return the given options; the others come from the resumed study, or are the defaults."""
    from lsbn.studies.paper import Settings, settings_of

    base = settings_of(arguments.output) if arguments.resume else Settings()
    names = ("networks", "rows", "learners", "scopes", "rows_study", "peers", "peer_limit")
    given = {name: value for name in names if (value := getattr(arguments, name)) is not None}
    if arguments.seeds is not None:
        given["seeds"] = _seeds(arguments.seeds)
    return replace(base, **given)


def _seeds(words: Sequence[str]) -> list[int]:
    """Read ``3`` as seeds 0, 1, 2, and ``5 7``, ``5,7`` or ``5,`` as the seeds themselves.

    Examples
    --------
    >>> _seeds(["3"]), _seeds(["5,7"]), _seeds(["5,"])
    ([0, 1, 2], [5, 7], [5])
    """
    text = ",".join(words)
    try:
        seeds = [int(word) for word in text.split(",") if word]
    except ValueError:
        seeds = []
    if "," not in text and len(seeds) == 1:
        seeds = list(range(seeds[0]))
    if not seeds or min(seeds) < 0 or len(set(seeds)) < len(seeds):
        raise ValueError(f"--seeds is {text!r}; use a number of seeds, or a list such as 5,7")
    return seeds
