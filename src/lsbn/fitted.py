"""What a fitted estimator gives: pages, files, and networks of other packages."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import networkx as nx
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from lsbn.answers.answers import Answers
from lsbn.data import Dataset
from lsbn.framework.diagnostics import FitDiagnostics
from lsbn.graph import EdgeProbabilities
from lsbn.learners import Score
from lsbn.network import BayesianNetwork
from lsbn.network.convert import to_pgmpy, to_pyagrum

if TYPE_CHECKING:
    from lsbn.report import NetworkPage

__all__ = ["FittedNetwork"]


class FittedNetwork:
    """Methods of a fitted `lsbn.LSBN`."""

    threshold: float
    n_features_in_: int
    communities_: list[list[str]]
    dataset_: Dataset
    diagnostics_: FitDiagnostics
    edges_: EdgeProbabilities
    groups_: dict[str, tuple[str, ...]]
    dag_: nx.DiGraph
    _answers: Answers

    def plot(
        self, path: str | os.PathLike[str] | None = None, title: str | None = None
    ) -> NetworkPage | None:
        """Return an HTML page that shows the network, or write it; see `lsbn.report`.

        The page works offline. Colours show the communities. The strength of a line shows the
        probability of the edge. A notebook shows the page below the cell, also for ``model`` alone.

        Parameters
        ----------
        path : str or path, optional
            The file to write.
        title : str, optional
            Title of the page.

        Returns
        -------
        NetworkPage or None
            The page; None if it was written to a file.
        """
        page = self._page(title)
        if path is None:
            return page
        page.write(path)
        return None

    def _page(self, title: str | None = None) -> NetworkPage:
        check_is_fitted(self)
        summary = {
            "variables": self.n_features_in_,
            "rows": self.dataset_.n_rows,
            "seconds": self.diagnostics_.seconds,
            "diagnostics": replace(self.diagnostics_, seconds=None),
            "groups": self.groups_,
        }
        from lsbn.report import report_page  # slow to import, and only the page needs it

        return report_page(
            edges=self.edges_,
            communities=self.communities_,
            summary=summary,
            title=title,
            threshold=self.threshold,
            answers=self._answers,
        )

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Return what a notebook shows: the page; before fit, the parameters."""
        shown: dict[str, str] = BaseEstimator._repr_mimebundle_(self, **kwargs)
        if "text/html" in shown and hasattr(self, "edges_"):
            shown["text/html"] = self._page()._repr_html_()
        return shown

    def _repr_html_(self) -> str | None:
        """Return the HTML of `_repr_mimebundle_`; None if scikit-learn is set to show text."""
        return self._repr_mimebundle_().get("text/html")

    def to_networkx(self) -> nx.DiGraph:
        """Return the graph of all edges with a probability above 0; each direction is an edge."""
        check_is_fitted(self)
        return self.edges_.to_networkx()

    def to_network(self, ess: float | None = None) -> BayesianNetwork:
        """Return `dag_` with probability tables, estimated by posterior means.

        A group of copies is one variable of the network. Its states are those of the first column
        in ``groups_``.

        Parameters
        ----------
        ess : float, optional
            Equivalent sample size of the prior of the tables, as in BDeu. By default the tables
            are those that the score implies: under the mixed score, the average of tables and
            trees.

        Returns
        -------
        BayesianNetwork
            Its method ``write_bif`` writes a BIF file.
        """
        check_is_fitted(self)
        if ess is None:
            return self._answers.to_network()
        return self._answers.under(Score("bdeu", ess=ess)).to_network()

    def to_pgmpy(self) -> Any:
        """Return the network of `to_network` as a pgmpy network; pgmpy must be installed."""
        return to_pgmpy(self.to_network())

    def to_pyagrum(self) -> Any:
        """Return the network of `to_network` as a pyAgrum network; pyAgrum must be installed."""
        return to_pyagrum(self.to_network())

    def to_graphml(self, path: str | os.PathLike[str]) -> None:
        """Write `dag_` to a GraphML file."""
        check_is_fitted(self)
        self.edges_.to_graphml(path, self.threshold)

    def to_csv(self, path: str | os.PathLike[str], minimum: float = 0.01) -> None:
        """Write the edges as ``source,target,probability``, the most probable edge first.

        Parameters
        ----------
        path : str or path
            The file to write.
        minimum : float
            Smallest probability of an edge in the file.
        """
        check_is_fitted(self)
        self.edges_.to_csv(path, minimum)
