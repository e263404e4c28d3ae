"""Read text files (CSV, TSV, TXT) into columns.

The type inference of pyarrow is not used. It turns '01' into 1 and 'true' into a boolean, so the
state labels would differ from the text of the file. A first column without a name, whose entries
all differ, is a saved row index and is left out.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from lsbn.data import stored
from lsbn.data.columns import Column, DataError, check_names, check_shape, listing, parse_columns
from lsbn.data.memory import BYTES_PER_CELL
from lsbn.data.openfile import file_errors, open_bytes, open_text
from lsbn.data.options import TableOptions
from lsbn.data.selection import chosen, with_na
from lsbn.data.stored import is_large, stored_columns
from lsbn.data.talltext import BlockColumns
from lsbn.data.textnumbers import typed
from lsbn.files import plain_name

__all__ = ["NULL_SPELLINGS", "SUFFIXES", "TextLayout", "combined", "read_text"]

NULL_SPELLINGS = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL")
"""Fields of a text file that mean 'missing'. 'None' is a common state name, so it is not here."""

SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz")
_BY_NAME = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " "}
_LONGEST_LINE, _MOST_COLUMNS = 1 << 26, 2_000_000
"""A text file with a longer line, in characters, or with more columns is refused."""
_LEAST_BLOCK = 1 << 22
_NUMBER = r"\s*[+-]?[0-9.]+([eE][+-]?[0-9]+)?\s*"
_PACKED = 8
"""A table of states that is compressed by gzip is assumed to be this number of times as long."""


@dataclass(frozen=True)
class TextLayout:
    r"""How a text file is laid out.

    Attributes
    ----------
    sep : str, optional
        The character between two fields, or ``tab`` or ``space``; a space stands for any number
        of spaces and tabs. By default a comma in .csv files, a tab in .tsv files, and what the
        first line shows in .txt files.
    header : bool
        Whether the first line has the names of the columns. Without a header the columns are
        called x0, x1, ...

    Examples
    --------
    >>> TextLayout("tab").sep
    '\t'
    """

    sep: str | None = None
    header: bool = True

    def __post_init__(self) -> None:
        sep = _BY_NAME.get(str(self.sep), self.sep)
        if sep is not None and (not isinstance(sep, str) or len(sep) != 1 or sep in '"\r\n'):
            raise DataError(f"sep is {self.sep!r}; use one character, or tab or space")
        object.__setattr__(self, "sep", sep)


@dataclass(frozen=True)
class _Plan:
    """What the first lines of a text file show.

    Attributes
    ----------
    sep : str
    names : list of str
        One for each field of a row; the name of row labels is empty.
    skip : int
        Lines before the first row.
    block : int
        Bytes to read at once; more than the longest line.
    line : float
        Mean length of the first lines, in bytes.
    notes : tuple of str
    """

    sep: str
    names: list[str]
    skip: int
    block: int
    line: float
    notes: tuple[str, ...] = ()


def read_text(
    path: Path,
    options: TableOptions,
    names: Sequence[Any] | None,
    layout: TextLayout,
    *,
    to_learn: bool = True,
) -> tuple[list[Column], tuple[str, ...]]:
    """Read a text file with pyarrow, then find the columns of numbers and dates.

    Parameters
    ----------
    path : Path, a UTF-8 file, plain or compressed by gzip
    options : TableOptions, of which ``drop``, ``keep`` and ``na`` are used here
    names : sequence, optional, instead of the names in the header
    layout : TextLayout, separator and header
    to_learn : bool, whether a table with too few rows or columns is an error

    Returns
    -------
    columns : list of Column
    notes : tuple of str, what was guessed: another separator, row labels

    Raises
    ------
    DataError
        If the file is no such table; the message names the lines.
    """
    with file_errors(path), open_text(path) as file:
        plan = _plan(path, file, layout)
    try:
        table = _text_table(path, plan, options.na)
    except (pa.ArrowException, OSError) as error:
        _explain(path, plan, header=layout.header)
        raise DataError(f"{path}: not readable as CSV ({error})") from error
    own, notes, offset = plan.names, plan.notes, 0
    if names is None and _labels_rows(own, table.column(0)):
        offset, own = 1, own[1:]
        notes += ("left out the first column: it has no name, and a different entry in every row",)
    if names is not None and len(names) != len(own):
        raise DataError(f"names has {len(names)} entries for {len(own)} columns of {path}")
    clean = check_names(map(plain_name, own) if names is None else list(names), str(path))
    other = next((c for c in ";\t,|" if c != plan.sep and c in clean[0]), None)
    hint = f" (the header contains {other!r}: is that the separator? --sep)" if other else ""
    places = chosen(clean, options)
    if to_learn or not places or not table.num_rows:
        check_shape(len(places), table.num_rows, str(path), hint)
    left = [clean[i] for i in places]

    def array(place: int) -> pa.Array:
        """Return a column; numbers and dates have their type."""
        return typed(combined(table.column(offset + place)), comma=plan.sep != ",")

    if isinstance(table, BlockColumns):
        return stored_columns(left, places, array, options.na), notes
    parsed = parse_columns(left, map(array, places))
    return [with_na(column, options.na) for column in parsed], notes


def combined(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Join the chunks of an Arrow column and give them one dictionary."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    if pa.types.is_dictionary(column.type) and column.num_chunks > 1:
        column = column.unify_dictionaries()
    if column.num_chunks == 1:
        return column.chunk(0)
    joined = column.combine_chunks()
    return joined if isinstance(joined, pa.Array) else pa.concat_arrays(joined.chunks)


def _plan(path: Path, file: TextIO, layout: TextLayout) -> _Plan:
    """Find the separator, the names and the longest of the first lines."""
    lines = _first_lines(path, file)
    first = next((line for line in lines if line.strip()), "")
    if not first:
        raise DataError(f"{path}: the file is empty; expected a header and rows")
    first = next((line for line in lines if line.strip() and not _is_comment(line)), first)
    lower = path.name.lower()
    usual = "," if ".csv" in lower[-7:] else "\t" if ".tsv" in lower[-7:] else None
    sep = layout.sep or usual or _sniffed(first)
    if (n_columns := 1 + max(first.count(c) for c in {sep, _sniffed(first)})) > _MOST_COLUMNS:
        raise DataError(f"{path}: more than {_MOST_COLUMNS:,} columns ({n_columns:,}); keep fewer")
    above, rows = _without_comments(_rows(lines, sep))
    skip, header = next(rows)
    notes: tuple[str, ...] = ()
    if len(header) == 1 and layout.sep is None and _sniffed(first) != sep:
        sep = _sniffed(first)
        notes = (f"the separator of the fields is {sep!r}",)
        above, rows = _without_comments(_rows(lines, sep))
        skip, header = next(rows)
    if above:
        notes += (f"left out {above} line(s) at the top that start with #",)
    width = len(next(rows, (0, header))[1])
    if not layout.header:
        header, skip = [f"x{i}" for i in range(len(header))], skip - 1
    elif width == len(header) + 1:  # R: row labels have no name
        header = ["", *header]
    elif all(re.fullmatch(_NUMBER, name) for name in header):
        notes += ("all names are numbers; if the first line is a row, use --no-header",)
    block = min(max(_LEAST_BLOCK, 64 * max(map(len, lines))), 1 << 30)
    used = [len(line.encode()) for line in lines[1:] if line.strip()]
    return _Plan(sep, header, skip, block, sum(used) / max(len(used), 1) or 1.0, notes)


def _first_lines(path: Path, file: TextIO) -> list[str]:
    """Read up to 50 lines; fewer if they are very long."""
    lines: list[str] = []
    while len(lines) < 50 and sum(map(len, lines)) <= _LONGEST_LINE:
        lines.append(file.readline(_LONGEST_LINE))
        if len(lines[-1]) == _LONGEST_LINE:
            raise DataError(
                f"{path}: line {len(lines)} has more than {_LONGEST_LINE:,} characters; is the "
                "file a table with one row in each line?"
            )
    return lines


def _is_comment(line: str) -> bool:
    return line.lstrip(' \t"').startswith("#")


def _without_comments(
    rows: Iterator[tuple[int, list[str]]],
) -> tuple[int, Iterator[tuple[int, list[str]]]]:
    """Leave out comments above the header; ``#a,b`` is the header of rows with two fields.

    >>> above, rows = _without_comments(iter([(1, ["# made by hand"]), (2, ["a", "b"])]))
    >>> above, list(rows)
    (1, [(2, ['a', 'b'])])
    """
    found = list(rows)
    above = next((i for i, (_, row) in enumerate(found) if not _is_comment(row[0])), 0)
    if above and len(found[above - 1][1]) == len(found[above][1]):
        above -= 1
    return above, iter(found[above:])


def _sniffed(line: str) -> str:
    """Guess the separator of a line.

    >>> _sniffed("a;b,c;d"), _sniffed("a b")
    (';', ' ')
    """
    best = max("\t;,|", key=line.count)
    return best if best in line else " " if " " in line.strip() else ","


def _rows(lines: Sequence[str], sep: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of lines read, and the fields, of every row that is not empty."""
    reader: Any = csv.reader(lines, delimiter=sep)
    for number, row in enumerate(reader, 1):
        if sep == " ":
            row = [field for field in " ".join(row).split() if field]
        if row:
            yield number, row


