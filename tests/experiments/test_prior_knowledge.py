import networkx as nx
import numpy as np
import pytest

from experiment_cases import load_experiment
from lsbn.network import load_network


@pytest.fixture(scope="module")
def study():
    return load_experiment("prior_knowledge")


def test_tiers_agree_with_every_true_edge(study):
    dag = load_network("alarm").dag
    tier = {name: t for t, names in enumerate(study.depths(dag)) for name in names}
    assert set(tier) == set(dag)
    assert all(tier[u] < tier[v] for u, v in dag.edges)


def test_false_edges_are_false_and_close_no_cycle(study):
    dag = load_network("alarm").dag
    false = study.false_edges(dag, np.random.default_rng(0))
    assert len(set(false)) == study.FALSE_EDGES
    assert not set(false) & set(dag.edges)
    assert nx.is_directed_acyclic_graph(nx.DiGraph([*dag.edges, *false]))
