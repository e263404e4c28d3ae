"""Step 2 of ROPART: seven weight functions turn the complete graph into weighted graphs.

All pairs are walked in strips, several times, and no matrix of all pairs is ever kept: first the
moments, then a histogram for the elbow, then the pairs above it. A pass over the pairs is cheap
(ANDs and popcounts on bit columns), memory is not.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from lsbn.data import Dataset
from lsbn.kernels import counts as _counts
from lsbn.kernels import pairs as _pairs
from lsbn.partition.truncation import elbow

WEIGHTS = ("MI", "MI_plus", "MI_sqrt", "MI_pr", "MI_sn", "Pearson", "Pearson_sn")
"""Names of the paper's weight functions, in the paper's order."""

_BASE = {"MI_sn": "MI", "Pearson_sn": "Pearson"}
_BINS = 100
_FINE = 100
_STRIP = 256
_TILE = 16
_EXACT_PAGERANK_PAIRS = 4_000_000
_ROUNDING = 1e-13


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


@dataclass(frozen=True)
class _Moments:
    """Mean, spread and range of a weight over all pairs, and its sum at each node."""

    mean: float
    sd: float
    minimum: float
    maximum: float
    strength: np.ndarray


@dataclass
class PairWeights:
    """Streams the weights of all pairs of variables, strip by strip.

    Parameters
    ----------
    dataset : Dataset
    """

    dataset: Dataset
    _pagerank: np.ndarray | None = None
    _moments: dict[str, _Moments] = field(default_factory=dict)

    def __post_init__(self) -> None:
        words, offsets = self.dataset.bits
        n_rows = self.dataset.n_rows
        margins = _counts.state_counts(words, offsets)
        xlogx = _counts.tabulate_xlogx(n_rows)
        starts = offsets[:-1]
        code = np.arange(len(margins)) - np.repeat(starts, self.dataset.cards)
        mean = np.add.reduceat(margins * code, starts) / n_rows
        variance = np.add.reduceat(margins * code**2, starts) / n_rows - mean**2
        self._tables = (words, offsets, self.dataset.codes, margins, xlogx)
        self._entropy = (xlogx[n_rows] - np.add.reduceat(xlogx[margins], starts)) / n_rows
        self._entropy[self.dataset.cards < 2] = 0.0
        self._mean = mean
        self._inverse_sd = _inverse_root(variance)

    @property
    def n_pairs(self) -> int:
        """Number of unordered pairs of variables."""
        n = self.dataset.n_variables
        return n * (n - 1) // 2

    def strips(self, names: Sequence[str]) -> Iterator[tuple[int, dict[str, np.ndarray]]]:
        """Yield ``(first row, {name: strip})`` over the upper triangle.

        The arrays are reused from strip to strip: copy what you keep. Only base weights are
        streamed; standard normalisation is a change of scale and is done by the callers.
        """
        n = self.dataset.n_variables
        mi, product = np.zeros((_STRIP, n)), np.zeros((_STRIP, n))
        out = {name: mi if name == "MI" else np.zeros((_STRIP, n)) for name in names}
        for low in range(0, n - 1, _STRIP):
            rows = min(_STRIP, n - low)
            _counts.pair_strip(*self._tables, low, low + rows, _TILE, mi, product)
            _pairs.clear_rounding(mi[:rows], low, _ROUNDING)
            for name in names:
                self._fill(name, mi[:rows], product[:rows], low, out[name][:rows])
            yield low, {name: strip[:rows] for name, strip in out.items()}

    def _fill(
        self, name: str, mi: np.ndarray, product: np.ndarray, low: int, out: np.ndarray
    ) -> None:
        if name == "MI_plus":
            _pairs.average_strip(mi, low, self._entropy, out)
        elif name == "MI_sqrt":
            root = _inverse_root(self._entropy)
            _pairs.scale_strip(mi, low, root, root, out)
        elif name == "MI_pr":
            root = _inverse_root(self.pagerank)
            _pairs.scale_strip(mi, low, root, root, out)
        elif name == "Pearson":
            n_rows = self.dataset.n_rows
            _pairs.correlate_strip(product, low, n_rows, self._mean, self._inverse_sd, out)

    def moments(self, names: Sequence[str]) -> dict[str, _Moments]:
        """Mean, standard deviation, range and node strengths of base weights over all pairs."""
        missing = [name for name in names if name not in self._moments]
        if missing:
            raw = {name: np.array([0.0, 0.0, np.inf, -np.inf]) for name in missing}
            strength = {name: np.zeros(self.dataset.n_variables) for name in missing}
            for low, strips in self.strips(missing):
                for name in missing:
                    _pairs.accumulate_strip(strips[name], low, raw[name], strength[name])
            for name in missing:
                total, squares, minimum, maximum = raw[name]
                if maximum - minimum <= 1e-9 * maximum:
                    minimum = maximum
                mean = total / max(self.n_pairs, 1)
                sd = np.sqrt(max(0.0, squares / max(self.n_pairs, 1) - mean**2))
                self._moments[name] = _Moments(mean, sd, minimum, maximum, strength[name])
        return {name: self._moments[name] for name in names}

    def histograms(self, names: Sequence[str]) -> dict[str, np.ndarray]:
        """Fine histograms of base weights over their ranges."""
        moments = self.moments(names)
        counts = {name: np.zeros(_BINS * _FINE, np.int64) for name in names}
        for low, strips in self.strips(names):
            for name, m in moments.items():
                _pairs.histogram_strip(strips[name], low, m.minimum, m.maximum, counts[name])
        return counts

    def above(self, thresholds: Mapping[str, float]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """List edges and weights of the pairs whose base weight exceeds its threshold."""
        nothing = (np.empty((0, 2), np.int32), np.empty(0))
        parts = {name: [nothing] for name in thresholds}
        for low, strips in self.strips(list(thresholds)):
            for name, threshold in thresholds.items():
                parts[name].append(_pairs.collect_above(strips[name], low, threshold))
        return {
            name: (np.concatenate([e for e, _ in found]), np.concatenate([w for _, w in found]))
            for name, found in parts.items()
        }

    @property
    def pagerank(self) -> np.ndarray:
        """PageRank of every variable in the complete graph weighted by mutual information.

        Exact where all pairs fit in a sparse matrix (four million). Beyond that the pairs above
        MI's elbow are exact and the rest, which is mostly noise, enters as the rank-one matrix
        with the same row sums.
        """
        if self._pagerank is None:
            m = self.moments(["MI"])["MI"]
            threshold = -np.inf
            if self.n_pairs > _EXACT_PAGERANK_PAIRS:
                threshold = _cut(self.histograms(["MI"])["MI"], m, elbow, self._pairs_allowed())
            edges, weights = self.above({"MI": threshold})["MI"]
            self._pagerank = pagerank(self.dataset.n_variables, edges, weights, m.strength)
        return self._pagerank

    def _pairs_allowed(self, mean_degree: float = np.inf) -> float:
        return min(_EXACT_PAGERANK_PAIRS, mean_degree * self.dataset.n_variables / 2)


def weighted_graphs(
    dataset: Dataset,
    names: Sequence[str] = WEIGHTS,
    *,
    truncate: Callable[[np.ndarray, np.ndarray], float] = elbow,
    max_mean_degree: float = 100.0,
) -> dict[str, WeightedGraph]:
    """Map the complete graph to one truncated weighted graph for each weight function.

    Parameters
    ----------
    dataset : Dataset
    names : sequence of str
        Weight functions, of `WEIGHTS`.
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
    unknown = [name for name in names if name not in WEIGHTS]
    if unknown:
        raise ValueError(f"unknown weight function {unknown[0]!r}; there are {', '.join(WEIGHTS)}")
    pairs = PairWeights(dataset)
    bases = list(dict.fromkeys(_BASE.get(name, name) for name in names))
    moments = pairs.moments(bases)
    allowed = pairs._pairs_allowed(max_mean_degree)
    thresholds = {
        name: _cut(counts, moments[name], truncate, allowed)
        for name, counts in pairs.histograms(bases).items()
    }
    found = pairs.above(thresholds)
    graphs = {}
    for name in names:
        base = _BASE.get(name, name)
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


