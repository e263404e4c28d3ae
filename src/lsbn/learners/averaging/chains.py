"""Chains of orders: plain ones, and those that exchange orders with higher temperatures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lsbn.kernels import orders as _orders
from lsbn.kernels.state import EdgeSums
from lsbn.kernels.tempering import sample_tempered
from lsbn.learners.averaging.collector import Trail
from lsbn.learners.averaging.convergence import ChainSums
from lsbn.learners.averaging.parent_sets import ParentSets
from lsbn.learners.averaging.settings import SamplingSettings


class Chain(ChainSums):
    """One chain of orders: the keys of its order, and its sums.

    Parameters
    ----------
    keys : float array
        The first order; changed as the chain advances.
    size : int
        Number of possible edges.
    rng : numpy.random.Generator
    """

    def __init__(self, keys: np.ndarray, size: int, rng: np.random.Generator) -> None:
        super().__init__(size)
        self.keys, self.rng, self.trail = keys, rng, Trail(len(keys))

    def advance(self, sets: ParentSets, core: ParentSets, settings: SamplingSettings) -> dict:
        """Sample one more part, and return it for `add`, with the state of the chain after it.

        A draft stores each part. It would grow with the square of their number if a part had the
        sums and draws of those before.
        """
        part, squares = np.zeros_like(self.total), np.zeros_like(self.total)
        sums, pace = EdgeSums(sets.lists, part, squares), (settings.sweeps, settings.thin)
        kept = np.empty((settings.sweeps // settings.thin, len(self.keys)))
        scores = self._sample(core, pace, sums, kept)
        drawn = {"total": part, "squares": squares, "scores": scores, "kept": kept}
        return drawn | {"position": self.position, "rng": self.rng.bit_generator.state}

    def add(self, part: dict, sets: ParentSets, settings: SamplingSettings) -> None:
        """Add a part that this chain sampled, or one with the same seed at the same place.

        The first part is burn-in: the second replaces it.
        """
        self.rng.bit_generator.state, self.position = part["rng"], part["position"]
        sums = EdgeSums(sets.lists, part["total"], part["squares"])
        self.add_part(sums, part["scores"], settings.sweeps)
        self.trail.add(part["kept"], first=self.parts == 1)

    @property
    def position(self) -> np.ndarray:
        """Keys of the order, or orders, with which the next part begins."""
        return self.keys

    @position.setter
    def position(self, keys: np.ndarray) -> None:
        self.keys = keys

    def _sample(
        self, core: ParentSets, pace: tuple[int, int], sums: EdgeSums, kept: np.ndarray
    ) -> np.ndarray:
        """Sample orders; gives their log scores."""
        return _orders.sample(core.lists, core.links, self.keys, pace, self.rng, sums, kept)

    def edge_draws(self, sets: ParentSets, edge: int) -> np.ndarray:
        """Posterior of an edge, an entry of ``sets.edges()``, given each order that was kept."""
        return sets.edge_posteriors(edge, self.trail.draws)


class TemperedChain(Chain):
    """A chain that exchanges its order with chains at higher temperatures.

    So it crosses from mode to mode, and visits each in proportion to its posterior mass.

    Parameters
    ----------
    orders : sequence of float arrays
        First orders as keys; the temperatures take them by turns.
    size : int
        Number of possible edges.
    rng : numpy.random.Generator
    settings : SamplingSettings
        Its temperatures are used.
    """

    def __init__(
        self,
        orders: Sequence[np.ndarray],
        size: int,
        rng: np.random.Generator,
        settings: SamplingSettings,
    ) -> None:
        self.betas = settings.ladder(settings.hottest)
        self.replicas = np.array([orders[t % len(orders)] for t in range(len(self.betas))])
        super().__init__(self.replicas[0], size, rng)

    @property
    def position(self) -> np.ndarray:
        """Keys of the orders at all temperatures."""
        return self.replicas

    @position.setter
    def position(self, keys: np.ndarray) -> None:
        self.replicas, self.keys = keys, keys[0]

    def _sample(
        self, core: ParentSets, pace: tuple[int, int], sums: EdgeSums, kept: np.ndarray
    ) -> np.ndarray:
        replicas = self.replicas, self.betas
        scores = sample_tempered(core.lists, core.links, replicas, pace, self.rng, sums, kept)
        self.keys = self.replicas[0]
        return scores
