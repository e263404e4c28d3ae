"""Parallel work; no other module calls joblib.

`run` is for many small parts of one computation. It always uses threads, because the kernels
release the interpreter's lock and the parts share arrays. `scatter` is for large tasks such as
communities. Each task needs a small part of the data, so `scatter` may use processes, or the
workers of a cluster that the user chose with ``joblib.parallel_config``.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend

__all__ = ["run", "scatter", "stream", "threads"]

Item = TypeVar("Item")
_CHUNKS_PER_WORKER = 4
"""More chunks balance the load better; fewer chunks send the data less often."""


def run(function: Callable[[Item], Any], items: Sequence[Item], n_jobs: int | None = 1) -> list:
    """Call a function on every item, in threads.

    Parameters
    ----------
    function : callable
        Shares the caller's memory, also if ``joblib.parallel_config`` names another backend.
    items : sequence
    n_jobs : int, optional
        Number of threads, as in joblib.

    Returns
    -------
    list
        Results in the order of the items.

    Examples
    --------
    >>> run(abs, [-2, 1], n_jobs=2)
    [2, 1]
    """
    if n_jobs == 1 or len(items) < 2:
        return [function(item) for item in items]
    calls = (delayed(function)(item) for item in items)
    return Parallel(n_jobs=threads(n_jobs), require="sharedmem")(calls)


def stream(
    function: Callable[[Item], Any], items: Sequence[Item], n_jobs: int | None = 1
) -> Iterator[tuple[int, Any]]:
    """Call a function on every item, in threads, and yield each result when it is ready.

    Parameters
    ----------
    function, items, n_jobs
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
    if threads(n_jobs) == 1 or len(items) < 2:
        yield from ((k, function(item)) for k, item in enumerate(items))
        return
    calls = (delayed(_placed)(function, k, item) for k, item in enumerate(items))
    workers = Parallel(n_jobs=threads(n_jobs), require="sharedmem", return_as="generator_unordered")
    yield from workers(calls)


def _placed(function: Callable[[Item], Any], place: int, item: Item) -> tuple[int, Any]:
    """Return the place of an item, and its result."""
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
    n_jobs : int, optional
        Number of workers, as in joblib. None means the number that ``parallel_config`` gives, or 1.

    Returns
    -------
    list
        Results in the order of the items. If the result of an item depends on the item and the
        data only, then it is the same for any number of jobs and any backend.

    Notes
    -----
    There are four chunks for each worker. Each chunk is sent together with its data. If a worker
    dies, another worker can repeat the call. Data stored on a worker in advance would be lost.

    Examples
    --------
    >>> data = [10, 20, 30]
    >>> def add(data, chunk):
    ...     return [data[i] + 1 for i in chunk]
    >>> scatter(add, lambda chunk: data, [0, 2, 1], n_jobs=2)
    [11, 31, 21]
    """
    workers = 1 if n_jobs == 1 else effective_n_jobs(n_jobs)
    if (workers == 1 and _shares_memory()) or len(items) < 2:
        return function(share(None), list(items))
    n_chunks = min(len(items), _CHUNKS_PER_WORKER * max(workers, 1))
    chunks = [list(items[c::n_chunks]) for c in range(n_chunks)]
    everything = share(None) if _shares_memory() else None
    done = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(function)(share(chunk) if everything is None else everything, chunk)
        for chunk in chunks
    )
    results: list[Any] = [None] * len(items)
    for c, part in enumerate(done):
        results[c::n_chunks] = part
    return results


def _shares_memory() -> bool:
    """Return whether the active backend of joblib runs in this process."""
    backend, _ = get_active_backend(prefer="threads")
    return bool(getattr(backend, "supports_sharedmem", False))
