import numpy as np
import pandas as pd
import pytest

from experiment_cases import load_experiment


@pytest.fixture(scope="module")
def study():
    return load_experiment("wider_calibration")


@pytest.fixture(scope="module")
def results():
    return load_experiment("parts.wider_results")


@pytest.fixture(scope="module")
def cases():
    return load_experiment("parts.wider_cases")


def test_the_page_names_the_cells_above_the_bound(study, results):
    """A learner that is sure of the truth is within the bound, one that joins all is not."""
    graphs = {
        tuple(case.table.iloc[0]): case.graph.astype(float)
        for key in ("f", "h1", "j")
        for case, _ in results.draw_cell(key, 8, 1)
    }
    right = [
        results.run_cell(key, 8, 1, lambda t, _: graphs[tuple(t.iloc[0])]) for key in ("f", "j")
    ]
    wrong = results.run_cell("h1", 8, 1, lambda t, _: np.triu(np.ones((t.shape[1],) * 2), 1))
    text = " ".join(study.page([*right, wrong], "--networks 8")).replace("  ", " ")
    assert "Cells above it: h1." in text
    assert study.REASONS["h1"] in text
    perfect, noise, joined = (result.pairs for result in (*right, wrong))
    assert f"| f | {len(perfect.relation):,} | {perfect.skeleton[1].sum():,} |" in text
    assert f"| j | {len(noise.relation):,} | 0 | 0.0 | 0.0 | 0.0000 (0.0000) | 0 |" in text
    false = len(joined.relation) - joined.skeleton[1].sum()
    assert f"| {len(joined.relation):,}.0 | {false:,}.0 |" in text


def test_the_default_learner_gives_probabilities_for_a_case(results):
    case, seed = results.draw_cell("f", 1, 1)[0]
    matrix = results.learn(case.table.iloc[:, :5], seed)
    assert matrix.shape == (5, 5)
    assert ((matrix >= 0) & (matrix + matrix.T <= 1 + 1e-9)).all()


def test_missed_edges_are_counted_with_their_reason(results, cases):
    """One edge is strong, one says nothing, one has a family that is too large."""
    rng = np.random.default_rng(0)
    a, weak, b = rng.integers(2, size=(3, 60))
    many = rng.integers(40, size=(2, 60))
    table = pd.DataFrame({"a": a, "w": weak, "b": b, "c": a ^ (rng.random(60) < 0.02)})
    table = table.assign(m=many[0], k=many[1]).astype(str)
    graph = np.zeros((6, 6), bool)
    graph[0, 3] = graph[1, 2] = graph[4, 5] = True
    case = cases.Case(table, graph, ~np.eye(6, dtype=bool), True)
    assert results.missed(case, np.zeros((6, 6))).tolist() == [3, 1, 1]
    assert results.missed(case, graph.astype(float)).tolist() == [0, 0, 0]
