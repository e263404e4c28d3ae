"""The fit of `lsbn.LSBN`: the path of a table through all stages (paper, Section IV)."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array

from lsbn.answers.answers import Answers
from lsbn.data import DataError, Dataset
from lsbn.data.copies import Folded
from lsbn.data.options import Discretize
from lsbn.drafts import resumable
from lsbn.firstuse import compile_beside
from lsbn.framework.blankets import blanket_candidates
from lsbn.framework.candidates import candidate_partners, find_candidates
from lsbn.framework.diagnostics import CommunityDiagnostics, fit_diagnostics, missing_diagnostics
from lsbn.framework.groundwork import GROUNDWORK, LISTS, Groundwork
from lsbn.framework.local import LocalSettings
from lsbn.framework.mergence import merge_order, union_sizes
from lsbn.framework.proposals import propose
from lsbn.framework.stages import Stages
from lsbn.garbage import rare_collections
from lsbn.graph import EdgeProbabilities
from lsbn.knowledge import Constraints, Knowledge
from lsbn.knowledge.copies import fold_with_knowledge
from lsbn.learners import LEARNERS, Learned, Score
from lsbn.learners.averaging import SearchSettings
from lsbn.learners.evidence import knowledge_diagnostics
from lsbn.missing import completed_counts, learn_completions
from lsbn.pairs import PairStatistics
from lsbn.parallel import Progress, ending_processes, once, threads
from lsbn.parameters import (
    check_parameters,
    copies_of,
    default_score,
    score_of,
    seed_sequence,
)
from lsbn.partition import ropart

__all__ = ["NetworkFit"]

REACH = SearchSettings.max_unrestricted
"""Up to this number of variables the last pass of model averaging searches all variables."""


class _Part(NamedTuple):
    """What was learned from one complete table."""

    communities: list[np.ndarray]
    hierarchy: np.ndarray
    learned: Learned
    proposed: Sequence[CommunityDiagnostics] | None


class NetworkFit:
    """The method ``fit`` of `lsbn.LSBN`, and the stages that it calls; parameters as there."""

    learner: str | Callable[..., Learned]
    weights: Sequence[str]
    false_discoveries: float | None
    fold_copies: bool | str | None
    max_community: int
    blanket_alpha: float | None
    max_size: int
    weigh_votes: bool
    resolve_conflicts: bool
    triplet_threshold: float
    last_pass: bool
    count: str
    effort: str
    knowledge: Knowledge | None
    n_graphs: int
    threshold: float
    discretize: Discretize
    bins: int
    missing: str
    max_states: int
    checkpoint: str | os.PathLike[str] | None
    n_jobs: int | None
    random_state: Any
    verbose: bool | Callable[[str], None]
    get_params: Callable[[], dict[str, Any]]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn a network from a table.

        Parameters
        ----------
        X : pandas, polars or pyarrow table, 2-D numpy array, AnnData, or Dataset
            Rows are observations, columns are variables.
        y : ignored

        Returns
        -------
        LSBN
            The fitted estimator.
        """
        self._check_parameters()
        seed = seed_sequence(self.random_state)
        stages = Stages(self.verbose)
        with rare_collections():
            with stages("read"):
                dataset = self._coded(X)
                how = copies_of(self.learner, self.fold_copies)
                if self.learner == "model-averaging":
                    compile_beside(dataset.n_variables)
                folded, known = fold_with_knowledge(dataset, how, self.knowledge)
            self._store_table(dataset)
            draft = resumable(self.checkpoint, folded.dataset, self.get_params(), seed)
            with draft as seed, ending_processes():
                self._fit_folded(folded, known, seed, stages)
        return self

    def _fit_folded(
        self,
        folded: Folded,
        known: Constraints | None,
        seed: np.random.SeedSequence,
        stages: Stages,
    ) -> None:
        """Learn a network from the coded table without copies of columns.

        A table with gaps is completed several times. The results of the completions are averaged;
        communities are those of the first.
        """
        told = None if known is None else known.select(folded.kept)
        parts: list[_Part] = []

        def learn(
            table: Dataset, own: np.random.SeedSequence, averaging: dict[str, Any]
        ) -> Learned:
            """Learn one table, and keep what belongs to it alone."""
            parts.append(self._learn_table(table, told, own.spawn(3), stages, averaging))
            return parts[-1].learned

        tables, learned, doubtful = learn_completions(
            folded.dataset,
            seed,
            learn,
            effort=self.effort,
            n_graphs=self.n_graphs,
            score=self._score(),
            knowledge=told,
            n_jobs=threads(self.n_jobs),
            during=partial(stages, "complete"),
            progress=stages.report,
        )
        self._store(folded, parts[0], learned, known, tables)
        self.diagnostics_ = fit_diagnostics(
            learned.diagnostics,
            parts[0].proposed,
            stages.seconds,
            [*folded.whole.notes, *folded.notes],
            knowledge_diagnostics(self.knowledge, told, tables[-1], learned, self._score()),
            folded.whole.constants,
            missing_diagnostics(folded, len(tables), doubtful),
        )

    def _learn_table(
        self,
        dataset: Dataset,
        told: Constraints | None,
        seeds: list[np.random.SeedSequence],
        stages: Stages,
        averaging: dict[str, Any],
    ) -> _Part:
        """Learn a network from a complete table; ``averaging`` has options of model averaging."""
        prepare = partial(self._prepared, dataset, told, seeds, stages)
        ground = once(prepare, GROUNDWORK) if self._averages else prepare()
        if not self.last_pass or callable(self.learner):
            learned = Learned(EdgeProbabilities(ground.edges, dataset.names))
        else:
            with stages("last pass"):
                pace = stages.pace("last pass", "parts", "joining the parts, sampling orders")
                learned = self._learn(dataset, ground, seeds[2], told, averaging, pace)
        return _Part(ground.communities, ground.hierarchy, learned, ground.diagnostics)

    def _prepared(
        self,
        dataset: Dataset,
        told: Constraints | None,
        seeds: list[np.random.SeedSequence],
        stages: Stages,
    ) -> Groundwork:
        """Run all stages before the last pass."""
        pairs = PairStatistics(dataset, self.n_jobs)
        pairs.progress = stages.pace("partition", "blocks of pairs", "link communities")
        survey = partial(self._surveyed, pairs, stages)
        communities, pools, partners = once(survey, LISTS) if self._averages else survey()
        if self._searches_all_variables(dataset):
            return Groundwork(communities, merge_order(communities))
        settings = replace(self._settings(int(seeds[1].generate_state(1)[0])), knowledge=told)
        found = propose(dataset, communities, pools, settings, seeds[0], stages, n_jobs=self.n_jobs)
        candidates = None
        if self.last_pass and not callable(self.learner):
            with stages("last pass", "candidates"):
                proposed = (communities, found.blankets, found.edges, found.hierarchy)
                candidates = find_candidates(partners, *proposed)
        counts_itself = self.learner in ("model-averaging", "pc")
        results = (found.hierarchy, found.diagnostics, candidates, found.edges)
        return Groundwork(communities, *results, None if counts_itself else pairs)

    def _surveyed(self, pairs: PairStatistics, stages: Stages) -> list[list[np.ndarray]]:
        """Return all that the later stages need of the pairs.

        These are the communities, and of each variable the candidates for its Markov blanket and
        its partners in the last pass.
        """
        with stages("partition"):
            communities = self._partition(pairs, stages.report)
        if self._searches_all_variables(pairs.dataset):
            return [communities, [], []]
        with stages("blankets", "candidates"):
            pools = blanket_candidates(pairs.dataset, weights=self.weights, pairs=pairs)
        last_pass = self.last_pass and not callable(self.learner)
        return [communities, pools, candidate_partners(pairs) if last_pass else []]

    def _coded(self, table: Any) -> Dataset:
        """Code the table with the parameters of the estimator."""
        return _code_table(
            table,
            discretize=self.discretize,
            bins=self.bins,
            missing=self.missing,
            max_states=self.max_states,
        )

    def _partition(self, pairs: PairStatistics, report: Callable[[str], None]) -> list[np.ndarray]:
        """Run step 1, ROPART."""
        return ropart(
            pairs.dataset,
            weights=self.weights,
            pairs=pairs,
            false_discoveries=self.false_discoveries,
            max_size=self.max_community,
            n_jobs=self.n_jobs,
            progress=report,
        ).communities

    def _searches_all_variables(self, dataset: Dataset) -> bool:
        """Return whether the last pass searches among all variables and needs no candidates."""
        return self._averages and dataset.n_variables <= REACH

    @property
    def _averages(self) -> bool:
        """Whether the last pass averages models. It then needs no statistics of pairs."""
        return self.last_pass and self.learner == "model-averaging"

    def _learn(
        self,
        dataset: Dataset,
        ground: Groundwork,
        seed: np.random.SeedSequence,
        knowledge: Constraints | None,
        averaging: dict[str, Any],
        progress: Progress,
    ) -> Learned:
        """Run the last pass."""
        score = self._score()
        options: dict[str, Any] = {} if score is None else {"score": score}
        if self.learner == "model-averaging":
            options |= {"count": self.count, "progress": progress, **averaging}
        return LEARNERS[str(self.learner)](
            dataset,
            candidates=ground.candidates,
            knowledge=knowledge,
            pairs=ground.pairs,
            random_state=np.random.default_rng(seed),
            n_jobs=self.n_jobs,
            **options,
        )

    def _check_parameters(self) -> None:
        """Raise an error for a parameter that is unknown or out of range."""
        check_parameters(self.get_params())

    def _score(self) -> Score | None:
        """Return the parameter ``score`` as a `Score`; raise an error if the learner has none."""
        return score_of(self.learner, vars(self)["score"])

    def _settings(self, seed: int) -> LocalSettings:
        """Return the settings of LocalLearn and Mergence."""
        return LocalSettings(
            learner=self.learner,
            score=self._score(),
            max_size=self.max_size,
            weigh_votes=self.weigh_votes,
            threshold=self.triplet_threshold,
            resolve=self.resolve_conflicts,
            seed=seed,
            blanket_alpha=self.blanket_alpha,
        )

    def _store_table(self, dataset: Dataset) -> None:
        """Set the attributes of the table."""
        self.dataset_ = dataset
        self.n_features_in_ = dataset.n_variables
        self.feature_names_in_ = np.array(dataset.names, dtype=object)
        shares = dataset.missing or (0.0,) * dataset.n_variables
        self.missing_share_ = dict(zip(dataset.names, shares, strict=True))

    def _table_score(self) -> Score:
        """Return the score that gives networks their tables."""
        return self._score() or default_score(self.learner, self.last_pass)

    def _store(
        self,
        folded: Folded,
        part: _Part,
        learned: Learned,
        known: Constraints | None,
        tables: Sequence[Dataset],
    ) -> None:
        """Set the attributes of the result, with the copies of columns."""
        edges = replace(folded.unfold_edges(learned.edges), knowledge=known)
        self.graphs_ = folded.unfold_graphs(learned.graphs)
        communities, hierarchy = folded.unfold_communities(part.communities), part.hierarchy
        self.groups_ = dict(folded.groups)
        self.communities_ = [[edges.names[v] for v in c.tolist()] for c in communities]
        self.hierarchy_ = hierarchy
        if folded.copies:
            self.hierarchy_[:, 3] = union_sizes(communities, hierarchy)
        self.edges_ = edges
        self.edge_probabilities_ = edges.matrix
        self.dag_ = edges.dag(self.threshold)
        self.cpdag_ = edges.cpdag(self.threshold)
        counts = completed_counts(folded, tables)
        results = (self._table_score(), edges, self.dag_, self.graphs_)
        self._answers = Answers.of(counts, *results, groups=self.groups_, table=folded.unfilled)


def _code_table(table: Any, **options: Any) -> Dataset:
    """Code a table. scikit-learn checks the shape and type of arrays, with its own messages."""
    if sparse.issparse(table) or isinstance(table, np.ndarray):
        lenient: dict[str, Any] = {"dtype": None, "ensure_all_finite": False}
        check_array(table, ensure_min_samples=2, ensure_min_features=2, **lenient)
    try:
        return Dataset.from_table(table, **options)
    except DataError as error:
        if isinstance(table, np.ndarray) and "missing values" in str(error):
            raise DataError(f"the array has NaN: {error}") from None
        raise
