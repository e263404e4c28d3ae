"""Probability tables for a learned graph, so that it can be written as BIF and sampled."""

from __future__ import annotations

import networkx as nx
import numpy as np

from lsbn.data import Dataset
from lsbn.network.network import BayesianNetwork

__all__ = ["fit_tables"]

MOST_CELLS = 50_000_000
"""A larger table is refused: it would take more than 400 MB."""


def fit_tables(
    dag: nx.DiGraph, dataset: Dataset, *, ess: float = 1.0, name: str = "learned"
) -> BayesianNetwork:
    """Estimate the conditional probability tables of a DAG from data.

    Parameters
    ----------
    dag : networkx.DiGraph
        An acyclic graph over the names of the dataset, for example from `EdgeProbabilities.dag`.
    dataset : Dataset
        The rows to count.
    ess : float
        Equivalent sample size of the prior, above zero.
    name : str
        The name of the network.

    Returns
    -------
    BayesianNetwork
        Variables and states are those of the dataset; ``write_bif`` writes the network.

    Raises
    ------
    ValueError
        If the names differ, or a table would have more than 50 million cells.

    Notes
    -----
    The tables are posterior means under the prior of the BDeu score: for state k of a variable
    with r states, under the j-th of q configurations of its parents,
    (N_jk + ess / (q r)) / (N_j + ess / q).

    Examples
    --------
    >>> data = Dataset.from_table(np.array([["a", "x"], ["a", "x"], ["b", "y"]]))
    >>> net = fit_tables(nx.DiGraph([("x0", "x1")]), data, ess=4.0)
    >>> net.tables[1].round(3).tolist()
    [[0.75, 0.25], [0.333, 0.667]]
    """
    if not ess > 0:
        raise ValueError(f"ess is {ess}; use a number above zero")
    if set(dag) != set(dataset.names):
        different = sorted(map(repr, set(dag) ^ set(dataset.names)))
        raise ValueError(f"graph and dataset differ in {', '.join(different[:5])}")
    index = {variable: v for v, variable in enumerate(dataset.names)}
    parents = [
        np.array([index[u] for u in dag.pred[variable]], dtype=np.int64)
        for variable in dataset.names
    ]
    tables = [_posterior_mean(dataset, v, above, ess) for v, above in enumerate(parents)]
    return BayesianNetwork(dataset.names, dataset.states, tuple(parents), tuple(tables), name)


def _posterior_mean(dataset: Dataset, v: int, parents: np.ndarray, ess: float) -> np.ndarray:
    """Return the table of variable v: one row for each configuration of its parents."""
    shape = [int(c) for c in dataset.cards[[*parents, v]]]
    cells = float(np.prod(shape, dtype=np.float64))
    if cells > MOST_CELLS:
        raise ValueError(
            f"the table of {dataset.names[v]!r} with its {len(parents)} parents has {cells:.3g} "
            f"cells, more than {MOST_CELLS:,}"
        )
    cell = np.ravel_multi_index(tuple(dataset.codes[[*parents, v]].astype(np.intp)), shape)
    counts = np.bincount(cell, minlength=int(cells)).reshape(-1, shape[-1]) + ess / cells
    return counts / counts.sum(axis=1, keepdims=True)
