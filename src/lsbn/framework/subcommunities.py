"""Step 2 of LocalLearn: expand communities by Markov blankets, and sample sub-communities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

__all__ = ["expanded_community", "inner_markov_graph", "sub_communities"]

Blankets = Sequence[np.ndarray] | Mapping[int, np.ndarray]


def expanded_community(community: np.ndarray, blankets: Blankets) -> np.ndarray:
    """Return the expanded community C' = C ∪ MB(C) (paper, Sampling and Learning).

    Parameters
    ----------
    community : int array
        The members of C.
    blankets : sequence or mapping of int arrays
        Markov blankets, at least of the members.

    Returns
    -------
    int array
        The members of C and of their Markov blankets, ascending.

    Examples
    --------
    >>> blankets = [np.array([1]), np.array([0, 3]), np.array([], int), np.array([1])]
    >>> expanded_community(np.array([1, 2]), blankets).tolist()
    [0, 1, 2, 3]
    """
    return np.unique(np.concatenate([community, *(blankets[v] for v in community)]))


def inner_markov_graph(community: np.ndarray, blankets: Blankets) -> dict[int, list[int]]:
    """Return the inner Markov graph G_IM(C) (paper, Sampling and Learning).

    Members X and Y of the community have an edge if X is in MB(Y) or Y is in MB(X).

    Parameters
    ----------
    community : int array
        The members of C.
    blankets : sequence or mapping of int arrays
        Markov blankets, at least of the members.

    Returns
    -------
    dict of int to list of int
        Neighbours of each member, ascending.

    Examples
    --------
    >>> blankets = [np.array([1]), np.array([0, 3]), np.array([], int), np.array([1])]
    >>> inner_markov_graph(np.array([0, 1, 2]), blankets)
    {0: [1], 1: [0], 2: []}
    """
    members = {int(v) for v in community}
    neighbours: dict[int, set[int]] = {v: set() for v in sorted(members)}
    for v in members:
        for u in map(int, blankets[v]):
            if u in members and u != v:
                neighbours[v].add(u)
                neighbours[u].add(v)
    return {v: sorted(adjacent) for v, adjacent in neighbours.items()}


def sub_communities(
    community: np.ndarray,
    blankets: Blankets,
    rng: np.random.Generator,
    *,
    max_size: int = 12,
) -> list[np.ndarray]:
    """Sample sub-communities S ∪ MB(S) until every member of a community is visited.

    The method is random node neighbour (Leskovec & Faloutsos 2006) in the inner Markov graph. An
    unvisited member is drawn at random as the start. S is the start with its neighbours. Neighbours
    leave S in random order until S ∪ MB(S) has at most ``max_size`` variables. The members that
    remain in S are visited. See the paper, Sampling and Learning, step 2.

    Parameters
    ----------
    community : int array
        The members.
    blankets : sequence or mapping of int arrays
        Markov blankets of the variables, each with its most important members first.
    rng : numpy.random.Generator
    max_size : int
        Largest number of variables of a sub-community. If the blanket of the start alone is too
        large, then only the first members of this blanket are taken.

    Returns
    -------
    list of int arrays
        Sub-communities, each sorted, without repetition.

    Examples
    --------
    >>> blankets = [np.array([1]), np.array([0, 3]), np.array([], int), np.array([1])]
    >>> rng = np.random.default_rng(0)
    >>> subs = sub_communities(np.array([0, 1, 2]), blankets, rng)
    >>> sorted(sub.tolist() for sub in subs)
    [[0, 1, 3], [2]]
    """
    neighbours = inner_markov_graph(community, blankets)
    unvisited = sorted(neighbours)
    sampled: dict[tuple[int, ...], np.ndarray] = {}
    while unvisited:
        start = unvisited[int(rng.integers(len(unvisited)))]
        chosen = [start, *rng.permutation(neighbours[start]).astype(int).tolist()]
        while len(chosen) > 1 and len(_with_blankets(chosen, blankets)) > max_size:
            chosen.pop()
        sub = _with_blankets(chosen, blankets)
        if len(sub) > max_size:
            sub = np.sort(np.append(blankets[start][: max_size - 1], start))
        sampled.setdefault(tuple(sub.tolist()), sub)
        unvisited = [v for v in unvisited if v not in set(chosen)]
    return list(sampled.values())


def _with_blankets(chosen: list[int], blankets: Blankets) -> np.ndarray:
    """Return S ∪ MB(S)."""
    return expanded_community(np.array(chosen, np.int64), blankets)
