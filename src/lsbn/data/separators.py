"""Find the separator of a text file, and split its lines into fields.

The lines of a table have the same number of fields only by the right separator. A comma in a number
or in free text is thus not taken for the separator of a file whose header has semicolons.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lsbn.data.openfile import spaced_fields

__all__ = [
    "Row",
    "best_separator",
    "fields_by",
    "is_comment",
    "sniffed",
    "split_rows",
    "usual_separator",
    "with_point",
    "without_comments",
]

_USUAL = "\t;,|"
"""Separators other than spaces; of two that fit equally well, the first is taken."""
_FEW = 3
"""With more rows, the last one is left out if it may continue."""
_DECIMAL_COMMA = re.compile(r"\s*[+-]?[0-9]+,[0-9]+\s*")
_WHOLE, _MOST, _SOME = 2, 1, 0
"""All lines have the same number of fields; the header and most rows have it; only some rows."""

Row = tuple[int, list[str]]
"""The number of lines up to the end of a row, and the fields of the row."""


def usual_separator(path: Path) -> str | None:
    """Return the separator that the ending of a file's name tells, if any."""
    lower = path.name.lower()[-7:]
    return "," if ".csv" in lower else "\t" if ".tsv" in lower else None


def fields_by(path: Path, lines: Sequence[str], *, is_part: bool) -> str:
    """Find the separator of a file by its first lines.

    Parameters
    ----------
    path : Path
    lines : sequence of str
        The first is the header, or a row.
    is_part : bool
        Whether the file has more lines, so that the last field may continue on the next one.

    Returns
    -------
    str
        The separator that gives the header and the rows the same number of fields. If none does,
        that of the file's ending, or the most frequent one of the first line.
    """
    usual, first = usual_separator(path), lines[0]
    if found := best_separator(lines, usual, is_part=is_part):
        return found
    if usual is None or len(_rows([first], usual)[0][1]) == 1:
        return sniffed(first)
    return usual


def best_separator(
    lines: Sequence[str], usual: str | None, *, is_part: bool, fewest: int = 0
) -> str | None:
    r"""Return the separator that gives most lines the same number of fields.

    A comma is not the separator if, by another separator, all commas are in numbers.

    Parameters
    ----------
    lines : sequence of str
    usual : str, optional
        The separator that the ending of the file's name tells; taken if others are no better.
    is_part : bool
        Whether the last field may continue below.
    fewest : int
        If the first line does not fit, the rows that are needed; 0 demands that it fits.

    Examples
    --------
    >>> lines = ["kind;length;width\n", "x;5,1;4,2\n", "y;5,3;4,1\n"]
    >>> best_separator(lines, ",", is_part=False)
    ';'
    """
    first = next((line for line in lines if line.strip()), "")
    spaces = " " if usual is None or not any(c in first for c in _USUAL) else ""
    fits = [_fit(lines, sep, is_part=is_part) for sep in _USUAL + spaces]
    good = [fit for fit in fits if fit and (fit.how or 0 < fewest <= fit.rows)]
    if any(fit.has_decimals for fit in good if fit.sep != ","):
        good = [fit for fit in good if fit.sep != ","]
    return max(good, key=lambda fit: fit.rank(usual)).sep if good else None


class _Fit(NamedTuple):
    """How well the first lines are rows by a separator.

    Attributes
    ----------
    sep : str
    how : int
        One of `_WHOLE`, `_MOST` and `_SOME`.
    rows : int
        Rows with the most frequent number of fields.
    fields : int
        This number.
    has_decimals : bool
        Whether there are commas below the header, all in numbers; by spaces, in the header too.
    """

    sep: str
    how: int
    rows: int
    fields: int
    has_decimals: bool

    def rank(self, usual: str | None) -> tuple[Any, ...]:
        """Return a key, highest for the separator to take."""
        sep = self.sep
        return self.how, sep != " ", self.rows, sep == "\t", self.fields, sep == usual


def _fit(lines: Sequence[str], sep: str, *, is_part: bool) -> _Fit | None:
    """Split lines by a separator; return None if there are no two fields in a row."""
    if not any(sep in line for line in lines):
        return None
    try:
        rows = _rows(lines, sep)
    except csv.Error:  # a field is too long: not this separator
        return None
    if is_part and len(rows) > _FEW:
        rows.pop()
    widths = [len(row) for _, row in rows]
    ((width, count),) = Counter(widths).most_common(1) or [(0, 0)]
    if width < 2:
        return None
    if 1 < widths[0] == width - 1:  # R: row labels have no name
        widths[0], count = width, count + 1
    by_header = widths[0] == width and 2 * count > len(rows)
    how = _WHOLE if count == len(rows) else _MOST if by_header else _SOME
    start = 0 if sep == " " else 1  # "full name,age" has a comma, and rows such as "Jo 1,23"
    below = [field for _, row in rows[start:] if len(row) == width for field in row if "," in field]
    decimals = bool(below) and all(map(_DECIMAL_COMMA.fullmatch, below))
    return _Fit(sep, how, count, width, decimals and sep != ",")


def _rows(lines: Sequence[str], sep: str) -> list[Row]:
    return without_comments(split_rows(lines, sep))[1]


def with_point(field: str) -> str:
    """Replace the decimal comma of a number by a point.

    >>> with_point("5,1"), with_point("a, b")
    ('5.1', 'a, b')
    """
    return field.replace(",", ".") if _DECIMAL_COMMA.fullmatch(field) else field


def sniffed(line: str) -> str:
    """Guess the separator of a line.

    >>> sniffed("a;b,c;d"), sniffed("a b")
    (';', ' ')
    """
    best = max("\t;,|", key=line.count)
    return best if best in line else " " if " " in line.strip() else ","


def split_rows(lines: Iterable[str], sep: str) -> Iterator[Row]:
    """Yield the fields of every row that is not empty, with the number of its last line."""
    reader: Any = csv.reader(lines, delimiter=sep)
    numbered = enumerate(map(spaced_fields, lines), 1)
    for number, row in numbered if sep == " " else ((reader.line_num, row) for row in reader):
        if row:
            yield number, row


def is_comment(line: str) -> bool:
    """Return whether a line starts with #."""
    return line.lstrip(' \t"').startswith("#")


def without_comments(rows: Iterator[Row]) -> tuple[list[Row], list[Row]]:
    """Part comments above the header from the table; ``#a,b`` is a header above two fields.

    >>> without_comments(iter([(1, ["# made by hand"]), (2, ["a", "b"])]))
    ([(1, ['# made by hand'])], [(2, ['a', 'b'])])
    """
    found = list(rows)
    above = next((i for i, (_, row) in enumerate(found) if not is_comment(row[0])), 0)
    if above and len(found[above - 1][1]) == len(found[above][1]):
        above -= 1
    return found[:above], found[above:]
