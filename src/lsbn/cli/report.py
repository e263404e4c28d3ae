"""``lsbn report``: write the report of a run again."""

import argparse

from lsbn.cli.options import Commands, add_command, add_run_folder

__all__ = ["add_parser", "run"]

HELP = """\
Reads the files that `lsbn learn` wrote to RUN, and writes report.html there. The report is one
file that works offline.

Example:
  lsbn report runs/survey"""


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    add_run_folder(add_command(commands, "report", run, "write the report of a run again", HELP))


def run(arguments: argparse.Namespace) -> None:
    """Write the report of a run again."""
    from lsbn.report import report_from_run

    print(f"written: {report_from_run(arguments.run_folder)}")
