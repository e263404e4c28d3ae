"""The stages of a fit: their seconds, and what is reported of them."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from lsbn.stagenames import duration, stage_name

__all__ = ["Stages"]


class Stages:
    """Measures the seconds of each stage of a fit, and reports the stages."""

    def __init__(self, verbose: bool | Callable[[str], None]) -> None:
        self.seconds: dict[str, float] = {}
        self._verbose = verbose
        self._begin = time.perf_counter()

    def report(self, text: str) -> None:
        """Print the text, or pass it to the callable, as ``verbose`` says."""
        if callable(self._verbose):
            self._verbose(text)
        elif self._verbose:
            spent = time.perf_counter() - self._begin
            print(f"[lsbn] {spent:7.1f} s  {text}", file=sys.stderr)

    def pace(self, name: str) -> Callable[[int, int], None]:
        """Return a function that reports how many pieces of a stage are done, and the time left.

        It is called with the number of pieces that are done, and of all pieces.
        """
        begin = time.perf_counter()

        def tell(done: int, of: int) -> None:
            """Report the pieces that are done, the mean rate, and the time left at this rate."""
            spent = time.perf_counter() - begin
            left = duration(spent / done * (of - done))
            rate = f"{60 * done / spent:.3g} a minute"
            self.report(stage_name(name, f"{done:,} of {of:,} parts, {rate}, {left} left"))

        return tell

    @contextmanager
    def __call__(self, name: str, detail: str = "") -> Iterator[None]:
        """Report a stage, a key of `lsbn.stagenames.STAGES`, and add its seconds."""
        self.report(stage_name(name, detail))
        begin = time.perf_counter()
        yield
        spent = time.perf_counter() - begin
        self.seconds[name] = self.seconds.get(name, 0.0) + spent
