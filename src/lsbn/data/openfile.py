"""Open text files, packed or not; a file that unpacks to too much is refused."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa

from lsbn.data.columns import DataError
from lsbn.data.memory import available_memory, require_memory

_LARGEST_RATIO, _PLAUSIBLE = 250, 1 << 28
"""A file that unpacks to more bytes than both, by its size and in all, is refused."""
_SPACED = re.compile(r'"((?:[^"]|"")*)"|(\S+)')


class _Counted(io.RawIOBase):
    """A stream of unpacked text that stops if memory cannot hold it, or if it is suspicious."""

    def __init__(self, file: gzip.GzipFile, sep: str, path: Path, bytes_per_cell: int) -> None:
        self._file, self._sep, self._path = file, sep.encode(), path
        self._bytes_per_cell = bytes_per_cell
        self._cells, self._free = 0, available_memory()
        self._bytes, self._most = 0, max(_PLAUSIBLE, _LARGEST_RATIO * path.stat().st_size)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        text = self._file.read(len(buffer))
        buffer[: len(text)] = text
        self._cells += text.count(self._sep) + text.count(b"\n") + len(text) // 64
        require_memory(self._cells, str(self._path), self._free, self._bytes_per_cell)
        self._bytes += len(text)
        if self._bytes > self._most:
            raise DataError(
                f"{self._path}: unpacks to more than {_LARGEST_RATIO} times its size, which real "
                "tables hardly do; if the table is right, unpack it first (gunzip)"
            )
        return len(text)


@contextmanager
def open_bytes(path: Path, sep: str, bytes_per_cell: int) -> Iterator[Any]:
    """Open a file for pyarrow, decompressed, with tabs in the place of spaces."""
    packed = path.name.lower().endswith(".gz")
    if sep == " ":
        buffer = io.BytesIO()
        with _counted_text(path, sep, bytes_per_cell) if packed else open_text(path) as lines:
            for line in lines:
                buffer.write("\t".join(map(_quoted, spaced_fields(line))).encode() + b"\n")
        yield pa.BufferReader(buffer.getbuffer())
    elif packed:
        with gzip.open(path, "rb") as file:
            yield pa.PythonFile(_Counted(file, sep, path, bytes_per_cell), "r")
    else:
        with pa.input_stream(str(path), compression=None) as stream:
            yield stream


def spaced_fields(line: str) -> list[str]:
    """Split a line at spaces and tabs that are not within double quotes.

    >>> spaced_fields('1  "New York" 2.5')
    ['1', 'New York', '2.5']
    """
    if '"' not in line:
        return line.split()
    return [bare or quoted.replace('""', '"') for quoted, bare in _SPACED.findall(line)]


def _quoted(field: str) -> str:
    """Quote a field of a line with tabs, if needed."""
    return '"' + field.replace('"', '""') + '"' if "\t" in field or '"' in field else field


@contextmanager
def _counted_text(path: Path, sep: str, bytes_per_cell: int) -> Iterator[TextIO]:
    with gzip.open(path, "rb") as file:
        stream = io.BufferedReader(_Counted(file, sep, path, bytes_per_cell))
        yield io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")


def open_text(path: Path) -> TextIO:
    """Open a text file, decompressed."""
    if path.name.lower().endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return open(path, encoding="utf-8-sig", newline="")


@contextmanager
def file_errors(path: Path) -> Iterator[None]:
    """Turn the errors of reading a text file into messages for the user."""
    try:
        yield
    except UnicodeDecodeError as error:
        wide = error.object[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
        raise DataError(
            f"{path}: not UTF-8 text ({error}); save the file as UTF-8, for example by "
            f"iconv -f {'utf-16' if wide else 'latin1'} -t utf-8"
        ) from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"{path}: damaged or not gzip ({error}); write it again") from error
    except csv.Error as error:
        raise DataError(f"{path}: not readable as CSV ({error})") from error
