"""Parent sets that model averaging averages over: found from data, listed for the sampler.

The sampler is only as good as its lists. Pairwise measures miss parents that show only beside
others, and where relations are nearly deterministic a variable's children hide its parents. So
sets are grown by a beam on the score itself, and searched again in the light of sampled orders:
once children come later, they no longer crowd the parents out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import logit

from lsbn.data import Dataset
from lsbn.kernels import parents as _parents
from lsbn.kernels.direction import Prior, leanings
from lsbn.kernels.families import enumerate_families
from lsbn.kernels.lookup import Lookup
from lsbn.kernels.orders import tabulate_families, weigh_sets
from lsbn.learners.scoring import Score
from lsbn.parallel import run, threads

MOST_CANDIDATES = 64
FIRST_ADMITTED = 1 << 30
LAST_ADMITTED = -1
"""Stamp of sets that are listed only where there is room for their candidates."""
TABLE_CANDIDATES = 16
TABLE_SETS = 64
DENSITY_STEP = 1.1
FINE_STEP = 1.01
"""The density is found to this factor where all sets are scored, and to the other elsewhere."""
EXHAUSTIVE_MARGIN = 25.0
"""Where all sets are scored, those that a subset beats by so much are left out (1e-11)."""


@dataclass(frozen=True)
class ParentSets:
    """Listed parent sets of every variable, as the kernels of `lsbn.kernels.orders` take them.

    Attributes
    ----------
    lists : tuple of arrays
        ``(set_start, set_mask, set_score, cand_start, cand, table_start, table, set_weight,
        set_base)``.
    links : tuple of arrays
        ``(start, node, here, there)``, each variable's neighbours in the candidate graph.
    """

    lists: tuple[np.ndarray, ...]
    links: tuple[np.ndarray, ...]

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.lists[0]) - 1

    @classmethod
    def from_variables(
        cls, candidates: Sequence[np.ndarray], masks: Sequence[np.ndarray], scores: Sequence
    ) -> ParentSets:
        """Join the lists of all variables."""
        cand_start, cand = _join(candidates, np.int64)
        set_start, set_mask = _join(masks, np.uint64)
        _, set_score = _join(scores, np.float64)
        lists = (set_start, set_mask, set_score, cand_start, cand)
        lists += tabulate_families(*lists[:4], TABLE_CANDIDATES, TABLE_SETS)
        lists += weigh_sets(set_start, set_score)
        return cls(lists, _links(cand_start, cand))

    def only(self, chosen: np.ndarray) -> ParentSets:
        """Keep the chosen sets (a mask over all of them), and the empty ones."""
        set_start, set_mask, set_score, cand_start, cand, *_ = self.lists
        keep = chosen | (set_mask == 0)
        parts = []
        for v in range(self.n_variables):
            rows = np.arange(set_start[v], set_start[v + 1])
            rows = rows[keep[rows]]
            used, masks = _parents.compress(set_mask[rows])
            parts.append((cand[cand_start[v] + used], masks, set_score[rows]))
        return self.from_variables(*zip(*parts, strict=True))

    def undominated(self, margin: float) -> ParentSets:
        """Leave out the sets that a subset beats by so much."""
        start, mask, score = self.lists[:3]
        rows = [slice(*start[v : v + 2]) for v in range(self.n_variables)]
        kept = [_parents.undominated(mask[own], score[own], margin) for own in rows]
        return self.only(np.concatenate(kept))

    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """Candidate parent and child of every entry of ``cand``."""
        cand_start, cand = self.lists[3], self.lists[4]
        return cand, np.repeat(np.arange(self.n_variables), np.diff(cand_start))


def _join(parts: Sequence[np.ndarray], dtype: type) -> tuple[np.ndarray, np.ndarray]:
    start = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
    return start, np.concatenate(parts).astype(dtype)


def _links(cand_start: np.ndarray, cand: np.ndarray) -> tuple[np.ndarray, ...]:
    """Neighbours of each variable: its candidates, and those whose candidate it is."""
    n = len(cand_start) - 1
    child = np.repeat(np.arange(n), np.diff(cand_start))
    position = np.arange(len(cand)) - cand_start[child]
    forward, backward = child * n + cand, cand * n + child
    both = np.unique(np.concatenate([forward, backward]))
    here, there = np.full(len(both), -1), np.full(len(both), -1)
    here[np.searchsorted(both, forward)] = position
    there[np.searchsorted(both, backward)] = position
    start = np.searchsorted(both, np.arange(n + 1) * n)
    return start, both % n, here, there


@dataclass(frozen=True)
class Effort:
    """How hard to search.

    Attributes
    ----------
    beams : tuple of int
        Sets of each size that are grown further; their number bounds the number of parents.
    wide : tuple of int
        Those among them that are grown by every member of the pool.
    pairs : int
        Pairs of parents that are scored for each variable in any case, so that in a pool of 64
        none is missed that shows only together.
    margin : float
        A set that a subset beats by so much (in nats) is left out.
    delta : float
        Of one search, sets this far below the best one (in nats) are left out.
    most : int
        Most sets listed from one search.
    closed : int
        Number of best sets whose subsets are all listed.
    extended : int
        Number of extensions of the best set by variables outside the pool.
    """

    beams: tuple[int, ...] = (1, 12, 6, 4, 3, 2, 2, 2)
    wide: tuple[int, ...] = (1, 2, 2, 1, 1, 0, 0, 0)
    pairs: int = 2048
    margin: float = 10.0
    delta: float = 12.0
    most: int = 60
    closed: int = 3
    extended: int = 16

    def bounded(self, max_parents: int | None) -> Effort:
        """Give the same effort with at most so many parents."""
        if max_parents is None:
            return self
        beams = (self.beams + self.beams[-1:] * max_parents)[:max_parents]
        wide = (self.wide + self.wide[-1:] * max_parents)[:max_parents]
        return replace(self, beams=beams, wide=wide)

    def halved(self) -> Effort:
        """Give half the effort, and no pairs in any case: for what was searched before."""
        beams = tuple((beam + 1) // 2 for beam in self.beams)
        return replace(self, beams=beams, pairs=0, closed=1)

    def widths(self, pool: int) -> tuple[np.ndarray, np.ndarray]:
        """Beams and wide beams for a pool of so many: all pairs where these are few."""
        beams, wide = np.array(self.beams), np.array(self.wide)
        if pool and len(beams) > 1:
            affordable = self.pairs // pool
            beams[1], wide[1] = max(beams[1], affordable), max(wide[1], affordable)
        return beams, wide

    def limits(self, room: int) -> tuple[float, int, float, int, int, int]:
        """Give what `explore_parent_sets` takes, with room for so many parameters of a family."""
        return self.margin, room, self.delta, self.most, self.closed, self.extended


def _rotated(best: Sequence[tuple[int, np.ndarray]]) -> list[tuple[int, list[list[int]]]]:
    """Give each parent of a best set the child in its own place among the parents.

    Variables that hang together only jointly show it whichever of them is the child; the sampler
    has to know all of these families to choose.
    """
    rows: dict[int, list[list[int]]] = {}
    for v, parents in best:
        members = parents[parents >= 0].tolist()
        for u in members:
            rows.setdefault(u, []).append(sorted({v, *members} - {u}))
    return sorted(rows.items())


class ParentSetSearch:
    """Collects parent sets of all variables, exploration by exploration.

    Parameters
    ----------
    dataset : Dataset
    score : Score
    effort : Effort
    n_jobs : int
    """

    def __init__(self, dataset: Dataset, score: Score, effort: Effort, n_jobs: int = 1) -> None:
        self.dataset = dataset
        self.score = score
        self.effort = effort
        self.margin = effort.margin
        self.n_jobs = n_jobs
        n = dataset.n_variables
        self.depth = min(len(effort.beams), max(n - 1, 1))
        self.penalty = score.penalty(n, self.depth)
        self.varying = np.flatnonzero(dataset.cards > 1)
        none, stamp = np.full((1, self.depth), -1, np.int32), np.zeros(1, np.int32)
        lookup = score.lookup()
        self._sets = [(none, self._scores(v, none, lookup), stamp) for v in range(n)]
        self._bests: list[set[tuple]] = [set() for _ in range(n)]

    def enumerate_all(self, max_parents: int | None = None) -> None:
        """Score every parent set up to a bound; nothing that counts is left out of the lists."""
        depth = self.depth if max_parents is None else min(max_parents, self.depth)
        self.margin = EXHAUSTIVE_MARGIN
        work = [(int(v), self.varying[self.varying != v], depth) for v in self.varying]
        for v, sets, scores in self._each(self._enumerate, work):
            self._sets[v] = (sets, scores, np.zeros(len(scores), np.int32))

    def _enumerate(self, v: int, others: np.ndarray, depth: int, lookup: Lookup) -> tuple:
        words, offsets = self.dataset.bits
        codes = self.dataset.codes
        prior = self._prior(v, others, lookup)
        return v, *enumerate_families(words, offsets, codes, lookup, v, others, depth, prior)

    def _prior(self, v: int, parents: np.ndarray, lookup: Lookup) -> Prior:
        """Log prior of the families of a variable whose parents are among some."""
        words, offsets = self.dataset.bits
        parents = np.unique(parents[parents >= 0]).astype(np.int64)
        return Prior(self.penalty, leanings(words, offsets, self.dataset.codes, lookup, v, parents))

    def as_subsets(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All sets as subsets of at most 62 variables: ``(set_start, set_mask, set_score)``."""
        masks = [
            np.where(sets >= 0, np.int64(1) << np.maximum(sets, 0).astype(np.int64), 0).sum(axis=1)
            for sets, *_ in self._sets
        ]
        start, mask = _join(masks, np.int64)
        return start, mask, np.concatenate([scores for _, scores, _ in self._sets])

    def explore(
        self,
        pools: Sequence[np.ndarray | None],
        stamp: int,
        *,
        near: Sequence[np.ndarray] | None = None,
        room: int | None = None,
    ) -> None:
        """Search parents of every variable in its pool and add what is found.

        Parameters
        ----------
        pools : sequence of ascending int arrays, one for each variable
            None where nothing is to be searched.
        stamp : int
            Where there are too many candidates, those of later stamps are kept.
        near : sequence of ascending int arrays, optional
            Where one more parent may come from; from everywhere by default.
        room : int, optional
            Most free parameters of a set that is grown, at most as many as rows. One parent more,
            or the child in a parent's place, may exceed it.
        """
        room = min(room or self.dataset.n_rows, self.dataset.n_rows)
        work = [
            (v, pools[v], self.varying if near is None else near[v], room)
            for v in self.varying.tolist()
            if pools[v] is not None
        ]
        found = self._each(self._explore, work)
        for v, sets, scores in found:
            self._add(v, sets, scores, stamp)
            self._bests[v].add(tuple(sets[0]))
        for v, sets, scores in self._each(self._score, _rotated([(v, s[0]) for v, s, _ in found])):
            self._add(v, sets, scores, LAST_ADMITTED)

    def _add(self, v: int, sets: np.ndarray, scores: np.ndarray, stamp: int) -> None:
        old_sets, old_scores, old_stamps = self._sets[v]
        allowed = scores > -np.inf
        sets, scores = sets[allowed], scores[allowed]
        self._sets[v] = (
            np.concatenate([old_sets, sets]),
            np.concatenate([old_scores, scores]),
            np.concatenate([old_stamps, np.full(len(scores), stamp, np.int32)]),
        )

    def _score(self, v: int, rows: list[list[int]], lookup: Lookup) -> tuple:
        """Score given sets of one variable."""
        sets = np.full((len(rows), self.depth), -1, np.int32)
        for a, row in enumerate(rows):
            sets[a, : len(row)] = row
        return v, sets, self._scores(v, sets, lookup)

    def _scores(self, v: int, sets: np.ndarray, lookup: Lookup) -> np.ndarray:
        words, offsets = self.dataset.bits
        arguments = (words, offsets, self.dataset.codes, lookup, v)
        return _parents.score_parent_sets(*arguments, sets, self._prior(v, sets, lookup))

    def rescore(self, score: Score) -> None:
        """Score all sets again, by another score with the same prior; none is settled then."""
        self.score = score
        self._bests = [set() for _ in self._sets]
        work = [(v, sets) for v, (sets, _, _) in enumerate(self._sets)]
        scores = self._each(lambda v, sets, lookup: (self._scores(v, sets, lookup),), work)
        self._sets = [
            (sets, again, stamps)
            for (sets, _, stamps), (again,) in zip(self._sets, scores, strict=True)
        ]

    def candidates(self) -> list[np.ndarray]:
        """Members of the sets of each variable, ascending."""
        return [np.unique(sets[sets >= 0]).astype(np.int64) for sets, *_ in self._sets]

    def find_density(self, edges: float, step: float = DENSITY_STEP) -> bool:
        """Take the density that is expected given a network with this number of edges.

        Before the data are seen the density has a Beta(1, m) distribution for m pairs: one edge is
        expected in all. Data that say nothing thus add less than one edge. All sets have a new
        prior if the odds of an edge change by more than a factor of `step`, and True is returned.
        """
        n = self.dataset.n_variables
        found = (edges + 1) / (n * (n - 1) + 1)
        if self.score.density is not None:
            before, now = logit([self.score.density, found])
            if abs(now - before) < np.log(step):
                return False
        self.score = replace(self.score, density=found)
        old, self.penalty = self.penalty, self.score.penalty(n, self.depth)
        change = self.penalty - old
        self._sets = [
            (sets, scores + change[(sets >= 0).sum(axis=1)], stamps)
            for sets, scores, stamps in self._sets
        ]
        return True

    def _explore(
        self, v: int, pool: np.ndarray, near: np.ndarray, room: int, lookup: Lookup
    ) -> tuple:
        words, offsets = self.dataset.bits
        effort = self.effort.halved() if self.score.kind == "mixed" else self.effort
        pool, others = self._others(v, pool), self._others(v, near)
        return v, *_parents.explore_parent_sets(
            words,
            offsets,
            self.dataset.codes,
            lookup,
            v,
            pool,
            others,
            *effort.widths(len(pool)),
            self._prior(v, np.concatenate([pool, others]), lookup),
            effort.limits(room),
        )

    def _others(self, v: int, some: np.ndarray) -> np.ndarray:
        """Those of some variables that vary and are not ``v``."""
        return some[(some != v) & (self.dataset.cards[some] > 1)].astype(np.int64)

    def _each(self, function: Callable[..., tuple], work: Sequence[tuple]) -> list[tuple]:
        """Call ``function(*item, lookup)`` on all items, a fresh set of tables for each chunk."""

        def chunk(items: Sequence[tuple]) -> list[tuple]:
            lookup = self.score.lookup()
            return [function(*item, lookup) for item in items]

        size = max(1, min(32, -(-len(work) // (4 * threads(self.n_jobs)))))
        chunks = [work[a : a + size] for a in range(0, len(work), size)]
        return [result for part in run(chunk, chunks, self.n_jobs) for result in part]

    def settled(self, keys: np.ndarray) -> np.ndarray:
        """Mark variables whose best set in the order of ``keys`` was the best of a search before.

        Searching their parents among their predecessors would mostly find the same again.
        """
        return np.array(
            [
                tuple(self._sets[v][0][self._best(v, keys)]) in bests
                for v, bests in enumerate(self._bests)
            ]
        )

    def best_parents(self, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Parents of each variable in the best graph of an order, as ``(start, parents)``."""
        best = np.array([sets[self._best(v, keys)] for v, (sets, *_) in enumerate(self._sets)])
        return np.concatenate([[0], np.cumsum((best >= 0).sum(axis=1))]), best[best >= 0]

    def expected_edges(self, keys: np.ndarray) -> float:
        """Posterior mean of the number of edges in the order of ``keys``."""
        total = 0.0
        for v, (sets, scores, _) in enumerate(self._sets):
            before = self._before(v, keys)
            weights = np.exp(scores[before] - scores[before].max())
            total += weights @ (sets[before] >= 0).sum(axis=1) / weights.sum()
        return total

    def _best(self, v: int, keys: np.ndarray) -> int:
        """Index of the best set of a variable in the order of ``keys``."""
        return int(np.where(self._before(v, keys), self._sets[v][1], -np.inf).argmax())

    def _before(self, v: int, keys: np.ndarray) -> np.ndarray:
        """Mark the sets of a variable that come before it in the order of ``keys``."""
        sets = self._sets[v][0]
        return ((sets < 0) | (keys[sets] < keys[v])).all(axis=1)

    def listed(self, keys: np.ndarray | None = None) -> ParentSets:
        """List the sets for the sampler, and forget those that are not listed.

        Where there are too many candidates, sets that count in the order of ``keys`` come first, so
        that the order does not lose what makes it good.
        """
        found = [
            _parents.list_parent_sets(
                *self._sets[v][:2], self._admission(v, keys), MOST_CANDIDATES, self.margin
            )
            for v in range(self.dataset.n_variables)
        ]
        for v, (*_, rows) in enumerate(found):
            self._sets[v] = tuple(part[rows] for part in self._sets[v])
        candidates, masks, scores, _ = zip(*found, strict=True)
        return ParentSets.from_variables(candidates, masks, scores)

    def _admission(self, v: int, keys: np.ndarray | None) -> np.ndarray:
        """Stamps of the sets of a variable, the latest for those that count in an order."""
        _, scores, stamps = self._sets[v]
        if keys is None:
            return stamps
        before = self._before(v, keys)
        counts = before & (scores > scores[before].max() - self.effort.delta)
        return np.where(counts, FIRST_ADMITTED, stamps)
