"""Pilot chains, which tell the parent sets that count.

A pilot chain over all listed sets gives the posterior share of each. Chains over the sets with the
largest shares are many times faster.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lsbn.kernels import shares as _shares
from lsbn.learners.averaging.chains import TemperedChain
from lsbn.learners.averaging.parent_sets import ParentSets
from lsbn.learners.averaging.settings import SamplingSettings

__all__ = ["plain_shares", "selected", "tempered_shares"]


def plain_shares(
    data: tuple[ParentSets, ParentSets, int], pilot: tuple[np.ndarray, np.random.Generator]
) -> np.ndarray:
    """Posterior share of every set, by a plain chain over the core; changes the pilot's keys."""
    (sets, core, sweeps), (keys, rng) = data, pilot
    return _shares.set_shares(core.lists, core.links, keys, sweeps, rng, sets.lists)


def tempered_shares(
    data: tuple[ParentSets, ParentSets, SamplingSettings],
    pilot: tuple[Sequence[np.ndarray], np.random.Generator],
) -> tuple[np.ndarray, np.ndarray]:
    """Do the same by a tempered chain, and give its last orders; the first part is burn-in.

    The temperatures take the pilot's orders by turns.
    """
    (sets, core, sampling), (starts, rng) = data, pilot
    chain = TemperedChain(starts, sets.n_candidates, rng, sampling)
    for _ in range(1 + -(-sampling.pilot(sets.n_variables) // 2 // sampling.sweeps)):
        chain.add(chain.advance(sets, core, sampling), sets, sampling)
    return _shares.shares_in_orders(sets.lists, chain.trail.draws), chain.position


def selected(
    sets: ParentSets, share: np.ndarray, sampling: SamplingSettings
) -> tuple[ParentSets, ParentSets]:
    """Give the sets to average over, and the heavy ones, by their posterior shares."""
    averaged = sets.only(share > sampling.negligible_share)
    return averaged, sets.without_lightest(share, sampling.light_share)
