"""Read the columns of a table that a run has.

The other columns are not read, so nothing that they hold is an error. Values that meant 'missing'
in the table of the fit mean it here too.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet

from lsbn.data import Dataset
from lsbn.data.annotated import is_annotated
from lsbn.data.columns import Column
from lsbn.data.ingest import file_columns, layout_by_names, table_columns
from lsbn.data.options import TableOptions
from lsbn.data.stored import index_names
from lsbn.data.textfile import SUFFIXES, header_names

__all__ = ["Source", "is_parquet", "read_columns"]


def read_columns(
    table: Any,
    names: Sequence[str],
    *,
    na: Iterable[str] = (),
    without: str | None = None,
    more: Iterable[str] = (),
) -> list[Column]:
    """Read those columns of a table or a file that a run has.

    Parameters
    ----------
    table : table as for `lsbn.Dataset.from_table`, or the path of a file
    names : sequence of str
        The columns of the run. Those that the table does not have are left out.
    na : iterable of str
        Values that mean 'missing', as for `lsbn.Dataset.from_table`.
    without : str, optional
        One of the names, whose column is not read.
    more : iterable of str
        Columns that the table need not have.

    Returns
    -------
    list of Column
        In the order of the table.

    Examples
    --------
    >>> frame = pd.DataFrame({"b": [1, -9], "nested": [[1], [2]], "a": ["x", "y"]})
    >>> [(column.name, column.missing) for column in read_columns(frame, ["a", "b"], na=["-9"])]
    [('b', array([False,  True])), ('a', None)]
    """
    return Source.of(table, names).read({*names, *more} - {without}, na)


@dataclass(frozen=True, eq=False)
class Source:
    """A table or a file, and the names of its columns.

    Attributes
    ----------
    table : table, str or path
    run : tuple of str
        The columns of the run.
    names : tuple of str or None
        The names of all columns, in their order. None if only the reader of the table finds them;
        such tables have no columns that cannot be read.
    unnamed : frozenset of str
        Those among the names that stand for columns of a text file without a name.
    """

    table: Any
    run: tuple[str, ...]
    names: tuple[str, ...] | None
    unnamed: frozenset[str] = frozenset()

    @classmethod
    def of(cls, table: Any, run: Sequence[str]) -> Source:
        """Find the names of a table."""
        if isinstance(table, Dataset):
            table = _frame_with_gaps(table)
        if not isinstance(table, str | os.PathLike):
            return cls(table, tuple(run), _names_in_memory(table))
        layout = layout_by_names(table, run)
        if not os.fspath(table).lower().endswith(SUFFIXES):
            return cls(table, tuple(run), _names_in_parquet(table))
        header = header_names(Path(table), layout)
        names = tuple(name or f"(column {place})" for place, name in enumerate(header, 1))
        return cls(table, tuple(run), names, frozenset(set(names) - set(header)))

    def read(self, wanted: Collection[str] | None, na: Iterable[str] = ()) -> list[Column]:
        """Read the wanted columns, or all; ``na`` are values that mean 'missing'."""
        if wanted is None or self.names is None:
            columns = self._columns(TableOptions(na=na))
            return [each for each in columns if wanted is None or each.name in wanted]
        kept = [name for name in self.names if name in wanted]
        rest = [name for name in self.names if name not in wanted]
        if not kept:
            return []
        if isinstance(self.table, pd.DataFrame):  # its other names may repeat, or be empty
            part = self.table.loc[:, [name in wanted for name in self.names]]
            return table_columns(part, TableOptions(na=na), to_learn=False)
        if len(kept) < len(rest):
            return self._columns(TableOptions(keep=kept, na=na))
        return self._columns(TableOptions(drop=rest, na=na))

    def _columns(self, options: TableOptions) -> list[Column]:
        """Read the columns that the options leave."""
        table, names = self.table, self.names if self.unnamed else None
        if isinstance(table, str | os.PathLike):
            layout = layout_by_names(table, self.run)
            return file_columns(table, options, names, layout, to_learn=False)[0]
        if isinstance(table, np.ndarray) and table.ndim == 2 and table.shape[1] == len(self.run):
            names = self.run
        return table_columns(table, options, names, to_learn=False)


def _names_in_memory(table: Any) -> tuple[str, ...] | None:
    """Return the names of the columns of a data frame, None for other tables."""
    if isinstance(table, np.ndarray) or is_annotated(table):
        return None
    if isinstance(table, pa.Table):
        return _without_index(table.schema)
    if nw.dependencies.is_pandas_like_dataframe(table):
        return tuple(map(str, table.columns))
    with suppress(TypeError):  # no table: the reader says so
        return tuple(nw.from_native(table).collect_schema().names())
    return None


def is_parquet(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is one of Parquet, by its name."""
    return os.fspath(path).lower().endswith((".parquet", ".pq"))


def _names_in_parquet(path: str | os.PathLike[str]) -> tuple[str, ...] | None:
    """Return the names of the columns of a Parquet file, None for other files."""
    if not is_parquet(path):
        return None
    try:
        schema = pyarrow.parquet.read_schema(path)
    except (pa.ArrowException, OSError, ValueError):  # not readable: the reader says why
        return None
    return _without_index(schema)


def _without_index(schema: pa.Schema) -> tuple[str, ...]:
    """Return the names of columns without those in which pandas stored its row index."""
    index = index_names(schema)
    return tuple(name for name in schema.names if name not in index)


def _frame_with_gaps(dataset: Dataset) -> pd.DataFrame:
    """Return a dataset as a data frame whose gaps are missing values."""
    frame = dataset.to_pandas()
    return frame if dataset.gaps is None else frame.mask(dataset.gaps.T)
