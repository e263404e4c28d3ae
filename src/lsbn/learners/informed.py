"""Knowledge for learners that find a skeleton first: PC and ARACNE."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse

from lsbn.knowledge import Constraints
from lsbn.learners.base import agreeing_with

__all__ = ["directed_by_knowledge", "within_limits", "without_required"]


def without_required(
    knowledge: Constraints | None, pairs: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs that may have an edge or not, and the required pairs, ``i < j``."""
    if knowledge is None:
        return pairs, np.empty((0, 2), np.int64)
    fixed = np.sort(np.stack(knowledge.required_edges(), axis=1), axis=1)
    (i, j), n = pairs.T, knowledge.n
    possible = knowledge.allows(i, j) | knowledge.allows(j, i)
    return pairs[possible & ~np.isin(i * n + j, fixed @ [n, 1])], fixed


def directed_by_knowledge(
    matrix: sparse.csr_array, knowledge: Constraints | None
) -> sparse.csr_array:
    """Direct the undirected edges of a matrix that have only one possible direction.

    Parameters
    ----------
    matrix : (n, n) sparse array
        0.5 in each direction of an undirected edge.
    knowledge : Constraints or None

    Returns
    -------
    (n, n) sparse array
        With the required edges, and without edges that are not possible.
    """
    if knowledge is None:
        return matrix
    entries = matrix.tocoo()
    there = knowledge.allows(entries.row, entries.col)
    back = knowledge.allows(entries.col, entries.row)
    data = np.where(there & ~back & (entries.data > 0), 1.0, np.where(there, entries.data, 0.0))
    directed = sparse.csr_array((data, (entries.row, entries.col)), shape=matrix.shape)
    directed.eliminate_zeros()
    return agreeing_with(directed, knowledge)


def within_limits(
    matrix: sparse.csr_array,
    knowledge: Constraints | None,
    strength: Callable[[np.ndarray, np.ndarray], np.ndarray],
) -> sparse.csr_array:
    """Remove the weakest parents of variables that have more than their limit.

    Parameters
    ----------
    matrix : (n, n) sparse array
        1 for a directed edge.
    knowledge : Constraints or None
    strength : callable
        Gives the strength of the edges between arrays of parents and of children.

    Returns
    -------
    (n, n) sparse array
    """
    if knowledge is None:
        return matrix
    by_child = sparse.csc_array(matrix)
    for v in range(knowledge.n):
        own = slice(*by_child.indptr[v : v + 2])
        parents = by_child.indices[own][by_child.data[own] == 1.0]
        if len(parents) <= knowledge.most_parents[v]:
            continue
        weight = strength(parents, np.full(len(parents), v))
        weight = np.where(np.isin(parents, knowledge.required_parents(v)), np.inf, weight)
        weak = parents[np.argsort(-weight, kind="stable")[knowledge.most_parents[v] :]]
        by_child.data[own] = np.where(np.isin(by_child.indices[own], weak), 0.0, by_child.data[own])
    by_child.eliminate_zeros()
    return sparse.csr_array(by_child)
