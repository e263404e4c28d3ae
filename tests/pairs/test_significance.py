import numpy as np
import pytest
from hypothesis import given, settings

import naive
from lsbn.pairs import PairStatistics
from lsbn.pairs.significance import LevelCounts
from lsbn.partition import ropart
from lsbn.partition.weights import WEIGHTS, weighted_graphs
from pair_cases import dataset, tables

SPARSE = 1.16


def p_value(x, y):
    """The p-value of a G-test, with the degrees of freedom of a sparse table."""
    freedom = (len(set(x)) - 1) * (len(set(y)) - 1)
    return naive.chi2_sf(2 * len(x) * naive.mutual_information(x, y), SPARSE * freedom)


def dependent_table(n_noise, rows=400, seed=0):
    rng = np.random.default_rng(seed)
    hidden = rng.integers(3, size=rows)
    near = [np.where(rng.random(rows) < 0.6, hidden, rng.integers(3, size=rows)) for _ in range(8)]
    return dataset([*near, *(rng.integers(2 + v % 3, size=rows) for v in range(n_noise))])


def test_the_level_is_that_of_benjamini_and_hochberg_on_a_grid():
    data = dependent_table(12)
    columns = [c.tolist() for c in data.codes]
    n = data.n_variables
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    p = np.array([p_value(columns[i], columns[j]) for i, j in pairs])
    statistics = PairStatistics(data)
    rule = statistics.significance(0.05)
    exact = p[naive.discoveries(p.tolist(), len(p), 0.05)].max()
    assert exact / np.sqrt(2) <= rule.level * (1 + 1e-9)
    mi = np.array([naive.mutual_information(columns[i], columns[j]) for i, j in pairs])
    assert rule.selects(np.array(pairs), mi).tolist() == (p <= rule.level).tolist()
    assert rule.level * len(p) <= 0.05 * (p <= rule.level).sum()


@settings(deadline=None, max_examples=40)
@given(tables())
def test_a_graph_has_the_significant_pairs_of_the_graph_without_tests(data):
    columns = [c.tolist() for c in data.codes]
    pairs = PairStatistics(data)
    everything = weighted_graphs(data, pairs=pairs)
    tested = weighted_graphs(data, pairs=pairs, false_discoveries=0.2)
    rule = pairs.significance(0.2)
    for name in WEIGHTS:
        edges = everything[name].edges
        mi = [naive.mutual_information(columns[i], columns[j]) for i, j in edges.tolist()]
        wanted = edges[rule.selects(edges, np.array(mi))]
        assert tested[name].edges.tolist() == wanted.tolist()
        assert tested[name].threshold == everything[name].threshold


@pytest.mark.parametrize("states", [2, 5, 20])
def test_noise_has_no_communities(states):
    rng = np.random.default_rng(states)
    data = dataset([rng.integers(states, size=200) for _ in range(300)])
    assert max(len(c) for c in ropart(data).communities) == 1
    assert max(len(c) for c in ropart(data, false_discoveries=None).communities) > 1


def test_noise_beside_a_community_stays_alone():
    communities = [c.tolist() for c in ropart(dependent_table(200)).communities]
    assert communities[0] == list(range(8))
    assert {len(c) for c in communities[1:]} == {1}


def test_constant_columns_are_never_significant():
    counts = LevelCounts(np.array([1, 1, 2]), 10)
    counts.add(0, {"MI": np.ones((3, 3))})
    assert counts.counts.tolist()[0] == 3
    assert counts.significance(0.5).level == 0.0
