"""LocalLearn, step 2 of LSBN: the structure of one community (paper, Algorithm 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from lsbn.data import Dataset
from lsbn.framework.parts import Part
from lsbn.framework.subcommunities import expanded_community, sub_communities
from lsbn.framework.triplets import triplet_clusters
from lsbn.framework.votes import Pair, Structure
from lsbn.learners import LEARNERS, PUBLISHED, Learned, Score
from lsbn.learners.greedy import Climbing
from lsbn.parallel import scatter

__all__ = ["LocalSettings", "learn_communities", "local_learn", "resolve_conflicts"]

LEAST_WEIGHT = 1e-6
"""Weight of a vote that counts only where there is no other."""

_FEW_KICKS = Climbing(rounds=1, kicks=20)
_SMALL: dict[str, dict[str, Any]] = {
    "model-averaging": {"method": "exact", "max_parents": 3},
    "greedy": {"effort": _FEW_KICKS},
    "mmhc": {"effort": _FEW_KICKS},
}
"""Options of learners within a sub-community: few variables need no sampling and few kicks."""


@dataclass(frozen=True)
class LocalSettings:
    """How communities are learned.

    Attributes
    ----------
    learner : str or callable
        Name in `lsbn.learners.LEARNERS`, or a function like those.
    score : Score, optional
        Of model averaging, greedy search and MMHC; BDeu as published by default.
    max_size : int
        Most variables that are learned at once: of a sub-community, or of a cluster of triplets.
    weigh_votes : bool
        Whether a sub-community's vote on a pair counts only if the blanket of an endpoint lies
        inside it, wherever there is such a vote. Otherwise all votes count alike, as published.
    threshold : float
        Probability above which an edge may belong to a candidate triplet.
    resolve : bool
        Whether clusters of candidate triplets are learned again.
    seed : int
        With the variables to be learned it settles what a learner draws. Overlapping communities
        have sub-communities in common, which each worker learns once.
    """

    learner: str | Callable[..., Learned] = "model-averaging"
    score: Score | None = None
    max_size: int = 10
    weigh_votes: bool = True
    threshold: float = 0.5
    resolve: bool = True
    seed: int = 0

    def learn(self, part: Part, variables: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
        """Learn some variables at once: probabilities of the edges among them, and diagnostics."""
        key = tuple(variables.tolist())
        if key not in part.known:
            rng = np.random.default_rng((self.seed, *key))
            learned = self._learn(part.select(variables), rng)
            part.known[key] = (learned.edges.matrix.toarray(), learned.diagnostics)
        return part.known[key]

    def _learn(self, dataset: Dataset, rng: np.random.Generator) -> Learned:
        if callable(self.learner):
            return self.learner(dataset, random_state=rng, n_jobs=1)
        options = _SMALL.get(self.learner, {})
        if options:
            options = options | {"score": self.score or PUBLISHED}
        return LEARNERS[self.learner](dataset, random_state=rng, n_jobs=1, **options)


@dataclass
class LocalResult:
    """Structure of a community and how it was learned.

    Attributes
    ----------
    structure : Structure
    diagnostics : dict
        Numbers of sub-communities and of clusters learned again; for model averaging the methods
        used (exact or sampled), the largest R-hat and the smallest effective sample size.
    """

    structure: Structure
    diagnostics: dict[str, Any] = field(default_factory=dict)


def local_learn(
    dataset: Dataset | Part,
    community: np.ndarray,
    blankets: Sequence[np.ndarray] | Mapping[int, np.ndarray],
    settings: LocalSettings | None = None,
    *,
    random_state: Any = None,
) -> LocalResult:
    """Learn the structure of a community and its Markov blanket.

    Sub-communities are sampled and learned, each votes on all its pairs, and clusters of
    candidate triplets are learned again.

    Parameters
    ----------
    dataset : Dataset or Part
    community : int array
    blankets : sequence or mapping of int arrays
        Markov blankets, at least of the members of the expanded community.
    settings : LocalSettings, optional
    random_state : int, SeedSequence or Generator, optional
        Settles which sub-communities are drawn.

    Returns
    -------
    LocalResult
    """
    settings = settings or LocalSettings()
    part = Part.whole(dataset) if isinstance(dataset, Dataset) else dataset
    rng = np.random.default_rng(random_state)
    structure = Structure(settings.threshold)
    notes: list[Mapping[str, Any]] = []
    subs = sub_communities(community, blankets, rng, max_size=settings.max_size)
    for sub in (sub for sub in subs if len(sub) > 1):
        matrix, diagnostics = settings.learn(part, sub)
        weights = _vote_weights(sub, blankets, settings.weigh_votes)
        structure.vote(sub, matrix, weights)
        notes.append(diagnostics)
    clusters = resolve_conflicts(part, structure, list(structure.votes), settings)
    summary = {"sub_communities": len(subs), "clusters": clusters, **_summary(notes)}
    return LocalResult(structure, summary)


def _vote_weights(sub: np.ndarray, blankets: Any, weigh_votes: bool) -> np.ndarray:
    """1 if the blanket of an endpoint lies inside, else next to nothing."""
    if not weigh_votes:
        return np.ones((len(sub), len(sub)))
    members = set(sub.tolist())
    shielded = np.array([members.issuperset(blankets[v].tolist()) for v in sub.tolist()])
    return np.where(shielded[:, None] | shielded[None, :], 1.0, LEAST_WEIGHT)


def _summary(notes: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    notes = list(notes)
    methods = sorted({note["method"] for note in notes if "method" in note})
    summary: dict[str, Any] = {"method": methods[0] if len(methods) == 1 else methods}
    if not methods:
        summary = {}
    r_hats = [note["r_hat"] for note in notes if "r_hat" in note]
    sizes = [n["effective_sample_size"] for n in notes if "effective_sample_size" in n]
    if r_hats:
        summary |= {"r_hat": max(r_hats), "effective_sample_size": min(sizes)}
    return summary


def resolve_conflicts(
    part: Part,
    structure: Structure,
    pairs: Iterable[Pair],
    settings: LocalSettings,
) -> int:
    """Learn clusters of candidate triplets again; the result replaces the edges inside.

    Parameters
    ----------
    part : Part
    structure : Structure
        Is changed.
    pairs : iterable of (int, int)
        Only triplets with an edge among these, and not yet settled, are looked at.
    settings : LocalSettings

    Returns
    -------
    int
        Number of clusters learned again. Clusters with more than ``settings.max_size`` variables
        are left as they are.
    """
    if not settings.resolve:
        return 0
    triplets = structure.new_triplets(pairs)
    structure.settled.update(triplets)
    clusters = [c for c in triplet_clusters(triplets) if len(c) <= settings.max_size]
    for cluster in clusters:
        structure.replace(cluster, settings.learn(part, cluster)[0])
    return len(clusters)


@dataclass(frozen=True)
class _Task:
    """One community with all that is needed to learn it, except the data."""

    community: np.ndarray
    blankets: dict[int, np.ndarray]
    seed: np.random.SeedSequence


def learn_communities(
    dataset: Dataset,
    communities: Sequence[np.ndarray],
    blankets: Sequence[np.ndarray],
    settings: LocalSettings,
    seeds: Sequence[np.random.SeedSequence],
    n_jobs: int | None = 1,
) -> list[LocalResult]:
    """Learn all communities, wherever joblib runs them.

    Parameters
    ----------
    dataset : Dataset
    communities, blankets : sequences of int arrays
    settings : LocalSettings
    seeds : sequence of SeedSequence
        One for each community, so that no community's result depends on where it is learned.
    n_jobs : int, optional

    Returns
    -------
    list of LocalResult
    """
    tasks = []
    for community, seed in zip(communities, seeds, strict=True):
        expanded = expanded_community(community, blankets)
        tasks.append(_Task(community, {int(v): blankets[v] for v in expanded}, seed))

    def share(chunk: list | None) -> Part:
        if chunk is None:
            return Part.whole(dataset)
        return Part.of(dataset, np.array(sorted({v for task in chunk for v in task.blankets})))

    return scatter(partial(_each_community, settings=settings), share, tasks, n_jobs)


def _each_community(part: Part, chunk: list[_Task], settings: LocalSettings) -> list[LocalResult]:
    return [
        local_learn(part, task.community, task.blankets, settings, random_state=task.seed)
        for task in chunk
    ]
