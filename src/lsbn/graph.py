"""Graphs over variables: edge probabilities, topological order and Markov equivalence.

A graph is given by the parents of each variable, as integer arrays, and shown to the user as a
`networkx.DiGraph`. In a DiGraph an undirected edge is written as both directions. What learning
gives is not one graph but `EdgeProbabilities`, from which graphs are read off.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np
from scipy import sparse

__all__ = ["CycleError", "EdgeProbabilities", "cpdag_of", "dag_to_cpdag", "topological_order"]

Parents = Sequence[np.ndarray] | Sequence[Sequence[int]]

ROUNDING = 1e-9
"""How far a probability may be outside its range before it is an error and not rounding."""


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
    for u in order:  # grows while it is read
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
    is compelled if every DAG of the equivalence class directs it alike. The edges are labelled in
    one sweep over the children in topological order (Chickering 1995, Label-Edges).

    With x the last parent of y in that order, the edges into y are settled together: all are
    compelled if w -> x is compelled for some w that is no parent of y, or if another parent of y is
    no parent of x; else those from x's compelled parents are compelled and the rest reversible.

    Parameters
    ----------
    n : int
        Number of nodes.
    parents : sequence of int sequences
        ``parents[v]`` holds the parents of node v.

    Returns
    -------
    tuple of numpy.ndarray of bool
        ``compelled[v][k]`` belongs to the edge ``parents[v][k] -> v``.

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


def dag_to_cpdag(dag: nx.DiGraph) -> nx.DiGraph:
    """Return the completed partially directed graph of a DAG's Markov equivalence class.

    Parameters
    ----------
    dag : networkx.DiGraph
        An acyclic graph.

    Returns
    -------
    networkx.DiGraph
        Compelled edges as they are, reversible edges in both directions. Graph, node and edge
        attributes are kept; both directions of a reversible edge get the attributes of the one.

    Raises
    ------
    CycleError
        If the graph has a directed cycle; ``cycle`` then holds the nodes themselves.

    Examples
    --------
    >>> sorted(dag_to_cpdag(nx.DiGraph([("a", "b"), ("b", "c")])).edges)
    [('a', 'b'), ('b', 'a'), ('b', 'c'), ('c', 'b')]
    """
    nodes = list(dag)
    index = {node: v for v, node in enumerate(nodes)}
    parents = [[index[u] for u in dag.pred[node]] for node in nodes]
    try:
        compelled = cpdag_of(len(nodes), parents)
    except CycleError as error:
        raise CycleError([nodes[v] for v in error.cycle]) from None
    cpdag = dag.copy()
    for node, above, fixed in zip(nodes, parents, compelled, strict=True):
        for u, is_compelled in zip(above, fixed, strict=True):
            if not is_compelled:
                cpdag.add_edge(node, nodes[u], **dag.edges[nodes[u], node])
    return cpdag


@dataclass(frozen=True, eq=False)
class EdgeProbabilities:
    """The probability of every directed edge over a set of variables.

    Parameters
    ----------
    matrix : scipy sparse or array, shape (n, n)
        ``matrix[i, j]`` is P(i -> j): the row is the parent, the column the child. What is not
        stored has probability zero. It is copied, and rounding (up to 1e-9) is clipped.
    names : sequence of str
        Names of the variables, unique and not empty.

    Raises
    ------
    ValueError
        If a probability is outside [0, 1], the two directions of a pair exceed 1 together, a
        variable is its own parent, or the names do not fit; the message names the variables.

    Notes
    -----
    The skeleton probability of a pair is P(i -> j) + P(j -> i): a graph has one direction or the
    other, so the events exclude each other. A learner that gives one graph and no probabilities
    gives 1 to a directed edge and 0.5 each way to an undirected one.

    Examples
    --------
    >>> edges = EdgeProbabilities([[0, 0.7, 0], [0.2, 0, 0.1], [0, 0, 0]], ("a", "b", "c"))
    >>> edges
    <EdgeProbabilities: 3 variables, 3 stored>
    >>> float(edges.matrix[0, 1])
    0.7
    """

    matrix: sparse.csr_array
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        matrix = sparse.csr_array(self.matrix, dtype=np.float64, copy=True)
        object.__setattr__(self, "names", _checked_names(self.names))
        n = len(self.names)
        if matrix.shape != (n, n):
            raise ValueError(f"the matrix has shape {matrix.shape}, but there are {n} names")
        matrix.sum_duplicates()
        self._check_range(matrix)
        np.clip(matrix.data, 0.0, 1.0, out=matrix.data)
        matrix.eliminate_zeros()
        object.__setattr__(self, "matrix", self._checked_pairs(matrix))

    def __repr__(self) -> str:
        return f"<EdgeProbabilities: {self.n_variables} variables, {self.matrix.nnz} stored>"

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.names)

    def _check_range(self, matrix: sparse.csr_array) -> None:
        bad = ~((matrix.data >= -ROUNDING) & (matrix.data <= 1 + ROUNDING))
        if bad.any():
            place = int(np.argmax(bad))
            i, j = matrix.tocoo().row[place], matrix.indices[place]
            raise ValueError(
                f"P({self.names[i]!r} -> {self.names[j]!r}) is {matrix.data[place]:.6g}, "
                "not a probability"
            )
        own = matrix.diagonal()
        if np.any(own > ROUNDING):
            v = int(np.argmax(own))
            raise ValueError(f"{self.names[v]!r} is its own parent with probability {own[v]:.6g}")

    def _checked_pairs(self, matrix: sparse.csr_array) -> sparse.csr_array:
        """Empty the diagonal and bring sums of two directions that exceed 1 by rounding to 1."""
        if matrix.diagonal().any():
            coo = matrix.tocoo()
            off = coo.row != coo.col
            parts = (coo.data[off], (coo.row[off], coo.col[off]))
            matrix = sparse.csr_array(parts, shape=matrix.shape)
        both = (matrix + matrix.T).tocoo()
        over = both.data > 1
        if over.any():
            worst = int(np.argmax(both.data))
            if both.data[worst] > 1 + ROUNDING:
                u, v = (self.names[x[worst]] for x in (both.row, both.col))
                raise ValueError(
                    f"P({u!r} -> {v!r}) + P({v!r} -> {u!r}) is {both.data[worst]:.9g}, more than 1"
                )
            excess = (both.data[over] - 1, (both.row[over], both.col[over]))
            matrix -= matrix.multiply(sparse.csr_array(excess, shape=matrix.shape))
            matrix = sparse.csr_array(matrix)
        matrix.sort_indices()
        return matrix


def _checked_names(names: Sequence[str]) -> tuple[str, ...]:
    names = tuple(names)
    strange = [name for name in names if not isinstance(name, str) or not name]
    if strange:
        raise ValueError(f"names must be str and not empty, found {strange[0]!r}")
    if len(set(names)) < len(names):
        raise ValueError(f"two variables are called {Counter(names).most_common(1)[0][0]!r}")
    return names
