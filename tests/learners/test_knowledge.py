"""Every learner honours knowledge, for any scope and number of jobs."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge_cases import knowledge_of, random_table
from lsbn.data import Dataset
from lsbn.knowledge import Knowledge, resolve
from lsbn.learners import LEARNERS
from lsbn.learners.greedy import Climbing
from naive_knowledge import forbids, required, violations

OTHERS = ["aracne", "pc", "greedy", "mmhc"]
SHORT = {"effort": Climbing(rounds=1, kicks=20)}


def learned(name, table, knowledge, **options):
    dataset = Dataset.from_table(table)
    known = resolve(knowledge, dataset.names)
    return LEARNERS[name](dataset, knowledge=known, random_state=0, **options).edges


def assert_honoured(knowledge, edges):
    graph = edges.to_networkx()
    wrong = [edge for edge in graph.edges if forbids(knowledge, *edge)]
    assert wrong == []
    assert all(graph.edges[edge]["probability"] == 1 for edge in required(knowledge, edges.names))


@pytest.mark.parametrize("name", OTHERS)
@settings(max_examples=15, deadline=None)
@given(knowledge=knowledge_of("abcdef"), seed=st.integers(0, 100))
def test_knowledge_is_never_violated(name, knowledge, seed):
    table = random_table(6, 200, seed)
    options = SHORT if name in ("greedy", "mmhc") else {}
    edges = learned(name, table, knowledge, **options)
    assert_honoured(knowledge, edges)
    directed = [(u, v) for u, v, p in edges.to_networkx().edges(data="probability") if p == 1]
    assert violations(knowledge, edges.names, directed) == []
    again = learned(name, table, knowledge, n_jobs=2, **options)
    assert np.array_equal(edges.matrix.toarray(), again.matrix.toarray())


@pytest.mark.parametrize("name", OTHERS)
def test_empty_knowledge_changes_nothing(name):
    table = random_table(6, 300, 1)
    plain = LEARNERS[name](Dataset.from_table(table), random_state=0).edges
    free = learned(name, table, Knowledge(max_parents=8))
    assert np.array_equal(plain.matrix.toarray(), free.matrix.toarray())


@pytest.mark.parametrize("name", ["greedy", "mmhc"])
def test_a_prior_probability_directs_an_edge(name):
    table = random_table(3, 300, 4, cards=(2,))
    table["c"] = np.where(np.arange(300) % 10 > 0, table["a"], 1 - table["a"])
    for edge in (("a", "c"), ("c", "a")):
        prior = Knowledge(edge_probabilities={edge: 0.99})
        assert edge in learned(name, table, prior).to_networkx().edges


def test_knowledge_directs_a_chain_by_meeks_rules():
    rng = np.random.default_rng(0)
    flip = lambda x: np.where(rng.random(3000) < 0.1, 1 - x, x)  # noqa: E731
    a = rng.integers(2, size=3000)
    b = flip(a)
    table = Dataset.from_table(np.array([a, b, flip(b)]).T)
    knowledge = Knowledge(forbidden=[("x1", "x0")])
    edges = LEARNERS["pc"](table, knowledge=resolve(knowledge, table.names)).edges
    assert nx.utils.graphs_equal(
        nx.DiGraph(edges.to_networkx().edges), nx.DiGraph([("x0", "x1"), ("x1", "x2")])
    )
