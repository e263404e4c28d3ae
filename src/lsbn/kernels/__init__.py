"""Numerical kernels, compiled by numba: functions from arrays to arrays.

Compiled kernels are kept in numba's cache. A damaged cache, a full disk or a folder that cannot be
written cost time, because kernels are compiled again; they are never an error. A change of any
kernel makes all compiled ones useless, because kernels call each other across files.
"""

import hashlib
import os
import pickle
import tempfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any

from numba import config
from numba.core import caching

__all__: list[str] = []


class _CheckedFile(caching.IndexDataCacheFile):
    """The file of a compiled kernel, with a checksum: damaged code would end the whole program."""

    def _save_data(self, name: str, data: Any) -> None:
        text = self._dump(data)
        with self._open_for_write(self._data_path(name)) as file:
            file.write(text + _checksum(text))

    def _load_data(self, name: str) -> Any:
        whole = Path(self._data_path(name)).read_bytes()
        text, checksum = whole[:-4], whole[-4:]
        if _checksum(text) != checksum:
            raise ValueError(f"{name} is damaged")
        return pickle.loads(text)


def _checksum(text: bytes) -> bytes:
    return zlib.crc32(text).to_bytes(4, "little")


def _forgiving(method: Callable[..., Any]) -> Callable[..., Any]:
    """Make a method of numba's cache return None after an error, for our own kernels only."""

    @wraps(method)
    def careful(cache: Any, *arguments: Any) -> Any:
        try:
            if _ours(cache):
                cache._cache_file.__class__ = _CheckedFile
            result = method(cache, *arguments)
            # two processes that store different versions of a kernel at once may mix them up
            mixed_up = result is not None and result.signature.args != tuple(arguments[0])
            return None if mixed_up and _ours(cache) else result
        except Exception:
            if not _ours(cache):
                raise
            with suppress(OSError):
                cache.flush()  # an empty index: the kernel is compiled again
            return None

    return careful


def _ours(cache: Any) -> bool:
    function = getattr(cache, "_py_func", None)
    return str(getattr(function, "__module__", "")).startswith("lsbn.")


def _with_all_kernels(index_key: Callable[..., tuple]) -> Callable[..., tuple]:
    """Make the key of a compiled kernel depend on the text of all our kernels."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())

    @wraps(index_key)
    def longer(cache: Any, *arguments: Any) -> tuple:
        key = index_key(cache, *arguments)
        return (*key, digest.hexdigest()) if _ours(cache) else key

    return longer


def _writable(folder: Path) -> bool:
    """Return whether a folder is there, or can be made, and takes files."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _place_of_cache() -> str:
    """Return a new folder for compiled kernels if numba would find none, else an empty text."""
    if getattr(config, "CACHE_DIR", "") or _writable(Path(__file__).parent / "__pycache__"):
        return ""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return "" if _writable(Path(home) / "numba") else tempfile.mkdtemp(prefix="lsbn-kernels-")


if place := _place_of_cache():
    config.CACHE_DIR = place  # type: ignore[attr-defined]
for name in ("load_overload", "save_overload"):
    setattr(caching.FunctionCache, name, _forgiving(getattr(caching.FunctionCache, name)))
setattr(caching.FunctionCache, "_index_key", _with_all_kernels(caching.FunctionCache._index_key))  # noqa: B010
