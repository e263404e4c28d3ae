import numpy as np
import pandas as pd
import pytest

from experiment_cases import load_experiment


@pytest.fixture(scope="module")
def study():
    return load_experiment("parts.wider_results")


def test_the_default_learner_gives_probabilities_for_a_case(study):
    case, seed = study.draw_cell("f", 1, 1)[0]
    matrix = study.learn(case.table.iloc[:, :5], seed)
    assert matrix.shape == (5, 5)
    assert ((matrix >= 0) & (matrix + matrix.T <= 1 + 1e-9)).all()


def test_missed_edges_are_counted_with_their_reason(study):
    """One edge is strong, one has no effect, one has a family that is too large."""
    rng = np.random.default_rng(0)
    a, weak, b = rng.integers(2, size=(3, 60))
    many = rng.integers(40, size=(2, 60))
    table = pd.DataFrame({"a": a, "w": weak, "b": b, "c": a ^ (rng.random(60) < 0.02)})
    table = table.assign(m=many[0], k=many[1]).astype(str)
    graph = np.zeros((6, 6), bool)
    graph[0, 3] = graph[1, 2] = graph[4, 5] = True
    case = study.Case(table, graph, ~np.eye(6, dtype=bool), True)
    assert study.missed(case, np.zeros((6, 6))).tolist() == [3, 1, 1]
    assert study.missed(case, graph.astype(float)).tolist() == [0, 0, 0]
