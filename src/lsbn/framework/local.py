"""LocalLearn, step 2 of LSBN: learn the structure of each community (paper, LocalLearn)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from lsbn.checkpoint import Codec
from lsbn.data import Dataset
from lsbn.framework.diagnostics import CommunityDiagnostics
from lsbn.framework.parts import Part, Remembered
from lsbn.framework.subcommunities import expanded_community, sub_communities
from lsbn.framework.triplets import triplet_clusters
from lsbn.framework.votes import Pair, Structure
from lsbn.knowledge import Constraints
from lsbn.learners import LEARNERS, PUBLISHED, Diagnostics, Learned, Score
from lsbn.learners.greedy import Climbing
from lsbn.parallel import Progress, processes_pay, scatter

__all__ = ["LocalSettings", "learn_communities", "local_learn", "resolve_conflicts"]

LEAST_WEIGHT = 1e-6
"""Weight of a vote without a complete Markov blanket; it matters only if a pair has no other."""

_SHORT_SEARCH = Climbing(rounds=1, kicks=20)
_LOCAL_OPTIONS: dict[str, dict[str, Any]] = {
    "model-averaging": {"method": "exact", "max_parents": 3},
    "greedy": {"effort": _SHORT_SEARCH},
    "mmhc": {"effort": _SHORT_SEARCH},
}
"""Options of the learners in LocalLearn. A sub-community has few variables, so model averaging
needs no sampling and a search needs few kicks."""


@dataclass(frozen=True)
class LocalSettings:
    """Settings of LocalLearn and Mergence.

    Attributes
    ----------
    learner : str or callable
        Name of a learner in `lsbn.learners.LEARNERS`, or a function with the same arguments.
    score : Score, optional
        Score of model averaging, greedy search and MMHC. By default BDeu, as published.
    max_size : int
        Largest number of variables in a sub-community, and in a cluster of triplets that is
        learned again.
    weigh_votes : bool
        If True, a vote of a sub-community on a pair has full weight only if the sub-community
        contains the Markov blanket of one of the two variables. Other votes on this pair count
        only if it has no vote of full weight. If False, all votes count the same, as published.
    threshold : float
        An edge of a candidate triplet has a greater probability than this.
    resolve : bool
        Learn clusters of candidate triplets again.
    seed : int
        Seed of the learners, combined with the indices of the variables. The same sub-community of
        two overlapping communities therefore has the same result, and each worker learns this
        sub-community only once.
    blanket_alpha : float, optional
        Level of the tests of Markov blankets. By default 0.001, or 1/n if that is less.
    knowledge : Constraints, optional
        Over all variables. A sub-community gets its own part.
    """

    learner: str | Callable[..., Learned] = "model-averaging"
    score: Score | None = None
    max_size: int = 10
    weigh_votes: bool = True
    threshold: float = 0.5
    resolve: bool = True
    seed: int = 0
    blanket_alpha: float | None = None
    knowledge: Constraints | None = None

    def learn(self, part: Part, variables: np.ndarray) -> tuple[np.ndarray, Diagnostics]:
        """Learn a set of variables, or look up the result if the part has it already.

        Parameters
        ----------
        part : Part
            The data, and the results so far.
        variables : int array
            A sub-community, or a cluster of triplets.

        Returns
        -------
        matrix : (k, k) float array
            Probabilities of the edges among the variables.
        diagnostics : Diagnostics
        """
        key = tuple(variables.tolist())
        if key not in part.known:
            rng = np.random.default_rng((self.seed, *key))
            known = None if self.knowledge is None else self.knowledge.select(variables)
            learned = self._learn(part.select(variables), rng, known)
            part.known[key] = (learned.edges.matrix.toarray(), learned.diagnostics)
        return part.known[key]

    def _learn(
        self, dataset: Dataset, rng: np.random.Generator, knowledge: Constraints | None
    ) -> Learned:
        """Call the learner."""
        known = {} if knowledge is None else {"knowledge": knowledge}
        if callable(self.learner):
            return self.learner(dataset, random_state=rng, n_jobs=1, **known)
        options = _LOCAL_OPTIONS.get(self.learner, {})
        if options:
            options = options | {"score": self.score or PUBLISHED}
        return LEARNERS[self.learner](dataset, random_state=rng, n_jobs=1, **options, **known)


@dataclass(frozen=True)
class LocalResult:
    """Structure of a community, and diagnostics.

    Attributes
    ----------
    structure : Structure
        Votes on the edges of the expanded community.
    diagnostics : CommunityDiagnostics
    """

    structure: Structure
    diagnostics: CommunityDiagnostics


def local_learn(
    dataset: Dataset | Part,
    community: np.ndarray,
    blankets: Sequence[np.ndarray] | Mapping[int, np.ndarray],
    settings: LocalSettings | None = None,
    *,
    random_state: Any = None,
) -> LocalResult:
    """Learn the structure of a community and its Markov blanket (paper, Algorithm LocalLearn).

    First, sub-communities are sampled. Then each sub-community is learned and votes on all its
    pairs. Last, clusters of candidate triplets are learned again.

    Parameters
    ----------
    dataset : Dataset or Part
    community : int array
        Indices of the variables.
    blankets : sequence or mapping of int arrays
        Markov blankets, at least of all members of the expanded community.
    settings : LocalSettings, optional
    random_state : int, SeedSequence or Generator, optional
        Seed of the sampling of sub-communities.

    Returns
    -------
    LocalResult

    Examples
    --------
    Variables 0 and 1 are equal. Variable 2 is independent of both:

    >>> table = np.array([[0, 0, 1, 1] * 50, [0, 0, 1, 1] * 50, [0, 1, 0, 1] * 50]).T
    >>> blankets = [np.array([1]), np.array([0]), np.array([], int)]
    >>> result = local_learn(Dataset.from_table(table), np.array([0, 1, 2]), blankets)
    >>> round(result.structure.probability((0, 1)), 3)
    1.0
    """
    settings = settings or LocalSettings()
    part = Part.whole(dataset) if isinstance(dataset, Dataset) else dataset
    rng = np.random.default_rng(random_state)
    structure = Structure(settings.threshold)
    parts: list[Diagnostics] = []
    subs = sub_communities(community, blankets, rng, max_size=settings.max_size)
    for sub in (sub for sub in subs if len(sub) > 1):
        matrix, diagnostics = settings.learn(part, sub)
        weights = _vote_weights(sub, blankets, settings.weigh_votes)
        structure.vote(sub, matrix, weights)
        parts.append(diagnostics)
    clusters = resolve_conflicts(part, structure, list(structure.votes), settings)
    return LocalResult(structure, CommunityDiagnostics.of_parts(parts, len(subs), clusters))


def _vote_weights(sub: np.ndarray, blankets: Any, weigh_votes: bool) -> np.ndarray:
    """Return the weights of a sub-community's votes, see `LocalSettings.weigh_votes`."""
    if not weigh_votes:
        return np.ones((len(sub), len(sub)))
    members = set(sub.tolist())
    complete = np.array([members.issuperset(blankets[v].tolist()) for v in sub.tolist()])
    return np.where(complete[:, None] | complete[None, :], 1.0, LEAST_WEIGHT)


