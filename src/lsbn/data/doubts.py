"""Find columns that are probably not what they seem: row numbers, and marks for 'missing'."""

from __future__ import annotations

import re

import numpy as np

from lsbn.data.columns import Column

__all__ = ["doubtful_marks", "marks_among_numbers", "names_rows", "slips_among_numbers"]

ALWAYS_DOUBTFUL = ("?", "*")
"""Labels that mean 'missing' in many files."""
MARKS_IN_TEXT = ("-", "--", ".", "...")
"""Labels that mean 'missing' in many files, if all others have letters or digits."""
NUMBERS_FOR_MISSING = (-9, -99, -999, -9999)
"""Numbers that mean 'missing' in many files, if no other number of the column is negative."""
LARGE_FOR_MISSING = (99, 999, 9999, 99999)
"""The same, if the other numbers are whole, and below a tenth of the mark."""
FEW_MARKS = 3
"""At most this number of labels among numbers are taken for marks."""
MANY_NUMBERS = 4
"""With fewer numbers beside them, labels such as 'none' are taken for states."""
MANY_NAMES, NEARLY_ALL = 16, 0.8
"""Texts that differ in this share of the rows, and are at least so many, name the rows."""
RARE, MANY_DIFFERENT, MOST_SLIPS = 0.02, 13, 10
"""Where so many labels are numbers, labels in at most 2 % of the rows are slips, such as ``4o``."""
_BOUND = re.compile(r"[<>\u2264\u2265+]|[0-9] ?(-|\u2013|to) ?[0-9]")
"""Labels such as ``5+`` and ``10-20`` are states."""
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
    """Return the few labels in a column of numbers that are none.

    They have no digits, or they are rare among many numbers. A label such as ``5+`` is a state.

    Examples
    --------
    >>> marks_among_numbers(Column("x", np.arange(5), None, ("1", "2", "30", "4.5", "none")))
    ['none']
    """
    foreign = _no_numbers(column)
    numbers, digits = len(column.labels or ()) - len(foreign), re.search("[0-9]", "".join(foreign))
    if len(foreign) <= FEW_MARKS and numbers >= MANY_NUMBERS and not digits:
        return foreign
    return slips_among_numbers(column)


def slips_among_numbers(column: Column) -> list[str]:
    """Return labels that are no numbers, in at most 2 % of the rows, among many numbers.

    Examples
    --------
    >>> labels = (*map(str, range(99)), "4o")
    >>> slips_among_numbers(Column("x", np.arange(100), None, labels))
    ['4o']
    """
    labels, foreign = column.labels or (), _no_numbers(column)
    if not 0 < len(foreign) <= MOST_SLIPS or len(labels) - len(foreign) < MANY_DIFFERENT:
        return []
    places = [place for place, label in enumerate(labels) if label in foreign]
    rare = np.isin(column.values, places).mean() <= RARE
    return foreign if rare and not any(map(_BOUND.search, foreign)) else []


def _no_numbers(column: Column) -> list[str]:
    return [label for label in column.labels or () if not _NUMBER.fullmatch(label)]


def doubtful_marks(column: Column) -> list[str]:
    """Find values that may mean 'missing'.

    These are ``?`` and ``*``, a few labels among numbers, ``-`` and ``.`` among words, and numbers
    such as -999 and 999 that are far from all others.

    Examples
    --------
    >>> doubtful_marks(Column("x", np.arange(2), None, ("?", "yes")))
    ['?']
    """
    labels = column.labels or ()
    plain = [mark for mark in ALWAYS_DOUBTFUL if mark in labels]
    dashes = [mark for mark in MARKS_IN_TEXT if mark in labels]
    words = [label for label in labels if label not in (*plain, *dashes)]
    if len(words) > 1 and all(re.search(r"\w", label) for label in words):
        plain += dashes
    return list(dict.fromkeys(plain + marks_among_numbers(column) + _extreme_marks(column)))


def _extreme_marks(column: Column) -> list[str]:
    """Return the numbers of a column that often mean 'missing', and are far from all others."""
    values = column.present
    if column.labels is not None or column.time or not len(values):
        return []
    found = []
    if (least := values.min()) in NUMBERS_FOR_MISSING:
        others = values[values != least]
        if (others >= 0).all():
            found, values = [str(int(least))], others
    if len(values) and (most := values.max()) in LARGE_FOR_MISSING and not column.continuous:
        others = np.unique(values)[:-1]
        if len(others) > 1 and others[0] >= 0 and others[-1] < (most + 1) / 10:
            found.append(str(int(most)))
    return found
