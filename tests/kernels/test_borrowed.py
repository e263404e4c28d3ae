"""Arrays without counters of references."""

import sys
from typing import NamedTuple

import numpy as np

from lsbn.kernels.borrowed import borrowed
from lsbn.kernels.jit import njit


class Inner(NamedTuple):
    values: np.ndarray
    rows: np.ndarray


class Outer(NamedTuple):
    number: int
    inner: Inner


@njit(nogil=True, cache=True)
def _change(outer, first):
    outer, first = borrowed(outer), borrowed(first)
    outer.inner.values[0] += outer.number
    outer.inner.rows[1, 1] = first[1]
    return first[1:].sum() + outer.inner.rows.sum()


def test_borrowed_arrays_are_the_arrays_themselves():
    values, rows, first = np.arange(3.0), np.zeros((2, 2)), np.array([1, 2, 3])
    counts = [sys.getrefcount(array) for array in (values, rows, first)]
    for _ in range(100):
        assert _change(Outer(2, Inner(values, rows)), first) == 7.0
    assert values.tolist() == [200.0, 1.0, 2.0]
    assert rows.tolist() == [[0.0, 0.0], [0.0, 2.0]]
    assert [sys.getrefcount(array) for array in (values, rows, first)] == counts
