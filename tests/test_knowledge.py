"""Knowledge in the estimator: every learner, scope and number of jobs, and copies of columns."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge_cases import knowledge_of, random_table
from lsbn import LSBN, Knowledge, Tier
from lsbn.graph.sampled import SampledGraphs
from lsbn.knowledge import KnowledgeError, resolve
from lsbn.learners import LEARNERS
from lsbn.learners.base import graphs_agreeing_with
from naive_knowledge import forbids, required, violations


def assert_honoured(knowledge, model):
    names = model.edges_.names
    graph = model.edges_.to_networkx()
    assert [edge for edge in graph.edges if forbids(knowledge, *edge)] == []
    assert all(graph.edges[edge]["probability"] == 1 for edge in required(knowledge, names))
    assert violations(knowledge, names, model.dag_.edges) == []
    assert nx.is_directed_acyclic_graph(model.dag_)
    directed = [(u, v) for u, v in model.cpdag_.edges if not model.cpdag_.has_edge(v, u)]
    assert set(directed) <= set(model.dag_.edges)
    for u, v in model.dag_.edges:
        if forbids(knowledge, v, u):
            assert (u, v) in directed


@pytest.mark.parametrize("make", [LSBN, LSBN.paper])
@pytest.mark.parametrize("learner", LEARNERS)
@settings(max_examples=4, deadline=None)
@given(knowledge=knowledge_of("abcdef"), seed=st.integers(0, 100))
def test_knowledge_is_never_violated(make, learner, knowledge, seed):
    table = random_table(6, 150, seed)
    options = {"learner": learner, "knowledge": knowledge, "random_state": 0, "max_size": 4}
    if learner == "model-averaging":
        options["score"] = "bdeu"
    model = make(**options, threshold=0.3).fit(table)
    assert_honoured(knowledge, model)
    again = make(**options, threshold=0.3, n_jobs=2).fit(table)
    assert np.array_equal(model.edge_probabilities_.toarray(), again.edge_probabilities_.toarray())


def test_sampled_networks_have_the_required_edges_of_constant_columns():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 200)
    b = np.where(rng.random(200) < 0.9, a, 1 - a)
    table = pd.DataFrame({"a": a, "one": 1, "two": 2, "b": b, "c": rng.integers(0, 2, 200)})
    told = Knowledge(required=[("one", "two"), ("a", "one"), ("one", "c")])
    model = LSBN(knowledge=told, random_state=0, n_graphs=50).fit(table)
    for graph in model.sample_graphs(50):
        assert nx.is_directed_acyclic_graph(graph)
        assert violations(told, tuple(table), graph.edges) == []
        assert graph.has_edge("a", "b") or graph.has_edge("b", "a")
    assert model.probability("one", "two", how="path") == 1
    assert np.isfinite(model.score(table, average=True))
    alone = LSBN(knowledge=told, random_state=0).fit(table.assign(a=0, b=0, c=0))
    assert all(set(g.edges) >= set(told.required) for g in alone.sample_graphs(5))


def test_required_edges_through_a_constant_column_close_no_cycle():
    known = resolve(Knowledge(required=[("a", "one"), ("one", "b")]), ("a", "b", "c", "one"))
    graphs = SampledGraphs.of([[(1, 2), (2, 0)], [(0, 1)]], ("a", "b", "c", "one"))
    first, second = graphs_agreeing_with(graphs, known)
    assert nx.is_directed_acyclic_graph(first)
    assert len(first.edges) == 3
    assert set(second.edges) == {("a", "b"), ("a", "one"), ("one", "b")}


def test_the_network_has_the_required_parents():
    table = random_table(5, 200, 1)
    model = LSBN(knowledge=Knowledge(required=[("e", "a")]), random_state=0).fit(table)
    network = model.to_network()
    assert ("e", "a") in network.dag.edges


@pytest.mark.parametrize(
    "knowledge",
    [
        Knowledge(required=[("copy", "b")]),
        Knowledge(forbidden=[("copy", "a")]),
        Knowledge(roots=["a", "copy"]),
        Knowledge(tiers=[Tier(["a", "copy"], edges_inside=False), ["b"]]),
        Knowledge(tiers=[["copy"], ["a", "b"]]),
        Knowledge(required=[("a", "b")]),
    ],
)
def test_copies_are_joined_only_where_knowledge_treats_them_alike(knowledge):
    table = random_table(4, 200, 2).assign(copy=lambda table: table["a"])
    model = LSBN(knowledge=knowledge, random_state=0).fit(table)
    assert_honoured(knowledge, model)
    folded = any("repeat another" in note for note in model.diagnostics_.notes)
    assert folded == (knowledge.required == (("a", "b"),))


def test_what_is_said_of_a_column_is_said_of_its_group():
    table = random_table(4, 200, 2).assign(copy=lambda table: table["a"])
    options = {"fold_copies": "group", "random_state": 0}
    model = LSBN(knowledge=Knowledge(required=[("copy", "b")]), **options).fit(table)
    assert model.edges_.to_networkx().edges["a = copy", "b"]["probability"] == 1
    for wrong in (
        Knowledge(tiers=[["a"], ["copy"]]),
        Knowledge(required=[("a", "b")], forbidden=[("copy", "b")]),
    ):
        with pytest.raises(KnowledgeError, match="--copies keep"):
            LSBN(knowledge=wrong, **options).fit(table)


@pytest.mark.parametrize(
    ("knowledge", "message"),
    [
        (Knowledge(required=[("a", "x")]), "no column 'x'"),
        (Knowledge(forbidden=[("z*", "a")]), r"no column matches 'z\*'"),
        (Knowledge(required=[("a", "b"), ("b", "c"), ("c", "a")]), "a -> b -> c -> a"),
        (Knowledge(required=[("a", "b")], forbidden=[("*", "b")]), "a -> b is required, but it is"),
        (Knowledge(required=[("a", "b")], tiers=[["b"], ["a"]]), "the tiers forbid it"),
        (Knowledge(required=[("a", "b")], roots=["b"]), "its target is a root"),
        (Knowledge(required=[("a", "b")], leaves=["a"]), "its source is a leaf"),
        (Knowledge(tiers=[["a"], ["a", "b"]]), "'a' is in tier 1 and in tier 2"),
        (Knowledge(required=[("a", "c"), ("b", "c")], max_parents=1), "'c' has 2 required parents"),
        (Knowledge(required=[("a", "a")]), "joins a column with itself"),
        (
            Knowledge(forbidden=[("a", "b")], edge_probabilities={("a", "b"): 0.5}),
            "a -> b has a prior probability",
        ),
    ],
)
def test_contradictions_are_refused_by_name(knowledge, message):
    table = random_table(3, 50, 0)
    with pytest.raises(KnowledgeError, match=message):
        LSBN(knowledge=knowledge).fit(table)


def test_other_values_are_refused():
    with pytest.raises(KnowledgeError, match=r"use lsbn\.Knowledge"):
        LSBN(knowledge="a->b").fit(random_table(3, 50, 0))
