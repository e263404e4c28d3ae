"""Directions that follow from knowledge, against all graphs of the equivalence class."""

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from lsbn.graph.equivalence import dag_to_cpdag

PAIRS = [(u, v) for v in range(5) for u in range(v)]


@settings(max_examples=60, deadline=None)
@given(st.sets(st.sampled_from(PAIRS)), st.randoms(use_true_random=False))
def test_known_edges_direct_all_that_follows(edges, random):
    known = {edge for edge in edges if random.random() < 0.3}
    dag = nx.DiGraph(sorted(edges))
    dag.add_nodes_from(range(5))
    agreeing = [
        set(graph) for graph in naive.equivalence_class(range(5), edges) if known <= set(graph)
    ]
    expected = set.union(*agreeing)
    assert set(dag_to_cpdag(dag, known).edges) == expected
