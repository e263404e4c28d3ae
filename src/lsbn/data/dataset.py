"""Dataset: a table as integer codes, cardinalities and state names.

All algorithms of lsbn count rows of a `Dataset`; none of them reads the table again. The codes are
therefore stored variable by variable, in the narrowest integer type. The coding depends on the
values only. The order of the rows and the format of the table do not matter.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from lsbn.data.columns import Column, DataError, listing
from lsbn.data.discretize import Cut, intervals, observed_codes
from lsbn.data.ingest import file_columns, table_columns
from lsbn.data.options import TableOptions

__all__ = ["Dataset"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Discrete data, variable by variable.

    `from_table` and `read` make one.

    Attributes
    ----------
    codes : ndarray of uint8 or uint16, (n_variables, n_rows)
        ``codes[v, r]`` is the state of variable v in row r. uint16 only if a variable has more
        than 256 states.
    cards : ndarray of int64, (n_variables,)
        Number of observed states of each variable.
    names : tuple of str
        Names of the variables.
    states : tuple of tuple of str
        ``states[v][c]`` is the label of code c of variable v.
    notes : tuple of str
        Changes of the table: dropped rows, discretised columns, columns with a single state.
    cuts : tuple of Cut or None
        How the numbers of each variable were cut into states; empty if none were.

    Examples
    --------
    >>> import pandas as pd
    >>> data = Dataset.from_table(pd.DataFrame({"rain": ["no", "yes"], "dice": [6, 1]}))
    >>> data.states
    (('no', 'yes'), ('1', '6'))
    >>> data.codes
    array([[0, 1],
           [1, 0]], dtype=uint8)
    """

    codes: np.ndarray
    cards: np.ndarray
    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    cuts: tuple[Cut | None, ...] = ()

    def __post_init__(self) -> None:
        n = len(self.names)
        if self.codes.ndim != 2 or not len(self.codes) == len(self.cards) == len(self.states) == n:
            raise DataError("codes, cards, names and states must describe the same variables")

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return self.codes.shape[0]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.codes.shape[1]

    @cached_property
    def bits(self) -> tuple[np.ndarray, np.ndarray]:
        """Bit columns ``(words, offsets)``, one per state; see `lsbn.kernels.bits.bit_columns`."""
        from lsbn.kernels.bits import bit_columns

        return bit_columns(self.codes, self.cards)

    @classmethod
    def from_table(
        cls,
        table: Any,
        *,
        discretize: str | None = None,
        bins: int = 5,
        missing: str = "error",
        max_states: int = 64,
        names: Sequence[Any] | None = None,
    ) -> Dataset:
        """Code a table held in memory.

        Parameters
        ----------
        table : pandas, polars or pyarrow table, 2-D numpy array, or Dataset
            Rows are observations, columns are variables. Row indices of pandas are ignored. A
            Dataset is returned unchanged.
        discretize : {None, "quantile", "uniform", "kmeans"}
            How to cut continuous columns (floats with a fractional part, dates, durations) and
            integer columns of more than `max_states` values into intervals. With None such columns
            are an error. A column with at most `bins` values keeps each value as a state.
        bins : int
            Number of intervals; equal values may leave fewer.
        missing : {"error", "drop", "state"}
            What to do with missing values (None, NaN, NaT, blank text): raise an error, drop the
            row, or make them the last state of the column, ``(missing)``.
        max_states : int
            A column with more states is an error. Such a column is often an identifier, and its
            counts would be almost all zero.
        names : sequence, optional
            Names to use instead of the table's own. Columns of an array are called x0, x1, ...

        Returns
        -------
        Dataset

        Raises
        ------
        DataError
            If the table cannot be used. The message names the columns and the remedy.

        Notes
        -----
        States are ordered by value: False before True, numbers by size, ordered categories as
        declared. Other labels are ordered by size if all of them are numbers, else alphabetically.
        Floats without fractional part are integers: 1.0 is labelled "1".

        Examples
        --------
        >>> data = Dataset.from_table(
        ...     np.array([[0.1, 1], [0.2, 1], [0.3, 2], [0.4, 2]]), discretize="quantile", bins=2
        ... )
        >>> data.states
        (('[0.1, 0.2]', '(0.2, 0.4]'), ('1', '2'))
        """
        options = TableOptions(discretize, bins, missing, max_states)
        if isinstance(table, Dataset):
            return table
        return _coded_table(table_columns(table, names), options)

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        *,
        discretize: str | None = None,
        bins: int = 5,
        missing: str = "error",
        max_states: int = 64,
        names: Sequence[Any] | None = None,
    ) -> Dataset:
        """Code a .csv, .csv.gz, .tsv, .tsv.gz or .parquet file.

        Parameters
        ----------
        path : str or path
            A text file must be UTF-8 with a header.
        discretize, bins, missing, max_states, names
            As for `from_table`.

        Returns
        -------
        Dataset

        Notes
        -----
        A column of a text file is numeric if all its entries are numbers without padding zeros.
        All other labels stay as they are in the file. Missing values are empty fields and NA, N/A,
        n/a, #N/A, <NA>, NaN, nan, null, NULL, quoted or not.
        """
        options = TableOptions(discretize, bins, missing, max_states)
        return _coded_table(file_columns(path, names), options)

    def select(self, variables: Iterable[int | str]) -> Dataset:
        """Return a dataset with some of the variables.

        Parameters
        ----------
        variables : iterable of int or str
            Indices or names, in the order of the result; each variable at most once.

        Returns
        -------
        Dataset
            Without notes.
        """
        place = {name: v for v, name in enumerate(self.names)}
        asked = list(variables)
        unknown = [repr(v) for v in asked if isinstance(v, str) and v not in place]
        if unknown:
            raise DataError(f"unknown variables: {listing(unknown)}; see Dataset.names")
        index = np.array([place[v] if isinstance(v, str) else int(v) for v in asked], np.int64)
        outside = [str(v) for v in index if not -self.n_variables <= v < self.n_variables]
        if outside:
            raise DataError(f"no variable {listing(outside)}: there are {self.n_variables}")
        index %= max(self.n_variables, 1)
        if len(np.unique(index)) < len(index) or not len(index):
            raise DataError("select needs at least one variable, and each only once")
        return Dataset(
            np.ascontiguousarray(self.codes[index]),
            self.cards[index],
            tuple(self.names[v] for v in index),
            tuple(self.states[v] for v in index),
            cuts=tuple(self.cuts[v] for v in index) if self.cuts else (),
        )

    def to_pandas(self) -> pd.DataFrame:
        """Return a DataFrame of unordered categoricals with the state labels."""
        columns = {
            name: pd.Categorical.from_codes(codes.astype(np.int32), categories=list(labels))
            for name, codes, labels in zip(self.names, self.codes, self.states, strict=True)
        }
        return pd.DataFrame(columns)


