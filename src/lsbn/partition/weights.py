"""Step 2 of ROPART: seven weight functions turn the complete graph into weighted graphs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lsbn.data import Dataset
from lsbn.pairs import LISTED_PAIRS, STANDARDISED, WEIGHTS, PairStatistics, base_weights
from lsbn.partition.truncation import elbow

__all__ = ["WEIGHTS", "WeightedGraph", "weighted_graphs"]

_BINS = 100


@dataclass(frozen=True)
class WeightedGraph:
    """A truncated weighted graph: the pairs whose weight exceeds the threshold.

    Attributes
    ----------
    name : str
        The weight function.
    n_nodes : int
    edges : (m, 2) int32 array
        Pairs ``i < j`` in lexicographic order.
    weights : (m,) float array
        Their weights, all positive: where the threshold is negative (standard normalisation)
        weights are counted from the threshold.
    threshold : float
        The truncate threshold, on the scale of the weight function itself; every pair above it is
        kept, and no other.
    kept : float
        Fraction of all pairs that is left.
    """

    name: str
    n_nodes: int
    edges: np.ndarray
    weights: np.ndarray
    threshold: float
    kept: float


def weighted_graphs(
    dataset: Dataset,
    names: Sequence[str] = WEIGHTS,
    *,
    pairs: PairStatistics | None = None,
    truncate: Callable[[np.ndarray, np.ndarray], float] = elbow,
    max_mean_degree: float = 100.0,
) -> dict[str, WeightedGraph]:
    """Map the complete graph to one truncated weighted graph for each weight function.

    Parameters
    ----------
    dataset : Dataset
    names : sequence of str
        Weight functions, of `WEIGHTS`.
    pairs : PairStatistics, optional
        Of the same dataset, if they are at hand.
    truncate : callable
        Takes the counts and the edges of a histogram of all pair weights, gives the threshold.
    max_mean_degree : float
        Bound on the size of a graph: where the threshold leaves more pairs than this many per
        variable, only the heaviest are kept.

    Returns
    -------
    dict of str to WeightedGraph

    Notes
    -----
    Standard normalisation changes the scale, not the ranks, so ``MI_sn`` keeps the pairs of
    ``MI``; its weights differ because they are counted from the mean over all pairs.

    Pairs of weight 0 (before normalisation) are independent in the table and are never kept, so
    constant columns have no edges. Where there is no elbow, as with a single pair, all other
    pairs are.
    """
    bases = base_weights(names)
    pairs = pairs or PairStatistics(dataset)
    pairs.survey(bases)
    allowed = min(LISTED_PAIRS, max_mean_degree * dataset.n_variables / 2)
    thresholds = {name: _cut(pairs, name, truncate, allowed) for name in bases}
    found = pairs.above(thresholds)
    moments = pairs.moments(bases)
    graphs = {}
    for name in names:
        base = STANDARDISED.get(name, name)
        edges, weights = found[base]
        threshold = thresholds[base]
        if base != name:
            m = moments[base]
            sd = m.sd if m.sd > 0 else 1.0
            weights, threshold = (weights - m.mean) / sd, (threshold - m.mean) / sd
        kept = len(weights) / max(pairs.n_pairs, 1)
        graphs[name] = WeightedGraph(
            name, dataset.n_variables, edges, weights - min(threshold, 0.0), float(threshold), kept
        )
    return graphs


def _cut(
    pairs: PairStatistics,
    name: str,
    truncate: Callable[[np.ndarray, np.ndarray], float],
    allowed: float,
) -> float:
    """Threshold of a weight, at least 0, raised where too many pairs are left."""
    counts, limits = pairs.histograms([name])[name]
    if counts.sum() == 0:
        return 0.0
    coarse = counts.reshape(_BINS, -1).sum(axis=1)
    threshold = truncate(coarse, np.linspace(*limits, _BINS + 1))
    floor = pairs.threshold(name, allowed) if counts.sum() > allowed else 0.0
    return float(max(threshold, floor, 0.0))
