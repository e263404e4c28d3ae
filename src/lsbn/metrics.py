"""Compare a learned graph, or its edge probabilities, with the true graph.

All measures except the structural Hamming distance are about the skeleton, the unordered pairs of
variables. A skeleton probability is P(i -> j) + P(j -> i). Pairs that are not stored in a sparse
matrix have probability zero. If a result has groups of copies, `group_nodes` groups the true graph.
"""

import contextlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np
from scipy import sparse

from lsbn.graph import CycleError, dag_to_cpdag
from lsbn.graph.groups import group_nodes

__all__ = [
    "CalibrationCurve",
    "Comparison",
    "average_precision",
    "brier_score",
    "calibration_curve",
    "compare",
    "expected_calibration_error",
    "group_nodes",
]


@dataclass(frozen=True)
class Comparison:
    """A learned graph compared with the true graph.

    Attributes
    ----------
    hits : int
        Edges of both skeletons.
    misses : int
        Edges of the true skeleton only.
    errors : int
        Edges of the learned skeleton only.
    shd : int
        Structural Hamming distance: pairs of variables whose relation differs between the two
        equivalence classes (none, one direction, the other direction, undirected).
    """

    hits: int
    misses: int
    errors: int
    shd: int

    @property
    def precision(self) -> float:
        """Percentage of the learned edges that are true; 0 without a learned edge."""
        return _percent(self.hits, self.hits + self.errors)

    @property
    def recall(self) -> float:
        """Percentage of the true edges that were learned; 0 without a true edge."""
        return _percent(self.hits, self.hits + self.misses)

    @property
    def f_score(self) -> float:
        """Harmonic mean of precision and recall, in percent; 0 without a hit."""
        return _percent(2 * self.hits, 2 * self.hits + self.misses + self.errors)

    def as_dict(self) -> dict[str, int | float]:
        """Return all figures by their names: counts, percentages and the distance."""
        return {
            "hits": self.hits,
            "misses": self.misses,
            "errors": self.errors,
            "precision": self.precision,
            "recall": self.recall,
            "f_score": self.f_score,
            "shd": self.shd,
        }


def _percent(part: int, whole: int) -> float:
    return 100.0 * part / whole if whole else 0.0


def compare(
    learned: nx.Graph,
    truth: nx.Graph,
    *,
    groups: Mapping[str, Sequence[Hashable]] | None = None,
) -> Comparison:
    """Compare a learned graph with the true one.

    Parameters
    ----------
    learned, truth : networkx.DiGraph or networkx.Graph
        Graphs over the same nodes. In a DiGraph an undirected edge has both directions.
    groups : mapping of str to sequence, optional
        Nodes of `learned` that stand for several nodes of `truth`, such as `lsbn.LSBN.groups_`. An
        edge of a group is true if one of its members has this edge. True edges inside a group do
        not count. See `group_nodes`.

    Returns
    -------
    Comparison
        Hits, misses and errors of the skeleton with precision, recall and F, and the structural
        Hamming distance of the equivalence classes.

    Raises
    ------
    ValueError
        If the nodes differ or an edge joins a node to itself.

    Notes
    -----
    For the distance a DAG is replaced by its CPDAG, since data cannot distinguish the members of an
    equivalence class. A graph with an undirected edge, or with a directed cycle, is used as it is.
    All edges of a `networkx.Graph` are undirected.

    Examples
    --------
    >>> truth = nx.DiGraph([("a", "c"), ("b", "c"), ("c", "d")])
    >>> learned = nx.DiGraph([("a", "c"), ("c", "b")])
    >>> learned.add_node("d")
    >>> result = compare(learned, truth)
    >>> result.hits, result.misses, result.errors, result.shd
    (2, 1, 0, 3)
    >>> round(result.f_score, 1)
    80.0
    """
    if groups:
        truth = group_nodes(truth, groups)
    if set(learned) != set(truth):
        _refuse_nodes(set(learned), set(truth), "the learned graph")
    index = {node: v for v, node in enumerate(truth)}
    pairs, true = _relations(learned, index), _relations(truth, index)
    hits = len(pairs.keys() & true.keys())
    return Comparison(
        hits=hits,
        misses=len(true) - hits,
        errors=len(pairs) - hits,
        shd=sum(pairs.get(pair) != true.get(pair) for pair in pairs.keys() | true.keys()),
    )


