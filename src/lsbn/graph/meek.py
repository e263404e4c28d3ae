"""Meek's rules: directions that follow from other directions without a new v-structure or cycle."""

from collections.abc import Sequence
from itertools import combinations

__all__ = ["meek_closure"]

Pair = tuple[int, int]


def meek_closure(neighbours: Sequence[set[int]], arrows: set[Pair]) -> set[Pair]:
    """Apply Meek's rules 1 to 4 (1995) until no rule directs another edge.

    Each round directs all edges that the rules direct in one direction only. Therefore the result
    does not depend on an order of the edges. Rule 4 applies only if some arrows are known from
    elsewhere than the data.

    Parameters
    ----------
    neighbours : sequence of set of int
        Nodes that are joined with each node, in any direction.
    arrows : set of (int, int)
        The directed edges.

    Returns
    -------
    set of (int, int)
        These edges and all edges that follow.

    Examples
    --------
    >>> sorted(meek_closure([{1}, {0, 2}, {1}], {(0, 1)}))
    [(0, 1), (1, 2)]
    """
    arrows = set(arrows)
    parents: list[set[int]] = [set() for _ in neighbours]
    for u, v in arrows:
        parents[v].add(u)
    undirected = {
        (a, b)
        for a, adjacent in enumerate(neighbours)
        for b in adjacent
        if a not in parents[b] and b not in parents[a]
    }
    while True:
        implied = {(a, b) for a, b in undirected if _rule_applies(neighbours, parents, a, b)}
        new = {(a, b) for a, b in implied if (b, a) not in implied}
        if not new:
            return arrows
        arrows |= new
        undirected -= new | {(b, a) for a, b in new}
        for a, b in new:
            parents[b].add(a)


def _rule_applies(neighbours: Sequence[set[int]], parents: list[set[int]], a: int, b: int) -> bool:
    """Return whether one of the rules directs a - b as a -> b."""
    if any(c not in neighbours[b] for c in parents[a]):  # 1: c -> a - b
        return True
    if any(a in parents[c] for c in parents[b]):  # 2: a -> c -> b
        return True
    sides = [c for c in parents[b] & neighbours[a] if c not in parents[a] and a not in parents[c]]
    # 3: a - c -> b and a - d -> b
    if any(d not in neighbours[c] for c, d in combinations(sides, 2)):
        return True
    # 4: a - d -> c -> b and a - c, with d and b not joined
    ends = {d for c in sides for d in parents[c] & neighbours[a]} - neighbours[b] - {b}
    return any(d not in parents[a] and a not in parents[d] for d in ends)
