"""Data of parallel calls, placed on every worker once.

The calls of `lsbn.parallel` that may leave this process take a tuple of data. Each object of the
tuple is wrapped in a `Placed`, and the same wrapper goes with every call. Processes of joblib map
the pickled bytes from a file. Dask gets a copy on each worker before the first call, and Ray one in
its object store. A worker unpickles the bytes once and keeps the object for later calls. So the
arrays on the worker may be written to, like those of the caller: kernels need no other version.
"""

from __future__ import annotations

import pickle
import secrets
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import cloudpickle
import numpy as np

__all__ = ["Placed", "Sealed", "on_all_workers", "placed"]

_KEPT = 6
"""Objects that a worker keeps; the one that was used least recently goes first."""
_here: OrderedDict[str, Any] = OrderedDict()
_lock = threading.Lock()
_known: weakref.WeakKeyDictionary[Any, Placed] = weakref.WeakKeyDictionary()


class Placed:
    """An object that every worker receives once.

    Parameters
    ----------
    data : object
        It can be pickled. It must not change.

    Attributes
    ----------
    token : str
        Name of the object on the workers.
    cluster : joblib backend of Dask, optional
        It keeps the copies of the object on the workers.

    Examples
    --------
    >>> there = pickle.loads(pickle.dumps(Placed([1, 2])))
    >>> there.data, pickle.loads(pickle.dumps(there)).data is there.data
    ([1, 2], True)
    """

    def __init__(self, data: Any, token: str | None = None) -> None:
        self.token = token or secrets.token_hex(16)
        self._bytes: np.ndarray | None = None
        self.cluster: Any = None
        self._data: Callable[[], Any] = lambda: data
        with suppress(TypeError):
            self._data = weakref.ref(data)

    @property
    def data(self) -> Any:
        """The object; the caller must keep it alive."""
        return self._data()

    def pickled(self) -> np.ndarray:
        """Return the bytes of the object; joblib maps one array of bytes into all processes."""
        if self._bytes is None:
            self._bytes = np.frombuffer(cloudpickle.dumps(self.data), np.uint8)
        return self._bytes

    def forget_bytes(self) -> None:
        """Free the memory of the pickled bytes."""
        self._bytes = None

    def __reduce__(self) -> tuple:
        return _arrived, (self.token, self.pickled())

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.pickled().nbytes

    def __dask_tokenize__(self) -> str:
        return self.token


class Sealed:
    """An object that is sent as bytes, so that its arrays may be written to where it arrives.

    Ray, and joblib with large arrays, would give the worker arrays that it can only read.

    Examples
    --------
    >>> pickle.loads(pickle.dumps(Sealed([1, 2]))).content
    [1, 2]
    """

    def __init__(self, content: Any) -> None:
        self.content = content

    def __reduce__(self) -> tuple:
        return _opened, (cloudpickle.dumps(self.content),)


def _opened(content: bytes) -> Sealed:
    return Sealed(pickle.loads(content))


class _Arrived(Placed):
    """A placed object on a worker, which keeps the object."""

    def __init__(self, data: Any, token: str) -> None:
        super().__init__(data, token)
        self._kept = data


def _arrived(token: str, content: np.ndarray) -> _Arrived:
    """Return a placed object on a worker; unpickle it if it is not here yet."""
    with _lock:
        if token not in _here:
            _here[token] = pickle.loads(content.tobytes())
            while len(_here) > _KEPT:
                _here.popitem(last=False)
        _here.move_to_end(token)
        return _Arrived(_here[token], token)


@contextmanager
def placed(data: Sequence[Any]) -> Iterator[tuple[Placed, ...]]:
    """Wrap objects for the workers; an object that was wrapped before keeps its wrapper."""
    wrapped = tuple(map(_wrapped, data))
    try:
        yield wrapped
    finally:
        for each in wrapped:
            each.forget_bytes()


def _wrapped(data: Any) -> Placed:
    try:
        return _known.setdefault(data, Placed(data))
    except TypeError:  # no weak reference, or no hash
        return Placed(data)


def on_all_workers(backend: Any, wrapped: tuple[Placed, ...], anew: bool = False) -> Any:
    """Return a backend whose workers have the data, if it is one of Dask; else the backend.

    joblib alone would send the data to one worker, and they would be lost if this worker died.

    Parameters
    ----------
    backend : joblib backend
    wrapped : tuple of Placed
    anew : bool
        Place the data again, because workers have died.

    Returns
    -------
    joblib backend
    """
    client = getattr(backend, "client", None)
    if client is None:
        return backend
    made = type(backend)(client=client)
    for each in wrapped:
        if anew or each.cluster is None or each.cluster.client is not client:
            each.cluster = type(backend)(client=client, scatter=[each])
        made.data_futures.update(each.cluster.data_futures)
    return made
