"""Step 2 of LocalLearn: expanded communities, and sub-communities small enough to learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

__all__ = ["expanded_community", "inner_markov_graph", "sub_communities"]

Blankets = Sequence[np.ndarray] | Mapping[int, np.ndarray]


def expanded_community(community: np.ndarray, blankets: Blankets) -> np.ndarray:
    """Return a community together with the Markov blankets of its members, C' = C ∪ MB(C).

    Examples
    --------
    >>> blankets = [np.array([1]), np.array([0, 3]), np.array([], int), np.array([1])]
    >>> expanded_community(np.array([1, 2]), blankets).tolist()
    [0, 1, 2, 3]
    """
    return np.unique(np.concatenate([community, *(blankets[v] for v in community)]))


def inner_markov_graph(community: np.ndarray, blankets: Blankets) -> dict[int, list[int]]:
    """Join the members of a community of which one is in the other's blanket, G_IM(C).

    Returns
    -------
    dict of int to list of int
        Neighbours of every member, ascending.

    Examples
    --------
    >>> blankets = [np.array([1]), np.array([0, 3]), np.array([], int), np.array([1])]
    >>> inner_markov_graph(np.array([0, 1, 2]), blankets)
    {0: [1], 1: [0], 2: []}
    """
    members = {int(v) for v in community}
    near: dict[int, set[int]] = {v: set() for v in sorted(members)}
    for v in members:
        for u in map(int, blankets[v]):
            if u in members and u != v:
                near[v].add(u)
                near[u].add(v)
    return {v: sorted(around) for v, around in near.items()}


def sub_communities(
    community: np.ndarray,
    blankets: Blankets,
    rng: np.random.Generator,
    *,
    max_size: int = 12,
) -> list[np.ndarray]:
    """Sample sub-communities S ∪ MB(S) until every member of a community was visited.

    Random node neighbour (Leskovec & Faloutsos 2006) in the inner Markov graph: an unvisited
    member, drawn at random, and its neighbours are S. Neighbours leave S, in random order, until
    S ∪ MB(S) has an acceptable size; those that stay were visited too.

    Parameters
    ----------
    community : int array
    blankets : sequence or mapping of int arrays
        Of all variables, each with its most important members first.
    rng : numpy.random.Generator
    max_size : int
        A start whose own blanket is larger is learned with the first members of it.

    Returns
    -------
    list of int arrays
        Each sorted; none twice.
    """
    near = inner_markov_graph(community, blankets)
    unvisited = sorted(near)
    found: dict[tuple[int, ...], np.ndarray] = {}
    while unvisited:
        start = unvisited[int(rng.integers(len(unvisited)))]
        chosen = [start, *rng.permutation(near[start]).astype(int).tolist()]
        while len(chosen) > 1 and len(_with_blankets(chosen, blankets)) > max_size:
            chosen.pop()
        sub = _with_blankets(chosen, blankets)
        if len(sub) > max_size:
            sub = np.sort(np.append(blankets[start][: max_size - 1], start))
        found.setdefault(tuple(sub.tolist()), sub)
        unvisited = [v for v in unvisited if v not in set(chosen)]
    return list(found.values())


def _with_blankets(chosen: list[int], blankets: Blankets) -> np.ndarray:
    return expanded_community(np.array(chosen, np.int64), blankets)
