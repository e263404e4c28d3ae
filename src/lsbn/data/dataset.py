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

from lsbn.data.coding import code_table
from lsbn.data.columns import DataError, listing
from lsbn.data.discretize import CutPoints
from lsbn.data.ingest import file_columns, table_columns
from lsbn.data.options import Discretize, TableOptions
from lsbn.data.textlayout import TextLayout

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
    cuts : tuple of CutPoints or None
        How the numbers of each variable were cut into states; empty if none were.
    gaps : ndarray of bool, (n_variables, n_rows), optional
        Marks the missing values, if they are to be inferred (``missing="infer"``). Their codes are
        those of the most frequent state. `lsbn.LSBN` learns from such a table, single learners do
        not.
    missing : tuple of float
        Share of missing values of each column of the table, whatever became of them; empty if no
        value was missing.
    na : tuple of str
        More values that meant 'missing' when the table was read, so that other tables are read
        alike.

    Notes
    -----
    States are ordered by value: False before True, numbers and intervals by size, ordered
    categories as declared, other labels alphabetically. Floats without fractional part are
    integers: 1.0 is labelled "1".

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
    cuts: tuple[CutPoints | None, ...] = ()
    gaps: np.ndarray | None = None
    missing: tuple[float, ...] = ()
    na: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        n = len(self.names)
        if self.codes.ndim != 2 or not len(self.codes) == len(self.cards) == len(self.states) == n:
            raise DataError("codes, cards, names and states must describe the same variables")
        if not self.codes.flags.c_contiguous:  # `planes` would copy them at every call
            object.__setattr__(self, "codes", np.ascontiguousarray(self.codes))

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return self.codes.shape[0]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.codes.shape[1]

    @property
    def constants(self) -> list[str]:
        """Names of the variables with a single state."""
        return [name for name, card in zip(self.names, self.cards, strict=True) if card == 1]

    @property
    def planes(self) -> np.ndarray:
        """The codes as kernels take them; see `lsbn.kernels.bits.byte_planes`."""
        from lsbn.kernels.bits import byte_planes

        # One byte: a view. Two bytes: a copy, which is kept.
        return byte_planes(self.codes) if self.codes.itemsize == 1 else self._two_planes

    @cached_property
    def _two_planes(self) -> np.ndarray:
        from lsbn.kernels.bits import byte_planes

        return byte_planes(self.codes)

    @cached_property
    def bits(self) -> tuple[np.ndarray, np.ndarray]:
        """Bit columns ``(words, offsets)``, one per state; see `lsbn.kernels.bits.bit_columns`."""
        from lsbn.kernels.bits import bit_columns

        if self.gaps is not None:
            raise DataError(
                "the dataset has missing values that are to be inferred; LSBN().fit does this "
                "(command line: `lsbn learn --missing infer`)"
            )
        return bit_columns(self.planes, self.cards)

    @classmethod
    def from_table(
        cls,
        table: Any,
        *,
        discretize: Discretize = None,
        bins: int = 5,
        missing: str = "error",
        max_states: int = 64,
        names: Sequence[Any] | None = None,
        drop: str | Iterable[str] = (),
        keep: str | Iterable[str] = (),
        na: str | Iterable[str] = (),
    ) -> Dataset:
        """Code a table held in memory.

        Parameters
        ----------
        table : pandas, polars or pyarrow table, 2-D numpy array, AnnData, or Dataset
            Rows are observations, columns are variables. Row indices of pandas are ignored. Of
            AnnData the matrix ``X`` is used, dense or sparse. A Dataset is returned unchanged.
        discretize : str or dict, optional
            How numbers, dates and durations become states: ``"quantile"``, ``"uniform"`` or
            ``"kmeans"`` cut every column with more than `bins` different values into intervals,
            whole numbers too. Single columns: ``"quantile,age=uniform:4,when=month"`` or ``{None:
            "quantile", "age": "uniform:4", "when": "month"}``. `lsbn.data.options` has all methods.
            Without it, fractions and dates are an error.
        bins : int
            Number of intervals; equal values may leave fewer.
        missing : {"error", "drop", "state", "infer"}
            What to do with missing values (None, NaN, NaT, blank text): raise an error, drop the
            row, make them the last state of the column, ``(missing)``, or mark them as `gaps`,
            which `lsbn.LSBN` infers from the other columns.
        max_states : int
            A column with more states is an error; such a column is often an identifier.
        names : sequence, optional
            Names to use instead of the table's own. Columns of an array are called x0, x1, ...
        drop, keep : str or sequence of str
            Columns to leave out; columns to use, without the others. A text has commas between.
        na : str or sequence of str
            More values that mean 'missing', such as ``"?,*,-999"``.

        Raises
        ------
        DataError
            The message names all problems of the table, their columns and the remedy.

        Examples
        --------
        >>> data = Dataset.from_table(
        ...     np.array([[0.1, 1], [0.2, 1], [0.3, 2], [0.4, 2]]), discretize="quantile", bins=2
        ... )
        >>> data.states
        (('[0.1, 0.2]', '(0.2, 0.4]'), ('1', '2'))
        """
        options = TableOptions(discretize, bins, missing, max_states, drop, keep, na)
        if isinstance(table, Dataset):
            return table
        return cls(**vars(code_table(table_columns(table, options, names), options)))

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        *,
        discretize: Discretize = None,
        bins: int = 5,
        missing: str = "error",
        max_states: int = 64,
        names: Sequence[Any] | None = None,
        drop: str | Iterable[str] = (),
        keep: str | Iterable[str] = (),
        na: str | Iterable[str] = (),
        sep: str | None = None,
        header: bool = True,
        skip: int = 0,
    ) -> Dataset:
        """Code a .csv, .tsv, .txt, .data or .dat file (also .gz), .arff, .parquet or .h5ad.

        Parameters
        ----------
        path : str or path
            A text file must be UTF-8. An .h5ad file needs anndata (``pip install
            'lsbn[anndata]'``).
        discretize, bins, missing, max_states, names, drop, keep, na
            As for `from_table`.
        sep : str, optional
            The character between the fields of a text file, or ``"tab"`` or ``"space"`` (any number
            of spaces). By default the one that gives the first lines the same number of fields; if
            several do, a comma in .csv and a tab in .tsv.
        header : bool
            Whether the first line of a text file has the names of the columns. If not, the columns
            are called x0, x1, ...
        skip : int
            Lines above the table of a text file, which are left out.

        Returns
        -------
        Dataset

        Notes
        -----
        A column of a text file is numeric if all its entries are numbers without padding zeros,
        and holds dates if all entries look like ``2020-01-31`` or ``2020-01-31T12:30``. All other
        labels stay as they are in the file. Spaces around numbers are left out. Spaces around
        labels are left out if all labels of the column start with one. Missing values are empty
        fields and NA, N/A, n/a, #N/A, <NA>, NaN, nan, null, NULL, quoted or not, and those of `na`.
        A first column without a name is left out if its entries all differ, because it is a saved
        row index.
        """
        options = TableOptions(discretize, bins, missing, max_states, drop, keep, na)
        columns, notes = file_columns(path, options, names, TextLayout(sep, header, skip))
        coded = code_table(columns, options)
        return cls(**vars(coded) | {"notes": notes + coded.notes})

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
        asked = list(variables)
        by_name = any(isinstance(v, str) for v in asked)
        place = {name: v for v, name in enumerate(self.names)} if by_name else {}
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
            gaps=None if self.gaps is None else np.ascontiguousarray(self.gaps[index]),
            missing=tuple(self.missing[v] for v in index) if self.missing else (),
            na=self.na,
        )

    def to_pandas(self) -> pd.DataFrame:
        """Return a DataFrame of unordered categoricals with the state labels."""
        columns = {
            name: pd.Categorical.from_codes(codes.astype(np.int32), categories=list(labels))
            for name, codes, labels in zip(self.names, self.codes, self.states, strict=True)
        }
        return pd.DataFrame(columns)
