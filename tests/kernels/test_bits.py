import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from lsbn.kernels.bits import (
    WORDS_PER_LINE,
    and_into,
    bit_columns,
    byte_planes,
    count_and,
    count_cells,
    popcount,
)


@njit
def count_bits(word):
    return popcount(word)


@njit
def count_both(a, b):
    return count_and(a, b)


@njit
def both(a, b, out):
    return and_into(a, b, out)


@njit
def all_cells(masks, sizes, first, words, base, cells):
    count_cells(masks, sizes, first, words, base, cells)


words = st.integers(0, 2**64 - 1)


@settings(deadline=None)
@given(words)
def test_popcount_agrees_with_python(word):
    assert count_bits(np.uint64(word)) == word.bit_count()


@settings(deadline=None)
@given(st.lists(st.tuples(words, words), min_size=1, max_size=20))
def test_and_of_columns_agrees_with_python(pairs):
    a, b = (np.array(column, np.uint64) for column in zip(*pairs, strict=True))
    out = np.empty_like(a)
    expected = sum((x & y).bit_count() for x, y in pairs)
    assert count_both(a, b) == both(a, b, out) == expected
    assert out.tolist() == [x & y for x, y in pairs]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("rows", [1, 63, 64, 65, 512, 513, 1000])
def test_every_bit_says_whether_the_row_has_the_state(dtype, rows):
    rng = np.random.default_rng(rows)
    cards = np.array([1, 2, 5, 70])
    codes = np.array([rng.integers(r, size=rows) for r in cards], dtype)
    found, offsets = bit_columns(byte_planes(codes), cards)
    assert offsets.tolist() == [0, 1, 3, 8, 78]
    assert found.shape[1] % WORDS_PER_LINE == 0
    assert found.shape[1] * 64 >= rows
    bits = np.unpackbits(found.view(np.uint8), axis=1, bitorder="little")
    for v, r in enumerate(cards):
        for s in range(r):
            column = bits[offsets[v] + s]
            assert column[:rows].tolist() == (codes[v] == s).astype(int).tolist()
            assert not column[rows:].any()


@pytest.mark.parametrize("states", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("r", [1, 2, 3, 4])
def test_cells_are_counted_one_by_one_or_two_at_a_time(r, states):
    rng = np.random.default_rng(r)
    rows = rng.integers(0, 2, (2 * r, 128)) * rng.integers(0, 2, (2 * r, 1))  # some are empty
    marks = rng.integers(0, 2, (states + 1, 128))
    columns = [
        bit_columns(byte_planes(table.astype(np.uint8)), np.full(len(table), 2))
        for table in (rows, marks)
    ]
    masks, words = (words[1::2] for words, _ in columns)
    cells = np.full((r, states), -1)
    all_cells(
        np.ascontiguousarray(masks), rows.sum(axis=1), r, np.ascontiguousarray(words), 1, cells
    )
    np.testing.assert_array_equal(cells, rows[r:] @ marks[1:].T)
