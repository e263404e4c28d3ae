"""Read lists of edges from CSV files."""

import csv
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lsbn.files import plain_name, require_ordinary

__all__ = ["has_probabilities", "read_edges"]


def has_probabilities(path: str | os.PathLike[str]) -> bool:
    """Return whether a list of edges has a column of probabilities."""
    with _rows(path) as reader:
        return len(_header(path, reader)) == 3


def read_edges(path: str | os.PathLike[str]) -> list[tuple[str, str, float]]:
    """Read a CSV file with the header ``source,target`` or ``source,target,probability``.

    Parameters
    ----------
    path : str or path
        The file, UTF-8.

    Returns
    -------
    list of (str, str, float)
        Source, target and probability of each edge. Without a third column the probability is 1.

    Raises
    ------
    ValueError
        If the file is not such a list, or lists an edge twice; the message has the line.
    """
    edges: list[tuple[str, str, float]] = []
    seen: set[tuple[str, str]] = set()
    with _rows(path) as reader:
        header = _header(path, reader)
        for row in reader:
            if not row:
                continue
            where = f"{path}, line {reader.line_num}"
            if len(row) != len(header):
                raise ValueError(f"{where}: {len(header)} fields expected, {len(row)} found")
            u, v = plain_name(row[0]), plain_name(row[1])
            if (u, v) in seen:
                raise ValueError(f"{where}: edge {u!r} -> {v!r} is listed twice")
            seen.add((u, v))
            edges.append((u, v, _probability(row[2], where) if row[2:] else 1.0))
    return edges


@contextmanager
def _rows(path: str | os.PathLike[str]) -> Iterator[Any]:
    """Open a CSV file; what is no CSV in UTF-8 is an error with its name."""
    require_ordinary(path)
    with open(path, encoding="utf-8-sig", newline="") as file:
        try:
            yield csv.reader(file, strict=True)
        except (UnicodeDecodeError, csv.Error) as error:
            raise ValueError(f"{path}: not a CSV file in UTF-8 ({error})") from error


def _header(path: str | os.PathLike[str], reader: Iterator[list[str]]) -> list[str]:
    header = next(reader, [])
    if header[:2] != ["source", "target"] or header[2:] not in ([], ["probability"]):
        raise ValueError(
            f"{path}: the header must be source,target or source,target,probability, "
            f"found {','.join(header)[:80]!r}"
        )
    return header


def _probability(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not 0 <= value <= 1:
        raise ValueError(f"{where}: {text!r} is not a probability")
    return value
