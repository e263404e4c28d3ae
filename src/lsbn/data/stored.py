"""Columns that stay where they are, in a file or a sparse matrix, until they are coded.

A tall table of numbers has eight bytes in each cell, and its codes have one. So the columns of a
large table are read one after the other: first to see what they are, then to code them. Only the
places of missing values and the names of states are kept in between.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from lsbn.data.columns import Column, DataError, parse_columns, refuse_nested
from lsbn.data.memory import require_memory
from lsbn.data.selection import with_na

__all__ = [
    "ParquetColumns",
    "StoredColumn",
    "index_names",
    "is_flat",
    "is_large",
    "stored_columns",
]

LARGE, TALL = 10_000_000, 50_000
"""Tables with more cells, and more rows, are read column by column."""
BYTES_PER_CELL = 4
"""Memory of one cell while such a table is read: its code twice, and its column in between."""


def is_large(n_rows: int, n_columns: int) -> bool:
    """Return whether the columns of a table should be read one after the other."""
    return n_rows > TALL and n_rows * n_columns > LARGE


def is_flat(schema: pa.Schema) -> bool:
    """Return whether each column can be read by its name alone."""
    nested = any(pa.types.is_nested(kind) for kind in schema.types)
    return not nested and len(set(schema.names)) == len(schema.names)


def index_names(schema: pa.Schema) -> set[str]:
    """Return the names of the columns in which pandas stored its row index."""
    try:
        stored = json.loads((schema.metadata or {}).get(b"pandas", b"{}"))
        return {name for name in stored.get("index_columns", []) if isinstance(name, str)}
    except (ValueError, TypeError, AttributeError, RecursionError):  # not written by pandas
        return set()


class ParquetColumns:
    """The columns of a Parquet file, which is open as long as this object exists.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path) -> None:
        self._path, self._file = path, pyarrow.parquet.ParquetFile(path)
        index = index_names(self._file.schema_arrow)
        self.column_names = [name for name in self._file.schema_arrow.names if name not in index]
        self.num_rows: int = self._file.metadata.num_rows
        cells = self.num_rows * len(self.column_names)
        require_memory(cells, str(path), bytes_per_cell=BYTES_PER_CELL)

    def column(self, place: int) -> pa.ChunkedArray:
        """Read one column."""
        try:
            return self._file.read(columns=[self.column_names[place]]).column(0)
        except (pa.ArrowException, OSError, ValueError, KeyError) as error:
            name = self.column_names[place]
            raise DataError(f"{self._path}: column {name!r} is not readable ({error})") from error


class StoredColumn(Column):
    """A `Column` whose values are read when they are used.

    Parameters
    ----------
    load : callable
        Returns the column.
    first : Column
        The column, from which all but the values is kept.
    keep : numpy.ndarray of bool, optional
        The rows that are left; no value in these rows may be missing.
    """

    def __init__(
        self, load: Callable[[], Column], first: Column, keep: np.ndarray | None = None
    ) -> None:
        kept: dict[str, Any] = {"load": load, "keep": keep, "name": first.name}
        kept |= {"labels": first.labels, "time": first.time, "zone": first.zone}
        kept["missing"] = first.missing if keep is None else None
        vars(self).update(kept)

    @property
    def whole(self) -> Column:
        """The column with its values."""
        column: Column = vars(self)["load"]()
        keep = vars(self)["keep"]
        return column if keep is None else column.rows(keep)

    @property
    def values(self) -> np.ndarray:  # type: ignore[override]
        """Codes into the labels, or numbers."""
        return self.whole.values

    @property
    def continuous(self) -> bool:  # type: ignore[override]
        """Whether the values are times, fractions, or too large for exact integers."""
        return self.whole.continuous

    def rows(self, keep: np.ndarray) -> Column:
        """Return the column with the rows of a mask."""
        return StoredColumn(vars(self)["load"], self, keep)


class _Reader:
    """Reads and parses columns; the last one is kept, because it is used several times."""

    def __init__(self, array: Callable[[int], pa.Array], na: Iterable[str]) -> None:
        self._array, self._na = array, na
        self._last: tuple[int, Column] | None = None

    def column(self, place: int, name: str) -> Column:
        if self._last is None or self._last[0] != place:
            self._last = None  # so that only one column is in memory
            (parsed,) = parse_columns([name], [self._array(place)])
            refuse_nested([parsed])
            self._last = place, with_na(parsed, self._na)
        return self._last[1]


def stored_columns(
    names: Sequence[str],
    places: Sequence[int],
    array: Callable[[int], pa.Array],
    na: Iterable[str],
) -> list[Column]:
    """Return columns that are read when they are used.

    Parameters
    ----------
    names : sequence of str
        Names of the columns.
    places : sequence of int
        Their places in the table.
    array : callable
        Reads the column at a place.
    na : iterable of str
        Values that mean 'missing'.
    """
    reader = _Reader(array, na)
    loads = [partial(reader.column, *column) for column in zip(places, names, strict=True)]
    return [StoredColumn(load, load()) for load in loads]
