"""Parallel work; only this module and `lsbn.workers` call joblib.

`run` and `stream` are for many small parts of one computation. They always use threads, because
the kernels release the interpreter's lock and the parts share arrays. `scatter`, `spread` and
`flow` are for larger tasks such as communities. They use the workers that the user chose with
``joblib.parallel_config``: threads, processes, or those of a cluster. If the user chose none, they
use threads, or processes for long tasks in Python. If a worker dies, its tasks are repeated.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from joblib import Parallel, delayed

from lsbn.checkpoint import PLAIN, Codec, begin_call, within_piece
from lsbn.workers import Places, Team, closed_quietly, ending_processes, on_workers, threads

__all__ = [
    "Progress",
    "ReadPlace",
    "ending_processes",
    "flow",
    "once",
    "processes_pay",
    "run",
    "scatter",
    "spread",
    "stream",
    "threads",
]

Item = TypeVar("Item")
Progress = Callable[[int, int, int], None]
"""Called with the numbers of pieces that are done, of all, and of those read from a draft."""


class ReadPlace(int):
    """The place of a result that was read from a draft."""


_MANY_VARIABLES, _MANY_CELLS = 1_024, 2_000_000
"""With more variables and at least this number of cells, processes are the default."""
_PIECES = 64
"""Largest number of chunks of `scatter`, for any number of workers."""


def processes_pay(n_variables: int, n_rows: int) -> bool:
    """Return whether a table is so large that long tasks in Python are better run in processes.

    Two threads wait for each other in Python: 7,400 variables took 216 s with two threads and 149 s
    with two processes (`docs/scale.md`). Two processes take 12 s of CPU time more, as they load the
    package and its kernels: 78 instead of 66 s at 1,850 variables and 2,000 rows. Where both take
    the same time on the clock was not measured.

    Examples
    --------
    >>> processes_pay(1_850, 2_000), processes_pay(724, 20_000), processes_pay(1_850, 200)
    (True, False, False)
    """
    return n_variables > _MANY_VARIABLES and n_variables * n_rows >= _MANY_CELLS


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
    *,
    nested: bool = False,
) -> Iterator[tuple[int, Any]]:
    """Call a function on every item, in threads, and yield each result when it is ready.

    Parameters
    ----------
    function, items, n_jobs, codec
        As in `run`.
    nested : bool
        If a checkpoint is active, also store the calls inside the function, until it ends.

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

    def compute(places: Places) -> Iterator[tuple[int, Any]]:
        """Call the function on the items at some places."""
        if n_jobs == 1 or len(places) < 2 or threads(n_jobs) == 1:
            return (_placed(function, k, items[k], folder) for k, folder in places.items())
        calls = (delayed(_placed)(function, k, items[k], folder) for k, folder in places.items())
        options: Any = {"require": "sharedmem", "return_as": "generator_unordered"}
        return closed_quietly(Parallel(n_jobs=threads(n_jobs), **options)(calls))

    return _recorded(compute, len(items), codec, nested=nested)


def once(function: Callable[[], Any], codec: Codec) -> Any:
    """Call a function, unless its result is stored.

    If a checkpoint is active, the calls inside the function are stored until it ends, then its
    result.

    Examples
    --------
    >>> once(lambda: run(abs, [-2, 1]), PLAIN)
    [2, 1]
    """
    ((_, result),) = stream(lambda _: function(), [None], codec=codec, nested=True)
    return result


def _recorded(
    compute: Callable[[Places], Iterator[tuple[int, Any]]],
    n: int,
    codec: Codec | None,
    *,
    packed: bool = False,
    nested: bool = False,
) -> Iterator[tuple[int, Any]]:
    """Yield stored results, and compute and store the others, if a checkpoint is active.

    If ``packed``, then the results that are computed are packed by the codec.
    """
    record = begin_call(n) if codec is not None else None
    if codec is None or (record is None and not packed):
        yield from compute(dict.fromkeys(range(n)))
        return
    left: Places = {}
    for place in range(n):
        if record is not None and record.has(place):
            yield ReadPlace(place), codec.unpack(record.load(place))
        else:
            left[place] = None
    if record is not None and nested:
        folder_of = record.places()
        left = {k: folder_of(k) for k in left}
    for place, result in compute(left):
        if record is not None:
            record.store(place, result if packed else codec.pack(result))
        yield place, codec.unpack(result) if packed else result


