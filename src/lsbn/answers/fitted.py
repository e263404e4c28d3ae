"""The answers of a fitted estimator, as methods."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from lsbn.answers.answers import Answers
from lsbn.answers.arviz import to_arviz
from lsbn.answers.checks import check_features
from lsbn.answers.effects import Effect
from lsbn.answers.imputation import Imputation
from lsbn.graph.sampled import Estimate
from lsbn.network.exchange import write_network

__all__ = ["FittedAnswers"]


class FittedAnswers:
    """Questions that a fitted `lsbn.LSBN` answers.

    Methods that predict have the option ``average``. With False the network is `dag_`. With True
    the networks drawn from the posterior predict, and their predictions are averaged. The tables
    of a network are those that the score implies: under the mixed score, the average of tables and
    trees. Tables are read with the columns, intervals and values that mean 'missing' of the fit.
    Labels of states are text: ``"1"`` for the number 1, ``"True"`` for True.
    """

    _answers: Answers
    feature_names_in_: np.ndarray

    @property
    def answers_(self) -> Answers:
        """All that is needed to answer; `lsbn.answers.store` writes it to a run folder."""
        check_is_fitted(self)
        return self._answers

    # The posterior of networks

    def sample_graphs(self, k: int = 100) -> list[nx.DiGraph]:
        """Return networks drawn from the posterior, all with the same weight.

        Parameters
        ----------
        k : int
            At most ``n_graphs`` of the estimator: these networks were drawn during the fit.

        Returns
        -------
        list of networkx.DiGraph
            Acyclic graphs over all variables.

        Raises
        ------
        ValueError
            If there is no posterior of networks: other learners than model averaging give one
            graph, and `LSBN.paper` joins the graphs of communities.

        Examples
        --------
        >>> from lsbn import LSBN, load_network
        >>> table = load_network("alarm").sample(500, random_state=0)[["HR", "HRBP", "CO"]]
        >>> model = LSBN(random_state=0).fit(table)
        >>> len(model.sample_graphs(10))
        10
        """
        return self.answers_.sample_graphs(k)

    def feature(self, function: Callable[[nx.DiGraph], Any]) -> Estimate:
        """Return the posterior mean of any function of a network, with its Monte Carlo error.

        Parameters
        ----------
        function : callable
            Takes a networkx.DiGraph and gives a number, or True or False.

        Returns
        -------
        Estimate
            A float with the attribute ``error``, the standard error of the mean.

        Examples
        --------
        >>> from lsbn import LSBN, load_network
        >>> table = load_network("alarm").sample(500, random_state=0)[["HR", "HRBP", "CO"]]
        >>> model = LSBN(random_state=0).fit(table)
        >>> model.feature(lambda graph: graph.number_of_edges() == 2) > 0.9
        True
        """
        return self.answers_.feature(function)

    def probability(self, source: str, target: str, how: str = "edge") -> Estimate:
        """Return the probability of a relation between two variables.

        Parameters
        ----------
        source, target : str
        how : {"edge", "adjacent", "path", "blanket"}
            ``edge``: the edge source -> target. ``adjacent``: an edge in either direction.
            ``path``: a directed path from source to target. ``blanket``: target is in the Markov
            blanket of source. The last two are shares of the networks drawn from the posterior.

        Returns
        -------
        Estimate
            A float with the attribute ``error``, the standard error by the number of networks. It
            is 0 for edges of exact averages, and too large for those of sampled averages, which
            are more precise than shares of networks.

        Examples
        --------
        >>> from lsbn import LSBN, load_network
        >>> table = load_network("alarm").sample(500, random_state=0)[["HR", "HRBP", "CO"]]
        >>> model = LSBN(random_state=0).fit(table)
        >>> model.probability("HR", "HRBP", how="adjacent") > 0.99
        True
        """
        return self.answers_.probability(source, target, how)

    def markov_blanket(self, name: str, minimum: float = 0.01) -> pd.DataFrame:
        """Return the probability of each variable to be in the Markov blanket of one.

        Parameters
        ----------
        name : str
        minimum : float
            Variables with a smaller probability are left out.

        Returns
        -------
        pandas.DataFrame
            With the columns variable, probability and error, the most probable first.
        """
        return self.answers_.markov_blanket(name, minimum)

    def ancestors(self) -> sparse.csr_array:
        """Return the probability of a directed path from i to j as entry ``[i, j]``, sparse."""
        return self.answers_.ancestors()

    def to_arviz(self) -> Any:
        """Return the networks drawn from the posterior as data of ArviZ, which must be installed.

        The variables are ``log_score`` and ``n_edges`` of each draw, and ``edge``, which tells
        whether the draw has an edge, for all edges of some uncertainty.
        """
        return to_arviz(self.answers_.posterior)

    def edge_strengths(self, minimum: float = 0.01) -> pd.DataFrame:
        """Return strength and sign of the dependence along each edge.

        Parameters
        ----------
        minimum : float
            Edges with a smaller probability are left out.

        Returns
        -------
        pandas.DataFrame
            With the columns source, target, probability; strength, Cramér's V from 0 to 1; sign,
            ``+`` or ``-`` if the states of both variables have an order; and tau, Kendall's tau-b.
            The most probable edge is first.

        Notes
        -----
        They describe the two columns alone, see `lsbn.answers.strength`.

        Examples
        --------
        >>> from lsbn import LSBN, load_network
        >>> table = load_network("alarm").sample(500, random_state=0)[["HR", "HRBP", "CO"]]
        >>> model = LSBN(random_state=0).fit(table)
        >>> model.edge_strengths(0.5)["strength"].round(2).tolist()
        [0.51, 0.68]
        """
        return self.answers_.edge_strengths(minimum)

    # Likelihood and prediction

    def log_likelihood(self, X: Any, *, average: bool = False) -> np.ndarray:
        """Return the log probability of each row, in nats.

        Parameters
        ----------
        X : table as for `fit`
            Columns are found by name. Numbers are cut as in the fit; those outside of its range are
            in the outer intervals. A group of copies counts once, by its first column. In a row
            with missing values, the probability is that of the observed values, estimated by
            sampling if several are missing.
        average : bool
            See `FittedAnswers`.

        Returns
        -------
        numpy.ndarray, shape (rows,)

        Raises
        ------
        DataError
            If a column is missing, or a column has a state that the table of the fit does not have.
        """
        return self.answers_.log_likelihood(X, average)

    def mean_log_likelihood(self, X: Any, y: Any = None, *, average: bool = False) -> float:
        """Return the mean log probability of a row: the method ``score`` of scikit-learn.

        Parameters
        ----------
        X : table as for `fit`
        y : ignored
        average : bool
            See `FittedAnswers`.
        """
        answers = self.answers_
        check_features(self, X)
        return float(answers.log_likelihood(X, average).mean())

    def predict_proba(
        self, X: Any, target: str | None = None, *, average: bool = False
    ) -> np.ndarray:
        """Return the distribution of a column in each row, given all other columns.

        Parameters
        ----------
        X : table as for `fit`
            It may lack the column of the target, and single values of other columns.
        target : str, optional
            By default all columns one after the other, side by side.
        average : bool
            See `FittedAnswers`.

        Returns
        -------
        numpy.ndarray, shape (rows, states)
            States in the order of ``dataset_.states``.
        """
        answers = self.answers_
        if target is not None:
            return answers.predict_proba(X, target, average)
        check_features(self, X)
        names = answers.coding.names
        return np.hstack([answers.predict_proba(X, name, average) for name in names])

    def predict(self, X: Any, target: str | None = None, *, average: bool = False) -> np.ndarray:
        """Return the most probable state of a column in each row, given all other columns.

        Parameters
        ----------
        X : table as for `fit`
            It may lack the column of the target.
        target : str, optional
            By default all columns, each given the others.
        average : bool
            See `FittedAnswers`.

        Returns
        -------
        numpy.ndarray
            Labels of states, which are text, shape (rows,). Without a target: numbers of states in
            the order of ``dataset_.states``, shape (rows, columns).

        Examples
        --------
        >>> from lsbn import LSBN, load_network
        >>> table = load_network("alarm").sample(500, random_state=0)[["HR", "HRBP", "CO"]]
        >>> model = LSBN(random_state=0).fit(table)
        >>> model.predict(table.drop(columns="CO").head(3), "CO").tolist()
        ['HIGH', 'HIGH', 'NORMAL']
        """
        answers = self.answers_
        if target is not None:
            return answers.predict(X, target, average)
        check_features(self, X)
        names = answers.coding.names
        shares = [answers.predict_proba(X, name, average) for name in names]
        return np.stack([share.argmax(axis=1) for share in shares], axis=1)

    def impute(self, X: Any, *, average: bool | None = None) -> Imputation:
        """Fill missing values with the most probable ones, and give their probabilities.

        Parameters
        ----------
        X : table as for `fit`
            Columns are found by name; further columns stay as they are, but columns of a group of
            copies are filled if the table of the fit had gaps.
        average : bool, optional
            See `FittedAnswers`. By default networks from the posterior are averaged, if there are
            any.

        Returns
        -------
        Imputation
            ``table``, the filled table as a pandas.DataFrame, and ``cells``, the probability of
            each filled value given the observed values of its row. A column whose numbers were cut
            into intervals is filled with labels of intervals. A column in which 'missing' is a
            state, after a fit with ``missing="state"``, is not filled.

        Examples
        --------
        >>> from lsbn import LSBN, load_network
        >>> table = load_network("alarm").sample(500, random_state=0)[["HR", "HRBP", "CO"]]
        >>> model = LSBN(random_state=0).fit(table)
        >>> rows = table.head(3).astype(object)
        >>> rows.loc[1, "HRBP"] = None
        >>> model.impute(rows).cells.round(2)
           row column value  probability
        0    1   HRBP  HIGH         0.91
        """
        return self.answers_.impute(X, average)

    def sample(self, rows: int, *, average: bool = False, random_state: Any = None) -> pd.DataFrame:
        """Draw rows from the distribution that was learned.

        Parameters
        ----------
        rows : int
        average : bool
            See `FittedAnswers`. With True each row has a network of its own.
        random_state : int, SeedSequence, Generator or None

        Returns
        -------
        pandas.DataFrame
            Labels of states. Columns that were cut have the labels of intervals.
        """
        return self.answers_.sample(rows, average, random_state)

    def effect(self, cause: str, outcome: str, *, level: float = 0.9) -> Effect:
        """Return P(outcome | do(cause)), averaged over networks from the posterior.

        Parameters
        ----------
        cause, outcome : str
        level : float
            Probability of the intervals, which show the uncertainty about the network.

        Returns
        -------
        Effect
            With ``mean``, ``low`` and ``high``: a row for each state that the cause is set to.

        Notes
        -----
        This is the effect of a real intervention only if there are no hidden common causes, no
        selection of rows, and if the networks are read as causal. Data alone cannot show that.

        Examples
        --------
        >>> from lsbn import LSBN, load_network
        >>> table = load_network("alarm").sample(500, random_state=0)[["HR", "HRBP", "CO"]]
        >>> model = LSBN(random_state=0).fit(table)
        >>> model.effect("HR", "HRBP").mean.loc["HIGH", "HIGH"] > 0.5
        np.True_
        """
        return self.answers_.effect(cause, outcome, level)

    def to_bif(self, path: str | os.PathLike[str]) -> None:
        """Write `dag_` with its tables as a BIF file that other packages read.

        Names have letters, digits and underscores only. `lsbn.load_network` restores the original
        names; pgmpy, pyAgrum and others see the safe ones.

        Parameters
        ----------
        path : str or path
            A file whose name ends in ``.bif`` or ``.bif.gz``.
        """
        self.answers_.to_network().write_bif(path, portable=True)

    def to_xmlbif(self, path: str | os.PathLike[str]) -> None:
        """Write `dag_` with its tables as XMLBIF, with the names of `to_bif`.

        Parameters
        ----------
        path : str or path
            A file whose name ends in ``.xmlbif``, ``.bifxml`` (for pyAgrum) or ``.xml``.
        """
        write_network(self.answers_.to_network(), path, "xmlbif")

    def to_net(self, path: str | os.PathLike[str]) -> None:
        """Write `dag_` with its tables as NET, the format of Hugin; labels are original names.

        Parameters
        ----------
        path : str or path
            A file whose name ends in ``.net``.
        """
        write_network(self.answers_.to_network(), path, "net")
