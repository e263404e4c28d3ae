"""Recombined orders: the better families of two orders, region by region."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lsbn.learners.averaging.recombination import recombine
from order_cases import best_score, keys_of, random_families, scored


def test_each_region_takes_the_better_order():
    """The edges 1 -> 0 and 2 -> 3 are best; each order has one of them."""
    pair = [{(): 0.0, (1,): 9.0}, {(): 0.0, (0,): 1.0}, {(): 0.0, (3,): 1.0}, {(): 0.0, (2,): 9.0}]
    sets = scored(pair)
    first, second = keys_of(1, 0, 3, 2), keys_of(0, 1, 2, 3)
    assert best_score(sets, first) == best_score(sets, second) == 10.0
    keys = recombine(sets, first, second)
    assert best_score(sets, keys) == 18.0
    assert sorted(keys) == sorted(first)


def test_a_better_region_that_closes_a_cycle_is_left_out():
    """0 -> 1 of the first order and 1 -> 2, 2 -> 0 of the second do not fit together."""
    sets = scored([{(): 0.0, (2,): 5.0}, {(): 0.0, (0,): 6.0}, {(): 0.0, (1,): 5.0}])
    first, second = keys_of(0, 1, 2), keys_of(1, 2, 0)
    assert best_score(sets, recombine(sets, first, second)) == best_score(sets, first)


def test_equal_orders_are_kept():
    sets = scored([{(): 0.0}, {(): 0.0, (0,): 1.0}])
    keys = keys_of(0, 1)
    assert recombine(sets, keys, keys.copy()) is keys


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(2, 8))
def test_the_best_graph_is_never_worse(seed, n):
    rng = np.random.default_rng(seed)
    sets = scored(random_families(rng, n, 6))
    first, second = rng.random(n), rng.random(n)
    keys = recombine(sets, first, second)
    assert best_score(sets, keys) >= best_score(sets, first) - 1e-9
    assert sorted(keys) == sorted(first)
