"""Edges and communities as Parquet files, for results too large for text."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from lsbn.graph.edges import EdgeProbabilities

__all__ = ["LARGE", "write_communities", "write_edges"]

LARGE = 1_000
"""Runs of more variables have Parquet files beside the text files."""


def write_edges(path: Path, edges: EdgeProbabilities) -> None:
    """Write edges with the columns source, target and probability, the most probable first.

    Parameters
    ----------
    path : Path
    edges : EdgeProbabilities
        As in edges.csv: `EdgeProbabilities.as_written` rounds them.

    Examples
    --------
    >>> import tempfile
    >>> edges = EdgeProbabilities([[0, 0.7], [0.2, 0]], ("rain", "wet"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_edges(Path(folder) / "edges.parquet", edges)
    ...     pyarrow.parquet.read_table(Path(folder) / "edges.parquet").to_pylist()[0]
    {'source': 'rain', 'target': 'wet', 'probability': 0.7}
    """
    found = edges.matrix.tocoo()
    rank = np.argsort(np.argsort(np.array(edges.names, dtype=object)))
    order = np.lexsort((rank[found.col], rank[found.row], -found.data))
    columns = {
        "source": _names(found.row[order], edges.names),
        "target": _names(found.col[order], edges.names),
        "probability": found.data[order],
    }
    pyarrow.parquet.write_table(pa.table(columns), path)


def write_communities(
    path: Path, communities: Sequence[Sequence[str]], names: Sequence[str]
) -> None:
    """Write a row for each variable of each community: its number, from 0, and the variable."""
    place = {name: v for v, name in enumerate(names)}
    sizes = [len(community) for community in communities]
    members = np.array([place[name] for community in communities for name in community], np.int32)
    numbers = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    table = pa.table({"community": numbers, "variable": _names(members, names)})
    pyarrow.parquet.write_table(table, path)


def _names(places: np.ndarray, names: Sequence[str]) -> pa.Array:
    """Return names as a dictionary, which stores each name once."""
    return pa.DictionaryArray.from_arrays(places.astype(np.int32), pa.array(names, pa.string()))
