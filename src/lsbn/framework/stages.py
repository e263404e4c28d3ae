"""The stages of a fit: their seconds, and what is reported of them."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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

    @contextmanager
    def __call__(self, name: str, text: str) -> Iterator[None]:
        """Report a stage and measure its seconds."""
        self.report(text)
        begin = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - begin
