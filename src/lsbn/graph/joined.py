"""Pairs of variables with an edge, and their directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lsbn.graph.orientation import informed_orientation

if TYPE_CHECKING:
    from lsbn.knowledge import Constraints

__all__ = ["JoinedPairs", "informed_pairs"]


@dataclass(frozen=True)
class JoinedPairs:
    """Pairs of variables with the probabilities of both directions.

    `forward` is P(first -> second), `backward` is P(second -> first).
    """

    first: np.ndarray
    second: np.ndarray
    forward: np.ndarray
    backward: np.ndarray

    @property
    def both(self) -> np.ndarray:
        """Probability of an edge in either direction."""
        return self.forward + self.backward

    def flipped(self, flip: np.ndarray) -> JoinedPairs:
        """Exchange first and second where `flip` is true."""
        return JoinedPairs(
            np.where(flip, self.second, self.first),
            np.where(flip, self.first, self.second),
            np.where(flip, self.backward, self.forward),
            np.where(flip, self.forward, self.backward),
        )

    def only(self, rows: np.ndarray) -> JoinedPairs:
        """Keep some pairs."""
        parts = (self.first, self.second, self.forward, self.backward)
        return JoinedPairs(*(part[rows] for part in parts))


def informed_pairs(pairs: JoinedPairs, knowledge: Constraints, alphabet: np.ndarray) -> JoinedPairs:
    """Direct pairs without cycles as knowledge allows; the required edges enter first.

    Edges with one possible direction enter before the others, which can always be reversed.
    """
    there = knowledge.allows(pairs.first, pairs.second)
    back = knowledge.allows(pairs.second, pairs.first)
    pairs = pairs.flipped(~there & back).only(there | back)
    turnable = (there & back)[there | back]
    edges = pairs.second * knowledge.n + pairs.first
    free = ~np.isin(edges, knowledge.required)
    by_name = (alphabet[pairs.second], alphabet[pairs.first])
    order = np.lexsort((*by_name, -pairs.forward, turnable, free))
    kept, turned = informed_orientation(
        knowledge.n, pairs.first, pairs.second, order, turnable, knowledge.most_parents
    )
    return pairs.flipped(turned).only(kept)
