import networkx as nx
import numpy as np
import pandas as pd
import pytest

from experiment_cases import load_experiment, random_split


@pytest.fixture(scope="module")
def study():
    return load_experiment("held_out")


def test_comparison_with_a_method_of_ones_own(study):
    """A graph that predicts better gains, and the page shows every method."""
    rng = np.random.default_rng(0)
    x = rng.integers(2, size=300)
    table = pd.DataFrame({"x": x, "y": np.where(rng.random(300) < 0.9, x, 1 - x), "z": 0})
    methods = {
        study.OURS: lambda table, seed: nx.DiGraph([("x", "y"), ("y", "z")]),
        study.PEER: study.empty_graph,
    }
    splits = {seed: study.split_table(table, seed) for seed in (1, 2)}
    found = study.Comparison.of("pair", splits, methods)
    gain, error = found.difference(study.OURS)
    assert gain > 4 * error > 0
    assert found.cells()[:3] == ["pair", "210 + 90", "3"]
    text = study.page([found], "python experiments/held_out.py")
    assert f"{gain:+.3f} ± {error:.3f}" in text
    assert "(2.0)" in text


@pytest.mark.parametrize("name", ["LSBN()", "LSBN.paper()", "pyAgrum"])
def test_methods_take_constant_columns_and_unseen_states(study, name):
    if name == study.PEER:
        pytest.importorskip("pyagrum")
    split = random_split(1)
    dag = study.METHODS[name](split.train, 0)
    assert set(dag) == set(split.train.columns)
    assert nx.is_directed_acyclic_graph(dag)
    assert np.isfinite(study.predict(dag, split)).all()


def test_missing_packages_are_left_out_with_a_reason(study, monkeypatch, capsys):
    monkeypatch.setattr(study, "find_spec", lambda name: None)
    methods = study.available_methods()
    assert study.PEER not in methods
    assert "pyagrum is not installed" in capsys.readouterr().err
    split = {0: random_split(0)}
    found = study.Comparison.of("small", split, {"empty graph": methods["empty graph"]})
    assert "| small" in study.page([found], "python experiments/held_out.py")
