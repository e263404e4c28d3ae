"""The prior probability of an edge: the density, and what blocks of variables change about it.

In a large network most edges join variables that belong together. With one density for all pairs,
an edge is less probable, the more variables there are that have nothing to do with it. So the
prior has classes of pairs: those in one small block, in one large block, and in different blocks.
Of all pairs that belong to a class, the share ``r_k`` belongs to class k, and of their edges the
share ``s_k``. With the density d of all pairs, an edge of class k has the prior odds

    d / (1 - d) * s_k / r_k,

and the odds d / (1 - d) if one of its variables is in no block. The density and the shares are
estimated from the data. Independent columns are in no block.

Blocks come from weights of pairs. A variable with an effect only beside others has no such weights,
so it is in no block at first. When the graph shows where it belongs, it joins a block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import logit

from lsbn.learners.averaging.parent_sets import ScoredSets

__all__ = ["Blocks", "EdgeCounts", "EdgePrior", "expected_edges", "mean_prior"]

TOGETHER = 1_024
"""Variables whose parent sets are joined, so that numpy takes them in one step."""
_STRENGTH = 10.0
"""Edges that the prior of the shares of edges weighs; its mean are the shares of pairs."""
_JOINING = 2
"""Least members of a block in the Markov blanket of a variable that joins it. One may be chance."""
PRIOR_EDGES = 0.1
"""Edges that the prior of the density expects, for any number of variables.

