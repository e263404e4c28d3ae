import networkx as nx
import numpy as np
import pytest
from scipy import sparse

from experiment_cases import load_experiment
from lsbn.network import load_network


@pytest.fixture(scope="module")
def study():
    return load_experiment("leaning")


class Fitted:
    feature_names_in_ = ("a", "b", "c")
    edge_probabilities_ = sparse.csr_array([[0.0, 0.5, 0.2], [0.5, 0.0, 0.0], [0.0, 1.0, 0.0]])


def test_error_is_the_sum_of_squares_over_ordered_pairs(study):
    dag = nx.DiGraph([("a", "b"), ("c", "b")])
    assert study.error(Fitted, dag) == pytest.approx(0.25 + 0.25 + 0.04)
    cpdag = nx.DiGraph([("a", "b"), ("b", "a"), ("c", "b")])
    assert study.error(Fitted, cpdag) == pytest.approx(0.04)


def test_a_table_is_learned_without_and_with_leanings(study):
    found = study.compare(load_network("insurance"), 200, 1)
    assert found.shape == (2, len(study.COLUMNS))
    assert not np.array_equal(*found)
