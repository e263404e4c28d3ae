"""The LSBN system as a scikit-learn estimator (paper, Section IV)."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from sklearn.base import BaseEstimator

from lsbn.answers.fitted import FittedAnswers
from lsbn.data.options import Discretize
from lsbn.fitted import FittedNetwork
from lsbn.fitting import NetworkFit
from lsbn.knowledge import Knowledge
from lsbn.learners import Learned, Score
from lsbn.pairs import FALSE_DISCOVERIES, WEIGHTS

__all__ = ["LSBN"]

_AS_PUBLISHED = {
    "false_discoveries": None,
    "fold_copies": False,
    "weigh_votes": False,
    "last_pass": False,
}
"""Parameters of `LSBN.paper`."""


class _ScoreParameter:
    """Stores the parameter ``score`` apart from the method ``score`` of scikit-learn."""

    def __set__(self, model: LSBN, value: Any) -> None:
        model.__dict__["score"] = value

    def __get__(self, model: LSBN | None, owner: type[LSBN]) -> Any:
        return owner.mean_log_likelihood if model is None else model.mean_log_likelihood


class LSBN(NetworkFit, FittedAnswers, FittedNetwork, BaseEstimator):
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
        What to do with columns that are exact copies of each other, see `lsbn.data.copies`; with
        ``missing="infer"``, wherever both have a value. "join" or True: learn the first one by
        name, which has all edges of the group, and join the others to it by an edge. "group": the
        group is one variable of the result, such as ``a = b``. "keep" or False: learn all columns.
        By default "keep" for PC and ARACNE, which treat copies alike, and "join" for the other
        learners, which would give the edges to one of the copies by chance.
    false_discoveries : float, optional
        The partition uses only pairs that are significant at this rate of false discoveries over
        all pairs. So noise has no communities. None means that pairs are not tested.
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
    n_graphs : int
        Number of networks that the last pass of model averaging draws from the posterior and
        keeps, see `sample_graphs`; fewer if they have more than 5 million edges together. Edge
        probabilities do not depend on it.
    threshold : float
        Edges of `dag_` and `cpdag_` have a greater probability than this, in either direction.
    discretize, bins, missing, max_states
        Coding of the table, see `lsbn.Dataset.from_table`. With ``missing="infer"`` the missing
        values are drawn from the network, several times, and the results are averaged; see
        `lsbn.missing`.
    checkpoint : str or path, optional
        A folder for the finished work of a fit. If the fit is stopped, even by ``kill -9``, then
        another fit with the same table, parameters and version of lsbn goes on from there and has
        the same result. The folder is removed when a fit ends.
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
    graphs_ : SampledGraphs or None
        The networks that were drawn from the posterior. None if there is no posterior of networks.
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
    missing_share_ : dict of str to float
        Share of missing values of each column of the table.
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
        false_discoveries: float | None = FALSE_DISCOVERIES,
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
        n_graphs: int = 1000,
        threshold: float = 0.5,
        discretize: Discretize = None,
        bins: int = 5,
        missing: str = "error",
        max_states: int = 64,
        checkpoint: str | os.PathLike[str] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool | Callable[[str], None] = False,
    ) -> None:
        self.learner = learner
        self.weights = weights
        self.fold_copies = fold_copies
        self.false_discoveries = false_discoveries
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
        self.n_graphs = n_graphs
        self.threshold = threshold
        self.discretize = discretize
        self.bins = bins
        self.missing = missing
        self.max_states = max_states
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def paper(cls, **overrides: Any) -> LSBN:
        """Return an estimator with all parameters as published.

        Pairs enter a weighted graph without a test. All votes count the same. Copies of columns are
        learned like other columns. The score is BDeu with an equivalent sample size of 1. There is
        no last pass: the result is the result of Mergence.

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