With 0.1 in place of 1, independent columns have 0.006 false edges a table in place of 0.099 (84
tables of `experiments/noise.py --seeds 41,42,43`, fitted by hand with both), and unseen rows of
real tables are predicted as well. But the prior of a network with k edges is lower by about
log(10) + 0.9 log(k) nats."""


class EdgePrior(NamedTuple):
    """The estimated parameters of the prior of edges.

    Attributes
    ----------
    density : float or None
        Mean prior probability of an edge between two variables; None before it is estimated.
    shares : tuple of float
        Share of the edges in each class; empty without blocks, and before they are estimated.
    """

    density: float | None
    shares: tuple[float, ...] = ()

    def differs(self, other: EdgePrior, step: float) -> bool:
        """Say whether the odds of an edge differ by a factor of ``step``, in the first class."""
        if self.density is None or other.density is None:
            return self.density is not other.density
        if len(self.shares) != len(other.shares):
            return True
        odds = [logit(prior.density) + np.log((*prior.shares, 1.0)[0]) for prior in (self, other)]
        return abs(odds[0] - odds[1]) >= np.log(step)


class EdgeCounts(NamedTuple):
    """Posterior means of numbers of edges: of all, and of each class."""

    total: float
    classes: tuple[float, ...] = ()

    def times(self, factor: float) -> EdgeCounts:
        """Return multiples of the numbers."""
        return EdgeCounts(self.total * factor, tuple(own * factor for own in self.classes))


@dataclass(frozen=True, eq=False)
class Blocks:
    """Blocks of variables, on several levels.

    Attributes
    ----------
    labels : (n, levels) int array
        Block of each variable, small blocks first; -1 for a variable without a block.
    ratios : float array
        Share of the pairs of variables in each class, in the whole network: of a block of the first
        level, of the second but not the first, and so on. The last class are pairs in no common
        block. Pairs with a variable that is in no block of the last level have no class.
    """

    labels: np.ndarray
    ratios: np.ndarray

    @classmethod
    def of(cls, labels: np.ndarray) -> Blocks | None:
        """Return blocks of all variables; None if there are fewer than two blocks.

        Examples
        --------
        >>> blocks = Blocks.of(np.array([[0], [0], [1], [1], [-1]]))
        >>> blocks.ratios.round(3).tolist()
        [0.333, 0.667]
        """
        within = [0.0]
        for level in labels.T:
            sizes = np.bincount(level[level >= 0]).astype(float)
            within.append(float((sizes * (sizes - 1)).sum()))
        known = float((labels[:, -1] >= 0).sum()) if labels.shape[1] else 0.0
        within.append(known * (known - 1))
        pairs = np.diff(within)
        if not (pairs[-1:] > 0).all() or within[-2] <= 0:
            return None
        return cls(labels, pairs / within[-1])

    @property
    def n_classes(self) -> int:
        """Number of classes of pairs."""
        return len(self.ratios)

    def select(self, variables: np.ndarray) -> Blocks:
        """Return the blocks of some variables, with the ratios of the whole network."""
        return Blocks(self.labels[variables], self.ratios)

    def joined_by(self, near: sparse.csr_array) -> Blocks:
        """Put variables without a block into blocks of their Markov blankets.

        Such a variable joins the block that has most members in its blanket, if these are at
        least two; then its blocks on smaller levels. In turn it may bring in others.

        Parameters
        ----------
        near : (n, n) sparse array
            Has an entry where a variable is in the Markov blanket of another, in both directions.

        Returns
        -------
        Blocks

        Examples
        --------
        The blanket of variable 4 is 0 and 1, that of variable 5 only 2:

        >>> blocks = Blocks.of(np.array([[0], [0], [1], [1], [-1], [-1]]))
        >>> near = sparse.csr_array((np.ones(3), ([4, 4, 5], [0, 1, 2])), shape=(6, 6))
        >>> blocks.joined_by(near + near.T).labels.ravel().tolist()
        [0, 0, 1, 1, 0, -1]
        """
        labels, free = self.labels.copy(), self.labels[:, -1] < 0
        around = np.zeros(len(labels), np.int64)
        for level in range(labels.shape[1] - 1, -1, -1):
            joining = free
            while joining.any():
                asking = np.flatnonzero(free & (labels[:, level] < 0))
                entries = near[asking].tocoo()
                v, u = asking[entries.row], entries.col
                told = (labels[u, level] >= 0) & (around[u] == around[v])
                place, block = _most_frequent(v[told], labels[u[told], level])
                joining = np.bincount(place, minlength=len(labels)) > 0
                labels[place, level] = block
            around = labels[:, level]
        joined = Blocks.of(labels)
        assert joined is not None
        return joined

    def classes(self, v: int | np.ndarray, parents: np.ndarray) -> np.ndarray:
        """Return the class of the edge from each parent to ``v``; `n_classes` for none.

        All edges have one child, or each has its own.
        """
        theirs = self.labels[parents]
        own = np.broadcast_to(self.labels[v], theirs.shape)
        found = np.where(theirs[:, -1] < 0, self.n_classes, self.n_classes - 1)
        for level in range(own.shape[1] - 1, -1, -1):
            found[(own[:, level] >= 0) & (theirs[:, level] == own[:, level])] = level
        found[own[:, -1] < 0] = self.n_classes
        return found

    def log_odds(
        self, v: int | np.ndarray, parents: np.ndarray, shares: tuple[float, ...]
    ) -> np.ndarray:
        """Return what the blocks add to the log odds of each edge from ``parents`` to ``v``."""
        if not shares:
            return np.zeros(len(parents))
        added = np.append(np.log(np.array(shares) / np.maximum(self.ratios, 1e-300)), 0.0)
        return added[self.classes(v, parents)]

    def mean_shares(self, edges: EdgeCounts) -> tuple[float, ...]:
        """Return the posterior means of the shares, given numbers of edges."""
        counts = np.array(edges.classes) + _STRENGTH * self.ratios
        return tuple((counts / counts.sum()).tolist())


def _most_frequent(items: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the items with a value that they have at least `_JOINING` times, and this value.

    Of several the value is the most frequent one, then the least one.
    """
    size = int(values.max(initial=0)) + 1
    pairs, counts = np.unique(items * size + values, return_counts=True)
    order = np.lexsort((pairs, -counts, pairs // size))
    pairs, counts = pairs[order], counts[order]
    first = (np.diff(pairs // size, prepend=-1) > 0) & (counts >= _JOINING)
    return pairs[first] // size, pairs[first] % size


def expected_edges(
    sets: Sequence[ScoredSets], keys: np.ndarray, blocks: Blocks | None
) -> EdgeCounts:
    """Return the posterior means of numbers of edges in an order, given as keys."""
    if blocks is None:
        return EdgeCounts(sum((own.expected_size(keys) for own in sets), 0.0))
    total = np.zeros(blocks.n_classes + 1)
    for start in range(0, len(sets), TOGETHER):
        some = sets[start : start + TOGETHER]
        parents, shares = zip(*(own.expected_parents(keys) for own in some), strict=True)
        children = np.repeat([own.child for own in some], [len(own) for own in parents])
        classes = blocks.classes(children, np.concatenate(parents))
        np.add.at(total, classes, np.concatenate(shares))
    return EdgeCounts(float(total.sum()), tuple(total[:-1].tolist()))


def mean_prior(
    edges: EdgeCounts, n_required: int, n_pairs: int, blocks: Blocks | None
) -> EdgePrior:
    """Return the posterior means of the parameters, given numbers of edges.

    The prior of the density is Beta(0.1, m) for m pairs of variables. The prior of the shares is a
    Dirichlet distribution with the shares of pairs as its mean and the weight of ten edges.

    Parameters
    ----------
    edges : EdgeCounts
    n_required : int
        Number of edges that are required. They say nothing of the density.
    n_pairs : int
        Number of the other pairs that may have an edge.
    blocks : Blocks or None
    """
    free = max(edges.total - n_required, 0.0)
    density = (free + PRIOR_EDGES) / (2 * n_pairs + PRIOR_EDGES)
    return EdgePrior(density, blocks.mean_shares(edges) if blocks and edges.classes else ())
