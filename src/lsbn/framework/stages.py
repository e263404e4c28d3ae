"""The stages of a fit: their seconds, and what is reported of them."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from lsbn.parallel import Progress
from lsbn.stagenames import duration, stage_name
from lsbn.workers import memory_in_words

__all__ = ["Stages"]

_INTERVAL = 1.0
"""Least seconds between two reports of the same stage."""


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

    def pace(self, name: str, what: str = "parts", then: str = "") -> Progress:
        """Return a function that reports how many pieces of a stage are done, and the time left.

        Parameters
        ----------
        name : str
            A key of `lsbn.stagenames.STAGES`.
        what : str
            What the pieces are.
        then : str
            What follows in the stage after the last piece.

        Returns
        -------
        callable
            It is called with the numbers of pieces that are done, of all, and of those that were
            read from a draft, which do not count in the rate. It reports at most once a second.
        """
        begin = last = time.perf_counter()

        def tell(done: int, of: int, read: int = 0) -> None:
            """Report the pieces that are done, rate, time left at this rate, and memory."""
            nonlocal begin, last
            now, new = time.perf_counter(), done - read
            begin = begin if new else now
            if not new or (done < of and now - last < _INTERVAL):
                return
            last, spent = now, max(now - begin, 1e-9)
            words = [f"{done:,} of {of:,} {what}"]
            if done == of and then:
                words.append(then)
            elif done < of:
                words.append(f"{_in_words(60 * new / spent)} a minute")
                words.append(f"{duration(spent / new * (of - done))} left")
            self.report(stage_name(name, ", ".join([*words, *memory_in_words()])))

        return tell

    @contextmanager
    def __call__(self, name: str, detail: str = "") -> Iterator[None]:
        """Report a stage, a key of `lsbn.stagenames.STAGES`, and add its seconds."""
        self.report(stage_name(name, detail))
        begin = time.perf_counter()
        yield
        spent = time.perf_counter() - begin
        self.seconds[name] = self.seconds.get(name, 0.0) + spent


def _in_words(rate: float) -> str:
    """Return a rate with two or three digits, or as a whole number.

    >>> _in_words(0.5), _in_words(12.34), _in_words(2091.3)
    ('0.5', '12.3', '2,091')
    """
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"
