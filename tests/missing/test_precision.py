"""How precise an average over completions is, and how many completions there are."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from lsbn import LSBN, Dataset
from lsbn.graph import EdgeProbabilities
from lsbn.learners import Diagnostics, Learned
from lsbn.missing import chain, precision
from lsbn.missing.chain import ChainSettings

SHORT = ChainSettings(most_completions=60, most_rounds=8, chains=2)


def learned(value):
    """A network of two variables with one uncertain edge."""
    matrix = sparse.csr_array([[0.0, value], [0.0, 0.0]])
    return Learned(EdgeProbabilities(matrix, ("a", "b")), Diagnostics(method="exact"))


@pytest.fixture
def gaps():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (60, 2)).astype(float)
    return Dataset.from_table(np.where(rng.random((60, 2)) < 0.2, np.nan, codes), missing="infer")


def run(dataset, values, effort="standard", settings=SHORT):
    source = iter(values)
    return precision.learn_completions(
        dataset,
        np.random.SeedSequence(0),
        lambda table, seed, options: learned(next(source)),
        effort=effort,
        n_graphs=0,
        settings=settings,
    )


def test_completions_that_agree_are_the_least_number(gaps):
    tables, average, doubtful = run(gaps, [0.3] * 10)
    assert len(tables) == 10
    assert average.edges.matrix[0, 1] == pytest.approx(0.3)
    assert average.diagnostics.r_hat == 1
    assert doubtful == []


def test_more_completions_are_drawn_until_the_average_is_precise(gaps):
    values = [0.2, 0.2, 0.4, 0.4] * 100
    tables, average, doubtful = run(gaps, values, settings=replace(SHORT, precise=0.02))
    assert 20 <= len(tables) <= 40
    assert average.diagnostics.standard_error <= 0.02
    assert doubtful == []


def test_chains_that_stay_apart_are_a_warning(gaps):
    """Each chain agrees with itself, so the number of completions does not help."""
    with pytest.warns(ConvergenceWarning, match=r"60 completions .* edges into 'x1'.*thorough"):
        _, average, doubtful = run(gaps, [0.1, 0.9] * 100)
    assert average.diagnostics.standard_error == pytest.approx(0.4)
    assert average.diagnostics.r_hat > 4
    assert doubtful == ["x1"]


@pytest.mark.parametrize(("effort", "most"), [("quick", 10), ("standard", 60), ("thorough", 240)])
def test_effort_says_how_many_completions_there_are(gaps, effort, most):
    with pytest.warns(ConvergenceWarning, match="disagree") as caught:
        tables, _, _ = run(gaps, [0.1, 0.9] * 200, effort)
    assert len(tables) == most
    assert ("seeds" if effort == "thorough" else "thorough") in str(caught[0].message)


def test_large_tables_have_no_more(gaps):
    settings = replace(SHORT, most_cells=60)
    with pytest.warns(ConvergenceWarning, match="10 completions"):
        run(gaps, [0.1, 0.9] * 5, settings=settings)


def test_a_table_without_gaps_is_learned_once():
    whole = Dataset.from_table(np.zeros((4, 2), int))
    tables, average, doubtful = run(whole, [0.3])
    assert tables == [whole]
    assert average.diagnostics.r_hat is None
    assert doubtful == []


def test_a_fit_tells_which_edges_depend_on_the_completions(monkeypatch):
    rng = np.random.default_rng(1)
    first = rng.integers(0, 2, 200)
    second = np.where(rng.random(200) < 0.35, first, rng.integers(0, 2, 200)).astype(float)
    second[rng.random(200) < 0.5] = np.nan
    short = ChainSettings(completions=4, most_completions=4, most_rounds=8, chains=2)
    monkeypatch.setattr(chain, "ChainSettings", lambda: short)
    with pytest.warns(ConvergenceWarning, match="4 completions of the table disagree"):
        model = LSBN(missing="infer", random_state=0).fit(np.column_stack([first, second]))
    notes = model.diagnostics_
    assert notes.missing.completions == 4
    assert notes.missing.doubtful_variables
    assert notes.standard_error > 0.05
    assert notes.r_hat > 1.1
