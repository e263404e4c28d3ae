"""The command ``lsbn COMMAND ...``: its parser, its exit codes, and how it reports errors.

Every command has a module with two functions: ``add_parser`` declares its options, ``run`` takes
the parsed arguments. Slow imports (numba, scikit-learn, pandas) are inside functions, so that
``lsbn --help`` answers at once.
"""

import argparse
import os
import sys
import traceback
from collections.abc import Sequence

from lsbn.cli import ask, demo, evaluate, learn, partition, report, sample, study
from lsbn.cli.options import HelpFormatter
from lsbn.version import __version__

__all__ = ["main", "make_parser"]

COMMANDS = (demo, learn, ask, report, evaluate, partition, sample, study)
BAD_INPUT = 2
INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0, 2 for bad input, 130 after Ctrl-C."""
    arguments = make_parser().parse_args(argv)
    try:
        arguments.run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt as interruption:
        remains = str(interruption) or "nothing was written"
        print(f"lsbn: interrupted; {remains}", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output has gone, as in `lsbn ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, OSError, MemoryError) as error:
        if arguments.debug:
            traceback.print_exc()
        print(f"lsbn: error: {_message(error)}", file=sys.stderr)
        return BAD_INPUT
    return 0


def _message(error: Exception) -> str:
    """Return the text of an error; for an error of the system, put the file's name before it."""
    if isinstance(error, MemoryError):
        return f"not enough memory ({error})" if str(error) else "not enough memory"
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__


def make_parser() -> argparse.ArgumentParser:
    """Make the parser of ``lsbn`` and all its commands."""
    parser = argparse.ArgumentParser(
        prog="lsbn",
        description="Learn the structure of large Bayesian networks from tables, with a\n"
        "probability for every edge.",
        epilog="First steps:\n"
        "  lsbn demo                             try lsbn on a bundled network\n"
        "  lsbn learn survey.csv -o runs/survey  learn from your own table\n\n"
        "`lsbn COMMAND --help` explains each command and the files it writes.",
        formatter_class=HelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"lsbn {__version__}")
    parser.add_argument("--debug", action="store_true", help="print the traceback of an error")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_parser(commands)
    return parser
