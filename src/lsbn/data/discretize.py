"""Cut the numbers of a column into intervals."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.preprocessing import KBinsDiscretizer

from lsbn.data.calendar import CALENDAR, periods, tick_texts
from lsbn.data.columns import Column, label_of

__all__ = ["CALENDAR", "STRATEGIES", "CutPoints", "intervals", "observed_codes", "value_states"]

STRATEGIES = ("quantile", "uniform", "kmeans")
"""Ways to choose the cut points, by their names in scikit-learn."""


@dataclass(frozen=True)
class CutPoints:
    """How the numbers or dates of a column became states, so that other rows are coded alike.

    Attributes
    ----------
    points : tuple of int or float
        Upper ends of all intervals but the last, each within its interval; or all values.
    exact : bool
        Whether each state is a single value.
    time : str
        The numpy type of dates and durations, or an empty text.
    calendar : str
        One of `CALENDAR`, if dates became states by it; there are no points then.

    Examples
    --------
    >>> CutPoints((0.5, 2.0)).codes(Column("x", np.array([-9.0, 0.5, 0.6, 99.0]))).tolist()
    [0, 0, 1, 2]
    """

    points: tuple[float, ...] = ()
    exact: bool = False
    time: str = ""
    calendar: str = ""

    def codes(self, column: Column) -> np.ndarray:
        """Return the state of every number or date; -1 for one that is no state."""
        values = column.values
        if bool(self.time) != bool(column.time):
            return np.full(len(values), -1)
        if self.time and self.time != column.time:
            values = values.astype(column.time).astype(self.time).astype(np.int64)
        points = np.array(self.points)
        found = np.searchsorted(points, values, side="left")
        if not self.exact:
            return found
        same = points[np.minimum(found, len(points) - 1)] == values
        return np.where(same, found, -1)

    def periods(self, column: Column) -> tuple[np.ndarray, tuple[str, ...]]:
        """Return states of dates by the calendar, and their labels."""
        return periods(column.values, column.time, column.zone, self.calendar)


def observed_codes(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted distinct numbers and the position of every value among them.

    >>> distinct, codes = observed_codes(np.array([7, 3, 7]))
    >>> distinct.tolist(), codes.tolist()
    ([3, 7], [1, 0, 1])
    """
    whole = values.dtype.kind in "iu"
    if whole and len(values) and int(values.max()) - int(values.min()) < 4096:
        low = values.min()
        shifted = (values - low).view(f"u{values.itemsize}").astype(np.intp)
        seen = np.bincount(shifted) > 0
        rank = np.cumsum(seen, dtype=np.int32) - np.int32(1)
        return np.flatnonzero(seen).astype(values.dtype) + low, rank[shifted]
    observed, codes = np.unique(values, return_inverse=True)
    return observed, codes


def value_states(column: Column) -> tuple[np.ndarray, tuple[str, ...], CutPoints | None]:
    """Make every number or date of a column a state.

    Returns
    -------
    codes : numpy.ndarray of int
        The state of every value that is not missing.
    labels : tuple of str
    points : CutPoints, optional
        The same coding for other rows; None for numbers, whose labels tell it.
    """
    values = column.present
    if values.dtype.kind == "f" and not column.continuous:
        values = values.astype(np.int64)
    observed, codes = observed_codes(values)
    if column.time:
        points = CutPoints(tuple(observed.tolist()), exact=True, time=column.time)
        return codes, tuple(tick_texts(observed, column.time, column.zone)), points
    return codes, tuple(map(label_of, observed.tolist())), None


