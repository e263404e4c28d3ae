"""Say what is being done when it takes long, and measure how long it took.

Nothing is shown unless standard error is a terminal, and nothing for work that is done within two
seconds.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["Stages", "kernels_are_compiled"]

PATIENCE = 2.0
"""Seconds after which a stage shows that it is alive."""


def kernels_are_compiled() -> bool:
    """Tell whether numba finds compiled kernels in its cache, so that no compilation stalls."""
    here = Path(__file__).parent
    folders = [here / "kernels" / "__pycache__", here / "partition" / "__pycache__"]
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        folders = [Path(chosen)]
    return any(next(folder.rglob("*.nbi"), None) is not None for folder in folders)


class Stages:
    """The stages of one command, timed and shown.

    Attributes
    ----------
    seconds : dict of str to float
        Wall time of every finished stage.

    Examples
    --------
    >>> stages = Stages()
    >>> with stages("count", "counting beans"):
    ...     beans = sum(range(10))
    >>> list(stages.seconds)
    ['count']
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._start = time.perf_counter()

    @property
    def total(self) -> float:
        """Seconds since the first stage could begin."""
        return time.perf_counter() - self._start

    @contextmanager
    def __call__(self, name: str, label: str) -> Iterator[Callable[[str], None]]:
        """Time a stage; on a terminal show a spinner with the label once it takes long.

        The block gets a function that changes the label.
        """
        spinner = _Spinner(label) if sys.stderr.isatty() else None
        begin = time.perf_counter()
        try:
            yield spinner.say if spinner else _say_nothing
        finally:
            if spinner:
                spinner.stop()
            spent = time.perf_counter() - begin
            self.seconds[name] = self.seconds.get(name, 0.0) + spent


def _say_nothing(label: str) -> None:
    """Ignore a new label: nobody is looking."""


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
        return self.label + ("" if self._compiled else " (compiling, first use only)")

    def say(self, label: str) -> None:
        """Change the label."""
        with self._lock:
            self.label = label
            if self._progress is not None:
                self._progress.update(self._task, description=self._text())

    def stop(self) -> None:
        """Remove the line, or make sure that it never appears."""
        self._timer.cancel()
        with self._lock:
            self._stopped = True
            if self._progress is not None:
                self._progress.stop()
