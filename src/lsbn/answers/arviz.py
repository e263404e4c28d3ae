"""Sampled networks as data of ArviZ, for its plots and diagnostics of chains."""

from __future__ import annotations

from typing import Any

import numpy as np

from lsbn.graph.sampled import SampledGraphs

__all__ = ["chains_of", "to_arviz"]

CERTAIN = 0.01
"""Edges with a share below this, or above one minus this, are left out."""


def chains_of(graphs: SampledGraphs) -> tuple[dict[str, np.ndarray], list[str]]:
    """Return log scores, numbers of edges, and uncertain edges, as arrays (chain, draw, ...).

    Independent draws are one chain. The names of the uncertain edges are returned too.

    Examples
    --------
    >>> graphs = SampledGraphs.of([[(0, 1)], [], [(0, 1)], [(0, 1)]], ("a", "b"), [0, 0, 1, 1])
    >>> values, names = chains_of(graphs)
    >>> values["n_edges"].tolist(), names
    ([[1, 0], [1, 1]], ['a -> b'])
    """
    shares = graphs.frequencies().tocoo()
    doubtful = (shares.data >= CERTAIN) & (shares.data <= 1 - CERTAIN)
    n, k = len(graphs.names), len(graphs)
    cells = shares.row[doubtful].astype(np.int64) * n + shares.col[doubtful]
    own = graphs.parent.astype(np.int64) * n + graphs.child
    listed = np.sort(cells)
    place = np.searchsorted(listed, own)
    shown = np.isin(own, listed)
    edge = np.zeros((k, len(listed)), np.int8)
    edge[graphs.of_graph[shown], place[shown]] = 1
    chains, draws = np.unique(graphs.chain, return_counts=True)
    rows = [np.flatnonzero(graphs.chain == c)[: draws.min()] for c in chains]
    values = {"log_score": graphs.log_score, "n_edges": np.diff(graphs.start), "edge": edge}
    names = [f"{graphs.names[c // n]} -> {graphs.names[c % n]}" for c in listed.tolist()]
    return {name: np.array([each[row] for row in rows]) for name, each in values.items()}, names


def to_arviz(graphs: SampledGraphs) -> Any:
    """Return ``arviz.InferenceData`` (or a DataTree, from ArviZ 1.0 on) of sampled networks."""
    try:
        import arviz
    except ImportError:
        raise ImportError("to_arviz needs ArviZ; install it: pip install 'lsbn[arviz]'") from None
    values, names = chains_of(graphs)
    labels: dict[str, Any] = {"coords": {"pair": names}, "dims": {"edge": ["pair"]}}
    if int(arviz.__version__.split(".")[0]) >= 1:
        return arviz.from_dict({"posterior": values}, **labels)
    return arviz.from_dict(posterior=values, **labels)
