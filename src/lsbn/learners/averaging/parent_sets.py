"""Parent sets in two forms: scored sets of one variable, and lists of all for the sampler."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from lsbn.kernels import listing as _listing
from lsbn.kernels.state import FamilyLists, Links
from lsbn.kernels.tables import tabulate_families, weigh_sets
from lsbn.learners.averaging.settings import TableSettings

FIRST_ADMITTED = 1 << 30
"""Stamp of sets whose members become candidates before all others."""
LAST_ADMITTED = -1
"""Stamp of sets that are listed only if their members find room among the candidates."""
_TABLES = TableSettings()


@dataclass(frozen=True)
class ScoredSets:
    """Scored parent sets of one variable.

    Attributes
    ----------
    child : int
    members : (m, depth) int32 array
        Parents of each set, ascending, padded with -1.
    scores : (m,) float array
        Log scores, with the prior.
    stamps : (m,) int32 array
        Round that found each set. Where candidates are too many, later rounds come first.
    """

    child: int
    members: np.ndarray
    scores: np.ndarray
    stamps: np.ndarray

    @property
    def sizes(self) -> np.ndarray:
        """Number of parents of each set."""
        return (self.members >= 0).sum(axis=1)

    @property
    def candidates(self) -> np.ndarray:
        """Members of all sets, ascending."""
        return np.unique(self.members[self.members >= 0]).astype(np.int64)

    def extended(self, members: np.ndarray, scores: np.ndarray, stamp: int) -> ScoredSets:
        """Append sets with one stamp; sets with a score of minus infinity are left out."""
        allowed = scores > -np.inf
        members, scores = members[allowed], scores[allowed]
        stamps = np.full(len(scores), stamp, np.int32)
        return ScoredSets(
            self.child,
            np.concatenate([self.members, members]),
            np.concatenate([self.scores, scores]),
            np.concatenate([self.stamps, stamps]),
        )

    def only(self, rows: np.ndarray) -> ScoredSets:
        """Keep some rows."""
        return ScoredSets(self.child, self.members[rows], self.scores[rows], self.stamps[rows])

    def preceding(self, keys: np.ndarray) -> np.ndarray:
        """Mark the sets whose members all precede the child in the order of ``keys``."""
        return _listing.preceding(self.members, self.child, keys)

    def best_row(self, keys: np.ndarray) -> int:
        """Row of the best set in the order of ``keys``."""
        return int(_listing.best_row(self.members, self.scores, self.child, keys))

    def best(self, keys: np.ndarray) -> np.ndarray:
        """Members of the best set in the order of ``keys``."""
        return self.members[self.best_row(keys)]

    def log_sum(self, keys: np.ndarray) -> float:
        """Log of the sum of the exponential scores in the order of ``keys``."""
        return float(np.logaddexp.reduce(self.scores[self.preceding(keys)]))

    def expected_size(self, keys: np.ndarray) -> float:
        """Posterior mean of the number of parents in the order of ``keys``."""
        rows = self.preceding(keys)
        weights = np.exp(self.scores[rows] - self.scores[rows].max())
        return weights @ self.sizes[rows] / weights.sum()

    def expected_parents(self, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Members of the sets in the order of ``keys``, with repetitions, and their posteriors."""
        rows = self.preceding(keys)
        weights = np.exp(self.scores[rows] - self.scores[rows].max())
        members = self.members[rows]
        inside = members >= 0
        shares = np.broadcast_to((weights / weights.sum())[:, None], members.shape)
        return members[inside], shares[inside]

    def admission(self, orders: np.ndarray, delta: float) -> np.ndarray:
        """Stamps for the admission of candidates.

        Sets within ``delta`` of the best one in one of the orders, one row of keys each, are
        admitted first. If parents are required, their set, the smallest of all, is admitted
        before them.
        """
        sets = self.members, self.scores, self.stamps
        return _listing.admission(sets, self.child, orders, delta, FIRST_ADMITTED)

    def united(self, other: ScoredSets) -> ScoredSets:
        """All sets of both, each once."""
        members = np.concatenate([self.members, other.members])
        order = np.lexsort(members.T[::-1])  # np.unique takes seven times as long
        differs = (members[order[1:]] != members[order[:-1]]).any(axis=1)
        rows = order[np.append(True, differs)]
        scores = np.concatenate([self.scores, other.scores])
        stamps = np.concatenate([self.stamps, other.stamps])
        return ScoredSets(self.child, members[rows], scores[rows], stamps[rows])

    def masks(self) -> np.ndarray:
        """Bit masks of the sets, over at most 62 variables."""
        bits = np.int64(1) << np.maximum(self.members, 0).astype(np.int64)
        return np.where(self.members >= 0, bits, 0).sum(axis=1)


