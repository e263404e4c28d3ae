"""Collections of cyclic garbage by Python, made rare.

A collection looks at all objects of all imported packages, which takes 80 ms. Python starts one
whenever many objects are made, so also when many are read from a draft. A fit makes hardly any
cycles, so collections find next to nothing.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["rare_collections"]

_THRESHOLDS = (50_000, 20, 20)
"""In place of 700, 10 and 10.

The last 50 CPU seconds of a fit of 9,250 variables took 47, with the same memory."""
_LOCK = threading.Lock()
_blocks = 0
"""Number of blocks that all threads are in."""
_before = _THRESHOLDS
"""The thresholds outside of all blocks."""


@contextmanager
def rare_collections() -> Iterator[None]:
    """Collect garbage rarely inside the block; rarer collections stay as they are.

    The thresholds are those of the process. So the last block of all threads to end sets them back.

    Examples
    --------
    >>> with rare_collections():
    ...     gc.get_threshold()[0]
    50000
    """
    global _blocks, _before
    with _LOCK:
        if not _blocks:
            _before = gc.get_threshold()
            if 0 < _before[0] < _THRESHOLDS[0]:
                gc.set_threshold(*_THRESHOLDS)
        _blocks += 1
    try:
        yield
    finally:
        with _LOCK:
            _blocks -= 1
            if not _blocks:
                gc.set_threshold(*_before)
