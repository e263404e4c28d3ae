import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import naive
from lsbn.kernels import independence as ci
from lsbn.kernels.bits import bit_columns, byte_planes
from lsbn.kernels.counts import tabulate_xlogx
from lsbn.kernels.state import CountedColumns


def arrays(codes, cards):
    codes = np.asarray(codes)
    words, offsets = bit_columns(byte_planes(codes), np.asarray(cards))
    return CountedColumns(words, offsets, byte_planes(codes), tabulate_xlogx(codes.shape[1]))


def table(seed, cards, rows):
    rng = np.random.default_rng(seed)
    codes = np.array([rng.integers(r, size=rows) for r in cards], np.uint8)
    codes[1] = np.where(rng.random(rows) < 0.3, codes[0] % cards[1], codes[1])
    return codes


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 10_000),
    st.lists(st.integers(1, 5), min_size=2, max_size=6),
    st.integers(2, 120),
)
def test_g_test_is_its_definition_whichever_way_it_counts(seed, cards, rows):
    codes = table(seed, cards, rows)
    data = arrays(codes, cards)
    given_set = np.arange(2, len(cards))
    wanted = naive.g_test(*codes[:2].tolist(), codes[2:].tolist())
    order, start = ci.rows_by_stratum(data.codes, data.offsets, given_set)
    x2 = naive.x2(*codes[:2].tolist(), codes[2:].tolist())
    by_bits = ci._by_bits(data, 0, 1, given_set)
    x, y = ci.column_states(data.codes, 0), ci.column_states(data.codes, 1)
    by_rows = ci.by_strata(x, cards[0], y, cards[1], order, start, data.xlogx)
    for found in (ci.statistics(data, 0, 1, given_set), by_bits, by_rows):
        assert found == pytest.approx((wanted[0], x2, wanted[1]), abs=1e-9)
    assert ci.g_test(data, 0, 1, given_set) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("given_set", [[], [2], [2, 3]])
def test_more_than_256_states(given_set):
    cards = [300, 290, 2, 300]
    rng = np.random.default_rng(0)
    codes = np.array([rng.integers(r, size=600) for r in cards], np.uint16)
    codes[1] = codes[0] // 2 + codes[2]
    wanted = naive.g_test(*codes[:2].tolist(), codes[given_set].tolist())
    found = ci.g_test(arrays(codes, cards), 0, 1, np.array(given_set, np.int64))
    assert found == pytest.approx(wanted, abs=1e-9)


def test_the_mean_of_x2_is_its_degrees_of_freedom_however_few_the_rows():
    """Over all tables with the margins of strata of four rows; the mean of G2 is larger."""
    x = [0, 0, 1, 2, 0, 1, 1, 1]
    given_set, strata = np.array([2]), [0] * 4 + [1] * 4
    found = []
    for first in itertools.permutations([0, 1, 1, 0]):
        codes = np.array([x, [*first, 0, 0, 1, 1], strata])
        found.append(ci.statistics(arrays(codes, [3, 2, 2]), 0, 1, given_set))
    fixed = naive.x2(x[4:], [0, 0, 1, 1], [])
    g2, x2, dof = np.mean(found, axis=0)
    assert dof == 3
    assert x2 - fixed == pytest.approx(2.0)
    assert g2 > dof


def test_wide_tables_are_counted_by_rows():
    codes = table(3, [64, 64, 60, 50], 3000)
    data = arrays(codes, [64, 64, 60, 50])
    g2, dof = ci.g_test(data, 0, 1, np.array([2, 3]))
    wanted = naive.g_test(*codes[:2].tolist(), codes[2:].tolist())
    assert (g2, dof) == (pytest.approx(wanted[0]), wanted[1])


def test_conditional_mi_is_g2_over_twice_the_rows():
    codes = table(1, [2, 3, 2], 500)
    data = arrays(codes, [2, 3, 2])
    g2, _ = ci.g_test(data, 0, 1, np.array([2]))
    assert ci.conditional_mi(data, 0, 1, np.array([2])) == g2 / 1000


@pytest.mark.parametrize("dof", [1, 2, 3, 17, 200, 5000])
@pytest.mark.parametrize("ratio", [1e-4, 0.3, 0.9, 1.0, 1.1, 2.0, 7.0])
def test_tail_of_chi_squared(dof, ratio):
    wanted = stats.chi2.logsf(ratio * dof, dof)
    if np.isfinite(wanted):
        assert ci.log_chi2_sf(ratio * dof, dof) == pytest.approx(wanted, rel=1e-7, abs=1e-9)


def test_tail_does_not_underflow_and_no_degree_of_freedom_is_no_evidence():
    assert -50_100 < ci.log_chi2_sf(100_000.0, 3) < -49_900
    assert ci.log_chi2_sf(0.0, 0) == 0.0


def test_level_under_independence():
    rng = np.random.default_rng(0)
    codes = rng.integers(3, size=(40, 2000)).astype(np.uint8)
    data = arrays(codes, [3] * 40)
    found = ci.dependent_strip(data, 0, 40, np.log(0.05))
    assert 0.03 < len(found) / 780 < 0.07


def test_copy_separates_nothing_but_a_mediator_that_determines_does():
    rng = np.random.default_rng(1)
    rows = 4000
    x = rng.integers(2, size=rows)
    y = np.where(rng.random(rows) < 0.2, 1 - x, x)
    copy = arrays([x, y, x], [2, 2, 2])
    assert ci.g_test(copy, 0, 1, np.array([2]))[1] == 0
    assert not ci.independent(copy, 0, 1, np.array([2]), np.log(0.05))
    z = rng.integers(4, size=rows)
    left = z // 2
    right = np.where(rng.random(rows) < 0.2, rng.integers(4, size=rows), z)
    function = arrays([left, right, z], [2, 4, 4])
    assert ci.g_test(function, 0, 1, np.array([2]))[1] == 0
    mixed = arrays(
        [(z == 3) & (rng.random(rows) < 0.5), (z == 0) & (rng.random(rows) < 0.5), z], [2, 2, 4]
    )
    assert ci.g_test(mixed, 0, 1, np.array([2]))[1] == 0
    assert ci.independent(mixed, 0, 1, np.array([2]), np.log(0.05))
