"""The probability of every edge, and the graphs that follow: skeleton, DAG and CPDAG."""

import csv
import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
from scipy import sparse

from lsbn.files import atomic_file, safe_name
from lsbn.graph.edge_access import EdgeAccess
from lsbn.graph.edgelist import read_edges
from lsbn.graph.equivalence import dag_to_cpdag
from lsbn.graph.joined import JoinedPairs, informed_pairs
from lsbn.graph.orientation import acyclic_orientation, cardinality_order

if TYPE_CHECKING:
    from lsbn.knowledge import Constraints

__all__ = ["EdgeProbabilities"]

RANGE_TOLERANCE = 1e-9
"""A probability may be outside [0, 1] by this much; a larger excess is an error."""


@dataclass(frozen=True, eq=False)
class EdgeProbabilities(EdgeAccess):
    """The probability of every directed edge over a set of variables.

    Parameters
    ----------
    matrix : scipy sparse or array, shape (n, n)
        ``matrix[i, j]`` is P(i -> j): the row is the parent, the column is the child. Pairs that
        are not stored have probability zero. The matrix is copied, and values outside [0, 1] by up
        to 1e-9 are clipped.
    names : sequence of str
        Names of the variables, unique and not empty.
    knowledge : Constraints, optional
        What is known about the edges. `dag` and `cpdag` honour it.

    Raises
    ------
    ValueError
        If a probability is outside [0, 1], the two directions of a pair exceed 1 together, a
        variable is its own parent, or the names do not fit; the message names the variables.

    Notes
    -----
    The skeleton probability of a pair is P(i -> j) + P(j -> i), because a graph has at most one of
    the two directions. A learner that returns one graph without probabilities gives 1 to a directed
    edge, and 0.5 to each direction of an undirected edge.

    Examples
    --------
    >>> edges = EdgeProbabilities([[0, 0.7, 0], [0.2, 0, 0.1], [0, 0, 0]], ("a", "b", "c"))
    >>> edges
    <EdgeProbabilities: 3 variables, 3 stored>
    >>> edges["a", "b"]
    0.7
    """

    matrix: sparse.csr_array
    names: tuple[str, ...]
    knowledge: "Constraints | None" = None

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

    def skeleton(self, threshold: float = 0.5) -> nx.Graph:
        """Return the undirected graph of the pairs whose skeleton probability is high.

        Parameters
        ----------
        threshold : float
            A pair is joined if P(i -> j) + P(j -> i) is greater.

        Returns
        -------
        networkx.Graph
            Over all variables; the attribute ``probability`` of an edge is this sum.

        Examples
        --------
        >>> edges = EdgeProbabilities([[0, 0.4, 0], [0.3, 0, 0.2], [0, 0, 0]], ("a", "b", "c"))
        >>> list(edges.skeleton(0.5).edges)
        [('a', 'b')]
        """
        pairs = self._joined_pairs(threshold)
        return self._fill(nx.Graph(), pairs.first, pairs.second, pairs.both)

    def dag(self, threshold: float = 0.5) -> nx.DiGraph:
        """Return an acyclic graph with exactly the edges of the skeleton.

        Every pair of the skeleton gets its more probable direction. Then the edges enter an empty
        graph, the most probable direction first. An edge that would close a cycle is reversed. The
        reversed edge never closes a cycle; `lsbn.graph.orientation.acyclic_orientation` has the
        proof. So no pair is lost. With knowledge, a direction that is not possible is never taken.
        A pair is lost only if no possible direction is without a cycle, or if a variable would have
        too many parents.

        Parameters
        ----------
        threshold : float
            As for `skeleton`.

        Returns
        -------
        networkx.DiGraph
            Over all variables; the attribute ``probability`` of an edge is that of its direction.

        Notes
        -----
        Some pairs have two equally probable directions, for example the undirected edges of a
        CPDAG. These pairs are directed along a maximum cardinality search, which adds no
        v-structure if the graph is a CPDAG. Further ties are broken by name, so the order of the
        variables does not matter.

        Examples
        --------
        >>> edges = EdgeProbabilities([[0, 0.9, 0], [0, 0, 0.8], [0.6, 0.1, 0]], ("a", "b", "c"))
        >>> sorted(edges.dag().edges(data="probability"))  # c -> a would close a cycle
        [('a', 'b', 0.9), ('a', 'c', 0.0), ('b', 'c', 0.8)]
        """
        pairs = self._joined_pairs(threshold)
        alphabet = np.empty(self.n_variables, dtype=np.int64)
        alphabet[sorted(range(self.n_variables), key=self.names.__getitem__)] = np.arange(
            self.n_variables
        )
        tied = np.abs(pairs.forward - pairs.backward) <= RANGE_TOLERANCE
        undirected = np.stack((pairs.first[tied], pairs.second[tied]), axis=1)
        place = cardinality_order(self.n_variables, undirected, alphabet.tolist())
        flip = np.where(
            tied, place[pairs.first] > place[pairs.second], pairs.backward > pairs.forward
        )
        pairs = pairs.flipped(flip)
        if self.knowledge is not None:
            pairs = informed_pairs(pairs, self.knowledge, alphabet)
        else:
            order = np.lexsort((alphabet[pairs.second], alphabet[pairs.first], -pairs.forward))
            pairs = pairs.flipped(
                acyclic_orientation(self.n_variables, pairs.first, pairs.second, order)
            )
        return self._fill(nx.DiGraph(), pairs.first, pairs.second, pairs.forward)

    def cpdag(self, threshold: float = 0.5) -> nx.DiGraph:
        """Return the Markov equivalence class of `dag`.

        With knowledge, an edge with only one possible direction is directed, and so are the edges
        that follow from it by Meek's rules.

        Parameters
        ----------
        threshold : float
            As for `skeleton`.

        Returns
        -------
        networkx.DiGraph
            An undirected edge has both directions. The attribute ``probability`` is that of each
            direction.
        """
        dag, index = self.dag(threshold), {name: v for v, name in enumerate(self.names)}
        known = []
        if self.knowledge is not None:
            allows = self.knowledge.allows
            known = [(u, v) for u, v in dag.edges if not allows(index[v], index[u])]
        graph = dag_to_cpdag(dag, known)
        where = np.array([(index[u], index[v]) for u, v in graph.edges], dtype=np.int64)
        if len(where):
            values = self.matrix[where[:, 0], where[:, 1]]
            for (u, v), p in zip(graph.edges, np.asarray(values).ravel().tolist(), strict=True):
                graph.edges[u, v]["probability"] = p
        return graph

    def to_networkx(self) -> nx.DiGraph:
        """Return all edges with a probability above zero, both directions of a pair included."""
        coo = self.matrix.tocoo()
        return self._fill(nx.DiGraph(), coo.row, coo.col, coo.data)

    def to_graphml(self, path: str | os.PathLike[str], threshold: float = 0.5) -> None:
        r"""Write `dag` as GraphML; the names of the variables identify the nodes.

        Parameters
        ----------
        path : str or path
            The file, written whole or not at all. Characters that XML does not allow are written as
            escapes such as ``\x01``.
        threshold : float
            As for `skeleton`.
        """
        graph = self.dag(threshold)
        if any(map(_NOT_XML.search, self.names)):
            clean = {name: _NOT_XML.sub(_escaped, name) for name in self.names}
            graph = nx.relabel_nodes(graph, clean)
        with atomic_file(path) as draft, open(draft, "wb") as file:
            nx.write_graphml_xml(graph, file)

    def to_csv(self, path: str | os.PathLike[str], minimum: float = 0.01) -> None:
        """Write the edges as ``source,target,probability``, the most probable first.

        Parameters
        ----------
        path : str or path
            The file, UTF-8, written whole or not at all.
        minimum : float
            Edges with a smaller probability are left out.

        Notes
        -----
        Probabilities have six significant digits. Edges of equal probability are sorted by name.
        A name that a spreadsheet would run as a formula, such as ``=cmd()``, is written after an
        apostrophe; `from_csv` removes it.
        """
        rows = [edge for edge in self if edge.probability >= minimum]
        with atomic_file(path) as draft, open(draft, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("source", "target", "probability"))
            writer.writerows((safe_name(u), safe_name(v), f"{p:.6g}") for u, v, p in rows)

    def as_written(self, minimum: float = 0.01) -> "EdgeProbabilities":
        """Round the probabilities as `to_csv` does, and leave out those below `minimum`.

        The result equals that of `to_csv` followed by `from_csv`. Reports and exports use it, so
        that they agree with the CSV file.
        """
        coo = self.matrix.tocoo()
        keep = coo.data >= minimum
        values = np.array([float(f"{p:.6g}") for p in coo.data[keep].tolist()], dtype=np.float64)
        rounded = sparse.csr_array(
            (values, (coo.row[keep], coo.col[keep])), shape=self.matrix.shape
        )
        return EdgeProbabilities(_within_one(rounded), self.names, self.knowledge)

    @classmethod
    def from_csv(
        cls, path: str | os.PathLike[str], names: Sequence[str] | None = None
    ) -> "EdgeProbabilities":
        """Read what `to_csv` wrote, or any list of edges ``source,target[,probability]``.

        Parameters
        ----------
        path : str or path
            A CSV file with a header. Without a third column every edge has probability 1.
        names : sequence of str, optional
            All variables, in order. By default those with an edge, in alphabetical order.

        Raises
        ------
        ValueError
            If the file is not such a list; the message has the line.

        Examples
        --------
        >>> import tempfile
        >>> edges = EdgeProbabilities([[0, 0.7], [0.2, 0]], ("rain", "wet"))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     edges.to_csv(f"{folder}/edges.csv")
        ...     EdgeProbabilities.from_csv(f"{folder}/edges.csv")
        <EdgeProbabilities: 2 variables, 2 stored>
        """
        edges = read_edges(path)
        seen = {name for u, v, _ in edges for name in (u, v)}
        chosen = tuple(sorted(seen)) if names is None else _checked_names(names)
        index = {name: v for v, name in enumerate(chosen)}
        if unknown := sorted(seen - index.keys()):
            more = f" and {len(unknown) - 5} more" if len(unknown) > 5 else ""
            shown = ", ".join(map(repr, unknown[:5]))
            raise ValueError(f"{path}: unknown variables {shown}{more}")
        rows = np.array([index[u] for u, _, _ in edges], dtype=np.int64)
        columns = np.array([index[v] for _, v, _ in edges], dtype=np.int64)
        values = np.array([p for _, _, p in edges], dtype=np.float64)
        shape = (len(chosen), len(chosen))
        return cls(_within_one(sparse.csr_array((values, (rows, columns)), shape=shape)), chosen)

    def _fill(self, graph: nx.Graph, u: np.ndarray, v: np.ndarray, p: np.ndarray) -> nx.Graph:
        """Fill an empty graph with all variables and the edges u - v of probability p."""
        graph.add_nodes_from(self.names)
        for i, j, probability in zip(u.tolist(), v.tolist(), p.tolist(), strict=True):
            graph.add_edge(self.names[i], self.names[j], probability=probability)
        return graph

    def _joined_pairs(self, threshold: float) -> JoinedPairs:
        """Return the pairs i < j whose skeleton probability exceeds the threshold."""
        if not 0 <= threshold < 1:
            raise ValueError(f"threshold is {threshold}; use 0 or more, and less than 1")
        forward = sparse.triu(self.matrix, 1, format="csr")
        backward = sparse.triu(self.matrix.T, 1, format="csr")
        both = (forward + backward).tocoo()
        keep = both.data > threshold
        first, second = both.row[keep].astype(np.int64), both.col[keep].astype(np.int64)
        ahead, back = (
            np.asarray(m[first, second]).ravel() if len(first) else np.zeros(0)
            for m in (forward, backward)
        )
        return JoinedPairs(first, second, ahead, back)

    def _check_range(self, matrix: sparse.csr_array) -> None:
        bad = ~((matrix.data >= -RANGE_TOLERANCE) & (matrix.data <= 1 + RANGE_TOLERANCE))
        if bad.any():
            place = int(np.argmax(bad))
            i, j = matrix.tocoo().row[place], matrix.indices[place]
            raise ValueError(
                f"P({self.names[i]!r} -> {self.names[j]!r}) is {matrix.data[place]:.6g}, "
                "not a probability"
            )
        own = matrix.diagonal()
        if np.any(own > RANGE_TOLERANCE):
            v = int(np.argmax(own))
            raise ValueError(f"{self.names[v]!r} is its own parent with probability {own[v]:.6g}")

    def _checked_pairs(self, matrix: sparse.csr_array) -> sparse.csr_array:
        """Clear the diagonal; scale two directions to the sum 1 if they exceed 1 by rounding."""
        if matrix.diagonal().any():
            coo = matrix.tocoo()
            off = coo.row != coo.col
            parts = (coo.data[off], (coo.row[off], coo.col[off]))
            matrix = sparse.csr_array(parts, shape=matrix.shape)
        both = (matrix + matrix.T).tocoo()
        over = both.data > 1
        if over.any():
            worst = int(np.argmax(both.data))
            if both.data[worst] > 1 + RANGE_TOLERANCE:
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
    wrong = [name for name in names if not isinstance(name, str) or not name]
    if wrong:
        raise ValueError(f"names must be str and not empty, found {wrong[0]!r}")
    if len(set(names)) < len(names):
        raise ValueError(f"two variables are called {Counter(names).most_common(1)[0][0]!r}")
    return names


_NOT_XML = re.compile("[^\t\n\r\\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _escaped(match: re.Match[str]) -> str:
    return f"\\x{ord(match[0]):02x}"


def _within_one(matrix: sparse.csr_array) -> sparse.csr_array:
    """Scale two directions to the sum 1 if they exceed 1 by up to 1e-5, by rounding to six digits.

    An undirected edge in a list without probabilities has 1 in both directions. It gets 0.5 each.
    """
    both = (matrix + matrix.T).tocoo()
    over = (both.data > 1) & ((both.data <= 1 + 1e-5) | (both.data == 2))
    if not over.any():
        return matrix
    shares = (1 - 1 / both.data[over], (both.row[over], both.col[over]))
    return sparse.csr_array(matrix - matrix.multiply(sparse.csr_array(shares, shape=matrix.shape)))