def intervals(
    column: Column, method: str, bins: int
) -> tuple[np.ndarray, tuple[str, ...], CutPoints | None]:
    """Cut the numbers of a column into right-closed intervals, or dates by the calendar.

    Parameters
    ----------
    column : Column
        A column of numbers, dates or durations.
    method : str
        One of `STRATEGIES`, or for dates one of `CALENDAR`.
    bins : int
        Number of intervals; equal values may leave fewer. A column with at most `bins` distinct
        values keeps each value as a state. The calendar does not use it.

    Returns
    -------
    codes : numpy.ndarray of int
        The interval of every value that is not missing.
    labels : tuple of str
        The labels of the intervals that hold a value.
    points : CutPoints, optional
        The same coding for other rows. A value in an interval without rows is put into the next
        interval with rows, a value outside of all intervals into the nearest one.

    Examples
    --------
    >>> codes, labels, _ = intervals(Column("x", np.array([0.1, 0.2, 0.3, 0.4])), "quantile", 2)
    >>> codes.tolist(), labels
    ([0, 0, 1, 1], ('[0.1, 0.2]', '(0.2, 0.4]'))
    """
    if method in CALENDAR:
        by_calendar = CutPoints(time=column.time, calendar=method)
        return *periods(column.present, column.time, column.zone, method), by_calendar
    values = column.present
    distinct, rank = observed_codes(values)
    if len(distinct) <= bins:
        return value_states(column)
    cuts = _cut_points(distinct, rank, method, bins)
    observed, codes = observed_codes(np.searchsorted(cuts, values, side="left"))
    text = _edge_texts(np.concatenate([distinct[:1], cuts, distinct[-1:]]), column)
    labels = [
        text[i] if text[i] == text[i + 1] else f"{'(' if i else '['}{text[i]}, {text[i + 1]}]"
        for i in range(len(cuts) + 1)
    ]
    points = CutPoints(tuple(cuts[observed[:-1]].tolist()), time=column.time)
    return codes, tuple(labels[i] for i in observed), points


def _cut_points(distinct: np.ndarray, rank: np.ndarray, method: str, bins: int) -> np.ndarray:
    """Return the inner edges of scikit-learn's bins, in the type of the values.

    A value equal to an edge belongs to the left bin.

    scikit-learn merges edges closer than 1e-8 in any unit. Quantiles are therefore taken
    from ranks, which also puts the edges on observed values. Other values are scaled by a power of
    two. When several quantiles fall on the smallest or the largest value, scikit-learn joins this
    value with its neighbours; in the worst case the column becomes constant. Here the value keeps
    an interval of its own. The edges of k-means are rounded, so that the order of summation does
    not matter. Whole numbers count from the smallest one, because a float does not hold every
    integer above 2**53; their edges are whole.
    """
    if method == "quantile":
        edges = _bin_edges(np.sort(rank).astype(np.float64), method, bins)
        inner = distinct[edges[1:-1].astype(np.intp)]
        if len(edges) <= bins:
            heavy = np.bincount(rank)[[0, -1]] > len(rank) / bins
            inner = np.append(inner, distinct[[0, -2]][heavy])
    elif distinct.dtype.kind == "f":
        inner = _scaled_edges(distinct, rank, method, bins)
    else:
        above = (distinct - distinct[0]).view(f"u{distinct.itemsize}")
        edges = np.floor(_scaled_edges(above.astype(np.float64), rank, method, bins))
        edges = edges[(edges >= 0) & (edges < float(above[-1]))]
        inner = distinct[0] + edges.astype(above.dtype).view(distinct.dtype)
    return np.unique(inner[(inner >= distinct[0]) & (inner < distinct[-1])])


def _scaled_edges(distinct: np.ndarray, rank: np.ndarray, method: str, bins: int) -> np.ndarray:
    exponent = 1 + int(np.frexp(distinct[-1] / 2 - distinct[0] / 2)[1])
    edges = _bin_edges(np.ldexp(distinct[np.sort(rank)], -exponent), method, bins)
    return np.ldexp(np.rint(np.ldexp(edges[1:-1], 40)), exponent - 40)


def _bin_edges(values: np.ndarray, strategy: str, bins: int) -> np.ndarray:
    """Return the edges of scikit-learn's bins of sorted values.

    Only k-means calls `KBinsDiscretizer`. For a column of 200 rows it takes ten times as long as
    the other methods do here, with the same edges.
    """
    if strategy == "uniform":
        return np.linspace(values[0], values[-1], bins + 1)
    if strategy == "quantile":
        place = len(values) * (np.linspace(0, 100, bins + 1) / 100) - 1
        below = np.floor(place)
        low, high = (values[np.clip(below.astype(np.intp) + k, 0, len(values) - 1)] for k in (0, 1))
        edges = np.where(place == below, (low + high) / 2, high)
        return edges[np.ediff1d(edges, to_begin=np.inf) > 1e-8]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        settings: dict[str, Any] = {"encode": "ordinal", "subsample": None, "random_state": 0}
        binner = KBinsDiscretizer(n_bins=bins, strategy=strategy, **settings)
        return binner.fit(values[:, None]).bin_edges_[0]


def _edge_texts(edges: np.ndarray, column: Column) -> list[str]:
    """Write numbers or dates with the fewest digits that keep different values different."""
    if column.time:
        return tick_texts(edges, column.time, column.zone)
    if edges.dtype.kind != "f":
        return [str(edge) for edge in edges]
    n = len(np.unique(edges))
    text: list[str] = []
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
