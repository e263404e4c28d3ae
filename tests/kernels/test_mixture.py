"""The mixed score, compared with a direct computation of its five ways."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from lsbn.kernels import lookup, mixture, scores, trees
from lsbn.kernels.bits import bit_columns, byte_planes
from lsbn.kernels.state import Columns


def table(seed, cards, rows):
    rng = np.random.default_rng(seed)
    return np.array([rng.integers(r, size=rows) for r in cards], np.uint8)


def score(codes, cards, parents, kind=lookup.MIXED):
    tables = lookup.make_lookup(kind, 1.0)
    columns = Columns(*bit_columns(byte_planes(codes), np.asarray(cards)), byte_planes(codes))
    return scores.family_score(columns, tables, 0, np.asarray(parents, np.int64))


@settings(deadline=None, max_examples=40)
@given(
    st.integers(0, 10_000),
    st.integers(1, 4),
    st.sampled_from([(), (3,), (2, 2), (2, 3), (4, 3), (1, 3), (2, 2, 2), (2, 1, 2)]),
    st.integers(1, 120),
)
def test_the_score_is_the_average_of_five_ways(seed, r, above, rows):
    cards = [r, *above]
    codes = table(seed, cards, rows)
    want = naive.mixed_score(codes[0].tolist(), r, codes[1:].tolist(), above)
    assert score(codes, cards, range(1, len(cards))) == pytest.approx(want, abs=1e-6)


@settings(deadline=None, max_examples=30)
@given(
    st.integers(0, 10_000),
    st.lists(st.integers(1, 5), min_size=3, max_size=5),
    st.integers(1, 400),
)
def test_names_and_order_of_columns_and_states_do_not_matter(seed, cards, rows):
    rng = np.random.default_rng(seed)
    codes = table(seed, cards, rows)
    want = score(codes, cards, range(1, len(cards)))
    order = np.append(0, 1 + rng.permutation(len(cards) - 1))
    renamed = np.array([rng.permutation(cards[v])[codes[v]] for v in order], np.uint8)
    renamed = renamed[:, rng.permutation(rows)]
    got = score(renamed, np.array(cards)[order], range(1, len(cards)))
    assert got == pytest.approx(want, rel=1e-11, abs=1e-9)


def test_large_families_have_tables_only():
    """Only configurations that occur are counted: 40 x 40 are too many to list or to have trees."""
    codes = table(4, [2, 40, 40], 300)
    want = naive.mixed_score(codes[0].tolist(), 2, codes[1:].tolist(), (40, 40))
    assert trees.n_contexts(np.array([40, 40])) > mixture.MOST_CONTEXTS
    assert score(codes, [2, 40, 40], [1, 2]) == pytest.approx(want, abs=1e-6)


def test_rows_are_counted_as_bits_are():
    """The first parent alone has too many cells for a bit column each."""
    codes = table(5, [60, 30, 2], 400)
    got = score(codes, [60, 30, 2], [1, 2])
    assert got == pytest.approx(score(codes, [60, 30, 2], [2, 1]), rel=1e-12)


def test_a_parent_that_counts_in_one_context_is_found():
    """The child mostly copies b, but only where a is 0; a table of BDeu needs all states of a."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(8, size=4000), rng.integers(4, size=4000)
    child = np.where((a == 0) & (rng.random(4000) < 0.6), b, rng.integers(4, size=4000))
    codes, cards = np.array([child, a, b], np.uint8), [4, 8, 4]
    assert score(codes, cards, [1, 2]) > score(codes, cards, [1, 2], lookup.BDEU) + 50
    assert score(codes, cards, [1, 2]) > max(score(codes, cards, some) for some in ([], [1], [2]))


@pytest.mark.parametrize("states", [3, 7])
def test_a_family_that_says_nothing_gains_little(states):
    """With one row for each configuration, BDeu prefers parents to none for a uniform child."""
    rng = np.random.default_rng(1)
    child = rng.permutation(np.arange(900) % states)
    parent = np.arange(900) % 30, np.arange(900) // 30
    codes, cards = np.array([child, *parent], np.uint8), [states, 30, 30]
    kinds = (lookup.BDEU, lookup.MIXED)
    gain = {k: score(codes, cards, [1, 2], k) - score(codes, cards, [], k) for k in kinds}
    assert gain[lookup.BDEU] > 5
    assert gain[lookup.MIXED] < np.log(24)


def test_trees_are_averaged_over_all_that_ask_every_parent():
    codes = table(7, [3, 2, 2, 3], 80)
    counts = np.array(naive.family_counts(codes[0].tolist(), 3, codes[:0:-1].tolist(), (3, 2, 2)))
    cards = np.array([2, 2, 3])
    wide = trees.add_margins(counts, cards)
    leaf = np.array([naive.own_row(row) for row in wide.tolist()])
    leaves = np.column_stack([leaf, leaf - 3.0])
    got = trees.average_trees(leaves, cards, trees.plan_trees(wide.sum(axis=1), cards))
    want = naive.tree_score(naive.own_row, codes[0].tolist(), 3, codes[1:].tolist(), (2, 2, 3))
    assert got[0] == pytest.approx(want, abs=1e-8)
    assert got[1] < got[0]


def test_trees_that_are_negligible_are_left_out():
    """Trees that ask a useless parent of 30 states are lost in the rounding of the others."""
    codes, cards = table(8, [2, 2, 30], 6000), np.array([2, 30])
    columns = [column.tolist() for column in codes[[2, 1]]]
    counts = np.array(naive.family_counts(codes[0].tolist(), 2, columns, (30, 2)))
    wide = trees.add_margins(counts, cards)
    leaf = np.array([naive.own_row(row) for row in wide.tolist()])
    plan = trees.plan_trees(wide.sum(axis=1), cards)
    assert plan.mass > trees.LEAST_MASS
    assert trees.average_trees(leaf[:, None], cards, plan)[0] == -np.inf
    assert np.isfinite(score(codes, [2, 2, 30], [1, 2]))


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 1000), st.lists(st.integers(1, 4), min_size=1, max_size=4))
def test_margins_are_sums(seed, cards):
    counts = np.random.default_rng(seed).integers(9, size=(int(np.prod(cards)), 3))
    wide = trees.add_margins(counts, np.array(cards))
    shaped = counts.reshape(*cards[::-1], 3)  # the first parent is the lowest digit
    for axis in range(len(cards)):
        shaped = np.concatenate([shaped, shaped.sum(axis=axis, keepdims=True)], axis=axis)
    np.testing.assert_array_equal(wide, shaped.reshape(-1, 3))
