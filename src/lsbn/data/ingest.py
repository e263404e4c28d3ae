"""Read any table or file into columns.

Only this module and `lsbn.data.textfile` know pandas, polars, Arrow, CSV and Parquet. The coding of
states in `lsbn.data.dataset` sees columns only.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet

from lsbn.data.columns import (
    Column,
    DataError,
    check_names,
    check_shape,
    is_missing,
    label_of,
    parse_columns,
)
from lsbn.data.textfile import SEPARATORS, combined, read_csv

__all__ = ["file_columns", "table_columns"]

_PARQUET = (".parquet", ".pq")


def table_columns(
    table: Any,
    names: Sequence[Any] | None = None,
    source: str = "table",
    *,
    to_learn: bool = True,
) -> list[Column]:
    """Split a pandas, polars, pyarrow or numpy table into columns.

    Parameters
    ----------
    table : DataFrame, pyarrow.Table or 2-D array
        Anything that narwhals reads, or an array of rows x columns.
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
        columns = (combined(c) for c in table.columns)
    else:
        frame, own = _narwhals_frame(table)
        columns, n_rows = (_series_to_arrow(s) for s in frame.iter_columns()), len(frame)
    if names is not None and len(names) != len(own):
        raise DataError(f"names has {len(names)} entries for {len(own)} columns; give one for each")
    clean = check_names(own if names is None else list(names), source)
    if to_learn or not clean or not n_rows:
        check_shape(len(clean), n_rows, source)
    return parse_columns(clean, columns)


def file_columns(
    path: str | os.PathLike[str], names: Sequence[Any] | None = None, *, to_learn: bool = True
) -> list[Column]:
    """Read a .csv, .tsv (plain or .gz) or .parquet file into columns.

    Parameters
    ----------
    path : str or path
    names : sequence, optional
        Names to use instead of those in the file.
    to_learn : bool
        As for `table_columns`.

    Returns
    -------
    list of Column

    Raises
    ------
    DataError
        If the file is not such a table.
    FileNotFoundError
        If there is no such file.
    """
    path = Path(path)
    lower = path.name.lower()
    suffix = next((s for s in (*SEPARATORS, *_PARQUET) if lower.endswith(s)), None)
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
        return table_columns(table, names, str(path), to_learn=to_learn)
    return read_csv(path, SEPARATORS[suffix], names, to_learn)


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
        array = combined(series.to_arrow())
    except (pa.ArrowException, TypeError, NotImplementedError):
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
    stored = json.loads((table.schema.metadata or {}).get(b"pandas", b"{}"))
    index = {name for name in stored.get("index_columns", []) if isinstance(name, str)}
    keep = [i for i, name in enumerate(table.column_names) if name not in index]
    return table if len(keep) == table.num_columns else table.select(keep)
