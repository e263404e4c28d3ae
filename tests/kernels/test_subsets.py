import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from lsbn.kernels.subsets import (
    exact_edge_posteriors,
    exact_graph_posteriors,
    log_add,
    sum_over_subsets,
)


def random_families(rng, n, share, spread):
    """Some parent sets of each variable, with the empty set; scores are far below zero."""
    found = []
    for v in range(n):
        others = [u for u in range(n) if u != v]
        masks = range(1, 1 << len(others))
        chosen = [0] + [m for m in masks if rng.random() < share]
        sets = [frozenset(u for i, u in enumerate(others) if m >> i & 1) for m in chosen]
        scores = rng.normal(-5000.0, spread, len(sets)).tolist()
        found.append(dict(zip(sets, scores, strict=True)))
    return found


def as_arrays(families):
    start = np.cumsum([0] + [len(family) for family in families])
    masks = [sum(1 << u for u in members) for family in families for members in family]
    scores = [score for family in families for score in family.values()]
    return start, np.array(masks, np.int64), np.array(scores)


@pytest.mark.parametrize(
    ("a", "b"),
    [(0.0, 0.0), (-3.0, 2.0), (-1e4, -1e4 - 5), (-np.inf, 1.0), (1.0, -np.inf), (0.0, -100.0)],
)
def test_log_add(a, b):
    assert log_add(a, b) == pytest.approx(naive.log_sum([a, b]), abs=1e-15)


def test_log_add_of_nothing():
    assert log_add(-np.inf, -np.inf) == -np.inf


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 6), st.integers(0, 10_000))
def test_sum_over_subsets(n_bits, seed):
    rng = np.random.default_rng(seed)
    f = rng.normal(-300.0, 10.0, 1 << n_bits)
    f[rng.random(len(f)) < 0.3] = -np.inf
    wanted = [naive.log_sum(f[t] for t in range(len(f)) if t & ~s == 0) for s in range(len(f))]
    sum_over_subsets(f, n_bits)
    np.testing.assert_allclose(f, wanted, rtol=1e-12)


@settings(deadline=None, max_examples=40)
@given(
    st.integers(1, 5),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.sampled_from([0.1, 3.0, 30.0]),
    st.integers(0, 10_000),
)
def test_posteriors_are_sums_over_all_orders(n, share, spread, seed):
    families = random_families(np.random.default_rng(seed), n, share, spread)
    posterior, evidence = exact_edge_posteriors(n, *as_arrays(families))
    np.testing.assert_allclose(posterior, naive.order_edge_posteriors(families), atol=1e-10)
    assert np.isfinite(evidence)


@pytest.mark.parametrize("kernel", [exact_edge_posteriors, exact_graph_posteriors])
@pytest.mark.parametrize("spread", [3.0, 100.0])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_posteriors_are_sums_over_all_dags(n, spread, kernel):
    families = random_families(np.random.default_rng(n), n, 0.8, spread)
    once = kernel is exact_graph_posteriors
    counted = [(dag, 1 if once else naive.linear_extensions(dag)) for dag in naive.dags(n)]
    assert len(counted) == {1: 1, 2: 3, 3: 25, 4: 543}[n]
    wanted, log_evidence = naive.dag_edge_posteriors(families, counted)
    posterior, evidence = kernel(n, *as_arrays(families))
    np.testing.assert_allclose(posterior, wanted, atol=1e-10)
    assert evidence == pytest.approx(log_evidence, abs=1e-8)


def test_without_data_every_order_counts_the_same():
    n = 4
    rng = np.random.default_rng(0)
    families = [dict.fromkeys(f, 0.0) for f in random_families(rng, n, 1.0, 1.0)]
    posterior, evidence = exact_edge_posteriors(n, *as_arrays(families))
    np.testing.assert_allclose(posterior + np.eye(n) * 0.25, 0.25, atol=1e-12)
    assert evidence == pytest.approx(math.log(math.factorial(n) * 2 ** (n * (n - 1) // 2)))


def test_graphs_are_as_many_as_robinson_counted():
    """With many variables each graph is still counted once, to many digits."""
    n = 10
    families = [dict.fromkeys(f, 0.0) for f in random_families(np.random.default_rng(0), n, 1, 1.0)]
    _, evidence = exact_graph_posteriors(n, *as_arrays(families))
    assert evidence == pytest.approx(math.log(4_175_098_976_430_598_143), abs=1e-11)
