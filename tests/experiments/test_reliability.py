import networkx as nx
import numpy as np
import pytest

from experiment_cases import load_experiment
from lsbn.metrics import calibration_curve, expected_calibration_error


@pytest.fixture(scope="module")
def study():
    return load_experiment("parts.reliability")


def test_judged_pairs_keep_direction_and_leave_out_the_rest(study):
    graph = np.array([[0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0]], bool)
    judged = np.ones((4, 4), bool)
    judged[2] = judged[:, 2] = False
    pairs = study.Pairs.of(np.arange(16).reshape(4, 4) / 100, graph, judged)
    assert pairs.forward.tolist() == [0.01, 0.03, 0.07]  # (0, 1), (0, 3), (1, 3)
    assert pairs.backward.tolist() == [0.04, 0.12, 0.13]
    assert pairs.relation.tolist() == [study.BACKWARD, study.NONE, study.NONE]


def test_reliability_is_that_of_the_metrics(study):
    rng = np.random.default_rng(2)
    n = 12
    matrix = np.triu(rng.random((n, n)), 1)
    truth = nx.DiGraph([(u, v) for u, v in np.argwhere(matrix > rng.random((n, n))).tolist()])
    truth.add_nodes_from(range(n))
    graph = nx.to_numpy_array(truth, range(n), dtype=bool)
    p, is_edge, _ = study.Pairs.of(matrix, graph, np.ones((n, n), bool)).skeleton
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


def simulated(rng, tables, pairs, dependence):
    """Calibrated probabilities; the pairs of one table are more or less dependent."""
    p = rng.beta(0.5, 1.5, size=(tables, pairs))
    alone = rng.random((tables, pairs)) > dependence
    u = np.where(alone, rng.random((tables, pairs)), rng.random((tables, 1)))
    return p.ravel(), (u < p).ravel(), np.repeat(np.arange(tables), pairs)


@pytest.mark.parametrize("dependence", [0.0, 0.5, 1.0])
def test_a_calibrated_learner_seldom_exceeds_the_limit(study, dependence):
    rng = np.random.default_rng(5)
    beyond = 0
    for _ in range(60):
        p, truth, table = simulated(rng, 20, 30, dependence)
        limit = study.chance_limit(p, truth, table, repeats=100)
        beyond += study.calibration_error(p, truth) > limit
    assert beyond <= 12


def test_an_overconfident_learner_exceeds_the_limit(study):
    """Also if the error is in one table, in which fifty sure edges are false."""
    rng = np.random.default_rng(6)
    p, truth, table = simulated(rng, 40, 50, 0.5)
    doubled = study.Figures.of((np.minimum(2 * p, 1), truth, table), 0.01)
    assert doubled.verdict == "above"
    p[:50], truth[:50] = 0.999, False
    sure = p >= 0.99
    assert study.Figures.of((p[sure], truth[sure], table[sure]), 0.01).verdict == "above"
