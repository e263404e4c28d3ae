"""Where data disagree with knowledge: the evidence for networks that knowledge rules out.

Each statement about an edge is compared with the best network that differs by one step from the
learned graph: the edge is left out, reversed, or exchanged for another parent; a forbidden edge is
added, or takes the place of its opposite. The evidence is the difference of the log scores, with
the prior. It is a lower bound on the evidence against the statement.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np

from lsbn.data import Dataset
from lsbn.graph import EdgeProbabilities
from lsbn.knowledge import Constraints, Knowledge
from lsbn.learners.base import Learned
from lsbn.learners.diagnostics import Figures
from lsbn.learners.families import FamilyScores
from lsbn.learners.scoring import Score
from lsbn.pairs import PairStatistics

__all__ = ["Disagreement", "KnowledgeDiagnostics", "knowledge_diagnostics"]

LEAST_LOG_ODDS = 1.0
"""Smaller log odds are no evidence (Kass & Raftery 1995)."""
MOST_LISTED = 50
"""Largest number of disagreements that are listed."""
ALL_PAIRS = 100
"""With more variables, only edges from the heaviest partners of a variable are scored."""
PARTNERS = 16
"""Number of these partners, by mutual information."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Disagreement(Figures):
    """A statement about an edge, against which there is evidence.

    Attributes
    ----------
    source, target : str
        The edge.
    statement : str
        ``required``, or what forbids the edge: ``forbidden``, ``tiers``, ``roots`` or ``leaves``.
    log_odds : float
        Log of the odds by which the data prefer a network without this statement, in nats.
    instead : str
        What that network has.
    """

    source: str
    target: str
    statement: str
    log_odds: float
    instead: str


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class KnowledgeDiagnostics(Figures):
    """What was told, and where the data disagree.

    Attributes
    ----------
    told : list of str
        The statements.
    disagreements : list of Disagreement
        The strongest ones first, at most 50.
    disagreeing : int
        Number of all disagreements.
    """

    told: list[str]
    disagreements: list[Disagreement]
    disagreeing: int


def knowledge_diagnostics(
    knowledge: Knowledge | Any,
    constraints: Constraints | None,
    dataset: Dataset,
    learned: Learned,
    score: Score | None = None,
) -> KnowledgeDiagnostics | None:
    """Compare knowledge with the data.

    Parameters
    ----------
    knowledge : Knowledge or None
    constraints : Constraints or None
        The same over the variables of the dataset; None without knowledge.
    dataset : Dataset
    learned : Learned
        The result, which agrees with the knowledge.
    score : Score, optional
        By default the default score of model averaging or, for other learners, BDeu.

    Returns
    -------
    KnowledgeDiagnostics or None
        None without knowledge.
    """
    if constraints is None:
        return None
    density = learned.diagnostics.density
    score = score or (Score("bdeu") if density is None else Score())
    if score.finds_density and density is not None:
        score = replace(score, density=density)
    graph = EdgeProbabilities(learned.edges.matrix, dataset.names, constraints).dag()
    numbers = {name: v for v, name in enumerate(dataset.names)}
    evidence = _Evidence(dataset, constraints, nx.relabel_nodes(graph, numbers), score)
    found = [*evidence.against_required(), *evidence.against_forbidden()]
    found.sort(key=lambda each: (-each.log_odds, each.source, each.target))
    return KnowledgeDiagnostics(
        told=Knowledge.of(knowledge).sentences(),
        disagreements=found[:MOST_LISTED],
        disagreeing=len(found),
    )


class _Evidence:
    """Scores networks that are one step from a graph."""

    def __init__(
        self, dataset: Dataset, knowledge: Constraints, graph: nx.DiGraph, score: Score
    ) -> None:
        self.dataset, self.knowledge, self.graph = dataset, knowledge, graph
        self.families = FamilyScores(dataset, score, knowledge)
        self.varying = np.flatnonzero(dataset.cards > 1)

    def against_required(self) -> Iterator[Disagreement]:
        """Find required edges that the data do not want."""
        for u, v in zip(*(ends.tolist() for ends in self.knowledge.required_edges()), strict=True):
            if self.dataset.cards[u] < 2 or self.dataset.cards[v] < 2:
                continue
            rest = self._parents(v) - {u}
            now, bare = self.families(v, self._parents(v)), self.families(v, rest)
            options = {"no such edge": bare - now}
            others = [w for w in self._possible(v) if w != u and w not in rest]
            grown = self.families.extended(v, rest, others)
            if len(grown) and grown.max() > bare:
                w = others[int(grown.argmax())]
                options[f"{self._name(w)} -> {self._name(v)}"] = float(grown.max()) - now
            if self._reversible(u, v):
                gain = float(self.families.extended(u, self._parents(u), [v])[0])
                turned = gain - self.families(u, self._parents(u)) + bare - now
                options[f"{self._name(v)} -> {self._name(u)}"] = turned
            yield from self._disagreement(u, v, "required", options)

    def against_forbidden(self) -> Iterator[Disagreement]:
        """Find forbidden edges that the data want."""
        for v in self.varying.tolist():
            parents, partners = self._parents(v), self._partners[v]
            barred = partners[~self.knowledge.allows(partners, v) & (partners != v)]
            turned = {u for u in barred.tolist() if self.graph.has_edge(v, u)}
            below = nx.descendants(self.graph, v) if len(barred) else set()
            wanted = [
                u
                for u in barred.tolist()
                if (u in turned and self._reversible(v, u) and not self._is_required(v, u))
                or u not in below
            ]
            now, grown = self.families(v, parents), self.families.extended(v, parents, wanted)
            for u, score in zip(wanted, grown.tolist(), strict=True):
                gain = score - now
                if u in turned:
                    above = self._parents(u)
                    gain += self.families(u, above - {v}) - self.families(u, above)
                arrow = f"{self._name(u)} -> {self._name(v)}"
                yield from self._disagreement(u, v, self.knowledge.reason(u, v), {arrow: gain})

    def _disagreement(
        self, u: int, v: int, statement: str, options: dict[str, float]
    ) -> Iterator[Disagreement]:
        """Name the best of the networks against a statement, if there is evidence for it."""
        instead = max(options, key=options.__getitem__)
        if options[instead] > LEAST_LOG_ODDS:
            yield Disagreement(
                source=self._name(u),
                target=self._name(v),
                statement=statement,
                log_odds=round(float(options[instead]), 3),
                instead=instead,
            )

    def _name(self, v: int) -> str:
        return self.dataset.names[v]

    def _parents(self, v: int) -> set[int]:
        return set(self.graph.predecessors(v))

    @cached_property
    def _partners(self) -> Sequence[np.ndarray]:
        """For each variable, the variables from which other edges are scored."""
        if self.dataset.n_variables <= ALL_PAIRS:
            return [self.varying] * self.dataset.n_variables
        return PairStatistics(self.dataset).heaviest(["MI"], most=PARTNERS)

    def _possible(self, v: int) -> list[int]:
        """Variables that may become parents of v without a cycle."""
        near = self._partners[v]
        below = nx.descendants(self.graph, v)
        return [u for u in near[self.knowledge.allows(near, v)].tolist() if u not in below]

    def _is_required(self, u: int, v: int) -> bool:
        return u in self.knowledge.required_parents(v)

    def _reversible(self, u: int, v: int) -> bool:
        """Say whether u -> v is the only path from u to v."""
        ways = set(self.graph.successors(u)) - {v}
        return not any(w == v or nx.has_path(self.graph, w, v) for w in ways)
