import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from lsbn.pairs import PairStatistics, statistics
from pair_cases import dataset, dense_pagerank, tables


def everything(data, names):
    """The weights of all pairs, computed strip by strip."""
    found = {name: {} for name in names}
    for low, strips in PairStatistics(data).strips(names):
        for name, strip in strips.items():
            for a, row in enumerate(strip):
                for j in range(low + a + 1, data.n_variables):
                    found[name][low + a, j] = row[j]
    return found


@settings(deadline=None, max_examples=60)
@given(tables())
def test_weights_agree_with_naive(data):
    expected = naive.weights([c.tolist() for c in data.codes], dense_pagerank)
    names = ["MI", "MI_plus", "MI_sqrt", "MI_pr", "Pearson"]
    for name, found in everything(data, names).items():
        assert found == pytest.approx(expected[name], abs=1e-9), name


@pytest.mark.parametrize("strip", [1, 7, 256])
def test_strips_of_any_height_give_the_same(strip, monkeypatch):
    rng = np.random.default_rng(0)
    data = dataset([rng.integers(3, size=50) for _ in range(70)])
    expected = everything(data, ["MI", "Pearson"])
    monkeypatch.setattr(statistics, "_STRIP", strip)
    assert everything(data, ["MI", "Pearson"]) == expected


def test_pagerank_of_many_pairs_stays_close(monkeypatch):
    """Beyond the exact size the weak pairs enter as a rank-one matrix."""
    rng = np.random.default_rng(0)
    hidden = [rng.integers(3, size=2000) for _ in range(4)]
    columns = [
        np.where(rng.random(2000) < 0.5, hidden[v % 4], rng.integers(3, size=2000))
        for v in range(40)
    ]
    data = dataset(columns)
    exact = PairStatistics(data).pagerank
    monkeypatch.setattr(statistics, "LISTED_PAIRS", 300)
    close = PairStatistics(data).pagerank
    assert close.sum() == pytest.approx(1.0)
    assert np.abs(close - exact).max() < 0.02 * exact.max()


@settings(deadline=None, max_examples=40)
@given(tables(), st.integers(1, 6), st.booleans())
def test_partners_are_the_same_where_no_pairs_are_stored(data, most, above_mean):
    options = {"most": most, "above_mean": above_mean}
    wanted = PairStatistics(data).heaviest(["MI", "Pearson"], **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(statistics, "STORED_VARIABLES", 0)
        pairs = PairStatistics(data)
        found = pairs.heaviest(["MI", "Pearson"], **options)
    assert pairs.passes == 1
    assert [some.tolist() for some in found] == [some.tolist() for some in wanted]


def test_a_walk_that_was_left_is_begun_again():
    rng = np.random.default_rng(0)
    pairs = PairStatistics(dataset([rng.integers(3, size=50) for _ in range(300)]))
    next(pairs.strips(["MI_pr"]))
    fresh = PairStatistics(pairs.dataset)
    next(fresh.strips(["MI"]))
    wanted = pairs.moments(["MI"])["MI"].mean
    assert fresh.moments(["MI"])["MI"].mean == wanted
    assert pairs.above({"MI": -1.0})["MI"][0].shape == (300 * 299 // 2, 2)
