"""The graph sampler's kernels, against enumeration of all DAGs."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from kernel_cases import assert_same_distribution, listed, members, random_families
from lsbn.kernels import graphs
from lsbn.kernels.state import EdgeSums, Partners


def even_partners(links):
    """Every neighbour of a variable with the same probability."""
    degree = np.diff(links.start)
    place = np.arange(len(links.node)) - np.repeat(links.start[:-1], degree)
    return Partners(links.start, links.node, (place + 1) / np.repeat(degree, degree))


def parents_of(lists, state):
    """Parents of each variable in the graph of a chain."""
    masks = lists.set_mask[state.chosen]
    return tuple(frozenset(members(lists, v, mask)) for v, mask in enumerate(masks))


def state_at(lists, dag):
    """A chain at a given graph."""
    state = graphs.empty_graph(lists)
    for v, wanted in enumerate(dag):
        for s in range(lists.set_start[v], lists.set_start[v + 1]):
            if members(lists, v, lists.set_mask[s]) == wanted:
                graphs.choose(lists, state, v, s)
    return state


def assert_consistent(lists, state):
    """The graph is acyclic, and the lists of children are those of its parents."""
    dag = parents_of(lists, state)
    assert naive.is_dag(dag)
    for u, (first, count) in enumerate(zip(state.child_start, state.n_children, strict=False)):
        children = state.child[first : first + count].tolist()
        assert sorted(children) == [v for v, own in enumerate(dag) if u in own]
    assert not state.reached.any()


@pytest.mark.parametrize("tabulated", [False, True])
@pytest.mark.parametrize("block", [[2], [3, 1], [1, 0], [0, 3, 2], [2, 1, 0, 3]])
def test_a_block_is_drawn_from_its_posterior_given_the_rest(block, tabulated):
    families = random_families(3, 4)
    lists, _ = listed(families, tabulated)
    posterior = naive.graph_posterior(families)
    rng = np.random.default_rng(len(block))
    dags = list(posterior)
    first = dags[rng.choice(len(dags), p=list(posterior.values()))]
    rest = [v for v in range(4) if v not in block]
    wanted = {d: p for d, p in posterior.items() if all(d[v] == first[v] for v in rest)}
    total = sum(wanted.values())
    assert len(wanted) > 1
    state, counts = state_at(lists, first), dict.fromkeys(wanted, 0)
    for _ in range(4_000):
        graphs.draw_block(lists, state, np.array(block), rng)
        counts[parents_of(lists, state)] += 1
    assert_consistent(lists, state)
    assert_same_distribution(counts, {d: p / total for d, p in wanted.items()})


@pytest.mark.parametrize(("n", "size"), [(3, 1), (3, 2), (4, 3)])
def test_a_sweep_leaves_the_graph_posterior_as_it_is(n, size):
    """Graphs drawn from the posterior, and swept once, are independent draws from it again."""
    families = random_families(n, n)
    lists, links = listed(families, False)
    posterior = naive.graph_posterior(families)
    dags, partners = list(posterior), even_partners(links)
    rng = np.random.default_rng(n)
    counts, moved, draws = dict.fromkeys(dags, 0), 0, 4_000
    for first in rng.choice(len(dags), p=list(posterior.values()), size=draws):
        state = state_at(lists, dags[first])
        graphs.sweep(lists, partners, state, size, rng)
        dag = parents_of(lists, state)
        counts[dag] += 1
        moved += dag != dags[first]
    assert moved > draws / 5
    assert_same_distribution(counts, posterior)


@settings(deadline=None, max_examples=30)
@given(
    st.integers(0, 10_000),
    st.integers(1, 7),
    st.integers(1, 6),
    st.sampled_from([2.0, 30.0, 1000.0]),
)
def test_graphs_stay_acyclic_whatever_the_scores(seed, n, size, spread):
    families = random_families(seed, n, spread=spread)
    lists, links = listed(families, seed % 2 == 0)
    rng = np.random.default_rng(seed)
    keys = rng.random(n)
    state = graphs.start_graph(lists, keys, rng)
    for v, parents in enumerate(parents_of(lists, state)):
        assert all(keys[u] < keys[v] for u in parents)
    for _ in range(5):
        graphs.sweep(lists, even_partners(links), state, size, rng)
        assert_consistent(lists, state)
    dag = parents_of(lists, state)
    score = sum(families[v][parents] for v, parents in enumerate(dag))
    assert graphs.log_graph(lists, state) == pytest.approx(score)
    for v, mask in enumerate(graphs.non_descendants(lists, state)):
        known = set().union(*families[v])
        assert members(lists, v, mask) == known - naive.descendants(dag, v)


def test_scores_far_apart_do_not_leave_the_range():
    """Each of two variables needs the other as its parent, by hundreds of thousands of nats."""
    families = [{frozenset(): -9e5, frozenset([1]): -1.0}, {frozenset(): -8e5, frozenset([0]): 1e5}]
    lists, _ = listed(families, False)
    state, rng = graphs.empty_graph(lists), np.random.default_rng(0)
    turned = 0
    for _ in range(4_000):
        graphs.draw_block(lists, state, np.array([0, 1]), rng)
        dag = parents_of(lists, state)
        assert sum(map(len, dag)) == 1
        turned += bool(dag[0])
    assert turned / 4_000 == pytest.approx(1 / (1 + math.e), abs=0.03)


def test_all_of_64_candidates_count():
    rng = np.random.default_rng(4)
    family = {frozenset([u]): float(rng.normal(0, 1)) for u in range(64)} | {frozenset(): 0.0}
    families = [*[{frozenset(): 0.0}] * 64, family]
    families[7] = {frozenset(): 0.0, frozenset([64]): 2.0}
    lists, links = listed(families, True)
    partners, total = even_partners(links), np.zeros(65)
    state = graphs.start_graph(lists, rng.random(65), rng)
    sums = EdgeSums(lists, total, np.zeros(65))
    scores = graphs.sample(lists, partners, state, (3, 1_000, 1), rng, sums)
    assert_consistent(lists, state)
    # 7 and 64 may not be parents of each other
    alone, other = sum(map(math.exp, family.values())), math.exp(family[frozenset([7])])
    both = alone - other
    evidence = alone + both * math.exp(2.0)
    assert total[0] / len(scores) == pytest.approx(both * math.exp(2.0) / evidence, abs=0.03)
    shares = total[1:] / len(scores)
    assert shares[7] == pytest.approx(other / evidence, abs=0.01)


@pytest.mark.parametrize(("size", "sweeps"), [(2, 10_000), (3, 10_000), (4, 8_000), (5, 6_000)])
def test_sample_averages_edge_posteriors(size, sweeps):
    families = random_families(3, 5, share=0.3)
    lists, links = listed(families, True)
    posterior = naive.graph_posterior(families)
    wanted = np.zeros((5, 5))
    for dag, p in posterior.items():
        for v, u in itertools.chain.from_iterable([(v, u) for u in s] for v, s in enumerate(dag)):
            wanted[u, v] += p
    rng = np.random.default_rng(1)
    total, squares = np.zeros((2, len(lists.cand)))
    state = graphs.start_graph(lists, rng.random(5), rng)
    sums = EdgeSums(lists, total, squares)
    scores = graphs.sample(lists, even_partners(links), state, (size, sweeps, 2), rng, sums)
    assert len(scores) == sweeps // 2
    child = np.repeat(np.arange(5), np.diff(lists.cand_start))
    np.testing.assert_allclose(total / len(scores), wanted[lists.cand, child], atol=0.02)
    assert (squares <= total + 1e-9).all()
    assert scores[-1] == graphs.log_graph(lists, state)


def test_blocks_are_partners_by_their_weight():
    partners = Partners(
        np.array([0, 2, 3, 4, 4]), np.array([1, 2, 0, 0]), np.array([0.25, 1.0, 1.0, 1.0])
    )
    rng, block = np.random.default_rng(0), np.empty(graphs.MOST_TOGETHER, np.int64)
    seconds = []
    for _ in range(4_000):
        assert graphs.draw_block_around(partners, 0, 2, block, rng) == 2
        seconds.append(block[1])
        m = graphs.draw_block_around(partners, 0, 3, block, rng)
        assert sorted(block[:m].tolist()) in ([0, 1], [0, 2], [0, 1, 2])
    assert np.mean(np.array(seconds) == 1) == pytest.approx(0.25, abs=0.03)
    assert graphs.draw_block_around(partners, 3, 3, block, rng) == 1
    assert block[0] == 3
