"""Strength and sign of dependences: by formulas of scipy, and on tables whose answer is known."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from lsbn import LSBN
from lsbn.answers.families import DataCounts
from lsbn.answers.strength import dependence, known_pair_counts, ordered_states, pair_margin
from lsbn.data import Dataset


def bergsma(x, y):
    """Cramér's V, corrected, as in Bergsma (2013)."""
    table = pd.crosstab(x, y).to_numpy()
    n, (r, c) = table.sum(), table.shape
    phi = stats.chi2_contingency(table, correction=False).statistic / n
    least = max(0, phi - (r - 1) * (c - 1) / (n - 1))
    sizes = [k - (k - 1) ** 2 / (n - 1) for k in (r, c)]
    return min(1, (least / (min(sizes) - 1)) ** 0.5)


@settings(deadline=None, max_examples=80)
@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(2, 5), st.integers(8, 60))
def test_by_scipy(seed, r, c, rows):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, r, rows), rng.integers(0, c, rows)
    y = np.where(rng.random(rows) < rng.random(), np.minimum(x, c - 1), y)
    counts = np.zeros((r, c), int)
    np.add.at(counts, (x, y), 1)
    found = dependence(counts, range(r), range(c))
    if len(set(x)) < 2 or len(set(y)) < 2:
        assert np.isnan(found.strength)
        assert np.isnan(found.tau)
        assert found.sign == ""
        return
    assert found.strength == pytest.approx(bergsma(x, y))
    kendall = stats.kendalltau(x, y, method="asymptotic")
    assert found.tau == pytest.approx(kendall.statistic)
    clear = int(kendall.pvalue < 2 * stats.norm.sf(2.0))
    assert found.sign == ("+" if kendall.statistic > 0 else "-") * clear


def test_noise_has_no_strength():
    rng = np.random.default_rng(0)
    counts = rng.multinomial(200, np.full(25, 1 / 25)).reshape(5, 5)
    assert dependence(counts).strength < 0.1


def test_a_valley_has_strength_without_sign():
    counts = np.array([[0, 0, 50], [0, 100, 0], [0, 0, 50]])
    found = dependence(counts, range(3), range(3))
    assert (found.strength, found.sign) == (pytest.approx(1, abs=0.01), "")


@pytest.mark.parametrize(
    ("labels", "places"),
    [
        (["1", "2", "10"], [0, 1, 2]),
        (["[0, 1]", "(1, 2]", "(missing)"], [0, 1]),
        (["False", "True"], [0, 1]),
        (["no", "yes"], [0, 1]),
        (["low", "middle", "high"], [0, 1, 2]),
        (["high", "low", "middle"], []),
        (["a", "b"], []),
        (["2020-01", "2020-02"], [0, 1]),
        (["only"], []),
    ],
)
def test_which_states_have_an_order(labels, places):
    assert ordered_states(labels) == places


@pytest.mark.parametrize("cards", [(2, 3, 4), (30, 40, 3)])
def test_margin_of_a_family(cards):
    """Also of a table of the configurations that occur."""
    rng = np.random.default_rng(1)
    table = np.stack([rng.integers(0, k, 300) for k in cards], axis=1)
    data = Dataset.from_table(table)
    family = DataCounts(data)(2, (0, 1))
    assert (family.keys is None) == (cards[0] * cards[1] <= 1024)
    for parent in (0, 1):
        expected = np.zeros((data.cards[parent], data.cards[2]), int)
        np.add.at(expected, (data.codes[parent], data.codes[2]), 1)
        assert np.array_equal(pair_margin(family, parent), expected)


def test_strengths_of_a_model():
    rng = np.random.default_rng(2)
    x = rng.integers(0, 4, 500)
    table = pd.DataFrame(
        {
            "dose": x,
            "pain": 3 - np.where(rng.random(500) < 0.8, x, rng.integers(0, 4, 500)),
            "colour": np.where(rng.random(500) < 0.7, x, rng.integers(0, 4, 500)),
        }
    ).replace({"colour": dict(enumerate(["blue", "green", "pink", "red"]))})
    model = LSBN(random_state=0).fit(table)
    found = model.edge_strengths().set_index(["source", "target"])
    assert list(found) == ["probability", "strength", "sign", "tau"]
    assert len(found) == model.edges_.to_frame().shape[0]
    pain = found.loc[[pair for pair in found.index if set(pair) == {"dose", "pain"}]]
    assert set(pain["sign"]) == {"-"}
    assert (pain["strength"] > 0.6).all()
    colour = found.loc[[pair for pair in found.index if set(pair) == {"dose", "colour"}]]
    assert set(colour["sign"]) == {""}
    assert colour["tau"].isna().all()
    counts = known_pair_counts(model.answers_, 0, 1)
    assert np.array_equal(counts, pd.crosstab(table["dose"], table["pain"]).to_numpy())
    assert np.array_equal(counts.T, known_pair_counts(model.answers_, 1, 0))
