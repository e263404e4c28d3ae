"""Say what each column of a file will become, before anything is learned."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from lsbn.data.coding import (
    CodedColumn,
    advice_notes,
    closing_notes,
    code_columns,
    has_many_states,
    spare_names,
)
from lsbn.data.columns import Column, DataError, check_shape
from lsbn.data.doubts import names_rows, slips_among_numbers
from lsbn.data.ingest import file_columns, file_layout
from lsbn.data.lookalikes import slip_notes
from lsbn.data.options import TableOptions
from lsbn.data.problems import Problem, TableError, cured_options
from lsbn.data.textlayout import TextLayout, layout_words

__all__ = ["ColumnReport", "TableReport", "check_file"]

Reading = Callable[[TableOptions], tuple[list[Column], tuple[str, ...]]]

CURES = 3
"""A cure may show another problem: marks that are missing values make a column of numbers."""


@dataclass(frozen=True)
class ColumnReport:
    """What one column of a table becomes.

    Attributes
    ----------
    name : str
    kind : str
        ``text``, ``true or false``, ``whole numbers``, ``fractions``, ``dates``, ``durations``,
        ``empty``, or ``no states`` for lists and the like.
    missing : float
        The share of missing values.
    cut : str
        How the values are cut, such as ``quantile, 5 bins``; empty if each value is a state.
    states : tuple of str
        The states in their order; empty if the column is left out.
    """

    name: str
    kind: str
    missing: float
    cut: str
    states: tuple[str, ...]


@dataclass(frozen=True)
class TableReport:
    """What a table becomes.

    Attributes
    ----------
    n_rows : int
        Rows of the file.
    rows_used : int
        Rows that are left if those with missing values are dropped.
    columns : list of ColumnReport
        With the options of the cure, if there is a problem.
    problems : str
        All problems of the table with the given options, or an empty text.
    cured : TableOptions
        Options with which the table can be used; columns that name the rows are left out, and
        numbers with many states are cut.
    layout : TextLayout
        Separator, header and lines above the table, with which a text file was read.
    notes : tuple of str
        Remarks on single columns.
    """

    n_rows: int
    rows_used: int
    columns: list[ColumnReport]
    problems: str
    cured: TableOptions
    layout: TextLayout
    notes: tuple[str, ...]


class _Cured(NamedTuple):
    """The problems of a table, options that cure them, and its columns with these options."""

    problems: str
    options: TableOptions
    columns: list[Column]
    coded: list[CodedColumn]
    notes: tuple[str, ...]


def check_file(
    path: str | os.PathLike[str], options: TableOptions, layout: TextLayout | None = None
) -> TableReport:
    r"""Read a file and say what each column becomes.

    Parameters
    ----------
    path : str or path
    options : TableOptions
    layout : TextLayout, optional
        Separator, header and lines above the table of a text file. Lines above the table and a
        missing header are also found by the first lines of the file.

    Returns
    -------
    TableReport

    Raises
    ------
    DataError
        If the file is no table, or if its problems have no cure by options.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "t.csv"
    ...     _ = file.write_text("x,y\n0.5,a\n1.5,b\n,a\n")
    ...     report = check_file(file, TableOptions())
    >>> report.columns[0].kind, report.columns[0].states, report.cured.missing
    ('fractions', ('0.5', '1.5'), 'infer')
    """
    given = layout or TextLayout()
    layout, reason = file_layout(path, given)
    read = partial(file_columns, path, names=None, layout=layout)
    first, notes = read(options)
    if reason:
        notes = (f"{reason}; so it is read with {' '.join(layout_words(given, layout))}", *notes)
    problems, cured, columns, coded, more = _cured(first, options, read)
    rows = [column.name for column in columns if names_rows(column)]
    advice = advice_notes(columns, coded, rows)
    advice += slip_notes(filter(slips_among_numbers, columns))
    better = _advised(columns, coded, rows, cured)
    if better is not None:
        with suppress(DataError):  # advice, no more
            left = _with_cure(columns, cured, better, read, problems)
            coded, more = code_columns(left, better)
            columns, cured = left, better
    closing = closing_notes(columns, coded)
    found = dict(zip((column.name for column in columns), coded, strict=True))
    return TableReport(
        n_rows=len(first[0].values),
        rows_used=len(coded[0].codes),
        columns=[_report(column, found.get(column.name)) for column in first],
        problems=problems,
        cured=cured,
        layout=layout,
        notes=(*notes, *more, *(note for note in advice if note not in closing), *closing),
    )


def _cured(columns: list[Column], options: TableOptions, read: Reading) -> _Cured:
    """Code the columns of a table, with options that cure its problems."""
    problems, trials = "", CURES
    while True:
        try:
            return _Cured(problems, options, columns, *code_columns(columns, options))
        except TableError as error:
            if not trials:
                raise
            trials -= 1
            problems = problems or str(error)
            columns = _with_cure(columns, options, error.cured, read, problems)
            options = error.cured


def _with_cure(
    columns: list[Column], before: TableOptions, after: TableOptions, read: Reading, problems: str
) -> list[Column]:
    """Return the columns with the options of a cure; name the problems if too few are left."""
    try:
        if after.na != before.na:
            return read(after)[0]
        left = [column for column in columns if column.name not in after.drop]
        check_shape(len(left), len(columns[0].values), "table")
        return left
    except DataError as error:
        raise DataError(
            f"{problems}; with this cure: {error}" if problems else str(error)
        ) from None


def _advised(
    columns: Sequence[Column],
    coded: Sequence[CodedColumn],
    rows: Sequence[str],
    options: TableOptions,
) -> TableOptions | None:
    """Return options that leave out columns that name the rows, and cut numbers with many states.

    Rare slips among such numbers are missing values. Columns that the user names in ``keep`` or
    ``discretize`` stay as they are.
    """
    named = {*options.cuts, *options.keep}
    problems = [
        Problem("crowded", column, c.n_states)
        for column, c in zip(columns, coded, strict=True)
        if column.name not in named
        and (column.name in rows or has_many_states(column, c) or slips_among_numbers(column))
    ]
    left = len(columns) - sum(problem.column.name in rows for problem in problems)
    spare = spare_names(columns, coded, options)
    return cured_options(problems, options, spare) if problems and left > 1 else None


def _report(column: Column, coded: CodedColumn | None) -> ColumnReport:
    missing = 0.0 if column.missing is None else float(column.missing.mean())
    cut = "" if coded is None or coded.cut is None else str(coded.cut)
    return ColumnReport(column.name, _kind(column), missing, cut, coded.labels if coded else ())


def _kind(column: Column) -> str:
    if column.nested:
        return "no states"
    if not len(column.present):
        return "empty"
    if column.labels is not None:
        return "true or false" if column.labels == ("False", "True") else "text"
    if column.time:
        return "dates" if column.time.startswith("datetime") else "durations"
    return "fractions" if column.continuous else "whole numbers"
