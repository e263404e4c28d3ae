"""Which chains are averaged, and the diagnostics of their precision."""

import statistics
from dataclasses import dataclass

import numpy as np
import pytest

from lsbn.learners.averaging.convergence import (
    MOST_R_HAT,
    best_mode,
    convergence,
    rank_r_hat,
    standard_error,
)


@dataclass
class Sums:
    """The sums of a chain whose parts have given means, one order each."""

    part_means: np.ndarray
    log_score: float = 0.0

    @property
    def parts(self):
        return len(self.part_means)

    draws = parts

    @property
    def mean(self):
        return self.part_means.mean(axis=0)

    @property
    def squares(self):
        return (self.part_means**2).sum(axis=0)

    part_squares = squares


def test_chains_in_worse_modes_are_left_out():
    chains = [Sums(np.zeros((1, 1)), score) for score in (-100.0, -109.0, -111.0)]
    assert best_mode(chains, 10.0) == chains[:2]


def test_the_standard_error_is_that_of_independent_parts():
    rng = np.random.default_rng(0)
    chains = [Sums(rng.random((50, 3))) for _ in range(4)]
    by_parts = np.concatenate([chain.part_means for chain in chains]).std(axis=0, ddof=1)
    by_chains = np.array([chain.mean for chain in chains]).std(axis=0, ddof=1)
    wanted = np.maximum(by_parts / np.sqrt(200), by_chains / 2).max()
    assert standard_error(chains) == pytest.approx(wanted)
    assert standard_error([Sums(np.zeros((2, 0)))]) == 0.0


def test_r_hat_is_one_for_equal_chains_and_large_for_unequal_ones():
    rng = np.random.default_rng(0)
    values = rng.random((50, 3))
    equal = convergence([Sums(values), Sums(values)])
    assert equal.r_hat == 1.0
    assert equal.high_r_hat_edges == 0
    unequal = convergence([Sums(values), Sums(values + np.array([0, 0, 5]))])
    assert unequal.r_hat > 1.1
    assert unequal.high_r_hat_edges == 1
    assert unequal.effective_sample_size == pytest.approx(2.0, abs=0.1)


def slow_rank_r_hat(draws):
    """By the definition: ranks by counting, quantiles one by one."""
    half = len(draws[0]) // 2
    halves = [chain[:half] for chain in draws] + [chain[-half:] for chain in draws]
    median = statistics.median(x for chain in halves for x in chain)
    found = []
    for values in (halves, [[abs(x - median) for x in chain] for chain in halves]):
        everything = [x for chain in values for x in chain]
        quantiles = [
            [
                statistics.NormalDist().inv_cdf(
                    (
                        sum(y < x for y in everything)
                        + (1 + sum(y == x for y in everything)) / 2
                        - 3 / 8
                    )
                    / (len(everything) + 1 / 4)
                )
                for x in chain
            ]
            for chain in values
        ]
        within = statistics.mean(statistics.variance(chain) for chain in quantiles)
        between = statistics.variance(statistics.mean(chain) for chain in quantiles)
        found.append(((half - 1) / half + between / within) ** 0.5)
    return max(found)


@pytest.mark.parametrize(("shift", "scale"), [(0, 1), (9, 1), (0, 20)])
def test_r_hat_by_ranks(shift, scale):
    draws = np.random.default_rng(3).standard_cauchy((4, 31)).round(1)
    draws[0] = draws[0] * scale + shift
    assert rank_r_hat(draws) == pytest.approx(slow_rank_r_hat(draws.tolist()))
    assert (rank_r_hat(draws) > 1.1) == (shift + scale > 1)


def test_r_hat_by_ranks_of_few_or_equal_draws():
    assert rank_r_hat(np.zeros((4, 3))) == rank_r_hat(np.ones((4, 50))) == 1.0
    assert rank_r_hat(np.repeat([[1.0], [2.0]], 50, axis=1)) == MOST_R_HAT
