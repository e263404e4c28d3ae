"""How near a learned graph, or its edge probabilities, come to the truth.

Everything but the structural Hamming distance is measured on the skeleton, the unordered pairs of
variables. A skeleton probability is P(i -> j) + P(j -> i), and a pair that a sparse matrix does not
store has probability zero.
"""

import contextlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np
from scipy import sparse

from lsbn.graph import CycleError, dag_to_cpdag

__all__ = [
    "CalibrationCurve",
    "Comparison",
    "average_precision",
    "brier_score",
    "calibration_curve",
    "compare",
    "expected_calibration_error",
]


@dataclass(frozen=True)
class Comparison:
    """A learned graph beside the true one.

    Attributes
    ----------
    hits : int
        Edges of both skeletons.
    misses : int
        Edges of the true skeleton that were not found.
    errors : int
        Edges found that the true skeleton does not have.
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
        """Percentage of the edges found that are true; 0 if none was found."""
        return _percent(self.hits, self.hits + self.errors)

    @property
    def recall(self) -> float:
        """Percentage of the true edges that were found; 0 if there are none."""
        return _percent(self.hits, self.hits + self.misses)

    @property
    def f_score(self) -> float:
        """Harmonic mean of precision and recall, in percent; 0 without a hit."""
        return _percent(2 * self.hits, 2 * self.hits + self.misses + self.errors)

    def as_dict(self) -> dict[str, int | float]:
        """Return all figures by name: counts, percentages, distance."""
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


def compare(learned: nx.Graph, truth: nx.Graph) -> Comparison:
    """Compare a learned graph with the true one.

    Parameters
    ----------
    learned, truth : networkx.DiGraph or networkx.Graph
        Graphs over the same nodes. In a DiGraph an undirected edge stands in both directions.

    Returns
    -------
    Comparison
        Skeleton hits, misses and errors, what follows from them, and the distance of the
        equivalence classes.

    Raises
    ------
    ValueError
        If the nodes differ or an edge joins a node to itself.

    Notes
    -----
    For the distance a DAG is replaced by its CPDAG: data cannot tell the members of an equivalence
    class apart. A graph with an undirected edge, or with a directed cycle, is taken as it is, and
    all edges of an undirected `networkx.Graph` are undirected.

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
    if set(learned) != set(truth):
        _refuse_nodes(set(learned), set(truth), "the learned graph")
    index = {node: v for v, node in enumerate(truth)}
    found, true = _relations(learned, index), _relations(truth, index)
    hits = len(found.keys() & true.keys())
    return Comparison(
        hits=hits,
        misses=len(true) - hits,
        errors=len(found) - hits,
        shd=sum(found.get(pair) != true.get(pair) for pair in found.keys() | true.keys()),
    )


def _refuse_nodes(found: set[Hashable], true: set[Hashable], what: str) -> None:
    """Raise an error that says which nodes only one of the two sides has."""
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
    """Give the relation of every adjacent pair (i < j): i -> j, i <- j or i - j."""
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
class _Pairs:
    """Skeleton probabilities of the pairs that are stored or true; all others are (0, False)."""

    probability: np.ndarray
    is_edge: np.ndarray
    n_others: int

    @property
    def n_pairs(self) -> int:
        return len(self.probability) + self.n_others


def _pairs(probabilities: sparse.spmatrix, truth: nx.Graph, names: Sequence[Hashable]) -> _Pairs:
    """Join the stored probabilities with the true edges, without anything of size n x n."""
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
    return _Pairs(np.minimum(total, 1.0), is_edge, n * (n - 1) // 2 - len(union))


def average_precision(
    probabilities: sparse.spmatrix, truth: nx.Graph, *, names: Sequence[Hashable]
) -> float:
    """Area under the precision-recall curve of the skeleton, by steps.

    The sum over the distinct probabilities t, descending, of precision(t) times the gain in recall;
    pairs of equal probability enter together, and those of probability zero last.

    Parameters
    ----------
    probabilities : scipy sparse, shape (n, n)
        ``[i, j]`` = P(i -> j).
    truth : networkx.DiGraph or networkx.Graph
        The true graph; only its skeleton counts.
    names : sequence
        The nodes of `truth` that the rows and columns stand for.

    Returns
    -------
    float
        Between 0 and 1; 0 if there is no true edge.
    """
    pairs = _pairs(probabilities, truth, names)
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
    """Mean over all n(n-1)/2 pairs of (skeleton probability - truth)^2; smaller is better.

    Parameters
    ----------
    probabilities, truth, names
        As for `average_precision`.
    """
    pairs = _pairs(probabilities, truth, names)
    return float(np.sum((pairs.probability - pairs.is_edge) ** 2) / max(pairs.n_pairs, 1))


@dataclass(frozen=True)
class CalibrationCurve:
    """Predicted beside observed frequency of edges, in bins of equal width.

    Attributes
    ----------
    edges : numpy.ndarray, shape (bins + 1,)
        Limits of the bins. A bin holds its lower limit; the last one holds both.
    counts : numpy.ndarray of int, shape (bins,)
        Pairs in each bin.
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
    """Say how often pairs of a given probability really are edges.

    Parameters
    ----------
    probabilities, truth, names
        As for `average_precision`. All pairs count, so the first bin is usually by far the fullest.
    bins : int
        Number of bins on [0, 1].

    Returns
    -------
    CalibrationCurve
        The closer ``observed`` to ``predicted``, the better.
    """
    if bins < 1:
        raise ValueError(f"bins must be at least 1, got {bins}")
    pairs = _pairs(probabilities, truth, names)
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
    """Mean of abs(observed - predicted) over the bins, weighted by their number of pairs.

    Parameters
    ----------
    probabilities, truth, bins, names
        As for `calibration_curve`.
    """
    curve = calibration_curve(probabilities, truth, bins, names=names)
    gaps = np.nan_to_num(np.abs(curve.observed - curve.predicted))
    return float(gaps @ curve.counts / max(curve.counts.sum(), 1))