def _labels_rows(names: Sequence[str], column: pa.ChunkedArray) -> bool:
    """Return whether only the first column has no name, and all its entries differ."""
    if names[0].strip() or not all(name.strip() for name in names[1:]):
        return False
    return len(column) > 1 and column.null_count == 0 and len(pc.unique(column)) == len(column)


def _text_table(path: Path, plan: _Plan, na: Iterable[str]) -> pa.Table | BlockColumns:
    """Read the rows as columns of text; those of a tall file block by block."""
    keys = [str(i) for i in range(len(plan.names))]
    text = pa.dictionary(pa.int32(), pa.string())
    how = (
        pyarrow.csv.ReadOptions(
            column_names=keys, skip_rows_after_names=plan.skip, block_size=plan.block
        ),
        pyarrow.csv.ParseOptions(
            delimiter="\t" if plan.sep == " " else plan.sep, newlines_in_values=True
        ),
        pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(keys, text),
            strings_can_be_null=True,
            null_values=[*NULL_SPELLINGS, *na],
        ),
    )
    tall = _is_tall(path, plan)
    room = stored.BYTES_PER_CELL if tall else BYTES_PER_CELL
    with file_errors(path), open_bytes(path, plan.sep, room) as stream:
        if not tall:
            return pyarrow.csv.read_csv(stream, *how)
        columns = BlockColumns(len(keys))
        for batch in pyarrow.csv.open_csv(stream, *how):
            columns.add(batch.columns)
        return columns


