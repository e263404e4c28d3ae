"""Read text files (CSV, TSV, TXT) into columns."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from lsbn.data import stored
from lsbn.data.columns import Column, DataError, check_names, check_shape, listing, parse_columns
from lsbn.data.memory import BYTES_PER_CELL, available_memory, require_memory
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
_LONGEST_LINE, _LEAST_BLOCK = 1 << 26, 1 << 22
_NUMBER = r"\s*[+-]?[0-9.]+([eE][+-]?[0-9]+)?\s*"
_LARGEST_RATIO, _PLAUSIBLE = 250, 1 << 28
"""A file that unpacks to more bytes than both, by its size and in all, is refused."""
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
    path : Path
        A UTF-8 file, plain or compressed by gzip.
    options : TableOptions
        Its ``drop``, ``keep`` and ``na`` are used here.
    names : sequence, optional
        Names to use instead of those in the header.
    layout : TextLayout
        Separator and header.

    Returns
    -------
    columns : list of Column
    notes : tuple of str
        What was guessed: another separator, row labels.

    Raises
    ------
    DataError
        If the file is no such table; the message names the lines.

    Notes
    -----
    The type inference of pyarrow is not used. It turns '01' into 1 and 'true' into a boolean, so
    the state labels would differ from the text of the file. A first column without a name, whose
    entries all differ, is a saved row index and is left out.
    """
    with _file_errors(path), _open_text(path) as file:
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
    lines = [file.readline(_LONGEST_LINE) for _ in range(50)]
    first = next((line for line in lines if line.strip()), "")
    if not first:
        raise DataError(f"{path}: the file is empty; expected a header and rows")
    lower = path.name.lower()
    usual = "," if ".csv" in lower[-7:] else "\t" if ".tsv" in lower[-7:] else None
    sep = layout.sep or usual or _sniffed(first)
    rows = _rows(lines, sep)
    skip, header = next(rows)
    notes: tuple[str, ...] = ()
    if len(header) == 1 and layout.sep is None and _sniffed(first) != sep:
        sep = _sniffed(first)
        notes = (f"the separator of the fields is {sep!r}",)
        rows = _rows(lines, sep)
        skip, header = next(rows)
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


class _Counted(io.RawIOBase):
    """A stream of unpacked text that stops if memory cannot hold it, or if it is suspicious."""

    def __init__(self, file: gzip.GzipFile, sep: str, path: Path, bytes_per_cell: int) -> None:
        self._file, self._sep, self._path = file, sep.encode(), path
        self._bytes_per_cell = bytes_per_cell
        self._cells, self._free = 0, available_memory()
        self._bytes, self._most = 0, max(_PLAUSIBLE, _LARGEST_RATIO * path.stat().st_size)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        text = self._file.read(len(buffer))
        buffer[: len(text)] = text
        self._cells += text.count(self._sep) + text.count(b"\n") + len(text) // 64
        require_memory(self._cells, str(self._path), self._free, self._bytes_per_cell)
        self._bytes += len(text)
        if self._bytes > self._most:
            raise DataError(
                f"{self._path}: unpacks to more than {_LARGEST_RATIO} times its size, which real "
                "tables hardly do; if the table is right, unpack it first (gunzip)"
            )
        return len(text)


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
    with _file_errors(path), _open_bytes(path, plan.sep, room) as stream:
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


@contextmanager
def _open_bytes(path: Path, sep: str, bytes_per_cell: int) -> Iterator[Any]:
    """Open a file for pyarrow, decompressed, with tabs in the place of spaces."""
    if sep == " ":
        with _open_text(path) as lines:
            text = "".join("\t".join(line.split()) + "\n" for line in lines)
        yield pa.BufferReader(text.encode())
    elif path.name.lower().endswith(".gz"):
        with gzip.open(path, "rb") as file:
            yield pa.PythonFile(_Counted(file, sep, path, bytes_per_cell), "r")
    else:
        with pa.input_stream(str(path), compression=None) as stream:
            yield stream


def _open_text(path: Path) -> TextIO:
    if path.name.lower().endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return open(path, encoding="utf-8-sig", newline="")


@contextmanager
def _file_errors(path: Path) -> Iterator[None]:
    """Turn the errors of reading a text file into messages for the user."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 text ({error}); save the file as UTF-8") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"{path}: damaged or not gzip ({error}); write it again") from error
    except csv.Error as error:
        raise DataError(f"{path}: not readable as CSV ({error})") from error


def _explain(path: Path, plan: _Plan, *, header: bool) -> None:
    """Read the file again, row by row, and name the rows of the wrong length."""
    expected, ragged = len(plan.names), []
    with _file_errors(path), _open_text(path) as file:
        reader = csv.reader(file, delimiter=plan.sep)
        for number, row in enumerate(row for row in reader if row):
            fields = " ".join(row).split() if plan.sep == " " else row
            labelled = number == 0 and header and not plan.names[0]
            if len(fields) + labelled != expected:
                ragged.append(f"row {number} (line {reader.line_num}) has {len(fields)}")
            if len(ragged) > 1_000:
                break
    if ragged:
        raise DataError(
            f"{path}: rows of different lengths: the header has {expected} fields, but "
            f"{listing(ragged, 5)}; correct these lines"
        )
