"""Constants of model averaging: one documented dataclass for each algorithm."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lsbn.kernels.parents import Listing

EFFORTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "quick": ({"sides": 1, "exchanges": 0}, {}),
    "standard": ({}, {}),
    "thorough": (
        {"searches": 12, "search_visits": 12_000, "patience": 3, "exchanges": 60},
        {
            "chains": 8,
            "random_orders": 4,
            "least_steps": 160_000,
            "most_steps": 1_600_000,
            "tempered_steps": 1_600_000,
            "tolerance": 0.01,
        },
    ),
}
"""What each effort changes in `SearchSettings` and in `SamplingSettings`."""
MASK_BITS = 64
"""Most candidate parents of a variable: a parent set is a mask of 64 bits."""


@dataclass(frozen=True)
class EnumerationSettings:
    """When all parent sets of every variable are scored, and how the density is found then.

    Attributes
    ----------
    max_sets : int
        Most parent sets of one variable that are all scored. With more sets they are searched.
    max_parents : int
        Most parents of a variable, if the user gives no bound.
    enough_parents : int
        Orders are sampled over all sets only if sets of this many parents are among them, or sets
        of as many parents as the user asked for.
    margin : float
        A set is left out if a subset has a log score that is higher by this margin, in nats. The
        sampled posteriors lose a share of about 1e-11.
    density_step : float
        The density is final when its odds change by a smaller factor than this.
    density_passes : int
        Most times that the density is found again.
    max_exact_variables : int
        Most variables of the exact average over orders: it takes ``2**n`` sums.
    max_graph_variables : int
        Most variables of the exact average over graphs: it takes ``n**2 3**n`` sums.
    max_seconds : float
        All sets are scored only if the estimate for one core is at most this; else a search takes
        less time: 12 binary columns of 16,181 rows took longer than a search among 24.
    """

    max_sets: int = 10_000
    max_parents: int = 8
    enough_parents: int = 4
    margin: float = 25.0
    density_step: float = 1.01
    density_passes: int = 10
    max_exact_variables: int = 25
    max_graph_variables: int = 12
    max_seconds: float = 0.5

    def __post_init__(self) -> None:
        if min(self.max_sets, self.max_parents, self.enough_parents) < 1:
            raise ValueError(f"enumeration needs at least one set and one parent: {self}")
        if self.density_step <= 1 or self.margin <= 0:
            raise ValueError(f"the density step must exceed 1 and the margin 0: {self}")


ENUMERATION = EnumerationSettings()


@dataclass(frozen=True)
class TableSettings:
    """Which variables have a table of ``F_v`` over all masks of candidates.

    Attributes
    ----------
    max_candidates : int
        Most candidates of a variable with a table: the table has ``2**max_candidates`` entries.
    min_sets : int
        Least sets of a variable with a table: fewer sets are summed one by one.
    """

    max_candidates: int = 16
    min_sets: int = 64

    def __post_init__(self) -> None:
        if not 0 <= self.max_candidates <= 30:
            raise ValueError(f"a table has at most 2**30 entries: {self}")


@dataclass(frozen=True)
class SearchSettings:
    """How parent sets are searched where they are too many to score all.

    The sets of one variable are grown by a beam search on the score. Rounds of search follow, each
    along the orders that were annealed over the sets of the round before.

    Attributes
    ----------
    beams : tuple of int
        Sets of each size that are grown further. The length bounds the number of parents.
    wide : tuple of int
        Sets among them that are grown by every member of the pool. Without it at the third size
        the search on link ended 4,000 nats lower: a selector has an effect only beside two others.
    pairs : int
        Pairs of parents that are scored whatever their single scores: the best ``pairs // pool``
        single parents are extended by the whole pool, in a pool of up to 45 all of them.
    margin : float
        A set is left out if a subset has a log score that is higher by this margin, in nats.
    slack : float
        Sets grow on from a size whose best one is lower than smaller ones by less than this, in
        nats. With 0, the best family of a variable of star98 was never found: an edge had 0.00 in
        place of 0.64. With 1, 3 and 6 it is, in the same time.
    delta : float
        Sets of a beam search within this distance of its best set are listed, in nats.
    max_sets : int
        Most sets listed from one beam search.
    closed : int
        Number of best sets whose subsets are all listed.
    extended : int
        Number of extensions of the best set by variables outside the pool.
    max_candidates : int
        Most candidate parents of a variable in the lists of the sampler.
    density_step, last_density_step : float
        The density is found again if its odds change by a larger factor than this, in the rounds
        and after the last one.
    density_passes : int
        Most times that the density is found after the last round.
    rounds : int
        Most rounds of search.
    gain : float
        A round is idle if it raises the best log score by less than this, in nats.
    patience : int
        The search ends after this number of idle rounds in a row.
    round_visits : int
        Variables searched in a round: ``round_visits // n`` annealed orders, at least one.
    first_parameters : int
        Most free parameters of a family before the first order is known. A search without an order
        puts the children of a variable into its parent sets. Such sets are large, slow to count,
        and of no use later.
    small_network : int
        With at most this many variables, parents are also searched along a random order before
        the first round, and the mixed score searches all predecessors. With more variables it
        searches only around the sets that tables have found, and in parts once in whole pools.
    max_unrestricted : int
        With more variables, parents are searched only in the given pools and near the best graph.
        On link, with fewer, a search among all reached a higher log score in the same time.
    max_extended : int
        With more variables, the best sets are extended only by pools and near the best graph.
    sides : int
        Sides of the search that know nothing of each other. With one there is no comparison.
    searches, search_visits : int
        Most searches of each side: `searches`, with many variables fewer, so that a side searches
        about `search_visits` variables, but at least 2. The sides stop before if they agree.
    least_after_doubt : int
        If the first searches disagree, a side makes at least this many, if `searches` allows. With
        2, both sides agreed on a log score 43 nats too low on a table of andes (5,000 rows).
    agreement : float
        The sides agree if their log scores and that of their union differ by at most this, in nats.
    walks, walk_sweeps, exchanges, exchange_patience : int
        In the end, and after each search by the mixed score, this number of orders walk through
        equivalent graphs: sweeps between two reversals of all edges, and most such reversals. A
        walk ends after `exchange_patience` reversals without a gain.
    tempered_rounds, tempered_sweeps, last_sweeps : int
        If the first searches in a small network disagree, later ones also search along orders of
        several temperatures, and random ones: rounds, sweeps before each, and sweeps of the best
        order in the end. Without random orders, a set worth 69 nats in soybean was never searched.
        On breast_cancer, 10 rounds of hot orders reached the best log score with 40 of 40 seeds.
    memory_bytes, max_remembered : int
        Bytes of the remembered scores of one kind, and most scores remembered for one variable.
    """

    beams: tuple[int, ...] = (1, 12, 6, 4, 3, 2, 2, 2)
    wide: tuple[int, ...] = (1, 2, 2, 1, 1, 0, 0, 0)
    pairs: int = 2048
    margin: float = 10.0
    slack: float = 3.0
    delta: float = 12.0
    max_sets: int = 60
    closed: int = 3
    extended: int = 16
    max_candidates: int = MASK_BITS
    density_step: float = 1.1
    last_density_step: float = 1.005
    density_passes: int = 6
    rounds: int = 6
    gain: float = 1.0
    patience: int = 2
    round_visits: int = 256
    first_parameters: int = 256
    small_network: int = 64
    max_unrestricted: int = 1024
    max_extended: int = 4096
    sides: int = 2
    searches: int = 4
    least_after_doubt: int = 3
    search_visits: int = 1_000
    agreement: float = 2.0
    walks: int = 4
    walk_sweeps: int = 5
    exchanges: int = 10
    exchange_patience: int = 3
    tempered_rounds: int = 8
    tempered_sweeps: int = 30
    last_sweeps: int = 200
    memory_bytes: int = 128 << 20
    max_remembered: int = 1 << 16

    @classmethod
    def of(cls, effort: str) -> SearchSettings:
        """Return the settings of an effort: quick, standard or thorough."""
        return cls(**EFFORTS[effort][0])

    def __post_init__(self) -> None:
        if not self.beams or len(self.beams) != len(self.wide) or min(self.beams) < 1:
            raise ValueError(f"beams and wide need one entry for each number of parents: {self}")
        if not 1 <= self.max_candidates <= MASK_BITS:
            raise ValueError(f"max_candidates must be from 1 to {MASK_BITS}: {self}")
        if self.max_sets < 1 or min(self.pairs, self.closed, self.extended) < 0:
            raise ValueError(f"the search needs at least one set, and no negative number: {self}")
        if self.rounds < 0 or self.patience < 1:
            raise ValueError(f"rounds must be at least 0 and patience at least 1: {self}")
        if min(self.sides, self.searches) < 1 or self.agreement <= 0:
            raise ValueError(f"there is at least one search, and agreement is above 0: {self}")

    def bounded(self, max_parents: int | None) -> SearchSettings:
        """Give the same settings with at most `max_parents` parents."""
        if max_parents is None:
            return self
        beams = (self.beams + self.beams[-1:] * max_parents)[:max_parents]
        wide = (self.wide + self.wide[-1:] * max_parents)[:max_parents]
        return replace(self, beams=beams, wide=wide)

    def halved(self) -> SearchSettings:
        """Give half the beams and no fixed number of pairs, for variables searched before."""
        beams = tuple((beam + 1) // 2 for beam in self.beams)
        return replace(self, beams=beams, pairs=0, closed=1)

    def widened(self) -> SearchSettings:
        """Give twice the beams and twice the slack, for searches along few orders."""
        beams, wide = (tuple(2 * width for width in widths) for widths in (self.beams, self.wide))
        return replace(self, beams=beams, wide=wide, slack=2 * self.slack)

    def widths(self, pool_size: int) -> tuple[np.ndarray, np.ndarray]:
        """Beams and wide beams for a pool of this size; `pairs` widens the second level."""
        beams, wide = np.array(self.beams), np.array(self.wide)
        if pool_size and len(beams) > 1:
            affordable = self.pairs // pool_size
            beams[1], wide[1] = max(beams[1], affordable), max(wide[1], affordable)
        return beams, wide

    @property
    def first_room(self) -> int | None:
        """Most free parameters of a family before the first order is known; None for no limit."""
        return self.first_parameters if self.rounds else None

    def most_searches(self, n_variables: int) -> int:
        """Most searches of each side."""
        affordable = max(2, self.search_visits // max(n_variables, 1))
        return min(self.searches, affordable)

    def memory_slots(self, n_variables: int) -> int:
        """Scores that are remembered for each variable: a power of two, or 0."""
        affordable = self.memory_bytes // (16 * max(n_variables, 1))
        return min(self.max_remembered, 1 << affordable.bit_length() - 1) if affordable else 0

    def listing(self) -> Listing:
        """Which sets of a search are listed, for the kernel."""
        return Listing(self.delta, self.max_sets, self.closed, self.extended)


@dataclass(frozen=True)
class SamplingSettings:
    """How orders are annealed and sampled.

    Attributes
    ----------
    chains : int
        Number of chains. Half as many random orders are annealed if no order is given.
    random_orders : int
        Random orders that are annealed beside given ones. With 1 in place of 2, seven tables of 20
        to 72 variables reached the same log scores in 0.85 of the time.
    sweeps : int
        Sweeps of each chain between two checks of convergence.
    least_steps, most_steps : int
        Draws of single keys in a chain: sampling never stops before the first number and always
        stops after the second.
    tolerance : float
        Sampling stops when the standard error of every edge is below this, by the spread of chains
        and of their parts.
    thin : int
        Sweeps from one averaged order to the next.
    betas : tuple of float
        Inverse temperatures of annealing, the last one 1.
    annealing_sweeps : int
        Sweeps at each inverse temperature, from a random order.
    restart_sweeps : int
        Sweeps at inverse temperature 1, from the best order of the round before.
    pilot_sweeps, pilot_steps : int
        Least sweeps, and least draws of single keys, that estimate the posterior share of every
        parent set. With 50 sweeps in a table of 17 variables (zoo), sets that a pilot had not come
        to were left out: with 1 of 16 seeds an edge had 0.01 in place of 0.13.
    core_margin : float
        A set has no influence on annealing if a subset has a log score that is higher by this
        margin, in nats.
    negligible_share : float
        A set with a smaller share of its variable's posterior is left out of the average.
    light_share : float
        The lightest sets of a variable with at most this total share are left out when orders are
        drawn. They count in the average given each order.
    worse_mode : float
        A chain is left out of the average if its mean log score is lower than the best chain's by
        more than this, in nats. Its mode has hardly any probability.
    temperatures, hottest, hottest_search : int, float, float
        Number of temperatures of a tempered chain, and the inverse of the highest one; that of the
        orders by which a search is tempered. Between the two modes of diabetes, chains with 0.3
        were wrong by up to 0.20, and with 0.08 by up to 0.04.
    dispersed : int
        Random orders, annealed over all sets that were found, from which chains start if they are
        within `worse_mode` of the best; with at most `tempered_variables` variables. Without them,
        all chains on diabetes (11 columns, sampled) were in one of two modes of equal weight.
    tempered_variables, tempered_error, tempered_pilots, tempered_steps : int, float, int, int
        With at most this many variables, chains with a larger standard error than this are replaced
        by tempered ones, with at most this number of draws of single keys at each temperature. If
        the first searches disagreed, chains and this number of pilots are tempered at once: on
        soybean all plain chains stayed in a mode with a small share of the posterior.
    side_parts : int
        Least parts of the chain of a side, of `sweeps` each; the first is burn-in.
    exhaustive_tolerance : float
        Tolerance where all parent sets are listed: few variables can afford more precision.
    exhaustive_factor : int
        Factor of `most_steps` in the same case.
    """

    chains: int = 4
    random_orders: int = 1
    sweeps: int = 100
    least_steps: int = 40_000
    most_steps: int = 200_000
    tolerance: float = 0.02
    thin: int = 2
    betas: tuple[float, ...] = (0.05, 0.1, 0.2, 0.4, 0.7, 1.0)
    annealing_sweeps: int = 10
    restart_sweeps: int = 30
    pilot_sweeps: int = 50
    pilot_steps: int = 10_000
    core_margin: float = 3.0
    negligible_share: float = 5e-5
    light_share: float = 0.03
    worse_mode: float = 10.0
    dispersed: int = 8
    temperatures: int = 6
    hottest: float = 0.08
    hottest_search: float = 0.3
    tempered_variables: int = 128
    tempered_error: float = 0.03
    tempered_steps: int = 150_000
    tempered_pilots: int = 4
    side_parts: int = 3
    exhaustive_tolerance: float = 0.006
    exhaustive_factor: int = 4

    def __post_init__(self) -> None:
        if self.chains < 1 or self.thin < 1 or self.sweeps < self.thin:
            raise ValueError(
                f"sampling needs at least one chain and {max(self.thin, 1)} sweeps: {self}"
            )
        if not self.betas or self.betas[-1] != 1:
            raise ValueError(f"the last inverse temperature must be 1: {self}")

    @classmethod
    def of(cls, effort: str) -> SamplingSettings:
        """Return the settings of an effort: quick, standard or thorough."""
        return cls(**EFFORTS[effort][1])

    def ladder(self, hottest: float) -> np.ndarray:
        """Inverse temperatures of tempered orders, the first one 1."""
        return np.geomspace(1.0, hottest, self.temperatures)

    def pilot(self, n_variables: int) -> int:
        """Return the number of sweeps of a pilot chain."""
        return max(self.pilot_sweeps, self.pilot_steps // n_variables)

    def exhaustive(self) -> SamplingSettings:
        """Ask for more precision, where all parent sets are listed."""
        return replace(
            self,
            tolerance=min(self.tolerance, self.exhaustive_tolerance),
            most_steps=self.exhaustive_factor * self.most_steps,
        )
