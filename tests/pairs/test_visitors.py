import numpy as np
import pytest

from lsbn.pairs.significance import Significance
from lsbn.pairs.visitors import HISTOGRAM_BINS, Above, Heaviest, Histogram, MomentSums

N = 9


@pytest.fixture(params=range(3))
def weights(request):
    """Weights of all pairs i < j, no two of them equal."""
    return np.triu(np.random.default_rng(request.param).exponential(size=(N, N)), 1)


def visited(visitor, weights, height=4):
    for low in range(0, N, height):
        visitor.add(low, {"MI": weights[low : low + height]})
    return visitor


def partners(weights, v):
    """All others, from the heaviest to the lightest."""
    row = (weights + weights.T)[v]
    return [u for u in np.argsort(-row).tolist() if u != v]


def test_moments(weights):
    found = visited(MomentSums("MI", N), weights).moments()
    values = weights[np.triu_indices(N, 1)]
    got = (found.mean, found.sd, found.minimum, found.maximum)
    assert got == pytest.approx((values.mean(), values.std(), values.min(), values.max()))
    assert found.strength == pytest.approx((weights + weights.T).sum(axis=0))


def test_equal_weights_have_no_range():
    found = visited(MomentSums("MI", N), np.triu(np.full((N, N), 0.1 + 0.2), 1)).moments()
    assert found.minimum == found.maximum
    assert found.sd == pytest.approx(0.0, abs=1e-8)


def test_histogram_counts_every_pair_once(weights):
    values = weights[np.triu_indices(N, 1)]
    found = visited(Histogram("MI", values.min(), values.max()), weights)
    wanted, _ = np.histogram(values, HISTOGRAM_BINS)
    assert found.counts.tolist() == wanted.tolist()


def test_pairs_above_a_threshold_are_sorted(weights):
    edges, found = visited(Above("MI", 1.0, Significance.of_any(N)), weights).listed()
    assert edges.tolist() == np.argwhere(weights > 1.0).tolist()
    assert found.tolist() == weights[weights > 1.0].tolist()


@pytest.mark.parametrize("most", [1, 3, N - 1])
def test_heaviest_partners(weights, most):
    heaps = visited(Heaviest("MI", N, most), weights)
    both = weights + weights.T
    for v in range(N):
        wanted = partners(weights, v)[:most]
        assert heaps.partners(v, most, 0.0).tolist() == wanted
        least = both[v, wanted].mean()
        assert heaps.partners(v, most, least).tolist() == [u for u in wanted if both[v, u] >= least]
