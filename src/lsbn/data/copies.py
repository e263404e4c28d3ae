"""Copies: columns that repeat another column, perhaps under other state names.

Data cannot tell a variable from its exact copy. Exchange the two in any graph: the score stays the
same, so a sampler finds one of the two graphs by chance. Equal columns form a group. The network is
learned with one column of each group, the first one by name. There are two ways to report it:

join
    All columns are variables of the result. The first column of the group by name has the edges of
    the group. Each other column is joined to it by an edge.
group
    The group is one variable of the result. Its name consists of the names of its columns, such as
    ``dry = wet``. It has the edges of the group.

Both depend on the names of the columns only, never on their order in the table.

In a table with missing values that are inferred, columns are equal if they agree in every row that
has both values. Then a value that is missing in one of them is taken from another, see
`lsbn.data.overlaps`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from scipy import sparse

from lsbn.data.columns import listing
from lsbn.data.dataset import Dataset
from lsbn.data.overlaps import joined_columns, surprise
from lsbn.graph import EdgeProbabilities
from lsbn.graph.sampled import SampledGraphs
from lsbn.kernels.counts import first_seen

__all__ = ["FOLDS", "Folded", "fold_copies", "group_copies", "grouped_dataset"]

LEAST_SURPRISE = 10.0
"""Equal columns are copies if they are equal by chance with a probability below exp(-10)."""
UNFOLDING_SEED = 0
"""Seed of the roots among copies, in networks that are drawn by another seed."""
LONGEST_NAME = 8
"""The name of a group has the names of at most this many columns, and the number of the others."""


@dataclass(frozen=True, eq=False)
class Folded:
    """A dataset without its copies, and the way back to the variables of the result.

    Attributes
    ----------
    whole : Dataset
        All variables of the result. If it has gaps, those that a copy can fill are filled.
    originals : numpy.ndarray of int, shape (n,)
        The original of each variable. A variable that is no copy is its own original.
    groups : mapping of str to tuple of str
        For each variable of `whole` that stands for a group: its columns, sorted by name.
    unfilled : Dataset, optional
        The columns of the table with all their gaps, if there are copies among columns with gaps.
    """

    whole: Dataset
    originals: np.ndarray
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unfilled: Dataset | None = None

    @classmethod
    def nothing(cls, dataset: Dataset) -> Folded:
        """Keep every column."""
        return cls(dataset, np.arange(dataset.n_variables))

    @cached_property
    def kept(self) -> np.ndarray:
        """Columns that are no copies, sorted by name, so that their order does not matter."""
        return self._by_name(self.originals == np.arange(len(self.originals)))

    @cached_property
    def repeated(self) -> np.ndarray:
        """Columns that are copies, sorted by name."""
        return self._by_name(self.originals != np.arange(len(self.originals)))

    def _by_name(self, chosen: np.ndarray) -> np.ndarray:
        """Return the places where `chosen` is true, sorted by the names of the columns."""
        places = np.flatnonzero(chosen).tolist()
        return np.array(sorted(places, key=self.whole.names.__getitem__), np.int64)

    @cached_property
    def dataset(self) -> Dataset:
        """The dataset without copies, columns sorted by name."""
        if np.array_equal(self.kept, np.arange(self.whole.n_variables)):
            return self.whole
        return self.whole.select(self.kept)

    @property
    def table(self) -> Dataset:
        """The columns with all gaps of the table, or `whole` if no gap was filled."""
        return self.whole if self.unfilled is None else self.unfilled

    @property
    def copies(self) -> dict[str, str]:
        """The name of the original for the name of each copy."""
        names = self.whole.names
        return {names[v]: names[self.originals[v]] for v in self.repeated}

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence about the copies; empty if there are none."""
        filled = ""
        if self.unfilled is not None:
            filled = "; a value that is missing in one of the equal columns is taken from another"
        if self.groups:
            return (
                f"{len(self.groups):,} group(s) of equal columns: "
                f"{listing(map(repr, sorted(self.groups)))}; data cannot show on which "
                f"column of a group other variables depend, so each group is one variable{filled}",
            )
        if not self.copies:
            return ()
        pairs = listing(f"{copy!r} of {first!r}" for copy, first in self.copies.items())
        return (
            f"{len(self.copies):,} column(s) repeat another: {pairs}; data cannot show on which "
            "of the equal columns other variables depend, so the first one by name gets all the "
            f"edges, and the others are joined to it{filled}",
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

    def unfold_graphs(self, graphs: SampledGraphs | None) -> SampledGraphs | None:
        """Return sampled networks over all columns, with each copy joined to its original.

        In a network in which the original has no parents, one of the copies may be the root
        instead. It is drawn such that edges have the probabilities of `unfold_edges`.

        Parameters
        ----------
        graphs : SampledGraphs or None
            Over the kept columns, in the order of `kept`.

        Returns
        -------
        SampledGraphs or None
            Over the columns of `whole`.
        """
        if graphs is None:
            return None
        k, rng = len(graphs), np.random.default_rng(UNFOLDING_SEED)
        of_graph, ends = [graphs.of_graph], [(self.kept[graphs.parent], self.kept[graphs.child])]
        for first in np.unique(self.originals[self.repeated]):
            copies = self.repeated[self.originals[self.repeated] == first]
            into = graphs.of_graph[self.kept[graphs.child] == first]
            root = np.bincount(into, minlength=k) == 0
            upward = max(1 - len(into) / k, 0.0) / max(root.mean(), 1 / k)
            equal = np.append(first, copies)
            drawn = np.where(root & (rng.random(k) < upward), rng.choice(equal, k), first)
            for copy in copies:
                up = drawn == copy
                of_graph.append(np.arange(k))
                ends.append((np.where(up, copy, first), np.where(up, first, copy)))
        parent, child = (np.concatenate(part) for part in zip(*ends, strict=True))
        return SampledGraphs.sorted(
            self.whole.names,
            np.concatenate(of_graph),
            parent,
            child,
            graphs.chain,
            graphs.log_score,
        )

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


def fold_copies(
    dataset: Dataset, alike: Callable[[int, int], bool] = lambda original, copy: True
) -> Folded:
    """Find the columns that repeat another one, whose name is earlier in the alphabet.

    Two columns are equal if their states can be renamed such that they agree in every row. Columns
    with few rows, or with nearly as many states as rows, are often equal by chance. So equal
    columns count as copies only if a random order of the rows makes two columns of the same counts
    equal with a probability below exp(-10), over all columns. Constant columns are no copies.

    In a dataset with gaps only the rows count that have both values, and the probability is over
    all pairs of columns. These rows must have all states of both columns, and the columns that are
    joined to an original must agree with each other: see `lsbn.data.overlaps`.

    Parameters
    ----------
    dataset : Dataset
    alike : callable, optional
        Says of an original and its copy, by their places, whether they may be joined.

    Returns
    -------
    Folded

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"wet": [0, 1] * 20, "dry": ["yes", "no"] * 20})
    >>> fold_copies(Dataset.from_table(table)).copies
    {'wet': 'dry'}
    """
    n = dataset.n_variables
    if dataset.gaps is not None:
        least = LEAST_SURPRISE + np.log(max(n * (n - 1) / 2, 1))
        originals, filled = joined_columns(dataset, least, alike)
        return Folded(filled, originals, unfilled=None if filled is dataset else dataset)
    originals = np.arange(n)
    seen: dict[bytes, int] = {}
    least = LEAST_SURPRISE + np.log(max(n - 1, 1))
    for v in sorted(np.flatnonzero(dataset.cards > 1).tolist(), key=dataset.names.__getitem__):
        column = first_seen(dataset.planes, v, dataset.cards[v])
        first = seen.setdefault(hashlib.sha256(column).digest(), v)
        if first != v and surprise(np.bincount(column)) > least and alike(first, v):
            originals[v] = first
    return Folded(dataset, originals)


def group_copies(dataset: Dataset) -> Folded:
    """Make one variable of all columns that are copies of each other.

    Parameters
    ----------
    dataset : Dataset

    Returns
    -------
    Folded
        Its ``whole`` is the `grouped_dataset`.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"wet": [0, 1] * 20, "dry": ["yes", "no"] * 20, "day": range(40)})
    >>> folded = group_copies(Dataset.from_table(table))
    >>> folded.whole.names
    ('dry = wet', 'day')
    >>> folded.groups
    {'dry = wet': ('dry', 'wet')}
    """
    folded = fold_copies(dataset)
    columns: dict[str, list[str]] = {}
    for copy, original in folded.copies.items():
        columns.setdefault(original, [original]).append(copy)
    groups: dict[str, tuple[str, ...]] = {}
    taken = set(dataset.names)
    for _, members in sorted(columns.items()):
        name = _group_name(members)
        while name in taken:
            name = f"({name})"
        taken.add(name)
        groups[name] = tuple(members)
    whole = grouped_dataset(folded.whole, groups)
    return Folded(whole, np.arange(whole.n_variables), groups, folded.unfilled)


def _group_name(members: Sequence[str]) -> str:
    """Join the names of columns.

    >>> _group_name(["a", "b", "c"])
    'a = b = c'
    >>> _group_name([f"x{v}" for v in range(10)])
    'x0 = x1 = x2 = x3 = x4 = x5 = x6 = x7 and 2 more'
    """
    more = f" and {len(members) - LONGEST_NAME:,} more" if len(members) > LONGEST_NAME else ""
    return " = ".join(members[:LONGEST_NAME]) + more


def grouped_dataset(dataset: Dataset, groups: Mapping[str, Sequence[str]]) -> Dataset:
    """Replace the columns of each group by one variable.

    Parameters
    ----------
    dataset : Dataset
    groups : mapping of str to sequence of str
        The columns of each group by the name of the group.

    Returns
    -------
    Dataset
        A group has the codes and the states of its first column in `groups`. It has the place of
        the column of the group that stands first in `dataset`.
    """
    if not groups:
        return dataset
    group_of = {column: name for name, columns in groups.items() for column in columns}
    names = tuple(dict.fromkeys(group_of.get(name, name) for name in dataset.names))
    chosen = dataset.select(groups[name][0] if name in groups else name for name in names)
    return replace(chosen, names=names, notes=dataset.notes)


FOLDS: dict[str, Callable[[Dataset], Folded]] = {
    "join": fold_copies,
    "group": group_copies,
    "keep": Folded.nothing,
}
"""What can be done with copies: join them to their originals, group them, or keep all columns."""
