"""Read any table or file into columns.

Only this module and its readers (`lsbn.data.textfile`, `lsbn.data.arff`) know pandas, polars,
Arrow, CSV and Parquet. The coding of states in `lsbn.data.coding` sees columns only.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
from scipy import sparse

from lsbn.data.annotated import annotated_matrix, dense_column, is_annotated, read_h5ad
from lsbn.data.arff import read_arff
from lsbn.data.columns import (
    Column,
    DataError,
    check_names,
    check_shape,
    is_missing,
    label_of,
    parse_columns,
    refuse_nested,
)
from lsbn.data.memory import require_memory
from lsbn.data.options import TableOptions
from lsbn.data.selection import chosen, with_na
from lsbn.data.stored import ParquetColumns, index_names, is_flat, is_large, stored_columns
from lsbn.data.textfile import SUFFIXES, combined, header_names, read_text
from lsbn.data.textlayout import TextLayout, suggested_layout

__all__ = ["file_columns", "file_layout", "layout_by_names", "table_columns"]

_PARQUET = (".parquet", ".pq")
_ANNDATA = ".h5ad"
KINDS = ".csv, .tsv, .txt, .data, .dat (each also with .gz), .arff, .parquet or .h5ad"
_TOO_WIDE = ("Int128", "UInt128")
"""Types of polars that numpy does not have."""


def table_columns(
    table: Any,
    options: TableOptions,
    names: Sequence[Any] | None = None,
    source: str = "table",
    *,
    to_learn: bool = True,
) -> list[Column]:
    """Split a pandas, polars, pyarrow or numpy table, or an AnnData object, into columns.

    Parameters
    ----------
    table : DataFrame, pyarrow.Table, 2-D array or AnnData
        Anything that narwhals reads, or an array of rows x columns.
    options : TableOptions
        Its ``drop``, ``keep`` and ``na`` are used here.
    names : sequence, optional
        Names to use instead of the table's own.
    source : str
        The name of the table in error messages.
    to_learn : bool
        Refuse a table of a single row or a single column, from which nothing can be learned.

    Returns
    -------
    list of Column

    Raises
    ------
    DataError
        If the table, its names or its values cannot be used.
    """
    table, own, n_rows = _known_table(table)
    if names is not None and len(names) != len(own):
        raise DataError(f"names has {len(names)} entries for {len(own)} columns; give one for each")
    clean = check_names(own if names is None else list(names), source, options.uses)
    places = chosen(clean, options)
    if to_learn or not places or not n_rows:
        check_shape(len(places), n_rows, source)
    left = [clean[place] for place in places]
    if isinstance(table, ParquetColumns) or (sparse.issparse(table) and is_large(*table.shape)):
        return stored_columns(left, places, partial(_arrow_column, table), options.na)
    parsed = parse_columns(left, _arrow_columns(table, places, left))
    if not to_learn:
        refuse_nested(parsed)
    return [with_na(column, options.na) for column in parsed]


def _known_table(table: Any) -> tuple[Any, list[Any], int]:
    """Return a table in one of the forms that `_arrow_column` takes, its names and its rows."""
    own: list[Any] = []
    if is_annotated(table):
        table, own = annotated_matrix(table)
    if isinstance(table, np.ndarray):
        if table.ndim != 2 or table.dtype.kind in "cV":
            found = f"{table.ndim}-D array of {table.dtype}"
            raise DataError(f"expected a 2-D array (rows x columns) of plain values, got a {found}")
        return table, own or [f"x{i}" for i in range(table.shape[1])], table.shape[0]
    if own:
        return table, own, table.shape[0]
    if isinstance(table, pa.Table):
        table = _without_index(table)
    if isinstance(table, pa.Table | ParquetColumns):
        return table, table.column_names, table.num_rows
    table, own = _narwhals_frame(table)
    return list(table.iter_columns()), own, len(table)


def file_columns(
    path: str | os.PathLike[str],
    options: TableOptions,
    names: Sequence[Any] | None = None,
    layout: TextLayout | None = None,
    *,
    to_learn: bool = True,
) -> tuple[list[Column], tuple[str, ...]]:
    """Read a text file (.csv, .tsv, .txt, .data, .dat, also .gz), .arff, .parquet or .h5ad.

    Parameters
    ----------
    path : str or path
    options : TableOptions
        Its ``drop``, ``keep`` and ``na`` are used here.
    names : sequence, optional
        Names to use instead of those in the file.
    layout : TextLayout, optional
        Separator, header and lines above the table of a text file.
    to_learn : bool
        As for `table_columns`.

    Returns
    -------
    columns : list of Column
    notes : tuple of str
        What was guessed of a text file.

    Raises
    ------
    DataError
        If the file is not such a table.
    FileNotFoundError
        If there is no such file.
    """
    path, suffix = _known_file(path)
    if suffix in SUFFIXES:
        return read_text(path, options, names, layout or TextLayout(), to_learn=to_learn)
    read = {".arff": read_arff, _ANNDATA: read_h5ad}.get(suffix, _parquet_table)
    return table_columns(read(path), options, names, str(path), to_learn=to_learn), ()


def file_layout(path: str | os.PathLike[str], layout: TextLayout) -> tuple[TextLayout, str]:
    """Find lines above the table of a text file, and a missing header.

    See `lsbn.data.textlayout.suggested_layout`; of other files, the given layout is returned.
    """
    path, suffix = _known_file(path)
    return suggested_layout(path, layout) if suffix in SUFFIXES else (layout, "")


def layout_by_names(path: str | os.PathLike[str], names: Sequence[str]) -> TextLayout:
    """Find the layout of a text file whose columns are known.

    A line with the names, of which one may be missing, is the header. Columns that are called x0,
    x1, ... come from a file without a header, so no other line is their header.
    """
    path, suffix = _known_file(path)
    if suffix not in SUFFIXES:
        return TextLayout()
    unnamed = all(re.fullmatch("x[0-9]+", name) for name in names)
    skip = suggested_layout(path, TextLayout(header=not unnamed))[0].skip
    for layout in (TextLayout(skip=above) for above in sorted({0, skip})):
        found = set(header_names(path, layout)).intersection(names)
        if len(found) >= max(1, len(names) - 1):
            return layout
    return TextLayout(header=not unnamed, skip=skip)


def _known_file(path: str | os.PathLike[str]) -> tuple[Path, str]:
    """Return the path and the ending of a file that is there and is not empty."""
    path = Path(path)
    lower = path.name.lower()
    suffix = next((s for s in (*SUFFIXES, *_PARQUET, ".arff", _ANNDATA) if lower.endswith(s)), None)
    if path.is_dir():
        raise DataError(f"{path} is a folder; give one file: {KINDS}")
    if suffix is None:
        raise DataError(f"{path}: unknown kind of file; use {KINDS}")
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file")
    if not path.is_file():
        raise DataError(f"{path} is no ordinary file; save the table to a file first")
    if path.stat().st_size == 0:
        raise DataError(f"{path}: the file is empty; expected a header and rows")
    return path, suffix


def _parquet_table(path: Path) -> pa.Table | ParquetColumns:
    """Read a Parquet file, or a large one column by column, when it is coded."""
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            shape, schema = file.metadata, file.schema_arrow
            if is_large(shape.num_rows, shape.num_columns) and is_flat(schema):
                return ParquetColumns(path)
            require_memory(shape.num_rows * shape.num_columns, str(path))
            return file.read()
    except DataError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise DataError(f"{path}: not a readable Parquet file ({error})") from error


def _arrow_columns(table: Any, places: list[int], names: list[str]) -> Iterator[pa.Array]:
    """Yield some of the columns of a table as Arrow arrays."""
    for place, name in zip(places, names, strict=True):
        try:
            yield _arrow_column(table, place)
        except UnicodeError as error:
            raise DataError(
                f"text that is not Unicode in column {name!r} ({error}); write the column again "
                "with the right encoding, or drop it"
            ) from error


def _arrow_column(table: Any, place: int) -> pa.Array:
    if isinstance(table, pa.Table | ParquetColumns):
        return combined(table.column(place))
    if isinstance(table, np.ndarray):
        return _numpy_column(table[:, place])
    if sparse.issparse(table):
        return _numpy_column(dense_column(table, place))
    return _series_to_arrow(table[place])


def _narwhals_frame(table: Any) -> tuple[nw.DataFrame[Any], list[Any]]:
    """Wrap a data frame and return it with its names.

    narwhals refuses repeated names, so columns of pandas are numbered first.
    """
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


def _numpy_column(values: np.ndarray) -> pa.Array:
    mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    column = np.ascontiguousarray(np.ma.getdata(values))
    if column.dtype.kind == "S":
        column = np.char.decode(column, "utf-8")
    return _values_to_arrow(column, mask)


def _series_to_arrow(series: nw.Series[Any]) -> pa.Array:
    native = series.to_native()
    if isinstance(getattr(native, "dtype", None), pd.CategoricalDtype):
        codes = native.cat.codes.to_numpy()
        labels = pa.array([label_of(c) for c in native.cat.categories], pa.string())
        indices = pa.array(codes, mask=codes < 0)
        return pa.DictionaryArray.from_arrays(indices, labels, ordered=native.cat.ordered)
    if str(series.dtype) in _TOO_WIDE:
        return _values_to_arrow(np.array(series.to_list(), dtype=object))
    try:
        array = combined(series.to_arrow())
    except (pa.ArrowException, TypeError, NotImplementedError, OverflowError):
        return _values_to_arrow(series.to_numpy())
    if isinstance(array, pa.ExtensionArray):  # periods and intervals of pandas: states by name
        return pa.array([None if is_missing(v) else str(v) for v in native], pa.string())
    return array


def _values_to_arrow(values: np.ndarray, mask: np.ndarray | None = None) -> pa.Array:
    """Convert one array; values of several types become text."""
    try:
        return pa.array(values, mask=mask, from_pandas=True)
    except (pa.ArrowException, TypeError, OverflowError):
        if any(isinstance(v, list | dict | set | tuple | np.ndarray | complex) for v in values):
            return pa.array([[]] * len(values), pa.list_(pa.null()))
        gone = np.zeros(len(values), bool) if mask is None else mask
        pairs = zip(values, gone, strict=True)
        return pa.array([None if m or is_missing(v) else label_of(v) for v, m in pairs])


def _without_index(table: pa.Table) -> pa.Table:
    """Drop the columns in which pandas stored its row index."""
    index = index_names(table.schema)
    keep = [i for i, name in enumerate(table.column_names) if name not in index]
    return table if len(keep) == table.num_columns else table.select(keep)