def _coded_table(columns: list[Column], options: TableOptions) -> Dataset:
    """Treat missing values, discretise and code. An error names all columns with the problem."""
    names = tuple(c.name for c in columns)
    infinite = [
        f"{c.name!r} ({k:,})"
        for c in columns
        if c.values.dtype.kind == "f" and (k := int(np.isinf(c.values).sum()))
    ]
    if infinite:
        raise DataError(
            f"infinite values in {listing(infinite)}; replace them by a number or a missing value"
        )
    columns, notes = _without_missing(columns, options)
    cut = [c.name for c in columns if c.continuous]
    if cut and options.discretize is None:
        raise DataError(
            f"continuous values in {len(cut):,} column(s): {listing(map(repr, cut))}; cut them "
            'into intervals with discretize="quantile" (command line: --discretize quantile '
            "--bins 5), or convert them to text if the values are states"
        )
    with threadpool_limits(1):  # k-means: same sums on any machine, no threads within workers
        coded = [_coded_column(c, options) for c in columns]
    _refuse_crowded(columns, coded, options)
    cards = np.array([len(c.labels) for c in coded], dtype=np.int64)
    notes += _closing_notes(names, coded, cards, options)
    dtype = np.uint8 if cards.max() <= 256 else np.uint16
    codes = np.array([c.codes for c in coded], dtype=dtype, order="C")
    cuts = tuple(c.cut for c in coded) if any(c.cut for c in coded) else ()
    return Dataset(codes, cards, names, tuple(c.labels for c in coded), notes, cuts)


