"""Plain values with arrays, written to files.

Each file is an ``.npz`` with one array for each type of number, and an index in JSON: the values by
name, with places in the arrays instead of arrays. Nothing is pickled.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Mapping
from functools import lru_cache
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from lsbn.files import atomic_file

__all__ = [
    "Flat",
    "arrays_of",
    "decoded",
    "encoded",
    "index_of",
    "read_value",
    "write",
    "write_value",
]

_SCALARS = (int, float, str, bool, type(None))
_INDEX, _VALUE, _SUFFIX = "index", "value", ".npy"
_UNREADABLE = (
    *(EOFError, OSError, ValueError, KeyError, RuntimeError),
    *(zipfile.BadZipFile, zlib.error),
)
"""Errors of files that are damaged, for example after a power cut."""


def write_value(path: Path, value: Any) -> None:
    """Write one plain value to a file, whole or not at all."""
    arrays: dict[str, Flat] = {}
    tree = encoded(value, arrays)
    with atomic_file(path) as draft:
        write(draft, {_VALUE: tree}, arrays)


def read_value(path: Path) -> Any:
    """Return what `write_value` wrote, None if the file cannot be read."""
    try:
        arrays = arrays_of.__wrapped__(path) or {}
        return decoded(index_of(path)[_VALUE], arrays, copies=False)
    except _UNREADABLE:
        return None


class Flat:
    """Arrays of one type one after the other."""

    def __init__(self) -> None:
        self.parts: list[np.ndarray] = []
        self.size = self.kept = 0

    def append(self, array: np.ndarray) -> int:
        """Append an array, and return where it begins."""
        start, self.size = self.size, self.size + array.size
        self.parts.append(array.reshape(-1))
        return start

    def keep(self) -> None:
        """Copy the arrays that were appended: they may change before they are written."""
        self.parts[self.kept :] = [part.copy() for part in self.parts[self.kept :]]
        self.kept = len(self.parts)

    def joined(self) -> np.ndarray:
        """Return all arrays as one; a single one, such as a table, is not copied."""
        return self.parts[0] if len(self.parts) == 1 else np.concatenate(self.parts)


def write(path: Path, trees: Mapping[str, Any], arrays: Mapping[str, Flat]) -> None:
    """Write encoded values as an ``.npz`` file, which is not compressed: this takes too long."""
    index = json.dumps(trees)
    parts = {name: flat.joined() for name, flat in arrays.items()}
    parts[_INDEX] = np.frombuffer(index.encode(), np.uint8)
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in parts.items():
            with archive.open(name + _SUFFIX, "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)


def encoded(value: Any, arrays: dict[str, Flat]) -> Any:
    """Return a value for JSON, and append its arrays to the flat arrays by type."""
    if isinstance(value, np.generic):
        return {"s": encoded(np.asarray(value), arrays)}
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biuf" or not value.dtype.isnative:
            raise TypeError(f"an array of {value.dtype} cannot be stored in a checkpoint")
        kind = value.dtype.str[1:]
        if kind not in arrays:
            arrays[kind] = Flat()
        return [kind, arrays[kind].append(value), *value.shape]
    if isinstance(value, list | tuple):
        items = [x if type(x) in _SCALARS else encoded(x, arrays) for x in value]
        return {"lt"[isinstance(value, tuple)]: items}
    if isinstance(value, dict):
        if not all(type(key) in _SCALARS for key in value):
            raise TypeError("a dict with keys of other types cannot be stored in a checkpoint")
        return {"d": [[key, encoded(item, arrays)] for key, item in value.items()]}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{type(value).__name__} cannot be stored in a checkpoint")


def decoded(tree: Any, arrays: Mapping[str, np.ndarray], *, copies: bool = True) -> Any:
    """Return the value of `encoded`, with copies of the arrays if others take them as well."""
    if isinstance(tree, list):
        name, start, *shape = tree
        flat = arrays[name][start : start + prod(shape)]
        found = flat if len(shape) == 1 else flat.reshape(shape)
        return found.copy() if copies else found
    if not isinstance(tree, dict):
        return tree
    ((kind, content),) = tree.items()
    if kind == "s":
        return decoded(content, arrays, copies=False)[()]
    if kind == "d":
        return {key: decoded(item, arrays, copies=copies) for key, item in content}
    items = [decoded(x, arrays, copies=copies) if type(x) in (dict, list) else x for x in content]
    return tuple(items) if kind == "t" else items


def index_of(path: Path) -> dict[str, Any]:
    """Return the index of a file; a file that cannot be read has no pieces."""
    try:
        with zipfile.ZipFile(path) as archive:
            return json.loads(_member(archive, _INDEX).tobytes())
    except _UNREADABLE:
        return {}


@lru_cache(maxsize=4)
def arrays_of(path: Path) -> dict[str, np.ndarray] | None:
    """Return the arrays of a file, None if any is damaged.

    Pieces of one file are mostly read one after the other.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            names = [name.removesuffix(_SUFFIX) for name in archive.namelist()]
            return {name: _member(archive, name) for name in names if name != _INDEX}
    except _UNREADABLE:
        return None


def _member(archive: zipfile.ZipFile, name: str) -> np.ndarray:
    """Return an array of a file. With its last byte the archive compares the check sum."""
    with archive.open(name + _SUFFIX) as file:
        array = np.lib.format.read_array(file, allow_pickle=False)
        if file.read(1):
            raise ValueError(f"{name} has more numbers than its header tells")
    return array
