"""Annealed orders: where rounds of search look for parents, and where chains start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lsbn.checkpoint import PLAIN, Codec
from lsbn.kernels import orders as _orders
from lsbn.learners.averaging.parent_sets import ParentSets
from lsbn.learners.averaging.settings import SamplingSettings
from lsbn.parallel import run

BEFORE = -1.0
"""Key of the variables that precede all others, see `ParentSets.n_before`."""


class AnnealedOrder(NamedTuple):
    """An order, as the keys whose sorting gives it, and its log score."""

    keys: np.ndarray
    log_score: float


_CODEC = Codec(tuple, lambda fields: AnnealedOrder(*fields))


def anneal_orders(
    sets: ParentSets,
    starts: Sequence[np.ndarray],
    settings: SamplingSettings,
    rng: np.random.Generator,
    n_jobs: int | None = 1,
) -> list[AnnealedOrder]:
    """Anneal random orders, and sample on from given ones; best order first.

    Parameters
    ----------
    sets : ParentSets
    starts : sequence of float arrays
        The given orders.
    settings : SamplingSettings
    rng : numpy.random.Generator
    n_jobs : int
    """
    betas = np.array(settings.betas)
    n_random = settings.random_orders if starts else max(1, settings.chains // 2)
    before = np.full(sets.n_before, BEFORE)
    orders = [sets.feasible(rng.random(sets.n_variables)) for _ in range(n_random)]
    first = [(np.append(keys, before), betas, settings.annealing_sweeps) for keys in orders]
    first += [(keys.copy(), betas[-1:], settings.restart_sweeps) for keys in starts]

    def anneal(item: tuple) -> AnnealedOrder:
        (keys, betas, sweeps), rng = item
        moved = keys[: sets.n_variables]
        score = _orders.anneal(sets.lists, sets.links, moved, betas, sweeps, rng)
        return AnnealedOrder(keys, score)

    items = list(zip(first, rng.spawn(len(first)), strict=True))
    annealed = run(anneal, items, n_jobs, _CODEC)
    return sorted(annealed, key=lambda order: -order.log_score)


def walk_orders(
    sets: ParentSets,
    starts: Sequence[np.ndarray],
    sweeps: int,
    rng: np.random.Generator,
    n_jobs: int | None = 1,
) -> list[np.ndarray]:
    """Sample on from given orders; gives the last order of each.

    Parameters
    ----------
    sets : ParentSets
    starts : sequence of float arrays
    sweeps : int
    rng : numpy.random.Generator
    n_jobs : int
    """

    def walk(item: tuple) -> np.ndarray:
        keys, rng = item
        _orders.walk(sets.lists, sets.links, keys[: sets.n_variables], sweeps, rng)
        return keys

    first = [keys.copy() for keys in starts]
    return run(walk, list(zip(first, rng.spawn(len(first)), strict=True)), n_jobs, PLAIN)
