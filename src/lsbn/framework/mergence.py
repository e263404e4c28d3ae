"""Mergence, step 3 of LSBN: merge the structures of all communities (paper, Mergence)."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence

import numpy as np

from lsbn.data import Dataset
from lsbn.framework.local import LocalSettings, resolve_conflicts
from lsbn.framework.parts import Part
from lsbn.framework.votes import Structure

__all__ = ["merge_order", "mergence", "union_sizes"]


def merge_order(communities: Sequence[np.ndarray]) -> np.ndarray:
    r"""Return the order in which communities merge (paper, Algorithm Mergence).

    Each merge takes the two communities with the largest Jaccard coefficient

    .. math:: J(C_i, C_j) = |C_i \cap C_j| / |C_i \cup C_j|

    Parameters
    ----------
    communities : sequence of int arrays
        Sorted members of each community, without repetition.

    Returns
    -------
    (k - 1, 4) float array
        One merge per row, in the form of `scipy.cluster.hierarchy`: community, community, their
        Jaccard *distance* ``1 - J``, and the number of variables of the union. Community ``c < k``
        is community ``c`` of the input. Community ``k + t`` is the union of row ``t``.

    Notes
    -----
    Only communities that overlap have a coefficient above zero. These pairs are in a heap. A pair
    is dropped from the heap if one of its communities has merged already. Communities without
    overlap merge at the end, the smallest first, at distance 1. Of pairs with equal coefficients,
    the pair with the lowest numbers merges first. So the order depends on the communities only.

    Distances need not ascend: a union may be closer to a third community than its parts were.

    Examples
    --------
    >>> merge_order([np.array([0, 1, 2]), np.array([1, 2, 3]), np.array([3, 4])]).tolist()
    [[0.0, 1.0, 0.5, 4.0], [2.0, 3.0, 0.8, 5.0]]
    """
    k = len(communities)
    members: dict[int, set[int]] = {c: set(map(int, m)) for c, m in enumerate(communities)}
    holders: dict[int, set[int]] = {}
    for c, variables in members.items():
        for v in variables:
            holders.setdefault(v, set()).add(c)
    heap = [entry for c in range(k) for entry in _overlaps(c, members, holders, range(c))]
    heapq.heapify(heap)
    rows: list[tuple[float, ...]] = []
    while len(members) > 1:
        distance, a, b = _closest(heap, members)
        new = k + len(rows)
        small, large = sorted((members.pop(a), members.pop(b)), key=len)
        for v in small | large:
            holders[v] -= {a, b}
            holders[v].add(new)
        large |= small
        members[new] = large
        rows.append((a, b, distance, len(large)))
        for entry in _overlaps(new, members, holders, None):
            heapq.heappush(heap, entry)
    return np.array(rows, np.float64).reshape(-1, 4)


def _overlaps(
    c: int, members: dict[int, set[int]], holders: dict[int, set[int]], only: range | None
) -> list[tuple[float, int, int]]:
    """Return heap entries (distance, lower number, higher number) of a community's overlaps."""
    shared: dict[int, int] = {}
    for v in members[c]:
        for other in holders[v]:
            if other != c and (only is None or other in only):
                shared[other] = shared.get(other, 0) + 1
    sizes = {
        other: len(members[c]) + len(members[other]) - count for other, count in shared.items()
    }
    return [
        (1.0 - count / sizes[other], min(c, other), max(c, other))
        for other, count in shared.items()
    ]


def _closest(heap: list, members: dict[int, set[int]]) -> tuple[float, int, int]:
    """Return the next valid pair of the heap, or the two smallest communities if there is none."""
    while heap:
        distance, a, b = heapq.heappop(heap)
        if a in members and b in members:
            return distance, a, b
    a, b = sorted(heapq.nsmallest(2, members, key=lambda c: (len(members[c]), c)))
    return 1.0, a, b


def union_sizes(communities: Sequence[np.ndarray], hierarchy: np.ndarray) -> np.ndarray:
    """Return the number of variables of each union in a merge tree.

    The communities may have gained members after `merge_order` made the tree: copies of columns
    are added at the end.

    Parameters
    ----------
    communities : sequence of int arrays
    hierarchy : (k - 1, 4) float array
        The merge tree, see `merge_order`.

    Returns
    -------
    int array (k - 1,)

    Examples
    --------
    >>> union_sizes([np.array([0, 1]), np.array([1, 2, 3])], np.array([[0, 1, 0.5, 3]])).tolist()
    [4]
    """
    members = {c: set(map(int, m)) for c, m in enumerate(communities)}
    sizes = []
    for t, (a, b) in enumerate(hierarchy[:, :2].astype(int).tolist()):
        small, large = sorted((members.pop(a), members.pop(b)), key=len)
        large |= small
        members[len(communities) + t] = large
        sizes.append(len(large))
    return np.array(sizes, np.int64)


def mergence(
    dataset: Dataset,
    communities: Sequence[np.ndarray],
    structures: Sequence[Structure],
    settings: LocalSettings | None = None,
    *,
    progress: Callable[[str], None] | None = None,
) -> tuple[Structure, np.ndarray]:
    """Merge the structures of all communities into one structure (paper, Algorithm Mergence).

    Each merge adds the votes on common pairs. Then the candidate triplets that neither structure
    had are clustered, and the clusters are learned again.

    Parameters
    ----------
    dataset : Dataset
    communities : sequence of int arrays
        The second-order partition.
    structures : sequence of Structure
        One structure for each community. The function changes them.
    settings : LocalSettings, optional
    progress : callable, optional
        Called with a short text when a merge begins.

    Returns
    -------
    structure : Structure
        Votes on the edges among all variables.
    hierarchy : (k - 1, 4) float array
        The merge tree, see `merge_order`.

    Examples
    --------
    Two communities share variable 1. Each has a vote on one pair:

    >>> communities, structures = [np.array([0, 1]), np.array([1, 2])], [Structure(), Structure()]
    >>> for community, structure in zip(communities, structures):
    ...     structure.vote(community, np.array([[0.0, 0.9], [0.0, 0.0]]), np.ones((2, 2)))
    >>> dataset = Dataset.from_table(np.array([[0, 0, 1], [1, 1, 0]]))
    >>> merged, hierarchy = mergence(dataset, communities, structures)
    >>> merged.probabilities(3).toarray().tolist()
    [[0.0, 0.9, 0.0], [0.0, 0.0, 0.9], [0.0, 0.0, 0.0]]
    """
    settings = settings or LocalSettings()
    part = Part.whole(dataset)
    report = progress or (lambda text: None)
    hierarchy = merge_order(communities)
    pool = dict(enumerate(structures))
    for t, (a, b) in enumerate(hierarchy[:, :2].astype(int).tolist()):
        report(f"merging {len(communities)} communities, {t + 1} of {len(hierarchy)}")
        small, large = sorted((pool.pop(a), pool.pop(b)), key=lambda s: len(s.votes))
        touched = large.absorb(small)
        resolve_conflicts(part, large, touched, settings)
        pool[len(communities) + t] = large
    (structure,) = pool.values() if pool else (Structure(settings.threshold),)
    return structure, hierarchy
