"""Write a sampled table as CSV, compressed CSV or Parquet."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from lsbn.files import safe_name

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Writer", "writer_for"]


class Labelled(Protocol):
    """Variables with names and states, such as a network."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables."""

    @property
    def states(self) -> tuple[tuple[str, ...], ...]:
        """States of each variable."""


Writer: TypeAlias = "Callable[[Path, Labelled, np.ndarray, Sequence[int]], None]"
"""Writes the state codes (one row per variable) of the given columns to a file."""

BLOCK = 2_000
"""Rows of a CSV file that are formatted at once."""


def writer_for(target: Path) -> Writer:
    """Choose how to write a table by the ending of the file's name."""
    name = target.name.lower()
    writers: dict[str, Writer] = {
        ".csv": _write_csv,
        ".csv.gz": _write_csv_gz,
        ".parquet": _write_parquet,
    }
    for suffix, writer in writers.items():
        if name.endswith(suffix) and name != suffix:
            return writer
    raise ValueError(f"{str(target)!r} must end in {', '.join(writers)}")


def _write_csv(path: Path, net: Labelled, codes: np.ndarray, columns: Sequence[int]) -> None:
    with open(path, "wb") as file:
        file.writelines(_csv_lines(net, codes, columns))


def _write_csv_gz(path: Path, net: Labelled, codes: np.ndarray, columns: Sequence[int]) -> None:
    """Write without a name and a time in the gzip header: same table, same bytes."""
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as file:
        for lines in _csv_lines(net, codes, columns):
            file.write(lines)


def _write_parquet(path: Path, net: Labelled, codes: np.ndarray, columns: Sequence[int]) -> None:
    import pandas as pd

    table = pd.DataFrame(
        {
            net.names[v]: pd.Categorical.from_codes(codes[v], categories=list(net.states[v]))
            for v in columns
        }
    )
    table.to_parquet(path, index=False)


def _csv_lines(net: Labelled, codes: np.ndarray, columns: Sequence[int]) -> Iterator[bytes]:
    """Yield the header and blocks of rows; each state is quoted once, not once per cell."""
    import numpy as np

    yield (",".join(_quoted(safe_name(net.names[v])) for v in columns) + "\n").encode()
    words = {
        v: np.array([_quoted(safe_name(s)) for s in net.states[v]], dtype=object) for v in columns
    }
    for start in range(0, codes.shape[1], BLOCK):
        block = [words[v][codes[v, start : start + BLOCK]].tolist() for v in columns]
        yield ("\n".join(map(",".join, zip(*block, strict=True))) + "\n").encode()


def _quoted(word: str) -> str:
    """Quote a CSV field where RFC 4180 asks for it, and an empty field, to avoid an empty line."""
    if not word or any(c in word for c in ',"\r\n') or word != word.strip():
        return '"' + word.replace('"', '""') + '"'
    return word
