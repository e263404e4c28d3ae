"""Which chains are averaged, and the diagnostics of their precision."""

from dataclasses import dataclass

import numpy as np
import pytest

from lsbn.learners.averaging.convergence import best_mode, convergence, standard_error


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
