"""Test edges that are kept, or kept out, only by the cells drawn from the network.

Cells that were drawn from a network with an edge speak for the edge, and cells drawn without it
speak against it. So a chain keeps an edge of weak evidence for very long if it began with it, and
finds it late if it did not. The same holds for one parent in the place of another. The observed
cells alone decide as follows. Let two networks differ in the parents of one variable, and let r(Z)
be the log ratio of the probabilities of a completed table Z under the second and the first. The log
Bayes factor of the observed cells is the integral over t from 0 to 1 of the mean of r(Z), where Z
is drawn in proportion to ``P1(Z)**(1 - t) P2(Z)**t`` (thermodynamic integration, Gelman & Meng
1998). We take the value at t = 1/2, which favours neither network. The networks may also differ in
several variables, such as both ends of a reversed edge: moves between such networks are often worse
in each variable alone.

Half-way cells are drawn like all others, see `lsbn.kernels.joint`. The table of the variable is the
root of the product of its tables given the first and the second parents. Each of these is drawn
around its posterior mean given all counts. Only the weight of the counts in the draw is halved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from scipy.special import expit

from lsbn.answers.families import MOST_DENSE, DataCounts, FamilyCounts, FamilyTable
from lsbn.answers.gaps import network_tables
from lsbn.answers.predictive import predictive_table
from lsbn.data import Dataset
from lsbn.kernels.gaps import NetworkTables
from lsbn.knowledge import Constraints
from lsbn.learners import Score
from lsbn.learners.families import FamilyScores
from lsbn.missing.moves import Move, Parents, after, closes_cycle, joined, regions, reversed_edge

__all__ = ["FamilyTest", "drawn_table", "drawn_tables", "halfway_table"]

Draw = Callable[[Dataset, NetworkTables], Dataset]
"""Draws the missing cells of a completed table again."""
Families = Callable[[Dataset], FamilyScores]
"""Gives the scores of the families of a completed table."""

CLOSE = 100.0
"""Parents are tested if they lose less than this on the completed table, in nats; not tuned."""
MOST_NEAR = 16
"""A parent is exchanged for one of at most this many of its neighbours; not tuned."""
DRAWS = 5
"""How often all tables, and then all cells, are drawn half-way; not tuned."""
HOPELESS = -8.0
"""An edge that was left out is tested again if its gain was above this, in nats; not tuned."""
LEAST_SHARE = 1e-9
"""Smallest probability in a drawn table, times the posterior mean, so that no draw is zero."""


class FamilyTest:
    """Tests other parents of some variables, and accepts them by their evidence half-way.

    Some rounds compare the parents of a variable with others: without one of them, with a neighbour
    of one of them in its place, or with one that a test left out before. Others reverse edges, with
    other parents of both ends.

    Parameters
    ----------
    dataset : Dataset
        With gaps. Families in columns without gaps are not tested.
    score : Score
    knowledge : Constraints or None
    rng : Generator

    Attributes
    ----------
    left_out : set of (int, int)
        Edges that a test left out, and that will be tested again.
    """

    def __init__(
        self,
        dataset: Dataset,
        score: Score,
        knowledge: Constraints | None,
        rng: np.random.Generator,
    ) -> None:
        assert dataset.gaps is not None
        self.score, self.rng = score, rng
        self.has_gaps, varying = np.asarray(dataset.gaps.any(axis=1)), dataset.cards > 1
        self.place = np.cumsum(varying) - 1  # networks have no edges of constants
        self.knowledge = None if knowledge is None else knowledge.select(np.flatnonzero(varying))
        self.left_out: set[tuple[int, int]] = set()

    def __call__(
        self, parents: Parents, table: Dataset, families: Families, draw: Draw, reverse: bool
    ) -> list[tuple[int, ...]]:
        """Return the network after some tests, no two of which have a variable in common.

        Parameters
        ----------
        parents : sequence of tuple
            The network.
        table : Dataset
            The completed table.
        families : callable
            Gives the scores of the families of a table.
        draw : callable
            Draws the cells of a table.
        reverse : bool
            Whether edges are reversed. Else the parents of single variables are tested.
        """
        possible = self._reversals if reverse else self._close
        moves = self._apart(parents, possible(parents, families(table)))
        return self._judged(parents, moves, table, families, draw)

    def between(
        self, parents: Parents, theirs: Parents, table: Dataset, families: Families, draw: Draw
    ) -> list[tuple[int, ...]]:
        """Return the network with the parents of another in some regions in which they differ."""
        scores = families(table)
        moves = [
            move
            for move in regions(parents, theirs)
            if all(self._is_possible(v, parents[v], own, scores) for v, own in move.items())
        ]
        return self._judged(parents, moves, table, families, draw)

    def _judged(
        self,
        parents: Parents,
        moves: Sequence[Move],
        table: Dataset,
        families: Families,
        draw: Draw,
    ) -> list[tuple[int, ...]]:
        """Return the network after some of the moves, each by its own evidence."""
        chosen = list(parents)
        if not moves:
            return chosen
        others = {v: other for move in moves for v, other in move.items()}
        for _ in range(DRAWS):
            table = draw(table, self._halfway(parents, others, DataCounts(table)))
        family = families(table)
        for move in moves:
            gains = {v: family(v, other) - family(v, parents[v]) for v, other in move.items()}
            accepted = self.rng.random() < expit(sum(gains.values()))
            if accepted and not closes_cycle(chosen, move):
                chosen = after(chosen, move)
            if len(move) == 1:
                ((v, gain),) = gains.items()
                self._remember(v, parents[v], move[v], gain)
        self.left_out -= {(u, v) for v, above in enumerate(chosen) for u in above}
        return chosen

    def _remember(
        self, v: int, parents: tuple[int, ...], other: tuple[int, ...], gain: float
    ) -> None:
        """Note the edge between two nested families, for a later test; or forget it."""
        changed = {*parents} ^ {*other}
        if len(changed) > 1:
            return
        gain = gain if len(other) > len(parents) else -gain
        (u,) = changed
        change = self.left_out.add if gain > HOPELESS else self.left_out.discard
        change((u, v))

    def _apart(self, parents: Parents, possible: Sequence[Move]) -> list[Move]:
        """Choose moves at random, no two of which have a variable in common."""
        taken, found = set[int](), list[Move]()
        for i in self.rng.permutation(len(possible)).tolist():
            move = possible[i]
            changed = {*move}.union(*({*other} ^ {*parents[v]} for v, other in move.items()))
            if not taken & changed and not closes_cycle(parents, move):
                taken |= changed
                found.append(move)
        return found

    def _reversals(self, parents: Parents, families: FamilyScores) -> list[Move]:
        """Return reversed edges that are hardly worse on the completed table."""
        family, found = cache(families), []
        for v, above in enumerate(parents):
            for u in above:
                move = reversed_edge(
                    parents,
                    (u, v),
                    family,
                    lambda child, own: self._is_possible(child, parents[child], own, families),
                )
                if move is not None:
                    gains = (family(w, own) - family(w, parents[w]) for w, own in move.items())
                    if sum(gains) > -CLOSE:
                        found.append(move)
        return found

    def _close(self, parents: Parents, families: FamilyScores) -> list[Move]:
        """Return variables with other parents that are hardly worse on the completed table."""
        near = [{*above} for above in parents]
        for v, above in enumerate(parents):
            for u in above:
                near[u].add(v)
        again: dict[int, list[int]] = {}
        for u, v in self.left_out:
            again.setdefault(v, []).append(u)
        found: list[Move] = []
        for v, above in enumerate(parents):
            others = {joined(above, u) for u in again.get(v, [])}
            for u in above:
                rest = tuple(w for w in above if w != u)
                others |= {rest, *(joined(rest, w) for w in self._some(near[u]))}
            others = {
                other
                for other in others
                if self.has_gaps[[v, *above, *other]].any()
                and self._is_possible(v, above, other, families)
            }
            if others:
                now = families(v, above)
                found += [{v: o} for o in sorted(others) if now - families(v, o) < CLOSE]
        return found

    def _some(self, near: set[int]) -> list[int]:
        """Return neighbours of a variable, at most `MOST_NEAR` at random."""
        some = sorted(near)
        if len(some) > MOST_NEAR:
            some = self.rng.choice(some, MOST_NEAR, replace=False).tolist()
        return some

    def _is_possible(
        self, v: int, parents: tuple[int, ...], other: tuple[int, ...], families: FamilyScores
    ) -> bool:
        """Return whether a variable may have other parents, and whether they can be tested."""
        if v in other or other == parents:
            return False
        cards, known = families.dataset.cards.astype(float), self.knowledge
        if np.prod(cards[[*{*other, *parents}]]) > MOST_DENSE:
            return False
        if np.prod(cards[[*other]]) * (cards[v] - 1) > families.dataset.n_rows:
            return False
        if known is None:
            return True
        child, above = int(self.place[v]), self.place[[*other]]
        return (
            len(other) <= known.most_parents[child]
            and {*known.required_parents(child).tolist()} <= {*above.tolist()}
            and bool(known.allows(above, child).all())
        )

    def _halfway(
        self, parents: Parents, others: dict[int, tuple[int, ...]], counts: DataCounts
    ) -> NetworkTables:
        """Draw the tables half-way between the parents of some variables and others."""
        families = []
        for v, above in enumerate(parents):
            if v not in others:
                families.append(drawn_table(counts(v, above), self.score, self.rng))
                continue
            first, second = (
                drawn_table(counts(v, own), self.score, self.rng, 0.5) for own in (above, others[v])
            )
            families.append(halfway_table(first, second))
        return network_tables(families, counts.dataset.cards)


def halfway_table(first: FamilyTable, second: FamilyTable, t: float = 0.5) -> FamilyTable:
    """Return ``first**(1 - t) second**t`` for two tables of a variable, not divided by its sums.

    Its parents are those of both, and all their configurations have rows.
    """
    above = np.union1d(first.parents, second.parents)
    cards = np.empty(int(above.max()) + 1, np.int64)
    for table in (first, second):
        cards[table.parents] = table.cards
    grid = np.indices(cards[above[::-1]].tolist()).reshape(len(above), -1)[::-1]
    codes = np.zeros((len(cards), grid.shape[1]), np.int64)
    codes[above] = grid
    rows = [table.table[table.rows(codes)] for table in (first, second)]
    return FamilyTable(first.child, above, cards[above], rows[0] ** (1 - t) * rows[1] ** t)


def drawn_tables(
    parents: Parents, counts: DataCounts, score: Score, rng: np.random.Generator
) -> NetworkTables:
    """Draw the tables of a network."""
    families = [drawn_table(counts(v, above), score, rng) for v, above in enumerate(parents)]
    return network_tables(families, counts.dataset.cards)


def drawn_table(
    found: FamilyCounts, score: Score, rng: np.random.Generator, share: float = 1.0
) -> FamilyTable:
    """Draw the table of a family from its posterior.

    Each row is drawn from a Dirichlet distribution whose mean is the predictive distribution of the
    score, and whose weight is the number of rows of the data, times the share of them that counts,
    and a prior weight: that of BDeu and K2, and as many rows as there are states for the mixed
    score and BIC.
    """
    means = predictive_table(found.counts, found.cards, score)
    sizes, weight = found.counts.sum(axis=1, keepdims=True), float(found.counts.shape[1])
    if score.kind == "bdeu":
        weight = score.ess / float(np.prod(found.cards.astype(float)))
    table = rng.standard_gamma(means * (share * sizes + weight)) + LEAST_SHARE * means
    table /= table.sum(axis=1, keepdims=True)
    return FamilyTable(found.child, found.parents, found.cards, table, found.keys)
