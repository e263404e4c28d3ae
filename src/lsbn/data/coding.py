"""Turn columns into integer codes: missing values, intervals, states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from lsbn.data.columns import Column, DataError, listing
from lsbn.data.discretize import CALENDAR, CutPoints, intervals, observed_codes, value_states
from lsbn.data.doubts import doubtful_marks, names_rows
from lsbn.data.lookalikes import lookalike_notes
from lsbn.data.options import Cut, TableOptions
from lsbn.data.problems import Problem, TableError, missing_text

__all__ = [
    "CodedColumn",
    "CodedTable",
    "advice_notes",
    "closing_notes",
    "code_columns",
    "code_table",
    "has_many_states",
    "spare_names",
]

MANY_STATES = 12
"""A column of numbers with more states is pointed out, unless it is cut."""


@dataclass(frozen=True)
class CodedTable:
    """The fields of a `lsbn.Dataset`, see there."""

    codes: np.ndarray
    cards: np.ndarray
    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]
    cuts: tuple[CutPoints | None, ...]
    gaps: np.ndarray | None = None
    missing: tuple[float, ...] = ()
    na: tuple[str, ...] = ()


@dataclass(frozen=True)
class CodedColumn:
    """Codes and labels of one column.

    Attributes
    ----------
    codes : numpy.ndarray
    labels : tuple of str
        Empty if the column has too many states.
    n_states : int
    cut : Cut, optional
        How the values were cut, as asked for.
    points : CutPoints, optional
        Where they were cut.
    problem : str
        What keeps the column from being used, a key of `lsbn.data.problems.TEXTS`; or empty.
    """

    codes: np.ndarray
    labels: tuple[str, ...]
    n_states: int
    cut: Cut | None = None
    points: CutPoints | None = None
    problem: str = ""


def code_table(columns: list[Column], options: TableOptions) -> CodedTable:
    """Treat missing values, discretise and code.

    Parameters
    ----------
    columns : list of Column
    options : TableOptions

    Returns
    -------
    CodedTable

    Raises
    ------
    DataError
        If the table cannot be used as it is. The message has all problems, and one cure.
    """
    coded, notes = code_columns(columns, options)
    names = tuple(c.name for c in columns)
    cards = np.array([len(c.labels) for c in coded], dtype=np.int64)
    dtype = np.uint8 if cards.max() <= 256 else np.uint16
    codes = np.array([c.codes for c in coded], dtype=dtype, order="C")
    notes += closing_notes(columns, coded)
    cuts = tuple(c.points for c in coded) if any(c.points for c in coded) else ()
    shares = _missing_shares(columns)
    gaps = _gaps(columns) if shares and options.missing == "infer" else None
    labels = tuple(c.labels for c in coded)
    na = tuple(options.na)
    return CodedTable(codes, cards, names, labels, notes, cuts, gaps, shares, na)


def _missing_shares(columns: Sequence[Column]) -> tuple[float, ...]:
    """Return the share of missing values of each column; empty if no value is missing."""
    if all(c.missing is None for c in columns):
        return ()
    return tuple(0.0 if c.missing is None else float(c.missing.mean()) for c in columns)


def _gaps(columns: Sequence[Column]) -> np.ndarray:
    """Mark the missing values, column by row."""
    nothing = np.zeros(len(columns[0].values), bool)
    return np.array([nothing if c.missing is None else c.missing for c in columns])


def code_columns(
    columns: list[Column], options: TableOptions
) -> tuple[list[CodedColumn], tuple[str, ...]]:
    """Code every column, and return notes on missing values.

    Raises
    ------
    TableError
        If there is a problem in any column.
    """
    whole, notes = _without_missing(columns, options)
    with threadpool_limits(1):  # k-means: same sums on any machine, no threads within workers
        coded = [_coded_column(column, options) for column in whole]
    problems = [
        Problem("missing", column)
        for column in whole
        if column.missing is not None and options.missing == "error"
    ]
    for column, c in zip(whole, coded, strict=True):
        if c.problem:
            problems.append(Problem(c.problem, column, c.n_states))
    if problems:
        raise TableError(problems, options, spare_names(whole, coded, options))
    return coded, notes


def _without_missing(
    columns: list[Column], options: TableOptions
) -> tuple[list[Column], tuple[str, ...]]:
    """Apply the option `missing`; only without "drop" the columns still have missing values."""
    holes = [c.missing for c in columns if c.missing is not None]
    if not holes or options.missing == "error":
        return columns, ()
    where = missing_text(columns)
    if options.missing == "state":
        return columns, (f"{where}; kept as a state of their own",)
    if options.missing == "infer":
        return columns, (f"{where}; inferred from the other columns",)
    keep = ~np.logical_or.reduce(holes)
    left = int(keep.sum())
    if left < 2:
        raise DataError(
            f"{left} of {len(keep):,} rows have no missing value, at least two are needed; "
            f'{where}; drop the emptiest columns first (--drop), or use missing="infer" '
            "(--missing infer)"
        )
    note = f"dropped {len(keep) - left:,} of {len(keep):,} rows: {where}"
    return [c.rows(keep) for c in columns], (note,)


def _cut_of(column: Column, options: TableOptions) -> Cut | None:
    """Return how a column is cut; None if every value is a state, or no option says it.

    The calendar cuts dates only. If it is the default, columns of numbers are not cut.
    """
    cut = options.cut(column.name)
    if column.labels is not None or cut is None:
        return None
    if cut.method in CALENDAR and not column.time.startswith("datetime"):
        return None
    return cut


def _coded_column(column: Column, options: TableOptions) -> CodedColumn:
    """Code the observed states of a column; discretise it if needed."""
    asked, cut = options.cuts.get(column.name), _cut_of(column, options)
    if column.nested:
        return _unusable("nested")
    if options.missing == "infer" and not len(column.present):
        return _unusable("empty")
    if column.values.dtype.kind == "f" and np.isinf(column.present).any():
        return _unusable("infinite")
    if asked is not None and cut is None and asked.method != "states":
        return _unusable("no dates" if column.labels is None else "no numbers")
    if column.labels is not None:
        observed, codes = observed_codes(column.present)
        labels, points = tuple(column.labels[v] for v in observed), None
    elif cut is not None and cut.method != "states":
        codes, labels, points = intervals(column, cut.method, cut.bins)
        cut = None if points is None or points.exact else cut
    elif column.continuous and cut is None:
        return _unusable("continuous")
    else:
        codes, labels, points = value_states(column)
        cut = None
    if column.missing is not None and options.missing == "state":
        codes = _widened(codes, column.missing, len(labels))
        labels = (*labels, _missing_label(labels))
    elif column.missing is not None and options.missing == "infer":
        codes = _widened(codes, column.missing, int(np.bincount(codes).argmax()))
    if len(labels) > options.max_states:
        return _unusable("crowded", len(labels))
    narrow = np.uint8 if len(labels) <= 256 else np.uint16
    return CodedColumn(codes.astype(narrow), labels, len(labels), cut, points)


def _widened(codes: np.ndarray, missing: np.ndarray, state: int) -> np.ndarray:
    """Return the codes of all rows, with one state for all missing values."""
    full = np.full(len(missing), state, dtype=np.int32)
    full[~missing] = codes
    return full


def _unusable(problem: str, n_states: int = 0) -> CodedColumn:
    return CodedColumn(np.empty(0, np.uint8), (), n_states, problem=problem)


def _missing_label(labels: tuple[str, ...]) -> str:
    label = "(missing)"
    while label in labels:
        label = f"({label})"
    return label


def has_many_states(column: Column, coded: CodedColumn) -> bool:
    """Return whether a column of numbers would better be cut."""
    return coded.cut is None and coded.n_states > MANY_STATES and column.labels is None


def spare_names(
    columns: Sequence[Column], coded: Sequence[CodedColumn], options: TableOptions
) -> list[str]:
    """Name the columns of numbers with few states, which a method for all columns would cut."""
    return [
        column.name
        for column, c in zip(columns, coded, strict=True)
        if column.labels is None
        and not column.continuous
        and not c.problem
        and c.cut is None
        and options.bins < c.n_states <= MANY_STATES
        and column.name not in options.cuts
    ]


def advice_notes(
    columns: Sequence[Column], coded: list[CodedColumn], rows: Sequence[str]
) -> list[str]:
    """Name the columns that should be cut, and those that name the rows."""
    many = [
        f"{column.name!r} ({c.n_states})"
        for column, c in zip(columns, coded, strict=True)
        if has_many_states(column, c)
    ]
    notes = []
    if many:
        notes.append(
            f"{len(many):,} column(s) of numbers have many states: {listing(many)}; intervals need "
            'fewer rows: discretize="quantile" (--discretize quantile), or only single columns: '
            '"NAME=quantile"'
        )
    if rows:
        notes.append(
            f"{listing(map(repr, rows))} {'names' if len(rows) == 1 else 'name'} the rows, and "
            f"{'is no variable' if len(rows) == 1 else 'are no variables'}; leave out with drop "
            "(--drop)"
        )
    return notes + lookalike_notes(columns)


def closing_notes(columns: Sequence[Column], coded: list[CodedColumn]) -> tuple[str, ...]:
    """Tell what was cut, and point out what may be a mistake."""
    groups: dict[Cut, list[str]] = {}
    marks: dict[str, list[str]] = {}
    rows = []
    for column, c in zip(columns, coded, strict=True):  # one pass: values may be read from a file
        if c.cut is not None:
            groups.setdefault(c.cut, []).append(repr(column.name))
        if names_rows(column):
            rows.append(column.name)
        for mark in doubtful_marks(column):
            marks.setdefault(mark, []).append(repr(column.name))
    notes = [
        f"discretised {len(names):,} column(s) ({cut}): {listing(names)}"
        for cut, names in groups.items()
    ]
    constant = [repr(v.name) for v, c in zip(columns, coded, strict=True) if c.n_states == 1]
    if constant:
        notes.append(f"{len(constant):,} column(s) with a single state: {listing(constant)}")
    notes += advice_notes(columns, coded, rows)
    zones = [f"{c.name!r} ({c.zone})" for c in columns if c.zone]
    if zones:
        notes.append(f"times are those of the column's time zone: {listing(zones)}")
    for mark, names in marks.items():
        notes.append(
            f"{mark!r} is a value of {listing(names)}; if it means a missing value, "
            f'use na="{mark}" (--na "{mark}")'
        )
    return tuple(notes)