def _refuse_nodes(found: set[Hashable], true: set[Hashable], what: str) -> None:
    """Raise an error that names the nodes of one side only."""
    sides = ((found - true, f"only {what} has"), (true - found, "only the truth has"))
    parts = []
    for nodes, text in sides:
        if nodes:
            shown = ", ".join(sorted(map(repr, nodes))[:5])
            more = f" and {len(nodes) - 5} more" if len(nodes) > 5 else ""
            parts.append(f"{text} {shown}{more}")
    raise ValueError(f"the nodes must be the same: {'; '.join(parts)}")


FORWARD, BACKWARD, UNDIRECTED = 1, 2, 3


def _relations(graph: nx.Graph, index: dict[Hashable, int]) -> dict[tuple[int, int], int]:
    """Return the relation of every adjacent pair i < j: i -> j, i <- j or i - j."""
    if graph.is_directed() and not any(graph.has_edge(v, u) for u, v in graph.edges()):
        with contextlib.suppress(CycleError):
            graph = dag_to_cpdag(graph)
    relations: dict[tuple[int, int], int] = {}
    for u, v in graph.edges():
        i, j = index[u], index[v]
        if i == j:
            raise ValueError(f"node {u!r} has an edge to itself")
        kind = UNDIRECTED if not graph.is_directed() else FORWARD if i < j else BACKWARD
        pair = (min(i, j), max(i, j))
        relations[pair] = relations.get(pair, 0) | kind
    return relations


@dataclass(frozen=True)
class _ScoredPairs:
    """Skeleton probabilities of the pairs that are stored or true.

    `n_others` pairs have probability zero and no true edge.
    """

    probability: np.ndarray
    is_edge: np.ndarray
    n_others: int

    @property
    def n_pairs(self) -> int:
        return len(self.probability) + self.n_others


