"""Find columns of text that look like numbers, dates or times.

lsbn reads numbers with a point, and dates as 2024-11-22. Amounts such as $1,200 stay text. With
many states they would be left out like identifiers, so the user is told what they look like.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from lsbn.data.columns import Column, listing
from lsbn.data.doubts import marks_among_numbers

__all__ = ["lookalike_notes", "slip_notes"]

FEWEST, NEARLY_ALL = 13, 0.9
"""Fewer labels are states. Of more labels, this share has to look alike."""
_DATE = re.compile(
    r"([0-9]{1,2}[/.-][0-9]{1,2}[/.-][0-9]{4}|[0-9]{4}([/.-])[0-9]{1,2}\2[0-9]{1,2})([ T][0-9:. ]+"
    r"([aApP][mM])?)?"
)
_TIME = re.compile(r"[0-9]{1,2}:[0-5][0-9](:[0-5][0-9])?( ?[aApP][mM])?")
_SIGN = "[$€£¥₹%]"
_GAP = "[,.'\u2019 \u00a0\u202f]"
_AMOUNT = re.compile(
    f"[+-]?({_SIGN} ?)?[+-]?([0-9]{{1,3}}({_GAP}[0-9]{{3}})*|[0-9]+)([.,][0-9]+)?( ?{_SIGN})?"
)
_PLAIN = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
_POINT = re.compile(r"(?<![.,])\.(?=[0-9]+[^0-9.,]*$)")
"""A decimal point."""
_KINDS = {
    "dates": "lsbn reads dates as YYYY-MM-DD, such as 2024-11-22",
    "times of day": "lsbn reads numbers, such as 14.5 hours",
}


def lookalike_notes(columns: Iterable[Column]) -> list[str]:
    """Name columns of text that look like numbers, dates or times, and say how to write them.

    Examples
    --------
    >>> prices = tuple(f"${i},000" for i in range(1, 20))
    >>> lookalike_notes([Column("price", np.arange(19), None, prices)])
    ["text looks like numbers with '$' and ',' in 'price' ('$1,000'); lsbn reads \
numbers as 1234.5, without such signs"]
    """
    groups: dict[str, list[str]] = {}
    for column in columns:
        if kind := _looks_like(column):
            shown = f"{column.name!r} ({(column.labels or ('',))[0]!r})"
            groups.setdefault(kind, []).append(shown)
    notes = []
    for kind, names in groups.items():
        cure = _KINDS.get(kind, "lsbn reads numbers as 1234.5, without such signs")
        notes.append(f"text looks like {kind} in {listing(names)}; {cure}")
    return notes


def _looks_like(column: Column) -> str:
    """Return what most labels of a column look like, or an empty text."""
    labels = column.labels or ()
    if len(labels) < FEWEST:
        return ""
    for kind, pattern in (("dates", _DATE), ("times of day", _TIME)):
        if _share(pattern, labels):
            return kind
    if not _share(_AMOUNT, labels):
        return ""
    amounts = [t for t in labels if _AMOUNT.fullmatch(t) and not _PLAIN.fullmatch(t)]
    signs = re.sub("[-+0-9]", "", "".join(_POINT.sub("", text) for text in amounts))
    words = dict.fromkeys("spaces" if sign.isspace() else repr(sign) for sign in signs)
    return f"numbers with {' and '.join(words)}" if 2 * len(amounts) > len(labels) else ""


def _share(pattern: re.Pattern[str], labels: tuple[str, ...]) -> bool:
    """Return whether a pattern matches nearly all labels."""
    bad, most = 0, (1 - NEARLY_ALL) * len(labels)
    for label in labels:
        bad += not pattern.fullmatch(label)
        if bad > most:
            return False
    return True


def slip_notes(columns: Iterable[Column]) -> list[str]:
    """Name the few values that keep columns from being numbers.

    Examples
    --------
    >>> labels = ("1", "2", "3", "4", "unknown")
    >>> slip_notes([Column("age", np.arange(5), None, labels)])
    ["'age' has numbers, except 'unknown' (1 of 5 rows)"]
    """
    notes = []
    for column in columns:
        if marks := marks_among_numbers(column):
            labels = column.labels or ()
            count = int(np.isin(column.values, [labels.index(mark) for mark in marks]).sum())
            notes.append(
                f"{column.name!r} has numbers, except {listing(map(repr, marks))} "
                f"({count:,} of {len(column.values):,} rows)"
            )
    return notes
