"""The log gamma function, and differences of it."""

import math

from lsbn.kernels.jit import njit


@njit(nogil=True, cache=True)
def log_gamma(x):
    """Logarithm of the gamma function of a positive number, to about 1e-13 relative."""
    shift = 0.0
    if x < 16.0:
        product = 1.0
        while x < 16.0:
            product *= x
            x += 1.0
        shift = math.log(product)
    y = 1.0 / (x * x)
    series = (1 / 12.0 - y * (1 / 360.0 - y * (1 / 1260.0 - y / 1680.0))) / x
    return (x - 0.5) * math.log(x) - x + 0.9189385332046727 + series - shift


@njit(nogil=True, cache=True)
def log_rising(a, x):
    """``lgamma(a + x) - lgamma(a)`` for a positive ``a`` and a whole ``x``."""
    if x < 8:
        product = 1.0
        for i in range(x):
            product *= a + i
        return math.log(product)
    return log_gamma(a + x) - log_gamma(a)