def _without_missing(
    columns: list[Column], options: TableOptions
) -> tuple[list[Column], tuple[str, ...]]:
    """Apply the option `missing`; only with "state" the columns still have missing values."""
    holes = {c.name: c.missing for c in columns if c.missing is not None}
    if not holes:
        return columns, ()
    counts = listing(f"{name!r} ({int(hole.sum()):,})" for name, hole in holes.items())
    where = f"missing values in {len(holes):,} column(s): {counts}"
    if options.missing == "error":
        raise DataError(
            f'{where}; leave out their rows with missing="drop" (command line: --missing drop), '
            'or make them a state of their own with missing="state"'
        )
    if options.missing == "state":
        return columns, (f"{where}; kept as a state of their own",)
    keep = ~np.logical_or.reduce(list(holes.values()))
    left = int(keep.sum())
    if left < 2:
        raise DataError(
            f"{left} of {len(keep):,} rows have no missing value, at least two are needed; "
            f'{where}; drop the emptiest columns first, or use missing="state"'
        )
    note = f"dropped {len(keep) - left:,} of {len(keep):,} rows: {where}"
    return [c.rows(keep) for c in columns], (note,)


@dataclass(frozen=True)
class _Coded:
    """Codes and labels of one column. A column with too many states has no labels."""

    codes: np.ndarray
    labels: tuple[str, ...]
    n_states: int
    cut: Cut | None = None


def _coded_column(column: Column, options: TableOptions) -> _Coded:
    """Code the observed states of a column; discretise it if needed."""
    values, cut = column.present, None
    strategy, bins = str(options.discretize), options.bins
    if column.continuous:
        codes, labels, cut = intervals(column, strategy, bins)
        n_states = len(labels)
    else:
        if values.dtype.kind == "f":
            values = values.astype(np.int64)
        observed, codes = observed_codes(values)
        n_states = len(observed)
        crowded = n_states > options.max_states
        if crowded and column.labels is None and options.discretize is not None:
            codes, labels, cut = intervals(column, strategy, bins)
            n_states = len(labels)
        elif crowded:
            return _Coded(codes, (), n_states)
        elif column.labels is None:
            labels = tuple(str(v) for v in observed)
        else:
            labels = tuple(column.labels[v] for v in observed)
    if column.missing is not None:
        full = np.full(len(column.values), n_states, dtype=np.int32)
        full[~column.missing] = codes
        codes, labels = full, (*labels, _missing_label(labels))
    narrow = np.uint8 if len(labels) <= 256 else np.uint16
    return _Coded(codes.astype(narrow), labels, len(labels), cut)


def _missing_label(labels: tuple[str, ...]) -> str:
    label = "(missing)"
    while label in labels:
        label = f"({label})"
    return label


def _refuse_crowded(columns: list[Column], coded: list[_Coded], options: TableOptions) -> None:
    crowded = [
        f"{column.name!r} ({c.n_states:,} states)"
        for column, c in zip(columns, coded, strict=True)
        if c.n_states > options.max_states
    ]
    if crowded:
        raise DataError(
            f"more than {options.max_states} states in {len(crowded):,} column(s): "
            f"{listing(crowded)}; drop identifiers, group rare states, cut numbers into intervals "
            'with discretize="quantile" (command line: --discretize quantile), or raise '
            "max_states (--max-states)"
        )


def _closing_notes(
    names: tuple[str, ...], coded: list[_Coded], cards: np.ndarray, options: TableOptions
) -> tuple[str, ...]:
    cut = [repr(n) for n, c in zip(names, coded, strict=True) if c.cut]
    constant = [repr(n) for n, card in zip(names, cards, strict=True) if card == 1]
    notes: tuple[str, ...] = ()
    if cut:
        how = f"{options.discretize}, {options.bins} bins"
        notes += (f"discretised {len(cut):,} column(s) ({how}): {listing(cut)}",)
    if constant:
        notes += (f"{len(constant):,} column(s) with a single state: {listing(constant)}",)
    return notes
