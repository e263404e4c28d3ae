"""The workers of parallel work: threads, processes, or those of a cluster.

joblib sends each call to a worker, with the data that are placed there (`lsbn.placing`). If a
worker dies, its calls are sent again: they depend on their arguments only.
"""

from __future__ import annotations

import os
import platform
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError
from contextlib import contextmanager
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from joblib import Parallel, cpu_count, delayed, effective_n_jobs
from joblib.parallel import get_active_backend

from lsbn.checkpoint import Codec, within_piece
from lsbn.garbage import rare_collections
from lsbn.placing import Placed, Sealed, on_all_workers, placed

__all__ = [
    "Places",
    "Team",
    "closed_quietly",
    "ending_processes",
    "memory_in_words",
    "on_workers",
    "threads",
]

Places = dict[int, Path | None]
"""Places of items, and the folder of each for the calls inside its piece, see `lsbn.checkpoint`."""
_ATTEMPTS = 3
"""How often calls are sent whose workers died."""


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
    return max(1, min(effective_n_jobs(n_jobs), cpu_count()))


class Team(NamedTuple):
    """The workers of `flow`.

    Attributes
    ----------
    n_jobs : int, optional
        As in joblib.
    prefer : {"threads", "processes"}
        What joblib is to use if the user chose no backend.
    shares_memory : bool
        Whether the workers are threads of this process.
    """

    n_jobs: int | None
    prefer: str
    shares_memory: bool

    @classmethod
    def of(cls, n_jobs: int | None, processes: bool) -> Team:
        """Return the workers of the active backend."""
        own = get_active_backend()[0], get_active_backend(prefer="threads")[0]
        free = [bool(getattr(backend, "supports_sharedmem", False)) for backend in own]
        if free == [False, True] and processes and threads(n_jobs) > 1:
            return cls(threads(n_jobs), "processes", False)
        return cls(n_jobs, "threads", free[1])


def on_workers(
    team: Team,
    function: Callable[[Any, Any], Any],
    data: tuple,
    items: Sequence[Any],
    codec: Codec | None,
    places: Places,
) -> Iterator[tuple[int, Any]]:
    """Call the function on the items at some places; repeat those that died with a worker."""
    left = dict(places)
    for attempt in range(1, _ATTEMPTS + 1):
        calls = [(function, codec, k, folder, items[k]) for k, folder in left.items()]
        try:
            for place, result in _sent(team, calls, data):
                del left[place]
                yield place, result
            return
        except Exception as error:
            if attempt == _ATTEMPTS or not _is_lost_worker(error):
                raise


def _is_lost_worker(error: Exception) -> bool:
    """Return whether an error says that a worker died."""
    package = type(error).__module__.split(".")[0]
    return isinstance(error, BrokenExecutor | CancelledError) or package in ("distributed", "ray")


def _sent(team: Team, calls: Sequence[tuple], data: tuple) -> Iterator[tuple[int, Any]]:
    """Send calls to the workers, and yield the place and the result of each.

    If the backend returns results only when all are ready, then it gets a few calls at a time.
    """
    backend, _ = get_active_backend(prefer=team.prefer)
    one_by_one = getattr(backend, "supports_return_generator", False)
    returned: Any = "generator_unordered" if one_by_one else "list"
    many, machine = 4 * max(1, backend.effective_n_jobs(team.n_jobs)), platform.node()
    options: dict[str, Any] = {"n_jobs": team.n_jobs, "return_as": returned}
    _memory_of.clear()
    with placed(data) as wrapped, _started(team):
        chosen = on_all_workers(backend, wrapped)
        options |= {"prefer": team.prefer} if chosen is backend else {"backend": chosen}
        sent = (delayed(_piece)(*call[:4], machine, Sealed(call[4]), *wrapped) for call in calls)
        if one_by_one:
            for sealed in closed_quietly(Parallel(**options)(sent)):
                yield _taken(sealed)
            return
        with Parallel(**options) as workers:
            while some := list(islice(sent, many)):
                for sealed in workers(some):
                    yield _taken(sealed)


def _piece(
    function: Callable[[Any, Any], Any],
    codec: Codec | None,
    place: int,
    folder: Path | None,
    machine: str,
    item: Sealed,
    *wrapped: Placed,
) -> Sealed:
    """Return the place of an item and its result; called on a worker."""
    _keep_process()
    with rare_collections(), within_piece(folder if platform.node() == machine else None):
        result = function(tuple(each.data for each in wrapped), item.content)
    used = (platform.node(), os.getpid()), _memory()
    return Sealed((place, result if codec is None else codec.pack(result), used))


_memory_of: dict[tuple[str, int], int] = {}
"""Bytes of memory of each worker after its last call."""


def _taken(sealed: Sealed) -> tuple[int, Any]:
    """Return the place and the result of a call, and note the memory of its worker."""
    place, result, (worker, used) = sealed.content
    _memory_of[worker] = used
    return place, result


def _memory() -> int:
    """Return the bytes of memory that this process uses; 0 if the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):  # not Linux
        return 0


def memory_in_words() -> list[str]:
    """Return the memory of this process, and that of the workers of the last calls, in words.

    Examples
    --------
    >>> [text.split()[-1] for text in memory_in_words()][:1] in ([], ["GB"])
    True
    """
    words = [f"{used / 1e9:.1f} GB"] if (used := _memory()) else []
    if _memory_of and words:
        count, total = len(_memory_of), sum(_memory_of.values())
        words.append(f"{count} worker{'s' * (count > 1)} {total / 1e9:.1f} GB")
    return words


@cache
def _keep_process() -> None:
    """Let a process of joblib live as long as its parent, neither shorter nor longer.

    joblib replaces a process, and warns, when its memory has grown. But it keeps data, look-up
    tables and compiled kernels, which a new one has to load again. If the parent is killed, joblib
    notices it only after the last call.
    """
    loky = sys.modules.get("joblib.externals.loky.process_executor")
    if getattr(loky, "_CURRENT_DEPTH", 0):
        vars(loky)["_MAX_MEMORY_LEAK_SIZE"] = sys.maxsize
        threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()


def _end_with_parent(parent: int) -> None:
    """End this process when its parent has ended."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


_ours = False
"""Whether the processes of joblib were started by `_started`."""


def _executor() -> Any:
    """Return the processes of joblib, if they are started and not ended."""
    found = getattr(sys.modules.get("joblib.externals.loky.reusable_executor"), "_executor", None)
    return None if getattr(getattr(found, "_flags", None), "shutdown", True) else found


@contextmanager
def _started(team: Team) -> Iterator[None]:
    """Note that processes which nobody asked for are started inside the block."""
    global _ours
    _ours = _ours or (team.prefer == "processes" and _executor() is None)
    with warnings.catch_warnings():
        if _ours:  # a worker whose memory has grown is replaced by joblib
            warnings.filterwarnings("ignore", "A worker stopped while", UserWarning)
        yield


@contextmanager
def ending_processes() -> Iterator[None]:
    """End the processes that calls inside the block start, unless the user chose processes."""
    global _ours
    try:
        yield
    finally:
        _memory_of.clear()
        if _ours and _executor() is not None:
            from joblib.externals.loky import get_reusable_executor

            get_reusable_executor(reuse=True).shutdown(wait=True, kill_workers=True)
        _ours = False


def closed_quietly(results: Any) -> Iterator[Any]:
    """Yield results; if the caller stops early, say nothing of the results that nobody takes."""
    try:
        for result in results:  # noqa: UP028  (`yield from` would close the results first)
            yield result
    finally:
        if hasattr(results, "close"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                results.close()
