"""The most probable values of missing cells, averaged over networks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logsumexp

from lsbn.answers.coding import Coding, read_columns
from lsbn.answers.ensemble import Ensemble
from lsbn.answers.gaps import Gaps, network_tables
from lsbn.data.columns import Column, is_missing, label_of
from lsbn.kernels.gaps import NetworkTables

__all__ = ["Imputation", "cell_shares", "frame_of", "impute", "log_observed"]

MOST_NETWORKS = 50
"""Networks that are averaged, evenly spaced among all."""
SWEEPS = 10
"""Sweeps of Gibbs sampling after each joint draw of the missing cells of a row."""
LOG_SWEEPS = 20
"""Sweeps for each missing cell, where the probability of the observed cells is only estimated."""
ONE_NETWORK = 20
"""A single network has this many joint draws."""
MOST_CELLS = 4_000_000
"""Most probabilities that are summed at once; longer tables are filled block by block."""


@dataclass(frozen=True, eq=False)
class Imputation:
    """A table whose missing values are filled.

    Attributes
    ----------
    table : pandas.DataFrame
        The given table with the most probable value in each missing cell. If the numbers of a
        column were cut into intervals, the value is the label of an interval.
    cells : pandas.DataFrame
        A row for each missing cell: ``row`` (counted from 0), ``column``, ``value``, and its
        ``probability`` given the observed cells of the row.
    """

    table: pd.DataFrame
    cells: pd.DataFrame

    def __repr__(self) -> str:
        mean = (
            f", mean probability {self.cells['probability'].mean():.3f}" if len(self.cells) else ""
        )
        return f"<Imputation: {len(self.cells):,} cells filled{mean}>"


def cell_shares(ensemble: Ensemble, codes: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Return the distribution of each missing cell given the observed cells of its row.

    Each network of the ensemble draws the missing cells of a row at once, and then by Gibbs
    sampling. The distribution is the mean, over sweeps, of that given all other cells. With one
    missing cell in a row it is exact.

    Parameters
    ----------
    ensemble : Ensemble
    codes : (n, rows) int array
        Any states in the missing cells.
    mask : (n, rows) bool array
        Marks the missing cells.

    Returns
    -------
    (cells, states) float array
        Cells in the order of `Gaps`, row by row. States that a variable does not have have 0.
    """
    gaps, rng = Gaps.of(mask), np.random.default_rng(0)
    total = np.zeros((len(gaps), int(ensemble.cards.max())))
    if not len(gaps):
        return total
    k = min(len(ensemble), MOST_NETWORKS)
    draws = ONE_NETWORK if k == 1 else 1
    for net in _networks(ensemble):
        for _ in range(draws):
            codes = gaps.draw_jointly(codes, net, rng)
            codes = gaps.draw(codes, net, SWEEPS, rng, total)
    return total / (k * SWEEPS * draws)


