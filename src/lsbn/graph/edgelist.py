"""Read lists of edges from CSV files."""

import csv
import os

__all__ = ["read_edges"]


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
    with open(path, encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, strict=True)
        try:
            header = next(reader, [])
            if header[:2] != ["source", "target"] or header[2:] not in ([], ["probability"]):
                raise ValueError(
                    f"{path}: the header must be source,target or source,target,probability, "
                    f"found {','.join(header)!r}"
                )
            for row in reader:
                if not row:
                    continue
                where = f"{path}, line {reader.line_num}"
                if len(row) != len(header):
                    raise ValueError(f"{where}: {len(header)} fields expected, {len(row)} found")
                if (row[0], row[1]) in seen:
                    raise ValueError(f"{where}: edge {row[0]!r} -> {row[1]!r} is listed twice")
                seen.add((row[0], row[1]))
                edges.append((row[0], row[1], _probability(row[2], where) if row[2:] else 1.0))
        except (UnicodeDecodeError, csv.Error) as error:
            raise ValueError(f"{path}: not a CSV file in UTF-8 ({error})") from error
    return edges


def _probability(text: str, where: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{where}: {text!r} is not a probability") from None