def _scored_pairs(
    probabilities: sparse.spmatrix, truth: nx.Graph, names: Sequence[Hashable]
) -> _ScoredPairs:
    """Join the stored probabilities with the true edges; no array has n x n entries."""
    matrix = sparse.coo_array(probabilities)
    n = len(names)
    if matrix.shape != (n, n):
        raise ValueError(f"the probabilities have shape {matrix.shape}, but there are {n} names")
    index = {name: v for v, name in enumerate(names)}
    if len(index) < n:
        raise ValueError("names must be unique")
    if set(index) != set(truth):
        _refuse_nodes(set(index), set(truth), "the list of names")
    rows, columns = matrix.row.astype(np.int64), matrix.col.astype(np.int64)
    stored = matrix.data.astype(np.float64)
    if np.any(~(stored >= 0)) or np.any(stored[rows == columns] != 0):
        raise ValueError("probabilities must not be negative or NaN, and the diagonal must be zero")
    rows, columns, stored = (x[rows != columns] for x in (rows, columns, stored))
    edges = np.array([(index[u], index[v]) for u, v in truth.edges()], dtype=np.int64)
    edges = np.sort(edges.reshape(-1, 2), axis=1)
    if np.any(edges[:, 0] == edges[:, 1]):
        raise ValueError("the true graph has an edge from a node to itself")
    true_keys = np.unique(edges[:, 0] * n + edges[:, 1])
    keys = np.minimum(rows, columns) * n + np.maximum(rows, columns)
    union, place = np.unique(np.concatenate((keys, true_keys)), return_inverse=True)
    weights = np.concatenate((stored, np.zeros(len(true_keys))))
    total = np.bincount(place, weights=weights, minlength=len(union))
    if len(total) and total.max() > 1 + 1e-6:
        worst = int(np.argmax(total))
        i, j = divmod(int(union[worst]), n)
        raise ValueError(
            f"P(i -> j) + P(j -> i) is {total[worst]:.6g} > 1 for {names[i]!r} and {names[j]!r}"
        )
    is_edge = np.isin(union, true_keys, assume_unique=True)
    return _ScoredPairs(np.minimum(total, 1.0), is_edge, n * (n - 1) // 2 - len(union))


def average_precision(
    probabilities: sparse.spmatrix, truth: nx.Graph, *, names: Sequence[Hashable]
) -> float:
    """Return the area under the precision-recall curve of the skeleton.

    The area is the sum over the distinct probabilities t, from high to low, of precision(t) times
    the gain in recall at t. Pairs of equal probability enter together, pairs of probability zero
    enter last.

    Parameters
    ----------
    probabilities : scipy sparse, shape (n, n)
        ``[i, j]`` = P(i -> j).
    truth : networkx.DiGraph or networkx.Graph
        The true graph; only its skeleton counts. For a result with groups, that of `group_nodes`.
    names : sequence
        The node of `truth` for each row and column.

    Returns
    -------
    float
        Between 0 and 1; 0 without a true edge.

    Examples
    --------
    >>> truth = nx.DiGraph([("a", "b")])
    >>> truth.add_node("c")
    >>> learned = sparse.csr_array([[0, 0.6, 0.9], [0, 0, 0], [0, 0, 0]])
    >>> average_precision(learned, truth, names="abc")
    0.5
    """
    pairs = _scored_pairs(probabilities, truth, names)
    n_edges = int(pairs.is_edge.sum())
    if n_edges == 0:
        return 0.0
    levels, place = np.unique(-pairs.probability, return_inverse=True)
    hits = np.bincount(place, weights=pairs.is_edge, minlength=len(levels))
    found = np.bincount(place, minlength=len(levels)).astype(np.float64)
    if levels[-1] == 0:
        found[-1] += pairs.n_others
    precision = np.cumsum(hits) / np.cumsum(found)
    return float(precision @ hits / n_edges)


def brier_score(
    probabilities: sparse.spmatrix, truth: nx.Graph, *, names: Sequence[Hashable]
) -> float:
    """Return the mean of (skeleton probability - truth)^2 over all n(n-1)/2 pairs.

    Parameters
    ----------
    probabilities, truth, names
        As for `average_precision`.

    Returns
    -------
    float
        Between 0 and 1; smaller is better.
    """
    pairs = _scored_pairs(probabilities, truth, names)
    return float(np.sum((pairs.probability - pairs.is_edge) ** 2) / max(pairs.n_pairs, 1))


@dataclass(frozen=True)
class CalibrationCurve:
    """Predicted and observed frequency of edges, in bins of equal width.

    Attributes
    ----------
    edges : numpy.ndarray, shape (bins + 1,)
        Limits of the bins. A bin includes its lower limit; the last bin includes both limits.
    counts : numpy.ndarray of int, shape (bins,)
        Number of pairs in each bin.
    predicted, observed : numpy.ndarray, shape (bins,)
        Mean probability and fraction of true edges; NaN in an empty bin.
    """

    edges: np.ndarray
    counts: np.ndarray
    predicted: np.ndarray
    observed: np.ndarray


def calibration_curve(
    probabilities: sparse.spmatrix,
    truth: nx.Graph,
    bins: int = 10,
    *,
    names: Sequence[Hashable],
) -> CalibrationCurve:
    """Measure how often pairs of a given probability are true edges.

    Parameters
    ----------
    probabilities, truth, names
        As for `average_precision`. All pairs count, so most pairs are in the first bin.
    bins : int
        Number of bins on [0, 1].

    Returns
    -------
    CalibrationCurve
        The closer ``observed`` is to ``predicted``, the better.
    """
    if bins < 1:
        raise ValueError(f"bins must be at least 1, got {bins}")
    pairs = _scored_pairs(probabilities, truth, names)
    limits = np.linspace(0, 1, bins + 1)
    place = np.searchsorted(limits[1:-1], pairs.probability, side="right")
    counts = np.bincount(place, minlength=bins)
    counts[0] += pairs.n_others
    predicted = np.bincount(place, weights=pairs.probability, minlength=bins)
    observed = np.bincount(place, weights=pairs.is_edge, minlength=bins)
    divisor = np.where(counts > 0, counts, np.nan)
    return CalibrationCurve(limits, counts, predicted / divisor, observed / divisor)


def expected_calibration_error(
    probabilities: sparse.spmatrix,
    truth: nx.Graph,
    bins: int = 10,
    *,
    names: Sequence[Hashable],
) -> float:
    """Return the mean of abs(observed - predicted) over the bins, weighted by numbers of pairs.

    Parameters
    ----------
    probabilities, truth, bins, names
        As for `calibration_curve`.

    Returns
    -------
    float
        Between 0 and 1; smaller is better.
    """
    curve = calibration_curve(probabilities, truth, bins, names=names)
    gaps = np.nan_to_num(np.abs(curve.observed - curve.predicted))
    return float(gaps @ curve.counts / max(curve.counts.sum(), 1))
