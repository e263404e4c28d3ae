"""The command ``lsbn COMMAND ...``: its parser, its exit codes, and how it reports errors.

Every command has a module with two functions: ``add_parser`` declares its options, ``run`` takes
the parsed arguments. Slow imports (numba, scikit-learn, pandas) are inside functions, so that
``lsbn --help`` answers at once.
"""

import argparse
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from lsbn.cli import (
    ask,
    check,
    clean,
    demo,
    evaluate,
    export,
    learn,
    partition,
    report,
    sample,
    study,
)
from lsbn.cli.options import HelpFormatter
from lsbn.garbage import rare_collections
from lsbn.version import __version__

__all__ = ["main", "make_parser"]

COMMANDS = (
    *(demo, check, learn, ask, report, export),
    *(evaluate, partition, sample, study, clean),
)
UNEXPECTED, BAD_INPUT, INTERRUPTED, TERMINATED = 1, 2, 130, 143
"""Exit codes."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    The code is 0, 1 after an error of lsbn itself, 2 for bad input, 130 after Ctrl-C, and 143 if
    the system ends the process (SIGTERM).
    """
    arguments = make_parser().parse_args(argv)
    signals: list[int] = []
    try:
        quiet = _plain_warnings(debug=arguments.debug)
        with _like_ctrl_c(signals), quiet, rare_collections():
            arguments.run(arguments)
            if sys.stdout is not None:
                sys.stdout.flush()
    except KeyboardInterrupt as interruption:
        remains = str(interruption) or "nothing was written"
        _say(f"lsbn: {'terminated' if signals else 'interrupted'}; {remains}")
        return TERMINATED if signals else INTERRUPTED
    except BrokenPipeError:  # the reader of our output has gone, as in `lsbn ... | head`
        _silence_output()
        return 0
    except Exception as error:
        if arguments.debug:
            traceback.print_exc()
        foreseen = isinstance(error, ValueError | OSError | MemoryError)
        _say(f"lsbn: error: {_message(error) if foreseen else _unforeseen(error)}")
        if isinstance(error, OSError) and error.filename is None:
            _silence_output()
        return BAD_INPUT if foreseen else UNEXPECTED
    return 0


@contextmanager
def _like_ctrl_c(signals: list[int]) -> Iterator[None]:
    """Raise KeyboardInterrupt on SIGTERM, so that drafts are removed; note the signal."""

    def interrupt(number: int, frame: Any) -> None:
        signals.append(number)
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _plain_warnings(*, debug: bool) -> Iterator[None]:
    """Print warnings of lsbn as one line, and none of other packages; all of them in `debug`."""
    if debug:
        yield
        return

    def show(message: Any, category: Any, filename: str, *rest: Any) -> None:
        if "lsbn" in filename.split(os.sep):
            _say(f"lsbn: warning: {message}")

    with warnings.catch_warnings():
        warnings.showwarning = show  # type: ignore[assignment]
        yield


def _say(text: str) -> None:
    """Print a line to standard error, if there is one."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):
            print(text, file=sys.stderr)


def _silence_output() -> None:
    """Send what is left of the output nowhere: its reader has gone, or its disk is full."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _message(error: Exception) -> str:
    """Return the text of an error; for an error of the system, put the file's name before it."""
    if isinstance(error, MemoryError):
        return f"not enough memory ({error})" if str(error) else "not enough memory"
    if isinstance(error, OSError) and error.strerror:
        place = "standard output" if error.filename is None else error.filename
        return f"{place}: {error.strerror}"
    return str(error) or type(error).__name__


def _unforeseen(error: Exception) -> str:
    """Describe an error that lsbn did not foresee, in one line."""
    text = " ".join(str(error).split())[:300]
    return (
        f"unexpected {type(error).__name__}{f': {text}' if text else ''}; this is a fault of lsbn: "
        "`lsbn --debug COMMAND ...` shows where, please report it"
    )


def make_parser() -> argparse.ArgumentParser:
    """Make the parser of ``lsbn`` and all its commands."""
    parser = argparse.ArgumentParser(
        prog="lsbn",
        description="Learn the structure of large Bayesian networks from tables, with a\n"
        "probability for every edge.",
        epilog="First steps:\n"
        "  lsbn demo                             try lsbn on a bundled network\n"
        "  lsbn check survey.csv                 what your own table will become\n"
        "  lsbn learn survey.csv -o runs/survey  learn from it\n\n"
        "`lsbn COMMAND --help` explains each command and the files it writes.",
        formatter_class=HelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"lsbn {__version__}")
    parser.add_argument("--debug", action="store_true", help="print the traceback of an error")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_parser(commands)
    return parser
