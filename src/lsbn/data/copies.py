"""Columns that repeat another one under other state names.

No data can tell a variable from its exact copy: every graph has a twin of the same score in which
the two have changed places. A sampler settles in one of them by chance. Here the first of such
columns in the table stands for all of them while the network is learned, and the others hang from
it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.special import gammaln

from lsbn.data import Dataset
from lsbn.data.ingest import listing
from lsbn.graph import EdgeProbabilities
from lsbn.kernels.counts import first_seen

__all__ = ["Folded", "fold_copies"]

SURE = 10.0
"""Minus log of the chance below which columns that are alike are copies."""


@dataclass(frozen=True, eq=False)
class Folded:
    """A dataset without its copies, and the way back.

    Attributes
    ----------
    whole : Dataset
    originals : (n,) int array
        The column that each one repeats: the first of its like, itself if it is no copy.
    """

    whole: Dataset
    originals: np.ndarray

    @classmethod
    def nothing(cls, dataset: Dataset) -> Folded:
        """Keep every column."""
        return cls(dataset, np.arange(dataset.n_variables))

    @cached_property
    def kept(self) -> np.ndarray:
        """Columns that are no copies, by name: the order of the columns must not matter."""
        kept = np.flatnonzero(self.originals == np.arange(len(self.originals)))
        return np.array(sorted(kept.tolist(), key=lambda v: self.whole.names[v]), np.int64)

    @cached_property
    def repeated(self) -> np.ndarray:
        """Columns that are."""
        return np.setdiff1d(np.arange(len(self.originals)), self.kept)

    @cached_property
    def dataset(self) -> Dataset:
        """The table without copies, columns by name."""
        if np.array_equal(self.kept, np.arange(self.whole.n_variables)):
            return self.whole
        return self.whole.select(self.kept)

    @property
    def copies(self) -> dict[str, str]:
        """Name of each copy and of its original."""
        names = self.whole.names
        return {names[v]: names[self.originals[v]] for v in self.repeated}

    @property
    def notes(self) -> tuple[str, ...]:
        """What there is to say about copies, in words."""
        if not self.copies:
            return ()
        pairs = listing(f"{copy!r} of {first!r}" for copy, first in self.copies.items())
        return (
            f"{len(self.copies):,} column(s) repeat another: {pairs}; no data can tell which of "
            "them others depend on, so the first in the table has all the edges",
        )

    def unfold_edges(self, edges: EdgeProbabilities) -> EdgeProbabilities:
        """Hang every copy from its original; among those without parents any may be the root.

        That an original has no parents has at least the probability that its incoming edges leave.
        """
        n = self.whole.n_variables
        found = edges.matrix.tocoo()
        incoming = np.bincount(self.kept[found.col], found.data, minlength=n)
        copies, firsts = self.repeated, self.originals[self.repeated]
        like = 1 + np.bincount(firsts, minlength=n)
        upward = (np.maximum(1.0 - incoming, 0.0) / like)[firsts]
        rows = np.concatenate([self.kept[found.row], firsts, copies])
        columns = np.concatenate([self.kept[found.col], copies, firsts])
        data = np.concatenate([found.data, 1.0 - upward, upward])
        matrix = sparse.csr_array((data, (rows, columns)), shape=(n, n))
        return EdgeProbabilities(matrix, self.whole.names)

    def unfold_communities(self, communities: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Put every copy into the communities of its original."""
        place = np.empty(self.whole.n_variables, np.int64)
        place[self.kept] = np.arange(len(self.kept))
        place = place[self.originals]
        order = np.argsort(place, kind="stable")
        alike = np.split(order, np.searchsorted(place[order], np.arange(1, len(self.kept))))
        return [np.sort(np.concatenate([alike[v] for v in c.tolist()])) for c in communities]


def fold_copies(dataset: Dataset) -> Folded:
    """Find the columns that repeat an earlier one.

    Two columns are alike if their states can be renamed such that they agree in every row. With few
    rows, or with a state of its own for nearly every row, that happens by chance: they count as
    copies only if a column with the same counts in another order of the rows would rarely be alike,
    with a chance below exp(-10) over all columns. Constant columns are no copies.

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
    least = SURE + np.log(max(n - 1, 1))
    for v in np.flatnonzero(dataset.cards > 1).tolist():
        column = first_seen(dataset.codes[v], dataset.cards[v])
        first = seen.setdefault(hashlib.sha256(column).digest(), v)
        if first < v and _surprise(np.bincount(column)) > least:
            originals[v] = first
    return Folded(dataset, originals)


def _surprise(counts: np.ndarray) -> float:
    """Log of the number of ways to part the rows into groups of these sizes.

    >>> round(float(np.exp(_surprise(np.array([2, 2])))))
    3
    """
    _, same = np.unique(counts, return_counts=True)
    return float(gammaln(counts.sum() + 1) - gammaln(counts + 1).sum() - gammaln(same + 1).sum())
