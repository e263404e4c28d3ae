"""Votes of sub-communities on the edges among some variables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain, combinations

import numpy as np
from scipy import sparse

from lsbn.framework.triplets import Triplet

__all__ = ["Structure"]

Pair = tuple[int, int]


@dataclass
class Structure:
    """Weighted votes on pairs of variables.

    Each sub-community s that contains i and j votes with a weight w_s. The probability of an edge
    is the weighted mean of the votes,

    ``P(i -> j) = sum_s w_s P_s(i -> j) / sum_s w_s``.

    Attributes
    ----------
    votes : dict of (int, int) to (float, float, float)
        For each pair ``i < j`` the three sums of ``w_s P_s(i -> j)``, of ``w_s P_s(j -> i)`` and
        of ``w_s``.
    threshold : float
        A pair with a greater probability is an edge of candidate triplets.
    near : dict of int to set of int
        Neighbours of each variable by such edges.
    settled : set of (int, int, int)
        Triplets that were learned again.

    Examples
    --------
    >>> structure = Structure()
    >>> structure.vote(np.array([0, 3]), np.array([[0.0, 0.9], [0.1, 0.0]]), np.ones((2, 2)))
    >>> structure.vote(np.array([0, 3]), np.array([[0.0, 0.5], [0.1, 0.0]]), np.ones((2, 2)))
    >>> round(structure.probability((0, 3)), 3)
    0.8
    """

    threshold: float = 0.5
    votes: dict[Pair, tuple[float, float, float]] = field(default_factory=dict)
    near: dict[int, set[int]] = field(default_factory=dict)
    settled: set[Triplet] = field(default_factory=set)

    def vote(self, variables: np.ndarray, matrix: np.ndarray, weights: np.ndarray) -> None:
        """Add the votes of one sub-community.

        Parameters
        ----------
        variables : int array, ascending
            The sub-community.
        matrix : (k, k) float array
            Probabilities of the edges among these variables; row is the parent.
        weights : (k, k) float array, symmetric
            Weights of the votes on each pair.
        """
        for a, b in combinations(range(len(variables)), 2):
            pair = (int(variables[a]), int(variables[b]))
            w = float(weights[a, b])
            self._add(pair, (w * float(matrix[a, b]), w * float(matrix[b, a]), w))

    def replace(self, variables: np.ndarray, matrix: np.ndarray) -> None:
        """Replace all votes on the pairs of a cluster by a new result; keep the sum of weights."""
        for a, b in combinations(range(len(variables)), 2):
            pair = (int(variables[a]), int(variables[b]))
            weight = self.votes.get(pair, (0.0, 0.0, 1.0))[2]
            self.votes[pair] = (weight * float(matrix[a, b]), weight * float(matrix[b, a]), weight)
            self._connect(pair)

    def absorb(self, other: Structure) -> list[Pair]:
        """Add all votes of another structure, and return the pairs of these votes."""
        for pair, votes in other.votes.items():
            self._add(pair, votes)
        self.settled |= other.settled
        return list(other.votes)

    def _add(self, pair: Pair, votes: tuple[float, float, float]) -> None:
        """Add one vote on a pair."""
        old = self.votes.get(pair, (0.0, 0.0, 0.0))
        self.votes[pair] = (old[0] + votes[0], old[1] + votes[1], old[2] + votes[2])
        self._connect(pair)

    def _connect(self, pair: Pair) -> None:
        """Update the neighbours after a new vote on a pair."""
        i, j = pair
        if self.probability(pair) > self.threshold:
            self.near.setdefault(i, set()).add(j)
            self.near.setdefault(j, set()).add(i)
        elif j in self.near.get(i, ()):
            self.near[i].remove(j)
            self.near[j].remove(i)

    def probability(self, pair: Pair) -> float:
        """Return P(i -> j) + P(j -> i)."""
        forward, backward, weight = self.votes[pair]
        return (forward + backward) / weight if weight > 0 else 0.0

    def new_triplets(self, pairs: Iterable[Pair]) -> list[Triplet]:
        """Return the candidate triplets that have an edge among `pairs` and are not settled.

        A candidate triplet has three variables, and the probability of all three pairs exceeds the
        threshold.
        """
        triplets = set()
        for i, j in pairs:
            if j in self.near.get(i, ()):
                for k in self.near[i] & self.near[j]:
                    a, b, c = sorted((i, j, k))
                    triplets.add((a, b, c))
        return sorted(triplets - self.settled)

    def probabilities(self, n: int) -> sparse.csr_array:
        """Return the matrix of P(i -> j) over ``n`` variables; row i is the parent."""
        pairs, votes, _ = self.packed()
        total = np.maximum(votes[:, 2], votes[:, 0] + votes[:, 1])
        values = votes[:, :2] / np.where(total > 0, total, 1.0)[:, None]
        entries = (values.T.reshape(-1), (pairs.T.reshape(-1), pairs[:, ::-1].T.reshape(-1)))
        matrix = sparse.csr_array(entries, shape=(n, n))
        matrix.eliminate_zeros()
        return matrix

    def packed(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the pairs, their votes, and the settled triplets, as arrays."""
        m, flat = len(self.votes), chain.from_iterable
        pairs = np.fromiter(flat(self.votes), np.int64, 2 * m).reshape(m, 2)
        votes = np.fromiter(flat(self.votes.values()), float, 3 * m).reshape(m, 3)
        settled = np.array(sorted(self.settled), np.int64).reshape(-1, 3)
        return pairs, votes, settled

    @classmethod
    def unpacked(
        cls, fields: tuple[np.ndarray, np.ndarray, np.ndarray], threshold: float
    ) -> Structure:
        """Return the structure with the arrays of `packed`."""
        pairs, votes, settled = fields
        known = zip(map(tuple, pairs.tolist()), map(tuple, votes.tolist()), strict=True)
        structure = cls(threshold, dict(known), settled=set(map(tuple, settled.tolist())))
        weights = np.where(votes[:, 2] > 0, votes[:, 2], np.inf)
        likely = (votes[:, 0] + votes[:, 1]) / weights > threshold
        for pair in map(tuple, pairs[likely].tolist()):
            structure._connect(pair)
        return structure
