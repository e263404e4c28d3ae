"""Options that several commands have, and the types of their values."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import Any, TypeAlias

__all__ = [
    "LEARNERS",
    "NETWORKS",
    "N_GRAPHS",
    "TABLE_HELP",
    "TRUTH_HELP",
    "WITHOUT_SCORE",
    "Commands",
    "HelpFormatter",
    "add_command",
    "add_jobs",
    "add_reading_options",
    "add_run_folder",
    "add_seed",
    "add_table_options",
    "count",
    "reading_options",
]

NETWORKS = ("alarm", "insurance", "win95pts", "pigs", "link")
LEARNERS = ("model-averaging", "aracne", "pc", "greedy", "mmhc")
N_GRAPHS = 1000
"""Networks that model averaging keeps, as in `lsbn.LSBN`."""
_NEGATIVE = re.compile(r"-([0-9.,]|inf(,|$))")
"""Words that argparse takes for the value of an option: numbers, and lists of values for --na."""
WITHOUT_SCORE = ("pc", "aracne")
"""Learners that test for independence, or compare mutual information, and have no score."""

TABLE_HELP = """\
DATA is a .csv, .tsv, .txt, .data or .dat file (also .gz), .arff, .parquet or .h5ad: one row per
observation, one column per variable, a header with the names. Of .h5ad files (they need anndata)
the matrix X is read. The values of a column are states (text or whole numbers). Columns with
fractions or dates need --discretize. Tables with missing values need --missing.
`lsbn check DATA` says what each column will become, and the options that it needs.

--discretize takes one method for all columns of numbers, methods for single columns, or both:
  --discretize quantile
  --discretize "age=quantile:4,height=uniform:6"
  --discretize "quantile,age=uniform:4,when=month,zip=states"
Every column with more than B different numbers is cut, whole numbers too. quantile: intervals with
the same number of rows; uniform: of the same width; kmeans: around clusters; states: each value
stays a state. Dates also by year, month, month-of-year, weekday or hour."""

TRUTH_HELP = """\
NET is a bundled network (alarm, insurance, win95pts, pigs, link), a .bif or .bif.gz file, or a
.csv file of edges with the header source,target (or source,target,probability)."""

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""What ``ArgumentParser.add_subparsers`` returns."""


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Keep line breaks, and make the first column wide enough for the names of the commands."""

    def add_argument(self, action: argparse.Action) -> None:
        """Make room for an option, or for the list of commands."""
        super().add_argument(action)
        if isinstance(action, argparse._SubParsersAction):
            self._action_max_length += self._indent_increment


def add_command(
    commands: Commands,
    name: str,
    run: Callable[[argparse.Namespace], None],
    summary: str,
    epilog: str,
) -> argparse.ArgumentParser:
    """Add the parser of one command, without options.

    Parameters
    ----------
    commands : Commands
        The commands of the parser.
    name : str
        Name of the command.
    run : callable
        What the command does with the parsed arguments.
    summary : str
        One line of help, without a capital letter and a full stop.
    epilog : str
        The text below the options: files, formats, examples.
    """
    command = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=epilog,
        formatter_class=HelpFormatter,
    )
    command.set_defaults(run=run, command=name)
    return command


def add_run_folder(command: argparse.ArgumentParser) -> None:
    """Add the folder of a finished run as a positional argument."""
    command.add_argument("run_folder", metavar="RUN", help="a folder that `lsbn learn` wrote")


def add_table_options(command: argparse.ArgumentParser) -> None:
    """Add what commands on a table share: files, how to read the table, seed and cores."""
    command.add_argument("-o", "--output", required=True, metavar="RUN", help="folder to write")
    command.add_argument("--force", action="store_true", help="replace RUN if it exists")
    command.add_argument("--truth", metavar="NET", help="the true network, to compare with")
    command.add_argument(
        "--parquet",
        action="store_true",
        help="write edges and communities as Parquet, too; above 1,000 variables they always are",
    )
    add_reading_options(command)
    add_seed(command)
    add_jobs(command)


def add_reading_options(command: argparse.ArgumentParser) -> None:
    """Add the table, and how to read it."""
    command._negative_number_matcher = _NEGATIVE
    command.add_argument("data", metavar="DATA", help="the table")
    table = command.add_argument_group("how to read the table")
    table.add_argument(
        "--discretize",
        metavar="HOW",
        help="cut numbers and dates into intervals: quantile, uniform or kmeans, or a method for "
        "each column; see below",
    )
    table.add_argument(
        "--bins", type=count, default=5, metavar="B", help="number of intervals (default 5)"
    )
    table.add_argument(
        "--missing",
        choices=("error", "drop", "state", "infer"),
        default="error",
        help="error (default) refuses missing values; infer draws them from the network, several "
        "times, and averages the results; drop leaves out their rows; state keeps 'missing' as a "
        "state",
    )
    table.add_argument(
        "--max-states",
        type=count,
        default=64,
        metavar="K",
        help="refuse columns with more states (default 64)",
    )
    for option, meaning in (
        ("--drop", "columns to leave out, with commas between"),
        ("--keep", "columns to use; the others are left out"),
    ):
        table.add_argument(option, default="", metavar="NAMES", help=meaning)
    table.add_argument(
        "--na",
        default="",
        metavar="VALUES",
        help='more values that mean "missing", such as "?,*,-999"',
    )
    table.add_argument(
        "--sep",
        metavar="C",
        help="character between the fields of a text file, or tab or space (default: what gives "
        "the first lines the same number of fields; a comma in .csv, a tab in .tsv if several do)",
    )
    table.add_argument(
        "--no-header",
        dest="header",
        action="store_false",
        help="the first line has no names; the columns are called x0, x1, ...",
    )
    table.add_argument(
        "--skip",
        type=_natural,
        default=0,
        metavar="N",
        help="lines above the table of a text file, to leave out (default 0)",
    )


def reading_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what `lsbn.data.TableOptions` takes, from the parsed arguments."""
    keys = ("discretize", "bins", "missing", "max_states", "drop", "keep", "na")
    return {key: getattr(arguments, key) for key in keys}


def add_seed(command: argparse.ArgumentParser) -> None:
    """Add the seed of all random numbers."""
    command.add_argument(
        "--seed",
        type=_natural,
        default=0,
        metavar="S",
        help="seed of the random numbers: the same seed gives the same result (default 0)",
    )


def add_jobs(command: argparse.ArgumentParser) -> None:
    """Add the number of processor cores."""
    command.add_argument(
        "--jobs",
        type=_jobs,
        default=-1,
        metavar="N",
        help="processor cores to use (default -1, all); the result is the same for any number",
    )


def count(text: str) -> int:
    """Read a whole number of 1 or more.

    Examples
    --------
    >>> count("20,000")
    20000
    """
    if (value := _integer(text)) < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, not {text}")
    return value


def _natural(text: str) -> int:
    if (value := _integer(text)) < 0:
        raise argparse.ArgumentTypeError(f"must be 0 or more, not {text}")
    return value


def _jobs(text: str) -> int:
    if (value := _integer(text)) != -1 and value < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, or -1 for all cores, not {text}")
    return value


def _integer(text: str) -> int:
    try:
        return int(text.replace("_", "").replace(",", ""))
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a whole number, not {text!r}") from None
