"""Parallel work; no other module calls joblib.

`run` is for many small parts of one computation. It always uses threads, because the kernels
release the interpreter's lock and the parts share arrays. `scatter` is for large tasks such as
communities. Each task needs a small part of the data, so `scatter` may use processes, or the
workers of a cluster that the user chose with ``joblib.parallel_config``.
"""

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend

from lsbn.checkpoint import PLAIN, Codec, begin_call, is_active, without_checkpoint

__all__ = ["Progress", "run", "scatter", "spread", "stream", "threads"]

Item = TypeVar("Item")
Progress = Callable[[int, int], None]
"""Called with the number of pieces that are done, and of all pieces."""
_PIECES = 256
"""Number of chunks while a checkpoint is active, for any number of workers."""
_CHUNKS_PER_WORKER = 4
"""More chunks balance the load better; fewer chunks send the data less often."""


def run(
    function: Callable[[Item], Any],
    items: Sequence[Item],
    n_jobs: int | None = 1,
    codec: Codec | None = None,
) -> list:
    """Call a function on every item, in threads.

    Parameters
    ----------
    function : callable
        Shares the caller's memory, also if ``joblib.parallel_config`` names another backend.
    items : sequence
    n_jobs : int, optional
        Number of threads, as in joblib.
    codec : Codec, optional
        If a checkpoint is active, store each result, and read those that are stored. The function
        must then return all that it changes.

    Returns
    -------
    list
        Results in the order of the items.

    Examples
    --------
    >>> run(abs, [-2, 1], n_jobs=2)
    [2, 1]
    """
    results: list[Any] = [None] * len(items)
    for place, result in stream(function, items, n_jobs, codec):
        results[place] = result
    return results


def stream(
    function: Callable[[Item], Any],
    items: Sequence[Item],
    n_jobs: int | None = 1,
    codec: Codec | None = None,
) -> Iterator[tuple[int, Any]]:
    """Call a function on every item, in threads, and yield each result when it is ready.

    Parameters
    ----------
    function, items, n_jobs, codec
        As in `run`.

    Yields
    ------
    int
        Place of the item.
    object
        Its result. The order of the results is that in which they are ready.

    Examples
    --------
    >>> sorted(stream(abs, [-2, 1], n_jobs=2))
    [(0, 2), (1, 1)]
    """

    def compute(places: Sequence[int]) -> Iterator[tuple[int, Any]]:
        """Call the function on the items at some places."""
        if n_jobs == 1 or len(places) < 2 or threads(n_jobs) == 1:
            return (_placed(function, k, items[k]) for k in places)
        calls = (delayed(_placed)(function, k, items[k]) for k in places)
        options: Any = {"require": "sharedmem", "return_as": "generator_unordered"}
        return _closed_quietly(Parallel(n_jobs=threads(n_jobs), **options)(calls))

    return _recorded(compute, len(items), codec)


def _recorded(
    compute: Callable[[Sequence[int]], Iterator[tuple[int, Any]]], n: int, codec: Codec | None
) -> Iterator[tuple[int, Any]]:
    """Yield stored results, and compute and store the others, if a checkpoint is active."""
    record = begin_call(n) if codec is not None else None
    if record is None or codec is None:
        yield from compute(range(n))
        return
    for place in range(n):
        if record.has(place):
            yield place, codec.unpack(record.load(place))
    for place, result in compute([k for k in range(n) if not record.has(k)]):
        record.store(place, codec.pack(result))
        yield place, result


