"""Data of parallel calls, placed on every worker once.

The calls of `lsbn.parallel` that may leave this process take a tuple of data. Each object of the
tuple is wrapped in a `Placed`, and the same wrapper goes with every call. Processes of joblib map
the pickled bytes from a file. Dask and Ray copy the bytes to each worker. A worker unpickles the
bytes once and keeps the object for later calls. So the arrays on the worker may be written to, like
those of the caller: kernels need no other version.
"""

from __future__ import annotations

import pickle
import secrets
import threading
import warnings
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
    future : dask.distributed.Future, optional
        It keeps the copies of the object on the workers of a Dask cluster.

    Examples
    --------
    >>> there = pickle.loads(pickle.dumps(Placed([1, 2])))
    >>> there.data, pickle.loads(pickle.dumps(there)).data is there.data
    ([1, 2], True)
    """

    def __init__(self, data: Any, token: str | None = None) -> None:
        self.token = token or secrets.token_hex(16)
        self._bytes: np.ndarray | None = None
        self.future: Any = None
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

    def __init__(self, data: Any, token: str, size: int) -> None:
        super().__init__(data, token)
        self._kept, self._size = data, size

    def __sizeof__(self) -> int:
        return self._size


def _arrived(token: str, content: np.ndarray) -> _Arrived:
    """Return a placed object on a worker; unpickle it if it is not here yet."""
    with _lock:
        if token not in _here:
            _here[token] = pickle.loads(content.tobytes())
            while len(_here) > _KEPT:
                _here.popitem(last=False)
        _here.move_to_end(token)
        return _Arrived(_here[token], token, content.nbytes)


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


def on_all_workers(backend: Any, wrapped: tuple[Placed, ...]) -> Any:
    """Return a backend whose workers have the data, if it is one of Dask; else the backend.

    The data are the result of a task, which Dask repeats if all workers with a copy have died.
    joblib alone would scatter them, and then they would be lost. If the cluster has a single
    worker, joblib would call the functions in this process.

    Parameters
    ----------
    backend : joblib backend
    wrapped : tuple of Placed

    Returns
    -------
    joblib backend
    """
    client = getattr(backend, "client", None)
    if client is None:
        return backend
    made = type(backend)(client=client)
    workers_of = made.effective_n_jobs
    made.effective_n_jobs = lambda n_jobs: max(2, workers_of(n_jobs))
    for each in wrapped:
        if each.future is None or each.future.client is not client:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
                each.future = client.submit(_arrived, *each.__reduce__()[1], key=each.token)
        made.data_futures[id(each)] = each.future
    return made
