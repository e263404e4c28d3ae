import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from lsbn.data import Dataset
from lsbn.pairs import PairStatistics
from lsbn.pairs import statistics as pairs_module
from lsbn.pairs.pagerank import pagerank
from lsbn.partition.weights import WEIGHTS, weighted_graphs


def dataset(columns):
    """A dataset of integer codes without unobserved states."""
    coded = [np.unique(c, return_inverse=True)[1] for c in columns]
    cards = np.array([c.max() + 1 for c in coded])
    dtype = np.uint8 if cards.max() <= 256 else np.uint16
    return Dataset(
        np.array(coded, dtype),
        cards,
        tuple(f"x{v}" for v in range(len(coded))),
        tuple(tuple(str(s) for s in range(r)) for r in cards),
    )


def dense_pagerank(mi):
    """PageRank by a linear solve; nodes without weight jump anywhere."""
    mi = np.array(mi)
    n = len(mi)
    strength = mi.sum(axis=0)
    walk = np.where(strength > 0, mi / np.where(strength > 0, strength, 1.0), 1.0 / n)
    return np.linalg.solve(np.eye(n) - 0.85 * walk, np.full(n, 0.15 / n))


@st.composite
def tables(draw):
    n, rows = draw(st.integers(2, 7)), draw(st.integers(2, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    columns = [rng.integers(draw(st.sampled_from([1, 2, 3, 5, 30])), size=rows) for _ in range(n)]
    if draw(st.booleans()):
        columns[-1] = columns[0].copy()
    return dataset(columns)


def everything(data, names):
    """The weights of all pairs, computed strip by strip."""
    found = {name: {} for name in names}
    for low, strips in PairStatistics(data).strips(names):
        for name, strip in strips.items():
            for a, row in enumerate(strip):
                for j in range(low + a + 1, data.n_variables):
                    found[name][low + a, j] = row[j]
    return found


@settings(deadline=None, max_examples=60)
@given(tables())
def test_weights_agree_with_naive(data):
    expected = naive.weights([c.tolist() for c in data.codes], dense_pagerank)
    names = ["MI", "MI_plus", "MI_sqrt", "MI_pr", "Pearson"]
    for name, found in everything(data, names).items():
        assert found == pytest.approx(expected[name], abs=1e-9), name


@pytest.mark.parametrize("strip", [1, 7, 256])
def test_strips_of_any_height_give_the_same(strip, monkeypatch):
    rng = np.random.default_rng(0)
    data = dataset([rng.integers(3, size=50) for _ in range(70)])
    expected = everything(data, ["MI", "Pearson"])
    monkeypatch.setattr(pairs_module, "_STRIP", strip)
    assert everything(data, ["MI", "Pearson"]) == expected


@settings(deadline=None, max_examples=60)
@given(tables())
def test_graphs_hold_exactly_the_pairs_above_the_threshold(data):
    expected = naive.weights([c.tolist() for c in data.codes], dense_pagerank)
    for name, graph in weighted_graphs(data).items():
        base = expected[name.removesuffix("_sn")]
        kept = {tuple(e): w for e, w in zip(graph.edges.tolist(), graph.weights, strict=True)}
        assert graph.kept == len(kept) / len(base)
        for pair, w in expected[name].items():
            if abs(w - graph.threshold) > 1e-6 and base[pair] > 1e-9:
                assert (pair in kept) == (w > graph.threshold)
            if pair in kept:
                assert kept[pair] == pytest.approx(w - min(graph.threshold, 0.0), abs=1e-6)
        assert all(w > 0 for w in kept.values())
        assert list(kept) == sorted(kept)


def test_a_single_pair_has_no_elbow_and_is_kept():
    data = dataset([np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1])])
    graphs = weighted_graphs(data)
    assert {g.kept for g in graphs.values()} == {1.0}
    assert graphs["MI"].weights[0] == pytest.approx(np.log(2))


@pytest.mark.parametrize("n", [1, 2, 5])
def test_constant_columns_have_no_edges(n):
    graphs = weighted_graphs(dataset([np.zeros(6, int)] * n))
    assert [len(graphs[name].edges) for name in WEIGHTS] == [0] * 7


def test_equal_weights_are_kept_together():
    column = np.array([0, 1, 0, 1, 1])
    graphs = weighted_graphs(dataset([column] * 6))
    assert {name: g.kept for name, g in graphs.items()} == dict.fromkeys(WEIGHTS, 1.0)


