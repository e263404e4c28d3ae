"""`LSBN` with a part taken out or replaced."""

import time
from collections.abc import Sequence
from typing import Any
from unittest.mock import patch

import numpy as np

from lsbn import fitting
from lsbn.data import Dataset
from lsbn.estimator import LSBN
from lsbn.framework import proposals
from lsbn.framework.candidates import find_candidates
from lsbn.framework.local import LocalResult, LocalSettings, local_learn
from lsbn.framework.parts import Part
from lsbn.learners import LEARNERS, PUBLISHED, Candidates, Learned, learn_model_averaging
from lsbn.learners.averaging import SamplingSettings
from lsbn.parallel import run

MAX_PARENTS = 3
"""Bound inside sub-communities, as LSBN has it by default."""
SAMPLING = SamplingSettings(least_steps=10_000, most_steps=5_000)
"""Shorter than by default, which would take some hundred times as long as the exact sum."""


class Globally(LSBN):
    """The learner on all variables at once, without the framework."""

    def fit(self, X: Dataset, y: Any = None) -> LSBN:
        """Learn a network."""
        learn = LEARNERS[self.learner]
        learned = learn(X, random_state=self.random_state, n_jobs=self.n_jobs)
        self.dag_, self.communities_ = learned.edges.dag(self.threshold), []
        return self


class CutBlankets(LSBN):
    """LSBN with blankets that end at the border of a community: none is expanded."""

    def fit(self, X: Dataset, y: Any = None) -> LSBN:
        """Learn a network."""
        with (
            patch.object(proposals, "learn_communities", self._learn_communities),
            patch.object(fitting, "find_candidates", _without_blankets),
        ):
            return super().fit(X)

    def _learn_communities(
        self,
        dataset: Dataset,
        communities: list[np.ndarray],
        blankets: list[np.ndarray],
        settings: LocalSettings,
        seeds: list[np.random.SeedSequence],
        n_jobs: int | None,
    ) -> list[LocalResult]:
        part = Part.whole(dataset)

        def learn(item: tuple[np.ndarray, np.random.SeedSequence]) -> LocalResult:
            community, own = item
            inner = self._inner(community, blankets, np.random.default_rng(own))
            return local_learn(part, community, inner, settings, random_state=own)

        return run(learn, list(zip(communities, seeds, strict=True)), n_jobs)

    def _inner(
        self, community: np.ndarray, blankets: list[np.ndarray], rng: np.random.Generator
    ) -> dict[int, np.ndarray]:
        return {v: blankets[v][np.isin(blankets[v], community)] for v in community.tolist()}


class NoBlankets(CutBlankets):
    """LSBN without blankets: a variable is learned with random members of its community.

    Empty blankets alone would leave every variable by itself.
    """

    def fit(self, X: Dataset, y: Any = None) -> LSBN:
        """Learn a network."""
        with patch.object(proposals, "markov_blankets", _no_blankets):
            return super().fit(X)

    def _inner(
        self, community: np.ndarray, blankets: list[np.ndarray], rng: np.random.Generator
    ) -> dict[int, np.ndarray]:
        return {v: rng.permutation(community[community != v]) for v in community.tolist()}


def _no_blankets(dataset: Dataset, *_: Any, **__: Any) -> list[np.ndarray]:
    return [np.empty(0, np.int64)] * dataset.n_variables


def _without_blankets(
    partners: Sequence[np.ndarray], communities: Any, _: Any, *others: Any
) -> Candidates:
    nothing = [np.empty(0, np.int64)] * len(partners)
    return find_candidates(partners, communities, nothing, *others)


class Sampled:
    """Model averaging by sampling, with the published score; each answer beside the exact one.

    Attributes
    ----------
    found : list of (int, float, float, float)
        Of each sub-community the size, the seconds of sampling and of the exact sum, and the mean
        absolute difference of the edge probabilities.
    """

    def __init__(self) -> None:
        self.found: list[tuple[int, float, float, float]] = []

    def __call__(self, dataset: Dataset, **options: Any) -> Learned:
        """Give the sampled answer."""
        options |= {"score": PUBLISHED, "max_parents": MAX_PARENTS, "sampling": SAMPLING}
        learned, clock = {}, [time.thread_time()]
        for method in ("sampled", "exact"):
            options["method"] = method
            learned[method] = learn_model_averaging(dataset, **options)
            clock.append(time.thread_time())
        apart = abs(learned["sampled"].edges.matrix - learned["exact"].edges.matrix)
        n = dataset.n_variables
        self.found.append((n, *np.diff(clock).tolist(), apart.sum() / (n * (n - 1))))
        return learned["sampled"]
