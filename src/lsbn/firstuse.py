"""The first fit after an install: a second process compiles half of the kernels.

numba compiles one kernel at a time in a process, and the compiled kernels are stored in numba's
cache on the disk. While the fit counts pairs, finds communities and compiles the scores, a second
process compiles the kernels that search and sample. It learns from a small table of noise; scores
that are quick to compile stand in for the real ones. The fit then finds its kernels in the cache.

Nothing depends on the second process. It is silent, it ends with the first one, and without it the
fit compiles all kernels itself. The environment variable ``LSBN_COMPILE=alone`` prevents it.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

__all__ = ["compile_beside", "is_first_use"]

_MOST_VARIABLES = 40
"""Variables of the small table, at most: a larger one needs no other kernels."""
_ROWS = 60
_helper: subprocess.Popen | None = None


def is_first_use() -> bool:
    """Tell whether numba's cache has no compiled search yet.

    Examples
    --------
    >>> is_first_use() in (True, False)
    True
    """
    from lsbn.kernels.parents import explore_parent_sets as kernel

    path = getattr(kernel.stats, "cache_path", None)
    name = f"parents.{kernel.py_func.__name__}-*.nbi"
    return path is not None and next(Path(path).glob(name), None) is None


def compile_beside(n_variables: int) -> None:
    """Start the second process, if this is the first use and a second core is there.

    Parameters
    ----------
    n_variables : int
        Columns of the user's table; a small table needs fewer kernels.
    """
    global _helper
    if _helper is not None or os.environ.get("LSBN_COMPILE") == "alone":
        return
    program = Path(sys.executable or "").stem.lower()  # another program may run Python inside
    alone = (os.cpu_count() or 1) < 2 or multiprocessing.parent_process() is not None
    if alone or not program.startswith("python") or not is_first_use():
        return
    code = f"from lsbn.firstuse import _compile; _compile({int(n_variables)})"
    path = os.pathsep.join(folder for folder in sys.path if folder)
    environment = os.environ | {"LSBN_COMPILE": "alone", "PYTHONPATH": path}
    silent: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    if sys.platform == "win32":
        silent["creationflags"] = subprocess.CREATE_NO_WINDOW
    try:
        _helper = subprocess.Popen(
            [sys.executable, "-P", "-c", code], stdin=subprocess.PIPE, env=environment, **silent
        )
    except OSError:
        return
    atexit.register(_end, _helper)


def _end(helper: subprocess.Popen) -> None:
    """End the second process."""
    helper.kill()
    helper.communicate()


def _compile(n_variables: int) -> None:
    """Learn from noise by scores that stand in for the real ones; run by the second process."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    warnings.simplefilter("ignore")
    import numpy as np

    from lsbn.data import Dataset
    from lsbn.kernels import standins
    from lsbn.learners import LEARNERS

    standins.use()
    n = max(2, min(n_variables, _MOST_VARIABLES))
    table = np.random.default_rng(0).integers(0, 2, (_ROWS, n))
    LEARNERS["model-averaging"](Dataset.from_table(table), random_state=0, n_graphs=10)


def _end_with_parent() -> None:
    """End when the first process ends, which closes our input."""
    sys.stdin.buffer.read()
    os._exit(0)
