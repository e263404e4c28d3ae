"""Tempered chains of orders, compared with all permutations."""

from itertools import permutations

import numpy as np
import pytest

import naive
from kernel_cases import listed, random_families
from lsbn.kernels.orders import allowed_masks, log_order, sample
from lsbn.kernels.state import EdgeSums
from lsbn.kernels.tempering import best_visited, sample_tempered

BETAS = np.geomspace(1.0, 0.2, 6)


def two_modes(log_odds):
    """0 and 1 are the parents of 2 and 3, or the reverse; one key at a time is stuck in between."""
    first, second = frozenset([0, 1]), frozenset([2, 3])
    nothing, high = frozenset(), 10.0
    down, up = {nothing: 0.0, first: high}, {nothing: 0.0, second: high + log_odds / 2}
    return [dict(up), dict(up), dict(down), dict(down)]


def posteriors(lists, links, replicas, sweeps, seed=0):
    total = np.zeros(len(lists.cand))
    sums, rng = EdgeSums(lists, total, total.copy()), np.random.default_rng(seed)
    kept = np.empty((sweeps // 2, len(replicas[0])))
    scores = sample_tempered(lists, links, (replicas, BETAS), (sweeps, 2), rng, sums, kept)
    assert (kept[-1] == replicas[0]).all()
    assert scores[-1] == pytest.approx(log_order(lists, allowed_masks(lists, replicas[0])))
    return total / len(scores)


def by_candidate(lists, matrix):
    child = np.repeat(np.arange(len(lists.cand_start) - 1), np.diff(lists.cand_start))
    return np.array(matrix)[lists.cand, child]


def test_tempered_chains_average_edge_posteriors():
    families = random_families(3, 5)
    lists, links = listed(families, True)
    replicas = np.random.default_rng(1).random((len(BETAS), 5))
    wanted = by_candidate(lists, naive.order_edge_posteriors(families))
    np.testing.assert_allclose(posteriors(lists, links, replicas, 20_000), wanted, atol=0.02)


def test_a_tempered_chain_visits_each_mode_by_its_mass():
    """A plain chain from the worse mode stays there."""
    families = two_modes(np.log(3.0))
    lists, links = listed(families, False)
    start = np.array([0.2, 0.4, 0.6, 0.8])
    total = np.zeros(len(lists.cand))
    sums = EdgeSums(lists, total, total.copy())
    sample(lists, links, start.copy(), (400, 2), np.random.default_rng(0), sums)
    wanted = by_candidate(lists, naive.order_edge_posteriors(families))
    assert np.abs(total / 200 - wanted).max() > 0.5
    found = posteriors(lists, links, np.tile(start, (len(BETAS), 1)), 40_000)
    np.testing.assert_allclose(found, wanted, atol=0.05)


def test_the_best_visited_order_is_in_the_better_mode():
    """The better mode is not reached by single keys, and its score is that of the best order."""
    families = two_modes(np.log(3.0))
    lists, links = listed(families, False)
    replicas = np.tile([0.2, 0.4, 0.6, 0.8], (len(BETAS), 1))
    rng = np.random.default_rng(0)
    start = log_order(lists, allowed_masks(lists, replicas[0]))
    keys = best_visited(lists, links, (replicas, BETAS), 2_000, rng)
    score = log_order(lists, allowed_masks(lists, keys))
    assert score > start + 1
    orders = map(np.array, permutations(range(4)))
    scores = [log_order(lists, allowed_masks(lists, order / 4)) for order in orders]
    assert score == pytest.approx(max(scores))


@pytest.mark.parametrize("seed", range(5))
def test_no_order_that_was_visited_is_better(seed):
    """Fewer sweeps with the same seed end at the orders that more sweeps visit."""
    lists, links = listed(random_families(seed, 5), True)
    visited, most = [], 6
    for sweeps in range(1, most + 1):
        replicas = np.random.default_rng(1).random((len(BETAS), 5))
        rng = np.random.default_rng(seed)
        best = best_visited(lists, links, (replicas, BETAS), sweeps, rng)
        visited.append(log_order(lists, allowed_masks(lists, replicas[0])))
        assert log_order(lists, allowed_masks(lists, best)) == pytest.approx(max(visited))
