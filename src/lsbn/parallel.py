"""The one place that calls joblib.

`run` is for the many small pieces of one computation: always threads, since the kernels release
the interpreter's lock and the pieces share arrays. `scatter` is for communities and the like: each
is much work on a small part of the data, so it may go to processes, or to the workers of a
cluster that the user chose with ``joblib.parallel_config``.
"""

import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend

__all__ = ["run", "scatter", "threads"]

Item = TypeVar("Item")
_CHUNKS_PER_WORKER = 4


def run(function: Callable[[Item], Any], items: Sequence[Item], n_jobs: int | None = 1) -> list:
    """Call a function on every item, in threads, and give the results in the order of the items.

    Whatever backend ``joblib.parallel_config`` names, the function sees the caller's memory.

    Examples
    --------
    >>> run(abs, [-2, 1], n_jobs=2)
    [2, 1]
    """
    if n_jobs == 1 or len(items) < 2:
        return [function(item) for item in items]
    calls = (delayed(function)(item) for item in items)
    return Parallel(n_jobs=threads(n_jobs), require="sharedmem")(calls)


def threads(n_jobs: int | None) -> int:
    """Give the number of threads of this machine that `n_jobs` stands for.

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
    """Call a function on chunks of items with the data they need, wherever joblib runs it.

    Parameters
    ----------
    function : callable
        ``function(data, chunk)`` gives a result for every item of the chunk. A function that can
        be pickled, which sees nothing but its arguments.
    share : callable
        ``share(chunk)`` gives the data that a chunk needs; ``share(None)`` all of them, which is
        what threads are given.
    items : sequence
    n_jobs : int, optional
        As joblib has it: None is what ``parallel_config`` says, or 1.

    Returns
    -------
    list
        Results in the order of the items, the same for any number of jobs and any backend if an
        item's result depends on nothing but the item and the data.

    Notes
    -----
    Data travel with a chunk, of which there are four for each worker, not with every item. They
    belong to the call, so that a call can be repeated elsewhere if its worker dies; data that were
    placed on the workers beforehand would have died with it.

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
    """Say whether the backend in force runs in this process."""
    backend, _ = get_active_backend(prefer="threads")
    return bool(getattr(backend, "supports_sharedmem", False))
