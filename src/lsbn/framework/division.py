"""Divide the variables along the merge tree, so that the last pass can work in parts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["blocks_of", "divide"]

_LEAST = 16
"""Least variables of a block. Chance joins two or three independent columns, but not 16."""


def divide(
    communities: Sequence[np.ndarray], hierarchy: np.ndarray, n_variables: int, most: int
) -> list[np.ndarray]:
    """Divide all variables into parts of communities that merge with each other.

    Parameters
    ----------
    communities : sequence of int arrays
        The second-order partition. A variable of several communities goes with the first one.
        The variables of no community come last.
    hierarchy : (k - 1, 4) float array
        The merge tree, see `lsbn.framework.mergence.merge_order`.
    n_variables : int
    most : int
        Most variables of a part.

    Returns
    -------
    list of int arrays
        Disjoint parts that cover all variables, each ascending.

    Notes
    -----
    The largest branches of the tree with at most `most` variables are packed into parts, in the
    order of the tree. The time is proportional to the sizes of the communities.

    Examples
    --------
    >>> communities = [np.array([0, 1]), np.array([2, 3]), np.array([1, 4])]
    >>> tree = np.array([[0, 2, 0.67, 3], [1, 3, 1.0, 5]])
    >>> [part.tolist() for part in divide(communities, tree, 6, most=3)]
    [[2, 3], [0, 1, 4], [5]]
    """
    parts: list[list[int]] = []
    for branch in _branches(_first_members(communities, n_variables), hierarchy, most):
        for start in range(0, len(branch), most):
            piece = branch[start : start + most]
            if parts and len(parts[-1]) + len(piece) <= most:
                parts[-1] += piece
            else:
                parts.append(piece)
    return [np.array(sorted(part), np.int64) for part in parts]


def blocks_of(
    communities: Sequence[np.ndarray],
    hierarchy: np.ndarray,
    n_variables: int,
    most: Sequence[int],
) -> np.ndarray:
    """Return the block of each variable on several levels.

    The blocks of a level are the largest branches of the merge tree whose communities overlap, and
    which have at most a number of variables.

    Parameters
    ----------
    communities, hierarchy, n_variables : see `divide`
    most : sequence of int
        Most variables of a block, by level, ascending.

    Returns
    -------
    (n_variables, levels) int array
        -1 for a variable in a branch of fewer than 16 variables.
    """
    labels = np.full((n_variables, len(most)), -1, np.int64)
    members = _first_members(communities, n_variables)
    for level, limit in enumerate(most):
        branches = _branches([*members[:-1], []], hierarchy, limit, apart=True)
        for block, branch in enumerate(branches):
            if len(branch) >= _LEAST:
                labels[branch, level] = block
    return labels


def _first_members(communities: Sequence[np.ndarray], n_variables: int) -> list[list[int]]:
    """Return the variables of each community that no community before it has, and all others."""
    free, members = np.ones(n_variables, bool), []
    for community in [*communities, np.arange(n_variables)]:
        own = np.asarray(community, np.int64)
        members.append(own[free[own]].tolist())
        free[own] = False
    return members


def _branches(
    members: list[list[int]], hierarchy: np.ndarray, most: int, *, apart: bool = False
) -> list[list[int]]:
    """Return the largest branches of the tree with at most `most` variables, in its order.

    With `apart`, branches that do not overlap stay apart.
    """
    *leaves, rest = members
    children = hierarchy[:, :2].astype(np.int64).tolist()
    sizes = [len(leaf) for leaf in leaves]
    for (a, b), distance in zip(children, hierarchy[:, 2].tolist(), strict=True):
        overlapping = distance < 1 or not apart
        sizes.append(sizes[a] + sizes[b] if overlapping else most + 1)
    branches: list[list[int]] = []
    stack, k = [(len(sizes) - 1, False)] if sizes else [], len(leaves)
    while stack:
        node, inside = stack.pop()
        begins = not inside and (sizes[node] <= most or node < k)
        if begins:
            branches.append([])
        if node < k:
            branches[-1] += leaves[node]
        else:
            stack += [(child, inside or begins) for child in reversed(children[node - k])]
    return [branch for branch in [*branches, rest] if branch]
