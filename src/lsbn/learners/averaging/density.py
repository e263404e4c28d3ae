"""The density of edges that stands for all densities.

The density d is estimated from the data. Let λ be its log odds, and E(λ) the expected number of
edges in the average with this density, without those that are required. With m pairs of variables
and the prior Beta(a, m) of the density, the log posterior of λ has the slope

    E(λ) + a - (2 m + a) d.

The slope is zero where the density is the one that is expected in its own average. So passes that
find the density from the average, again and again, end in a mode. With many edges one mode says
enough. With few edges it does not: an edge that is there by chance raises the density, and the
density raises the probability of the edge. There may also be two modes, as a family that has
several parents by chance does the same. The average over all densities has fewer edges then. So we
take the density at which there are as many edges as on average over all of them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.special import expit, logit

from lsbn.kernels.orders import allowed_masks
from lsbn.learners.averaging.edge_prior import PRIOR_EDGES, EdgeCounts
from lsbn.learners.averaging.parent_sets import ParentSets
from lsbn.learners.averaging.rules import ParentRules

__all__ = ["edges_in_order", "typical_density"]

_STEP = 0.5
"""Step of the log odds at which edges are counted; a spline joins them."""
_BELOW, _ABOVE = 3.0, 1.5
"""Log odds below those without edges, and above those that were found and those of the density
1 / n, between which edges are counted."""
_FINE = 0.02
"""Step of the sum over log odds."""
_LEAST_CHANGE = 0.02
"""With a smaller change of the expected number of edges, as a share of this number (or of 1, if it
is less), the density that was found stays."""


def typical_density(
    expected: Callable[[float], float], rules: ParentRules, found: float
) -> float | None:
    """Return the density at which there are as many edges as on average over all densities.

    Parameters
    ----------
    expected : callable
        Takes a density, and gives the expected number of edges, with those that are required.
    rules : ParentRules
    found : float
        The density that is expected in its own average.

    Returns
    -------
    float or None
        None if the density that was found has as many edges, or if single edges have priors of
        their own.
    """
    if not rules.free_pairs or rules.has_likely:
        return None
    empty = logit(rules.mean_prior(EdgeCounts(0.0)).density)
    lowest, highest = empty - _BELOW, max(logit(found), -np.log(rules.n)) + _ABOVE
    nodes = np.linspace(lowest, highest, 1 + int(np.ceil((highest - lowest) / _STEP)))
    edges = PchipInterpolator(nodes, [expected(float(expit(node))) for node in nodes])
    log_odds = np.arange(lowest, highest, _FINE)
    height = edges.antiderivative()(log_odds) + (PRIOR_EDGES - rules.n_required) * log_odds
    height -= (2 * rules.free_pairs + PRIOR_EDGES) * np.log1p(np.exp(log_odds))
    weights = np.exp(height - height.max())
    weights[0] += weights[0] / (PRIOR_EDGES * _FINE)  # all below, where there are no edges
    counts = edges(log_odds)
    mean, present = weights @ counts / weights.sum(), edges(logit(found))
    if abs(mean - present) < _LEAST_CHANGE * max(1.0, present):
        return None
    return float(expit(np.interp(mean, np.maximum.accumulate(counts), log_odds)))


def edges_in_order(sets: ParentSets, keys: np.ndarray, density: float) -> Callable[[float], float]:
    """Return the function that gives the expected number of edges in one order for any density.

    Parameters
    ----------
    sets : ParentSets
    keys : float array
        The order.
    density : float
        With which the sets are scored.
    """
    lists, n = sets.lists, sets.n_variables
    child = np.repeat(np.arange(n), np.diff(lists.set_start))
    fits = (lists.set_mask & ~allowed_masks(lists, keys)[child]) == 0
    child, sizes, scores = child[fits], sets.sizes[fits], lists.set_score[fits]
    start = np.searchsorted(child, np.arange(n))

    def expected(other: float) -> float:
        """Weigh the sets by another density."""
        moved = scores + (logit(other) - logit(density)) * sizes
        weights = np.exp(moved - np.maximum.reduceat(moved, start)[child])
        totals = np.add.reduceat(weights, start)
        return float((np.add.reduceat(weights * sizes, start) / totals).sum())

    return expected
