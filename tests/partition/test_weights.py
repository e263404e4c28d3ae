import numpy as np
import pytest
from hypothesis import given, settings

import naive
from lsbn.pairs import PairStatistics, statistics
from lsbn.partition.weights import WEIGHTS, weighted_graphs
from pair_cases import dataset, dense_pagerank, tables


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


@settings(deadline=None, max_examples=40)
@given(tables())
def test_graphs_are_the_same_where_no_pairs_are_stored(data):
    """MI_pr may differ: its range is estimated from a sample."""
    options = {"truncate": lambda counts, edges: edges[30], "false_discoveries": 0.3}
    wanted = weighted_graphs(data, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(statistics, "STORED_VARIABLES", 0)
        pairs = PairStatistics(data)
        found = weighted_graphs(data, pairs=pairs, **options)
    assert pairs.passes == 1
    for name in set(WEIGHTS) - {"MI_pr"}:
        assert found[name].threshold == pytest.approx(wanted[name].threshold, rel=1e-9)
        np.testing.assert_array_equal(found[name].edges, wanted[name].edges)
        np.testing.assert_allclose(found[name].weights, wanted[name].weights, rtol=1e-9)


def test_thresholds_of_many_pairs_hardly_depend_on_storing_them(monkeypatch):
    rng = np.random.default_rng(3)
    hidden = [rng.integers(3, size=500) for _ in range(6)]
    noise = [rng.integers(3, size=500) for _ in range(60)]
    columns = [np.where(rng.random(500) < 0.7, hidden[v % 6], noise[v]) for v in range(60)]
    data = dataset(columns)
    wanted = weighted_graphs(data)
    monkeypatch.setattr(statistics, "STORED_VARIABLES", 0)
    found = weighted_graphs(data)
    for name in WEIGHTS:
        assert wanted[name].kept > 0.05
        assert found[name].kept == pytest.approx(wanted[name].kept, rel=0.1)
