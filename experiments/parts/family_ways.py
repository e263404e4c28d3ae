"""The log evidence of a family by each way of the mixed score, with any weights.

The kernels (`lsbn.kernels.mixture`) have fixed weights and give only the average of the ways.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np
from scipy.special import gammaln

from lsbn import Dataset
from lsbn.kernels import mixture, trees

WAYS = ("one", "own", "shrunk", "trees", "own trees", "BDeu")
OWN, BDEU = WAYS.index("own"), WAYS.index("BDeu")
MIXED = tuple(range(BDEU))
"""Places of the ways that the mixed score averages."""


@dataclass(frozen=True)
class Weights:
    """Weights over which the ways are averaged, by default those of the mixed score.

    Attributes
    ----------
    table : tuple of float
        Of tables whose rows have the same weight; the infinite one is for no parents only.
    own : tuple of float
        Of rows that have a weight each, in tables and in trees.
    shrunk : tuple of float
        Of rows that are drawn to the margin.
    tree : tuple of float
        Of trees whose rows have the same weight.
    """

    table: tuple[float, ...] = (*mixture.TABLE_WEIGHTS.tolist(), math.inf)
    own: tuple[float, ...] = tuple(mixture.OWN_WEIGHTS.tolist())
    shrunk: tuple[float, ...] = tuple(mixture.SHRUNK_WEIGHTS.tolist())
    tree: tuple[float, ...] = tuple(mixture.TREE_WEIGHTS.tolist())


DEFAULT = Weights()
"""Weights of the mixed score."""


@dataclass(frozen=True)
class Family:
    """A child and its parents, as counts.

    Attributes
    ----------
    counts : int array, shape (m, r)
        The child's states in each configuration of the parents, the first parent the lowest digit;
        only in those that occur where they are too many for trees.
    cards : int array
        States of each parent.
    """

    counts: np.ndarray
    cards: np.ndarray

    @classmethod
    def of(cls, dataset: Dataset, child: int, parents: np.ndarray) -> "Family":
        """Count."""
        r, cards = int(dataset.cards[child]), dataset.cards[parents]
        if math.prod(cards.tolist()) > mixture.MOST_CONTEXTS:
            ids = np.unique(dataset.codes[parents], axis=1, return_inverse=True)[1].reshape(-1)
            m = int(ids.max()) + 1
        else:
            steps = np.cumprod(np.append(1, cards))
            ids, m = steps[:-1] @ dataset.codes[parents], int(steps[-1])
        joint = ids * r + dataset.codes[child]
        return cls(np.bincount(joint, minlength=m * r).reshape(m, r), cards)

    def ways(self, weights: Weights) -> list[float]:
        """Log evidence of each way in the order of `WAYS`; NaN where there are no trees."""
        table = [w for w in weights.table if w < math.inf or len(self.counts) == 1]
        one = np.array([rows_of(self.counts, w).sum() for w in table])
        own = own_rows(self.counts, weights.own).sum()
        shrunk = np.array([shrunk_rows(self.counts, w) for w in weights.shrunk])
        bdeu = rows_of(self.counts, 1 / math.prod(self.cards.tolist())).sum()
        with_trees = self._tree_ways(weights)
        return [mixture.log_mean(one), own, mixture.log_mean(shrunk), *with_trees, bdeu]

    def _tree_ways(self, weights: Weights) -> tuple[float, float]:
        none = (math.nan, math.nan)
        if len(self.cards) < 2 or trees.n_contexts(self.cards) > mixture.MOST_CONTEXTS:
            return none
        wide = trees.add_margins(self.counts, self.cards)
        plan = trees.plan_trees(wide.sum(axis=1), self.cards)
        if plan.mass < trees.LEAST_MASS:
            return none
        leaves = [rows_of(wide, w) for w in weights.tree]
        leaves.append(own_rows(wide, weights.own))
        averages = trees.average_trees(np.column_stack(leaves), self.cards, plan)
        return mixture.log_mean(averages[:-1]), averages[-1]


def rows_of(counts: np.ndarray, weight: float) -> np.ndarray:
    """Log evidence of each row with a prior of this weight, which may be infinite."""
    if weight == math.inf:
        return -counts.sum(axis=1) * math.log(counts.shape[1])
    a, sizes = weight / counts.shape[1], counts.sum(axis=1)
    cells = (gammaln(a + counts) - gammaln(a)).sum(axis=1)
    return cells - (gammaln(weight + sizes) - gammaln(weight))


def own_rows(counts: np.ndarray, weights: Sequence[float]) -> np.ndarray:
    """Log evidence of each row, averaged over its weight."""
    rows = [rows_of(counts, w) for w in weights]
    return np.logaddexp.reduce(rows, axis=0) - math.log(len(rows))


def shrunk_rows(counts: np.ndarray, weight: float) -> float:
    """Log evidence of rows that are drawn by this weight to the margin of all larger rows."""
    sizes, margin, total = counts.sum(axis=1), np.full(counts.shape[1], 1 / counts.shape[1]), 0.0
    for size in np.unique(sizes)[::-1]:
        same = counts[sizes == size]
        prior = weight * margin / margin.sum()
        total += (gammaln(prior + same) - gammaln(prior)).sum()
        total -= len(same) * (gammaln(weight + size) - gammaln(weight))
        margin += same.sum(axis=0)
    return float(total)


def log_average(evidence: np.ndarray, ways: Sequence[int]) -> np.ndarray:
    """Log average of some ways for each family, from the log evidence of all ways.

    A way that a family does not have (NaN) is left out of its average. A family that has none of
    the ways, or only with negligible evidence, has own weights.
    """
    some = evidence[:, list(ways)]
    there = ~np.isnan(some)
    total = np.logaddexp.reduce(np.where(there, some, -np.inf), axis=1)
    total -= np.log(np.maximum(there.sum(axis=1), 1))
    return np.where(np.isfinite(total), total, evidence[:, OWN])


def families_of(dataset: Dataset, dag: nx.DiGraph) -> list[Family]:
    """Give the family of every variable."""
    return [Family.of(dataset, child, parents) for child, parents in parent_sets(dataset, dag)]


def parent_sets(dataset: Dataset, dag: nx.DiGraph) -> Iterator[tuple[int, np.ndarray]]:
    """Give every variable and its parents, ascending, as places in the dataset."""
    place = {name: v for v, name in enumerate(dataset.names)}
    for child, name in enumerate(dataset.names):
        yield child, np.array(sorted(place[u] for u in dag.pred[name]), np.int64)