def _is_tall(path: Path, plan: _Plan) -> bool:
    """Return whether a file probably has a large table, by its size and its first lines."""
    size = path.stat().st_size * (_PACKED if path.name.lower().endswith(".gz") else 1)
    return is_large(int(size / plan.line), len(plan.names))


def _explain(path: Path, plan: _Plan, *, header: bool) -> None:
    """Read the file again, row by row, and name the rows of the wrong length."""
    expected, ragged, widths = len(plan.names), [], []
    with file_errors(path), open_text(path) as file:
        reader = csv.reader(file, delimiter=plan.sep)
        rows = (row for number, row in enumerate(reader) if row and number >= plan.skip)
        for number, row in enumerate(rows, 1 if header else 0):
            fields = " ".join(row).split() if plan.sep == " " else row
            if number:
                widths.append(len(fields))
            if len(fields) != expected:
                ragged.append(f"row {number} (line {reader.line_num}) has {len(fields)}")
            if len(ragged) > 1_000:
                break
    if len(widths) > 1 and len(set(widths)) == 1 and ragged:
        cure = "; if no line has the names of the columns, also use --no-header" if header else ""
        raise DataError(
            f"{path}: the first line has {expected} fields, but all others have {widths[0]}; "
            f"correct or remove the first line{cure}"
        )
    if ragged:
        raise DataError(
            f"{path}: rows of different lengths: the header has {expected} fields, but "
            f"{listing(ragged, 5)}; correct these lines"
        )
