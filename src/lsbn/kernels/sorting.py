"""Sorting, compiled once for all kernels: numba compiles a sort anew in each of its callers."""

import numpy as np
from numba import types

from lsbn.kernels.apart import apart
from lsbn.kernels.jit import njit

_ORDER = types.Array(types.int64, 1, "C")


@njit(nogil=True, cache=True)
def _argsort(values):
    """Places of the values (float64), smallest first."""
    return np.argsort(values)


@njit(nogil=True, cache=True)
def _stable_argsort(values):
    """`_argsort`, where equal values keep their sequence."""
    return np.argsort(values, kind="mergesort")


argsort = apart(_argsort, _ORDER)
stable_argsort = apart(_stable_argsort, _ORDER)
