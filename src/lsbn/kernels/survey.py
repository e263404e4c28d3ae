"""The pass over all pairs: every statistic of a block of pairs, in one loop."""

from typing import NamedTuple

import numpy as np

from lsbn.kernels.counts import pair_moments
from lsbn.kernels.jit import njit

N_WEIGHTS = 4
"""Mutual information, its arithmetic and its geometric normalisation, absolute correlation."""
_MANTISSA = 10
"""Bits of the mantissa that choose a bin: 1,024 bins for each power of two."""
_LEAST_EXPONENT, _MOST_EXPONENT = -42, 6
"""Weights below ``2**-42`` are in the first bin. All weights are below ``2**6``."""
N_BINS = (_MOST_EXPONENT - _LEAST_EXPONENT) << _MANTISSA
_FIRST_BIN = (1023 + _LEAST_EXPONENT) << _MANTISSA
_TILE = 16
"""Columns whose bits stay in the cache for all rows of a block."""


class PairScales(NamedTuple):
    """What the weights of pairs need of each variable.

    Attributes
    ----------
    entropy, inverse_root : (n,) float arrays
        Entropy of a variable, and its power -1/2.
    mean, inverse_sd : (n,) float arrays
        Of the codes.
    kinds : (n,) int array
        Variables with the same number of states have the same kind.
    critical : (k, k, levels) float array
        Critical values of mutual information, ascending, by the kinds of two variables.
    least : (k, k) float array
        Pairs above this mutual information are listed.
    rounding : float
        Smaller mutual information is set to 0.
    """

    entropy: np.ndarray
    inverse_root: np.ndarray
    mean: np.ndarray
    inverse_sd: np.ndarray
    kinds: np.ndarray
    critical: np.ndarray
    least: np.ndarray
    rounding: float


class BlockSums(NamedTuple):
    """Sums over the pairs of a block; the kernel adds to its arrays.

    Attributes
    ----------
    moments : (4, 4) float array
        For each weight the sum, the sum of squares, the minimum and the maximum.
    strength : (4, n) float array
        For each weight and each variable, the sum over its pairs.
    bins : (4, N_BINS) int array
        Histogram of each weight, see `bin_edges`.
    levels : int array
        Number of pairs above exactly k critical values.
    """

    moments: np.ndarray
    strength: np.ndarray
    bins: np.ndarray
    levels: np.ndarray


def bin_edges() -> np.ndarray:
    """Return the ``N_BINS + 1`` edges of the histogram; the first edge is 0.

    A bin is chosen by the exponent and the first bits of the mantissa of a weight, so its width is
    about a thousandth of the weight.
    """
    bits = np.arange(_FIRST_BIN, _FIRST_BIN + N_BINS + 1, dtype=np.int64) << (52 - _MANTISSA)
    edges = bits.view(np.float64).copy()
    edges[0] = 0.0
    return edges


@njit(nogil=True, cache=True)
def survey_block(data, scales, rows, columns, sums):
    """Add the pairs ``i < j`` of a block of rows and columns to the sums, and list some of them.

    Parameters
    ----------
    data : MarginColumns
    scales : PairScales
    rows, columns : (int, int)
        First variable and end of the block.
    sums : BlockSums

    Returns
    -------
    edges : (m, 2) int32 array
        The pairs above ``scales.least``, tile by tile.
    values : (m, 2) float array
        Their mutual information and sum of products of codes.
    """
    widest = 0
    for v in range(data.offsets.shape[0] - 1):
        widest = max(widest, data.offsets[v + 1] - data.offsets[v])
    counts = np.empty((widest, widest), np.int64)
    weights, pairs = np.empty((N_WEIGHTS, _TILE)), np.empty((2, _TILE))
    n_rows, whole = data.codes.shape[2], data.xlogx[data.codes.shape[2]]
    edges, values = np.empty((1024, 2), np.int32), np.empty((1024, 2))
    kinds, critical, least, levels = scales.kinds, scales.critical, scales.least, sums.levels
    rounding, m = scales.rounding, 0
    for start in range(columns[0], columns[1], _TILE):
        for i in range(rows[0], rows[1]):
            low, high = max(start, i + 1), min(start + _TILE, columns[1])
            for j in range(low, high):
                total, product = pair_moments(data, i, j, counts)
                mi = (total + whole) / n_rows
                mi = mi if mi >= rounding else 0.0
                pairs[0, j - low], pairs[1, j - low] = mi, product
                a, b = kinds[i], kinds[j]
                if mi <= critical[a, b, 0]:
                    levels[0] += 1
                else:
                    levels[_level(mi, critical[a, b])] += 1
                if mi > least[a, b]:
                    if m == edges.shape[0]:
                        edges, values = _doubled(edges), _doubled(values)
                    edges[m, 0], edges[m, 1] = i, j
                    values[m, 0], values[m, 1] = mi, product
                    m += 1
            if low < high:
                _fill(scales, n_rows, i, low, pairs, weights[:, : high - low])
                _add(weights[:, : high - low], i, low, sums)
    return edges[:m].copy(), values[:m].copy()


