"""``lsbn check``: say what each column of a table will become."""

from __future__ import annotations

import argparse
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from lsbn.cli.options import (
    TABLE_HELP,
    Commands,
    add_command,
    add_reading_options,
    reading_options,
)

if TYPE_CHECKING:
    from lsbn.data import TableReport
    from lsbn.data.check import ColumnReport

__all__ = ["add_parser", "run"]

SHOWN_COLUMNS = 200

HELP = f"""\
{TABLE_HELP}

Nothing is learned or written. If the table has problems, all of them are printed, with a command
that cures them; the list of the columns shows what they become with this command. The command also
leaves out columns that only name the rows, and cuts whole numbers with many different values.
Lines above the table, and a first line without names, are found, too: the command then has --skip
and --no-header.

Example:
  lsbn check survey.csv"""


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    command = add_command(commands, "check", run, "say what each column will become", HELP)
    add_reading_options(command)


def run(arguments: argparse.Namespace) -> None:
    """Print what each column of a table becomes, and the command that learns from it."""
    from lsbn.data import TableOptions, check_file
    from lsbn.data.problems import command_words
    from lsbn.data.textlayout import TextLayout, layout_words

    options = TableOptions(**reading_options(arguments))
    layout = TextLayout(arguments.sep, arguments.header, arguments.skip)
    report = check_file(arguments.data, options, layout)
    print_columns(report)
    for note in report.notes:
        print(f"note: {note}")
    if report.problems:
        print(f"\n{report.problems}")
    stem = Path(arguments.data).name.split(".")[0] or "table"
    words = [
        *("lsbn", "learn", shlex.quote(arguments.data), "-o", shlex.quote(f"runs/{stem}")),
        *_given(arguments),
        *layout_words(TextLayout(), report.layout),
        *command_words(TableOptions(), report.cured),
    ]
    print(f"\nto learn from this table:\n  {' '.join(words)}")


def _given(arguments: argparse.Namespace) -> list[str]:
    """Return the options of the user that a cure does not change."""
    words = []
    if arguments.bins != 5:
        words += ["--bins", str(arguments.bins)]
    if arguments.max_states != 64:
        words += ["--max-states", str(arguments.max_states)]
    if arguments.keep:
        words += ["--keep", shlex.quote(arguments.keep)]
    if arguments.sep is not None:
        words += ["--sep", shlex.quote(arguments.sep)]
    return words


def print_columns(report: TableReport) -> None:
    """Print a line for each column: name, kind, missing values, and what it becomes."""
    rows = f"{report.n_rows:,} rows"
    if report.rows_used < report.n_rows:
        rows += f", {report.rows_used:,} of them used"
    print(f"{rows}, {len(report.columns):,} columns\n")
    width = max(shutil.get_terminal_size((100, 24)).columns, 60)
    widest = min(max([len(column.name) for column in report.columns] + [6]), 30)
    print(f"{'column':<{widest}}  {'kind':<13}  missing  becomes")
    for column in report.columns[:SHOWN_COLUMNS]:
        name = _shortened(column.name, widest)
        missing = f"{100 * column.missing:5.1f} %" if column.missing else "      -"
        line = f"{name:<{widest}}  {column.kind:<13}  {missing}  {_becomes(column)}"
        print(_shortened(line, width))
    if len(report.columns) > SHOWN_COLUMNS:
        print(f"... and {len(report.columns) - SHOWN_COLUMNS:,} more columns")


def _becomes(column: ColumnReport) -> str:
    if not column.states:
        return "left out"
    states = ", ".join(column.states[:12])
    if column.cut:
        return f"{len(column.states)} by {column.cut.split(',')[0]}: {states}"
    return f"{len(column.states)} {'state' if len(column.states) == 1 else 'states'}: {states}"


def _shortened(text: str, width: int) -> str:
    """Make a text one line of at most `width` characters, without control characters."""
    line = "".join(c if c.isprintable() else " " for c in text)
    return line if len(line) <= width else line[: width - 3] + "..."
