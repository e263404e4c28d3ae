"""``lsbn clean``: find and remove drafts of runs that did not end."""

import argparse
import time

from lsbn.cli.options import Commands, add_command

__all__ = ["add_parser", "run"]

HELP = """\
A run that is stopped leaves its finished work in a draft, a hidden folder beside the run folder:
`lsbn learn ... -o runs/survey` has the draft runs/.survey.draft. `lsbn learn ... --resume` goes on
from there and removes the draft at the end.

This command lists the drafts in FOLDER and below, with their size and age, and files that were
being written when a process died. With --remove it removes them. Do not remove the draft of a run
that is still running.

Examples:
  lsbn clean runs
  lsbn clean runs --remove --days 7"""


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    summary = "list or remove drafts of runs that did not end"
    command = add_command(commands, "clean", run, summary, HELP)
    command.add_argument("folder", metavar="FOLDER", nargs="?", default=".", help="default: here")
    command.add_argument("--remove", action="store_true", help="remove what is listed")
    command.add_argument(
        "--days", type=float, default=0.0, help="only what was last changed so many days ago"
    )


def run(arguments: argparse.Namespace) -> None:
    """List or remove drafts."""
    from pathlib import Path

    from lsbn.drafts import leftovers, remove

    if not Path(arguments.folder).is_dir():
        raise FileNotFoundError(f"{arguments.folder} is not a folder")
    now = time.time()
    found = [
        each
        for each in leftovers(arguments.folder)
        if now - each.changed >= 86_400 * arguments.days
    ]
    for each in found:
        age = (now - each.changed) / 3_600
        print(f"{each.path}: {each.what}, {each.size / 1e6:.1f} MB, {age:.1f} hours old")
        if arguments.remove:
            remove(each)
    if not found:
        print(f"no drafts in {arguments.folder}")
    elif arguments.remove:
        print(f"removed {len(found)}")
    else:
        print("remove them with --remove")