def resolve_conflicts(
    part: Part,
    structure: Structure,
    pairs: Iterable[Pair],
    settings: LocalSettings,
) -> int:
    """Learn clusters of candidate triplets again, and replace the votes inside each cluster.

    This is the resolution of conflicts at the end of LocalLearn and at each merge of Mergence.

    Parameters
    ----------
    part : Part
        The data.
    structure : Structure
        The votes. The function changes them.
    pairs : iterable of (int, int)
        Only triplets with an edge among these pairs are considered, and only if they were not
        learned again before.
    settings : LocalSettings

    Returns
    -------
    int
        Number of clusters that were learned again. A cluster with more than ``settings.max_size``
        variables is not learned again.
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
    """A community, the blankets of its expanded community, and a seed."""

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
    progress: Progress | None = None,
) -> list[LocalResult]:
    """Learn all communities by `local_learn`, in parallel.

    Parameters
    ----------
    dataset : Dataset
    communities : sequence of int arrays
        The second-order partition.
    blankets : sequence of int arrays
        The Markov blanket of each variable.
    settings : LocalSettings
    seeds : sequence of SeedSequence
        One seed for each community. The result of a community does not depend on its worker.
    n_jobs : int, optional
        Number of workers, as in joblib.
    progress : callable, optional
        Called with the numbers of communities done, of all, and of those read from a draft.

    Returns
    -------
    list of LocalResult
        One result for each community.
    """
    tasks = []
    for community, seed in zip(communities, seeds, strict=True):
        expanded = expanded_community(community, blankets)
        tasks.append(_Task(community, {int(v): blankets[v] for v in expanded}, seed))

    codec = Codec(_packed, partial(_unpacked, settings=settings))
    data = (dataset, Remembered(), settings)
    long = processes_pay(*dataset.codes.shape) and not callable(settings.learner)
    options: dict[str, Any] = {"processes": long, "progress": progress}
    return scatter(_each_community, data, tasks, n_jobs, codec, **options)


def _each_community(
    data: tuple[Dataset, Remembered, LocalSettings], chunk: list[_Task]
) -> list[LocalResult]:
    """Learn the communities of one chunk."""
    part, settings = Part.whole(*data[:2]), data[2]
    return [
        local_learn(part, task.community, task.blankets, settings, random_state=task.seed)
        for task in chunk
    ]


def _packed(results: list[LocalResult]) -> list:
    """Return results as plain values."""
    return [(r.structure.packed(), dict(vars(r.diagnostics))) for r in results]


def _unpacked(packed: list, settings: LocalSettings) -> list[LocalResult]:
    """Return results from plain values."""
    return [
        LocalResult(Structure.unpacked(fields, settings.threshold), CommunityDiagnostics(**figures))
        for fields, figures in packed
    ]
