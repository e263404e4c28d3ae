"""Dataset: any table becomes integer codes, cardinalities and state names.

The rest of lsbn counts; it never looks at a table again. A `Dataset` is therefore variable-major
and as narrow as possible, and its coding depends on the values only, never on their order or on
the format they came in.
"""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from sklearn.preprocessing import KBinsDiscretizer
from threadpoolctl import threadpool_limits

from lsbn.data.ingest import Column, DataError, file_columns, label_of, listing, table_columns

__all__ = ["DataError", "Dataset"]

STRATEGIES = ("quantile", "uniform", "kmeans")
MISSING = ("error", "drop", "state")
MOST_STATES = 65_536


@dataclass(frozen=True, eq=False)
class Dataset:
    """Discrete data, variable by variable.

    Use `from_table` or `read` to make one.

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
        What was done to the table on the way: rows dropped, columns discretised, constants kept.

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

    @property
    def constant(self) -> tuple[str, ...]:
        """Names of the variables with one state only."""
        return tuple(self.names[v] for v in np.flatnonzero(self.cards <= 1))

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
            Rows are observations, columns variables. Row indices of pandas are ignored; a Dataset
            is returned as it is.
        discretize : {None, "quantile", "uniform", "kmeans"}
            How to cut continuous columns (floats with a fractional part, dates, durations) and
            integer columns of more than `max_states` values into intervals. Without it they are
            refused. A column with at most `bins` values keeps each of them as a state.
        bins : int
            Number of intervals asked for; ties may leave fewer.
        missing : {"error", "drop", "state"}
            Missing values (None, NaN, NaT, blank text) are an error, drop their row, or become a
            state of their own, ``(missing)``, the last one.
        max_states : int
            A column with more states is refused: it is rarely meant, and its tables would be
            almost empty.
        names : sequence, optional
            Names to use instead of the table's own; array columns are otherwise x0, x1, ...

        Returns
        -------
        Dataset

        Raises
        ------
        DataError
            Names every column with the problem found, and how to solve it.

        Notes
        -----
        States are ordered by value: False before True, numbers by size, ordered categories as
        declared, other labels by size if all of them are numbers and else alphabetically.
        Floats without fractional part are integers: 1.0 is labelled "1".
        """
        options = _Options(discretize, bins, missing, max_states)
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

        Options are those of `from_table`. In text files, which must be UTF-8 with a header, a
        column is numeric if all its entries are numbers without padding zeros; every other label
        stays exactly as written. Missing are empty fields and NA, N/A, n/a, #N/A, <NA>, NaN,
        nan, null, NULL, quoted or not.
        """
        options = _Options(discretize, bins, missing, max_states)
        return _coded_table(file_columns(path, names), options)

    def select(self, variables: Iterable[int | str]) -> Dataset:
        """Keep some variables, given by index or by name, in the order given."""
        place = {name: v for v, name in enumerate(self.names)}
        asked = list(variables)
        strange = [repr(v) for v in asked if isinstance(v, str) and v not in place]
        if strange:
            raise DataError(f"unknown variables: {listing(strange)}; see Dataset.names")
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
        )

    def to_pandas(self) -> pd.DataFrame:
        """Return a DataFrame of unordered categoricals with the state labels."""
        columns = {
            name: pd.Categorical.from_codes(codes.astype(np.int32), categories=list(labels))
            for name, codes, labels in zip(self.names, self.codes, self.states, strict=True)
        }
        return pd.DataFrame(columns)


@dataclass(frozen=True)
class _Options:
    """The choices of `Dataset.from_table`, checked."""

    discretize: str | None
    bins: int
    missing: str
    max_states: int

    def __post_init__(self) -> None:
        if self.discretize not in (None, *STRATEGIES):
            raise DataError(f"discretize is {self.discretize!r}; use one of {STRATEGIES} or None")
        if self.missing not in MISSING:
            raise DataError(f"missing is {self.missing!r}; use one of {MISSING}")
        if not 2 <= self.max_states <= MOST_STATES:
            raise DataError(f"max_states is {self.max_states}; use 2 to {MOST_STATES}")
        if not 2 <= self.bins <= self.max_states:
            raise DataError(f"bins is {self.bins}; use 2 to max_states ({self.max_states})")


def _coded_table(columns: list[Column], options: _Options) -> Dataset:
    """Treat missing values, discretise, code; problems are gathered before they raise."""
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
    return Dataset(codes, cards, names, tuple(c.labels for c in coded), notes)


def _without_missing(
    columns: list[Column], options: _Options
) -> tuple[list[Column], tuple[str, ...]]:
    """Apply the `missing` option; the columns returned have gaps only if it is "state"."""
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
    """Codes and labels of one column; no labels if it has too many states (`n_states`)."""

    codes: np.ndarray
    labels: tuple[str, ...]
    n_states: int
    cut: bool = False


def _coded_column(column: Column, options: _Options) -> _Coded:
    """Give codes to the observed states of a column, discretising it where that is due."""
    values, cut = column.present, False
    if column.continuous:
        codes, labels = _intervals(column, options)
        cut, n_states = True, len(labels)
    else:
        if values.dtype.kind == "f":
            values = values.astype(np.int64)
        observed, codes = _observed(values)
        n_states = len(observed)
        crowded = n_states > options.max_states
        if crowded and column.labels is None and options.discretize is not None:
            codes, labels = _intervals(column, options)
            cut, n_states = True, len(labels)
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


def _observed(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted distinct integers and the position of every value among them."""
    if len(values) and int(values.max()) - int(values.min()) < 4096:
        low = values.min()
        shifted = (values - low).view(f"u{values.itemsize}").astype(np.intp)
        seen = np.bincount(shifted) > 0
        rank = np.cumsum(seen, dtype=np.int32) - np.int32(1)
        return np.flatnonzero(seen).astype(values.dtype) + low, rank[shifted]
    observed, codes = np.unique(values, return_inverse=True)
    return observed, codes


