"""Read text files (CSV, TSV, TXT, DATA, DAT) into columns.

The type inference of pyarrow is not used. It turns '01' into 1 and 'true' into a boolean, so the
state labels would differ from the text of the file. A first column without a name, whose entries
all differ, is a saved row index and is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
from lsbn.data.separators import (
    fields_by,
    is_comment,
    sniffed,
    split_rows,
    usual_separator,
    without_comments,
)
from lsbn.data.stored import is_large, stored_columns
from lsbn.data.talltext import BlockColumns
from lsbn.data.textlayout import (
    NULL_SPELLINGS,
    TextLayout,
    all_numbers,
    first_lines,
    layout_words,
    start_of,
    suggested_layout,
)
from lsbn.data.textnumbers import typed
from lsbn.files import plain_name

__all__ = ["SUFFIXES", "combined", "header_names", "read_text"]

SUFFIXES = tuple(
    f"{end}{gz}" for end in (".csv", ".tsv", ".txt", ".data", ".dat") for gz in ("", ".gz")
)
_MOST_COLUMNS = 2_000_000
"""A text file with more columns is refused."""
_LEAST_BLOCK = 1 << 22
_PACKED = 8
"""A table of states that is compressed by gzip is assumed to be this number of times as long."""


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
    table, own, kept, notes = _named_table(
        path, plan, layout, options.na, replaced=names is not None
    )
    if names is not None and len(names) != len(own):
        raise DataError(f"names has {len(names)} entries for {len(own)} columns of {path}")
    given = map(plain_name, own) if names is None else list(names)
    clean = check_names(given, str(path), options.uses)
    other = next((c for c in ";\t,|" if c != plan.sep and c in clean[0]), None)
    hint = f" (the header contains {other!r}: is that the separator? --sep)" if other else ""
    places = chosen(clean, options)
    if to_learn or not places or not table.num_rows:
        check_shape(len(places), table.num_rows, str(path), hint)
    left = [clean[i] for i in places]

    def array(place: int) -> pa.Array:
        """Return a column; numbers and dates have their type."""
        return typed(combined(table.column(kept[place])), comma=plan.sep != ",")

    if isinstance(table, BlockColumns):
        return stored_columns(left, places, array, options.na), notes
    parsed = parse_columns(left, map(array, places))
    return [with_na(column, options.na) for column in parsed], notes


def header_names(path: Path, layout: TextLayout) -> list[str]:
    """Return the names in the first line of a text file that is not skipped."""
    with file_errors(path), open_text(path) as file:
        return [plain_name(name.strip()) for name in _plan(path, file, layout).names]


def _named_table(
    path: Path, plan: _Plan, layout: TextLayout, na: Iterable[str], *, replaced: bool
) -> tuple[pa.Table | BlockColumns, list[str], list[int], tuple[str, ...]]:
    """Read the rows; return names and places of the columns to read, and what was guessed.

    The first lines may show another layout. This is a note; or an error, if lines above the table
    are the reason that the table has no names.
    """
    better, reason = suggested_layout(path, layout)
    titled = better.skip > layout.skip
    advice = f"{reason}: use {' '.join(layout_words(layout, better))}" if reason else ""
    if layout.header and not advice and all_numbers(plan.names):
        advice = "all names are numbers; if the first line is a row, use --no-header"
    try:
        table = _text_table(path, plan, na)
    except (pa.ArrowException, OSError) as error:
        if titled:
            raise DataError(f"{path}: {advice}") from error
        _explain(path, plan, header=layout.header)
        raise DataError(f"{path}: not readable as CSV ({error})") from error
    own, kept, more = _named_columns(plan.names, table, replaced=replaced)
    if titled and not replaced and ("" in own or len(own) < 2):
        raise DataError(f"{path}: {advice}")
    if not own:
        raise DataError(f"{path}: no column has a name or a value; expected a header and rows")
    return table, own, kept, plan.notes + ((advice,) if advice else ()) + more


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
    whole = first_lines(path, file, layout.skip)
    lines = layout.below(whole)
    first = next((line for line in lines if line.strip()), "")
    if not first:
        below = f" below line {layout.skip}" if layout.skip else ""
        raise DataError(f"{path}: the file is empty{below}; expected a header and rows")
    first = next((line for line in lines if line.strip() and not is_comment(line)), first)
    usual = layout.sep or usual_separator(path)
    many = 1 + max(first.count(c) for c in {usual or sniffed(first), sniffed(first)})
    if many > _MOST_COLUMNS:
        raise DataError(f"{path}: more than {_MOST_COLUMNS:,} columns ({many:,}); keep fewer")
    some, is_part = start_of(whole, layout)
    sep = layout.sep or fields_by(path, some[lines.index(first) :] or [first], is_part=is_part)
    notes: tuple[str, ...] = ()
    if usual not in (None, sep):
        notes = (f"the separator of the fields is {sep!r}",)
    above, rows = without_comments(split_rows(lines, sep))
    if not rows:
        raise DataError(f"{path}: no names and no values in the first lines; expected a table")
    if above:
        notes += (f"left out {len(above)} line(s) at the top that start with #",)
    skip, header = rows[0]
    if not layout.header:
        header = [f"x{i}" for i in range(len(header))]
        skip = above[-1][0] if above else layout.skip
    elif len(rows) > 1 and len(rows[1][1]) == len(header) + 1:  # R: row labels have no name
        header = ["", *header]
    skipped = sum(map(len, whole[:skip]))  # pyarrow looks for them in the first block
    block = min(max(_LEAST_BLOCK, 64 * max(map(len, whole)), 8 * skipped), 1 << 30)
    used = [len(line.encode()) for line in lines[1:] if line.strip()]
    return _Plan(sep, header, skip, block, sum(used) / max(len(used), 1) or 1.0, notes)


def _named_columns(
    names: Sequence[str], table: pa.Table | BlockColumns, *, replaced: bool
) -> tuple[list[str], list[int], tuple[str, ...]]:
    """Return names and places of the columns to read, and what was left out.

    Columns without a name are left out if they have no values, or if the first one is a saved row
    index: all its entries differ, and other columns have names. If the user gives other names, all
    columns stay.
    """
    own = [name.strip() for name in names]
    bare = [place for place, name in enumerate(own) if not name]
    left_out, notes = [], []
    if table.num_rows and not replaced:
        left_out = [p for p in bare if table.column(p).null_count == table.num_rows]
    if left_out:
        notes.append(f"left out {len(left_out)} column(s) without a name and without values")
    may_be_index = not replaced and 0 in bare and bare[1:] == left_out and len(bare) < len(own)
    if may_be_index and _all_differ(table.column(0)):
        left_out = bare
        notes.append(
            "left out the first column: it has no name, and a different entry in every row"
        )
    gone = set(left_out)
    kept = [place for place in range(len(own)) if place not in gone]
    return [own[place] for place in kept], kept, tuple(notes)


def _all_differ(column: pa.ChunkedArray) -> bool:
    return len(column) > 1 and column.null_count == 0 and len(pc.unique(column)) == len(column)


def _text_table(path: Path, plan: _Plan, na: Iterable[str]) -> pa.Table | BlockColumns:
    """Read the rows as columns of text; those of a tall file block by block."""
    keys = [str(i) for i in range(len(plan.names))]
    text = pa.dictionary(pa.int32(), pa.string())
    how = (
        pyarrow.csv.ReadOptions(column_names=keys, skip_rows=plan.skip, block_size=plan.block),
        pyarrow.csv.ParseOptions(
            delimiter="\t" if plan.sep == " " else plan.sep, newlines_in_values=True
        ),
        pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(keys, text),
            strings_can_be_null=True,
            null_values=[
                pad + spelling for spelling in (*NULL_SPELLINGS, *na) for pad in ("", " ")
            ],
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
        for _ in range(plan.skip):
            file.readline()
        rows = enumerate(split_rows(file, plan.sep), 1 if header else 0)
        for number, (line, row) in rows:
            if number:
                widths.append(len(row))
            if len(row) != expected:
                ragged.append(f"row {number} (line {plan.skip + line}) has {len(row)}")
            if len(ragged) > 1_000:
                break
    if len(widths) > 1 and len(set(widths)) == 1 and ragged:
        line = plan.skip + (not header)
        cure = "; if no line has the names of the columns, also use --no-header" if header else ""
        raise DataError(
            f"{path}: line {line} has {expected} fields, but all below have {widths[0]}; "
            f"correct line {line}, or leave it out with --skip {line}{cure}"
        )
    if ragged:
        raise DataError(
            f"{path}: rows of different lengths: the header has {expected} fields, but "
            f"{listing(ragged, 5)}; correct these lines, or name another separator than "
            f"{plan.sep!r} (--sep)"
        )
