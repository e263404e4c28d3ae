"""Truncate a weighted graph at the elbow of the histogram of its weights."""

import numpy as np
from numpy.typing import ArrayLike


def elbow(counts: ArrayLike, bin_edges: ArrayLike) -> float:
    r"""Return the truncate threshold of a weighted graph (paper, Parameter Setting).

    Most pairs of variables are nearly independent. The histogram of the weights therefore falls
    steeply and then has a long tail. The elbow lies between the two: it is the bin farthest below
    the chord from the tallest bin to the last bin.

    Parameters
    ----------
    counts : array-like (b,)
        Number of pairs in each bin. The counts of several blocks of pairs can be added, so the
        weights need not be in memory. ROPART takes 100 equal bins from the smallest to the largest
        weight.
    bin_edges : array-like (b + 1,)
        Edges of the bins, ascending; bin ``i`` is ``[bin_edges[i], bin_edges[i + 1])``.

    Returns
    -------
    float
        Left edge of the elbow's bin. Keep the pairs whose weight exceeds this threshold. The
        threshold is minus infinity, and every pair is kept, if there is no elbow: there are no
        pairs, all pairs are in one bin, or no count is below the chord.

    Notes
    -----
    Let bin b have the count :math:`c_b`. The depth of bin b below the chord from bin s to the last
    bin l is

    .. math:: c_s + (c_l - c_s) \frac{b - s}{l - s} - c_b .

    The elbow is the bin with the largest depth, and the first of several such bins. Scaling an axis
    to [0, 1], or measuring perpendicular to the chord, multiplies all depths by one constant and
    gives the same bin.

    The chord starts at the tallest bin s. Usually this is the first bin. Another bin is the tallest
    if few pairs are nearly independent, or if noise increases the weights of independent pairs
    (absolute correlations, few rows). A chord from a low first bin would lie below the peak, and
    the elbow would be any empty bin of the tail.

    Examples
    --------
    >>> elbow([70, 20, 5, 3, 2], [0.0, 0.1, 0.2, 0.3, 0.4, 0.5])
    0.1
    >>> elbow([10, 70, 20, 5, 3, 2], [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    0.2
    """
    c = np.asarray(counts, dtype=np.float64)
    edges = np.asarray(bin_edges, dtype=np.float64)
    _check_histogram(c, edges)
    if np.count_nonzero(c) < 2:
        return -np.inf
    start, last = int(np.argmax(c)), len(c) - 1
    steps = np.arange(last - start + 1)
    # Depths times (last - start) are integers if the counts are, so equal depths compare equal.
    chord = c[start] * (last - start) + (c[last] - c[start]) * steps
    depth = chord - c[start:] * (last - start)
    deepest = int(np.argmax(depth))
    return float(edges[start + deepest]) if depth[deepest] > 0 else -np.inf


def _check_histogram(counts: np.ndarray, edges: np.ndarray) -> None:
    """Raise an error unless these are the counts and bin edges of a histogram."""
    if counts.ndim != 1 or counts.size == 0:
        raise ValueError(f"counts must be a list of at least one bin, got shape {counts.shape}.")
    if edges.shape != (counts.size + 1,):
        raise ValueError(
            f"{counts.size} bins have {counts.size + 1} edges, but bin_edges has shape"
            f" {edges.shape}."
        )
    bad = np.flatnonzero(~((counts >= 0) & np.isfinite(counts)))
    if bad.size:
        raise ValueError(f"count of bin {bad[0]} is {counts[bad[0]]}; counts cannot be negative.")
    bad = np.flatnonzero(~(np.isfinite(edges[:-1]) & (edges[1:] >= edges[:-1])))
    if bad.size:
        b = bad[0]
        raise ValueError(f"bin {b} runs from {edges[b]} to {edges[b + 1]}; edges must ascend.")
