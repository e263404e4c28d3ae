"""Moves from one network to another: other parents of some variables at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from scipy import sparse
from scipy.sparse.csgraph import connected_components

__all__ = ["Move", "Parents", "after", "is_acyclic", "joined", "regions", "reversed_edge"]

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


def is_acyclic(parents: Parents) -> bool:
    """Return whether a network has no cycle.

    >>> is_acyclic([(), (0,), (1,)]), is_acyclic([(2,), (0,), (1,)])
    (True, False)
    """
    children: list[list[int]] = [[] for _ in parents]
    for v, above in enumerate(parents):
        for u in above:
            children[u].append(v)
    waiting = [len(above) for above in parents]
    free = [v for v, above in enumerate(parents) if not above]
    for u in free:  # grows
        for v in children[u]:
            waiting[v] -= 1
            if not waiting[v]:
                free.append(v)
    return len(free) == len(parents)


def regions(parents: Parents, theirs: Parents) -> list[Move]:
    """Return the moves to another network, one for each region in which they differ.

    Two variables that have other parents are in one region if an edge of one of the networks joins
    them, as in `lsbn.learners.averaging.recombination`.

    >>> regions([(), (0,), (), ()], [(1,), (), (3,), ()])
    [{0: (1,), 1: ()}, {2: (3,)}]
    """
    differ = [v for v, own in enumerate(parents) if own != theirs[v]]
    edges = sparse.lil_array((len(parents), len(parents)))
    for v in differ:
        edges[v, [*{*parents[v], *theirs[v]}]] = 1.0
    number, region = connected_components(edges.tocsr()[differ][:, differ], directed=False)
    moves: list[Move] = [{} for _ in range(number)]
    for v, k in zip(differ, region.tolist(), strict=True):
        moves[k][v] = theirs[v]
    return moves


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
