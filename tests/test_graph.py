import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from lsbn.graph import CycleError, cpdag_of, dag_to_cpdag, topological_order


@st.composite
def dags(draw, max_nodes):
    n = draw(st.integers(1, max_nodes))
    order = draw(st.permutations(range(n)))
    pairs = list(itertools.combinations(order, 2))
    kept = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    graph = nx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(pair for pair, keep in zip(pairs, kept, strict=True) if keep)
    return graph


@settings(deadline=None, max_examples=200)
@given(dags(max_nodes=5))
def test_cpdag_is_union_of_equivalence_class(dag):
    assert set(dag_to_cpdag(dag).edges) == naive.cpdag(list(dag), list(dag.edges))


def test_cpdag_of_all_dags_on_four_nodes():
    pairs = list(itertools.combinations(range(4), 2))
    for kept in itertools.product([False, True], repeat=len(pairs)):
        edges = [pair for pair, keep in zip(pairs, kept, strict=True) if keep]
        dag = nx.DiGraph(edges)
        assert set(dag_to_cpdag(dag).edges) == naive.cpdag(list(dag), edges)


@settings(deadline=None)
@given(dags(max_nodes=5))
def test_equivalent_dags_have_same_cpdag(dag):
    expected = set(dag_to_cpdag(dag).edges)
    for edges in naive.equivalence_class(list(dag), list(dag.edges)):
        assert set(dag_to_cpdag(nx.DiGraph(edges)).edges) == expected


@settings(deadline=None)
@given(dags(max_nodes=12), st.randoms(use_true_random=False))
def test_covered_edge_reversals_keep_cpdag(dag, random):
    """Chickering (1995): the reversal of x -> y with pa(y) = pa(x) + x stays in the class."""
    expected = set(dag_to_cpdag(dag).edges)
    for _ in range(10):
        covered = [(x, y) for x, y in dag.edges if set(dag.pred[y]) == set(dag.pred[x]) | {x}]
        if not covered:
            break
        x, y = random.choice(covered)
        dag.remove_edge(x, y)
        dag.add_edge(y, x)
        assert set(dag_to_cpdag(dag).edges) == expected


@settings(deadline=None)
@given(dags(max_nodes=12))
def test_topological_order_puts_parents_first(dag):
    parents = [list(dag.pred[v]) for v in range(len(dag))]
    order = topological_order(len(dag), parents).tolist()
    assert sorted(order) == list(range(len(dag)))
    assert all(order.index(u) < order.index(v) for u, v in dag.edges)


def test_cpdag_of_takes_arrays_in_any_order():
    parents = [np.array([2, 1]), np.array([], dtype=int), np.array([], dtype=int), np.array([0])]
    compelled = cpdag_of(4, parents)
    assert [c.tolist() for c in compelled] == [[True, True], [], [], [True]]
    assert all(c.dtype == bool for c in compelled)


def test_attributes_are_kept():
    dag = nx.DiGraph(name="x")
    dag.add_node("a", colour="red")
    dag.add_edge("a", "b", probability=0.75)
    cpdag = dag_to_cpdag(dag)
    assert cpdag.edges["a", "b"] == cpdag.edges["b", "a"] == {"probability": 0.75}
    assert cpdag.nodes["a"] == {"colour": "red"}
    assert cpdag.graph == {"name": "x"}
    assert list(dag.edges) == [("a", "b")]


def test_cycle_is_named():
    graph = nx.DiGraph([("s", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("c", "t")])
    with pytest.raises(CycleError, match="cycle") as caught:
        dag_to_cpdag(graph)
    cycle = caught.value.cycle
    assert set(cycle) == {"a", "b", "c"}
    assert all(graph.has_edge(u, v) for u, v in itertools.pairwise([*cycle, cycle[0]]))
