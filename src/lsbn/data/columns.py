"""`Column`, the form that every table takes before its states are coded.

A column holds either labelled states or numbers. This module turns one Arrow array into one
`Column` and checks the names and the shape of a table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

__all__ = [
    "NESTED",
    "Column",
    "DataError",
    "check_names",
    "check_shape",
    "in_order",
    "is_missing",
    "is_unicode",
    "label_of",
    "listing",
    "parse_columns",
    "refuse_nested",
]

_FINITE = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_START = re.compile(r"[\[(]?([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?:.*, .*\]$|$)")
"""A number, or the lower end of an interval."""
_GAP = re.compile(r"\(+missing\)+")
"""The state of missing values."""
NESTED = (
    "values that are not single states in {columns}; leave these columns out with drop (--drop), "
    "or turn each into columns of text or numbers"
)
_LARGEST_EXACT = 2.0**53
"""A float holds every integer up to this size."""


class DataError(ValueError):
    """A table cannot be used as it is; the message gives the place and the remedy."""


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    name : str
    values : numpy.ndarray
        Codes into `labels` (-1 for a missing value), or numbers if `labels` is None.
    missing : numpy.ndarray of bool, optional
        Marks the missing values; None if there are none.
    labels : tuple of str, optional
        The names of the states, in order.
    time : str
        The numpy type of dates and durations, or an empty text. Their values are whole ticks.
    zone : str
        The time zone of dates, or an empty text. Their ticks count in UTC.
    nested : str
        The type of values that are no single states, such as lists; or an empty text. They cannot
        be used, and are not kept.
    """

    name: str
    values: np.ndarray
    missing: np.ndarray | None = None
    labels: tuple[str, ...] | None = None
    time: str = ""
    zone: str = ""
    nested: str = ""

    @property
    def present(self) -> np.ndarray:
        """The values that are not missing."""
        return self.values if self.missing is None else self.values[~self.missing]

    @cached_property
    def continuous(self) -> bool:
        """Whether the values are times, fractions, or too large for exact integers."""
        if self.time:
            return True
        if self.labels is not None or self.values.dtype.kind != "f":
            return False
        values = self.present[np.isfinite(self.present)]
        return bool(((values != np.floor(values)) | (abs(values) > _LARGEST_EXACT)).any())

    def rows(self, keep: np.ndarray) -> Column:
        """Return the column with the rows of a mask; no value in these rows may be missing."""
        return replace(self, values=self.values[keep], missing=None)


def listing(items: Iterable[str], limit: int = 10) -> str:
    """Join the first `limit` items with commas and give the number of the others.

    >>> listing(["a", "b", "c"], limit=2)
    'a, b and 1 more'
    """
    items = list(items)
    more = f" and {len(items) - limit:,} more" if len(items) > limit else ""
    return ", ".join(items[:limit]) + more


