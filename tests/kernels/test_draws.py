"""Draws of graphs, against enumeration of all DAGs."""

from collections import Counter

import numpy as np
import pytest

import naive
import naive_answers
from kernel_cases import assert_same_distribution, listed, members, random_families
from lsbn.kernels import draws
from lsbn.kernels.walks import descendant_pairs, reached_graphs


def as_subsets(families):
    """Families as subsets of all variables, by falling score."""
    ranked = [sorted(family.items(), key=lambda item: -item[1]) for family in families]
    start = np.cumsum([0, *map(len, ranked)])
    mask = np.array([sum(1 << u for u in s) for own in ranked for s, _ in own], np.int64)
    return start, mask, np.array([score for own in ranked for _, score in own])


def dags_of(chosen, mask, n):
    return Counter(
        tuple(frozenset(u for u in range(n) if int(mask[s]) >> u & 1) for s in row)
        for row in chosen
    )


@pytest.mark.parametrize("count", ["orders", "graphs"])
@pytest.mark.parametrize(("seed", "n", "spread"), [(0, 3, 2.0), (1, 4, 1.0), (2, 4, 5.0)])
def test_exact_draws_have_the_posterior_of_graphs(count, seed, n, spread):
    families = random_families(seed, n, spread=spread)
    draw = {"orders": draws.draw_graphs_by_orders, "graphs": draws.draw_graphs_once}[count]
    sets = as_subsets(families)
    chosen = draw(n, sets, 20_000, np.random.default_rng(seed))
    found = dags_of(chosen, sets[1], n)
    wanted = naive_answers.counted_graphs(families, count)
    assert set(found) <= set(wanted)
    assert_same_distribution(found, wanted)


@pytest.mark.parametrize("tabulated", [False, True])
def test_draws_given_an_order(tabulated):
    families = random_families(3, 5)
    lists, _ = listed(families, tabulated)
    keys, rng = np.array([0.3, 0.9, 0.1, 0.5, 0.7]), np.random.default_rng(0)
    order, frequencies = np.argsort(keys).tolist(), np.zeros((5, 5))
    for _ in range(4_000):
        row = np.empty(5, np.int64)
        draws.draw_given_order(lists, keys, rng, row)
        for v, s in enumerate(row):
            for u in members(lists, v, lists.set_mask[s]):
                frequencies[u, v] += 1 / 4_000
        ends = draws.list_edges(lists, row)
    wanted = np.array(naive.edge_posteriors_given_order(families, order))
    np.testing.assert_allclose(frequencies, wanted, atol=0.035)
    own = {(int(u), v) for v, s in enumerate(row) for u in members(lists, v, lists.set_mask[s])}
    assert set(zip(*(end.tolist() for end in ends), strict=True)) == own


def test_descendants():
    rng = np.random.default_rng(0)
    for _ in range(30):
        n = int(rng.integers(1, 9))
        matrix = np.triu(rng.random((n, n)) < 0.3, 1)[:, rng.permutation(n)]
        matrix &= ~np.eye(n, dtype=bool)
        parent, child = (end.astype(np.int32) for end in np.nonzero(matrix))
        dag = tuple(frozenset(np.flatnonzero(column).tolist()) for column in matrix.T)
        wanted = (
            {u * n + v for u in range(n) for v in naive.descendants(dag, u)}
            if naive.is_dag(dag)
            else None
        )
        if wanted is None:
            continue
        assert sorted(descendant_pairs(n, parent, child)) == sorted(wanted)
        start = np.array([0, len(parent)])
        for u in range(n):
            for v in range(n):
                found = reached_graphs(n, start, parent, child, u, v)
                assert found.tolist() == [u * n + v in wanted]
