"""Options of the coding of a table."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

from lsbn.data.columns import DataError
from lsbn.data.discretize import STRATEGIES

__all__ = ["TableOptions"]

MISSING = ("error", "drop", "state")
MOST_STATES = 65_536
"""A code is at most 16 bits wide."""


@dataclass(frozen=True)
class TableOptions:
    """The options of `lsbn.Dataset.from_table`, checked.

    Attributes
    ----------
    discretize, bins, missing, max_states
        See `lsbn.Dataset.from_table`.

    Raises
    ------
    DataError
        If an option is unknown or out of range.

    Examples
    --------
    >>> TableOptions(None, 1, "error", 64)
    Traceback (most recent call last):
        ...
    lsbn.data.columns.DataError: bins is 1; use a whole number from 2 to max_states (64)
    """

    discretize: str | None
    bins: int
    missing: str
    max_states: int

    def __post_init__(self) -> None:
        if self.discretize not in (None, *STRATEGIES):
            raise DataError(f"discretize is {self.discretize!r}; use one of {STRATEGIES} or None")
        if self.missing not in MISSING:
            raise DataError(f"missing is {self.missing!r}; use one of {MISSING}")
        if not _between(self.max_states, 2, MOST_STATES):
            raise DataError(
                f"max_states is {self.max_states!r}; use a whole number from 2 to {MOST_STATES}"
            )
        if not _between(self.bins, 2, self.max_states):
            raise DataError(
                f"bins is {self.bins!r}; use a whole number from 2 to max_states "
                f"({self.max_states})"
            )


def _between(value: object, low: int, high: int) -> bool:
    """Return whether a value is a whole number from `low` to `high`."""
    return isinstance(value, Integral) and low <= int(value) <= high
