"""Compare knowledge with the names of a table, and refuse contradictions by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from fnmatch import translate
from functools import cache
from typing import Any

import numpy as np
from scipy.special import logit

from lsbn.data.columns import listing
from lsbn.graph.equivalence import CycleError, topological_order
from lsbn.knowledge.constraints import NO_TIER, Constraints
from lsbn.knowledge.statements import Knowledge, KnowledgeError, Tier

__all__ = ["resolve"]

MOST_SINGLES = 100_000
"""A statement about more edges than this is held as a rule, not edge by edge."""


def resolve(
    knowledge: Knowledge | Constraints | None,
    names: Sequence[str],
    groups: Mapping[str, Sequence[str]] | None = None,
) -> Constraints | None:
    """Find the variables of all statements, and check that the statements agree.

    Parameters
    ----------
    knowledge : Knowledge, Constraints or None
        Constraints are returned as they are, None and empty knowledge as None.
    names : sequence of str
        Names of the variables.
    groups : mapping of str to sequence of str, optional
        Columns of the variables that stand for several columns. What is said of a column is said
        of its group.

    Returns
    -------
    Constraints or None

    Raises
    ------
    KnowledgeError
        For an unknown name, a pattern without a column, a cycle of required edges, an edge that is
        required and forbidden (also by tiers, roots or leaves), or more required parents than
        ``max_parents``.

    Examples
    --------
    >>> constraints = resolve(Knowledge(tiers=[["a"], ["b", "c"]]), ["a", "b", "c"])
    >>> constraints.allows(np.array([0, 1, 2]), np.array([1, 0, 1])).tolist()
    [True, False, True]
    >>> resolve(Knowledge(required=[("a", "b"), ("b", "a")]), ["a", "b"])
    Traceback (most recent call last):
        ...
    lsbn.knowledge.statements.KnowledgeError: required edges form a cycle: a -> b -> a
    """
    if knowledge is None or isinstance(knowledge, Constraints):
        return knowledge
    knowledge = Knowledge.of(knowledge)
    return _Resolver(knowledge, tuple(names), groups or {}).constraints() if knowledge else None


class _Resolver:
    """Turns the statements of one `Knowledge` into `Constraints`."""

    def __init__(
        self, knowledge: Knowledge, names: tuple[str, ...], groups: Mapping[str, Sequence[str]]
    ) -> None:
        self.knowledge, self.names, self.n = knowledge, names, len(names)
        self.number = {column: v for v, name in enumerate(names) for column in groups.get(name, ())}
        self.number |= {name: v for v, name in enumerate(names)}
        self.groups = groups
        self.match = cache(self._match)

    def constraints(self) -> Constraints:
        """Return the constraints, after all checks."""
        told = self.knowledge
        required = self._single_edges("required", told.required)
        forbidden, blocks = self._forbidden()
        tier, inside, reach = self._tiers(told.tiers)
        likely, most = self._likely(), self._limits()
        result = Constraints(
            n=self.n,
            required=required,
            forbidden=forbidden,
            blocks=blocks,
            tier=tier,
            inside=inside,
            reach=reach,
            root=self._mask("roots", told.roots) | (most == 0),
            leaf=self._mask("leaves", told.leaves),
            most_parents=most,
            likely=np.array(sorted(likely), np.int64),
            log_odds=logit(np.array([likely[edge] for edge in sorted(likely)], np.float64)),
        )
        self._check(result)
        turned = required % self.n * self.n + required // self.n
        every = np.unique(np.concatenate([forbidden, turned]))
        return replace(result, forbidden=every)

    def _match(self, kind: str, pattern: str) -> np.ndarray:
        """Return the variables of a name or of a pattern."""
        if pattern in self.number:
            return np.array([self.number[pattern]])
        fits = re.compile(translate(pattern)).match if re.search(r"[*?[]", pattern) else None
        found = {v for name, v in self.number.items() if fits(name)} if fits else set()
        if found:
            return np.array(sorted(found))
        if fits:
            raise KnowledgeError(f"knowledge, {kind}: no column matches {pattern!r}")
        close = get_close_matches(pattern, self.number, 3)
        hint = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
        raise KnowledgeError(f"knowledge, {kind}: there is no column {pattern!r}{hint}")

    def _ends(self, kind: str, edge: tuple[str, str]) -> tuple[np.ndarray, np.ndarray]:
        """Return the variables of both ends of a statement about edges."""
        ends = self.match(kind, edge[0]), self.match(kind, edge[1])
        if len(ends[0]) == len(ends[1]) == 1 and ends[0] == ends[1]:
            if edge[0] != edge[1]:  # two columns of one group
                return ends
            raise KnowledgeError(
                f"knowledge, {kind}: {edge[0]} -> {edge[1]} joins a column with itself"
            )
        return ends

    def _pairs(self, ends: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """Return all edges from the first to the second variables."""
        u, v = (x.ravel() for x in np.meshgrid(*ends))
        return (v * self.n + u)[u != v]

    def _single_edges(self, kind: str, edges: Iterable[tuple[str, str]]) -> np.ndarray:
        parts = [self._pairs(self._ends(kind, edge)) for edge in edges]
        return np.unique(np.concatenate([np.empty(0, np.int64), *parts]))

    def _forbidden(self) -> tuple[np.ndarray, tuple]:
        """Return forbidden edges one by one, and as blocks where they are many."""
        singles, blocks = [np.empty(0, np.int64)], []
        for edge in self.knowledge.forbidden:
            ends = self._ends("forbidden", edge)
            if len(ends[0]) * len(ends[1]) <= MOST_SINGLES:
                singles.append(self._pairs(ends))
            else:
                masks = np.zeros((2, self.n), bool)
                masks[0, ends[0]] = masks[1, ends[1]] = True
                blocks.append((masks[0], masks[1]))
        return np.unique(np.concatenate(singles)), tuple(blocks)

    def _likely(self) -> dict[int, float]:
        """Return the prior probabilities by edge; single names win over patterns."""
        found: dict[int, float] = {}
        exact: dict[int, float] = {}
        for edge, p in self.knowledge.edge_probabilities.items():
            pairs = self._pairs(self._ends("edge_probabilities", edge)).tolist()
            (exact if len(pairs) == 1 else found).update(dict.fromkeys(pairs, p))
        return found | exact

    def _tiers(self, tiers: Sequence[Tier]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the tier of each variable, and the rules of each tier."""
        tier = np.full(self.n, NO_TIER)
        for t, each in enumerate(tiers):
            for pattern in each.names:
                members = self.match("tiers", pattern)
                if (twice := members[(tier[members] != NO_TIER) & (tier[members] != t)]).size:
                    v = int(twice[0])
                    columns = self.groups.get(self.names[v], ())
                    why = (
                        f"; its columns {listing(columns)} are copies: use fold_copies='keep' "
                        "(--copies keep)"
                    )
                    raise KnowledgeError(
                        f"knowledge, tiers: {self.names[v]!r} is in tier {tier[v] + 1} and in tier "
                        f"{t + 1}{why if columns else ''}"
                    )
                tier[members] = t
        inside = np.array([each.edges_inside for each in tiers], bool)
        last = [t + 1 if each.next_only else len(tiers) for t, each in enumerate(tiers)]
        return tier, inside, np.array(last, np.int64)

    def _mask(self, kind: str, patterns: Iterable[str]) -> np.ndarray:
        mask = np.zeros(self.n, bool)
        for pattern in patterns:
            mask[self.match(kind, pattern)] = True
        return mask

    def _limits(self) -> np.ndarray:
        """Return the most parents of each variable; single names win over patterns."""
        limits: Any = self.knowledge.max_parents
        most = np.full(self.n, max(self.n - 1, 0))
        by_name = (
            limits if isinstance(limits, Mapping) else {"*": limits} if limits is not None else {}
        )
        for pattern in sorted(by_name, key=lambda pattern: pattern in self.number):
            members = self.match("max_parents", pattern)
            most[members] = np.minimum(by_name[pattern], max(self.n - 1, 0))
        return most

    def _check(self, result: Constraints) -> None:
        """Raise an error if statements contradict each other."""
        u, v = result.required_edges()
        for a, b in zip(*(x[~result.allows(u, v)].tolist() for x in (u, v)), strict=True):
            raise KnowledgeError(
                f"the edge {self._arrow(a, b)} is required, but {_BARRED[result.reason(a, b)]}"
                f"{self._copies(a, b)}"
            )
        fixed = np.isin(result.likely, result.required)
        fixed |= ~result.allows(result.likely % self.n, result.likely // self.n)
        for edge in result.likely[fixed].tolist():
            raise KnowledgeError(
                f"the edge {self._arrow(edge % self.n, edge // self.n)} has a prior probability, "
                "but is also required or forbidden; leave out one of the two"
            )
        parents = [result.required_parents(x) for x in range(self.n)] if len(u) else []
        for x, own in enumerate(parents):
            if len(own) > result.most_parents[x]:
                raise KnowledgeError(
                    f"{self.names[x]!r} has {len(own)} required parents "
                    f"({listing(self.names[y] for y in own)}), but max_parents allows "
                    f"{result.most_parents[x]}"
                )
        try:
            topological_order(len(parents), parents)
        except CycleError as error:
            cycle = [self.names[x] for x in error.cycle]
            cycle = cycle[cycle.index(min(cycle)) :] + cycle[: cycle.index(min(cycle)) + 1]
            raise KnowledgeError(f"required edges form a cycle: {' -> '.join(cycle)}") from None

    def _arrow(self, u: int, v: int) -> str:
        return f"{self.names[u]} -> {self.names[v]}"

    def _copies(self, u: int, v: int) -> str:
        """Give the cure if one of two variables is a group of copies."""
        if self.groups.get(self.names[u]) or self.groups.get(self.names[v]):
            return "; with fold_copies='keep' (--copies keep) copies of columns stay apart"
        return ""


_BARRED = {
    "forbidden": "it is also forbidden",
    "tiers": "the tiers forbid it",
    "roots": "its target is a root, which has no parents",
    "leaves": "its source is a leaf, which has no children",
}
