"""Leave out columns, and mark the values that mean 'missing', before the states are coded."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from lsbn.data.columns import Column, DataError, listing
from lsbn.data.options import TableOptions

__all__ = ["chosen", "with_na"]


def chosen(names: Sequence[str], options: TableOptions) -> list[int]:
    """Return the places of the columns that the options ``drop`` and ``keep`` leave.

    Raises
    ------
    DataError
        If an option names a column that is not there.

    Examples
    --------
    >>> chosen(["a", "b", "c"], TableOptions(drop="b"))
    [0, 2]
    """
    for option in ("drop", "keep", "cuts"):
        _require_known(tuple(getattr(options, option)), option.replace("cuts", "discretize"), names)
    left = set(options.keep or names) - set(options.drop)
    return [place for place, name in enumerate(names) if name in left]


def _require_known(asked: Sequence[str], option: str, names: Sequence[str]) -> None:
    unknown = [name for name in asked if name not in set(names)]
    if unknown and (whole := [name for name in names if _is_split(name, asked)]):
        quoted = '"' + whole[0].replace('"', '""') + '"'
        raise DataError(
            f"{option} (--{option}): the name {whole[0]!r} has a comma; write it within double "
            f"quotes (--{option} {shlex.quote(quoted)})"
        )
    if unknown:
        near = difflib.get_close_matches(unknown[0], names, 1)
        hint = (
            f"; did you mean {near[0]!r}?" if near else f"; there are {listing(map(repr, names))}"
        )
        raise DataError(
            f"{option} (--{option}) names columns that the table does not have: "
            f"{listing(map(repr, unknown))}{hint}"
        )


def _is_split(name: str, asked: Sequence[str]) -> bool:
    """Return whether a name was split at its commas.

    >>> _is_split("City, State", ["age", "City", "State"])
    True
    """
    return "," in name and {part.strip() for part in name.split(",") if part.strip()} <= set(asked)


def with_na(column: Column, spellings: Iterable[str]) -> Column:
    """Mark more values of a column as missing: labels, or numbers of the same size.

    Parameters
    ----------
    column : Column
    spellings : iterable of str
        Such as ``?`` or ``-999``.

    Returns
    -------
    Column

    Examples
    --------
    >>> with_na(Column("x", np.array([1.5, -999.0])), ["?", "-999"]).missing
    array([False,  True])
    """
    if column.labels is not None:
        gone = {i for i, label in enumerate(column.labels) if label in spellings}
        marked = np.isin(column.values, list(gone))
        left = [i for i in range(len(column.labels)) if i not in gone]
        place = np.full(len(column.labels) + 1, -1, column.values.dtype)
        place[left] = np.arange(len(left))
        labels = tuple(column.labels[i] for i in left)
        changed = replace(column, values=place[column.values], labels=labels)
    elif not column.time and not column.nested:
        marked = np.zeros(len(column.values), bool)
        for number in map(_number, spellings):
            marked |= column.values == number
        changed = column
    else:
        return column
    if not marked.any():
        return column
    missing = marked if column.missing is None else marked | column.missing
    return replace(changed, missing=missing)


def _number(text: str) -> int | float:
    """Read a number; a text that is none becomes NaN, which equals no value."""
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return float("nan")