def _placed(
    function: Callable[[Item], Any], place: int, item: Item, folder: Path | None
) -> tuple[int, Any]:
    """Return the place of an item, and its result."""
    with within_piece(folder):
        return place, function(item)


def scatter(
    function: Callable[[Any, list], list],
    data: tuple,
    items: Sequence[Any],
    n_jobs: int | None = None,
    codec: Codec | None = None,
    *,
    processes: bool = False,
    progress: Progress | None = None,
) -> list:
    """Call a function on chunks of items, on the workers.

    Parameters
    ----------
    function : callable
        ``function(data, chunk)`` returns a list with a result for every item of the chunk. The
        function can be pickled and depends on its arguments only.
    data : tuple
        Each of its objects is placed on every worker once; threads share it. It must not change.
    items : sequence
    n_jobs : int, optional, see `run`
    codec : Codec, optional
        Workers send packed results. If a checkpoint is active, then the results of each chunk are
        stored, and those that are stored are read.
    processes : bool
        Use processes of this machine if the user has chosen no backend: the function holds the
        interpreter's lock, and takes longer than processes need to start.
    progress : callable, optional, called with the numbers of items done, of all, and of those read

    Returns
    -------
    list
        Results in the order of the items. If the result of an item depends on the item and the
        data only, then it is the same for any number of jobs and any backend.

    Examples
    --------
    >>> def add(data, chunk):
    ...     return [data[0][i] + 1 for i in chunk]
    >>> scatter(add, ([10, 20, 30],), [0, 2, 1], n_jobs=2)
    [11, 31, 21]
    """
    most = min(len(items), _PIECES)
    chunks = [list(items[c : len(items) : most]) for c in range(most)]
    results: list[Any] = [None] * len(items)
    done = read = 0
    for c, part in flow(function, data, chunks, n_jobs, codec, processes=processes):
        results[c::most] = part
        done += len(part)
        read += len(part) if isinstance(c, ReadPlace) else 0
        if progress is not None:
            progress(done, len(items), read)
    return results


def spread(
    function: Callable[[Any, Any], Any],
    data: tuple,
    items: Sequence[Any],
    n_jobs: int | None = None,
    codec: Codec | None = PLAIN,
    *,
    processes: bool = False,
    nested: bool = False,
    progress: Progress | None = None,
) -> list:
    """Call ``function(data, item)`` on every item, where `scatter` would.

    Parameters
    ----------
    function : callable
        It can be pickled and depends on its arguments only.
    data, items, n_jobs, codec, processes, progress
        As in `scatter`. By default the result is a plain value, see `lsbn.checkpoint.Codec`.
    nested : bool
        As in `stream`, on workers of this machine.

    Returns
    -------
    list
        Results in the order of the items.

    Examples
    --------
    >>> spread(max, (2, 3), [(1, 9), (4, 5)], n_jobs=2)
    [(2, 3), (4, 5)]
    """
    results: list[Any] = [None] * len(items)
    calls = flow(function, data, items, n_jobs, codec, processes=processes, nested=nested)
    read = 0
    for done, (place, result) in enumerate(calls, 1):
        results[place] = result
        read += isinstance(place, ReadPlace)
        if progress is not None:
            progress(done, len(items), read)
    return results


def flow(
    function: Callable[[Any, Any], Any],
    data: tuple,
    items: Sequence[Any],
    n_jobs: int | None = None,
    codec: Codec | None = PLAIN,
    *,
    processes: bool = False,
    nested: bool = False,
) -> Iterator[tuple[int, Any]]:
    """Call ``function(data, item)`` on every item, and yield each result when it is ready.

    Parameters
    ----------
    function, data, items, n_jobs, codec, processes, nested
        As in `spread`.

    Yields
    ------
    int
        Place of the item.
    object
        Its result. The order of the results is that in which they are ready.

    Examples
    --------
    >>> sorted(flow(max, (2, 3), [(1, 9), (4, 5)], n_jobs=2))
    [(0, (2, 3)), (1, (4, 5))]
    """
    team = Team.of(n_jobs, processes)
    if team.shares_memory:
        return stream(partial(function, data), items, n_jobs, codec, nested=nested)
    compute = partial(on_workers, team, function, data, items, codec)
    return _recorded(compute, len(items), codec, packed=True, nested=nested)
