import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from lsbn.kernels import counts
from lsbn.kernels.bits import bit_columns, byte_planes
from lsbn.kernels.state import MarginColumns


def random_codes(seed, cards, rows):
    rng = np.random.default_rng(seed)
    dtype = np.uint8 if max(cards) <= 256 else np.uint16
    return np.array([rng.integers(r, size=rows) for r in cards], dtype)


def margin_columns(codes, cards):
    words, offsets = bit_columns(byte_planes(codes), np.array(cards))
    margins, xlogx = counts.state_counts(words), counts.tabulate_xlogx(codes.shape[1])
    return MarginColumns(words, offsets, byte_planes(codes), margins, xlogx)


tables = st.tuples(
    st.integers(0, 2**32 - 1),
    st.lists(st.sampled_from([1, 2, 3, 7, 40]), min_size=2, max_size=5),
    st.integers(1, 200),
)


@settings(deadline=None)
@given(tables)
def test_state_counts_agree_with_naive(case):
    seed, cards, rows = case
    codes = random_codes(seed, cards, rows)
    words, offsets = bit_columns(byte_planes(codes), np.array(cards))
    margins = counts.state_counts(words)
    for v, r in enumerate(cards):
        expected = [codes[v].tolist().count(s) for s in range(r)]
        assert margins[offsets[v] : offsets[v + 1]].tolist() == expected


def test_both_ways_of_counting_are_taken():
    """Tables with few cells are counted by bits, others by reading the rows once."""
    assert counts.bits_win(4, 16, 1000)
    assert not counts.bits_win(39 * 39, 16, 1000)


@settings(deadline=None, max_examples=50)
@given(tables, st.sampled_from([1, 3, 16]), st.integers(1, 3))
def test_strips_agree_with_naive(case, tile, height):
    seed, cards, rows = case
    codes = random_codes(seed, cards, rows)
    data = margin_columns(codes, cards)
    n = len(cards)
    columns = [c.tolist() for c in codes]
    for low in range(0, n, height):
        high = min(n, low + height)
        mi, product = np.full((height, n), -1.0), np.full((height, n), -1.0)
        for start in range(low, n, tile):
            columns_of_tile = start, min(start + tile, n)
            counts.pair_strip(data, low, high, columns_of_tile, mi, product)
        for i in range(low, high):
            for j in range(n):
                if j <= i:
                    assert mi[i - low, j] == product[i - low, j] == -1.0
                    continue
                expected = naive.mutual_information(columns[i], columns[j])
                assert mi[i - low, j] == pytest.approx(expected, abs=1e-12)
                dot = sum(a * b for a, b in zip(columns[i], columns[j], strict=True))
                assert product[i - low, j] == dot


def test_more_than_256_states():
    codes = random_codes(0, [300, 2], 2000)
    data = margin_columns(codes, [300, 2])
    mi, product = np.zeros((2, 2)), np.zeros((2, 2))
    counts.pair_strip(data, 0, 2, (0, 2), mi, product)
    expected = naive.mutual_information(*(c.tolist() for c in codes))
    assert mi[0, 1] == pytest.approx(expected, abs=1e-12)


def test_x_log_x():
    assert counts.tabulate_xlogx(3).tolist() == [0.0, 0.0, 2 * np.log(2), 3 * np.log(3)]
