"""Mergence, step 3 of LSBN: communities become one (paper, Algorithm 3)."""

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
    r"""Order in which communities merge: always the two with the largest Jaccard coefficient.

    .. math:: J(C_i, C_j) = |C_i \cap C_j| / |C_i \cup C_j|

    Parameters
    ----------
    communities : sequence of int arrays
        Sorted members of each, none twice.

    Returns
    -------
    (k - 1, 4) float array
        One merge a row, as `scipy.cluster.hierarchy` has it: community, community, their Jaccard
        *distance* ``1 - J``, and the number of variables of the union. A number below ``k`` is a
        community of the input, ``k + t`` is the result of row ``t``.

    Notes
    -----
    Only communities that overlap have a coefficient above zero. Those pairs wait in a heap, and a
    pair of which one has merged meanwhile is dropped when it comes up. Communities with no
    overlap are joined at the end, the smallest first, at distance 1. Of equal coefficients the
    pair with the lowest numbers comes first, so the order is settled by the communities alone.

    Distances need not ascend: a union may be closer to a third community than its parts were.

    Examples
    --------
    >>> merge_order([np.array([0, 1, 2]), np.array([1, 2, 3]), np.array([3, 4])]).tolist()
    [[0.0, 1.0, 0.5, 4.0], [2.0, 3.0, 0.8, 5.0]]
    """
    k = len(communities)
    members: dict[int, set[int]] = {c: set(map(int, m)) for c, m in enumerate(communities)}
    holders: dict[int, set[int]] = {}
    for c, some in members.items():
        for v in some:
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
    """Heap entries (distance, lower number, higher number) of a community and those it meets."""
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
    """Next pair of the heap that still exists, or the two smallest communities."""
    while heap:
        distance, a, b = heapq.heappop(heap)
        if a in members and b in members:
            return distance, a, b
    a, b = sorted(heapq.nsmallest(2, members, key=lambda c: (len(members[c]), c)))
    return 1.0, a, b


def union_sizes(communities: Sequence[np.ndarray], hierarchy: np.ndarray) -> np.ndarray:
    """Count the variables at each row of a merge tree, of communities that grew after it was made.

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
    """Merge the structures of overlapping communities into one.

    At every merge the votes on common pairs are added up, and candidate triplets that neither
    part had are clustered and learned again.

    Parameters
    ----------
    dataset : Dataset
    communities : sequence of int arrays
    structures : sequence of Structure
        One for each community; they are used up.
    settings : LocalSettings, optional
    progress : callable, optional
        Is told in words what begins.

    Returns
    -------
    structure : Structure
        Of all variables.
    hierarchy : (k - 1, 4) float array
        The merge tree, see `merge_order`.
    """
    settings = settings or LocalSettings()
    part = Part.whole(dataset)
    tell = progress or (lambda text: None)
    hierarchy = merge_order(communities)
    pool = dict(enumerate(structures))
    for t, (a, b) in enumerate(hierarchy[:, :2].astype(int).tolist()):
        tell(f"merging {len(communities)} communities, {t + 1} of {len(hierarchy)}")
        small, large = sorted((pool.pop(a), pool.pop(b)), key=lambda s: len(s.votes))
        touched = large.absorb(small)
        resolve_conflicts(part, large, touched, settings)
        pool[len(communities) + t] = large
    (structure,) = pool.values() if pool else (Structure(settings.threshold),)
    return structure, hierarchy
