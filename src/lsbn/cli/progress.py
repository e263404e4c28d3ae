"""Show the current stage of a long command, and measure the time of every stage.

Nothing is shown unless standard error is a terminal, and nothing in the first two seconds of a
stage.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lsbn.stagenames import stage_name

__all__ = ["StageProgress", "kernels_are_compiled"]

PATIENCE = 2.0
"""Seconds after which a stage is shown."""
KERNELS = Path(__file__).parents[1] / "kernels"
"""Folder of the modules that numba compiles."""


def kernels_are_compiled() -> bool:
    """Tell whether numba's cache holds compiled kernels; without them the first run compiles."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    cache = Path(chosen) if chosen else KERNELS / "__pycache__"
    return next(cache.rglob("*.nbi"), None) is not None


class StageProgress:
    """The stages of one command, timed and shown.

    Attributes
    ----------
    seconds : dict of str to float
        Wall time of every finished stage.

    Examples
    --------
    >>> stages = StageProgress()
    >>> with stages("count", "beans"):
    ...     beans = sum(range(10))
    >>> list(stages.seconds)
    ['count']
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._start = time.perf_counter()

    @property
    def total(self) -> float:
        """Seconds since this object was made."""
        return time.perf_counter() - self._start

    @contextmanager
    def __call__(self, name: str, detail: str = "") -> Iterator[Callable[[str], None]]:
        """Time a stage; on a terminal, show a spinner with its name after `PATIENCE` seconds.

        The ``with`` block gets a function that changes the text beside the spinner.
        """
        spinner = (
            _Spinner(stage_name(name, detail))
            if sys.stderr is not None and sys.stderr.isatty()
            else None
        )
        begin = time.perf_counter()
        try:
            yield spinner.say if spinner else _say_nothing
        finally:
            if spinner:
                spinner.stop()
            self._add(name, time.perf_counter() - begin)

    def split(self, name: str, parts: Mapping[str, float]) -> None:
        """Replace the seconds of a finished stage by those of its parts."""
        del self.seconds[name]
        for part, seconds in parts.items():
            self._add(part, seconds)

    def _add(self, name: str, seconds: float) -> None:
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds


def _say_nothing(label: str) -> None:
    """Ignore a new label: standard error is not a terminal."""


class _Spinner:
    """A line with a spinner and a clock that appears after `PATIENCE` seconds."""

    def __init__(self, label: str) -> None:
        self.label = label
        self._lock = threading.Lock()
        self._stopped = False
        self._compiled = kernels_are_compiled()
        self._progress: Any = None
        self._timer = threading.Timer(PATIENCE, self._show)
        self._timer.daemon = True
        self._timer.start()

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        words = TextColumn("{task.description}", markup=False)
        columns = (SpinnerColumn(), words, TimeElapsedColumn())
        with self._lock:
            if self._stopped:
                return
            self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
            self._task = self._progress.add_task(self._text(), total=None)
            self._progress.start()

    def _text(self) -> str:
        return self.label + ("" if self._compiled else " (compiling, once after an install)")

    def say(self, label: str) -> None:
        """Change the label."""
        with self._lock:
            self.label = label
            if self._progress is not None:
                self._progress.update(self._task, description=self._text())

    def stop(self) -> None:
        """Remove the line if it is there; otherwise it will not appear."""
        self._timer.cancel()
        with self._lock:
            self._stopped = True
            if self._progress is not None:
                self._progress.stop()
