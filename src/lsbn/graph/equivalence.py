"""Topological order and Markov equivalence of directed graphs.

Functions for the algorithms take the parents of each variable, as integer arrays. Functions for the
user take a `networkx.DiGraph`, in which an undirected edge has both directions.
"""

from collections.abc import Iterable, Sequence

import networkx as nx
import numpy as np

from lsbn.graph.meek import meek_closure

__all__ = ["CycleError", "cpdag_of", "dag_to_cpdag", "topological_order"]

Parents = Sequence[np.ndarray] | Sequence[Sequence[int]]


class CycleError(ValueError):
    """A directed graph that must be acyclic has a cycle.

    Attributes
    ----------
    cycle : list
        The nodes of one cycle, each a parent of the next.
    """

    def __init__(self, cycle: list) -> None:
        self.cycle = cycle
        super().__init__("the graph has a cycle: " + " -> ".join(map(str, [*cycle, cycle[0]])))


def topological_order(n: int, parents: Parents) -> np.ndarray:
    """Order the nodes so that parents come before their children.

    Parameters
    ----------
    n : int
        Number of nodes.
    parents : sequence of int sequences
        ``parents[v]`` holds the parents of node v.

    Returns
    -------
    numpy.ndarray
        The node indices, parents first.

    Raises
    ------
    CycleError
        If there is a directed cycle.

    Examples
    --------
    >>> topological_order(3, [[1], [2], []]).tolist()
    [2, 1, 0]
    """
    children: list[list[int]] = [[] for _ in range(n)]
    waiting = [len(p) for p in parents]
    for v in range(n):
        for u in parents[v]:
            children[u].append(v)
    order = [v for v in range(n) if waiting[v] == 0]
    for u in order:  # the loop appends to the list
        for v in children[u]:
            waiting[v] -= 1
            if waiting[v] == 0:
                order.append(v)
    if len(order) < n:
        raise CycleError(_cycle_among(parents, waiting))
    return np.array(order, dtype=np.int64)


def _cycle_among(parents: Parents, waiting: list[int]) -> list[int]:
    """Walk from parent to parent among the nodes that Kahn's algorithm left over."""
    v = next(v for v, left in enumerate(waiting) if left)
    seen: dict[int, int] = {}
    while v not in seen:
        seen[v] = len(seen)
        v = next(int(u) for u in parents[v] if waiting[u])
    walk = list(seen)[seen[v] :]
    return walk[::-1]


def cpdag_of(n: int, parents: Parents) -> tuple[np.ndarray, ...]:
    """Tell the compelled edges of a DAG from the reversible ones.

    Two DAGs are Markov equivalent if they have the same skeleton and the same v-structures. An edge
    is compelled if it has the same direction in every DAG of the equivalence class. The edges are
    labelled in one pass over the children in topological order (Chickering 1995, Label-Edges).

    Let x be the last parent of y in this order. All edges into y are compelled if w -> x is
    compelled for some w that is no parent of y, or if another parent of y is no parent of x.
    Otherwise the edges from compelled parents of x are compelled, and the others are reversible.

    Parameters
    ----------
    n : int
        Number of nodes.
    parents : sequence of int sequences
        ``parents[v]`` holds the parents of node v.

    Returns
    -------
    tuple of numpy.ndarray of bool
        ``compelled[v][k]`` is about the edge ``parents[v][k] -> v``.

    Examples
    --------
    >>> [c.tolist() for c in cpdag_of(3, [[], [], [0, 1]])]  # a v-structure
    [[], [], [True, True]]
    >>> [c.tolist() for c in cpdag_of(3, [[], [0], [1]])]  # a chain
    [[], [False], [False]]
    """
    order = topological_order(n, parents)
    rank = np.empty(n, dtype=np.int64)
    rank[order] = np.arange(n)
    ranks = rank.tolist()
    above = [frozenset(int(u) for u in p) for p in parents]
    compelled: list[frozenset[int]] = [frozenset()] * n
    for y in order.tolist():
        if not above[y]:
            continue
        x = max(above[y], key=ranks.__getitem__)
        if compelled[x] <= above[y] <= above[x] | {x}:
            compelled[y] = compelled[x]
        else:
            compelled[y] = above[y]
    return tuple(
        np.fromiter((int(u) in compelled[v] for u in parents[v]), dtype=bool, count=len(parents[v]))
        for v in range(n)
    )


def dag_to_cpdag(dag: nx.DiGraph, known: Iterable[tuple] = ()) -> nx.DiGraph:
    """Return the completed partially directed graph of a DAG's Markov equivalence class.

    Parameters
    ----------
    dag : networkx.DiGraph
        An acyclic graph.
    known : iterable of (node, node)
        Edges of the graph whose direction is known. They are compelled, and so are all edges that
        follow from them by Meek's rules.

    Returns
    -------
    networkx.DiGraph
        Compelled edges keep their direction, reversible edges have both. Graph, node and edge
        attributes are kept; both directions of a reversible edge have the same attributes.

    Raises
    ------
    CycleError
        If the graph has a directed cycle; ``cycle`` holds the nodes of the graph.

    Examples
    --------
    >>> sorted(dag_to_cpdag(nx.DiGraph([("a", "b"), ("b", "c")])).edges)
    [('a', 'b'), ('b', 'a'), ('b', 'c'), ('c', 'b')]
    >>> sorted(dag_to_cpdag(nx.DiGraph([("a", "b"), ("b", "c")]), known=[("a", "b")]).edges)
    [('a', 'b'), ('b', 'c')]
    """
    nodes = list(dag)
    index = {node: v for v, node in enumerate(nodes)}
    parents = [[index[u] for u in dag.pred[node]] for node in nodes]
    try:
        compelled = cpdag_of(len(nodes), parents)
    except CycleError as error:
        raise CycleError([nodes[v] for v in error.cycle]) from None
    arrows = {
        (u, v)
        for v, (above, fixed) in enumerate(zip(parents, compelled, strict=True))
        for u, is_compelled in zip(above, fixed, strict=True)
        if is_compelled
    }
    if new := {(index[u], index[v]) for u, v in known} - arrows:
        neighbours = [{index[u] for u in nx.all_neighbors(dag, node)} for node in nodes]
        arrows = meek_closure(neighbours, arrows | new)
    cpdag = dag.copy()
    for v, above in enumerate(parents):
        for u in above:
            if (u, v) not in arrows:
                cpdag.add_edge(nodes[v], nodes[u], **dag.edges[nodes[u], nodes[v]])
    return cpdag
