"""MI_pr after one pass: mutual information divided by the root of two PageRanks.

PageRank follows from the pass, so the pass cannot sum up MI_pr. The listed pairs have their exact
weight. The other pairs are estimated: their distribution from a sample of pairs, and their sums for
each variable from the strengths.
"""

from __future__ import annotations

import numpy as np

from lsbn.kernels import survey as _kernel
from lsbn.kernels.state import MarginColumns
from lsbn.pairs.survey import Survey
from lsbn.pairs.visitors import HISTOGRAM_BINS, Moments

__all__ = ["ranked_statistics"]

_SAMPLE = 1 << 20
"""Number of pairs in the sample. If there are fewer pairs, then all are counted."""


def ranked_statistics(
    survey: Survey, columns: MarginColumns, scales: _kernel.PairScales, root: np.ndarray
) -> tuple[Moments, tuple[np.ndarray, tuple[float, float]]]:
    """Return the moments and the histogram of MI_pr.

    Parameters
    ----------
    survey : Survey
    columns : MarginColumns
    scales : PairScales
    root : (n,) float array
        The power -1/2 of the PageRank of each variable.

    Returns
    -------
    Moments, (counts, range)
        See `lsbn.pairs.PairStatistics.histograms`.
    """
    n = len(root)
    n_pairs = n * (n - 1) // 2
    edges, mi = survey.edges, survey.values[:, 0]
    listed = mi * root[edges[:, 0]] * root[edges[:, 1]]
    sample = _others(n, edges)
    light = _kernel.mutual_information(columns, scales, sample)
    light *= root[sample[:, 0]] * root[sample[:, 1]]
    times = (n_pairs - len(listed)) / max(len(light), 1)
    both = np.concatenate([listed, light])
    sums = np.array(
        [
            listed.sum() + times * light.sum(),
            (listed**2).sum() + times * (light**2).sum(),
            both.min(initial=np.inf),
            both.max(initial=-np.inf),
        ]
    )
    strength = _strength(edges, mi, survey.moments["MI"].strength, root)
    moments = Moments.of_sums(sums, n_pairs, strength)
    limits = (moments.minimum, moments.maximum)
    if not len(both):
        return moments, (np.zeros(HISTOGRAM_BINS, np.int64), limits)
    counts = np.histogram(listed, HISTOGRAM_BINS, limits)[0].astype(np.int64)
    counts += np.rint(times * np.histogram(light, HISTOGRAM_BINS, limits)[0]).astype(np.int64)
    return moments, (counts, limits)


def _others(n: int, edges: np.ndarray) -> np.ndarray:
    """Return a sample of the pairs that are not listed, always the same one."""
    if n * (n - 1) // 2 <= _SAMPLE:
        codes = np.flatnonzero(np.triu(np.ones((n, n), bool), 1))
    else:
        drawn = np.random.default_rng(0).integers(n, size=(_SAMPLE, 2))
        drawn = np.sort(drawn[drawn[:, 0] != drawn[:, 1]], axis=1)
        codes = np.unique(drawn[:, 0] * n + drawn[:, 1])
    known = edges[:, 0].astype(np.int64) * n + edges[:, 1]
    return np.stack(np.divmod(np.setdiff1d(codes, known, assume_unique=True), n), axis=1)


def _strength(
    edges: np.ndarray, mi: np.ndarray, strength: np.ndarray, root: np.ndarray
) -> np.ndarray:
    """Return the sums of MI_pr of each variable; a rank-one matrix replaces the other pairs."""
    n = len(root)
    (i, j), rest, listed = edges.T, strength.copy(), np.zeros(n)
    for here, there in ((i, j), (j, i)):
        rest -= np.bincount(here, mi, n)
        listed += np.bincount(here, mi * root[there], n)
    rest = np.maximum(rest, 0.0)
    mean_root = (rest @ root) / rest.sum() if rest.sum() > 0 else 0.0
    return root * (listed + rest * mean_root)