@dataclass(frozen=True)
class ParentSets:
    """Listed parent sets of every variable, as the kernels of `lsbn.kernels.orders` take them.

    Attributes
    ----------
    lists : FamilyLists
    links : Links
    n_before : int
        Variables with higher numbers that precede all others in every order. They are not in the
        lists, and their keys never change.
    """

    lists: FamilyLists
    links: Links
    n_before: int = 0

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.lists.set_start) - 1

    @property
    def n_sets(self) -> int:
        """Number of sets of all variables."""
        return len(self.lists.set_mask)

    @property
    def n_candidates(self) -> int:
        """Number of pairs of a candidate parent and its child."""
        return len(self.lists.cand)

    @classmethod
    def from_variables(
        cls,
        candidates: Sequence[np.ndarray],
        masks: Sequence[np.ndarray],
        scores: Sequence[np.ndarray],
        tables: TableSettings = _TABLES,
    ) -> ParentSets:
        """Join the lists of all variables."""
        cand_start, cand = join(candidates, np.int64)
        set_start, set_mask = join(masks, np.uint64)
        _, set_score = join(scores, np.float64)
        return cls.from_lists(set_start, set_mask, set_score, cand_start, cand, tables)

    @classmethod
    def from_lists(
        cls,
        set_start: np.ndarray,
        set_mask: np.ndarray,
        set_score: np.ndarray,
        cand_start: np.ndarray,
        cand: np.ndarray,
        tables: TableSettings = _TABLES,
    ) -> ParentSets:
        """Add the tables, weights and links of the lists."""
        table_start, table = tabulate_families(
            set_start, set_mask, set_score, cand_start, tables.max_candidates, tables.min_sets
        )
        weight, base = weigh_sets(set_start, set_score)
        sets = (set_start, set_mask, set_score, cand_start, cand)
        lists = FamilyLists(*sets, table_start, table, weight, base)
        return cls(lists, _links(cand_start, cand))

    def with_penalty(self, change: np.ndarray) -> ParentSets:
        """Change the log prior of a set with k parents by ``change[k]``."""
        lists = self.lists
        scores = lists.set_score + change[self.sizes]
        return self.from_lists(
            lists.set_start, lists.set_mask, scores, lists.cand_start, lists.cand
        )

    @property
    def required(self) -> np.ndarray:
        """Mask of the required parents of each variable: all its sets have them."""
        return np.bitwise_and.reduceat(self.lists.set_mask, self.lists.set_start[:-1])

    def feasible(self, keys: np.ndarray) -> np.ndarray:
        """Return keys with each required parent before its child, the same order otherwise.

        The next variable is always the one with the least key whose required parents have come.
        """
        required = self.required
        if not required.any():
            return keys
        waiting = required.copy()
        followers: list[list[tuple[int, int]]] = [[] for _ in keys]
        for u, v, bit in zip(*self.edges(), self._positions(), strict=True):
            if int(required[v]) >> int(bit) & 1:
                followers[u].append((int(v), int(bit)))
        heap = [(key, v) for v, key in enumerate(keys.tolist()) if not waiting[v]]
        heapq.heapify(heap)
        order = []
        while heap:
            order.append(heapq.heappop(heap)[1])
            for v, bit in followers[order[-1]]:
                waiting[v] &= ~(np.uint64(1) << np.uint64(bit))
                if not waiting[v]:
                    heapq.heappush(heap, (float(keys[v]), v))
        moved = np.empty_like(keys)
        moved[order] = np.sort(keys)
        return moved

    def _positions(self) -> np.ndarray:
        """Place of every entry of ``cand`` among the candidates of its variable."""
        start = self.lists.cand_start
        return np.arange(self.n_candidates) - np.repeat(start[:-1], np.diff(start))

    def sets_of(self, v: int) -> slice:
        """Positions of the sets of a variable."""
        return slice(*self.lists.set_start[v : v + 2])

    def only(self, chosen: np.ndarray) -> ParentSets:
        """Keep the chosen sets (a mask over all of them), and those of the required parents."""
        lists = self.lists
        keep = chosen | (lists.set_mask == np.repeat(self.required, np.diff(lists.set_start)))
        start = np.concatenate([[0], np.cumsum(keep)])[lists.set_start]
        masks, cand_start, cand = _listing.compress_lists(
            start, lists.set_mask[keep], lists.cand_start, lists.cand
        )
        return self.from_lists(start, masks, lists.set_score[keep], cand_start, cand)

    def undominated(self, margin: float) -> ParentSets:
        """Leave out the sets with a subset whose log score is higher by the margin."""
        lists = self.lists
        kept = _listing.undominated_lists(lists.set_start, lists.set_mask, lists.set_score, margin)
        return self.only(kept)

    def without_lightest(self, share: np.ndarray, total: float) -> ParentSets:
        """Leave out the lightest sets of each variable, whose shares add up to `total` at most."""
        heavy = np.empty(len(share), bool)
        for v in range(self.n_variables):
            own = self.sets_of(v)
            order = np.argsort(share[own], kind="stable")
            heavy[own][order] = np.cumsum(share[own][order]) > total
        return self.only(heavy)

    @property
    def sizes(self) -> np.ndarray:
        """Number of parents of each set."""
        bits = np.unpackbits(self.lists.set_mask.view(np.uint8).reshape(-1, 8), axis=1)
        return bits.sum(axis=1)

    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """Candidate parent and child of every entry of ``cand``."""
        children = np.repeat(np.arange(self.n_variables), np.diff(self.lists.cand_start))
        return self.lists.cand, children

    def child_and_bit(self, edge: int) -> tuple[int, np.uint64]:
        """Child of an entry of ``cand``, and its bit in the masks of the child's sets."""
        child = int(np.searchsorted(self.lists.cand_start, edge, side="right")) - 1
        return child, np.uint64(1) << np.uint64(edge - self.lists.cand_start[child])

    def edge_posteriors(self, edge: int, orders: np.ndarray) -> np.ndarray:
        """Posterior of an edge, an entry of ``cand``, given each of some orders.

        Parameters
        ----------
        edge : int
        orders : (orders, variables) float array
            Keys of each order.
        """
        lists, (child, bit) = self.lists, self.child_and_bit(edge)
        own = lists.cand[slice(*lists.cand_start[child : child + 2])]
        before = (orders[:, own] < orders[:, [child]]).astype(np.uint64)
        allowed = np.bitwise_or.reduce(before << np.arange(len(own), dtype=np.uint64), axis=1)
        allowed, place = np.unique(allowed, return_inverse=True)
        table = lists.table[lists.table_start[child] :]
        if lists.table_start[child] >= 0:
            return -np.expm1(table[allowed & ~bit] - table[allowed])[place]
        masks, scores = (
            values[self.sets_of(child)] for values in (lists.set_mask, lists.set_score)
        )
        fits = np.where(masks & ~allowed[:, None], -np.inf, scores)
        weights = np.exp(fits - fits.max(axis=1, keepdims=True))
        return (weights @ (masks & bit > 0) / weights.sum(axis=1))[place]

    def matrix(self, values: np.ndarray) -> sparse.csr_array:
        """Return values of all candidate edges as a matrix, parent by child."""
        n = self.n_variables
        matrix = sparse.csr_array((values, self.edges()), shape=(n, n))
        matrix.eliminate_zeros()
        return matrix


