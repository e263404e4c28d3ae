"""The kernels of the order sampler, compared with all permutations."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from kernel_cases import assert_same_distribution, listed, members, random_families
from lsbn.kernels import orders, shares, tables
from lsbn.kernels.state import EdgeSums


@settings(deadline=None, max_examples=30)
@given(
    st.integers(0, 10_000),
    st.integers(1, 6),
    st.booleans(),
    st.sampled_from([1.0, 0.3, 0.05]),
    st.sampled_from([2.0, 30.0, 1000.0]),
)
def test_log_family_is_a_sum_over_sets(seed, n, tabulated, beta, spread):
    families = random_families(seed, n, spread=spread)
    lists, _ = listed(families, tabulated)
    memory = orders.new_memory(n)
    if beta != 1:
        lists = tables.tempered(lists, beta)
    for v, family in enumerate(families):
        heated = {s: beta * score for s, score in family.items()}
        k = lists.cand_start[v + 1] - lists.cand_start[v]
        for mask in range(1 << k):
            wanted = naive.log_family(heated, members(lists, v, mask))
            allowed = np.uint64(mask)
            assert orders.log_family(lists, v, allowed) == pytest.approx(wanted, abs=1e-8)
            for _ in range(2):
                cached = orders.cached_family(lists, memory, v, allowed)
                assert cached == pytest.approx(wanted, abs=1e-8)


def test_tables_are_made_where_sets_are_many_and_candidates_few():
    families = random_families(0, 5, share=1.0)
    families[0] = {frozenset(): 0.0, frozenset([1]): 1.0}
    (start, mask, score, cand_start, *_), _ = listed(families, False)
    table_start, table = tables.tabulate_families(start, mask, score, cand_start, 16, 16)
    assert table_start.tolist() == [-1, 0, 16, 32, 48]
    assert len(table) == 64
    table_start, table = tables.tabulate_families(start, mask, score, cand_start, 3, 1)
    assert table_start.tolist() == [0, -1, -1, -1, -1]


def test_all_of_64_candidates_count():
    rng = np.random.default_rng(4)
    sets = [frozenset(rng.choice(64, size=k, replace=False).tolist()) for k in [1, 2, 3] * 100]
    sets += [frozenset(), frozenset([0, 63]), frozenset([63])]
    family = {s: float(score) for s, score in zip(sets, rng.normal(-50, 3, len(sets)), strict=True)}
    family |= {frozenset([u]): -60.0 for u in range(64) if frozenset([u]) not in family}
    lists, links = listed([*[{frozenset(): -1.0}] * 64, family], True)
    assert lists.cand_start[65] - lists.cand_start[64] == 64
    memory = orders.new_memory(65)
    for share in (0.0, 0.2, 0.5, 0.9, 1.0):
        keys = np.append(rng.random(64), share)
        allowed = orders.allowed_masks(lists, keys)
        before = np.flatnonzero(keys[:64] < share)
        wanted = naive.log_family(family, before.tolist())
        assert orders.cached_family(lists, memory, 64, allowed[64]) == pytest.approx(wanted)
        total, squares = np.zeros(64), np.zeros(64)
        orders.add_edge_posteriors(EdgeSums(lists, total, squares), allowed)
        shares = [0.0] * 64
        for s, score in family.items():
            for u in s if s <= set(before.tolist()) else ():
                shares[u] += math.exp(score - wanted)
        np.testing.assert_allclose(total, shares, atol=1e-8)
    keys = rng.random(65)
    state = orders.new_state(lists, links, keys)
    for _ in range(5):
        orders.gibbs_sweep(lists, links, state, rng)
    np.testing.assert_array_equal(state.allowed, orders.allowed_masks(lists, keys))


@settings(deadline=None, max_examples=30)
@given(
    st.integers(0, 10_000),
    st.integers(1, 6),
    st.booleans(),
    st.sampled_from([2.0, 30.0, 1000.0]),
)
def test_masks_scores_and_edge_posteriors_of_an_order(seed, n, tabulated, spread):
    families = random_families(seed, n, spread=spread)
    lists, _ = listed(families, tabulated)
    keys = np.random.default_rng(seed).random(n)
    order = np.argsort(keys).tolist()
    allowed = orders.allowed_masks(lists, keys)
    score = 0.0
    for place, v in enumerate(order):
        known = set().union(*families[v])
        assert members(lists, v, allowed[v]) == set(order[:place]) & known
        score += naive.log_family(families[v], order[:place])
    assert orders.log_order(lists, allowed) == pytest.approx(score, abs=1e-7)
    total, squares = np.ones(len(lists.cand)), np.ones(len(lists.cand))
    orders.add_edge_posteriors(EdgeSums(lists, total, squares), allowed)
    child = np.repeat(np.arange(n), np.diff(lists.cand_start))
    wanted = np.array(naive.edge_posteriors_given_order(families, order))[lists.cand, child]
    np.testing.assert_allclose(total - 1, wanted, atol=1e-8)
    np.testing.assert_allclose(squares - 1, wanted**2, atol=1e-8)


def drawn_keys(order, rng):
    """Uniform keys that sort into the given order."""
    keys = np.empty(len(order))
    keys[list(order)] = np.sort(rng.random(len(order)))
    return keys


@pytest.mark.parametrize("tabulated", [False, True])
@pytest.mark.parametrize(("n", "seed"), [(3, 1), (4, 2)])
def test_a_sweep_leaves_the_order_posterior_as_it_is(n, seed, tabulated):
    """After one sweep, independent draws from the posterior are still independent draws from it."""
    families = random_families(seed, n)
    lists, links = listed(families, tabulated)
    posterior = naive.order_posterior(families)
    choices = list(posterior)
    rng = np.random.default_rng(seed)
    counts = dict.fromkeys(choices, 0)
    moved, lowest, draws = 0, [], 8000
    for first in rng.choice(len(choices), p=list(posterior.values()), size=draws):
        keys = drawn_keys(choices[first], rng)
        state = orders.new_state(lists, links, keys)
        orders.gibbs_sweep(lists, links, state, rng)
        np.testing.assert_array_equal(state.allowed, orders.allowed_masks(lists, keys))
        order = tuple(np.argsort(keys).tolist())
        counts[order] += 1
        moved += order != choices[first]
        lowest.append(keys.min())
    assert moved > draws / 10
    assert_same_distribution(counts, posterior)
    assert np.mean(lowest) == pytest.approx(1 / (n + 1), abs=0.01)


@pytest.mark.parametrize("beta", [1.0, 0.4])
def test_a_long_chain_visits_orders_by_their_posterior(beta):
    n = 4
    families = random_families(7, n, spread=3.0)
    lists, links = listed(families, False)
    heated = [{s: beta * score for s, score in family.items()} for family in families]
    posterior = naive.order_posterior(heated)
    rng = np.random.default_rng(0)
    keys = rng.random(n)
    if beta != 1:
        lists = tables.tempered(lists, beta)
    state = orders.new_state(lists, links, keys)
    counts = dict.fromkeys(posterior, 0)
    for _ in range(20_000):
        orders.gibbs_sweep(lists, links, state, rng)
        counts[tuple(np.argsort(keys).tolist())] += 1
    visited = np.array([counts[order] for order in posterior]) / 20_000
    assert np.abs(visited - list(posterior.values())).sum() / 2 < 0.03


def test_sample_averages_edge_posteriors():
    families = random_families(3, 5)
    lists, links = listed(families, True)
    rng = np.random.default_rng(1)
    keys, total = rng.random(5), np.zeros(len(lists.cand))
    squares = np.zeros_like(total)
    sums = EdgeSums(lists, total, squares)
    scores = orders.sample(lists, links, keys, (40_000, 2), rng, sums)
    assert len(scores) == 20_000
    child = np.repeat(np.arange(5), np.diff(lists.cand_start))
    wanted = np.array(naive.order_edge_posteriors(families))[lists.cand, child]
    np.testing.assert_allclose(total / 20_000, wanted, atol=0.02)
    assert (squares <= total + 1e-9).all()
    last = orders.log_order(lists, orders.allowed_masks(lists, keys))
    assert scores[-1] == pytest.approx(last)


def test_annealing_from_anywhere_finds_the_best_order():
    families = random_families(5, 5, spread=20.0)
    lists, links = listed(families, False)
    posterior = naive.order_posterior(families)
    betas = np.array([0.05, 0.2, 1.0])
    for seed in range(5):
        rng = np.random.default_rng(seed)
        keys = rng.random(5)
        score = orders.anneal(lists, links, keys, betas, 20, rng)
        assert score == pytest.approx(orders.log_order(lists, orders.allowed_masks(lists, keys)))
        assert posterior[tuple(np.argsort(keys).tolist())] > 0.01


def test_orders_may_be_sampled_by_fewer_sets_than_are_averaged():
    """Posteriors given an order use the whole lists and have the order of their candidates."""
    families = random_families(3, 5)
    whole, _ = listed(families, True)
    core, links = listed(
        [
            dict([max(f.items(), key=lambda item: item[1]), (frozenset(), f[frozenset()])])
            for f in families
        ],
        False,
    )
    rng = np.random.default_rng(1)
    keys, total = rng.random(5), np.zeros(len(whole.cand))
    squares = np.zeros_like(total)
    orders.sample(core, links, keys, (2, 2), rng, EdgeSums(whole, total, squares))
    wanted = np.zeros_like(total)
    allowed = orders.allowed_masks(whole, keys)
    orders.add_edge_posteriors(EdgeSums(whole, wanted, squares), allowed)
    np.testing.assert_allclose(total, wanted)


def test_shares_of_sets_are_their_posteriors():
    families = random_families(5, 4)
    lists, links = listed(families, False)
    rng = np.random.default_rng(2)
    share = shares.set_shares(lists, links, rng.random(4), 20_000, rng, lists)
    per_variable = np.add.reduceat(share, lists.set_start[:-1])
    np.testing.assert_allclose(per_variable, 1.0, atol=1e-6)
    child = np.repeat(np.arange(4), np.diff(lists.cand_start))
    wanted = np.array(naive.order_edge_posteriors(families))[lists.cand, child]
    found = [
        sum(
            share[s]
            for s in range(lists.set_start[v], lists.set_start[v + 1])
            if int(lists.set_mask[s]) >> int(c - lists.cand_start[v]) & 1
        )
        for c, v in enumerate(child)
    ]
    np.testing.assert_allclose(found, wanted, atol=0.03)


def test_shares_in_orders_are_those_of_each_order():
    families = random_families(6, 5)
    lists, _ = listed(families, False)
    keys = np.random.default_rng(1).random((7, 5))
    wanted = np.zeros(len(lists.set_mask))
    for order in keys:
        allowed = orders.allowed_masks(lists, order)
        for v in range(5):
            own = range(lists.set_start[v], lists.set_start[v + 1])
            inside = [s for s in own if not lists.set_mask[s] & ~allowed[v]]
            weights = np.exp(lists.set_score[inside])
            wanted[inside] += weights / weights.sum() / len(keys)
    np.testing.assert_allclose(shares.shares_in_orders(lists, keys), wanted, atol=1e-9)
