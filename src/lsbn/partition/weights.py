"""Step 2 of ROPART: seven weight functions map the complete graph to weighted graphs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lsbn.data import Dataset
from lsbn.pairs import LISTED_PAIRS, STANDARDISED, WEIGHTS, PairStatistics, base_weights
from lsbn.partition.truncation import elbow

__all__ = ["WEIGHTS", "WeightedGraph", "weighted_graphs"]

_BINS = 100
"""Bins of the histogram in which the elbow is found."""


@dataclass(frozen=True)
class WeightedGraph:
    """A truncated weighted graph: the pairs whose weight exceeds the threshold.

    Attributes
    ----------
    name : str
        Name of the weight function.
    n_nodes : int
        Number of variables.
    edges : (m, 2) int32 array
        Pairs ``i < j`` in lexicographic order.
    weights : (m,) float array
        Weights of the edges, all positive. If the threshold is negative, which is possible with
        standard normalisation, then these are the weights minus the threshold.
    threshold : float
        The truncate threshold, on the scale of the weight function. The edges are exactly the
        pairs, or the significant pairs, whose weight exceeds the threshold.
    kept : float
        Number of edges divided by the number of all pairs.
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
    false_discoveries: float | None = None,
) -> dict[str, WeightedGraph]:
    """Map the complete graph to truncated weighted graphs (paper, Algorithm ROPART, step 2).

    Parameters
    ----------
    dataset : Dataset
    names : sequence of str
        Names of weight functions, see `WEIGHTS`.
    pairs : PairStatistics, optional
        Statistics of the same dataset. By default they are computed here.
    truncate : callable
        ``truncate(counts, bin_edges)`` returns the threshold. The arguments are a histogram of the
        weights of all pairs.
    max_mean_degree : float
        Largest mean degree of a graph. If more pairs exceed the threshold, then the threshold is
        raised and only the heaviest pairs are kept.
    false_discoveries : float, optional
        Keep only pairs that a G-test finds dependent, at this rate of false discoveries over all
        pairs. By default pairs are not tested, as published.

    Returns
    -------
    dict of str to WeightedGraph
        One graph for each weight function.

    Notes
    -----
    Standard normalisation changes the scale of the weights, but not their ranks. Therefore
    ``MI_sn`` keeps the same pairs as ``MI``. The weights of these pairs differ.

    Two variables whose weight is 0 before normalisation are independent in the table. Such a pair
    is never kept, so constant columns have no edges. If there is no elbow, for example with a
    single pair, then all other pairs are kept.

    Examples
    --------
    >>> table = np.array([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1]]).T
    >>> graph = weighted_graphs(Dataset.from_table(table), ["Pearson"])["Pearson"]
    >>> graph.edges.tolist(), graph.weights.tolist()
    ([[0, 1]], [1.0])
    """
    if not (bases := base_weights(names)):
        raise ValueError(f"weights is empty; use some of {', '.join(WEIGHTS)}")
    pairs = pairs or PairStatistics(dataset)
    allowed = min(LISTED_PAIRS, max_mean_degree * dataset.n_variables / 2)
    thresholds = {name: _cut(pairs, name, truncate, allowed) for name in bases}
    listed = pairs.above(thresholds, false_discoveries=false_discoveries)
    graphs = {}
    for name in names:
        base = STANDARDISED.get(name, name)
        graphs[name] = _graph(pairs, name, *listed[base], thresholds[base])
    return graphs


def _graph(
    pairs: PairStatistics, name: str, edges: np.ndarray, weights: np.ndarray, threshold: float
) -> WeightedGraph:
    """Return the graph of a weight function from the weights and the threshold of its base."""
    if base := STANDARDISED.get(name):
        m = pairs.moments([base])[base]
        sd = m.sd if m.sd > 0 else 1.0
        weights, threshold = (weights - m.mean) / sd, (threshold - m.mean) / sd
    n, kept = pairs.dataset.n_variables, len(weights) / max(pairs.n_pairs, 1)
    return WeightedGraph(name, n, edges, weights - min(threshold, 0.0), float(threshold), kept)


def _cut(
    pairs: PairStatistics,
    name: str,
    truncate: Callable[[np.ndarray, np.ndarray], float],
    allowed: float,
) -> float:
    """Return the threshold of a weight function, at least 0; at most `allowed` pairs exceed it."""
    counts, limits = pairs.histograms([name])[name]
    if counts.sum() == 0:
        return 0.0
    coarse = counts.reshape(_BINS, -1).sum(axis=1)
    threshold = truncate(coarse, np.linspace(*limits, _BINS + 1))
    floor = pairs.threshold(name, allowed) if counts.sum() > allowed else 0.0
    return float(max(threshold, floor, 0.0))
