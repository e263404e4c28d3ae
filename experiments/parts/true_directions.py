"""What learners say about the directions of true edges that they found."""

from collections.abc import Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np

from lsbn import LSBN, EdgeProbabilities
from lsbn.graph import dag_to_cpdag
from lsbn.network import load_network
from lsbn.studies.cells import shuffled_table

FOUND = 0.9
"""A true edge counts as found if it has a greater probability, both directions together."""
SURE = 0.95
"""A learner is sure of a direction if it has a greater probability."""
SCORES = {"mixed": None, "bdeu": "bdeu"}
"""Scores of the learner, and how it is told; the mixed score is its default."""


@dataclass(frozen=True)
class Directions:
    """What a learner says about the directions of true edges that it found.

    Attributes
    ----------
    name : str
        Of the table.
    score : str
        Of the learner.
    compelled, reversible : tuple of float
        The probability of the true direction if there is an edge, for edges that are compelled or
        reversible in the true CPDAG.
    """

    name: str
    score: str
    compelled: tuple[float, ...]
    reversible: tuple[float, ...]

    @classmethod
    def of(cls, name: str, score: str, edges: EdgeProbabilities, truth: nx.DiGraph) -> "Directions":
        """Look up the edges of the true graph."""
        place = {variable: v for v, variable in enumerate(edges.names)}
        matrix, cpdag = edges.matrix.toarray(), dag_to_cpdag(truth)
        compelled: list[float] = []
        reversible: list[float] = []
        for parent, child in truth.edges:
            forward = matrix[place[parent], place[child]]
            both = forward + matrix[place[child], place[parent]]
            if both > FOUND:
                part = reversible if cpdag.has_edge(child, parent) else compelled
                part.append(float(forward / both))
        return cls(name, score, tuple(compelled), tuple(reversible))

    def cells(self) -> list[str]:
        """Give the row of the page's second table."""
        return [self.name, self.score, *figures(self.compelled), *figures(self.reversible)]


def figures(probabilities: Sequence[float]) -> list[str]:
    """Give the cells of one kind of edge, from the probabilities p of their true directions.

    The number of edges, the mean of p, the Brier score, what it would be for honest probabilities,
    and how many of the directions that are sure are wrong. The Brier score is the mean of
    (1 - p)^2. If directions are true as often as their probabilities say, p (1 - p) is expected of
    each.
    """
    p = np.array(probabilities)
    if not len(p):
        return ["0", "–", "–", "–", "–"]
    values = (p.mean(), np.mean((1 - p) ** 2), np.mean(p * (1 - p)))
    wrong = np.sum(1 - p > SURE)
    sure = f"{wrong} of {wrong + np.sum(p > SURE)}"
    return [str(len(p)), *(f"{value:.3f}" for value in values), sure]


def directions(name: str, rows: int, seed: int) -> list[Directions]:
    """Learn one sample of a network with each score."""
    network = load_network(name)
    table = shuffled_table(network, rows, seed)
    found = []
    for label, score in SCORES.items():
        edges = LSBN(score=score, random_state=seed).fit(table).edges_
        found.append(Directions.of(f"{name}-{rows}", label, edges, network.dag))
    return found


def pooled(directed: Sequence[Directions]) -> list[Directions]:
    """Join the edges of all tables, for each score."""
    found = []
    for score in SCORES:
        mine = [d for d in directed if d.score == score]
        compelled = tuple(p for d in mine for p in d.compelled)
        reversible = tuple(p for d in mine for p in d.reversible)
        found.append(Directions("**all**", score, compelled, reversible))
    return found