def _missing_label(labels: tuple[str, ...]) -> str:
    label = "(missing)"
    while label in labels:
        label = f"({label})"
    return label


def _intervals(column: Column, options: _Options) -> tuple[np.ndarray, tuple[str, ...]]:
    """Cut the numbers of a column into right-closed intervals and label those observed."""
    values = column.present.astype(np.float64)
    distinct = np.unique(values)
    if len(distinct) <= options.bins:
        texts = _edge_texts(distinct, column) if column.time else map(label_of, distinct.tolist())
        return np.searchsorted(distinct, values), tuple(texts)
    cuts = _cut_points(values, str(options.discretize), options.bins)
    observed, codes = _observed(np.searchsorted(cuts, values, side="left"))
    text = _edge_texts(np.array([distinct[0], *cuts, distinct[-1]]), column)
    labels = [
        text[i] if text[i] == text[i + 1] else f"{'(' if i else '['}{text[i]}, {text[i + 1]}]"
        for i in range(len(cuts) + 1)
    ]
    return codes, tuple(labels[i] for i in observed)


def _cut_points(values: np.ndarray, strategy: str, bins: int) -> np.ndarray:
    """Inner edges of scikit-learn's bins; a value equal to an edge belongs to the left bin.

    scikit-learn merges edges closer than 1e-8, whatever the unit. Quantiles are therefore taken
    of ranks, which also puts them on observed values, and other values are scaled by a power of
    two. Where several quantiles fall on the smallest or the largest value, scikit-learn joins it
    with its neighbours, up to a constant column; here it keeps an interval of its own. k-means
    edges are rounded, so that they depend on no order of summation.
    """
    distinct, rank, count = np.unique(values, return_inverse=True, return_counts=True)
    low, high = distinct[0], distinct[-1]
    if strategy == "quantile":
        edges = _bin_edges(np.sort(rank).astype(np.float64), strategy, bins)
        inner = distinct[edges[1:-1].astype(np.intp)]
        if len(edges) <= bins:
            heavy = count[[0, -1]] > len(values) / bins
            inner = np.append(inner, distinct[[0, -2]][heavy])
    else:
        exponent = 1 + int(np.frexp(high / 2 - low / 2)[1])
        edges = _bin_edges(np.ldexp(np.sort(values), -exponent), strategy, bins)
        inner = np.ldexp(np.rint(np.ldexp(edges[1:-1], 40)), exponent - 40)
    return np.unique(inner[(inner >= low) & (inner < high)])


def _bin_edges(values: np.ndarray, strategy: str, bins: int) -> np.ndarray:
    settings: dict[str, Any] = {"n_bins": bins, "encode": "ordinal", "strategy": strategy}
    if "quantile_method" in inspect.signature(KBinsDiscretizer).parameters:
        settings["quantile_method"] = "averaged_inverted_cdf"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        binner = KBinsDiscretizer(subsample=None, random_state=0, **settings)
        return binner.fit(values[:, None]).bin_edges_[0]


def _edge_texts(edges: np.ndarray, column: Column) -> list[str]:
    """Write numbers or dates as short as keeps different ones apart."""
    n = len(np.unique(edges))
    text: list[str] = []
    if column.time.startswith("datetime"):
        ticks = (np.rint(edges).astype(np.int64) + column.origin).astype(column.time)
        for unit in ("D", "m", "s", "ms", "us", "ns"):
            text = [str(t) for t in np.datetime_as_string(ticks, unit=unit, casting="unsafe")]
            if len(set(text)) == n:
                break
    elif column.time:
        ticks = (np.rint(edges).astype(np.int64) + column.origin).astype(column.time)
        text = [str(pd.Timedelta(t)) for t in ticks]
    else:
        for digits in range(4, 18):
            text = [_short(float(e), digits) for e in edges]
            if len(set(text)) == n:
                break
    return text


def _short(value: float, digits: int) -> str:
    """Write a number with so many significant digits, without exponent where that is readable.

    >>> _short(12345.67, 4), _short(0.5, 4), _short(2 / 3e9, 4)
    ('12346', '0.5', '6.667e-10')
    """
    if value == 0:
        return "0"
    if not 1e-4 <= abs(value) < 1e9:
        return f"{value:.{digits}g}"
    decimals = max(0, digits - 1 - int(np.floor(np.log10(abs(value)))))
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if decimals else text


def _refuse_crowded(columns: list[Column], coded: list[_Coded], options: _Options) -> None:
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
    names: tuple[str, ...], coded: list[_Coded], cards: np.ndarray, options: _Options
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
