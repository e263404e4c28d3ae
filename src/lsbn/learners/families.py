"""Log scores of single families of a dataset, as model averaging scores them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from lsbn.data import Dataset
from lsbn.kernels.direction import leanings
from lsbn.kernels.lookup import Lookup
from lsbn.kernels.scores import extension_scores, family_score, n_parameters
from lsbn.knowledge import Constraints
from lsbn.learners.scoring import Score, columns_of

__all__ = ["FamilyScores"]


class FamilyScores:
    """Scores families, with the prior of the graph and of single edges.

    Parameters
    ----------
    dataset : Dataset
        Without gaps.
    score : Score
    knowledge : Constraints, optional
        Gives the prior of single edges. Families that it rules out are scored as well.
    lookup : Lookup, optional
        Look-up tables of the score that were filled before.
    """

    def __init__(
        self,
        dataset: Dataset,
        score: Score,
        knowledge: Constraints | None = None,
        lookup: Lookup | None = None,
    ) -> None:
        self.dataset, self.knowledge = dataset, knowledge
        self.columns, self.lookup = columns_of(dataset), lookup or score.lookup()
        self.odds = score.edge_log_odds(dataset.n_variables)
        self.penalty = score.penalty(dataset.n_variables, dataset.n_variables)

    def __call__(self, v: int, parents: Collection[int]) -> float:
        """Return the log score of a family, with its prior."""
        members = np.array(sorted(parents), np.int64)
        score = family_score(self.columns, self.lookup, v, members)
        return float(score + self.penalty[len(members)] + self._edges(v, members).sum())

    def extended(self, v: int, parents: Collection[int], others: Sequence[int]) -> np.ndarray:
        """Return the log scores of a family with each of the others.

        They are minus infinity if the family has more free parameters than the table has rows.
        """
        members, more = np.array(sorted(parents), np.int64), np.array(others, np.int64)
        scores = np.full(len(more), -np.inf)
        room = n_parameters(self.columns.offsets, v, members) * self.dataset.cards[more]
        fits = room <= self.dataset.n_rows
        if fits.any():
            grown = extension_scores(self.columns, self.lookup, v, members, more[fits])
            prior = self.penalty[len(members) + 1] + self._edges(v, members).sum()
            scores[fits] = grown + prior + self._edges(v, more[fits])
        return scores

    def _edges(self, v: int, parents: np.ndarray) -> np.ndarray:
        """Return the log prior of single edges into v, with their leanings."""
        found = leanings(self.columns, self.lookup, v, parents)
        if self.knowledge is None:
            return found
        prior = np.zeros(self.dataset.n_variables)
        likely, log_odds = self.knowledge.likely_parents(v)
        prior[likely] = log_odds - self.odds
        return found + prior[parents]
