"""All problems of a table in one message, with one set of options that cures them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lsbn.data.columns import NESTED, Column, DataError, listing
from lsbn.data.doubts import marks_among_numbers, names_rows
from lsbn.data.lookalikes import lookalike_notes, slip_notes
from lsbn.data.options import TableOptions

__all__ = ["Problem", "TableError", "command_words", "cured_options", "missing_text"]

TEXTS = {
    "nested": NESTED,
    "infinite": "infinite values in {columns}; replace them by a number or a missing value "
    '(na="inf,-inf"; command line: --na=inf,-inf)',
    "missing": "missing values in {n} column(s): {columns}; infer them from the other columns with "
    'missing="infer" (command line: --missing infer), leave out their rows with missing="drop", or '
    'make them a state of their own with missing="state"',
    "empty": "no values in {n} column(s): {columns}; leave them out with drop (--drop)",
    "continuous": "continuous values in {n} column(s): {columns}; cut them into intervals with "
    'discretize="quantile" (command line: --discretize quantile --bins 5), or keep the values of '
    'one column as states with discretize="NAME=states"',
    "crowded": "more than {limit} states in {n} column(s): {columns}; drop identifiers (--drop), "
    'group rare states, cut numbers into intervals with discretize="quantile" (command line: '
    "--discretize quantile), or raise max_states (--max-states)",
    "no numbers": "discretize names {columns}, but only numbers and dates are cut; leave out the "
    "name of this column",
    "no dates": "discretize cuts {columns} by the calendar, but only dates are cut so; use "
    "quantile, uniform or kmeans",
}
"""What each problem means, and what to do."""

MOST_DROPPED_ROWS = 0.1
"""If more rows have a missing value, the cure infers the missing values."""


MOST_NAMED = 30
"""At most this number of columns is named where only some columns are to be cut."""


@dataclass(frozen=True)
class Problem:
    """Why a column cannot be used as it is.

    Attributes
    ----------
    kind : str
        A key of `TEXTS`.
    column : Column
    n_states : int
        Number of states, if there are too many.
    """

    kind: str
    column: Column
    n_states: int = 0

    def __str__(self) -> str:
        name = repr(self.column.name)
        if self.kind == "nested":
            return f"{name} ({self.column.nested})"
        if self.kind == "crowded":
            return f"{name} ({self.n_states:,} states)"
        if self.kind in ("infinite", "missing"):
            return f"{name} ({int(self.rows().sum()):,})"
        return name

    def rows(self) -> np.ndarray:
        """Return a mask of the rows whose value is missing, or will be after the cure."""
        column = self.column
        if self.kind == "missing" and column.missing is not None:
            return column.missing
        if self.kind == "infinite":
            return np.isinf(column.values)
        marks = marks_among_numbers(column) if self.kind == "crowded" else []
        return np.isin(column.values, [i for i, v in enumerate(column.labels or ()) if v in marks])


class TableError(DataError):
    """A table that cannot be used as it is.

    Parameters
    ----------
    problems : sequence of Problem
        All of them.
    options : TableOptions
        The options of the user.
    spare : sequence of str
        Names of the columns that need not be cut, but would be by a method for all columns.

    Attributes
    ----------
    cured : TableOptions
        Options with which the table can be used.
    """

    def __init__(
        self, problems: Sequence[Problem], options: TableOptions, spare: Sequence[str] = ()
    ) -> None:
        self.cured = cured_options(problems, options, spare)
        lines = []
        for kind, text in TEXTS.items():
            columns = [str(problem) for problem in problems if problem.kind == kind]
            if columns:
                limit = options.max_states
                words = {"n": f"{len(columns):,}", "columns": listing(columns), "limit": limit}
                lines.append(text.format(**words))
        unclear = [p.column for p in problems if p.kind in ("crowded", "no numbers")]
        hints = lookalike_notes(unclear) + slip_notes(unclear)
        added = " ".join(command_words(options, self.cured))
        cure = f"a cure for all, to add to the command: {added}"
        if len(lines) == 1:
            cure = cure.replace(" for all", "")
            message = "; ".join([lines[0], *hints, *([cure] if added else [])])
        else:
            listed = "\n".join(f"  {i}. {line}" for i, line in enumerate(lines, 1))
            noted = "".join(f"  note: {hint}\n" for hint in hints)
            message = f"{len(lines)} problems in the table:\n{listed}\n{noted}  {cure}"
        super().__init__(message)


def missing_text(columns: Sequence[Column]) -> str:
    """Name the columns with missing values, and the numbers of these values."""
    items = [str(Problem("missing", c)) for c in columns if c.missing is not None]
    return f"missing values in {len(items):,} column(s): {listing(items)}"


def cured_options(
    problems: Sequence[Problem], options: TableOptions, spare: Sequence[str] = ()
) -> TableOptions:
    """Return options with which a table can be used.

    Missing values: rows are dropped if they are few, else the values are inferred. Numbers are cut
    by quantiles, and only these numbers if there are others. Marks among numbers, such as ``?``,
    are missing values. Other columns with too many states, columns that count the rows, and empty
    columns are dropped.

    Parameters
    ----------
    problems : sequence of Problem
    options : TableOptions
        The options of the user, which stay as far as possible.
    spare : sequence of str
        As for `TableError`.

    Returns
    -------
    TableOptions
    """
    drop, na, methods = list(options.drop), list(options.na), _methods(options)
    to_cut: list[str] = []
    for problem in problems:
        column, kind = problem.column, problem.kind
        marks = marks_among_numbers(column) if kind == "crowded" else []
        na += ["inf", "-inf"] if kind == "infinite" else marks
        if kind == "crowded" and not marks and (column.labels is not None or names_rows(column)):
            drop.append(column.name)
        if kind in ("nested", "empty") or (kind == "missing" and not len(column.present)):
            drop.append(column.name)
        if kind == "no numbers" or column.name in drop:
            methods.pop(column.name, None)
        elif kind in ("infinite", "continuous", "no dates") or kind == "crowded":
            to_cut.append(column.name)
    gaps = [problem.rows() for problem in problems if problem.column.name not in drop]
    missing = options.missing
    if missing == "error" and gaps and (share := np.logical_or.reduce(gaps).mean()) > 0:
        missing = "drop" if share <= MOST_DROPPED_ROWS else "infer"
    return TableOptions(
        _with_cuts(methods, to_cut, spare) or None,
        options.bins,
        missing,
        options.max_states,
        drop,
        [name for name in options.keep if name not in drop],
        tuple(dict.fromkeys(na)),
    )


def _with_cuts(
    methods: dict[str | None, str], to_cut: Sequence[str], spare: Sequence[str]
) -> dict[str | None, str]:
    """Add the method of more columns; all columns have it if none is spare, or too many are."""
    methods = {name: how for name, how in methods.items() if name not in to_cut}
    by_name: dict[str | None, str] = dict.fromkeys(to_cut, "quantile")
    if not to_cut:
        return methods
    if None in methods:
        return methods | by_name
    if spare and len(to_cut) <= min(len(spare), MOST_NAMED):
        return methods | by_name
    kept = spare if len(spare) <= MOST_NAMED else ()
    return methods | {None: "quantile"} | dict.fromkeys(kept, "states")


def _methods(options: TableOptions) -> dict[str | None, str]:
    """Return the option ``discretize`` as a dict."""
    cuts = {None: options.default} | options.cuts
    return {name: cut.spec(options.bins) for name, cut in cuts.items() if cut is not None}


def command_words(before: TableOptions, after: TableOptions) -> list[str]:
    """Write the options that differ as words of the command line, quoted for a shell.

    Examples
    --------
    >>> command_words(TableOptions(), TableOptions("quantile", missing="drop", drop=["a b"]))
    ['--missing', 'drop', '--discretize', 'quantile', '--drop', "'a b'"]
    """
    words: list[str] = []
    for option in ("missing", "discretize", "drop", "na"):
        old, new = (_option_text(options, option) for options in (before, after))
        if old != new and new:
            quoted = shlex.quote(new)
            words += [f"--{option}={quoted}"] if new.startswith("-") else [f"--{option}", quoted]
    return words


def _option_text(options: TableOptions, option: str) -> str:
    if option == "missing":
        return options.missing
    if option == "discretize":
        items = _methods(options).items()
        return ",".join(how if name is None else f"{_field(name)}={how}" for name, how in items)
    return ",".join(map(_field, getattr(options, option)))


def _field(name: str) -> str:
    """Quote a name as in CSV, if it has a comma or a quote."""
    if "," in name or name.startswith('"'):
        return '"' + name.replace('"', '""') + '"'
    return name
