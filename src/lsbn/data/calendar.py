"""Dates, times and durations: their labels, and states by the calendar."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["CALENDAR", "dates_of", "periods", "tick_texts"]

CALENDAR = ("year", "month", "month-of-year", "weekday", "hour")
"""Ways to make states of dates."""

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_UNITS = ("D", "m", "s", "ms", "us", "ns")
_PER_DAY = {"D": 1, "s": 86_400, "ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}
_ISO = (
    r"^[0-9]{4}-[01][0-9]-[0-3][0-9]"
    r"([T ][0-2][0-9]:[0-5][0-9](:[0-5][0-9](\.[0-9]{1,9})?)?(Z|[+-][0-2][0-9]:?[0-5][0-9])?)?$"
)
_SLASHES = re.compile(r"^([0-9]{4})/([0-9]{2})/")
_ISO_START = re.compile(r"[0-9]{4}-[01][0-9]-[0-3][0-9]")


def tick_texts(ticks: np.ndarray, time: str, zone: str = "") -> list[str]:
    """Write dates or durations with the fewest digits that keep different ones different.

    Parameters
    ----------
    ticks : numpy.ndarray of int64
        Units since 1970, or lengths.
    time : str
        The numpy type, such as ``datetime64[ms]``.
    zone : str
        The time zone in which dates are written; the ticks count in UTC.

    Returns
    -------
    list of str

    Examples
    --------
    >>> tick_texts(np.array([0, 60]), "datetime64[s]", "Asia/Tokyo")
    ['1970-01-01T09:00', '1970-01-01T09:01']
    """
    if not time.startswith("datetime"):
        return _duration_texts(ticks, time)
    n = len(np.unique(ticks))
    text: list[str] = []
    own = time[len("datetime64[") : -1]
    for shown in dict.fromkeys((zone, "")):  # UTC if a clock of the zone shows an hour twice
        local = _local(ticks, time, shown).astype(time)
        for unit in _UNITS[: _UNITS.index(own) + 1]:
            text = np.datetime_as_string(local, unit=unit, casting="unsafe").tolist()  # type: ignore[call-overload]
            if len(set(text)) == n:
                return [f"{t}Z" for t in text] if shown != zone else text
    return text


def periods(ticks: np.ndarray, time: str, zone: str, by: str) -> tuple[np.ndarray, tuple[str, ...]]:
    """Make states of dates by the calendar, in the time zone of the column.

    Parameters
    ----------
    ticks, time, zone
        As for `tick_texts`.
    by : str
        One of `CALENDAR`.

    Returns
    -------
    codes : numpy.ndarray of int
    labels : tuple of str
        In the order of time.

    Examples
    --------
    >>> codes, labels = periods(np.array([0, 40]), "datetime64[D]", "", "month")
    >>> codes.tolist(), labels
    ([0, 1], ('1970-01', '1970-02'))
    """
    local, per_day = _local(ticks, time, zone), _PER_DAY[time[len("datetime64[") : -1]]
    days = (local // per_day).astype("datetime64[D]")
    if by in ("year", "month"):
        found, codes = np.unique(days.astype(f"datetime64[{by[0].upper()}]"), return_inverse=True)
        return codes, tuple(map(str, found))
    if by == "month-of-year":
        numbers = days.astype("datetime64[M]").astype(np.int64) % 12 + 1
    elif by == "weekday":
        numbers = (local // per_day + 3) % 7
    else:
        numbers = local % per_day * 24 // per_day
    found, codes = np.unique(numbers, return_inverse=True)
    names = (WEEKDAYS[n] if by == "weekday" else f"{n:02d}" for n in found)
    return codes, tuple(names)


def dates_of(labels: pa.Array) -> pa.Array | None:
    """Read texts such as ``2020-01-31`` or ``2020-01-31T12:30:00+02:00``; None if one is no date.

    Dates may have slashes, ``2020/01/31``. Dates with an offset are in UTC.
    """
    if len(labels) and _SLASHES.match(labels[0].as_py()):
        labels = pc.replace_substring_regex(labels, _SLASHES.pattern, r"\1-\2-")
    if len(labels) == 0 or not _ISO_START.match(labels[0].as_py()):
        return None
    if not pc.all(pc.match_substring_regex(labels, pattern=_ISO)).as_py():
        return None
    texts = labels.to_pylist()
    zoned = {text.endswith("Z") or bool(re.search(r":.*[+-]", text)) for text in texts}
    if len(zoned) > 1:
        return None
    try:
        dates = pd.to_datetime(pd.Index(texts), format="ISO8601", utc=zoned.pop())
        return pa.array(dates.as_unit("ns" if "." in "".join(texts) else "s"))
    except (ValueError, OverflowError):  # there is no 31 February
        return None


def _local(ticks: np.ndarray, time: str, zone: str) -> np.ndarray:
    """Return ticks that read like the clock of a time zone."""
    if not zone:
        return ticks
    moments = pa.array(ticks, pa.int64()).cast(pa.timestamp(time[len("datetime64[") : -1], zone))
    try:
        return pc.local_timestamp(moments).cast(pa.int64()).to_numpy()
    except (pa.ArrowException, OSError):  # an unknown zone, or no list of zones on this machine
        return ticks


def _duration_texts(ticks: np.ndarray, time: str) -> list[str]:
    """Write durations as pandas does, and as numbers of units where pandas cannot."""
    lengths = ticks.astype(time)
    try:
        return [str(pd.Timedelta(length)) for length in lengths]
    except (OverflowError, ValueError):
        return [str(length) for length in lengths]
