"""Find the numbers and dates among the texts of a file."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lsbn.data.calendar import dates_of

__all__ = ["typed"]

_INTEGER = r"^-?(0|[1-9][0-9]*)$"
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$|^[+-]?([iI]nf|[iI]nfinity)$"
_ZERO_PADDED = r"^[+-]?0[0-9]"
_DECIMAL_COMMA = r"^-?(0|[1-9][0-9]*)(,[0-9]+)?$"
_THOUSANDS = r"^-?[0-9]+(,[0-9]{3})?$"


def typed(column: pa.DictionaryArray, *, comma: bool = False) -> pa.Array:
    """Give a text column a numeric type if every entry is a number, or dates if all are dates.

    Zero-padded codes ('007') stay text: as numbers, '07' and '007' would become one state. Spaces
    around numbers are left out, and around other texts if all of them start with a space.

    Parameters
    ----------
    column : pyarrow.DictionaryArray
    comma : bool
        Whether numbers may have a decimal comma, such as '1,5'. If all of them have three digits
        after it, the comma may separate thousands, and they stay text.

    Returns
    -------
    pyarrow.Array
        The column itself if it holds other text.

    Examples
    --------
    >>> typed(pa.array(["1", "2.5"]).dictionary_encode()).to_pylist()
    [1.0, 2.5]
    """
    column = _without_spaces(column)
    labels = column.dictionary
    if len(labels) == 0:
        return column
    if (dates := dates_of(labels)) is not None:
        return dates.take(column.indices)
    if comma and _all_match(labels, _DECIMAL_COMMA) and not _all_match(labels, _THOUSANDS):
        labels = pc.replace_substring(labels, ",", ".")
    if not re.match(_NUMBER, labels[0].as_py()):
        return column
    if _all_match(labels, _INTEGER):
        try:
            return labels.cast(pa.int64()).take(column.indices)
        except pa.ArrowInvalid:  # identifiers longer than 64 bits
            return column
    if not _all_match(labels, _NUMBER) or pc.any(_match(labels, _ZERO_PADDED)).as_py():
        return column
    try:
        numbers = labels.cast(pa.float64()).to_numpy()
    except pa.ArrowInvalid:  # a sign or a blank, which only Python reads
        numbers = np.array([float(v) for v in labels.to_pylist()])
    return pa.array(numbers).take(column.indices) if np.isfinite(numbers).any() else column


def _without_spaces(column: pa.DictionaryArray) -> pa.DictionaryArray:
    """Leave out the spaces around the entries of a column; entries of spaces only are missing."""
    labels = column.dictionary
    trimmed = pc.utf8_trim_whitespace(labels)
    if trimmed.equals(labels):
        return column
    trimmed = pc.if_else(pc.equal(trimmed, ""), None, trimmed)
    if _all_match(labels, r"^\s") or _all_match(trimmed.drop_null(), _NUMBER):
        return trimmed.take(column.indices).dictionary_encode()
    return column


def _match(labels: pa.Array, pattern: str) -> pa.Array:
    return pc.match_substring_regex(labels, pattern=pattern)


def _all_match(labels: pa.Array, pattern: str) -> bool:
    return bool(pc.all(_match(labels, pattern)).as_py())