def _closed_quietly(results: Any) -> Iterator[Any]:
    """Yield results; if the caller stops early, say nothing of the results that nobody takes."""
    try:
        for result in results:  # noqa: UP028  (`yield from` would close the results first)
            yield result
    finally:
        if hasattr(results, "close"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                results.close()


def _placed(function: Callable[[Item], Any], place: int, item: Item) -> tuple[int, Any]:
    """Return the place of an item, and its result."""
    with without_checkpoint():
        return place, function(item)


def threads(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` means on this machine.

    Parameters
    ----------
    n_jobs : int, optional
        As in joblib; negative numbers count back from the number of cores.

    Returns
    -------
    int
        At least 1, at most the number of cores.

    Examples
    --------
    >>> threads(1)
    1
    """
    return max(1, min(effective_n_jobs(n_jobs), os.cpu_count() or 1))


def scatter(
    function: Callable[[Any, list], list],
    share: Callable[[list | None], Any],
    items: Sequence[Any],
    n_jobs: int | None = None,
    codec: Codec | None = None,
    *,
    most_chunks: int | None = None,
    progress: Progress | None = None,
) -> list:
    """Call a function on chunks of items, each with the data that it needs.

    Parameters
    ----------
    function : callable
        ``function(data, chunk)`` returns a list with a result for every item of the chunk. The
        function can be pickled and depends on its arguments only.
    share : callable
        ``share(chunk)`` returns the data that a chunk needs. ``share(None)`` returns all data;
        threads get these.
    items : sequence
    n_jobs : int, optional, see `run`
    codec : Codec, optional
        If a checkpoint is active, store the results of each chunk, and read those that are stored.
    most_chunks : int, optional, by default 4 for each worker
    progress : callable, optional, called with the numbers of items that are done and of all

    Returns
    -------
    list
        Results in the order of the items. If the result of an item depends on the item and the
        data only, then it is the same for any number of jobs and any backend. Each chunk is sent
        with its data, so another worker can repeat the call if a worker dies.

    Examples
    --------
    >>> data = [10, 20, 30]
    >>> def add(data, chunk):
    ...     return [data[i] + 1 for i in chunk]
    >>> scatter(add, lambda chunk: data, [0, 2, 1], n_jobs=2)
    [11, 31, 21]
    """
    workers = 1 if n_jobs == 1 else effective_n_jobs(n_jobs)
    alone = (workers == 1 and _shares_memory()) or len(items) < 2
    recorded = codec is not None and is_active()
    if alone and not recorded and progress is None:
        return function(share(None), list(items))
    most = _PIECES if recorded else most_chunks or _CHUNKS_PER_WORKER * max(workers, 1)
    chunks = [list(items[c : len(items) : most]) for c in range(min(len(items), most))]
    everything = share(None) if alone or _shares_memory() else None

    def compute(places: Sequence[int]) -> Iterator[tuple[int, list]]:
        """Call the function on some chunks."""
        data = (share(chunks[c]) if everything is None else everything for c in places)
        calls = ((c, part, chunks[c]) for c, part in zip(places, data, strict=True))
        return _called(partial(_chunk, function), calls, n_jobs, alone)

    return _in_order(_recorded(compute, len(chunks), codec), len(items), len(chunks), progress)


def _in_order(
    parts: Iterable[tuple[int, list]], n_items: int, n_chunks: int, progress: Progress | None
) -> list:
    """Put the results of chunks in the order of the items, and report how many are done."""
    results: list[Any] = [None] * n_items
    done = 0
    for c, part in parts:
        results[c::n_chunks] = part
        done += len(part)
        if progress is not None:
            progress(done, n_items)
    return results


def spread(
    function: Callable[[Any, Any], Any],
    data: Any,
    items: Sequence[Any],
    n_jobs: int | None = None,
) -> list:
    """Call ``function(data, item)`` on every item, where `scatter` would.

    Parameters
    ----------
    function : callable
        It can be pickled and depends on its arguments only. The result is a plain value, see
        `lsbn.checkpoint.Codec`, and is stored if a checkpoint is active.
    data : object
        Sent with every item, unless workers share the memory.
    items : sequence
    n_jobs : int, optional
        Number of workers, as in joblib.

    Returns
    -------
    list
        Results in the order of the items.

    Examples
    --------
    >>> spread(pow, 2, [3, 4], n_jobs=2)
    [8, 16]
    """
    each, most = partial(_with_each, function), len(items)
    return scatter(each, lambda chunk: data, items, n_jobs, PLAIN, most_chunks=most)


def _with_each(function: Callable[[Any, Any], Any], data: Any, chunk: list) -> list:
    """Call a function on each item of a chunk."""
    return [function(data, item) for item in chunk]


def _chunk(
    function: Callable[[Any, list], list], place: int, data: Any, chunk: list
) -> tuple[int, list]:
    """Return the place of a chunk, and its results."""
    with without_checkpoint():
        return place, function(data, chunk)


def _called(
    function: Callable[..., Any], calls: Iterator[tuple], n_jobs: int | None, alone: bool
) -> Iterator[Any]:
    """Yield the results of calls, one by one if the active backend can."""
    if alone:
        return (function(*call) for call in calls)
    backend, _ = get_active_backend(prefer="threads")
    one_by_one = getattr(backend, "supports_return_generator", False)
    returned: Any = "generator_unordered" if one_by_one else "list"
    workers = Parallel(n_jobs=n_jobs, prefer="threads", return_as=returned)
    return _closed_quietly(workers(delayed(function)(*call) for call in calls))


def _shares_memory() -> bool:
    """Return whether the active backend of joblib runs in this process."""
    backend, _ = get_active_backend(prefer="threads")
    return bool(getattr(backend, "supports_sharedmem", False))
