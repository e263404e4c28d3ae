"""Where to truncate a weighted graph: the elbow of the histogram of its weights."""

import numpy as np
from numpy.typing import ArrayLike


def elbow(counts: ArrayLike, bin_edges: ArrayLike) -> float:
    r"""Truncate threshold of a weighted graph by the elbow criterion (paper, Parameter Setting).

    Most pairs of variables are nearly independent: the histogram of their weights falls steeply
    and then runs out in a long tail. The elbow between the two is the bin farthest below the
    chord from the first bin to the last.

    Parameters
    ----------
    counts : array-like (b,)
        Number of pairs in each bin. Counts add up, so a histogram over any number of blocks of
        pairs will do and the weights themselves are never needed. 100 equal bins from the
        smallest to the largest weight are usual.
    bin_edges : array-like (b + 1,)
        Edges of the bins, ascending; bin ``i`` is ``[bin_edges[i], bin_edges[i + 1])``.

    Returns
    -------
    float
        Left edge of the elbow's bin: pairs whose weight exceeds it are to be kept. Where there is
        no elbow (no pairs, all pairs in one bin, or counts that nowhere sag below the chord) it
        is minus infinity, so that nothing is cut.

    Notes
    -----
    With bins as abscissa and counts :math:`c` as ordinate the depth of bin b below the chord
    from bin s to the last bin l is

    .. math:: c_s + (c_l - c_s) \frac{b - s}{l - s} - c_b .

    Scaling either axis to [0, 1], or measuring perpendicular to the chord, multiplies all depths
    by one constant and gives the same bin. The first of equally deep bins is taken.

    The chord starts at the tallest bin s, which is the first one unless few pairs are
    nearly independent or noise lifts the weights of those that are (absolute correlations, few
    rows). Starting at a low first bin, the chord would lie below the whole peak and the elbow
    would be any empty bin of the tail.

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
    # Depths times (last - start): whole numbers for whole counts, so ties are exact.
    chord = c[start] * (last - start) + (c[last] - c[start]) * steps
    depth = chord - c[start:] * (last - start)
    deepest = int(np.argmax(depth))
    return float(edges[start + deepest]) if depth[deepest] > 0 else -np.inf


def _check_histogram(counts: np.ndarray, edges: np.ndarray) -> None:
    """Raise unless these can be the counts and edges of a histogram."""
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