def join(parts: Sequence[np.ndarray], dtype: type) -> tuple[np.ndarray, np.ndarray]:
    """Concatenate the arrays of all variables: ``(start, values)``."""
    start = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
    return start, np.concatenate(parts).astype(dtype)


def _links(cand_start: np.ndarray, cand: np.ndarray) -> Links:
    """Neighbours of each variable: its candidates, and the variables whose candidate it is."""
    n = len(cand_start) - 1
    child = np.repeat(np.arange(n), np.diff(cand_start))
    position = np.arange(len(cand)) - cand_start[child]
    forward, backward = child * n + cand, cand * n + child
    pairs = np.unique(np.concatenate([forward, backward]))
    here, there = np.full(len(pairs), -1), np.full(len(pairs), -1)
    here[np.searchsorted(pairs, forward)] = position
    there[np.searchsorted(pairs, backward)] = position
    start = np.searchsorted(pairs, np.arange(n + 1) * n)
    return Links(start, pairs % n, here, there)


def exchanged_families(best: Sequence[tuple[int, np.ndarray]]) -> list[tuple[int, list[list[int]]]]:
    """For the best family {v} and P, take each u in P as the child of {v} and P without u.

    Variables with only a joint effect show it whichever of them is the child. The sampler can
    choose among these families only if all of them are listed.
    """
    rows: dict[int, list[list[int]]] = {}
    for v, parents in best:
        members = parents[parents >= 0].tolist()
        for u in members:
            rows.setdefault(u, []).append(sorted({v, *members} - {u}))
    return sorted(rows.items())
