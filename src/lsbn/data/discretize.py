"""Cut the numbers of a column into intervals."""

from __future__ import annotations

import inspect
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.preprocessing import KBinsDiscretizer

from lsbn.data.columns import Column, label_of

__all__ = ["STRATEGIES", "Cut", "intervals", "observed_codes"]

STRATEGIES = ("quantile", "uniform", "kmeans")
"""Ways to choose the cut points, by their names in scikit-learn."""


@dataclass(frozen=True)
class Cut:
    """How the numbers of a column became states, so that other rows are coded alike.

    Attributes
    ----------
    points : tuple of float
        Upper ends of all intervals but the last, each within its interval; or all values.
    exact : bool
        Whether each state is a single value.
    time : str
        The numpy type of dates and durations, or an empty text.
    origin : int
        The tick from which the points of a date or duration count.

    Examples
    --------
    >>> Cut((0.5, 2.0)).codes(Column("x", np.array([-9.0, 0.5, 0.6, 99.0]))).tolist()
    [0, 0, 1, 2]
    """

    points: tuple[float, ...]
    exact: bool = False
    time: str = ""
    origin: int = 0

    def codes(self, column: Column) -> np.ndarray:
        """Return the state of every number; -1 for a number that is no state."""
        values = column.values.astype(np.float64)
        if self.time and column.time:
            ticks = np.where(np.isnan(values), 0, values).astype(np.int64) + column.origin
            ticks = ticks.astype(column.time).astype(self.time).astype(np.int64)
            values = np.where(np.isnan(values), np.nan, (ticks - self.origin).astype(np.float64))
        found = np.searchsorted(self.points, values, side="left")
        if not self.exact:
            return found
        points = np.append(self.points, np.nan)
        return np.where(points[found] == values, found, -1)


def observed_codes(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted distinct integers and the position of every value among them.

    >>> distinct, codes = observed_codes(np.array([7, 3, 7]))
    >>> distinct.tolist(), codes.tolist()
    ([3, 7], [1, 0, 1])
    """
    if len(values) and int(values.max()) - int(values.min()) < 4096:
        low = values.min()
        shifted = (values - low).view(f"u{values.itemsize}").astype(np.intp)
        seen = np.bincount(shifted) > 0
        rank = np.cumsum(seen, dtype=np.int32) - np.int32(1)
        return np.flatnonzero(seen).astype(values.dtype) + low, rank[shifted]
    observed, codes = np.unique(values, return_inverse=True)
    return observed, codes


def intervals(column: Column, strategy: str, bins: int) -> tuple[np.ndarray, tuple[str, ...], Cut]:
    """Cut the numbers of a column into right-closed intervals.

    Parameters
    ----------
    column : Column
        A column of numbers, dates or durations.
    strategy : str
        One of `STRATEGIES`.
    bins : int
        Number of intervals; equal values may leave fewer. A column with at most `bins` distinct
        values keeps each value as a state.

    Returns
    -------
    codes : numpy.ndarray of int
        The interval of every value that is not missing.
    labels : tuple of str
        The labels of the intervals that hold a value.
    cut : Cut
        The same coding for other rows. A value in an interval without rows is put into the next
        interval with rows, a value outside of all intervals into the nearest one.

    Examples
    --------
    >>> codes, labels, _ = intervals(Column("x", np.array([0.1, 0.2, 0.3, 0.4])), "quantile", 2)
    >>> codes.tolist(), labels
    ([0, 0, 1, 1], ('[0.1, 0.2]', '(0.2, 0.4]'))
    """
    values = column.present.astype(np.float64)
    distinct = np.unique(values)
    if len(distinct) <= bins:
        texts = _edge_texts(distinct, column) if column.time else map(label_of, distinct.tolist())
        cut = Cut(tuple(distinct.tolist()), True, column.time, column.origin)
        return np.searchsorted(distinct, values), tuple(texts), cut
    cuts = _cut_points(values, strategy, bins)
    observed, codes = observed_codes(np.searchsorted(cuts, values, side="left"))
    text = _edge_texts(np.array([distinct[0], *cuts, distinct[-1]]), column)
    labels = [
        text[i] if text[i] == text[i + 1] else f"{'(' if i else '['}{text[i]}, {text[i + 1]}]"
        for i in range(len(cuts) + 1)
    ]
    points = tuple(cuts[observed[:-1]].tolist())
    cut = Cut(points, False, column.time, column.origin)
    return codes, tuple(labels[i] for i in observed), cut


def _cut_points(values: np.ndarray, strategy: str, bins: int) -> np.ndarray:
    """Return the inner edges of scikit-learn's bins.

    A value equal to an edge belongs to the left bin.

    scikit-learn merges edges closer than 1e-8 in any unit. Quantiles are therefore taken
    from ranks, which also puts the edges on observed values. Other values are scaled by a power of
    two. When several quantiles fall on the smallest or the largest value, scikit-learn joins this
    value with its neighbours; in the worst case the column becomes constant. Here the value keeps
    an interval of its own. The edges of k-means are rounded, so that the order of summation does
    not matter.
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
    """Write numbers or dates with the fewest digits that keep different values different."""
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
            text = [_number_text(float(e), digits) for e in edges]
            if len(set(text)) == n:
                break
    return text


def _number_text(value: float, digits: int) -> str:
    """Write a number with `digits` significant digits; only very small and large get an exponent.

    >>> _number_text(12345.67, 4), _number_text(0.5, 4), _number_text(2 / 3e9, 4)
    ('12346', '0.5', '6.667e-10')
    """
    if value == 0:
        return "0"
    if not 1e-4 <= abs(value) < 1e9:
        return f"{value:.{digits}g}"
    decimals = max(0, digits - 1 - int(np.floor(np.log10(abs(value)))))
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if decimals else text
