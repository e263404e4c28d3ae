"""Find columns that are probably not what they seem: row numbers, and marks for 'missing'."""

from __future__ import annotations

import re

import numpy as np

from lsbn.data.columns import Column

__all__ = ["doubtful_marks", "marks_among_numbers", "names_rows"]

ALWAYS_DOUBTFUL = ("?", "*")
"""Labels that mean 'missing' in many files."""
NUMBERS_FOR_MISSING = (-99, -999, -9999)
"""Numbers that mean 'missing' in many files, if no other number of the column is negative."""
FEW_MARKS = 3
"""At most this number of labels among numbers are taken for marks."""
MANY_NUMBERS = 4
"""With fewer numbers beside them, labels such as 'none' are taken for states."""
MANY_NAMES, NEARLY_ALL = 16, 0.8
"""Texts that differ in this share of the rows, and are at least so many, name the rows."""
_IDENTIFIER = re.compile(r"(?i:(^|[^a-z])(id|index)$|identifier$|^unnamed)|(?<=[a-z])I[dD]$")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def names_rows(column: Column) -> bool:
    """Return whether a column only names the rows.

    Whole numbers count them (1, 2, 3, ... or 0, 1, 2, ...), or are called ``id``, ``userId`` or
    ``identifier`` and most values differ. Of many texts, nearly all differ.

    Examples
    --------
    >>> names_rows(Column("x", np.arange(20))), names_rows(Column("x", np.arange(20) % 7))
    (True, False)
    """
    if column.missing is not None or column.time:
        return False
    if column.labels is not None:
        many = len(column.labels) >= MANY_NAMES
        return many and len(np.unique(column.values)) >= NEARLY_ALL * len(column.values)
    values = column.values
    if len(values) < 10:
        return False
    if values[0] in (0, 1) and (np.diff(values.astype(np.float64)) == 1).all():
        return True
    called = _IDENTIFIER.search(column.name)
    return bool(called and not column.continuous and 2 * len(np.unique(values)) > len(values))


def marks_among_numbers(column: Column) -> list[str]:
    """Return the few labels without digits in a column of numbers.

    A label such as ``5+`` is a state.

    Examples
    --------
    >>> marks_among_numbers(Column("x", np.arange(5), None, ("1", "2", "30", "4.5", "none")))
    ['none']
    """
    labels = column.labels or ()
    foreign = [label for label in labels if not _NUMBER.fullmatch(label)]
    few = len(foreign) <= FEW_MARKS and len(labels) - len(foreign) >= MANY_NUMBERS
    return foreign if few and not re.search("[0-9]", "".join(foreign)) else []


def doubtful_marks(column: Column) -> list[str]:
    """Find values that may mean 'missing'.

    These are ``?`` and ``*``, a few labels among numbers, and a number such as -999 if all others
    are not negative.

    Examples
    --------
    >>> doubtful_marks(Column("x", np.arange(2), None, ("?", "yes")))
    ['?']
    """
    plain = [mark for mark in ALWAYS_DOUBTFUL if mark in (column.labels or ())]
    return list(dict.fromkeys(plain + marks_among_numbers(column) + _negative_mark(column)))


def _negative_mark(column: Column) -> list[str]:
    """Return the only negative number of a column, if it often means 'missing'."""
    if column.labels is not None or column.time:
        return []
    values = column.present
    least = values.min() if len(values) else 0
    if least not in NUMBERS_FOR_MISSING:
        return []
    return [str(int(least))] if (values[values != least] >= 0).all() else []
