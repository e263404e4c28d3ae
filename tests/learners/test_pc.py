import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from learner_cases import chain_table, collider_table, shuffled_alarm
from lsbn.data import Dataset
from lsbn.graph.meek import meek_closure
from lsbn.learners.independence import FALSE_DISCOVERIES, default_alpha, significant
from lsbn.learners.pc import learn_pc


def test_collider_is_directed_and_chain_is_not():
    collider = learn_pc(collider_table()).edges.matrix.toarray()
    assert collider.tolist() == [[0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    chain = learn_pc(chain_table()).edges.matrix.toarray()
    assert chain.tolist() == [[0, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0]]


def test_directed_part_is_acyclic():
    table, _ = shuffled_alarm(300)
    matrix = learn_pc(Dataset.from_table(table), alpha=0.3).edges.matrix
    directed = nx.from_scipy_sparse_array(matrix == 1.0, create_using=nx.DiGraph)
    assert nx.is_directed_acyclic_graph(directed)


@pytest.mark.parametrize("seed", range(20))
def test_meek_rules_complete_a_pattern(seed):
    rng = np.random.default_rng(seed)
    edges = {(a, b) for a in range(6) for b in range(a + 1, 6) if rng.random() < 0.4}
    near = [{b for e in edges for b in e if a in e and b != a} for a in range(6)]
    heads = {(a, c) for pair, c in naive.v_structures(edges) for a in pair}
    full = naive.cpdag(range(6), edges)
    assert meek_closure(near, heads) == {(a, b) for a, b in full if (b, a) not in full}


def test_level():
    assert default_alpha(3000) == 0.001
    with pytest.raises(ValueError, match="between 0 and 1"):
        learn_pc(chain_table(), alpha=2.0)
    assert math.isclose(learn_pc(chain_table(), alpha=0.01).diagnostics.alpha, 0.01)


@given(st.lists(st.floats(1e-9, 1.0), max_size=30), st.integers(0, 300))
def test_false_discoveries_are_controlled_by_the_rule(p_values, more):
    n_tests = len(p_values) + more + 1
    found = significant(np.log(p_values), n_tests)
    assert found.tolist() == naive.discoveries(p_values, n_tests, FALSE_DISCOVERIES)


def test_noise_has_hardly_any_edges():
    rng = np.random.default_rng(0)
    tables = [rng.integers(3, size=(400, 30)) for _ in range(5)]
    assert sum(learn_pc(Dataset.from_table(table)).diagnostics.edges for table in tables) <= 1
