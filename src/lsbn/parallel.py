"""The one place that calls joblib."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from joblib import Parallel, delayed

Item = TypeVar("Item")


def run(function: Callable[[Item], Any], items: Sequence[Item], n_jobs: int | None = 1) -> list:
    """Call a function on every item and give the results in the order of the items.

    Threads are preferred: the kernels release the interpreter's lock. A backend that the caller
    chose with ``joblib.parallel_config`` is used instead.

    Examples
    --------
    >>> run(abs, [-2, 1], n_jobs=2)
    [2, 1]
    """
    if n_jobs == 1 or len(items) < 2:
        return [function(item) for item in items]
    return Parallel(n_jobs=n_jobs, prefer="threads")(delayed(function)(item) for item in items)
