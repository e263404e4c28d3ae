"""Options of the coding of a table.

The option ``discretize`` has one method for all columns, methods for single columns, or both. A
text has commas between its items; an item without a name is for all other columns:
``"quantile,age=uniform:4,when=month,zip=states"``. A dict has the names as keys, and None for all
other columns.

- ``quantile``, ``uniform``, ``kmeans``: intervals with the same number of rows, of the same width,
  or around clusters. A number of intervals may follow: ``quantile:4``. A column with no more
  different values than intervals keeps each value as a state.
- ``states``: each value is a state.
- ``year``, ``month``, ``month-of-year``, ``weekday``, ``hour``: dates by the calendar. As the
  method of all other columns, it is for columns of dates only.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, TypeAlias

from lsbn.data.columns import DataError
from lsbn.data.discretize import CALENDAR, STRATEGIES

__all__ = ["METHODS", "Cut", "Discretize", "TableOptions", "name_list"]

MISSING = ("error", "drop", "state", "infer")
METHODS = (*STRATEGIES, *CALENDAR, "states")
"""How the numbers or dates of a column become states; ``states`` keeps every value."""
MOST_STATES = 4_096
"""The table of two columns with this number of states has 16 million cells."""

Discretize: TypeAlias = "str | Mapping[str | None, str] | None"
"""One method for all columns, or methods by column; None as a name means all other columns."""

Names: TypeAlias = "str | Iterable[str]"
"""Names in a list, or in a text with commas between."""


@dataclass(frozen=True)
class Cut:
    """How one column of numbers becomes states.

    Attributes
    ----------
    method : str
        One of `METHODS`.
    bins : int
        Number of intervals.
    """

    method: str
    bins: int

    def __str__(self) -> str:
        return f"{self.method}, {self.bins} bins" if self.method in STRATEGIES else self.method

    def spec(self, bins: int) -> str:
        """Return the cut as an item of the option ``discretize``, beside the option ``bins``."""
        plain = self.bins == bins or self.method not in STRATEGIES
        return self.method if plain else f"{self.method}:{self.bins}"


@dataclass(frozen=True)
class TableOptions:
    """The options of `lsbn.Dataset.from_table`, checked.

    Attributes
    ----------
    discretize, bins, missing, max_states, drop, keep, na
        See `lsbn.Dataset.from_table`.
    default : Cut, optional
        The cut of all columns that have none of their own.
    cuts : dict of str to Cut
        The cuts of single columns.

    Raises
    ------
    DataError
        If an option is unknown or out of range.

    Examples
    --------
    >>> options = TableOptions("uniform,age=quantile:4")
    >>> options.cut("age"), options.cut("height")
    (Cut(method='quantile', bins=4), Cut(method='uniform', bins=5))
    >>> TableOptions(bins=1)
    Traceback (most recent call last):
        ...
    lsbn.data.columns.DataError: bins is 1; use a whole number from 2 to max_states (64)
    """

    discretize: Discretize = None
    bins: int = 5
    missing: str = "error"
    max_states: int = 64
    drop: Names = ()
    keep: Names = ()
    na: Names = ()
    default: Cut | None = field(init=False, default=None)
    cuts: dict[str, Cut] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        if self.missing not in MISSING:
            raise DataError(f"missing is {self.missing!r}; use one of {MISSING}")
        if not _between(self.max_states, 2, MOST_STATES):
            raise DataError(
                f"max_states is {self.max_states!r}; use a whole number from 2 to {MOST_STATES}"
            )
        self._check_bins(self.bins, "bins")
        for option in ("drop", "keep", "na"):
            object.__setattr__(self, option, name_list(getattr(self, option), option))
        cuts = {name: self._read_cut(name, text) for name, text in _items(self.discretize)}
        object.__setattr__(self, "default", cuts.pop(None, None))
        object.__setattr__(self, "cuts", cuts)

    def uses(self, name: str) -> bool:
        """Return whether ``drop`` and ``keep`` leave the columns of a name."""
        return name not in self.drop and (not self.keep or name in self.keep)

    def cut(self, name: str) -> Cut | None:
        """Return how a column of numbers is cut; None if no option says it."""
        return self.cuts.get(name, self.default)

    def _read_cut(self, name: str | None, text: Any) -> Cut:
        """Read ``method`` or ``method:bins``."""
        method, colon, number = str(text).strip().partition(":")
        if method not in METHODS or (colon and method not in STRATEGIES):
            of = "" if name is None else f" for {name!r}"
            shown = self.discretize if name is None else text
            raise DataError(
                f"discretize is {shown!r}{of}; use one of {', '.join(METHODS)}; the first three "
                "may have a number of intervals, such as quantile:4"
            )
        bins: Any = int(number) if number.isdecimal() else number if colon else self.bins
        self._check_bins(bins, f"bins of {name!r}" if name else "bins")
        return Cut(method, int(bins))

    def _check_bins(self, bins: object, name: str) -> None:
        if not _between(bins, 2, self.max_states):
            raise DataError(
                f"{name} is {bins!r}; use a whole number from 2 to max_states ({self.max_states})"
            )


def name_list(given: str | Iterable[Any], option: str) -> tuple[str, ...]:
    """Return names as a tuple; a text holds them with commas between, in quotes where needed.

    Examples
    --------
    >>> name_list('id, "last, first"', "drop")
    ('id', 'last, first')
    """
    if isinstance(given, str):
        return tuple(_fields(given))
    if given is None or not isinstance(given, Iterable):
        raise DataError(f"{option} is {given!r}; use a list of texts, or a text with commas")
    return tuple(map(str, given))


def _fields(text: str) -> list[str]:
    """Split a text at commas that are not within double quotes."""
    row = next(csv.reader([text.replace("\n", " ")], skipinitialspace=True), [])
    return [field.strip() for field in row if field.strip()]


def _items(discretize: Any) -> list[tuple[str | None, Any]]:
    """Return the names of columns with their methods; None for all other columns."""
    if discretize is None:
        return []
    if isinstance(discretize, Mapping):
        return list(discretize.items())
    if not isinstance(discretize, str):
        raise DataError(
            f"discretize is {discretize!r}; use a text such as 'quantile' or "
            "'quantile,age=uniform:4', a dict of such texts by column, or None"
        )
    items: list[tuple[str | None, Any]] = []
    for text in _fields(discretize):
        name, equals, method = text.rpartition("=")
        items.append((name.strip() if equals else None, method))
    if len({name for name, _ in items}) < len(items) or not items:
        raise DataError(f"discretize is {discretize!r}; give one method for each column")
    return items


def _between(value: object, low: int, high: int) -> bool:
    """Return whether a value is a whole number from `low` to `high`."""
    return isinstance(value, Integral) and not isinstance(value, bool) and low <= int(value) <= high
