"""Convergence of the chains: which are averaged, their standard error, R-hat, and a warning."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import erfc
from sklearn.exceptions import ConvergenceWarning

from lsbn.kernels.state import EdgeSums
from lsbn.learners.averaging.ranks import MOST_R_HAT, rank_effective_size, rank_r_hat
from lsbn.learners.averaging.searches import UnitedSearch
from lsbn.learners.diagnostics import Diagnostics


@dataclass(frozen=True)
class ConvergenceSettings:
    """When the chains count as uncertain or in disagreement.

    Attributes
    ----------
    uncertain : float
        R-hat and effective sample size are those of edges with a larger variance than this.
    high_r_hat : float
        Edges above this R-hat are counted in the diagnostics.
    ranked_edges : int
        Number of edges with the largest R-hat, and with the largest standard error, whose R-hat is
        computed again by the ranks of all draws.
    warning_error : float
        A warning follows if the standard error of an edge is above this, or if an edge is doubtful:
        independent searches differ by more than this, and its R-hat is above `high_r_hat`.
    unsettled_share : float
        A warning also follows if another seed is expected to change a larger share of the edges
        by more than `warning_error`, by their standard errors.
    least_probability : float
        Edges below this probability in all searches are not compared.
    """

    uncertain: float = 1e-6
    high_r_hat: float = 1.1
    ranked_edges: int = 16
    warning_error: float = 0.1
    unsettled_share: float = 0.01
    least_probability: float = 0.01

    def __post_init__(self) -> None:
        if self.uncertain <= 0 or self.high_r_hat <= 1 or self.warning_error <= 0:
            raise ValueError(f"limits must be positive, and that of R-hat above 1: {self}")


_SETTINGS = ConvergenceSettings()


class ChainSums:
    """Sums over the parts of one chain after the first, which is burn-in.

    Parameters
    ----------
    size : int
        Number of possible edges.
    """

    def __init__(self, size: int) -> None:
        self.sweeps = 0
        self._clear(size)

    def _clear(self, size: int) -> None:
        self.total, self.squares, self.part_squares = np.zeros((3, size))
        self.scores: list[np.ndarray] = []
        self.parts = 0

    def add_part(self, sums: EdgeSums, scores: np.ndarray, sweeps: int) -> None:
        """Add one more part: its sums, the log scores of its draws, and its sweeps."""
        if self.sweeps == sweeps:
            self._clear(len(self.total))
        self.total += sums.total
        self.squares += sums.squares
        self.part_squares += (sums.total / len(scores)) ** 2
        self.scores.append(scores)
        self.sweeps += sweeps
        self.parts += 1

    @property
    def draws(self) -> int:
        """Number of orders or graphs in the sums."""
        return sum(len(part) for part in self.scores)

    @property
    def mean(self) -> np.ndarray:
        """Mean posterior of every edge."""
        return self.total / self.draws

    @property
    def log_score(self) -> float:
        """Mean log score of the draws."""
        return float(np.mean(np.concatenate(self.scores)))


def best_mode(chains: Sequence[Any], worse_mode: float) -> list[Any]:
    """Chains whose mean log score is less than `worse_mode` nats below the best chain's.

    Chains that do not reach each other must not be averaged as if they had mixed. A chain in a
    much worse mode would hardly ever be visited by the others.
    """
    best = max(chain.log_score for chain in chains)
    return [chain for chain in chains if chain.log_score > best - worse_mode]


def standard_error(chains: Sequence[ChainSums]) -> float:
    """Largest standard error of an edge, by the spread of chains or of their parts."""
    return float(_standard_errors(chains).max(initial=0.0))


def _standard_errors(chains: Sequence[ChainSums]) -> np.ndarray:
    """Give the standard error of every edge."""
    means = np.array([chain.mean for chain in chains])
    parts = sum(chain.parts for chain in chains)
    second = sum(chain.part_squares for chain in chains) / parts
    by_parts = np.maximum(second - means.mean(axis=0) ** 2, 0.0) / max(parts - 1, 1)
    by_chains = means.var(axis=0, ddof=1) / len(chains) if len(chains) > 1 else by_parts
    return np.sqrt(np.maximum(by_parts, by_chains))


def convergence(
    chains: Sequence[Any], kept: Sequence[Any], edge_draws: Callable[[Any, int], np.ndarray]
) -> Diagnostics:
    """R-hat over all chains; effective sample size and standard error of those that are averaged.

    All edges have an R-hat by the means and variances of the averaged chains. The least certain
    edges by this and by the standard error, and the log score, also have one by the ranks of
    their draws in all chains.

    Parameters
    ----------
    chains : sequence of ChainSums
        All chains.
    kept : sequence of ChainSums
        Those of them that are averaged.
    edge_draws : callable
        Takes a chain and an edge; returns draws of the edge's posterior, or of a yes or no.
    """
    r_hat, errors = _r_hats(kept), _standard_errors(kept)
    for edge in _least_certain(r_hat, errors):
        r_hat[edge] = rank_r_hat(np.array([edge_draws(chain, edge) for chain in chains]))
    sizes = [
        rank_effective_size(np.array([edge_draws(chain, edge) for chain in kept]))
        for edge in _least_certain(r_hat, errors)
    ]
    shown = np.mean([chain.mean for chain in kept], axis=0) >= _SETTINGS.least_probability
    by_score = rank_r_hat(np.array([np.concatenate(chain.scores) for chain in chains]))
    return Diagnostics(
        r_hat=round(float(r_hat.max(initial=by_score)), 4),
        high_r_hat_edges=int((r_hat > _SETTINGS.high_r_hat).sum()),
        effective_sample_size=round(min(sizes, default=kept[0].draws * len(kept)), 1),
        standard_error=round(float(errors.max(initial=0.0)), 4),
        unsettled_share=round(float(_unsettled(errors).sum()) / max(int(shown.sum()), 1), 4),
    )


def _unsettled(errors: np.ndarray) -> np.ndarray:
    """Probability that an edge differs by more than `warning_error` in an average as precise."""
    return erfc(_SETTINGS.warning_error / (2.0 * np.maximum(errors, 1e-9)))


def _r_hats(chains: Sequence[ChainSums]) -> np.ndarray:
    """R-hat of every edge by means and variances; 1 for an edge that hardly varies."""
    draws, m = chains[0].draws, len(chains)
    means = np.array([chain.mean for chain in chains])
    within = np.mean([chain.squares / draws - chain.mean**2 for chain in chains], axis=0)
    within = np.maximum(within, 0.0)
    between = means.var(axis=0, ddof=1) if m > 1 else np.zeros_like(within)
    r_hat = np.minimum(np.sqrt(1.0 + between / np.maximum(within, 1e-9)), MOST_R_HAT)
    return np.where(within + between > _SETTINGS.uncertain, r_hat, 1.0)


def _least_certain(r_hat: np.ndarray, errors: np.ndarray) -> list[int]:
    """Edges with the largest R-hat, and with the largest standard error."""
    most = _SETTINGS.ranked_edges
    chosen = {int(edge) for values in (r_hat, errors) for edge in np.argsort(-values)[:most]}
    return sorted(edge for edge in chosen if errors[edge] ** 2 > _SETTINGS.uncertain)


def compare_sides(
    diagnostics: Diagnostics,
    average: sparse.csr_array,
    sides: Sequence[sparse.csr_array],
    result: UnitedSearch,
    agreement: float,
    names: Sequence[str],
) -> Diagnostics:
    """Compare the average over the united search with the averages over its sides.

    A side shows what another seed might find. The R-hat of an edge compares the variance between
    these averages with the variance of a yes or no of the same probability. If the log scores
    differ by more than `agreement`, R-hat takes them as means, and `agreement` as the standard
    deviation of each.

    Parameters
    ----------
    diagnostics : Diagnostics
        Of the chains over the united search.
    average : (n, n) sparse array
        Edge posteriors of the united search.
    sides : sequence of (n, n) sparse arrays
        Edge posteriors of each side.
    result : UnitedSearch
    agreement : float
    names : sequence of str
        Names of the variables.

    Returns
    -------
    Diagnostics
        With the figures of the searches.
    """
    means, child = side_by_side([average, *sides])
    within = (means * (1 - means)).mean(axis=0)
    r_hat = np.sqrt(1.0 + means.var(axis=0, ddof=1) / np.maximum(within, 1e-9))
    apart = (np.ptp(means, axis=0) > _SETTINGS.warning_error) & (r_hat > _SETTINGS.high_r_hat)
    spread = float(np.ptp(result.scores)) / agreement
    by_score = float(np.sqrt(1.0 + spread**2 / 2)) if spread > 1 else 1.0
    worst = max(diagnostics.r_hat or 1.0, float(r_hat[apart].max(initial=1.0)), by_score)
    variables, counts = np.unique(child[apart], return_counts=True)
    doubtful, top = int(apart.sum()), max(result.scores)
    return replace(
        diagnostics,
        r_hat=round(min(worst, MOST_R_HAT), 4),
        searches=result.searches * len(sides),
        searches_compared=len(sides),
        searches_agreed=sum(score >= top - agreement for score in result.scores[:-1]),
        search_scores=[round(score, 3) for score in result.scores],
        doubtful_edges=doubtful,
        doubtful_share=round(doubtful / max(len(child), 1), 4),
        doubtful_variables=[names[v] for v in variables[np.argsort(-counts, kind="stable")]],
    )


def side_by_side(averages: Sequence[sparse.csr_array]) -> tuple[np.ndarray, np.ndarray]:
    """Return the probabilities of every edge that some average shows, and the child of each."""
    n, entries = averages[0].shape[0], [each.tocoo() for each in averages]
    cells = [each.row.astype(np.int64) * n + each.col for each in entries]
    listed = np.unique(np.concatenate(cells))
    means = np.zeros((len(entries), len(listed)))
    for row, own, each in zip(means, cells, entries, strict=True):
        row[np.searchsorted(listed, own)] = each.data
    shown = means.max(axis=0) >= _SETTINGS.least_probability
    return means[:, shown], listed[shown] % n


def searches_disagree(diagnostics: Diagnostics) -> bool:
    """Return whether independent searches ended at different log scores, or at other edges."""
    agreed = diagnostics.searches_agreed == diagnostics.searches_compared
    return not agreed or bool(diagnostics.doubtful_edges)


def warn_of_disagreement(diagnostics: Diagnostics, effort: str) -> None:
    """Warn the caller of the package if chains or searches disagree, and name the cure."""
    reasons = [*_chains_apart(diagnostics), *_searches_apart(diagnostics)]
    cure = "Use effort='thorough' (--effort thorough) for a longer search and longer chains"
    if effort == "thorough":
        cure = "Compare the results of several seeds (random_state, --seed)"
    if reasons:
        warn_caller(f"{'; '.join(reasons)}. {cure}")


def warn_caller(text: str) -> None:
    """Warn the caller of the package that an average is not precise."""
    warnings.warn(text, ConvergenceWarning, stacklevel=_frames_inside() + 1)


def _chains_apart(diagnostics: Diagnostics) -> list[str]:
    """Say how far the chains are apart, if they are."""
    chains, kept = diagnostics.chains or 0, diagnostics.chains_kept or 0
    error, r_hat = diagnostics.standard_error or 0.0, diagnostics.r_hat or 1.0
    settled = (diagnostics.unsettled_share or 0.0) <= _SETTINGS.unsettled_share
    if settled and error <= _SETTINGS.warning_error and (kept > 1 or chains == kept):
        return []
    return [
        f"chains disagree after {diagnostics.sweeps} sweeps: standard error of an edge up to "
        f"{error:.2f}, R-hat {_r_hat_in_words(r_hat)} ({diagnostics.high_r_hat_edges} edges above "
        f"{_SETTINGS.high_r_hat}), {chains - kept} of {chains} chains left out in worse modes"
    ]


def _searches_apart(diagnostics: Diagnostics) -> list[str]:
    """Say how far independent searches are apart, if they are."""
    if not searches_disagree(diagnostics):
        return []
    scores, names = diagnostics.search_scores or [0.0], diagnostics.doubtful_variables or []
    edges = diagnostics.doubtful_edges or 0
    differ = "1 edge differs" if edges == 1 else f"{edges} edges differ"
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return [
        f"independent searches disagree: log scores up to {max(scores) - min(scores):.1f} apart, "
        f"{differ} by more than {_SETTINGS.warning_error}, R-hat "
        f"{_r_hat_in_words(diagnostics.r_hat or 1.0)}"
        + (f"; edges into {', '.join(map(repr, names[:5]))}{more}" if names else "")
    ]


def _r_hat_in_words(r_hat: float) -> str:
    return f"above {MOST_R_HAT:,.0f}" if r_hat >= MOST_R_HAT else f"up to {r_hat:.2f}"


def _frames_inside() -> int:
    """Count the frames between the caller of this function and the first one outside of lsbn."""
    frame: FrameType | None = sys._getframe(1)
    inside = 0
    while frame is not None and frame.f_globals.get("__name__", "").startswith("lsbn."):
        frame, inside = frame.f_back, inside + 1
    return inside
