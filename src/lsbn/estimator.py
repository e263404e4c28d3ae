"""LSBN, the whole system as one scikit-learn estimator (paper, Section IV)."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, check_is_fitted

from lsbn.data import DataError, Dataset
from lsbn.data.copies import Folded, fold_copies
from lsbn.framework.blankets import blanket_candidates, markov_blankets
from lsbn.framework.candidates import find_candidates
from lsbn.framework.local import LocalSettings, learn_communities
from lsbn.framework.mergence import merge_order, mergence, union_sizes
from lsbn.graph import EdgeProbabilities
from lsbn.learners import LEARNERS, Learned, Score
from lsbn.learners.averaging import SearchSettings
from lsbn.network import BayesianNetwork, fit_tables
from lsbn.network.convert import to_pgmpy, to_pyagrum
from lsbn.pairs import WEIGHTS, PairStatistics, base_weights
from lsbn.parallel import threads
from lsbn.partition import ropart

__all__ = ["LSBN"]

BLANKET_ALPHA = 0.001
_AS_PUBLISHED = {"fold_copies": False, "weigh_votes": False, "last_pass": False}


REACH = SearchSettings.max_unrestricted
"""Up to this number of variables the search of model averaging looks everywhere."""
NOT_NEEDED = f"the last pass looks everywhere among up to {REACH:,} variables"


@dataclass(frozen=True, eq=False)
class _Proposals:
    """What LocalLearn and Mergence propose to the last pass.

    Attributes
    ----------
    communities, blankets : list of int arrays
    edges : (n, n) sparse array
        Edge probabilities after Mergence.
    hierarchy : (k - 1, 4) float array
        The merge tree.
    notes : list of dict
        Figures about each community.
    """

    communities: list[np.ndarray]
    blankets: list[np.ndarray]
    edges: sparse.csr_array
    hierarchy: np.ndarray
    notes: list[dict[str, Any]]


class _ScoreParameter:
    """Keeps the parameter ``score`` apart from the method that scikit-learn calls ``score``."""

    def __set__(self, model: LSBN, value: Any) -> None:
        model.__dict__["score"] = value

    def __get__(self, model: LSBN | None, owner: type) -> Any:
        raise AttributeError("score is a parameter: see get_params()")


class LSBN(BaseEstimator):
    """Learn the structure of a large Bayesian network, with a probability for every edge.

    Three steps: ROPART partitions the variables into overlapping communities, LocalLearn learns
    each community together with its Markov blanket, Mergence joins them.

    Parameters
    ----------
    learner : {"model-averaging", "aracne", "pc", "greedy", "mmhc"} or callable
        What learns a sub-community. A callable is called as
        ``learner(dataset, random_state=..., n_jobs=...)`` and gives a `lsbn.learners.Learned`.
    weights : sequence of str
        Weight functions of the partition, and of the candidates for Markov blankets.
    fold_copies : bool, optional
        Let the first of several columns that repeat one another stand for all of them, and join
        the others to it: see `lsbn.data.copies`. By default True for all learners but PC and
        ARACNE, which treat copies alike. With the others, chance decides which copy has the edges.
    max_community : int
        Larger communities are partitioned again.
    blanket_alpha : float, optional
        Level of the tests that decide on members of Markov blankets. By default 0.001, or with n
        variables 1/n if that is less, so that one false member is expected at most.
    max_size : int
        Most variables learned at once within a community.
    weigh_votes : bool
        Let a sub-community's vote on an edge count only if the Markov blanket of an endpoint lies
        inside, wherever there is such a vote. Without it all votes count alike.
    resolve_conflicts : bool
        Learn clusters of triangles again, within communities and at every merge.
    triplet_threshold : float
        Probability above which an edge may be part of such a triangle.
    last_pass : bool
        After Mergence, run the learner once more over all variables, with what the communities
        proposed. Model averaging of up to 1,024 variables looks everywhere instead, so that Markov
        blankets, LocalLearn and Mergence are not run: on pigs they took a third of the time and
        changed nothing, and starting from their proposals found lower log scores (andes).
    score : Score or str, optional
        What model averaging, greedy search and MMHC score families by, or the name of its kind:
        see `lsbn.learners.Score`. By default the last pass of model averaging has the mixed score;
        LocalLearn and the other learners have BDeu, as published.
    threshold : float
        Edges of `dag_` and `cpdag_` have a greater probability than this, in either direction.
    discretize, bins, missing, max_states
        How a table is coded, see `lsbn.Dataset.from_table`.
    n_jobs : int, optional
        Workers, as joblib has it. Threads unless ``joblib.parallel_config`` names a backend:
        processes and Dask are tested. The result does not depend on it.
    random_state : int, numpy.random.Generator, numpy.random.RandomState or None
    verbose : bool or callable
        Print each stage to standard error; a callable is told in words what begins instead.

    Attributes
    ----------
    edge_probabilities_ : scipy.sparse.csr_array, shape (n, n)
        ``[i, j]`` is P(i -> j).
    edges_ : EdgeProbabilities
        The same with names.
    dag_, cpdag_ : networkx.DiGraph
        Edges above the threshold, with their ``probability``; `dag_` is acyclic.
    communities_ : list of list of str
        Overlapping communities.
    hierarchy_ : numpy.ndarray, shape (k - 1, 4)
        The merge tree in the form of `scipy.cluster.hierarchy`: two communities, the Jaccard
        distance at which they merged, copies of columns left aside, and the size of their union.
        Numbers below k are `communities_`, ``k + t`` is the result of row t.
    diagnostics_ : dict
        ``seconds`` of each stage; ``method``, exact or sampled; ``r_hat`` and
        ``effective_sample_size`` of the least certain edge where orders were sampled;
        ``communities`` with the same for each; what the last pass says of itself; ``not_run``,
        the stages that were not needed, and why.
    dataset_ : Dataset
        The table as it was coded.
    feature_names_in_ : numpy.ndarray of str
    n_features_in_ : int

    See Also
    --------
    LSBN.paper : the same with every choice as published.

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
        fold_copies: bool | None = None,
        max_community: int = 50,
        blanket_alpha: float | None = None,
        max_size: int = 10,
        weigh_votes: bool = True,
        resolve_conflicts: bool = True,
        triplet_threshold: float = 0.5,
        last_pass: bool = True,
        score: Score | str | None = None,
        threshold: float = 0.5,
        discretize: str | None = None,
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
        """Make an estimator with every choice as published; parameters given here prevail.

        All votes count alike, columns that repeat another are learned as they are, the score is
        BDeu with an equivalent sample size of 1, and Mergence has the last word.

        Examples
        --------
        >>> LSBN.paper(random_state=0).last_pass
        False
        """
        return cls(**(_AS_PUBLISHED | overrides))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Give the parameters, as scikit-learn asks for them."""
        return {name: vars(self)[name] for name in self._get_param_names()}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.categorical = True
        tags.input_tags.allow_nan = self.missing != "error"
        return tags

    def fit(self, X: Any, y: Any = None) -> LSBN:
        """Learn a network from a table.

        Parameters
        ----------
        X : pandas, polars or pyarrow table, 2-D numpy array, or Dataset
            Rows are observations, columns variables.
        y : ignored

        Returns
        -------
        LSBN
            Itself.
        """
        self._check_parameters()
        stages = _Stages(self.verbose)
        with stages("read", "coding the table"):
            folded = self._folded(self._coded(X))
        pairs = PairStatistics(folded.dataset)
        seeds = _seed_sequence(self.random_state).spawn(3)
        with stages("partition", "partitioning the variables"):
            communities = self._partition(pairs, stages.tell)
        if self._looks_everywhere(pairs.dataset):
            proposals = None
            hierarchy = merge_order(communities)
        else:
            proposals = self._propose(pairs, communities, seeds, stages)
            hierarchy = proposals.hierarchy
        with stages("last pass", "learning the whole network"):
            learned = self._learn(pairs, proposals, seeds[2])
        self._keep(folded, communities, hierarchy, learned)
        self.diagnostics_ = _diagnostics(proposals, learned, stages.seconds, folded)
        return self

    def _coded(self, table: Any) -> Dataset:
        return _coded(
            table,
            discretize=self.discretize,
            bins=self.bins,
            missing=self.missing,
            max_states=self.max_states,
        )

    def _partition(self, pairs: PairStatistics, tell: Callable[[str], None]) -> list[np.ndarray]:
        """Step 1, ROPART."""
        return ropart(
            pairs.dataset,
            weights=self.weights,
            pairs=pairs,
            max_size=self.max_community,
            n_jobs=self.n_jobs,
            progress=tell,
        ).communities

    def _looks_everywhere(self, dataset: Dataset) -> bool:
        """Say whether the last pass searches all variables, whatever the communities propose."""
        averaging = self.last_pass and self.learner == "model-averaging"
        return averaging and dataset.n_variables <= REACH

    def _propose(
        self,
        pairs: PairStatistics,
        communities: list[np.ndarray],
        seeds: list[np.random.SeedSequence],
        stages: _Stages,
    ) -> _Proposals:
        """Step 2, LocalLearn, and step 3, Mergence."""
        dataset = pairs.dataset
        settings = self._settings(int(seeds[1].generate_state(1)[0]))
        with stages("blankets", "finding Markov blankets"):
            blankets = self._blankets(pairs)
        with stages("local", f"learning {len(communities):,} communities"):
            own = seeds[0].spawn(len(communities))
            local = learn_communities(dataset, communities, blankets, settings, own, self.n_jobs)
        with stages("merge", "merging communities"):
            structures = [result.structure for result in local]
            merged, hierarchy = mergence(
                dataset, communities, structures, settings, progress=stages.tell
            )
        proposed = merged.probabilities(dataset.n_variables)
        notes = [result.diagnostics for result in local]
        return _Proposals(communities, blankets, proposed, hierarchy, notes)

    def _learn(
        self, pairs: PairStatistics, proposals: _Proposals | None, seed: np.random.SeedSequence
    ) -> Learned:
        """Run the learner over all variables, or give the merged votes."""
        dataset, candidates = pairs.dataset, None
        if proposals is not None:
            if not self.last_pass or callable(self.learner):
                return Learned(EdgeProbabilities(proposals.edges, dataset.names))
            found = (proposals.communities, proposals.blankets, proposals.edges)
            candidates = find_candidates(pairs, *found)
        score = self._score()
        return LEARNERS[str(self.learner)](
            dataset,
            candidates=candidates,
            pairs=pairs,
            random_state=np.random.default_rng(seed),
            n_jobs=threads(self.n_jobs),
            **({} if score is None else {"score": score}),
        )

    def _folded(self, dataset: Dataset) -> Folded:
        fold = (
            self.learner not in ("pc", "aracne") if self.fold_copies is None else self.fold_copies
        )
        return fold_copies(dataset) if fold else Folded.nothing(dataset)

    def _check_parameters(self) -> None:
        if not callable(self.learner) and self.learner not in LEARNERS:
            raise ValueError(f"unknown learner {self.learner!r}; there are {', '.join(LEARNERS)}")
        self._score()
        if not base_weights(self.weights):
            raise ValueError(f"weights is empty; use some of {', '.join(WEIGHTS)}")
        if self.max_community < 2:
            raise ValueError(f"max_community is {self.max_community}; use 2 or more")
        if not 0 <= self.triplet_threshold <= 1:
            raise ValueError(f"triplet_threshold is {self.triplet_threshold}; use 0 to 1")
        if not 2 <= self.max_size <= 20:
            raise ValueError(f"max_size is {self.max_size}; use 2 to 20")
        if not 0 <= self.threshold < 1:
            raise ValueError(f"threshold is {self.threshold}; use 0 or more, and less than 1")
        if self.blanket_alpha is not None and not 0 < self.blanket_alpha < 1:
            raise ValueError(f"blanket_alpha is {self.blanket_alpha}; use more than 0, less than 1")

    def _score(self) -> Score | None:
        """Give the score that was asked for, if any, and if the learner has one."""
        score = vars(self)["score"]
        if score is not None and self.learner in ("pc", "aracne"):
            raise ValueError(f"the learner {self.learner!r} has no score; leave out score")
        return None if score is None else Score.of(score)

    def _settings(self, seed: int) -> LocalSettings:
        return LocalSettings(
            learner=self.learner,
            score=self._score(),
            max_size=self.max_size,
            weigh_votes=self.weigh_votes,
            threshold=self.triplet_threshold,
            resolve=self.resolve_conflicts,
            seed=seed,
        )

    def _blankets(self, pairs: PairStatistics) -> list[np.ndarray]:
        dataset = pairs.dataset
        candidates = blanket_candidates(dataset, weights=self.weights, pairs=pairs)
        alpha = self.blanket_alpha or min(BLANKET_ALPHA, 1 / dataset.n_variables)
        return markov_blankets(dataset, candidates, alpha=alpha, n_jobs=self.n_jobs)

    def _keep(
        self,
        folded: Folded,
        communities: list[np.ndarray],
        hierarchy: np.ndarray,
        learned: Learned,
    ) -> None:
        dataset, edges = folded.whole, folded.unfold_edges(learned.edges)
        communities = folded.unfold_communities(communities)
        self.dataset_ = dataset
        self.n_features_in_ = dataset.n_variables
        self.feature_names_in_ = np.array(dataset.names, dtype=object)
        self.communities_ = [[dataset.names[v] for v in c.tolist()] for c in communities]
        self.hierarchy_ = hierarchy
        if folded.copies:
            self.hierarchy_[:, 3] = union_sizes(communities, hierarchy)
        self.edges_ = edges
        self.edge_probabilities_ = edges.matrix
        self.dag_ = edges.dag(self.threshold)
        self.cpdag_ = edges.cpdag(self.threshold)

    def plot(self, path: str | os.PathLike[str], title: str | None = None) -> None:
        """Draw the network as one HTML page that needs no connection; see `lsbn.report`.

        Parameters
        ----------
        path : str or path
            The file to write: communities in colour, edge probabilities as strength.
        title : str, optional
        """
        check_is_fitted(self)
        summary = {
            "variables": self.n_features_in_,
            "rows": self.dataset_.n_rows,
            "seconds": self.diagnostics_["seconds"],
            "diagnostics": {k: v for k, v in self.diagnostics_.items() if k != "seconds"},
        }
        from lsbn.report import write_report  # only for the page: it would slow every import

        write_report(
            path,
            edges=self.edges_,
            communities=self.communities_,
            summary=summary,
            title=title,
            threshold=self.threshold,
        )

    def to_networkx(self) -> nx.DiGraph:
        """Return a graph of all edges with a probability above zero, in both directions."""
        check_is_fitted(self)
        return self.edges_.to_networkx()

    def to_network(self, ess: float = 1.0) -> BayesianNetwork:
        """Return `dag_` with posterior-mean tables; its ``write_bif`` writes a BIF file.

        Parameters
        ----------
        ess : float
            Equivalent sample size of the tables' prior.
        """
        check_is_fitted(self)
        return fit_tables(self.dag_, self.dataset_, ess=ess)

    def to_pgmpy(self) -> Any:
        """Return `to_network` as a network of pgmpy, which must be installed."""
        return to_pgmpy(self.to_network())

    def to_pyagrum(self) -> Any:
        """Return `to_network` as a network of pyAgrum, which must be installed."""
        return to_pyagrum(self.to_network())

    def to_graphml(self, path: str | os.PathLike[str]) -> None:
        """Write `dag_` as GraphML."""
        check_is_fitted(self)
        self.edges_.to_graphml(path, self.threshold)

    def to_csv(self, path: str | os.PathLike[str], minimum: float = 0.01) -> None:
        """Write the edges as ``source,target,probability``, the most probable first."""
        check_is_fitted(self)
        self.edges_.to_csv(path, minimum)


def _coded(table: Any, **options: Any) -> Dataset:
    """Code a table; of arrays, shape and type are judged by scikit-learn, in its own words."""
    if sparse.issparse(table) or isinstance(table, np.ndarray):
        lenient: dict[str, Any] = {"dtype": None, "ensure_all_finite": False}
        check_array(table, ensure_min_samples=2, ensure_min_features=2, **lenient)
    try:
        return Dataset.from_table(table, **options)
    except DataError as error:
        if isinstance(table, np.ndarray) and "missing values" in str(error):
            raise DataError(f"the array has NaN: {error}") from None
        raise


def _seed_sequence(random_state: Any) -> np.random.SeedSequence:
    """Turn whatever numpy and scikit-learn accept as a seed into a SeedSequence."""
    if isinstance(random_state, np.random.SeedSequence):
        return np.random.SeedSequence(random_state.entropy, spawn_key=random_state.spawn_key)
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return np.random.SeedSequence(random_state.randint(2**31))
    return np.random.SeedSequence(random_state)


class _Stages:
    """Times the stages of a fit and tells of them."""

    def __init__(self, verbose: bool | Callable[[str], None]) -> None:
        self.seconds: dict[str, float] = {}
        self._verbose = verbose
        self._begin = time.perf_counter()

    def tell(self, text: str) -> None:
        """Say what begins."""
        if callable(self._verbose):
            self._verbose(text)
        elif self._verbose:
            spent = time.perf_counter() - self._begin
            print(f"[lsbn] {spent:7.1f} s  {text}", file=sys.stderr)

    @contextmanager
    def __call__(self, name: str, text: str) -> Iterator[None]:
        """Time a stage."""
        self.tell(text)
        begin = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - begin


def _diagnostics(
    proposals: _Proposals | None, learned: Learned, seconds: dict[str, float], folded: Folded
) -> dict[str, Any]:
    """Gather figures, ready for JSON; the last pass speaks for the whole where there was one."""
    whole = dict(learned.diagnostics)
    parts = [] if proposals is None else proposals.notes
    if not whole:
        r_hats = [part["r_hat"] for part in parts if "r_hat" in part]
        sizes = [p["effective_sample_size"] for p in parts if "effective_sample_size" in p]
        methods = sorted({part["method"] for part in parts if isinstance(part.get("method"), str)})
        whole = {"method": " and ".join(methods)} if methods else {}
        if r_hats:
            whole |= {"r_hat": max(r_hats), "effective_sample_size": min(sizes)}
    if proposals is None:
        whole["not_run"] = dict.fromkeys(("blankets", "local", "merge"), NOT_NEEDED)
    rounded = {stage: round(spent, 4) for stage, spent in seconds.items()}
    notes = [*folded.whole.notes, *folded.notes]
    return {**whole, "seconds": rounded, "communities": parts, "notes": notes}
