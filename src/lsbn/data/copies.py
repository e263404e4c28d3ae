"""Copies: columns that repeat another column, perhaps under other state names.

Data cannot tell a variable from its exact copy. Exchange the two in any graph: the score stays the
same, so a sampler finds one of the two graphs by chance. Therefore the network is learned without
copies. Of all equal columns, only the first one in the table is kept. Afterwards each copy is
joined to its original.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.special import gammaln

from lsbn.data.columns import listing
from lsbn.data.dataset import Dataset
from lsbn.graph import EdgeProbabilities
from lsbn.kernels.counts import first_seen

__all__ = ["Folded", "fold_copies"]

LEAST_SURPRISE = 10.0
"""Equal columns are copies if they are equal by chance with a probability below exp(-10)."""


@dataclass(frozen=True, eq=False)
class Folded:
    """A dataset without its copies, and the way back to all columns.

    Attributes
    ----------
    whole : Dataset
        All columns.
    originals : numpy.ndarray of int, shape (n,)
        The original of each column. A column that is no copy is its own original.
    """

    whole: Dataset
    originals: np.ndarray

    @classmethod
    def nothing(cls, dataset: Dataset) -> Folded:
        """Keep every column."""
        return cls(dataset, np.arange(dataset.n_variables))

    @cached_property
    def kept(self) -> np.ndarray:
        """Columns that are no copies, sorted by name, so that their order does not matter."""
        kept = np.flatnonzero(self.originals == np.arange(len(self.originals)))
        return np.array(sorted(kept.tolist(), key=lambda v: self.whole.names[v]), np.int64)

    @cached_property
    def repeated(self) -> np.ndarray:
        """Columns that are copies."""
        return np.setdiff1d(np.arange(len(self.originals)), self.kept)

    @cached_property
    def dataset(self) -> Dataset:
        """The dataset without copies, columns sorted by name."""
        if np.array_equal(self.kept, np.arange(self.whole.n_variables)):
            return self.whole
        return self.whole.select(self.kept)

    @property
    def copies(self) -> dict[str, str]:
        """The name of the original for the name of each copy."""
        names = self.whole.names
        return {names[v]: names[self.originals[v]] for v in self.repeated}

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence about the copies; empty if there are none."""
        if not self.copies:
            return ()
        pairs = listing(f"{copy!r} of {first!r}" for copy, first in self.copies.items())
        return (
            f"{len(self.copies):,} column(s) repeat another: {pairs}; data cannot show on which "
            "of the equal columns other variables depend, so the first one gets all the edges",
        )

    def unfold_edges(self, edges: EdgeProbabilities) -> EdgeProbabilities:
        """Return the edge probabilities over all columns, with each copy joined to its original.

        Parameters
        ----------
        edges : EdgeProbabilities
            Over the kept columns, in the order of `kept`.

        Returns
        -------
        EdgeProbabilities
            Over the columns of `whole`.

        Notes
        -----
        If an original has no parents, then it and its k copies are equally good as the root. Let s
        be the sum of the probabilities of the edges into the original. The original has no parents
        with a probability of at least 1 - s. So the edge from a copy to its original has the
        probability max(1 - s, 0) / (k + 1), and the edge from the original to the copy has the
        rest.
        """
        n = self.whole.n_variables
        kept = edges.matrix.tocoo()
        incoming = np.bincount(self.kept[kept.col], kept.data, minlength=n)
        copies, firsts = self.repeated, self.originals[self.repeated]
        n_equal = 1 + np.bincount(firsts, minlength=n)
        upward = (np.maximum(1.0 - incoming, 0.0) / n_equal)[firsts]
        rows = np.concatenate([self.kept[kept.row], firsts, copies])
        columns = np.concatenate([self.kept[kept.col], copies, firsts])
        data = np.concatenate([kept.data, 1.0 - upward, upward])
        matrix = sparse.csr_array((data, (rows, columns)), shape=(n, n))
        return EdgeProbabilities(matrix, self.whole.names)

    def unfold_communities(self, communities: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Put every copy into the communities of its original.

        Parameters
        ----------
        communities : sequence of numpy.ndarray of int
            Places of the kept columns in `kept`.

        Returns
        -------
        list of numpy.ndarray of int
            Columns of `whole`, sorted.
        """
        place = np.empty(self.whole.n_variables, np.int64)
        place[self.kept] = np.arange(len(self.kept))
        place = place[self.originals]
        order = np.argsort(place, kind="stable")
        equal = np.split(order, np.searchsorted(place[order], np.arange(1, len(self.kept))))
        return [np.sort(np.concatenate([equal[v] for v in c.tolist()])) for c in communities]


def fold_copies(dataset: Dataset) -> Folded:
    """Find the columns that repeat an earlier one.

    Two columns are equal if their states can be renamed such that they agree in every row. Columns
    with few rows, or with nearly as many states as rows, are often equal by chance. So equal
    columns count as copies only if a random order of the rows makes two columns of the same counts
    equal with a probability below exp(-10), over all columns. Constant columns are no copies.

    Parameters
    ----------
    dataset : Dataset

    Returns
    -------
    Folded

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"wet": [0, 1] * 20, "dry": ["yes", "no"] * 20})
    >>> fold_copies(Dataset.from_table(table)).copies
    {'dry': 'wet'}
    """
    n = dataset.n_variables
    originals = np.arange(n)
    seen: dict[bytes, int] = {}
    least = LEAST_SURPRISE + np.log(max(n - 1, 1))
    for v in np.flatnonzero(dataset.cards > 1).tolist():
        column = first_seen(dataset.codes[v], dataset.cards[v])
        first = seen.setdefault(hashlib.sha256(column).digest(), v)
        if first < v and _surprise(np.bincount(column)) > least:
            originals[v] = first
    return Folded(dataset, originals)


def _surprise(counts: np.ndarray) -> float:
    """Return the log of the number of ways to divide the rows into groups of these sizes.

    >>> round(float(np.exp(_surprise(np.array([2, 2])))))
    3
    """
    _, same = np.unique(counts, return_counts=True)
    return float(gammaln(counts.sum() + 1) - gammaln(counts + 1).sum() - gammaln(same + 1).sum())
