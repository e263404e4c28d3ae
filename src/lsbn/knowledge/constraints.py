"""Knowledge over the numbers of variables: which edges may, must and are likely to be there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

__all__ = ["Constraints"]

NO_TIER = -1


@dataclass(frozen=True, eq=False)
class Constraints:
    """What knowledge means for the variables of a dataset. Nothing in it has size n x n.

    An edge u -> v of n variables is held as the number ``v * n + u``, so that the parents of a
    variable stand together. All arrays of edges are ascending.

    Attributes
    ----------
    n : int
        Number of variables.
    required, forbidden : int64 arrays
        Single edges.
    blocks : tuple of (bool array, bool array)
        Forbidden edges from all variables of the first mask to all variables of the second.
    tier : (n,) int array
        Tier of each variable, -1 for none.
    inside : bool array
        For each tier, whether there may be edges between its variables.
    reach : int array
        The last tier to which edges from each tier may lead.
    root, leaf : (n,) bool arrays
        Variables without parents, and without children.
    most_parents : (n,) int array
        Most parents of each variable; at least the number of its required parents.
    likely : int64 array
        Single edges with a prior probability of their own.
    log_odds : float array
        Log odds of these edges.
    """

    n: int
    required: np.ndarray
    forbidden: np.ndarray
    blocks: tuple[tuple[np.ndarray, np.ndarray], ...]
    tier: np.ndarray
    inside: np.ndarray
    reach: np.ndarray
    root: np.ndarray
    leaf: np.ndarray
    most_parents: np.ndarray
    likely: np.ndarray
    log_odds: np.ndarray

    def allows(self, parents: np.ndarray | int, children: np.ndarray | int) -> np.ndarray:
        """Say for each edge whether it is possible.

        Parameters
        ----------
        parents, children : int arrays, or an int for the same variable everywhere

        Returns
        -------
        bool array
        """
        u, v = np.broadcast_arrays(np.asarray(parents, np.int64), np.asarray(children, np.int64))
        allowed = (u != v) & ~self.root[v] & ~self.leaf[u]
        if len(self.inside):
            above, below = self.tier[u], self.tier[v]
            free = (above == NO_TIER) | (below == NO_TIER)
            later = (above < below) & (below <= self.reach[above])
            allowed &= free | later | ((above == below) & self.inside[above])
        if len(self.forbidden):
            allowed &= ~_among(v * self.n + u, self.forbidden)
        for sources, targets in self.blocks:
            allowed &= ~(sources[u] & targets[v])
        return allowed

    def required_parents(self, v: int) -> np.ndarray:
        """Return the required parents of a variable, ascending."""
        return self._of_child(self.required, v) % self.n

    def required_edges(self) -> tuple[np.ndarray, np.ndarray]:
        """Parents and children of all required edges."""
        return self.required % self.n, self.required // self.n

    def likely_parents(self, v: int) -> tuple[np.ndarray, np.ndarray]:
        """Parents of a variable whose edge has a prior of its own, and the log odds."""
        low, high = np.searchsorted(self.likely, [v * self.n, (v + 1) * self.n])
        return self.likely[low:high] % self.n, self.log_odds[low:high]

    def _of_child(self, edges: np.ndarray, v: int) -> np.ndarray:
        low, high = np.searchsorted(edges, [v * self.n, (v + 1) * self.n])
        return edges[low:high]

    @cached_property
    def most_required(self) -> int:
        """Largest number of required parents of a variable."""
        if not len(self.required):
            return 0
        return int(np.bincount(self.required // self.n).max())

    @cached_property
    def free_pairs(self) -> int:
        """Number of pairs of variables that may have an edge or not.

        Not counted are pairs with a required edge, and pairs with both directions forbidden.
        """
        everyone, total = np.arange(self.n), 0
        for v in range(self.n - 1):
            others = everyone[v + 1 :]
            total += int((self.allows(others, v) | self.allows(v, others)).sum())
        return total - len(self.required)

    def select(self, variables: np.ndarray) -> Constraints:
        """Return the constraints of some variables among themselves.

        A variable loses the room for its required parents that are not selected. If required edges
        lead from a to b through variables that are not selected, then b -> a is forbidden.

        Parameters
        ----------
        variables : int array
            Different variables, in any order. They are numbered by their places in it.

        Returns
        -------
        Constraints
        """
        variables = np.asarray(variables, np.int64)
        k, order = len(variables), np.argsort(variables)

        def moved(edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            """Return the edges between selected variables, and which edges these are."""
            ends = np.stack([edges % self.n, edges // self.n])
            places = np.minimum(np.searchsorted(variables[order], ends), max(k - 1, 0))
            inside = (variables[order][places] == ends).all(axis=0) if k else np.zeros(0, bool)
            u, v = order[places[:, inside]]
            return v * k + u, inside

        required, chosen = moved(self.required)
        outside = np.bincount(self.required[~chosen] // self.n, minlength=self.n)[variables]
        likely, kept = moved(self.likely)
        by_edge = np.argsort(likely)
        turned, _ = moved(np.concatenate([self.forbidden, self._against_paths(variables)]))
        return Constraints(
            n=k,
            required=np.sort(required),
            forbidden=np.unique(turned),
            blocks=tuple((a[variables], b[variables]) for a, b in self.blocks),
            tier=self.tier[variables],
            inside=self.inside,
            reach=self.reach,
            root=self.root[variables],
            leaf=self.leaf[variables],
            most_parents=np.maximum(self.most_parents[variables] - outside, 0),
            likely=likely[by_edge],
            log_odds=self.log_odds[kept][by_edge],
        )

    def _against_paths(self, variables: np.ndarray) -> np.ndarray:
        """Edges against the required paths through variables that are not selected."""
        selected, against = set(variables.tolist()), []
        parents, children = (ends.tolist() for ends in self.required_edges())
        below: dict[int, list[int]] = {}
        for u, v in zip(parents, children, strict=True):
            below.setdefault(u, []).append(v)
        for start in selected & below.keys():
            stack, seen = [v for v in below[start] if v not in selected], set()
            while stack:
                for v in below.get(stack.pop(), ()):
                    if v in selected:
                        against.append(start * self.n + v)
                    elif v not in seen:
                        seen.add(v)
                        stack.append(v)
        return np.array(against, np.int64)

    def reason(self, u: int, v: int) -> str:
        """Name the statement that forbids an edge; empty if none does."""
        if self.root[v]:
            return "roots"
        if self.leaf[u]:
            return "leaves"
        if not self.allows(u, v):
            plain = self.tier[u] == NO_TIER or self.tier[v] == NO_TIER
            tiers = not plain and not self.without_singles.allows(u, v)
            return "tiers" if tiers else "forbidden"
        return ""

    @cached_property
    def without_singles(self) -> Constraints:
        """The tiers, roots and leaves alone."""
        none = np.empty(0, np.int64)
        return replace(self, forbidden=none, required=none, blocks=())

    def treats_alike(self, u: int, v: int) -> bool:
        """Say whether v may be replaced by its copy u, and joined to it in either direction."""
        same = (
            self.tier[u] == self.tier[v]
            and self.root[u] == self.root[v]
            and self.leaf[u] == self.leaf[v]
            and self.most_parents[u] == self.most_parents[v]
            and self.most_parents[v] > 0
            and all(a[u] == a[v] and b[u] == b[v] for a, b in self.blocks)
        )
        own = np.concatenate([self.required, self.likely])
        if not same or ((own % self.n == v) | (own // self.n == v)).any():
            return False
        parents, children = self.required_edges()
        told = np.setdiff1d(self.forbidden, parents * self.n + children)
        above, below = told % self.n, told // self.n
        alike = set(above[below == u]) == set(above[below == v])
        alike &= set(below[above == u]) == set(below[above == v])
        return bool(alike and self.allows(u, v) and self.allows(v, u))


def _among(edges: np.ndarray, listed: np.ndarray) -> np.ndarray:
    """Say for each edge whether it is in an ascending list."""
    places = np.minimum(np.searchsorted(listed, edges), len(listed) - 1)
    return listed[places] == edges
