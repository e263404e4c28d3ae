import pytest
from scipy import sparse

from experiment_cases import load_experiment
from learner_cases import chain_table


@pytest.fixture(scope="module")
def study():
    return load_experiment("seeds")


def test_pairs_are_counted_that_differ(study):
    one = sparse.csr_array([[0.0, 0.9, 0.005], [0.0, 0.0, 0.5], [0.0, 0.0, 0.0]])
    two = sparse.csr_array([[0.0, 0.2, 0.005], [0.0, 0.0, 0.45], [0.3, 0.0, 0.0]])
    assert study.apart(one, two) == (2, 3, pytest.approx(0.7))
    assert study.apart(one, one) == (0, 2, 0.0)


def test_exact_averages_do_not_depend_on_the_seed(study):
    fits = [study.fit(chain_table(200), seed, "quick") for seed in (1, 2)]
    line = study.row("chain", *fits)
    assert line.startswith("| chain | 0 of ")
    assert "exact, exact | no, no" in line
    assert line.count("|") == len(study.HEADS) + 2
