"""The border of `lsbn.data`: any table or file becomes columns of labelled states or of numbers.

Everything that knows about pandas, polars, Arrow, CSV or Parquet lives here, so that the coding
of states in `lsbn.data` sees one kind of input only.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TextIO

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

NULL_SPELLINGS = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL")
"""Fields of a CSV file that mean 'missing'. 'None' is not one: it is a common state name."""

_SEPARATORS = {".csv": ",", ".csv.gz": ",", ".tsv": "\t", ".tsv.gz": "\t"}
_PARQUET = (".parquet", ".pq")
_INTEGER = r"^-?(0|[1-9][0-9]*)$"
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$|^[+-]?([iI]nf|[iI]nfinity)$"
_ZERO_PADDED = r"^[+-]?0[0-9]"
_FINITE = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_EXACT = 2.0**53


class DataError(ValueError):
    """A table that cannot be used as it is; the message names the place and the cure."""


@dataclass(frozen=True)
class Column:
    """One column: codes into `labels` (-1 if missing), or numbers if `labels` is None.

    `time` is the numpy type of dates and durations, whose numbers count from `origin`.
    """

    name: str
    values: np.ndarray
    missing: np.ndarray | None = None
    labels: tuple[str, ...] | None = None
    time: str = ""
    origin: int = 0

    @property
    def present(self) -> np.ndarray:
        """The values that are not missing."""
        return self.values if self.missing is None else self.values[~self.missing]

    @cached_property
    def continuous(self) -> bool:
        """Whether these are times, fractions, or numbers too large to be counted as integers."""
        if self.labels is not None or self.values.dtype.kind != "f":
            return False
        values = self.present
        return bool(self.time) or bool(
            ((values != np.floor(values)) | (abs(values) > _EXACT)).any()
        )

    def rows(self, keep: np.ndarray) -> Column:
        """Keep some rows, none of them missing."""
        return Column(self.name, self.values[keep], None, self.labels, self.time, self.origin)


def listing(items: Iterable[str], limit: int = 10) -> str:
    """Join the first `limit` items with commas, then say how many were left out.

    >>> listing(["a", "b", "c"], limit=2)
    'a, b and 1 more'
    """
    items = list(items)
    more = f" and {len(items) - limit:,} more" if len(items) > limit else ""
    return ", ".join(items[:limit]) + more


def table_columns(
    table: Any, names: Sequence[Any] | None = None, source: str = "table"
) -> list[Column]:
    """Split a pandas, polars, pyarrow or numpy table into columns.

    Parameters
    ----------
    table : DataFrame, pyarrow.Table or 2-D array
        Anything narwhals reads, or an array of rows x columns.
    names : sequence, optional
        Names to use instead of the table's own.
    source : str
        What to call the table in error messages.
    """
    if isinstance(table, np.ndarray):
        if table.ndim != 2 or table.dtype.kind in "cV":
            found = f"{table.ndim}-D array of {table.dtype}"
            raise DataError(f"expected a 2-D array (rows x columns) of plain values, got a {found}")
        own: list[Any] = [f"x{i}" for i in range(table.shape[1])]
        columns: Iterator[Any] = _numpy_columns(table)
        n_rows = table.shape[0]
    elif isinstance(table, pa.Table):
        table = _without_index(table)
        own, n_rows = table.column_names, table.num_rows
        columns = (_combined(c) for c in table.columns)
    else:
        frame, own = _narwhals_frame(table)
        columns, n_rows = (_series_to_arrow(s) for s in frame.iter_columns()), len(frame)
    if names is not None and len(names) != len(own):
        raise DataError(f"names has {len(names)} entries for {len(own)} columns; give one for each")
    clean = check_names(own if names is None else list(names), source)
    check_shape(len(clean), n_rows, source)
    return _parsed(clean, columns)


def file_columns(path: str | os.PathLike[str], names: Sequence[Any] | None = None) -> list[Column]:
    """Read a .csv, .tsv (plain or .gz) or .parquet file into columns."""
    path = Path(path)
    lower = path.name.lower()
    suffix = next((s for s in (*_SEPARATORS, *_PARQUET) if lower.endswith(s)), None)
    if path.is_dir():
        raise DataError(f"{path} is a folder; give one .csv, .csv.gz, .tsv or .parquet file")
    if suffix is None:
        raise DataError(f"{path}: unknown kind of file; use .csv, .csv.gz, .tsv, .tsv.gz, .parquet")
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file")
    if path.stat().st_size == 0:
        raise DataError(f"{path}: the file is empty; expected a header and rows")
    if suffix in _PARQUET:
        try:
            with pyarrow.parquet.ParquetFile(path) as file:
                table = file.read()
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"{path}: not a readable Parquet file ({error})") from error
        return table_columns(table, names, str(path))
    return _read_csv(path, _SEPARATORS[suffix], names)


def check_names(names: Iterable[Any], source: str) -> tuple[str, ...]:
    """Turn column names into strings; refuse empty and repeated ones."""
    clean = ["" if _is_missing(n) else str(n) for n in names]
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
    twice = [f"{n!r} (columns {listing(at)})" for n, at in places.items() if len(at) > 1]
    if twice:
        raise DataError(f"{source}: duplicate column names: {listing(twice)}; rename or drop them")
    return tuple(clean)


def check_shape(n_columns: int, n_rows: int, source: str, hint: str = "") -> None:
    """Refuse tables without anything to learn from."""
    if n_columns == 0:
        raise DataError(f"{source}: no columns; at least two variables are needed")
    if n_rows == 0:
        raise DataError(f"{source}: no rows, only {n_columns:,} column name(s)")
    if n_columns == 1:
        raise DataError(f"{source}: a single column; at least two variables are needed{hint}")
    if n_rows == 1:
        raise DataError(f"{source}: a single row; at least two are needed to learn anything")


def _is_missing(value: Any) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or bool(value != value)


def _narwhals_frame(table: Any) -> tuple[nw.DataFrame[Any], list[Any]]:
    """Wrap a data frame; pandas columns get numbers, since narwhals refuses repeated names."""
    if nw.dependencies.is_pandas_like_dataframe(table):
        own = list(table.columns)
        table = table.set_axis(range(len(own)), axis=1)
    else:
        own = []
    try:
        frame = nw.from_native(table)
    except TypeError as error:
        kind = type(table).__name__
        raise DataError(
            f"cannot read a {kind} as a table; give a pandas, polars or pyarrow table, a 2-D numpy "
            "array, or a file to Dataset.read"
        ) from error
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    return frame, own or list(frame.columns)


def _numpy_columns(array: np.ndarray) -> Iterator[pa.Array]:
    mask = np.ma.getmaskarray(array).T if isinstance(array, np.ma.MaskedArray) else None
    columns = np.ascontiguousarray(np.ma.getdata(array).T)
    if columns.dtype.kind == "S":
        columns = np.char.decode(columns, "utf-8")
    for i, column in enumerate(columns):
        yield _values_to_arrow(column, None if mask is None else mask[i])


def _series_to_arrow(series: nw.Series[Any]) -> pa.Array:
    native = series.to_native()
    if isinstance(getattr(native, "dtype", None), pd.CategoricalDtype):
        codes = native.cat.codes.to_numpy()
        labels = pa.array([label_of(c) for c in native.cat.categories], pa.string())
        indices = pa.array(codes, mask=codes < 0)
        return pa.DictionaryArray.from_arrays(indices, labels, ordered=native.cat.ordered)
    try:
        array = _combined(series.to_arrow())
    except (pa.ArrowException, TypeError, NotImplementedError):
        return _values_to_arrow(series.to_numpy())
    if isinstance(array, pa.ExtensionArray):  # periods and intervals of pandas: states by name
        return pa.array([None if _is_missing(v) else str(v) for v in native], pa.string())
    return array


def _values_to_arrow(values: np.ndarray, mask: np.ndarray | None = None) -> pa.Array:
    """Convert one array; values of several types at once become their text."""
    try:
        return pa.array(values, mask=mask, from_pandas=True)
    except (pa.ArrowException, TypeError, OverflowError):
        if any(isinstance(v, list | dict | set | tuple | np.ndarray | complex) for v in values):
            return pa.array([[]] * len(values), pa.list_(pa.null()))
        gone = np.zeros(len(values), bool) if mask is None else mask
        pairs = zip(values, gone, strict=True)
        return pa.array([None if m or _is_missing(v) else label_of(v) for v, m in pairs])


def label_of(value: Any) -> str:
    """Text of one state; an integral float is written as an integer."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _combined(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Join chunks, giving them one dictionary."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    if pa.types.is_dictionary(column.type) and column.num_chunks > 1:
        column = column.unify_dictionaries()
    if column.num_chunks == 1:
        return column.chunk(0)
    combined = column.combine_chunks()
    return combined if isinstance(combined, pa.Array) else pa.concat_arrays(combined.chunks)


