"""What a user knows about the edges of a network, by the names of the columns."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from typing import Any

__all__ = ["Knowledge", "KnowledgeError", "Tier"]

Edge = tuple[str, str]


class KnowledgeError(ValueError):
    """Knowledge that contradicts itself, or that does not fit the table."""


@dataclass(frozen=True)
class Tier:
    """Variables of the same time or level.

    Attributes
    ----------
    names : sequence of str
        Names of columns, or patterns such as ``lab_*``.
    edges_inside : bool
        Whether there may be edges between variables of the tier.
    next_only : bool
        Whether edges from this tier may lead only to the next tier, not to tiers beyond it.
    """

    names: Sequence[str]
    edges_inside: bool = True
    next_only: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", _names("tiers", self.names))
        if not self.names:
            raise KnowledgeError("tiers: a tier has no names; leave it out")

    @classmethod
    def of(cls, tier: Any) -> Tier:
        """Return a tier, given as a tier, as a mapping of its fields, or as its names."""
        if isinstance(tier, Mapping):
            unknown = sorted(set(tier) - {each.name for each in fields(cls)})
            if unknown or "names" not in tier:
                raise KnowledgeError(
                    f"tiers: {tier!r} has the wrong keys; use names, edges_inside and next_only"
                )
            return cls(**tier)
        return tier if isinstance(tier, cls) else cls(tier)


@dataclass(frozen=True)
class Knowledge:
    """What is known about the edges of a network before the data are seen.

    Names are those of the columns, or patterns with the wildcards ``*``, ``?`` and ``[...]`` of
    `fnmatch`. An edge between two patterns stands for the edges between all their columns.

    Parameters
    ----------
    required : iterable of (source, target)
        Edges that the network has, in this direction.
    forbidden : iterable of (source, target)
        Edges that the network does not have in this direction. The opposite edge is not affected.
    tiers : sequence of tiers
        From early to late. There is no edge from a later tier to an earlier one. A tier is a
        sequence of names, or a `Tier`, which can also forbid the edges inside of it. Columns in no
        tier are free.
    max_parents : int or mapping of name to int, optional
        Most parents of every variable, or of some. It bounds the learner's own limit from above,
        and never raises it.
    edge_probabilities : mapping of (source, target) to float
        Prior probability of single edges, above 0 and below 1. In model averaging, greedy search
        and MMHC it replaces the prior probability that the score gives to this edge, see Notes.
    roots, leaves : iterable of str
        Variables without parents, and variables without children.

    Raises
    ------
    KnowledgeError
        If a statement has the wrong form. Contradictions are found when the names are compared
        with the table, before anything is learned.

    Notes
    -----
    Under the density prior of a `lsbn.learners.Score`, an edge from a variable that comes earlier
    in the order has the prior odds d / (1 - d). An edge with the probability p has the odds
    p / (1 - p) instead, for any density d. The priors "sizes" and "none" have no odds of single
    edges. There p / (1 - p) is a factor, and 0.5 changes nothing. PC and ARACNE have no prior, and
    do not use these probabilities.

    Required and forbidden edges, tiers, roots, leaves and ``max_parents`` are honoured by every
    learner. A model average is then the average over all networks that agree with the knowledge.

    See Also
    --------
    Knowledge.read : read knowledge from a CSV, JSON or Tetrad file.

    Examples
    --------
    >>> knowledge = Knowledge(required=[("smoker", "cancer")], tiers=[["age", "sex"], ["c*"]])
    >>> for sentence in knowledge.sentences():
    ...     print(sentence)
    required: smoker -> cancer
    tiers: age, sex; c*
    """

    required: Iterable[Edge] = ()
    forbidden: Iterable[Edge] = ()
    tiers: Sequence[Any] = ()
    max_parents: int | Mapping[str, int] | None = None
    edge_probabilities: Mapping[Edge, float] = field(default_factory=dict)
    roots: Iterable[str] = ()
    leaves: Iterable[str] = ()

    def __post_init__(self) -> None:
        for kind in ("required", "forbidden"):
            object.__setattr__(self, kind, _edges(kind, getattr(self, kind)))
        for kind in ("roots", "leaves"):
            object.__setattr__(self, kind, _names(kind, getattr(self, kind)))
        if isinstance(self.tiers, str):
            raise KnowledgeError(f"tiers is {self.tiers!r}; use a sequence of sequences of names")
        object.__setattr__(self, "tiers", tuple(map(Tier.of, self.tiers)))
        object.__setattr__(self, "max_parents", _limits(self.max_parents))
        object.__setattr__(self, "edge_probabilities", _probabilities(self.edge_probabilities))

    def __bool__(self) -> bool:
        return self.max_parents == 0 or any(getattr(self, each.name) for each in fields(self))

    def __add__(self, other: Knowledge) -> Knowledge:
        """Join the statements of both; the tiers must come from one of them."""
        if self.tiers and other.tiers:
            raise KnowledgeError("tiers are given twice; give all tiers in one place")
        return Knowledge(
            required=(*self.required, *other.required),
            forbidden=(*self.forbidden, *other.forbidden),
            tiers=self.tiers or other.tiers,
            max_parents={**_by_name(self.max_parents), **_by_name(other.max_parents)},
            edge_probabilities={**self.edge_probabilities, **other.edge_probabilities},
            roots=(*self.roots, *other.roots),
            leaves=(*self.leaves, *other.leaves),
        )

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Knowledge:
        r"""Read knowledge from a file: CSV, JSON, or the text of Tetrad.

        Parameters
        ----------
        path : str or path
            A ``.json`` file has the parameters of this class as keys. A ``.csv`` file has the
            columns ``kind``, ``source``, ``target`` and ``value``; the kinds are required,
            forbidden, probability, tier, root, leaf and max_parents. Any other file has the
            sections ``addtemporal``, ``forbiddirect`` and ``requiredirect`` of Tetrad.

        Returns
        -------
        Knowledge

        Raises
        ------
        KnowledgeError
            If the file has another form; the message has the line.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder) / "known.csv"
        ...     _ = file.write_text("kind,source,target,value\ntier,age,,1\ntier,income,,2\n")
        ...     Knowledge.read(file).sentences()
        ['tiers: age; income']
        """
        from lsbn.knowledge.files import read_knowledge

        return read_knowledge(path)

    @classmethod
    def of(cls, knowledge: Any) -> Knowledge:
        """Return knowledge, given as such, or as a mapping in the form of the JSON file."""
        if isinstance(knowledge, cls):
            return knowledge
        if not isinstance(knowledge, Mapping):
            raise KnowledgeError(f"knowledge is {knowledge!r}; use lsbn.Knowledge(...)")
        if unknown := sorted(set(knowledge) - {each.name for each in fields(cls)}):
            known = ", ".join(each.name for each in fields(cls))
            raise KnowledgeError(f"unknown kind of knowledge {unknown[0]!r}; there are {known}")
        return cls(**knowledge)

    def as_dict(self) -> dict[str, Any]:
        """Return the statements in the form of the JSON file; `of` reads it.

        Examples
        --------
        >>> Knowledge(roots=["a"], tiers=[["a"], Tier(["b"], edges_inside=False)]).as_dict()
        {'tiers': [['a'], {'names': ['b'], 'edges_inside': False}], 'roots': ['a']}
        """
        told: dict[str, Any] = {
            "required": [list(edge) for edge in self.required],
            "forbidden": [list(edge) for edge in self.forbidden],
            "tiers": [_tier_as_json(tier) for tier in self.tiers],
            "max_parents": self.max_parents,
            "edge_probabilities": [[*edge, p] for edge, p in self.edge_probabilities.items()],
            "roots": list(self.roots),
            "leaves": list(self.leaves),
        }
        return {kind: value for kind, value in told.items() if value not in (None, [], {})}

    def sentences(self) -> list[str]:
        """Return the statements as text, one for each kind."""
        edges = {"required": self.required, "forbidden": self.forbidden}
        told = [
            f"{kind}: {', '.join(map(_arrow, pairs))}" for kind, pairs in edges.items() if pairs
        ]
        if self.tiers:
            told.append("tiers: " + "; ".join(map(_tier_as_text, self.tiers)))
        for kind in ("roots", "leaves"):
            if names := getattr(self, kind):
                told.append(f"{kind}: {', '.join(names)}")
        limits = _by_name(self.max_parents).items()
        told += [f"at most {most} parents: {name}" for name, most in limits]
        prior = self.edge_probabilities.items()
        return told + [f"prior probability of {_arrow(edge)}: {p:g}" for edge, p in prior]


def _arrow(edge: Sequence[str]) -> str:
    return f"{edge[0]} -> {edge[1]}"


def _tier_as_json(tier: Tier) -> Any:
    """Write a tier as its names, or as a mapping if it has other fields."""
    flags = {"edges_inside": tier.edges_inside, "next_only": tier.next_only}
    changed = {key: value for key, value in flags.items() if value != getattr(Tier, key)}
    return {"names": list(tier.names), **changed} if changed else list(tier.names)


def _tier_as_text(tier: Tier) -> str:
    inside = "" if tier.edges_inside else " (no edges inside)"
    return ", ".join(tier.names) + inside + (" (edges to the next tier only)" * tier.next_only)


def _name(kind: str, name: Any) -> str:
    if not isinstance(name, str) or not name:
        raise KnowledgeError(f"{kind}: {name!r} is no name of a column")
    return name


def _names(kind: str, names: Any) -> tuple[str, ...]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise KnowledgeError(f"{kind}: {names!r} must be a sequence of names, such as ['age']")
    return tuple(_name(kind, name) for name in names)


def _edge(kind: str, edge: Any) -> Edge:
    if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 2:
        raise KnowledgeError(f"{kind}: {edge!r} is no edge; use (source, target)")
    return _name(kind, edge[0]), _name(kind, edge[1])


def _edges(kind: str, edges: Any) -> tuple[Edge, ...]:
    if isinstance(edges, str | Mapping) or not isinstance(edges, Iterable):
        raise KnowledgeError(f"{kind}: {edges!r} must be a sequence of (source, target)")
    return tuple(dict.fromkeys(_edge(kind, edge) for edge in edges))


def _limits(limits: Any) -> int | dict[str, int] | None:
    """Check the limits on the number of parents."""
    if isinstance(limits, Mapping):
        return {_name("max_parents", name): _limit(most) for name, most in limits.items()} or None
    return None if limits is None else _limit(limits)


def _limit(most: Any) -> int:
    if not isinstance(most, Integral) or isinstance(most, bool) or most < 0:
        raise KnowledgeError(f"max_parents: {most!r} is no limit; use a whole number of 0 or more")
    return int(most)


def _by_name(limits: Any) -> dict[str, int]:
    """Return limits by name; a single limit is that of all variables."""
    if limits is None or isinstance(limits, Mapping):
        return dict(limits or {})
    return {"*": limits}


def _probabilities(given: Any) -> dict[Edge, float]:
    """Check the prior probabilities; they may also be a sequence of (source, target, p)."""
    if not isinstance(given, Mapping):
        rows = [tuple(row) for row in given]
        if wrong := [row for row in rows if len(row) != 3]:
            raise KnowledgeError(
                f"edge_probabilities: {wrong[0]!r} must be (source, target, probability)"
            )
        given = {(source, target): p for source, target, p in rows}
    checked = {}
    for edge, p in given.items():
        if not isinstance(p, Real) or isinstance(p, bool) or not 0 < float(p) < 1:
            raise KnowledgeError(
                f"edge_probabilities: {_arrow(edge)} has {p!r}; use more than 0 and less than 1, "
                "or a required or forbidden edge"
            )
        checked[_edge("edge_probabilities", edge)] = float(p)
    return checked
