"""True graphs, read from lists of edges."""

import os
from collections.abc import Sequence

import networkx as nx

from lsbn.graph.edgelist import has_probabilities
from lsbn.graph.edges import EdgeProbabilities

__all__ = ["true_graph"]


def true_graph(path: str | os.PathLike[str], names: Sequence[str] | None = None) -> nx.DiGraph:
    """Read the true graph from a list of edges.

    Parameters
    ----------
    path : str or path
        A CSV file with the header ``source,target`` or ``source,target,probability``. With
        probabilities the graph is the DAG of the edges above 0.5, see `EdgeProbabilities.dag`; so a
        run agrees with its own edges.
    names : sequence of str, optional
        All variables. By default those with an edge.

    Returns
    -------
    networkx.DiGraph

    Raises
    ------
    ValueError
        If the edges of a list without probabilities have a cycle.
    """
    edges = EdgeProbabilities.from_csv(path, names)
    listed = edges.dag() if has_probabilities(path) else edges.to_networkx()
    graph = nx.DiGraph()
    graph.add_nodes_from(edges.names)
    graph.add_edges_from(listed.edges)
    if not nx.is_directed_acyclic_graph(graph):
        cycle = [u for u, _ in nx.find_cycle(graph)]
        shown = " -> ".join(map(repr, [*cycle[:6], *(["..."] if len(cycle) > 6 else []), cycle[0]]))
        raise ValueError(f"{path}: the edges have a cycle, {shown}; a true network has none")
    return graph
