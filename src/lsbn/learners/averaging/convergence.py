"""Convergence of the chains: which are averaged, their standard error, R-hat, and a warning."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from types import FrameType
from typing import Any, Protocol

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from lsbn.learners.averaging.settings import ConvergenceSettings
from lsbn.learners.diagnostics import Diagnostics

_SETTINGS = ConvergenceSettings()
MOST_R_HAT = 1e3
"""R-hat of chains that never meet would be infinite; it is cut here."""


class ChainSums(Protocol):
    """Sums over one chain: see `lsbn.learners.averaging.sampler.Chain`."""

    squares: np.ndarray
    part_squares: np.ndarray
    parts: int

    @property
    def draws(self) -> int:
        """Number of averaged orders."""

    @property
    def mean(self) -> np.ndarray:
        """Mean posterior of every edge."""

    @property
    def log_score(self) -> float:
        """Mean log score of the orders."""


def best_mode(chains: Sequence[Any], worse_mode: float) -> list[Any]:
    """Chains whose mean log score is less than `worse_mode` nats below the best chain's.

    Chains that do not reach each other must not be averaged as if they had mixed. A chain in a
    much worse mode would hardly ever be visited by the others.
    """
    best = max(chain.log_score for chain in chains)
    return [chain for chain in chains if chain.log_score > best - worse_mode]


def standard_error(chains: Sequence[ChainSums]) -> float:
    """Largest standard error of an edge, by the spread of chains or of their parts."""
    means = np.array([chain.mean for chain in chains])
    if not means.shape[1]:
        return 0.0
    parts = sum(chain.parts for chain in chains)
    second = sum(chain.part_squares for chain in chains) / parts
    by_parts = np.maximum(second - means.mean(axis=0) ** 2, 0.0) / max(parts - 1, 1)
    by_chains = means.var(axis=0, ddof=1) / len(chains) if len(chains) > 1 else by_parts
    return float(np.sqrt(np.maximum(by_parts, by_chains).max()))


def convergence(chains: Sequence[ChainSums]) -> Diagnostics:
    """R-hat and effective sample size of the least certain edge, and its standard error."""
    draws, m = chains[0].draws, len(chains)
    means = np.array([chain.mean for chain in chains])
    within = np.mean([chain.squares / draws - chain.mean**2 for chain in chains], axis=0)
    within = np.maximum(within, 0.0)
    between = means.var(axis=0, ddof=1) if m > 1 else np.zeros_like(within)
    uncertain = within + between > _SETTINGS.uncertain
    within, between = within[uncertain], between[uncertain]
    r_hat = np.sqrt(1.0 + between / np.maximum(within, 1e-9))
    size = (within + between) / np.maximum(between / m, 1e-12)
    return Diagnostics(
        r_hat=round(float(min(r_hat.max(initial=1.0), MOST_R_HAT)), 4),
        high_r_hat_edges=int((r_hat > _SETTINGS.high_r_hat).sum()),
        effective_sample_size=round(float(size.min(initial=draws * m)), 1),
        standard_error=round(standard_error(chains), 4),
    )


def warn_of_disagreement(diagnostics: Diagnostics) -> None:
    """Warn the caller of the package if chains disagree or only one is in the best mode."""
    chains, kept = diagnostics.chains or 0, diagnostics.chains_kept or 0
    error, r_hat = diagnostics.standard_error or 0.0, diagnostics.r_hat or 1.0
    alone = kept == 1 < chains
    if error > _SETTINGS.warning_error or alone:
        warnings.warn(
            f"chains disagree after {diagnostics.sweeps} sweeps: standard error of an edge up "
            f"to {error:.2f}, R-hat {_r_hat_in_words(r_hat)} ({diagnostics.high_r_hat_edges} edges "
            f"above {_SETTINGS.high_r_hat}), {chains - kept} of {chains} chains left out in worse "
            f"modes; more sweeps may help, or columns may be copies of each other",
            ConvergenceWarning,
            stacklevel=_frames_inside() + 1,
        )


def _r_hat_in_words(r_hat: float) -> str:
    return f"above {MOST_R_HAT:,.0f}" if r_hat >= MOST_R_HAT else f"up to {r_hat:.2f}"


def _frames_inside() -> int:
    """Count the frames between the caller of this function and the first one outside of lsbn."""
    frame: FrameType | None = sys._getframe(1)
    inside = 0
    while frame is not None and frame.f_globals.get("__name__", "").startswith("lsbn."):
        frame, inside = frame.f_back, inside + 1
    return inside