def test_the_bound_on_the_degree_keeps_the_heaviest():
    rng = np.random.default_rng(1)
    hidden = rng.integers(2, size=300)
    columns = [np.where(rng.random(300) < 0.02 * v, 1 - hidden, hidden) for v in range(25)]
    data = dataset(columns)
    all_pairs = weighted_graphs(data, ["MI"], truncate=lambda counts, edges: -np.inf)["MI"]
    few = weighted_graphs(
        data, ["MI"], truncate=lambda counts, edges: -np.inf, max_mean_degree=4.0
    )["MI"]
    assert 40 <= len(few.weights) <= 50
    assert few.weights.min() > np.sort(all_pairs.weights)[-len(few.weights) - 1] - 1e-12


def test_unknown_weight_is_refused():
    with pytest.raises(ValueError, match="unknown weight function 'mi'"):
        weighted_graphs(dataset([np.array([0, 1])] * 2), ["mi"])


@pytest.mark.parametrize("seed", range(3))
def test_pagerank_agrees_with_networkx_and_a_dense_solve(seed):
    rng = np.random.default_rng(seed)
    n = 12
    mi = np.triu(rng.exponential(size=(n, n)), 1)
    mi[:, 3] = mi[3] = 0.0
    mi += mi.T
    edges = np.argwhere(np.triu(mi, 1) > 0)
    found = pagerank(n, edges, mi[tuple(edges.T)], mi.sum(axis=0))
    graph = nx.from_numpy_array(mi)
    expected = nx.pagerank(graph, weight="weight", tol=1e-14, max_iter=1000)
    assert found == pytest.approx([expected[v] for v in range(n)], abs=1e-9)
    assert found == pytest.approx(dense_pagerank(mi), abs=1e-9)


def test_pagerank_of_many_pairs_stays_close(monkeypatch):
    """Beyond the exact size the weak pairs enter as a rank-one matrix."""
    rng = np.random.default_rng(0)
    hidden = [rng.integers(3, size=2000) for _ in range(4)]
    columns = [
        np.where(rng.random(2000) < 0.5, hidden[v % 4], rng.integers(3, size=2000))
        for v in range(40)
    ]
    data = dataset(columns)
    exact = PairStatistics(data).pagerank
    monkeypatch.setattr(pairs_module, "LISTED_PAIRS", 300)
    close = PairStatistics(data).pagerank
    assert close.sum() == pytest.approx(1.0)
    assert np.abs(close - exact).max() < 0.02 * exact.max()


@settings(deadline=None, max_examples=40)
@given(tables())
def test_graphs_are_the_same_where_no_pairs_are_stored(data):
    """MI_pr may differ: its histogram is filled before its range is known."""
    wanted = weighted_graphs(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs_module, "STORED_VARIABLES", 0)
        pairs = PairStatistics(data)
        found = weighted_graphs(data, pairs=pairs)
    assert pairs.passes == 3
    for name in set(WEIGHTS) - {"MI_pr"}:
        assert found[name].threshold == wanted[name].threshold
        np.testing.assert_array_equal(found[name].edges, wanted[name].edges)
        np.testing.assert_array_equal(found[name].weights, wanted[name].weights)


def test_thresholds_of_many_pairs_hardly_depend_on_storing_them(monkeypatch):
    rng = np.random.default_rng(3)
    hidden = [rng.integers(3, size=500) for _ in range(6)]
    noise = [rng.integers(3, size=500) for _ in range(60)]
    columns = [np.where(rng.random(500) < 0.7, hidden[v % 6], noise[v]) for v in range(60)]
    data = dataset(columns)
    wanted = weighted_graphs(data)["MI_pr"]
    monkeypatch.setattr(pairs_module, "STORED_VARIABLES", 0)
    found = weighted_graphs(data)["MI_pr"]
    assert wanted.kept > 0.05
    assert found.kept == pytest.approx(wanted.kept, rel=0.1)


@settings(deadline=None, max_examples=40)
@given(tables(), st.integers(1, 6), st.booleans())
def test_partners_are_the_same_where_no_pairs_are_stored(data, most, above_mean):
    options = {"most": most, "above_mean": above_mean}
    wanted = PairStatistics(data).heaviest(["MI", "Pearson"], **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs_module, "STORED_VARIABLES", 0)
        pairs = PairStatistics(data)
        pairs.survey(["MI", "Pearson"])
        found = pairs.heaviest(["MI", "Pearson"], **options)
    assert pairs.passes == 2
    assert [some.tolist() for some in found] == [some.tolist() for some in wanted]


def test_a_walk_that_was_left_is_begun_again():
    rng = np.random.default_rng(0)
    pairs = PairStatistics(dataset([rng.integers(3, size=50) for _ in range(300)]))
    next(pairs.strips(["MI_pr"]))
    fresh = PairStatistics(pairs.dataset)
    next(fresh.strips(["MI"]))
    wanted = pairs.moments(["MI"])["MI"].mean
    assert fresh.moments(["MI"])["MI"].mean == wanted
    pairs.release()
    assert pairs.above({"MI": -1.0})["MI"][0].shape == (300 * 299 // 2, 2)
