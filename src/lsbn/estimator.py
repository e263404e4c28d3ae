"""The LSBN system as a scikit-learn estimator (paper, Section IV)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array

from lsbn.data import DataError, Dataset
from lsbn.data.copies import Folded
from lsbn.data.options import Discretize
from lsbn.fitted import FittedNetwork
from lsbn.framework.candidates import find_candidates
from lsbn.framework.diagnostics import fit_diagnostics
from lsbn.framework.local import LocalSettings
from lsbn.framework.mergence import merge_order, union_sizes
from lsbn.framework.proposals import Proposals, propose
from lsbn.framework.stages import Stages
from lsbn.graph import EdgeProbabilities
from lsbn.knowledge import Constraints, Knowledge
from lsbn.knowledge.copies import fold_with_knowledge
from lsbn.learners import LEARNERS, Learned, Score
from lsbn.learners.averaging import SearchSettings
from lsbn.learners.evidence import knowledge_diagnostics
from lsbn.pairs import WEIGHTS, PairStatistics
from lsbn.parallel import threads
from lsbn.parameters import check_parameters, copies_of, score_of, seed_sequence
from lsbn.partition import ropart

__all__ = ["LSBN"]

_AS_PUBLISHED = {"fold_copies": False, "weigh_votes": False, "last_pass": False}
"""Parameters of `LSBN.paper`."""
REACH = SearchSettings.max_unrestricted
"""Up to this number of variables the last pass of model averaging searches all variables."""


class _ScoreParameter:
    """Stores the parameter ``score``, so that scikit-learn does not call it as a method."""

    def __set__(self, model: LSBN, value: Any) -> None:
        model.__dict__["score"] = value

    def __get__(self, model: LSBN | None, owner: type) -> Any:
        raise AttributeError("score is a parameter: see get_params()")


class LSBN(FittedNetwork, BaseEstimator):
    """Learn the structure of a large Bayesian network, with a probability for every edge.

    The paper's method has three steps. ROPART partitions the variables into overlapping
    communities. LocalLearn learns each community together with its Markov blanket. Mergence merges
    the structures of the communities. The last pass, which is not in the paper, then learns all
    variables together.

    Parameters
    ----------
    learner : {"model-averaging", "aracne", "pc", "greedy", "mmhc"} or callable
        Learner of sub-communities and of the last pass. A callable is called as
        ``learner(dataset, random_state=..., n_jobs=...)`` and returns a `lsbn.learners.Learned`.
        With a callable there is no last pass. With knowledge, it also gets ``knowledge=...``.
    weights : sequence of str
        Weight functions of the partition, and of the candidates for Markov blankets.
    fold_copies : {"join", "group", "keep"} or bool, optional
        What to do with columns that are exact copies of each other, see `lsbn.data.copies`. "join"
        or True: learn the first one by name, which has all edges of the group, and join the others
        to it by an edge. "group": the group is one variable of the result, such as ``a = b``.
        "keep" or False: learn all columns. By default "keep" for PC and ARACNE, which treat copies
        alike, and "join" for the other learners, which would give the edges to one of the copies
        by chance.
    max_community : int
        Communities with more variables are partitioned again.
    blanket_alpha : float, optional
        Level of the tests of Markov blankets. By default ``min(0.001, 1 / n)`` with n variables,
        so that the expected number of false members of a blanket is at most one.
    max_size : int
        Largest number of variables in a sub-community.
    weigh_votes : bool
        If True, a vote of a sub-community on a pair has full weight only if the sub-community
        contains the Markov blanket of one of the two variables. Other votes on this pair count
        only if it has no vote of full weight. If False, all votes count the same.
    resolve_conflicts : bool
        Learn clusters of candidate triplets again, within communities and at every merge.
    triplet_threshold : float
        An edge of a candidate triplet has a greater probability than this.
    last_pass : bool
        After Mergence, learn all variables with the candidates that the communities propose. With
        at most 1,024 variables, model averaging searches among all variables and needs no
        candidates. Then Markov blankets, LocalLearn and Mergence are not run, and their parameters
        have no effect.
    score : Score or str, optional
        Score of a family for model averaging, greedy search and MMHC, or the name of its kind, see
        `lsbn.learners.Score`. By default the last pass of model averaging has the mixed score;
        LocalLearn and the other learners have BDeu, as published.
    count : {"orders", "graphs"}
        What the last pass of model averaging counts. With ``orders`` a graph counts as often as it
        has orders, which favours graphs with few edges. With ``graphs`` each graph counts once.
    effort : {"quick", "standard", "thorough"}
        How long the last pass of model averaging searches and samples. ``quick`` runs one search.
        ``standard`` compares independent searches, and runs more of them if they disagree.
        ``thorough`` runs up to 24, and longer chains.
    knowledge : Knowledge, optional
        Required and forbidden edges, tiers and more, see `lsbn.Knowledge`. Every stage honours it.
    threshold : float
        Edges of `dag_` and `cpdag_` have a greater probability than this, in either direction.
    discretize, bins, missing, max_states
        Coding of the table, see `lsbn.Dataset.from_table`.
    n_jobs : int, optional
        Number of workers, as in joblib. The workers are threads unless ``joblib.parallel_config``
        names another backend; processes and Dask are tested. The result does not depend on
        ``n_jobs`` or on the backend.
    random_state : int, numpy.random.Generator, numpy.random.RandomState or None
        Seed of all random numbers.
    verbose : bool or callable
        True prints a line to standard error when a stage begins. A callable is called with this
        text instead.

    Attributes
    ----------
    edge_probabilities_ : scipy.sparse.csr_array, shape (n, n)
        ``[i, j]`` is P(i -> j).
    edges_ : EdgeProbabilities
        The same probabilities with the names of the variables: the columns and, with
        ``fold_copies="group"``, the groups.
    groups_ : dict of str to tuple of str
        The columns of each group of copies by the name of the group; empty unless
        ``fold_copies="group"``.
    dag_, cpdag_ : networkx.DiGraph
        Edges above the threshold, with their ``probability``; `dag_` is acyclic.
    communities_ : list of list of str
        Overlapping communities: the second-order partition, by names of variables.
    hierarchy_ : numpy.ndarray, shape (k - 1, 4)
        The merge tree in the form of `scipy.cluster.hierarchy`: two communities, their Jaccard
        distance without copies of columns, and the number of variables of their union. Community
        ``c < k`` is ``communities_[c]``. Community ``k + t`` is the union of row t.
    diagnostics_ : FitDiagnostics
        ``seconds`` of each stage; ``method``, exact, sampled or none; if orders were sampled, the
        largest ``r_hat`` and the smallest ``effective_sample_size`` of an edge; and more, see
        `lsbn.framework.FitDiagnostics`. It is also a mapping: ``diagnostics_["r_hat"]`` is
        ``diagnostics_.r_hat``.
    dataset_ : Dataset
        The coded table, with all columns.
    feature_names_in_ : numpy.ndarray of str
        Names of the columns.
    n_features_in_ : int
        Number of columns.

    See Also
    --------
    LSBN.paper : the estimator with all parameters as published.

    Examples
    --------
    >>> from lsbn.network import load_network
    >>> table = load_network("alarm").sample(1_000, random_state=0)
    >>> model = LSBN(random_state=0).fit(table[["HR", "HRBP", "HRSAT", "CO"]])
    >>> sorted(tuple(sorted(edge)) for edge in model.dag_.edges)
    [('CO', 'HR'), ('HR', 'HRBP'), ('HR', 'HRSAT')]
    """

    score = _ScoreParameter()

    def __init__(
        self,
        *,
        learner: str | Callable[..., Learned] = "model-averaging",
        weights: Sequence[str] = WEIGHTS,
        fold_copies: bool | str | None = None,
        max_community: int = 50,
        blanket_alpha: float | None = None,
        max_size: int = 10,
        weigh_votes: bool = True,
        resolve_conflicts: bool = True,
        triplet_threshold: float = 0.5,
        last_pass: bool = True,
        score: Score | str | None = None,
        count: str = "orders",
        effort: str = "standard",
        knowledge: Knowledge | None = None,
        threshold: float = 0.5,
        discretize: Discretize = None,
        bins: int = 5,
        missing: str = "error",
        max_states: int = 64,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool | Callable[[str], None] = False,
    ) -> None:
        self.learner = learner
        self.weights = weights
        self.fold_copies = fold_copies
        self.max_community = max_community
        self.blanket_alpha = blanket_alpha
        self.max_size = max_size
        self.weigh_votes = weigh_votes
        self.resolve_conflicts = resolve_conflicts
        self.triplet_threshold = triplet_threshold
        self.last_pass = last_pass
        self.score = score
        self.count = count
        self.effort = effort
        self.knowledge = knowledge
        self.threshold = threshold
        self.discretize = discretize
        self.bins = bins
        self.missing = missing
        self.max_states = max_states
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def paper(cls, **overrides: Any) -> LSBN:
        """Return an estimator with all parameters as published.

        All votes count the same. Copies of columns are learned like other columns. The score is
        BDeu with an equivalent sample size of 1. There is no last pass: the result is the result of
        Mergence.

        Parameters
        ----------
        **overrides
            Parameters of `LSBN` that replace the published ones.

        Returns
        -------
        LSBN

        Examples
        --------
        >>> LSBN.paper(random_state=0).last_pass
        False
        """
        return cls(**(_AS_PUBLISHED | overrides))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name (scikit-learn interface)."""
        return {name: vars(self)[name] for name in self._get_param_names()}

    def __sklearn_tags__(self) -> Any:
        """Return the scikit-learn tags: strings and categories are allowed."""
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.categorical = True
        tags.input_tags.allow_nan = self.missing != "error"
        return tags

    def fit(self, X: Any, y: Any = None) -> LSBN:
        """Learn a network from a table.

        Parameters
        ----------
        X : pandas, polars or pyarrow table, 2-D numpy array, or Dataset
            Rows are observations, columns are variables.
        y : ignored

        Returns
        -------
        LSBN
            The fitted estimator.
        """
        self._check_parameters()
        seeds = seed_sequence(self.random_state).spawn(3)
        stages = Stages(self.verbose)
        with stages("read"):
            dataset = self._coded(X)
            how = copies_of(self.learner, self.fold_copies)
            folded, known = fold_with_knowledge(dataset, how, self.knowledge)
            told = None if known is None else known.select(folded.kept)
        pairs = PairStatistics(folded.dataset)
        with stages("partition"):
            communities = self._partition(pairs, stages.report)
        if self._searches_all_variables(pairs.dataset):
            proposals = None
            hierarchy = merge_order(communities)
        else:
            settings = replace(self._settings(int(seeds[1].generate_state(1)[0])), knowledge=told)
            proposals = propose(pairs, communities, settings, seeds[0], stages, n_jobs=self.n_jobs)
            hierarchy = proposals.hierarchy
        if proposals is not None and (not self.last_pass or callable(self.learner)):
            learned = Learned(EdgeProbabilities(proposals.edges, pairs.dataset.names))
        else:
            with stages("last pass"):
                learned = self._learn(pairs, proposals, seeds[2], told)
        self._store_table(dataset)
        edges = replace(folded.unfold_edges(learned.edges), knowledge=known)
        self._store(folded, communities, hierarchy, edges)
        self.diagnostics_ = fit_diagnostics(
            learned.diagnostics,
            None if proposals is None else proposals.diagnostics,
            stages.seconds,
            [*folded.whole.notes, *folded.notes],
            knowledge_diagnostics(self.knowledge, told, pairs.dataset, learned, self._score()),
            dataset.constants,
        )
        return self

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
            max_size=self.max_community,
            n_jobs=self.n_jobs,
            progress=report,
        ).communities

    def _searches_all_variables(self, dataset: Dataset) -> bool:
        """Return whether the last pass searches among all variables and needs no candidates."""
        averaging = self.last_pass and self.learner == "model-averaging"
        return averaging and dataset.n_variables <= REACH

    def _learn(
        self,
        pairs: PairStatistics,
        proposals: Proposals | None,
        seed: np.random.SeedSequence,
        knowledge: Constraints | None,
    ) -> Learned:
        """Run the last pass."""
        dataset, candidates = pairs.dataset, None
        if proposals is not None:
            candidates = find_candidates(
                pairs, proposals.communities, proposals.blankets, proposals.edges
            )
        if self.learner in ("model-averaging", "pc"):
            pairs.release()  # these learners count for themselves, and take long
        score = self._score()
        options: dict[str, Any] = {} if score is None else {"score": score}
        if self.learner == "model-averaging":
            options |= {"count": self.count, "effort": self.effort}
        return LEARNERS[str(self.learner)](
            dataset,
            candidates=candidates,
            knowledge=knowledge,
            pairs=pairs,
            random_state=np.random.default_rng(seed),
            n_jobs=threads(self.n_jobs),
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
            weights=self.weights,
            blanket_alpha=self.blanket_alpha,
        )

    def _store_table(self, dataset: Dataset) -> None:
        """Set the attributes of the table."""
        self.dataset_ = dataset
        self.n_features_in_ = dataset.n_variables
        self.feature_names_in_ = np.array(dataset.names, dtype=object)

    def _store(
        self,
        folded: Folded,
        communities: list[np.ndarray],
        hierarchy: np.ndarray,
        edges: EdgeProbabilities,
    ) -> None:
        """Set the attributes of the result, with the copies of columns."""
        communities = folded.unfold_communities(communities)
        self.groups_ = dict(folded.groups)
        self.communities_ = [[edges.names[v] for v in c.tolist()] for c in communities]
        self.hierarchy_ = hierarchy
        if folded.copies:
            self.hierarchy_[:, 3] = union_sizes(communities, hierarchy)
        self.edges_ = edges
        self.edge_probabilities_ = edges.matrix
        self.dag_ = edges.dag(self.threshold)
        self.cpdag_ = edges.cpdag(self.threshold)


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
