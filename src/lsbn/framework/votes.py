"""What is believed about the edges among some variables: weighted votes, pair by pair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from scipy import sparse

from lsbn.framework.triplets import Triplet

__all__ = ["Structure"]

Pair = tuple[int, int]


@dataclass
class Structure:
    """Votes on pairs of variables.

    A pair ``i < j`` has the sums of ``weight * P(i -> j)``, of ``weight * P(j -> i)`` and of the
    weights over all sub-communities that hold both; its probabilities are the ratios.

    Attributes
    ----------
    votes : dict of (int, int) to (float, float, float)
    threshold : float
        Pairs that are joined with a greater probability count as edges of candidate triplets.
    near : dict of int to set of int
        Neighbours by such edges.
    settled : set of (int, int, int)
        Triplets that were learned again already.
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
        matrix : (k, k) float array
            Probabilities of the edges among them.
        weights : (k, k) float array, symmetric
            Weights of the votes.
        """
        for a, b in combinations(range(len(variables)), 2):
            pair = (int(variables[a]), int(variables[b]))
            w = float(weights[a, b])
            self._add(pair, (w * float(matrix[a, b]), w * float(matrix[b, a]), w))

    def replace(self, variables: np.ndarray, matrix: np.ndarray) -> None:
        """Let what was learned again replace all that was believed of the pairs inside."""
        for a, b in combinations(range(len(variables)), 2):
            pair = (int(variables[a]), int(variables[b]))
            weight = self.votes.get(pair, (0.0, 0.0, 1.0))[2]
            self.votes[pair] = (weight * float(matrix[a, b]), weight * float(matrix[b, a]), weight)
            self._connect(pair)

    def absorb(self, other: Structure) -> list[Pair]:
        """Add all votes of another structure; give the pairs that it voted on."""
        for pair, votes in other.votes.items():
            self._add(pair, votes)
        self.settled |= other.settled
        return list(other.votes)

    def _add(self, pair: Pair, votes: tuple[float, float, float]) -> None:
        old = self.votes.get(pair, (0.0, 0.0, 0.0))
        self.votes[pair] = (old[0] + votes[0], old[1] + votes[1], old[2] + votes[2])
        self._connect(pair)

    def _connect(self, pair: Pair) -> None:
        i, j = pair
        if self.probability(pair) > self.threshold:
            self.near.setdefault(i, set()).add(j)
            self.near.setdefault(j, set()).add(i)
        elif j in self.near.get(i, ()):
            self.near[i].remove(j)
            self.near[j].remove(i)

    def probability(self, pair: Pair) -> float:
        """Probability that a pair is joined, in either direction."""
        forward, backward, weight = self.votes[pair]
        return (forward + backward) / weight if weight > 0 else 0.0

    def new_triplets(self, pairs: Iterable[Pair]) -> list[Triplet]:
        """Candidate triplets with an edge among some pairs that were not learned again yet."""
        found = set()
        for i, j in pairs:
            if j in self.near.get(i, ()):
                for k in self.near[i] & self.near[j]:
                    a, b, c = sorted((i, j, k))
                    found.add((a, b, c))
        return sorted(found - self.settled)

    def probabilities(self, n: int) -> sparse.csr_array:
        """Matrix of P(i -> j) over ``n`` variables."""
        entries = list(self._entries())
        rows, columns, values = (
            (np.array(x) for x in zip(*entries, strict=True))
            if entries
            else (np.empty(0, np.int64),) * 3
        )
        shape = (n, n)
        return sparse.csr_array((values.astype(float), (rows, columns)), shape=shape)

    def _entries(self) -> Iterator[tuple[int, int, float]]:
        for (i, j), (forward, backward, weight) in sorted(self.votes.items()):
            total = max(weight, forward + backward)
            if forward > 0:
                yield i, j, forward / total
            if backward > 0:
                yield j, i, backward / total
