"""Read CSV and TSV files into columns."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from lsbn.data.columns import Column, DataError, check_names, check_shape, listing, parse_columns

__all__ = ["NULL_SPELLINGS", "SEPARATORS", "combined", "read_csv"]

NULL_SPELLINGS = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL")
"""Fields of a text file that mean 'missing'. 'None' is a common state name, so it is not here."""

SEPARATORS = {".csv": ",", ".csv.gz": ",", ".tsv": "\t", ".tsv.gz": "\t"}
"""The separator of the fields for each ending of a file's name."""

_INTEGER = r"^-?(0|[1-9][0-9]*)$"
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$|^[+-]?([iI]nf|[iI]nfinity)$"
_ZERO_PADDED = r"^[+-]?0[0-9]"


def read_csv(
    path: Path, separator: str, names: Sequence[Any] | None = None, to_learn: bool = True
) -> list[Column]:
    """Read a text file with pyarrow, then find the columns of numbers.

    Parameters
    ----------
    path : Path
        A UTF-8 file with a header, plain or compressed by gzip.
    separator : str
        The character between two fields.
    names : sequence, optional
        Names to use instead of those in the header.

    Returns
    -------
    list of Column

    Raises
    ------
    DataError
        If the file is no such table; the message names the lines.

    Notes
    -----
    The type inference of pyarrow is not used. It turns '01' into 1 and 'true' into a boolean, so
    the state labels would differ from the text of the file.
    """
    with _file_errors(path), _open_text(path) as file:
        reader = csv.reader(file, delimiter=separator)
        skip, header = next(((i, row) for i, row in enumerate(reader, 1) if row), (0, []))
        longest = max((len(line) for _, line in zip(range(20), file, strict=False)), default=0)
    if not header:
        raise DataError(f"{path}: the file is empty; expected a header and rows")
    if names is not None and len(names) != len(header):
        raise DataError(f"names has {len(names)} entries for {len(header)} columns of {path}")
    clean = check_names(header if names is None else list(names), str(path))
    block = min(max(1 << 22, 64 * longest), 1 << 30)
    try:
        table = _text_table(path, separator, len(header), skip, block)
    except (pa.ArrowException, OSError) as error:
        _explain_csv(path, separator, len(header))
        raise DataError(f"{path}: not readable as CSV ({error})") from error
    other = next((c for c in ";\t,|" if c != separator and c in header[0]), None)
    hint = f" (the header contains {other!r}: is that the separator?)" if other else ""
    if to_learn or not clean or not table.num_rows:
        check_shape(len(clean), table.num_rows, str(path), hint)
    return parse_columns(clean, (_with_numbers(combined(c)) for c in table.columns))


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


def _text_table(path: Path, separator: str, width: int, skip: int, block: int) -> pa.Table:
    """Read `width` columns of text after `skip` lines, `block` bytes at a time."""
    keys = [str(i) for i in range(width)]
    text = pa.dictionary(pa.int32(), pa.string())
    with pa.input_stream(str(path), compression="detect") as stream:
        return pyarrow.csv.read_csv(
            stream,
            pyarrow.csv.ReadOptions(
                column_names=keys, skip_rows_after_names=skip, block_size=block
            ),
            pyarrow.csv.ParseOptions(delimiter=separator, newlines_in_values=True),
            pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(keys, text),
                strings_can_be_null=True,
                null_values=list(NULL_SPELLINGS),
            ),
        )


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


def _explain_csv(path: Path, separator: str, expected: int) -> None:
    """Read the file again, row by row, and name the rows of the wrong length."""
    ragged = []
    with _file_errors(path), _open_text(path) as file:
        reader = csv.reader(file, delimiter=separator)
        for number, row in enumerate(row for row in reader if row):
            if len(row) != expected:
                ragged.append(f"row {number} (line {reader.line_num}) has {len(row)}")
    if ragged:
        raise DataError(
            f"{path}: rows of different lengths: the header has {expected} fields, but "
            f"{listing(ragged, 5)}; correct these lines"
        )


def _with_numbers(column: pa.DictionaryArray) -> pa.Array:
    """Give a text column a numeric type if every entry is a number.

    Zero-padded codes ('007') stay text: as numbers, '07' and '007' would become one state.
    """
    labels = column.dictionary
    if len(labels) == 0 or not re.match(_NUMBER, labels[0].as_py()):
        return column
    if _all_match(labels, _INTEGER):
        try:
            return labels.cast(pa.int64()).take(column.indices)
        except pa.ArrowInvalid:  # identifiers longer than 64 bits
            return column
    if not _all_match(labels, _NUMBER) or pc.any(_match(labels, _ZERO_PADDED)).as_py():
        return column
    numbers = np.array([float(v) for v in labels.to_pylist()])
    return pa.array(numbers).take(column.indices) if np.isfinite(numbers).any() else column


def _match(labels: pa.Array, pattern: str) -> pa.Array:
    return pc.match_substring_regex(labels, pattern=pattern)


def _all_match(labels: pa.Array, pattern: str) -> bool:
    return pc.all(_match(labels, pattern)).as_py()
