"""How a text file is laid out: lines above the table, and its header.

`suggested_layout` looks at the first lines of a file. It finds lines above the table, which have
fewer fields than its rows, and a first line that is a row and no header.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from numbers import Integral
from pathlib import Path
from typing import TextIO

from lsbn.data.columns import DataError
from lsbn.data.openfile import file_errors, open_text
from lsbn.data.separators import (
    Row,
    best_separator,
    sniffed,
    split_rows,
    usual_separator,
    with_point,
    without_comments,
)

__all__ = [
    "NULL_SPELLINGS",
    "TextLayout",
    "all_numbers",
    "first_lines",
    "layout_words",
    "start_of",
    "suggested_layout",
]

NULL_SPELLINGS = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL")
"""Fields of a text file that mean 'missing'. 'None' is a common state name, so it is not here."""

MOST_SKIPPED = 1_000
_BY_NAME = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " "}
_LINES, _LONGEST_LINE = 50, 1 << 26
"""Lines that are looked at; a text file with a longer line, in characters, is refused."""
_FEW_LINES, _MANY = 8, 1 << 20
"""At least 8 lines are read, and more only up to 1,048,576 characters."""
_FEWEST_ROWS = 3
"""Lines of the same number of fields that make a table."""
_NUMBER = re.compile(r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*")
_COUNT = re.compile(r"0*([1-9][0-9]{0,17})")
"""A number of rows that a file can have."""
_BY_CHANCE = 5
"""Five or more increasing numbers are taken as names. Values of a row are in this order by chance
once in 120."""


@dataclass(frozen=True)
class TextLayout:
    r"""How a text file is laid out.

    Attributes
    ----------
    sep : str, optional
        The character between two fields, or ``tab`` or ``space``; a space stands for any number
        of spaces and tabs. By default the one that gives the first lines the same number of
        fields. If several do, a comma in .csv files and a tab in .tsv files.
    header : bool
        Whether the first line has the names of the columns. Without a header the columns are
        called x0, x1, ...
    skip : int
        Lines above the table, which are left out.

    Examples
    --------
    >>> TextLayout("tab").sep
    '\t'
    """

    sep: str | None = None
    header: bool = True
    skip: int = 0

    def __post_init__(self) -> None:
        sep = _BY_NAME.get(str(self.sep), self.sep)
        if sep is not None and (not isinstance(sep, str) or len(sep) != 1 or sep in '"\r\n'):
            raise DataError(f"sep is {self.sep!r}; use one character, or tab or space")
        whole = isinstance(self.skip, Integral) and not isinstance(self.skip, bool)
        if not whole or not 0 <= self.skip <= MOST_SKIPPED:
            raise DataError(f"skip is {self.skip!r}; use a number of lines, 0 to {MOST_SKIPPED:,}")
        object.__setattr__(self, "sep", sep)

    def below(self, lines: Sequence[str]) -> list[str]:
        """Return the first lines of a file; those to skip are empty, so that the others count."""
        return ["\n" for _ in lines[: self.skip]] + list(lines[self.skip :])


def layout_words(before: TextLayout, after: TextLayout) -> list[str]:
    """Write lines above the table, and no header, as words of the command line.

    Examples
    --------
    >>> layout_words(TextLayout(), TextLayout(header=False, skip=1))
    ['--skip', '1', '--no-header']
    """
    skip = ["--skip", str(after.skip)] if after.skip != before.skip else []
    return [*skip, "--no-header"] if before.header and not after.header else skip


def suggested_layout(path: Path, layout: TextLayout) -> tuple[TextLayout, str]:
    """Find lines above the table, and whether its first line is a row, by the first lines.

    Parameters
    ----------
    path : Path
        A text file.
    layout : TextLayout
        The layout that the user gives. Lines are left out, or the header denied, beside it.

    Returns
    -------
    layout : TextLayout
        The given one, if nothing is found.
    reason : str
        What was found, or an empty text.
    """
    with file_errors(path), open_text(path) as file:
        rows = _table_rows(path, first_lines(path, file, layout.skip), layout)
        start = 0 if layout.skip else _lines_above(rows, file, header=layout.header)
    reasons, skip, header = [], layout.skip, layout.header
    if start:
        skip, fields, width = rows[start - 1][0], len(rows[0][1]), len(rows[-1][1])
        if fields == width:
            reasons.append(f"line {skip} has the numbers of rows and columns, no names")
        elif start == 1:
            noun = "field" if fields == 1 else "fields"
            reasons.append(f"line {skip} has {fields} {noun}, but the rows have {width}")
        else:
            reasons.append(f"the first {skip} lines have fewer fields than the rows ({width})")
    if header and len(rows) - start > 2 and _is_row([row for _, row in rows[start:]]):
        header = False
        reasons.append(f"line {rows[start][0]} seems to be a row, not the names of the columns")
    return replace(layout, skip=skip, header=header), "; ".join(reasons)


def _table_rows(path: Path, lines: Sequence[str], layout: TextLayout) -> list[Row]:
    """Split the first lines of a file; decimal commas become points."""
    lines, is_part = start_of(lines, layout)
    first = next((line for line in reversed(lines) if line.strip()), "")
    usual = usual_separator(path)
    fitting = best_separator(lines, usual, is_part=is_part, fewest=_FEWEST_ROWS)
    for sep in (layout.sep or fitting or usual or sniffed(first), sniffed(first)):
        _, found = without_comments(split_rows(lines, sep))
        if len(found) > _FEWEST_ROWS and is_part:
            found.pop()  # its last field may continue on the next line
        if layout.sep is not None or (found and len(found[-1][1]) > 1):
            return found if sep == "," else [(n, list(map(with_point, row))) for n, row in found]
    return []


def start_of(lines: Sequence[str], layout: TextLayout) -> tuple[list[str], bool]:
    """Take the first lines, fewer if they are long; those to skip are empty.

    Returns
    -------
    lines : list of str
    is_part : bool
        Whether the file may have more lines.
    """
    some = layout.skip + max(_FEW_LINES, _MANY // (1 + max(map(len, lines), default=0)))
    return layout.below(lines[:some]), len(lines) >= min(some, layout.skip + _LINES)


def _lines_above(rows: Sequence[Row], file: TextIO, *, header: bool) -> int:
    """Return the number of rows above the table: all have fewer fields than those below.

    A line with one field less is the header of R, whose row labels have no name; but a title, if
    the next line has names, or if there is no header and the line is no short row.
    """
    widths = [len(row) for _, row in rows]
    start = len(rows)
    while start and widths[start - 1] == widths[-1]:
        start -= 1
    if len(rows) - start < _FEWEST_ROWS or any(width >= widths[-1] for width in widths[:start]):
        return 0
    if start == 1 and widths[0] == widths[-1] - 1:
        start = int(_names_numbers(rows[1:]) or (not header and _is_text_above(rows)))
    if start:
        return start
    return int(_has_counts(rows, file))


def _is_text_above(rows: Sequence[Row]) -> bool:
    """Return whether the first of some rows is one text that is not in the first column below."""
    first, *below = (row for _, row in rows)
    is_text = len(first) == 1 and not _is_null(first[0]) and not all_numbers(first)
    return is_text and all(row[0] != first[0] for row in below)


def _names_numbers(rows: Sequence[Row]) -> bool:
    """Return whether the first of some rows has a name above a column of numbers."""
    first, columns = rows[0][1], zip(*(row for _, row in rows[1:]), strict=False)
    named = zip(first, columns, strict=False)
    return any(
        all_numbers(column) and not _is_null(name) and not all_numbers([name])
        for name, column in named
    )


def _has_counts(rows: Sequence[Row], file: TextIO) -> bool:
    """Return whether a first line starts with the numbers of rows and columns."""
    (end, first), width = rows[0], len(rows[-1][1])
    count = _COUNT.fullmatch(first[0])
    if count is None or first[1:2] not in ([str(width)], [str(width - 1)]):
        return False
    file.seek(0)
    n_rows = sum(1 for number, line in enumerate(file) if number >= end and line.strip())
    return count[1] == str(n_rows)


def _is_row(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first of some rows is like those below, and has no names.

    Numbers stand above all columns of numbers, and are not like names. In a table without numbers,
    most entries are found again in their columns.

    Examples
    --------
    >>> _is_row([["5.1", "x"], ["4.9", "y"]]), _is_row([["length", "kind"], ["4.9", "y"]])
    (True, False)
    """
    first, columns = rows[0], list(zip(*rows[1:], strict=False))
    if len(columns) != len(first):
        return False
    above = [name for name, column in zip(first, columns, strict=True) if all_numbers(column)]
    if above:
        return all_numbers(above) and not _are_names([n for n in above if not _is_null(n)], first)
    again = sum(name in column for name, column in zip(first, columns, strict=True))
    return again > 1 and 2 * again >= len(first)


