"""Mergence, step 3 of LSBN: merge the structures of all communities (paper, Mergence)."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from lsbn.checkpoint import Codec
from lsbn.data import Dataset
from lsbn.framework.local import LocalSettings, resolve_conflicts
from lsbn.framework.parts import Part, Remembered
from lsbn.framework.votes import Structure
from lsbn.parallel import Progress, ReadPlace, flow

__all__ = ["merge_levels", "merge_order", "mergence", "union_sizes"]

_SUBTREE = 64
"""Most communities of a subtree that a worker merges."""


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
    Only communities that overlap have a coefficient above zero. These pairs are in a heap. Each
    merge visits the members of the smaller community only. Communities without
    overlap merge at the end, the smallest first, at distance 1. Of pairs with equal coefficients,
    the pair with the lowest numbers merges first. So the order depends on the communities only.

    Distances need not ascend: a union may be closer to a third community than its parts were.

    Examples
    --------
    >>> merge_order([np.array([0, 1, 2]), np.array([1, 2, 3]), np.array([3, 4])]).tolist()
    [[0.0, 1.0, 0.5, 4.0], [2.0, 3.0, 0.8, 5.0]]
    """
    forest = _Overlaps(communities)
    rows: list[tuple[float, ...]] = []
    while (closest := forest.pop_closest()) is not None:
        rows.append(closest)
    apart = [(len(forest.members[slot]), name) for slot, name in forest.names.items()]
    heapq.heapify(apart)
    while len(apart) > 1:
        (size, a), (other, b) = heapq.heappop(apart), heapq.heappop(apart)
        rows.append((min(a, b), max(a, b), 1.0, size + other))
        heapq.heappush(apart, (size + other, len(communities) + len(rows) - 1))
    return np.array(rows, np.float64).reshape(-1, 4)


class _Overlaps:
    """Communities that overlap, and a heap of their pairs.

    A union takes the slot of its larger part, so that only the members of the smaller part are
    visited. An entry of the heap may be out of date. If no member became common since it was
    pushed, then its distance and its names could only rise. So an entry that has risen is pushed
    again when it is popped. A new entry is pushed when a member becomes common.

    Attributes
    ----------
    members : list of set of int
        Members of the community in each slot.
    names : dict of int to int
        The number of the community in each slot that is in use, as in the merge tree.
    """

    def __init__(self, communities: Sequence[np.ndarray]) -> None:
        self.members = [set(community.tolist()) for community in map(np.asarray, communities)]
        self.names = {slot: slot for slot in range(len(self.members))}
        self._next = len(self.members)
        self._common: list[dict[int, int]] = [{} for _ in self.members]
        self._holders: dict[int, list[int]] = {}
        for slot, variables in enumerate(self.members):
            for v in variables:
                for other in self._holders.setdefault(v, []):
                    self._count(slot, other)
                self._holders[v].append(slot)
        self._heap = [
            self._entry(slot, other)
            for slot, common in enumerate(self._common)
            for other in common
            if other < slot
        ]
        heapq.heapify(self._heap)

    def _count(self, slot: int, other: int) -> None:
        """Count one more common member of two slots."""
        self._common[slot][other] = self._common[slot].get(other, 0) + 1
        self._common[other][slot] = self._common[slot][other]

    def _entry(self, slot: int, other: int) -> tuple[float, int, int, int, int]:
        """Return the entry of two slots: distance, lower name, higher name, and the slots."""
        common = self._common[slot][other]
        union = len(self.members[slot]) + len(self.members[other]) - common
        low, high = sorted((self.names[slot], self.names[other]))
        return 1.0 - common / union, low, high, min(slot, other), max(slot, other)

    def pop_closest(self) -> tuple[float, ...] | None:
        """Merge the two closest communities and return their row; None if no two overlap."""
        while self._heap:
            entry = heapq.heappop(self._heap)
            slot, other = entry[3:]
            if slot not in self.names or other not in self.names:
                continue
            now = self._entry(slot, other)
            if now == entry:
                self._merge(slot, other)
                return (*entry[1:3], entry[0], self._size(slot, other))
            if now > entry:
                heapq.heappush(self._heap, now)
        return None

    def _size(self, slot: int, other: int) -> int:
        """Return the size of the union that took one of two slots."""
        return len(self.members[slot if slot in self.names else other])

    def _merge(self, slot: int, other: int) -> None:
        """Put the smaller community into the slot of the larger one, under a new name."""
        large, small = sorted((slot, other), key=lambda s: (-len(self.members[s]), s))
        for third in self._common[small]:
            del self._common[third][small]
        del self.names[small]
        self.names[large], self._next = self._next, self._next + 1
        changed = set()
        for v in self.members[small]:
            holders = self._holders[v]
            holders.remove(small)
            if v in self.members[large]:
                continue
            for third in holders:
                self._count(large, third)
                changed.add(third)
            holders.append(large)
        self.members[large] |= self.members[small]
        self.members[small], self._common[small] = set(), {}
        for third in changed:
            heapq.heappush(self._heap, self._entry(large, third))


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