@njit(nogil=True, cache=True)
def _fill(scales, n_rows, i, low, pairs, weights):
    """Write the weights of ``i`` with some variables from ``low`` on.

    ``pairs`` has their mutual information and sums of products.
    """
    entropy, root = scales.entropy, scales.inverse_root
    mean, inverse_sd = scales.mean, scales.inverse_sd
    for c in range(weights.shape[1]):
        j = low + c
        mi, product = pairs[0, c], pairs[1, c]
        both = entropy[i] + entropy[j]
        covariance = product / n_rows - mean[i] * mean[j]
        weights[0, c] = mi
        weights[1, c] = 2.0 * mi / both if both > 0.0 else 0.0
        weights[2, c] = mi * root[i] * root[j]
        weights[3, c] = min(1.0, abs(covariance * inverse_sd[i] * inverse_sd[j]))


@njit(nogil=True, cache=True)
def _add(weights, i, low, sums):
    """Add the weights of ``i`` with some variables from ``low`` on to the sums."""
    for k in range(N_WEIGHTS):
        total, squares = 0.0, 0.0
        least, most = weights[k, 0], weights[k, 0]
        bins, strength = sums.bins[k], sums.strength[k]
        bits = weights[k].view(np.int64)
        for c in range(weights.shape[1]):
            w = weights[k, c]
            total += w
            squares += w * w
            least, most = min(least, w), max(most, w)
            strength[low + c] += w
            place = (bits[c] >> (52 - _MANTISSA)) - _FIRST_BIN
            bins[min(max(place, 0), N_BINS - 1)] += 1
        strength[i] += total
        moments = sums.moments[k]
        moments[0] += total
        moments[1] += squares
        moments[2], moments[3] = min(moments[2], least), max(moments[3], most)


@njit(nogil=True, cache=True)
def _level(mi, critical):
    """Count the critical values below the mutual information."""
    first, last = 0, critical.shape[0]
    while first < last:
        middle = (first + last) // 2
        if mi > critical[middle]:
            first = middle + 1
        else:
            last = middle
    return first


@njit(nogil=True, cache=True)
def _doubled(array):
    """Copy an array to the front of one of twice the length."""
    out = np.empty((2 * array.shape[0], *array.shape[1:]), array.dtype)
    out[: len(array)] = array
    return out


@njit(nogil=True, cache=True)
def count_levels(mi, low, kinds, critical, counts):
    """Add a strip of mutual information to the numbers of pairs above exactly k critical values."""
    for a in range(mi.shape[0]):
        rows = critical[kinds[low + a]]
        for j in range(low + a + 1, mi.shape[1]):
            counts[_level(mi[a, j], rows[kinds[j]])] += 1


@njit(nogil=True, cache=True)
def mutual_information(data, scales, pairs):
    """Return the mutual information of some pairs."""
    widest = 0
    for v in range(data.offsets.shape[0] - 1):
        widest = max(widest, data.offsets[v + 1] - data.offsets[v])
    counts, out = np.empty((widest, widest), np.int64), np.empty(pairs.shape[0])
    n_rows, whole = data.codes.shape[2], data.xlogx[data.codes.shape[2]]
    for e in range(pairs.shape[0]):
        total, _ = pair_moments(data, pairs[e, 0], pairs[e, 1], counts)
        mi = (total + whole) / n_rows
        out[e] = mi if mi >= scales.rounding else 0.0
    return out
