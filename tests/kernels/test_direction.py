"""The correction of directions under the mixed score."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from lsbn.kernels import lookup
from lsbn.kernels.bits import bit_columns, byte_planes
from lsbn.kernels.direction import Prior, leanings, log_prior
from lsbn.kernels.scores import family_score
from lsbn.kernels.state import Columns

tables = st.tuples(
    st.integers(0, 10_000),
    st.lists(st.integers(2, 4), min_size=2, max_size=4),
    st.integers(1, 60),
)


def arrays(codes, cards, kind=lookup.MIXED):
    columns = Columns(*bit_columns(byte_planes(codes), np.asarray(cards)), byte_planes(codes))
    return columns, lookup.make_lookup(kind, 1.0)


def random_arrays(seed, cards, rows, kind=lookup.MIXED):
    rng = np.random.default_rng(seed)
    codes = np.array([rng.integers(r, size=rows) for r in cards], np.uint8)
    codes[1] = np.where(rng.random(rows) < 0.8, codes[0] % cards[1], codes[1])
    return arrays(codes, cards, kind)


@settings(deadline=None, max_examples=20)
@given(tables)
def test_leanings_are_their_definition(table):
    _, cards, _ = table
    case = random_arrays(*table)
    found = leanings(*case, 0, np.arange(1, len(cards)))
    for u in range(1, len(cards)):
        wanted = naive.leaning("mixed", case[0].codes[0].tolist(), cards, u, 0)
        assert found[u - 1] == pytest.approx(wanted, abs=1e-8)


@pytest.mark.parametrize("kind", [lookup.BDEU, lookup.K2, lookup.BIC])
def test_other_scores_have_no_leaning(kind):
    case = random_arrays(0, [2, 3, 4], 50, kind)
    assert not leanings(*case, 0, np.array([1, 2])).any()


@settings(deadline=None, max_examples=20)
@given(tables)
def test_equivalent_trees_of_edges_score_alike(table):
    """A chain of any variables has the same total score for every root."""
    _, cards, _ = table
    case, n = random_arrays(*table), len(cards)
    totals = []
    for root in range(n):
        total = 0.0
        for v in range(n):
            parents = [] if v == root else [v + 1 if v < root else v - 1]
            above = np.array(parents, np.int64)
            prior = Prior(np.zeros(n), np.zeros(n))
            prior.leaning[above] = leanings(*case, v, above)
            total += family_score(*case, v, above) + log_prior(prior, above)
        totals.append(total)
    assert totals == pytest.approx([totals[0]] * n, abs=1e-7)


@pytest.mark.parametrize(("r", "s", "rows"), [(2, 2, 4), (2, 3, 3), (3, 3, 3)])
def test_two_joined_columns_have_no_more_probability_than_one(r, s, rows):
    """The sum over all pairs of columns is at most 1: it is a geometric mean of distributions."""
    total, one = 0.0, np.array([1])
    none = np.empty(0, np.int64)
    for cells in itertools.product(range(r * s), repeat=rows):
        cells = np.array(cells)
        case = arrays(np.array([cells % r, cells // r], np.uint8), [r, s])
        score = family_score(*case, 0, one) + leanings(*case, 0, one)[0]
        total += np.exp(score + family_score(*case, 1, none))
    assert 0.9 < total <= 1 + 1e-9
