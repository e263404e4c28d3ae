"""Sampled networks as data of ArviZ, for its plots and diagnostics of chains."""

from __future__ import annotations

from typing import Any

import numpy as np

from lsbn.graph.sampled import SampledGraphs

__all__ = ["chains_of", "to_arviz"]

CERTAIN = 0.01
"""Edges with a share below this, or above one minus this, are left out."""


def chains_of(graphs: SampledGraphs) -> dict[str, np.ndarray]:
    """Return log scores, numbers of edges, and uncertain edges, as arrays (chain, draw, ...).

    Independent draws are one chain.

    Examples
    --------
    >>> graphs = SampledGraphs.of([[(0, 1)], [], [(0, 1)], [(0, 1)]], ("a", "b"), [0, 0, 1, 1])
    >>> chains_of(graphs)["n_edges"].tolist()
    [[1, 0], [1, 1]]
    """
    shares = graphs.frequencies().tocoo()
    doubtful = (shares.data >= CERTAIN) & (shares.data <= 1 - CERTAIN)
    n, k = len(graphs.names), len(graphs)
    cells = shares.row[doubtful].astype(np.int64) * n + shares.col[doubtful]
    own = graphs.parent.astype(np.int64) * n + graphs.child
    order = np.argsort(cells)
    listed = cells[order]
    place = np.searchsorted(listed, own)
    shown = (place < len(listed)) & (listed[np.minimum(place, len(listed) - 1)] == own)
    edge = np.zeros((k, len(listed)), np.int8)
    edge[graphs.of_graph[shown], place[shown]] = 1
    chains, draws = np.unique(graphs.chain, return_counts=True)
    rows = [np.flatnonzero(graphs.chain == c)[: draws.min()] for c in chains]
    values = {"log_score": graphs.log_score, "n_edges": np.diff(graphs.start), "edge": edge}
    return {name: np.array([each[row] for row in rows]) for name, each in values.items()}


def to_arviz(graphs: SampledGraphs) -> Any:
    """Return ``arviz.InferenceData`` (or a DataTree, from ArviZ 1.0 on) of sampled networks."""
    try:
        import arviz
    except ImportError:
        raise ImportError("to_arviz needs ArviZ; install it: pip install 'lsbn[arviz]'") from None
    values = chains_of(graphs)
    if int(arviz.__version__.split(".")[0]) >= 1:
        return arviz.from_dict({"posterior": values})
    return arviz.from_dict(posterior=values)
