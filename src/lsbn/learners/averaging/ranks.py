"""R-hat and effective sample size of one quantity, by the ranks of its draws and split chains.

Every chain is split into two halves, so that a chain that drifts disagrees with itself. The draws
are replaced by the normal quantiles of their ranks, so that a few extreme draws decide nothing
(Vehtari, Gelman, Simpson, Carpenter & Bürkner, Bayesian Analysis 2021; Stan and ArviZ do the same).
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

__all__ = ["MOST_R_HAT", "rank_effective_size", "rank_r_hat"]

MOST_R_HAT = 1e3
"""R-hat of chains that never meet would be infinite; it is cut here."""


def rank_r_hat(draws: np.ndarray) -> float:
    """R-hat of one quantity by ranks.

    The same is computed of the distances of the draws from their median: chains may differ in
    place or in width. The larger R-hat of both is returned.

    Parameters
    ----------
    draws : (chains, draws) float array

    Examples
    --------
    >>> chains = np.random.default_rng(0).normal(size=(4, 500))
    >>> rank_r_hat(chains) < 1.02, rank_r_hat(chains + [[0], [0], [0], [9]]) > 1.5
    (True, True)
    """
    halves = _halves(draws)
    if halves.shape[1] < 2:
        return 1.0
    widths = np.abs(halves - np.median(halves))
    return max(_r_hat(_normal_ranks(halves)), _r_hat(_normal_ranks(widths)))


def rank_effective_size(draws: np.ndarray) -> float:
    """Effective sample size of one quantity by ranks: the number of draws without autocorrelation.

    With the autocorrelations ``rho[t]`` of split chains together, it is ``draws / tau`` with
    ``tau = 1 + 2 * sum(rho[t])``. The sum ends where two autocorrelations in a row add up to less
    than zero, and sums of two never rise (Geyer 1992).

    Parameters
    ----------
    draws : (chains, draws) float array

    Examples
    --------
    >>> noise = np.random.default_rng(0).normal(size=(4, 500))
    >>> 1_500 < rank_effective_size(noise) < 2_500
    True
    >>> rank_effective_size(np.cumsum(noise, axis=1)) < 50
    True
    """
    values = _normal_ranks(_halves(draws))
    m, n = values.shape
    within, between = _variances(values)
    total = (n - 1) / n * within + between if n > 1 else 0.0
    if n < 4 or total <= 0:
        return float(draws.size)
    rho = 1.0 - (within - _autocovariances(values) * n / (n - 1)) / total
    rho[0] = 1.0
    pairs = rho[0 : n - n % 2 : 2] + rho[1:n:2]
    negative = np.flatnonzero(pairs < 0)
    pairs = np.minimum.accumulate(pairs[: negative[0] if len(negative) else None])
    tau = max(2.0 * pairs.sum() - 1.0, 1.0 / np.log10(m * n))
    return float(m * n / tau)


def _halves(draws: np.ndarray) -> np.ndarray:
    """Split every chain into two; of an odd number of draws, the one in the middle is left out."""
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, draws.shape[1] - half :]])


def _normal_ranks(values: np.ndarray) -> np.ndarray:
    """Replace values by the normal quantiles of their ranks among all."""
    ranks = rankdata(values).reshape(values.shape)
    return ndtri((ranks - 0.375) / (ranks.size + 0.25))


def _variances(values: np.ndarray) -> tuple[float, float]:
    """Mean variance within chains, and variance of their means; 0 where they are only rounding."""
    if values.shape[1] < 2:
        return 0.0, 0.0
    within, between = values.var(axis=1, ddof=1).mean(), values.mean(axis=1).var(ddof=1)
    return float(within), float(between) if between > 1e-20 else 0.0


def _r_hat(values: np.ndarray) -> float:
    """R-hat of chains that are already split."""
    (within, between), n = _variances(values), values.shape[1]
    if not between:
        return 1.0
    return float(min(np.sqrt((n - 1) / n + between / max(within, 1e-9)), MOST_R_HAT))


def _autocovariances(values: np.ndarray) -> np.ndarray:
    """Mean autocovariance of the chains at every lag, by the Fourier transform."""
    n = values.shape[1]
    centred = values - values.mean(axis=1, keepdims=True)
    spectrum = np.abs(np.fft.rfft(centred, 2 * n, axis=1)) ** 2
    return np.fft.irfft(spectrum, axis=1)[:, :n].mean(axis=0) / n
