import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from learner_cases import chain_table, collider_table
from lsbn.data import Dataset
from lsbn.kernels.triangles import weakest_of_triangles
from lsbn.learners.aracne import learn_aracne, permutation_threshold
from lsbn.learners.independence import adjacency


def skeleton(learned):
    return {frozenset(edge) for edge in learned.edges.skeleton().edges}


@pytest.mark.parametrize("threshold", [None, 0.001, "permutation"])
def test_indirect_edge_of_a_chain_falls(threshold):
    learned = learn_aracne(chain_table(), threshold=threshold, random_state=0)
    assert skeleton(learned) == {frozenset("ab"), frozenset("bc")}
    assert set(learned.edges.matrix.data) == {0.5}


def test_collider():
    learned = learn_aracne(collider_table())
    assert skeleton(learned) == {frozenset("ac"), frozenset("bc"), frozenset("cd")}


@settings(deadline=None, max_examples=50)
@given(
    st.integers(0, 10_000),
    st.integers(3, 9),
    st.sampled_from([0.0, 0.1]),
)
def test_triangles_as_defined(seed, n, tolerance):
    rng = np.random.default_rng(seed)
    edges = [pair for pair in itertools.combinations(range(n), 2) if rng.random() < 0.7]
    weights = {pair: float(rng.integers(1, 6)) for pair in edges}
    graph = adjacency(n, np.array(edges, np.int64).reshape(-1, 2))
    graph.data = np.array(
        [weights[tuple(sorted(pair))] for pair in zip(*graph.nonzero(), strict=True)]
    )
    falls = weakest_of_triangles(graph.indptr, graph.indices, graph.data, tolerance)
    pairs = list(zip(*graph.nonzero(), strict=True))
    got = {tuple(sorted(p)) for p, f in zip(pairs, falls, strict=True) if f}
    assert got == naive.data_processing(n, weights, tolerance)


def test_many_copies_hang_together_and_keep_their_neighbour():
    rng = np.random.default_rng(5)
    x = rng.integers(2, size=2_000)
    y = np.where(rng.random(2_000) < 0.2, 1 - x, x)
    graph = learn_aracne(Dataset.from_table(np.stack([x] * 6 + [y], axis=1))).edges.skeleton()
    assert nx.is_connected(graph)
    assert graph.degree["x6"] >= 1


def test_permutation_threshold_is_what_noise_reaches():
    rng = np.random.default_rng(0)
    noise = Dataset.from_table(rng.integers(3, size=(2_000, 20)))
    threshold = permutation_threshold(noise, 20, random_state=1)
    assert 5 < 2 * 2_000 * threshold < 45
    assert learn_aracne(noise).edges.matrix.nnz == 0


def test_copies_of_a_variable_keep_their_edges():
    rng = np.random.default_rng(4)
    x = rng.integers(2, size=2_000)
    y = np.where(rng.random(2_000) < 0.2, 1 - x, x)
    learned = learn_aracne(Dataset.from_table(np.stack([x, y, 1 - x], axis=1)))
    assert skeleton(learned) == {
        frozenset(p) for p in itertools.combinations(["x0", "x1", "x2"], 2)
    }


def test_refusals():
    with pytest.raises(ValueError, match="tolerance"):
        learn_aracne(chain_table(), tolerance=1.0)
    with pytest.raises(ValueError, match='"permutation"'):
        learn_aracne(chain_table(), threshold="elbow")
