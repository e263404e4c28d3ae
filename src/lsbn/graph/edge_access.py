"""Reading access to edge probabilities by the names of the variables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pandas as pd
from scipy import sparse

__all__ = ["Edge", "EdgeAccess", "place_of"]


class Edge(NamedTuple):
    """A directed edge with its probability."""

    source: str
    target: str
    probability: float


class EdgeAccess:
    """Methods of `lsbn.EdgeProbabilities` that read single edges, or all of them.

    Examples
    --------
    >>> from lsbn.graph import EdgeProbabilities
    >>> edges = EdgeProbabilities([[0, 0.25], [0.5, 0]], ("rain", "wet"))
    >>> edges["rain", "wet"]
    0.25
    >>> list(edges)[0]
    Edge(source='wet', target='rain', probability=0.5)
    """

    matrix: sparse.csr_array
    names: tuple[str, ...]

    def __getitem__(self, pair: tuple[str, str]) -> float:
        """Return the probability of the edge from one variable to another, given by name."""
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise KeyError(f'{pair!r}: give two names, edges["source", "target"]')
        source, target = (place_of(self.names, name) for name in pair)
        return float(self.matrix[source, target])

    def __iter__(self) -> Iterator[Edge]:
        """Iterate over the edges above zero: the most probable first, equal ones by name."""
        coo = self.matrix.tocoo()
        ends = zip(coo.row.tolist(), coo.col.tolist(), coo.data.tolist(), strict=True)
        edges = (Edge(self.names[i], self.names[j], p) for i, j, p in ends)
        return iter(sorted(edges, key=lambda edge: (-edge.probability, edge.source, edge.target)))

    def to_frame(self, minimum: float = 0.01) -> pd.DataFrame:
        """Return the edges as a table, the most probable first.

        Parameters
        ----------
        minimum : float
            Edges with a smaller probability are left out.

        Returns
        -------
        pandas.DataFrame
            With the columns source, target and probability.

        Examples
        --------
        >>> from lsbn.graph import EdgeProbabilities
        >>> EdgeProbabilities([[0, 0.7], [0.2, 0]], ("rain", "wet")).to_frame(0.5)
          source target  probability
        0   rain    wet          0.7
        """
        rows = [edge for edge in self if edge.probability >= minimum]
        return pd.DataFrame(rows, columns=list(Edge._fields))


def place_of(names: Sequence[str], name: str) -> int:
    """Return the number of a variable; raise KeyError with similar names if there is none.

    Examples
    --------
    >>> place_of(("rain", "wet"), "wet")
    1
    """
    try:
        return names.index(name)
    except ValueError:
        from difflib import get_close_matches

        near = get_close_matches(str(name), names, n=3)
        hint = f"did you mean {' or '.join(map(repr, near))}?"
        if not near:
            more = f" and {len(names) - 5:,} more" if len(names) > 5 else ""
            hint = f"there are {', '.join(map(repr, names[:5]))}{more}"
        raise KeyError(f"no variable {name!r}; {hint}") from None
