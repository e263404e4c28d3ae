import networkx as nx
import numpy as np
import pytest

from experiment_cases import load_experiment
from lsbn import EdgeProbabilities


@pytest.fixture(scope="module")
def study():
    return load_experiment("parts.true_directions")


def test_directions_of_compelled_and_reversible_edges(study):
    """a -> c <- b is compelled, and so is c -> d; e -> f is reversible, g -> h is not found."""
    truth = nx.DiGraph(["ac", "bc", "cd", "ef", "gh"])
    matrix = np.zeros((8, 8))
    matrix[0, 2], matrix[1, 2], matrix[2, 1] = 0.95, 0.6, 0.4
    matrix[3, 2], matrix[4, 5], matrix[5, 4] = 1.0, 0.19, 0.76
    matrix[6, 7] = study.FOUND - 0.01
    found = study.Directions.of("eight", "mixed", EdgeProbabilities(matrix, "abcdefgh"), truth)
    assert found.compelled == pytest.approx((1, 0, 0.6))  # in the order of the true edges
    assert found.reversible == pytest.approx((0.2,))
    assert study.figures(found.reversible) == ["1", "0.200", "0.640", "0.160", "0 of 0"]
    assert study.figures(found.compelled)[-1] == "1 of 2"
    assert study.figures(())[0] == "0"
    other = study.Directions("eight", "bdeu", (), (0.5,))
    mixed, bdeu = study.pooled([found, other, found])
    assert mixed.compelled == found.compelled * 2
    assert (bdeu.compelled, bdeu.reversible) == ((), (0.5,))