def log_observed(ensemble: Ensemble, codes: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Return the log of the mean probability, over networks, of the observed cells of each row.

    Parameters
    ----------
    ensemble, codes, mask
        As for `cell_shares`. Every row has a missing cell.
    """
    gaps, rng = Gaps.of(mask), np.random.default_rng(0)
    logs = [gaps.log_observed(codes, net, LOG_SWEEPS, rng) for net in _networks(ensemble)]
    return logsumexp(logs, axis=0) - np.log(len(logs))


def _networks(ensemble: Ensemble) -> Iterator[NetworkTables]:
    """Yield networks of an ensemble, evenly spaced."""
    k, n = min(len(ensemble), MOST_NETWORKS), len(ensemble.cards)
    for g in (np.arange(k) * len(ensemble) // k).tolist():
        yield network_tables([ensemble.family(g, v) for v in range(n)], ensemble.cards)


def impute(ensemble: Ensemble, coding: Coding, table: Any) -> Imputation:
    """Fill the missing cells of a table.

    Parameters
    ----------
    ensemble : Ensemble
        The networks that are averaged.
    coding : Coding
    table : table as for `lsbn.Dataset.from_table`, or the path of a file
        It has the columns of the fit; further columns stay as they are. If the table of the fit had
        gaps, columns of a group of copies fill gaps of each other.
    """
    columns = read_columns(table, coding.columns, more=coding.more_columns)
    codes, mask = coding.column_codes(columns)
    frame = table.copy() if isinstance(table, pd.DataFrame) else frame_of(columns)
    names, frame.columns = frame.columns, pd.Index([column.name for column in columns])
    cells = _cells_of_columns(_likely_cells(ensemble, codes, mask), coding, codes, columns)
    cells["column"], cells["value"] = "", None
    cells["value"] = cells["value"].astype(object)
    for (v, k), own in cells.groupby(["variable", "shown"]):
        shown = coding.shown(v)[k]
        texts = np.array(shown.labels, object)[own["state"].to_numpy()]
        frame[shown.name], values = _filled(frame[shown.name], own["row"].to_numpy(), texts)
        cells.loc[own.index, "column"] = shown.name
        cells.loc[own.index, "value"] = pd.Series(values, own.index, object)
    frame.columns = names
    return Imputation(frame, cells[["row", "column", "value", "probability"]])


def _likely_cells(ensemble: Ensemble, codes: np.ndarray, mask: np.ndarray) -> pd.DataFrame:
    """Return row, variable, most probable state and its probability of each missing cell."""
    block = max(1, MOST_CELLS // (len(codes) * int(ensemble.cards.max())))
    parts = []
    for first in range(0, codes.shape[1], block):
        part = slice(first, first + block)
        gaps = Gaps.of(mask[:, part])
        shares = cell_shares(ensemble, codes[:, part], mask[:, part])
        state, row = shares.argmax(axis=1), gaps.cell_row + first
        found = {"row": row, "variable": gaps.variable, "state": state}
        parts.append(pd.DataFrame(found | {"probability": shares.max(axis=1, initial=0.0)}))
    return pd.concat(parts, ignore_index=True)


def _cells_of_columns(
    cells: pd.DataFrame, coding: Coding, codes: np.ndarray, columns: Sequence[Column]
) -> pd.DataFrame:
    """Return the missing cells of columns for those of variables.

    They are the same, but for groups of copies: a cell of one of their columns may be missing
    where another column has the value. Its state is then certain. The cells have a further column
    ``shown``, the place in `Coding.shown`.
    """
    cells["shown"] = 0
    if not coding.others:
        return cells
    missing = {column.name: column.missing for column in columns if column.missing is not None}
    groups = [v for v, name in enumerate(coding.names) if name in coding.others]
    parts = [cells[~cells["variable"].isin(groups)]]
    for v in groups:
        likely = cells[cells["variable"] == v]
        states, probability = codes[v].copy(), np.ones(codes.shape[1])
        states[likely["row"]], probability[likely["row"]] = likely["state"], likely["probability"]
        for k, shown in enumerate(coding.shown(v)):
            rows = np.flatnonzero(missing.get(shown.name, False))
            found = {"row": rows, "variable": v, "state": states[rows]}
            parts.append(pd.DataFrame(found | {"probability": probability[rows], "shown": k}))
    filled = [part for part in parts if len(part)] or [cells]
    return pd.concat(filled).sort_values(["row", "variable", "shown"], ignore_index=True)


def _filled(
    series: pd.Series, rows: np.ndarray, texts: Sequence[str]
) -> tuple[pd.Series, list[Any]]:
    """Return a column with values in some rows, and the values.

    The value of a state is the value of the column that has its label. If the column does not have
    it, it is a number if the column has numbers, else the label.
    """
    kind = series.dtype
    if isinstance(kind, pd.CategoricalDtype):
        kind = np.dtype(object)
    whole = series.astype(object)
    known = {label_of(value): value for value in whole.unique() if not is_missing(value)}
    numbers = any(isinstance(value, int | float | np.number) for value in known.values())
    values = [known[text] if text in known else _value(text, numbers) for text in texts]
    whole.iloc[rows] = pd.Series(values, dtype=object).to_numpy()
    try:
        return whole.astype(kind), values
    except (TypeError, ValueError):  # labels of intervals among numbers
        return whole, values


def _value(text: str, number: bool) -> Any:
    try:
        return float(text) if number else text
    except ValueError:
        return text


def frame_of(columns: Sequence[Column]) -> pd.DataFrame:
    """Return columns as a data frame, with None for missing values."""
    return pd.DataFrame({column.name: _series(column) for column in columns})


def _series(column: Column) -> pd.Series:
    if column.labels is not None:
        return pd.Series(np.array([*column.labels, None], object)[column.values], dtype=object)
    values = column.values.astype(column.time) if column.time else column.values
    if column.missing is None:
        return pd.Series(values)
    if values.dtype.kind in "iu":
        return pd.Series(pd.arrays.IntegerArray(values.astype(np.int64), column.missing))
    return pd.Series(values).mask(column.missing)
