"""Input and output of the learners.

A learner is a function ``learn_x(dataset, *, candidates, knowledge, pairs, random_state, n_jobs,
...)`` that returns a `Learned`. A learner uses all variables of its dataset: a sub-community in
LocalLearn, or all variables in the last pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import networkx as nx
import numpy as np
from scipy import sparse

from lsbn.data import Dataset
from lsbn.graph import EdgeProbabilities
from lsbn.graph.sampled import SampledGraphs
from lsbn.knowledge import Constraints
from lsbn.learners.diagnostics import Diagnostics

__all__ = ["Candidates", "Learned"]


@dataclass(frozen=True, eq=False)
class Candidates:
    """Candidates of the last pass.

    Attributes
    ----------
    neighbours : sequence of int arrays
        Candidate neighbours of each variable, ascending.
    blankets : sequence of int arrays
        The Markov blanket of each variable. The arrays are empty if no blankets were searched.
    joined : (m, 2) int array
        Pairs ``i < j`` that Mergence joined.
    parts : sequence of int arrays
        Disjoint parts of all variables, in which model averaging searches; one part if empty.
    blocks : (n, levels) int array
        Block of each variable on each level, small blocks first; -1 for none. Model averaging
        estimates different densities for edges inside and across blocks.
    """

    neighbours: Sequence[np.ndarray]
    blankets: Sequence[np.ndarray]
    joined: np.ndarray
    parts: Sequence[np.ndarray] = ()
    blocks: np.ndarray | None = None

    @classmethod
    def of_pairs(cls, n_variables: int, pairs: np.ndarray) -> Candidates:
        """Return candidates in which the two variables of each pair are candidates of each other.

        Parameters
        ----------
        n_variables : int
        pairs : (m, 2) int array

        Returns
        -------
        Candidates
            Without blankets and without joined pairs.

        Examples
        --------
        >>> [c.tolist() for c in Candidates.of_pairs(3, np.array([[0, 2]])).neighbours]
        [[2], [], [0]]
        """
        pairs = np.asarray(pairs, np.int64).reshape(-1, 2)
        both = np.unique(np.concatenate([pairs, pairs[:, ::-1]]), axis=0)
        start = np.searchsorted(both[:, 0], np.arange(1, n_variables))
        nothing = [np.empty(0, np.int64)] * n_variables
        return cls(np.split(both[:, 1], start), nothing, np.empty((0, 2), np.int64))

    def pairs(self, dataset: Dataset) -> np.ndarray:
        """Return the pairs ``i < j`` with one variable a candidate of the other, none constant."""
        return pairs_of(dataset, self.neighbours)


def pairs_of(dataset: Dataset, lists: Sequence[np.ndarray]) -> np.ndarray:
    """Return the pairs ``i < j`` with i in the list of j or j in the list of i.

    Pairs with a constant variable are left out.

    Parameters
    ----------
    dataset : Dataset
    lists : sequence of int arrays
        One list of variables for each variable.

    Returns
    -------
    (m, 2) int array
        Rows sorted, without repetition.

    Examples
    --------
    >>> dataset = Dataset.from_table(np.array([[0, 1, 1, 0], [1, 0, 1, 1]]))
    >>> pairs_of(dataset, [np.array([1, 2]), np.array([0]), np.array([0]), np.array([], int)])
    array([[0, 1]])
    """
    varying = dataset.cards > 1
    u = np.repeat(np.arange(len(lists)), [len(members) for members in lists])
    v = np.concatenate([np.empty(0, np.int64), *lists]).astype(np.int64)
    keep = varying[u] & varying[v]
    ends = np.stack([np.minimum(u, v)[keep], np.maximum(u, v)[keep]], axis=1)
    return np.unique(ends, axis=0)


def agreeing_with(matrix: sparse.csr_array, knowledge: Constraints | None) -> sparse.csr_array:
    """Give required edges the probability 1, and impossible edges 0.

    Examples
    --------
    >>> from lsbn.knowledge import Knowledge, resolve
    >>> known = resolve(Knowledge(required=[("a", "b")]), ("a", "b"))
    >>> agreeing_with(sparse.csr_array([[0, 0.4], [0.3, 0]]), known).toarray().tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    if knowledge is None:
        return matrix
    entries, (u, v) = matrix.tocoo(), knowledge.required_edges()
    n, edges = knowledge.n, entries.col.astype(np.int64) * knowledge.n + entries.row
    free = knowledge.allows(entries.row, entries.col) & ~np.isin(edges, knowledge.required)
    rows, columns = np.append(entries.row[free], u), np.append(entries.col[free], v)
    data = np.append(entries.data[free], np.ones(len(u)))
    return sparse.csr_array((data, (rows, columns)), shape=(n, n))


def graphs_agreeing_with(
    graphs: SampledGraphs | None, knowledge: Constraints | None
) -> SampledGraphs | None:
    """Give all networks the required edges that they lack: those of constant variables.

    If required edges through a constant variable close a cycle in a network, the network loses one
    of its other edges in the cycle.

    Examples
    --------
    >>> from lsbn.knowledge import Knowledge, resolve
    >>> known = resolve(Knowledge(required=[("a", "b")]), ("a", "b", "c"))
    >>> graphs = SampledGraphs.of([[], [(1, 2)]], ("a", "b", "c"))
    >>> [list(graph.edges) for graph in graphs_agreeing_with(graphs, known)]
    [[('a', 'b')], [('a', 'b'), ('b', 'c')]]
    """
    if graphs is None or knowledge is None:
        return graphs
    keys = graphs.child.astype(np.int64) * knowledge.n + graphs.parent
    if np.isin(keys, knowledge.required).sum() == len(graphs) * len(knowledge.required):
        return graphs
    required = set(zip(*(ends.tolist() for ends in knowledge.required_edges()), strict=True))
    own = [
        {(u, v) for v, above in enumerate(graphs.parents_of(g)) for u in above}
        for g in range(len(graphs))
    ]
    whole = [_without_cycles(edges | required, required) for edges in own]
    filled = SampledGraphs.of(
        [sorted(edges) for edges in whole], graphs.names, graphs.chain.tolist()
    )
    return replace(filled, log_score=graphs.log_score)


def _without_cycles(
    edges: set[tuple[int, int]], required: set[tuple[int, int]]
) -> set[tuple[int, int]]:
    """Take edges that are not required out of cycles."""
    graph = nx.DiGraph(sorted(edges))
    while not nx.is_directed_acyclic_graph(graph):
        cycle = nx.find_cycle(graph)
        graph.remove_edge(*next(edge for edge in cycle if edge not in required))
    return set(graph.edges)


@dataclass(frozen=True)
class Learned:
    """Result of a learner.

    Attributes
    ----------
    edges : EdgeProbabilities
        Model averaging returns posterior probabilities. The other learners return one graph: a
        directed edge has probability 1, and an undirected edge has 0.5 in each direction.
    diagnostics : Diagnostics
        Figures about the run. Another mapping is converted by `Diagnostics.of`.
    graphs : SampledGraphs, optional
        Networks from the posterior of model averaging, if they were asked for.
    """

    edges: EdgeProbabilities
    diagnostics: Diagnostics = field(default_factory=Diagnostics)
    graphs: SampledGraphs | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.diagnostics, Diagnostics):
            object.__setattr__(self, "diagnostics", Diagnostics.of(self.diagnostics))
