"""How kernels are compiled: `njit` of numba, without a wrapper that no kernel needs."""

from functools import partial

import numba

__all__ = ["njit"]

njit = partial(numba.njit, no_cfunc_wrapper=True)
"""`numba.njit` without the entry point for programs in C, which takes a tenth of the time."""