class Merge(NamedTuple):
    """A row of the merge tree: two communities, and the number of their union."""

    first: int
    second: int
    union: int


def merge_levels(rows: np.ndarray, n_communities: int) -> Iterator[list[list[Merge]]]:
    """Divide a merge tree into levels of subtrees, whose merges do not depend on each other.

    A subtree joins at most `_SUBTREE` communities of the levels below. So most merges need not be
    sent from worker to worker.

    Parameters
    ----------
    rows : (k - 1, 2) int array
        The communities of each merge, see `merge_order`.
    n_communities : int

    Yields
    ------
    list of lists of Merge
        The subtrees of one level. The last merge of each is its root.

    Examples
    --------
    >>> [len(level) for level in merge_levels(np.array([[0, 1], [2, 3], [4, 5]]), 4)]
    [1]
    """
    left = [Merge(int(a), int(b), n_communities + t) for t, (a, b) in enumerate(rows)]
    while left:
        size: dict[int, int] = {}
        for merge in left:
            size[merge.union] = size.get(merge.first, 1) + size.get(merge.second, 1)
        root: dict[int, int] = {}
        for merge in reversed(left):
            own = root.get(merge.union)
            if own is None and size[merge.union] <= _SUBTREE:
                own = merge.union
            if own is not None:
                root |= {merge.first: own, merge.second: own, merge.union: own}
        level: dict[int, list[Merge]] = {}
        for merge in left:
            if merge.union in root:
                level.setdefault(root[merge.union], []).append(merge)
        left = [merge for merge in left if merge.union not in root]
        yield list(level.values())


def _taken(pool: dict[int, Structure], merges: Sequence[Merge]) -> dict[int, Structure]:
    """Take the structures that some merges need from the pool."""
    made = {merge.union for merge in merges}
    needed = [c for merge in merges for c in (merge.first, merge.second) if c not in made]
    return {c: pool.pop(c) for c in needed}


def _merged(
    data: tuple[Dataset, Remembered, LocalSettings],
    task: tuple[Sequence[Merge], dict[int, Structure]],
) -> Structure:
    """Merge the structures of a subtree."""
    (dataset, remembered, settings), (merges, pool) = data, task
    part = Part.whole(dataset, remembered)
    for merge in merges:
        both = pool.pop(merge.first), pool.pop(merge.second)
        small, large = sorted(both, key=lambda s: len(s.votes))
        resolve_conflicts(part, large, large.absorb(small), settings)
        pool[merge.union] = large
    return pool[merges[-1].union]


def _all_merged(
    data: tuple, tasks: list[tuple], n_jobs: int | None, codec: Codec
) -> Iterator[tuple[int, Structure]]:
    """Yield the place of each task and its structure; a single task is done here."""
    if len(tasks) > 1:
        yield from flow(_merged, data, tasks, n_jobs, codec)
    else:
        yield 0, _merged(data, tasks[0])


def mergence(
    dataset: Dataset,
    communities: Sequence[np.ndarray],
    structures: Sequence[Structure],
    settings: LocalSettings | None = None,
    *,
    n_jobs: int | None = 1,
    progress: Progress | None = None,
) -> tuple[Structure, np.ndarray]:
    """Merge the structures of all communities into one structure (paper, Algorithm Mergence).

    Each merge adds the votes on common pairs. Then the candidate triplets that neither structure
    had are clustered, and the clusters are learned again.

    Parameters
    ----------
    dataset : Dataset
    communities : sequence of int arrays, the second-order partition
    structures : sequence of Structure
        One structure for each community. The function changes them.
    settings : LocalSettings, optional
    n_jobs : int, optional, workers as in joblib for merges that do not depend on each other
    progress : callable, optional, told the merges done, all merges, and those read from a draft

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
    hierarchy = merge_order(communities)
    pool = dict(enumerate(structures))
    codec = Codec(Structure.packed, partial(Structure.unpacked, threshold=settings.threshold))
    data, done, read = (dataset, Remembered(), settings), 0, 0
    for level in merge_levels(hierarchy[:, :2].astype(int), len(communities)):
        tasks = [(merges, _taken(pool, merges)) for merges in level]
        for k, structure in _all_merged(data, tasks, n_jobs, codec):
            pool[level[k][-1].union] = structure
            done += len(level[k])
            read += len(level[k]) if isinstance(k, ReadPlace) else 0
            if progress is not None:
                progress(done, len(hierarchy), read)
    (structure,) = pool.values() if pool else (Structure(settings.threshold),)
    return structure, hierarchy
