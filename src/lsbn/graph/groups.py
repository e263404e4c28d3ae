"""Graphs in which groups of nodes are one node."""

import contextlib
from collections.abc import Hashable, Mapping, Sequence

import networkx as nx

from lsbn.graph.equivalence import CycleError, dag_to_cpdag

__all__ = ["group_nodes"]


def group_nodes(graph: nx.Graph, groups: Mapping[str, Sequence[Hashable]]) -> nx.Graph:
    """Replace the members of each group by one node, which has all their edges to other nodes.

    Parameters
    ----------
    graph : networkx.DiGraph or networkx.Graph
        A true graph over the columns of a table.
    groups : mapping of str to sequence
        The members of each group by the name of the group, such as `lsbn.LSBN.groups_`.

    Returns
    -------
    networkx.DiGraph or networkx.Graph
        A new graph, without attributes. Edges inside a group are left out.

    Raises
    ------
    ValueError
        If a member is no node of the graph or is in two groups, or a group has the name of another
        node.

    Notes
    -----
    If the result of a DAG has a cycle, for example from x -> a and b -> x with the group of a and
    b, then the CPDAG of the DAG is grouped instead. Opposite directions become an undirected edge.

    Examples
    --------
    >>> truth = nx.DiGraph([("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")])
    >>> list(group_nodes(truth, {"a = b": ["a", "b"]}).edges)
    [('a = b', 'c'), ('c', 'd')]
    """
    group_of: dict[Hashable, Hashable] = {node: node for node in graph}
    for name, members in groups.items():
        if name in graph and name not in members:
            raise ValueError(f"the group {name!r} has the name of another node")
        for member in members:
            if group_of.get(member) != member:
                problem = "is in two groups" if member in graph else "is no node of the graph"
                raise ValueError(f"{member!r}, a member of the group {name!r}, {problem}")
            group_of[member] = name
    grouped = _merged(graph, group_of)
    if graph.is_directed() and not nx.is_directed_acyclic_graph(grouped):
        with contextlib.suppress(CycleError):
            grouped = _merged(dag_to_cpdag(graph), group_of)
    return grouped


def _merged(graph: nx.Graph, group_of: Mapping[Hashable, Hashable]) -> nx.Graph:
    """Merge the nodes of a group; an edge of a node to itself stays, so that it can be refused."""
    merged = nx.DiGraph() if graph.is_directed() else nx.Graph()
    merged.add_nodes_from(group_of[node] for node in graph)
    merged.add_edges_from(
        (group_of[u], group_of[v]) for u, v in graph.edges() if u == v or group_of[u] != group_of[v]
    )
    return merged
