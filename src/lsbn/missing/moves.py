"""Moves from one network to another: other parents of some variables at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from scipy import sparse

from lsbn.learners.averaging.recombination import regions_of

__all__ = ["Move", "Parents", "after", "closes_cycle", "joined", "regions", "reversed_edge"]

Parents = Sequence[tuple[int, ...]]
"""The parents of each variable, ascending."""
Move = dict[int, tuple[int, ...]]
"""The other parents of some variables."""


def joined(parents: tuple[int, ...], u: int) -> tuple[int, ...]:
    """Return parents and one more."""
    return tuple(sorted({*parents, u}))


def after(parents: Parents, move: Move) -> list[tuple[int, ...]]:
    """Return the network after a move."""
    return [move.get(v, above) for v, above in enumerate(parents)]


def closes_cycle(parents: Parents, move: Move) -> bool:
    """Return whether a move closes a cycle in a network that has none.

    Such a cycle has an edge that the move adds: its child is above its parent after the move.

    >>> closes_cycle([(), (0,), (1,)], {0: (2,)}), closes_cycle([(), (0,), (1,)], {2: (0, 1)})
    (True, False)
    """
    for v, own in move.items():
        waiting, seen = [u for u in own if u not in parents[v]], set[int]()
        while waiting:
            u = waiting.pop()
            if u == v:
                return True
            if u not in seen:
                seen.add(u)
                waiting += move.get(u, parents[u])
    return False


def regions(parents: Parents, theirs: Parents) -> list[Move]:
    """Return the moves to another network, one for each region in which they differ.

    Two variables that have other parents are in one region if an edge of one of the networks joins
    them, as in `lsbn.learners.averaging.recombination`.

    >>> regions([(), (0,), (), ()], [(1,), (), (3,), ()])
    [{0: (1,), 1: ()}, {2: (3,)}]
    """
    differ = [own != other for own, other in zip(parents, theirs, strict=True)]
    edges = sparse.lil_array((len(parents), len(parents)))
    for v in np.flatnonzero(differ).tolist():
        edges[v, [*{*parents[v], *theirs[v]}]] = 1.0
    found = regions_of(np.array(differ), edges.tocsr())
    return [{v: theirs[v] for v in region.tolist()} for region in found]


def reversed_edge(
    parents: Parents,
    edge: tuple[int, int],
    family: Callable[[int, tuple[int, ...]], float],
    possible: Callable[[int, tuple[int, ...]], bool],
) -> Move | None:
    """Reverse an edge, and give both ends the parents that fit best then.

    Parents are added and taken away one at a time, among those of both ends, while the score rises.

    Parameters
    ----------
    parents : sequence of tuple
    edge : (int, int)
        From the first to the second.
    family : callable
        Scores a family.
    possible : callable
        Says whether a variable may have some parents.

    Returns
    -------
    dict, or None if it is not possible
    """
    u, v = edge
    near = {*parents[u], *parents[v]} - {u, v}

    def climbed(child: int, start: tuple[int, ...], fixed: set[int]) -> tuple[int, ...] | None:
        """Give a child the best parents, of which some are fixed."""
        if not possible(child, start):
            return None
        best, score = start, family(child, start)
        while True:
            others = [tuple(w for w in best if w != out) for out in best if out not in fixed]
            others += [joined(best, w) for w in sorted(near - {*best})]
            others = [other for other in others if possible(child, other)]
            scores = [family(child, other) for other in others]
            if not scores or max(scores) <= score:
                return best
            score = max(scores)
            best = others[scores.index(score)]

    family, possible = cache(family), cache(possible)
    above = climbed(u, joined(parents[u], v), {v})
    below = climbed(v, tuple(w for w in parents[v] if w != u), set())
    return None if above is None or below is None else {u: above, v: below}