def _without_index(table: pa.Table) -> pa.Table:
    """Drop the columns in which pandas stored its row index."""
    stored = json.loads((table.schema.metadata or {}).get(b"pandas", b"{}"))
    index = {name for name in stored.get("index_columns", []) if isinstance(name, str)}
    keep = [i for i, name in enumerate(table.column_names) if name not in index]
    return table if len(keep) == table.num_columns else table.select(keep)


def _open_text(path: Path) -> TextIO:
    if path.name.lower().endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return open(path, encoding="utf-8-sig", newline="")


@contextmanager
def _file_errors(path: Path) -> Iterator[None]:
    """Say in plain words why a text file cannot be read."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 text ({error}); save the file as UTF-8") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"{path}: damaged or not gzip ({error}); write it again") from error
    except csv.Error as error:
        raise DataError(f"{path}: not readable as CSV ({error})") from error


def _read_csv(path: Path, separator: str, names: Sequence[Any] | None) -> list[Column]:
    """Read text columns with pyarrow, then find the numbers among them.

    pyarrow's own type inference is not used: it would turn '01' into 1 and 'true' into a boolean,
    and the state labels would no longer be those of the file.
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
    keys = [str(i) for i in range(len(header))]
    text = pa.dictionary(pa.int32(), pa.string())
    block = min(max(1 << 22, 64 * longest), 1 << 30)
    try:
        with pa.input_stream(str(path), compression="detect") as stream:
            table = pyarrow.csv.read_csv(
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
    except (pa.ArrowException, OSError) as error:
        _explain_csv(path, separator, len(header))
        raise DataError(f"{path}: not readable as CSV ({error})") from error
    other = next((c for c in ";\t,|" if c != separator and c in header[0]), None)
    hint = f" (the header contains {other!r}: is that the separator?)" if other else ""
    check_shape(len(clean), table.num_rows, str(path), hint)
    return _parsed(clean, (_numbers_in(_combined(c)) for c in table.columns))


def _explain_csv(path: Path, separator: str, expected: int) -> None:
    """Read again, slowly, to name the rows of the wrong length or the bytes that are not text."""
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


def _numbers_in(column: pa.DictionaryArray) -> pa.Array:
    """Give a text column its numeric type if every entry is a number.

    Zero-padded codes ('007') stay text, so that no two of them become one state.
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


def _parsed(names: Sequence[str], arrays: Iterable[pa.Array]) -> list[Column]:
    """Parse every column, then name all that hold no states."""
    parsed, nested = [], []
    for name, array in zip(names, arrays, strict=True):
        column = _parse(name, array)
        if column is None:
            nested.append(f"{name!r} ({array.type})")
        else:
            parsed.append(column)
    if nested:
        raise DataError(
            f"values that are not single states in {listing(nested)}; drop these columns, or turn "
            "each into columns of text or numbers"
        )
    return parsed


def _parse(name: str, column: pa.Array) -> Column | None:
    """Turn an Arrow column into codes or numbers; None for types that hold no states."""
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
        labels = [None if v is None else label_of(v) for v in values.to_pylist()]
        indices = column.indices
        if indices.null_count:
            indices = indices.cast(pa.int64()).fill_null(-1)
        return _states(name, indices.to_numpy(), labels, column.type.ordered)
    return _numbers(name, column)


def _states(
    name: str, codes: np.ndarray, labels: Sequence[str | None], ordered: bool = False
) -> Column:
    """Recode labelled values in the order of their labels; blank labels are missing."""
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
    """Sort by size if every label is a number, else as text.

    >>> _sorted_labels(["10", "9", "1"]), _sorted_labels(["10", "9", "1_1"])
    (['1', '9', '10'], ['10', '1_1', '9'])
    """
    if not all(_FINITE.fullmatch(label) for label in labels):
        return sorted(labels)
    return sorted(labels, key=lambda s: (float(s) if re.search("[.eE]", s) else int(s), s))


def _numbers(name: str, column: pa.Array) -> Column | None:
    """Take integers, floats, decimals, dates and durations as numbers."""
    kind, is_ = column.type, pa.types
    missing = column.is_null(nan_is_null=True).to_numpy(zero_copy_only=False)
    gap = missing if missing.any() else None
    if is_.is_integer(kind):
        return Column(name, column.fill_null(0).to_numpy(), gap)
    if is_.is_floating(kind) or is_.is_decimal(kind):
        return Column(name, column.cast(pa.float64()).to_numpy(zero_copy_only=False), gap)
    if not is_.is_temporal(kind) or is_.is_interval(kind):
        return None
    unit = {"day": "D", "ms": "ms"}[str(kind)[7:-1]] if is_.is_date(kind) else kind.unit
    clock = "datetime64" if is_.is_date(kind) or is_.is_timestamp(kind) else "timedelta64"
    ticks = column.view(pa.int32() if kind.bit_width == 32 else pa.int64())
    ticks = ticks.cast(pa.int64()).fill_null(0).to_numpy()
    origin = int(ticks[~missing].min()) if not missing.all() else 0
    values = np.where(missing, np.nan, (ticks - origin).astype(np.float64))
    return Column(name, values, gap, time=f"{clock}[{unit}]", origin=origin)
