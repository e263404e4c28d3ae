import math
from collections import Counter

import networkx as nx
import numpy as np
import pytest

import naive
from experiment_cases import load_experiment
from lsbn.learners import Score
from lsbn.metrics import calibration_curve, expected_calibration_error


@pytest.fixture(scope="module")
def study():
    return load_experiment("calibration")


def as_sets(row):
    return tuple(frozenset(u for u in range(len(row)) if int(m) >> u & 1) for m in row)


@pytest.mark.parametrize("n", [3, 4])
def test_graphs_and_their_orders_are_those_of_the_slow_list(study, n):
    parents, orders = study.all_graphs(n)
    found = dict(zip(map(as_sets, parents), orders.tolist(), strict=True))
    assert found == {dag: naive.linear_extensions(dag) for dag in naive.dags(n)}


@pytest.mark.parametrize("rows", [8, 12, 100])
def test_drawn_graphs_follow_the_prior_of_the_learner(study, rows):
    """Both ways to draw follow the priors of families times orders, within sampling error.

    With 8 and 12 rows some families have too many free parameters, so orders have different sums.
    """
    cards, draws = [2, 3, 4], 20_000
    n = len(cards)
    parents, orders = study.all_graphs(n)
    weight = [
        count * math.prod(family_prior(v, above, cards, rows) for v, above in enumerate(dag))
        for dag, count in zip(map(as_sets, parents), orders, strict=True)
    ]
    expected = dict(zip(map(as_sets, parents), np.array(weight) / np.sum(weight), strict=True))
    rng = np.random.default_rng(3)
    ways = (
        lambda: study.draw_graph(np.array(cards), rows, n - 1, rng),
        lambda: study.draw_listed_graph(np.array(cards), rows, orders, rng),
    )
    for draw in ways:
        seen = Counter(tuple(frozenset(p.tolist()) for p in draw()) for _ in range(draws))
        for graph, p in expected.items():
            assert seen[graph] / draws == pytest.approx(p, abs=5 * np.sqrt(p / draws))


def family_prior(v, parents, cards, rows):
    if (cards[v] - 1) * math.prod(cards[u] for u in parents) > rows:
        return 0.0
    return math.exp(naive.log_prior("sizes", None, len(cards), len(parents)))


def test_no_drawn_family_has_more_free_parameters_than_rows(study, monkeypatch):
    monkeypatch.setattr(study, "ROWS", (20, 60))
    for case in study.draw_cases(20, (5, 12), np.random.SeedSequence(2)):
        assert case.score == Score("bdeu", ess=case.ess, prior="sizes")
        cards, rows = case.known.cards.tolist(), case.known.n_rows
        assert 20 <= rows <= 60
        for v, above in enumerate(case.network.parents):
            assert len(above) <= study.MAX_PARENTS
            assert family_prior(v, above.tolist(), cards, rows) > 0


@pytest.mark.parametrize("ess", [1e-6, 0.5, 1e4])
def test_rows_are_dirichlet_draws_even_where_parameters_are_tiny(study, ess):
    q, r = 2000, 4
    table = study.draw_table(q, r, q * ess, np.random.default_rng(0))
    assert np.allclose(table.sum(axis=1), 1)
    assert table.mean(axis=0) == pytest.approx(1 / r, abs=0.05)
    assert table.var(axis=0) == pytest.approx((1 / r) * (1 - 1 / r) / (1 + ess), rel=0.15)


def test_posteriors_over_graphs_are_those_of_the_slow_sum(study):
    case = next(study.draw_cases(1, (4, 4), np.random.SeedSequence(1)))
    data = case.known
    columns, cards = data.codes[:, :60].tolist(), data.cards.tolist()
    data = study.Dataset(np.ascontiguousarray(data.codes[:, :60]), *_rest(data))
    scores = naive.families("bdeu", 2.0, columns, cards)
    graphs = list(naive.dags(4))
    for weigh in (naive.linear_extensions, lambda _: 1):
        wanted, _ = naive.dag_edge_posteriors(scores, [(dag, weigh(dag)) for dag in graphs])
        weight = np.array([weigh(as_sets(row)) for row in study.all_graphs(4)[0]], float)
        (found,) = study.graph_posteriors(data, Score("bdeu", ess=2.0, prior="sizes"), [weight])
        assert np.allclose(found, wanted, atol=1e-9)


def _rest(data):
    return data.cards, data.names, data.states


def test_reliability_is_that_of_the_metrics(study):
    rng = np.random.default_rng(2)
    n = 12
    matrix = np.triu(rng.random((n, n)), 1)
    truth = nx.DiGraph([(u, v) for u, v in np.argwhere(matrix > rng.random((n, n))).tolist()])
    truth.add_nodes_from(range(n))
    parents = [np.array(sorted(truth.pred[v]), np.int64) for v in range(n)]
    p, is_edge, _ = study.Pairs.of(matrix, parents, np.ones(n, bool)).skeleton
    ours, theirs = study.reliability(p, is_edge), calibration_curve(matrix, truth, names=range(n))
    for name in ("counts", "predicted", "observed"):
        assert np.allclose(getattr(ours, name), getattr(theirs, name), equal_nan=True)
    assert study.calibration_error(p, is_edge) == pytest.approx(
        expected_calibration_error(matrix, truth, names=range(n))
    )


def test_credible_sets_hold_the_truth_as_often_as_they_say(study):
    rng = np.random.default_rng(4)
    mass = rng.dirichlet([1, 1, 1], size=50_000)
    relation = (rng.random(len(mass))[:, None] > np.cumsum(mass, axis=1)).sum(axis=1)
    pairs = study.Pairs(mass[:, 1], mass[:, 2], relation, np.zeros(len(mass), int))
    for level in (0.5, 0.9):
        count, predicted, held = study.coverage(pairs, level)
        assert count > 40_000
        assert level <= predicted < 1
        assert held == pytest.approx(predicted, abs=0.01)
