"""Collections of cyclic garbage by Python, made rare.

A collection looks at all objects of all imported packages, which takes 80 ms. Python starts one
whenever many objects are made, so also when many are read from a draft. A fit makes hardly any
cycles, so collections find next to nothing.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["rare_collections"]

_THRESHOLDS = (50_000, 20, 20)
"""In place of 700, 10 and 10.

The last 50 CPU seconds of a fit of 9,250 variables took 47, with the same memory."""


@contextmanager
def rare_collections() -> Iterator[None]:
    """Collect garbage rarely inside the block.

    Examples
    --------
    >>> with rare_collections():
    ...     gc.get_threshold()[0]
    50000
    """
    before = gc.get_threshold()
    gc.set_threshold(*_THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
