"""One strip of pair weights: moments, histogram and the pairs above a threshold.

A strip holds rows ``low <= i < low + strip.shape[0]`` of the upper triangle of a symmetric
matrix; only entries with ``j > i`` are read.
"""

import numpy as np

from lsbn.kernels.jit import njit


@njit(nogil=True, cache=True)
def clear_rounding(strip, low, tolerance):
    """Set what is below a tolerance to 0."""
    for a in range(strip.shape[0]):
        for j in range(low + a + 1, strip.shape[1]):
            if strip[a, j] < tolerance:
                strip[a, j] = 0.0


@njit(nogil=True, cache=True)
def scale_strip(strip, low, left, right, out):
    """Write ``strip[i, j] * left[i] * right[j]`` into ``out``."""
    for a in range(strip.shape[0]):
        i = low + a
        for j in range(i + 1, strip.shape[1]):
            out[a, j] = strip[a, j] * left[i] * right[j]


@njit(nogil=True, cache=True)
def average_strip(strip, low, entropy, out):
    """Write ``2 strip[i, j] / (entropy[i] + entropy[j])`` into ``out``, 0 where both are 0."""
    for a in range(strip.shape[0]):
        i = low + a
        for j in range(i + 1, strip.shape[1]):
            h = entropy[i] + entropy[j]
            out[a, j] = 2.0 * strip[a, j] / h if h > 0.0 else 0.0


@njit(nogil=True, cache=True)
def correlate_strip(product, low, n_rows, mean, inverse_sd, out):
    """Write the absolute Pearson correlation into ``out`` from sums of products of codes."""
    for a in range(product.shape[0]):
        i = low + a
        for j in range(i + 1, product.shape[1]):
            covariance = product[a, j] / n_rows - mean[i] * mean[j]
            out[a, j] = min(1.0, abs(covariance * inverse_sd[i] * inverse_sd[j]))


@njit(nogil=True, cache=True)
def accumulate_strip(strip, low, moments, strength):
    """Add a strip to ``moments = [sum, sum of squares, minimum, maximum]`` and node strengths."""
    for a in range(strip.shape[0]):
        i = low + a
        total, squares = 0.0, 0.0
        for j in range(i + 1, strip.shape[1]):
            w = strip[a, j]
            total += w
            squares += w * w
            moments[2] = min(moments[2], w)
            moments[3] = max(moments[3], w)
            strength[j] += w
        strength[i] += total
        moments[0] += total
        moments[1] += squares


@njit(nogil=True, cache=True)
def histogram_strip(strip, low, minimum, maximum, counts):
    """Add a strip to a histogram of equal bins over ``[minimum, maximum]``."""
    n_bins = counts.shape[0]
    scale = n_bins / (maximum - minimum) if maximum > minimum else 0.0
    for a in range(strip.shape[0]):
        for j in range(low + a + 1, strip.shape[1]):
            b = int((strip[a, j] - minimum) * scale)
            counts[min(b, n_bins - 1)] += 1


@njit(nogil=True, cache=True)
def collect_above(strip, low, threshold, mi, kinds, least):
    """List the significant pairs of a strip above a threshold: ``(edges, weights)``.

    A pair is significant if its entry of ``mi`` exceeds the entry of ``least`` of its two kinds.
    """
    room = 1024
    edges, weights = np.empty((room, 2), np.int32), np.empty(room)
    k = 0
    for a in range(strip.shape[0]):
        limits = least[kinds[low + a]]
        for j in range(low + a + 1, strip.shape[1]):
            if strip[a, j] > threshold and mi[a, j] > limits[kinds[j]]:
                if k == room:
                    room *= 2
                    edges, weights = _grown(edges, room), _grown(weights, room)
                edges[k, 0] = low + a
                edges[k, 1] = j
                weights[k] = strip[a, j]
                k += 1
    return edges[:k].copy(), weights[:k].copy()


@njit(nogil=True, cache=True)
def _grown(array, size):
    """Copy an array to the front of a longer one."""
    more = np.empty((size - len(array), *array.shape[1:]), array.dtype)
    return np.concatenate((array, more))