def label_of(value: Any) -> str:
    """Return the text of one state; a float without fractional part is written as an integer.

    >>> label_of(2.0), label_of(2.5), label_of("two")
    ('2', '2.5', 'two')
    """
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NA, NaT or NaN."""
    return value is None or value is pd.NA or value is pd.NaT or bool(value != value)


def is_unicode(text: str) -> bool:
    r"""Return whether a text can be written to a file: it has no half of a surrogate pair.

    >>> is_unicode("日本"), is_unicode("\ud800")
    (True, False)
    """
    return not any("\ud800" <= c <= "\udfff" for c in text)


def check_names(
    names: Iterable[Any], source: str, used: Callable[[str], bool] = lambda name: True
) -> tuple[str, ...]:
    """Turn the names of columns into strings; refuse empty names, and repeated ones that are used.

    Examples
    --------
    >>> check_names(["a", "b", "b"], "table", lambda name: name != "b")
    ('a', 'b', 'b')
    """
    clean = ["" if is_missing(n) else str(n) for n in names]
    empty = [str(i + 1) for i, n in enumerate(clean) if not n.strip()]
    if empty:
        hint = (
            " (a first column without name is often a saved row index: write the file without it)"
            if empty == ["1"]
            else ""
        )
        raise DataError(f"{source}: empty name for column number {listing(empty)}; name it{hint}")
    places: dict[str, list[str]] = {}
    for i, n in enumerate(clean):
        places.setdefault(n, []).append(str(i + 1))
    foreign = [repr(n) for n in clean if not is_unicode(n)]
    if foreign:
        raise DataError(
            f"{source}: column names that are not Unicode text: {listing(foreign)}; rename them"
        )
    twice = {n: at for n, at in places.items() if len(at) > 1 and used(n)}
    if twice:
        row = all(_FINITE.fullmatch(n) for n in clean)
        cure = (
            "the first line seems to be a row: use --no-header"
            if row
            else "rename them, or leave out all columns of such a name with drop (--drop)"
        )
        found = (f"{n!r} (columns {listing(at)})" for n, at in twice.items())
        raise DataError(f"{source}: duplicate column names: {listing(found)}; {cure}")
    return tuple(clean)


def check_shape(n_columns: int, n_rows: int, source: str, hint: str = "") -> None:
    """Refuse a table with fewer than two columns or two rows."""
    if n_columns == 0:
        raise DataError(f"{source}: no columns; at least two variables are needed")
    if n_rows == 0:
        raise DataError(f"{source}: no rows, only {n_columns:,} column name(s)")
    if n_columns == 1:
        raise DataError(f"{source}: a single column; at least two variables are needed{hint}")
    if n_rows == 1:
        raise DataError(f"{source}: a single row; at least two are needed to learn anything")


def parse_columns(names: Sequence[str], arrays: Iterable[pa.Array]) -> list[Column]:
    """Turn Arrow arrays into columns.

    Parameters
    ----------
    names : sequence of str
        One name for each array.
    arrays : iterable of pyarrow.Array

    Returns
    -------
    list of Column
    """
    return [
        _parse(name, array) or Column(name, np.zeros(len(array), np.int8), nested=str(array.type))
        for name, array in zip(names, arrays, strict=True)
    ]


def refuse_nested(columns: Iterable[Column]) -> None:
    """Raise an error that names the columns whose values are no single states."""
    if nested := [f"{column.name!r} ({column.nested})" for column in columns if column.nested]:
        raise DataError(NESTED.format(columns=listing(nested)))


def _parse(name: str, column: pa.Array) -> Column | None:
    """Turn one Arrow array into codes or numbers; return None for types without states."""
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    kind, is_ = column.type, pa.types
    if is_.is_null(kind):
        return _states(name, np.full(len(column), -1), [])
    if is_.is_boolean(kind):
        codes = column.cast(pa.int8()).fill_null(-1).to_numpy()
        return _states(name, codes, ["False", "True"])
    if is_.is_string_view(kind):
        column = column.cast(pa.large_string())
    if is_.is_string(column.type) or is_.is_large_string(column.type):
        column = column.dictionary_encode()
    if is_.is_dictionary(column.type):
        values = column.dictionary
        if is_.is_nested(values.type) or "binary" in str(values.type):
            return None
        labels = [None if is_missing(v) else label_of(v) for v in values.to_pylist()]
        indices = column.indices
        if indices.null_count:
            indices = indices.cast(pa.int64()).fill_null(-1)
        return _states(name, indices.to_numpy(), labels, column.type.ordered)
    return _numeric(name, column)


def _states(
    name: str, codes: np.ndarray, labels: Sequence[str | None], ordered: bool = False
) -> Column:
    """Recode labelled values in the order of their labels; blank labels are missing values."""
    known = list(dict.fromkeys(label for label in labels if label and not label.isspace()))
    if not ordered:
        known = _sorted_labels(known)
    rank = {label: i for i, label in enumerate(known)}
    table = np.array([rank.get(label or "", -1) for label in labels] + [-1])
    narrow = np.int8 if len(known) < 128 else np.int32
    values = table.astype(narrow)[codes]
    missing = values < 0
    return Column(name, values, missing if missing.any() else None, tuple(known))


def _sorted_labels(labels: list[str]) -> list[str]:
    """Sort numbers and intervals by size if there is nothing else, other labels as text.

    >>> _sorted_labels(["10", "9", "1"]), _sorted_labels(["10", "9", "1_1"])
    (['1', '9', '10'], ['10', '1_1', '9'])
    >>> _sorted_labels(["(5, 10]", "(10, 20]", "[-1, 5]"])
    ['[-1, 5]', '(5, 10]', '(10, 20]']
    >>> _sorted_labels(["(missing)", "10", "9"])
    ['9', '10', '(missing)']
    """
    rest = [label for label in labels if not _GAP.fullmatch(label)]
    starts = _starts(rest)
    if starts is None:
        return sorted(labels)
    sizes = [_size(start) for start in starts]
    order = sorted(zip(sizes, [label.lstrip("[(") for label in rest], rest, strict=True))
    return [label for _, _, label in order] + sorted(set(labels) - set(rest), key=len)


def _starts(labels: Sequence[str]) -> list[str] | None:
    """Return the numbers, or the lower ends of intervals; None if a label is something else."""
    starts = [_START.match(label) for label in labels]
    if not labels or not all(starts) or max(map(len, labels)) > 1_000:
        return None
    return [start[1] for start in starts if start]


def in_order(labels: Sequence[str]) -> bool:
    """Return whether labels are numbers or intervals.

    >>> in_order(["[1, 2]", "(2, 5]"]), in_order(["1", "many"])
    (True, False)
    """
    return _starts(labels) is not None


def _size(text: str) -> int | float:
    return float(text) if re.search("[.eE]", text) else int(text)


def _numeric(name: str, column: pa.Array) -> Column | None:
    """Turn integers, floats, decimals, dates and durations into numbers."""
    kind, is_ = column.type, pa.types
    missing = column.is_null(nan_is_null=True).to_numpy(zero_copy_only=False)
    gap = missing if missing.any() else None
    if is_.is_integer(kind):
        return Column(name, column.fill_null(0).to_numpy(), gap)
    if is_.is_floating(kind):
        return Column(name, column.cast(pa.float64()).to_numpy(zero_copy_only=False), gap)
    if is_.is_decimal(kind):
        return _decimal(name, column, gap)
    if not is_.is_temporal(kind) or is_.is_interval(kind):
        return None
    unit = {"day": "D", "ms": "ms"}[str(kind)[7:-1]] if is_.is_date(kind) else kind.unit
    clock = "datetime64" if is_.is_date(kind) or is_.is_timestamp(kind) else "timedelta64"
    ticks = column.view(pa.int32() if kind.bit_width == 32 else pa.int64())
    ticks = ticks.cast(pa.int64()).fill_null(0).to_numpy()
    zone = (kind.tz or "") if is_.is_timestamp(kind) else ""
    return Column(name, ticks, gap, time=f"{clock}[{unit}]", zone=zone)


def _decimal(name: str, column: pa.Array, gap: np.ndarray | None) -> Column | None:
    """Turn decimals into integers; longer ones into states, and fractions into floats."""
    try:
        return Column(name, column.cast(pa.int64()).fill_null(0).to_numpy(), gap)
    except pa.ArrowInvalid:
        values = column.to_pylist()
    if all(value is None or value == value.to_integral_value() for value in values):
        texts = [None if value is None else f"{value:.0f}" for value in values]
        return _parse(name, pa.array(texts, pa.string()))
    return Column(name, column.cast(pa.float64()).to_numpy(zero_copy_only=False), gap)
