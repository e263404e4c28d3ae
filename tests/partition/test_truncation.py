import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from lsbn.partition.truncation import elbow

histograms = st.lists(st.integers(0, 50), min_size=1, max_size=30).map(np.array)


def edges_of(counts, low=0.0, high=1.0):
    return np.linspace(low, high, len(counts) + 1)


@settings(deadline=None)
@given(histograms)
def test_elbow_agrees_with_naive(counts):
    assert elbow(counts, edges_of(counts)) == naive.elbow(counts, edges_of(counts))


@pytest.mark.parametrize("seed", range(5))
def test_weights_of_many_pairs_agree_with_naive(seed):
    rng = np.random.default_rng(seed)
    weights = np.concatenate([rng.exponential(0.01, 20_000), rng.random(500)])
    counts, edges = np.histogram(weights, bins=100)
    assert elbow(counts, edges) == naive.elbow(counts, edges)


@settings(deadline=None)
@given(histograms, st.integers(1, 1000), st.integers(-5, 5), st.integers(1, 9))
def test_elbow_follows_the_scales_of_counts_and_weights(counts, times, low, width):
    threshold = elbow(counts, edges_of(counts))
    moved = edges_of(counts, low, low + width)
    at = np.searchsorted(edges_of(counts), threshold)
    assert elbow(counts * times, moved) == (moved[at] if np.isfinite(threshold) else threshold)


def test_elbow_separates_dependent_pairs_from_noise():
    """900 of 10,000 pairs are dependent; the elbow keeps them and little else."""
    rng = np.random.default_rng(0)
    noise, signal = rng.exponential(0.005, 9_100), rng.uniform(0.2, 1.0, 900)
    threshold = elbow(*np.histogram(np.concatenate([noise, signal]), bins=100))
    assert (signal >= threshold).all()
    assert (noise >= threshold).mean() < 0.05


def test_low_first_bins_do_not_move_the_elbow():
    """Noise lifts the weights: the peak is not the first bin, the elbow is right of it."""
    tail = [900, 300, 100, 40, 20, 10, 5, 5, 0, 2]
    counts = [10, 300, *tail]
    assert elbow(tail, range(11)) == 2
    assert elbow(counts, range(13)) == 4


def test_counts_of_blocks_add_up():
    weights = np.random.default_rng(1).exponential(size=5_000)
    edges = np.linspace(weights.min(), weights.max(), 101)
    blocks = [np.histogram(block, edges)[0] for block in np.array_split(weights, 7)]
    assert elbow(sum(blocks), edges) == elbow(np.histogram(weights, edges)[0], edges)


@pytest.mark.parametrize(
    "counts",
    [
        [7],
        [0, 0, 0],
        [4, 4, 4, 4],
        [5, 4, 3, 2, 1],
        [0, 0, 9],
        [9, 8, 6, 3],
    ],
    ids=["one bin", "no pairs", "flat", "straight", "all in the last bin", "bulging"],
)
def test_without_elbow_nothing_is_cut(counts):
    assert elbow(counts, edges_of(counts, -1.0, 1.0)) == -np.inf


@pytest.mark.parametrize("place", [0, 50, 99])
def test_equal_weights_are_all_kept(place):
    """For any position of the one filled bin, and for bins without width."""
    counts = 50 * np.eye(100)[place]
    assert elbow(counts, edges_of(counts)) == -np.inf
    assert elbow(counts, np.full(101, 0.3)) == -np.inf


@pytest.mark.parametrize(
    ("counts", "edges", "message"),
    [
        ([], [0.0], "at least one bin"),
        ([[1, 2]], [0, 1, 2], "at least one bin"),
        ([1, 2], [0, 1], "2 bins have 3 edges"),
        ([1, -2], [0, 1, 2], "count of bin 1 is -2"),
        ([1, float("nan")], [0, 1, 2], "count of bin 1 is nan"),
        ([1, 2], [0, 2, 1], "bin 1 runs from 2.0 to 1.0"),
        ([1, 2], [float("nan"), 2, 3], "bin 0 runs from nan"),
    ],
)
def test_bad_histograms_are_named(counts, edges, message):
    with pytest.raises(ValueError, match=message):
        elbow(counts, edges)
