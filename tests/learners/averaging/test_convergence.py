"""Which chains are averaged, and the diagnostics of their precision."""

import statistics
from dataclasses import dataclass

import numpy as np
import pytest

from lsbn.learners.averaging.convergence import best_mode, convergence, standard_error
from lsbn.learners.averaging.ranks import MOST_R_HAT, rank_effective_size, rank_r_hat


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

    @property
    def scores(self):
        return [np.full(self.parts, self.log_score)]


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


def test_the_unsettled_share_is_that_of_normal_differences():
    rng = np.random.default_rng(3)
    chains = [Sums(rng.normal(0.5, 0.4, (40, 3)) * [1.0, 0.1, 0.0]) for _ in range(4)]
    sides = statistics.NormalDist()
    wanted = 0.0
    for edge in range(2):
        error = standard_error([Sums(chain.part_means[:, [edge]]) for chain in chains])
        wanted += 2 * sides.cdf(-0.1 / (error * 2**0.5))
    found = convergence(chains, chains, part_means)
    assert found.unsettled_share == pytest.approx(wanted / 2, abs=1e-4)
    assert found.unsettled_share > 0.001


def part_means(chain, edge):
    """Draws of an edge: each part has one order."""
    return chain.part_means[:, edge]


def test_r_hat_is_one_for_equal_chains_and_large_for_unequal_ones():
    rng = np.random.default_rng(0)
    values = rng.random((50, 3))
    equal = [Sums(values), Sums(values[::-1])]
    found = convergence(equal, equal, part_means)
    assert found.r_hat < 1.1
    assert found.high_r_hat_edges == 0
    unequal = [Sums(values), Sums(values + np.array([0, 0, 5]))]
    found = convergence(unequal, unequal, part_means)
    assert found.r_hat > 1.1
    assert found.high_r_hat_edges == 1
    assert found.effective_sample_size < 10


def test_r_hat_is_over_all_chains_and_the_precision_over_the_averaged_ones():
    rng = np.random.default_rng(1)
    values = rng.random((3, 200, 2))
    chains = [Sums(values[0]), Sums(values[1]), Sums(values[2] + 1, log_score=-50.0)]
    found = convergence(chains, chains[:2], part_means)
    assert found.r_hat > 1.1
    assert found.standard_error < 0.05
    assert found.effective_sample_size > 100


def test_a_chain_that_drifts_has_a_high_r_hat():
    drift = np.linspace(0.0, 1.0, 60)[:, None]
    chains = [Sums(drift), Sums(drift + 0.001)]
    found = convergence(chains, chains, part_means)
    assert found.r_hat > 1.5
    assert found.high_r_hat_edges == 1


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


def slow_effective_size(draws):
    """By the definition: ranks by counting, autocovariances lag by lag."""
    half = len(draws[0]) // 2
    halves = [chain[:half] for chain in draws] + [chain[-half:] for chain in draws]
    everything = [x for chain in halves for x in chain]
    size = len(everything)
    normal = statistics.NormalDist()
    values = [
        [
            normal.inv_cdf(
                (sum(y < x for y in everything) + (1 + everything.count(x)) / 2 - 3 / 8)
                / (size + 1 / 4)
            )
            for x in chain
        ]
        for chain in halves
    ]
    means = [statistics.mean(chain) for chain in values]
    within = statistics.mean(statistics.variance(chain) for chain in values)
    total = (half - 1) / half * within + statistics.variance(means)

    def correlation(lag):
        moments = [
            sum((x - mean) * (y - mean) for x, y in zip(chain, chain[lag:], strict=False))
            for chain, mean in zip(values, means, strict=True)
        ]
        return 1 - (within - statistics.mean(moments) / (half - 1)) / total

    pairs, lag = [], 0
    while lag + 1 < half:
        pair = (1.0 if lag == 0 else correlation(lag)) + correlation(lag + 1)
        if pair < 0:
            break
        pairs.append(min([pair, *pairs[-1:]]))
        lag += 2
    return size / (2 * sum(pairs) - 1)


@pytest.mark.parametrize("memory", [0.0, 0.5, 0.9])
def test_effective_size_by_ranks(memory):
    rng = np.random.default_rng(5)
    draws = rng.normal(size=(4, 81))
    for t in range(1, draws.shape[1]):
        draws[:, t] += memory * draws[:, t - 1]
    found = rank_effective_size(draws.round(1))
    assert found == pytest.approx(slow_effective_size(draws.round(1).tolist()))
    assert found < draws.size * (1 - memory) ** 0.5 * 1.5


def test_effective_size_of_few_or_equal_draws_is_their_number():
    assert rank_effective_size(np.ones((4, 50))) == 200
    assert rank_effective_size(np.zeros((2, 3))) == 6
