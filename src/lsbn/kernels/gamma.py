"""The log gamma function, and differences of it."""

import math

from lsbn.kernels.jit import njit

_SHIFT = 8
"""Stirling's series is used for arguments of this size and above."""


@njit(nogil=True, cache=True, inline="always")
def _stirling(x):
    """``lgamma(x) - log(2 pi) / 2`` for ``x`` of at least 8, by Stirling's series."""
    part = 1.0 / x
    y = part * part
    series = 1 / 1188.0 - y * (691 / 360360.0 - y / 156.0)
    series = 1 / 12.0 - y * (1 / 360.0 - y * (1 / 1260.0 - y * (1 / 1680.0 - y * series)))
    return (x - 0.5) * math.log(x) - x + series * part


@njit(nogil=True, cache=True)
def log_gamma(x):
    """Logarithm of the gamma function of a positive number, to about 1e-13 relative."""
    product = 1.0
    while x < _SHIFT:
        product *= x
        x += 1.0
    return _stirling(x) + 0.9189385332046727 - (math.log(product) if product != 1.0 else 0.0)


@njit(nogil=True, cache=True, inline="always")
def rising(a, x):
    """Give ``p`` and ``s`` with ``lgamma(a + x) - lgamma(a) = log(p) + s``, ``a`` above 0.

    So the logarithms of many such terms are one logarithm of the product of all ``p``. No ``p``
    exceeds ``(a + 16)**16``.
    """
    product = 1.0
    for i in range(x if x < 2 * _SHIFT else _SHIFT):
        product *= a + i
    if x < 2 * _SHIFT:
        return product, 0.0
    return product, _stirling(a + x) - _stirling(a + _SHIFT)


@njit(nogil=True, cache=True)
def log_rising(a, x):
    """``lgamma(a + x) - lgamma(a)`` for a positive ``a`` and a whole ``x``."""
    if x < 2 * _SHIFT:
        return math.log(rising(a, x)[0])
    return log_gamma(a + x) - log_gamma(a)


@njit(nogil=True, cache=True)
def fill_rising(a, start, stop, out):
    """Write ``log_rising(a, x)``, to the last bit, to ``out[x]`` for ``x`` from start to stop."""
    origin = log_gamma(a)
    for x in range(start, stop):
        out[x] = log_rising(a, x) if x < 2 * _SHIFT else log_gamma(a + x) - origin
