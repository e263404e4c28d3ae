"""A table whose columns a run has in part: `impute` fills these, and keeps the others."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import pandas as pd
import pyarrow as pa
import pyarrow.parquet

from lsbn.answers.imputation import frame_of
from lsbn.answers.reading import Source, is_parquet
from lsbn.data.columns import Column, parse_columns
from lsbn.data.textfile import combined

__all__ = ["WholeTable"]


@dataclass(frozen=True, eq=False)
class WholeTable:
    """All columns of a table as a data frame.

    Attributes
    ----------
    frame : pandas.DataFrame
        In the columns of the run, values that mean 'missing' are None.
    places : tuple of int
        The places of the columns of the run.
    kinds : mapping of int to dtype
        The types of columns before such values became None.

    Examples
    --------
    >>> frame = pd.DataFrame({"list": [[1], [2]], "b": [1, -9], "a": ["x", "y"]})
    >>> whole = WholeTable.of(frame, ["a", "b"], ["-9"])
    >>> whole.columns.isna().to_numpy().tolist()
    [[False, False], [True, False]]
    >>> whole.filled(whole.columns.fillna({"b": 3})).to_numpy().tolist()
    [[[1], 1, 'x'], [[2], 3, 'y']]
    """

    frame: pd.DataFrame
    places: tuple[int, ...]
    kinds: Mapping[int, Any]

    @classmethod
    def of(
        cls, table: Any, names: Sequence[str], na: Sequence[str] = (), more: Sequence[str] = ()
    ) -> WholeTable:
        """Read a table or a file.

        Parameters
        ----------
        table : table as for `lsbn.Dataset.from_table`, or the path of a file
        names : sequence of str
            The columns of the run.
        na : sequence of str
            Values that mean 'missing' in these columns.
        more : sequence of str
            Columns of the run that the table need not have.
        """
        source = Source.of(table, names)
        columns = {column.name: column for column in source.read({*names, *more}, na)}
        if isinstance(source.table, pd.DataFrame):
            return cls._marked(source.table.copy(), columns)
        frame = pd.DataFrame(_all_series(source, columns))
        places = tuple(place for place, name in enumerate(frame) if name in columns)
        frame.columns = pd.Index(["" if name in source.unnamed else name for name in frame])
        return cls(frame, places, {})

    @classmethod
    def _marked(cls, frame: pd.DataFrame, columns: Mapping[str, Column]) -> WholeTable:
        """Put None where a value of a data frame means 'missing'."""
        places = tuple(p for p, name in enumerate(map(str, frame.columns)) if name in columns)
        kinds = {}
        for place in places:
            values, missing = frame.iloc[:, place], columns[str(frame.columns[place])].missing
            if missing is not None and (missing & values.notna().to_numpy()).any():
                kinds[place] = values.dtype
                frame.isetitem(place, values.astype(object).mask(missing, None))
        return cls(frame, places, kinds)

    @property
    def columns(self) -> pd.DataFrame:
        """The columns of the run."""
        return self.frame.iloc[:, list(self.places)]

    def filled(self, columns: pd.DataFrame) -> pd.DataFrame:
        """Return the table with other values in the columns of the run."""
        frame = self.frame.copy()
        for k, place in enumerate(self.places):
            values, kind = columns.iloc[:, k], self.kinds.get(place)
            if kind is not None and not isinstance(kind, pd.CategoricalDtype):
                values = _converted(values, kind)
            frame.isetitem(place, values)
        return frame


def _converted(values: pd.Series, kind: Any) -> pd.Series:
    """Return values in a type, or as they are if it does not hold them, such as intervals."""
    try:
        return values.astype(kind)
    except (TypeError, ValueError):
        return values


def _all_series(source: Source, columns: Mapping[str, Column]) -> dict[str, pd.Series]:
    """Return all columns of a table that is no data frame of pandas, in their order."""
    own = dict(frame_of([*columns.values()]).items())
    if (found := _arrow_table(source, own)) is not None:
        names, table = found
        return {n: own[n] if n in own else _arrow_series(n, table.column(n)) for n in names}
    others = None if source.names is None else set(source.names) - set(columns)
    rest = dict(frame_of(source.read(others)).items())
    return {name: own[name] if name in own else rest[name] for name in source.names or rest}


def _arrow_table(source: Source, known: Collection[str]) -> tuple[Sequence[str], pa.Table] | None:
    """Return names and columns of a table of Parquet, Arrow, polars and others.

    Columns that are known may be left out. None for text files, arrays and matrices.
    """
    table = source.table
    if isinstance(table, str | os.PathLike):
        if not is_parquet(table):
            return None
        with pyarrow.parquet.ParquetFile(table) as file:
            table = file.read()
    if isinstance(table, pa.Table):
        return table.column_names, table
    if source.names is None:
        return None
    rest = nw.from_native(table).select([n for n in source.names if n not in known])
    rest = rest.collect() if isinstance(rest, nw.LazyFrame) else rest
    return source.names, rest.to_arrow()


def _arrow_series(name: str, array: pa.ChunkedArray) -> pd.Series:
    """Return a column with its values, or a list and the like in each cell."""
    (column,) = parse_columns([name], [combined(array)])
    if column.nested:
        return pd.Series(array.to_pylist(), dtype=object)
    return frame_of([column])[name]
