"""Read ARFF files, the tables of Weka and OpenML."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from lsbn.data.columns import DataError
from lsbn.data.textnumbers import typed

__all__ = ["read_arff"]

_ATTRIBUTE = re.compile(
    r"@attribute\s+('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^\s{]+)\s*(\{.*\}|\w+)", re.IGNORECASE
)


def read_arff(path: Path) -> pa.Table:
    """Read a dense ARFF file.

    Nominal attributes keep the order of their declaration. A question mark is a missing value.

    Parameters
    ----------
    path : Path
        A UTF-8 file.

    Returns
    -------
    pyarrow.Table

    Raises
    ------
    DataError
        If the file is no such table; the message has the line.
    """
    names: list[str] = []
    levels: list[list[str] | None] = []
    rows: list[list[str]] = []
    try:
        with open(path, encoding="utf-8-sig") as file:
            for number, line in _header(path, file):
                name, kind = _attribute(path, number, line)
                names.append(name)
                levels.append(_fields(kind[1:-1]) if kind.startswith("{") else None)
            for number, line in enumerate(file, 1):
                if line.strip() and not line.lstrip().startswith("%"):
                    rows.append(_row(path, number, line, len(names)))
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 text ({error}); save the file as UTF-8") from error
    except csv.Error as error:
        raise DataError(f"{path}: not readable as ARFF ({error})") from error
    cells = zip(*rows, strict=True) if rows else [()] * len(names)
    columns = [_column(list(c), level) for c, level in zip(cells, levels, strict=True)]
    return pa.table(columns, names=names)


def _header(path: Path, file: Iterator[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines with attributes; stop after the line ``@data``."""
    for number, line in enumerate(file, 1):
        word = line.strip().split(maxsplit=1)[:1]
        if word and word[0].lower() == "@attribute":
            yield number, line.strip()
        elif word and word[0].lower() == "@data":
            return
        elif word and word[0].lower() != "@relation" and not word[0].startswith("%"):
            raise DataError(f"{path}, line {number}: expected @attribute or @data")
    raise DataError(f"{path}: no line @data; an ARFF file has one before its rows")


def _attribute(path: Path, number: int, line: str) -> tuple[str, str]:
    found = _ATTRIBUTE.match(line)
    if found is None:
        raise DataError(f"{path}, line {number}: expected @attribute NAME TYPE")
    return _unquoted(found[1]), found[2]


def _row(path: Path, number: int, line: str, width: int) -> list[str]:
    if line.lstrip().startswith("{"):
        raise DataError(f"{path}: sparse ARFF rows are not read; save the table as CSV")
    fields = _fields(line)
    if len(fields) != width:
        raise DataError(
            f"{path}: row {number} after @data has {len(fields)} fields, {width} expected; "
            "correct the line"
        )
    return fields


def _fields(line: str) -> list[str]:
    quote = "'" if "'" in line else '"'
    row = csv.reader([line.strip()], quotechar=quote, escapechar="\\", skipinitialspace=True)
    return [_unquoted(field.strip()) for field in next(row, [])]


def _unquoted(word: str) -> str:
    if len(word) > 1 and word[0] == word[-1] and word[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", word[1:-1])
    return word


def _column(cells: list[str], levels: list[str] | None) -> pa.Array:
    texts = pa.array([None if cell == "?" else cell for cell in cells], pa.string())
    known = set(levels or ())
    if levels is None or not all(cell in known or cell == "?" for cell in cells):
        return typed(texts.dictionary_encode())
    place = {level: i for i, level in enumerate(dict.fromkeys(levels))}
    codes = pa.array([place.get(cell) for cell in cells], pa.int32())
    return pa.DictionaryArray.from_arrays(codes, pa.array(list(place), pa.string()), ordered=True)