def pagerank(
    n_nodes: int,
    edges: np.ndarray,
    weights: np.ndarray,
    strength: np.ndarray,
    damping: float = 0.85,
    tolerance: float = 1e-12,
) -> np.ndarray:
    """PageRank of an undirected weighted graph, given sparsely with its node strengths.

    Whatever of a node's strength the listed edges do not account for is spread over the graph as
    a rank-one matrix with the right row sums. Nodes without any strength jump anywhere.

    Examples
    --------
    >>> edges, weights = np.array([[0, 1], [1, 2]]), np.array([1.0, 1.0])
    >>> pagerank(3, edges, weights, np.array([1.0, 2.0, 1.0])).round(3).tolist()
    [0.257, 0.486, 0.257]
    """
    i, j = edges[:, 0], edges[:, 1]
    half = sparse.coo_array((weights, (i, j)), shape=(n_nodes, n_nodes))
    matrix = (half + half.T).tocsr()
    rest = np.maximum(0.0, strength - matrix.sum(axis=1))
    rest[rest < 1e-9 * strength] = 0.0
    total = rest.sum()
    rest_scaled = rest / np.sqrt(total) if total > 0 else rest
    inverse = np.where(strength > 0, 1.0 / np.where(strength > 0, strength, 1.0), 0.0)
    rank = np.full(n_nodes, 1.0 / n_nodes)
    for _ in range(1000):
        flow = rank * inverse
        moved = matrix @ flow + rest_scaled * (rest_scaled @ flow)
        lost = rank[strength <= 0].sum()
        new = damping * (moved + lost / n_nodes) + (1.0 - damping) / n_nodes
        change = np.abs(new - rank).sum()
        rank = new
        if change < tolerance:
            break
    return rank


def _cut(
    counts: np.ndarray,
    moments: _Moments,
    truncate: Callable[[np.ndarray, np.ndarray], float],
    allowed: float,
) -> float:
    """Threshold from a fine histogram, at least 0, raised where too many pairs are left."""
    if counts.sum() == 0:
        return 0.0
    coarse = counts.reshape(_BINS, _FINE).sum(axis=1)
    threshold = truncate(coarse, np.linspace(moments.minimum, moments.maximum, _BINS + 1))
    left = np.cumsum(counts[::-1])[::-1]
    too_many = np.count_nonzero(left > allowed)
    floor = np.linspace(moments.minimum, moments.maximum, len(counts) + 1)[too_many]
    return float(max(threshold, floor if too_many else 0.0, 0.0))


def _inverse_root(x: np.ndarray) -> np.ndarray:
    """``x ** -0.5``, 0 where ``x`` is not positive."""
    positive = x > 1e-15
    return np.where(positive, 1.0 / np.sqrt(np.where(positive, x, 1.0)), 0.0)
