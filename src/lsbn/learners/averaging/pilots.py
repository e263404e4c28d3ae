"""Pilot chains: which parent sets count, and whether plain chains are to be trusted.

A pilot chain over all listed sets gives the posterior share of each. Chains over the sets with the
largest shares are many times faster. With few variables there are tempered pilots, too. Plain
chains start in the best order that was found, and may stay around it though most of the posterior
is elsewhere, in many orders of lower scores: tempered pilots show this.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from lsbn.kernels import shares as _shares
from lsbn.learners.averaging.chains import TemperedChain
from lsbn.learners.averaging.parent_sets import ParentSets
from lsbn.learners.averaging.settings import SamplingSettings

__all__ = ["TemperedPilots", "plain_shares", "selected", "tempered_shares"]

Pilot = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Posterior share of each set, mean posterior of each edge, and the orders at the end."""


def plain_shares(
    data: tuple[ParentSets, ParentSets, int], pilot: tuple[np.ndarray, np.random.Generator]
) -> np.ndarray:
    """Posterior share of every set, by a plain chain over the core; changes the pilot's keys."""
    (sets, core, sweeps), (keys, rng) = data, pilot
    return _shares.set_shares(core.lists, core.links, keys, sweeps, rng, sets.lists)


def tempered_shares(
    data: tuple[ParentSets, ParentSets, SamplingSettings],
    pilot: tuple[Sequence[np.ndarray], np.random.Generator],
) -> Pilot:
    """Do the same by a tempered chain, and give its edges and its end; the first part is burn-in.

    The temperatures take the pilot's orders by turns.
    """
    (sets, core, sampling), (starts, rng) = data, pilot
    chain = TemperedChain(starts, sets.n_candidates, rng, sampling)
    for _ in range(1 + -(-sampling.pilot(sets.n_variables) // sampling.sweeps)):
        chain.add(chain.advance(sets, core, sampling), sets, sampling)
    shares = _shares.shares_in_orders(sets.lists, chain.trail.draws)
    return shares, chain.mean, chain.position


def selected(
    sets: ParentSets, share: np.ndarray, sampling: SamplingSettings
) -> tuple[ParentSets, ParentSets]:
    """Give the sets to average over, and the heavy ones, by their posterior shares."""
    averaged = sets.only(share > sampling.negligible_share)
    return averaged, sets.without_lightest(share, sampling.light_share)


class TemperedPilots:
    """What tempered pilots say of the posterior.

    Parameters
    ----------
    sets : ParentSets
    pilots : sequence of (shares, means, orders)
        As `tempered_shares` gives them; none in a network with many variables.
    """

    def __init__(self, sets: ParentSets, pilots: Sequence[Pilot]) -> None:
        self.means = [sets.matrix(means) for _, means, _ in pilots]
        self.ends = [list(orders) for _, _, orders in pilots]

    def apart(self, average: sparse.csr_array) -> float:
        """Largest difference between an average and all pilots, beyond that between the pilots."""
        if not self.means:
            return 0.0
        mean = sum(self.means[1:], self.means[0]) / len(self.means)
        spread = sum((abs(each - mean) for each in self.means), 0 * mean)
        return float((abs(average - mean) - 2 * spread).max())