def _are_names(numbers: Sequence[str], first: Sequence[str]) -> bool:
    """Return whether numbers of a first line are like names: years, 0, 1, 2, or increasing.

    Examples
    --------
    >>> _are_names(["1990", "2000"], ["country", "1990", "2000"])
    True
    >>> _are_names(["0", "1"], ["0", "1"]), _are_names(["3", "1"], ["3", "1"])
    (True, False)
    """
    values = [float(number) for number in numbers]
    steps = {b - a for a, b in pairwise(values)}
    if any(step <= 0 for step in steps):
        return False
    counted = [str(i) for i in range(len(first) + 1)]
    whole = [name.strip() for name in first if name.strip()]
    years = all(value % 1 == 0 and 1800 <= value <= 2100 for value in values)
    many = len(values) >= _BY_CHANCE or (len(values) > 2 and len(steps) == 1)
    return years or many or whole in (counted[: len(whole)], counted[1 : len(whole) + 1])


def all_numbers(fields: Sequence[str]) -> bool:
    """Return whether all fields are numbers or mean 'missing', and one is a number."""
    present = [field for field in fields if not _is_null(field)]
    return bool(present) and all(_NUMBER.fullmatch(field) for field in present)


def _is_null(field: str) -> bool:
    return field.strip() in (*NULL_SPELLINGS, "?")


def first_lines(path: Path, file: TextIO, skip: int = 0) -> list[str]:
    """Read up to 50 lines below those to skip; fewer if they are very long."""
    lines: list[str] = []
    while len(lines) < _LINES + skip and sum(map(len, lines)) <= _LONGEST_LINE:
        if not (line := file.readline(_LONGEST_LINE)):
            break
        lines.append(line)
        if len(line) == _LONGEST_LINE:
            raise DataError(
                f"{path}: line {len(lines)} has more than {_LONGEST_LINE:,} characters; is the "
                "file a table with one row in each line?"
            )
    return lines
