import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from lsbn.kernels import scores, trees
from lsbn.kernels.bits import bit_columns


def table(seed, cards, rows):
    rng = np.random.default_rng(seed)
    codes = np.array([rng.integers(r, size=rows) for r in cards], np.uint8)
    return codes, bit_columns(codes, np.asarray(cards))


def score(codes, bits, parents, trees, ess=1.0, dilution=1.0):
    tables = scores.score_tables(scores.BDEU, ess, dilution, trees)
    return scores.family_score(*bits, codes, tables, 0, np.asarray(parents, np.int64))


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from([0.3, 1.0, 10.0]),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.integers(0, 10_000),
    st.integers(2, 4),
    st.sampled_from([(2, 2), (2, 3), (4, 3), (1, 3), (2, 2, 2), (2, 1, 2)]),
    st.integers(1, 120),
)
def test_the_average_is_over_all_trees_that_ask_every_parent(ess, dilution, seed, r, above, rows):
    cards = [r, *above]
    codes, bits = table(seed, cards, rows)
    columns = codes.tolist()
    want = naive.tree_score(ess, columns[0], r, columns[1:], above, dilution)
    got = score(codes, bits, range(1, len(cards)), True, ess, dilution)
    alone = score(codes, bits, [], False, ess)
    if want > alone - 15:
        assert got == pytest.approx(want, abs=1e-4)
    else:  # next to trees that ask nothing, those that ask all are little more than rounding
        assert got < alone - 14


@pytest.mark.parametrize("parents", [[], [1]])
def test_a_tree_with_one_question_is_a_table(parents):
    codes, bits = table(3, [3, 4], 300)
    assert score(codes, bits, parents, True) == score(codes, bits, parents, False)


def test_parents_that_have_too_many_contexts_are_asked_together():
    cards = [3, 2, 3, 2, 3, 2, 2]
    groups = trees.group_parents(np.array(cards[1:]))
    assert trees.n_contexts(np.array(cards[1:])) > trees.MOST_CONTEXTS
    assert trees.n_contexts(groups) <= trees.MOST_CONTEXTS
    codes, bits = table(4, cards, 900)
    joined, rest = [codes[0]], [*zip(codes[1:], cards[1:], strict=True)]
    for size in groups:
        column, step = np.zeros(900, np.uint8), 1
        while step < size:
            other, card = rest.pop(0)
            column, step = column + step * other, step * card
        joined.append(column)
    columns = np.array(joined, np.uint8)
    want = score(
        columns, bit_columns(columns, np.array([3, *groups])), 1 + np.arange(len(groups)), True
    )
    assert score(codes, bits, range(1, 7), True) == pytest.approx(want, rel=1e-12)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=8))
def test_groups_have_all_configurations(cards):
    groups = trees.group_parents(np.array(cards))
    assert np.prod(groups) == np.prod(cards)
    assert len(groups) == 1 or trees.n_contexts(groups) <= trees.MOST_CONTEXTS


@pytest.mark.parametrize("above", [(30, 31), (40, 40)])
def test_the_last_resort_is_the_table(above):
    codes, bits = table(4, [2, *above], 500)
    without = score(codes, bits, [1, 2], False)
    assert score(codes, bits, [1, 2], True) == pytest.approx(without, rel=1e-12)


def test_rows_are_counted_as_bits_are():
    """The first parent alone has more cells than are worth a bit column each."""
    codes, bits = table(5, [60, 30, 2], 400)
    got = score(codes, bits, [1, 2], True)
    assert got == pytest.approx(score(codes, bits, [2, 1], True), rel=1e-12)


def test_extensions_are_families():
    cards = [3, 2, 3, 4, 2, 3, 40]
    codes, bits = table(6, cards, 700)
    tables = scores.score_tables(scores.BDEU, 1.0, trees=True)
    parents, candidates = np.array([2, 5]), np.array([1, 3, 4, 6])
    got = scores.extension_scores(*bits, codes, tables, 0, parents, candidates)
    for c, one in zip(candidates, got, strict=True):
        whole = score(codes, bits, sorted([2, 5, c]), True)
        assert one == pytest.approx(whole, rel=1e-12)


def test_a_parent_that_counts_in_one_context_is_found():
    """The child copies b, mostly, but only where a is 0: a table pays for all states of a."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(8, size=4000), rng.integers(4, size=4000)
    child = np.where((a == 0) & (rng.random(4000) < 0.6), b, rng.integers(4, size=4000))
    codes = np.array([child, a, b], np.uint8)
    bits = bit_columns(codes, np.array([4, 8, 4]))
    with_tree, with_table = (score(codes, bits, [1, 2], trees) for trees in (True, False))
    assert with_tree > with_table + 50
    assert with_tree > max(score(codes, bits, one, False) for one in ([], [1], [2])) + 5


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 1000), st.lists(st.integers(1, 4), min_size=1, max_size=4))
def test_margins_are_sums(seed, cards):
    counts = np.random.default_rng(seed).integers(9, size=(int(np.prod(cards)), 3))
    wide = trees.add_margins(counts, np.array(cards))
    shaped = counts.reshape(*cards[::-1], 3)  # the first parent is the lowest digit
    for axis in range(len(cards) + 1):
        shaped = np.concatenate([shaped, shaped.sum(axis=axis, keepdims=True)], axis=axis)
    np.testing.assert_array_equal(wide, shaped.reshape(-1, 4))
