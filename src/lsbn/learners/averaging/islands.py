"""Parents that have an effect only beside others, across the borders of parts.

Such a parent may depend on no other variable by pairs, so nothing says to which part it belongs. It
is left alone, or in an island of few variables. In a pedigree, for example, a selector says which
of two genes a child gets. It depends neither on these genes nor on the child's gene.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components

from lsbn.checkpoint import PLAIN
from lsbn.kernels.lookup import Lookup
from lsbn.kernels.scores import extension_scores, family_score, n_parameters
from lsbn.learners.averaging.parent_sets import ScoredSets
from lsbn.learners.averaging.search import ParentSetSearch
from lsbn.learners.averaging.searches import STAND_INS
from lsbn.learners.scoring import columns_of
from lsbn.parallel import run

__all__ = ["best_graph", "further_parents", "islands", "regions_around"]

_ISLAND = 16
"""Most variables of an island.

In a quilt of 2,728 variables the islands have 1, 2 or 9 variables, and the next larger component of
the best graph has 73."""
_LEAST_PARENTS = 2
"""Further parents are tried beside parent sets of at least this size."""
_TRIED = 4
"""Most such sets without one member of the best set. With 1 in place of 4, pairs of siblings hid
half of the weak selectors of link: the sets with both genes of a parent were not tried."""
_CHUNK = 64
"""Variables whose best sets are extended in one piece of work."""


def best_graph(search: ParentSetSearch, keys: np.ndarray) -> sparse.csr_array:
    """Return the best graph of an order: row v has the parents of v."""
    start, parents = search.best_parents(keys)
    return sparse.csr_array((np.ones(len(parents)), parents, start), shape=(len(keys), len(keys)))


def islands(graph: sparse.csr_array) -> np.ndarray:
    """Return the variables in small components of a graph, ascending."""
    sizes, part = _components(graph)
    return np.flatnonzero(sizes[part] <= _ISLAND)


def further_parents(
    search: ParentSetSearch,
    keys: np.ndarray,
    pools: Sequence[np.ndarray],
    children: np.ndarray,
    others: np.ndarray,
) -> np.ndarray:
    """Find parents that have an effect only beside others.

    They are scored beside the parent sets of `good_sets`: first by tables, which takes a
    microsecond, then by the score of the search. The time is proportional to the product of the
    numbers of children and others.

    Parameters
    ----------
    search : ParentSetSearch
    keys : float array
        The best order so far.
    pools : sequence of int arrays
        Candidate parents of each variable, which were searched before.
    children, others : int arrays
        Parents of ``children`` are searched among the ``others``.

    Returns
    -------
    (k, 2) int array
        Parents and children. Each parent is outside the pool of its child, and raises the score
        of the child's best set in the order.
    """
    kind = STAND_INS[0] if search.score.kind == "mixed" else search.score.kind
    tables = replace(search.score, kind=kind)

    def look(variables: Sequence[int]) -> list[tuple[int, int]]:
        """Return the pairs of some children."""
        found = []
        with tables.lent_lookup() as lookup, search.score.lent_lookup() as last:
            for v in variables:
                sets = good_sets(search._sets[v], keys, search.settings.delta)
                tried = [own for own in sets if _LEAST_PARENTS <= len(own) < search.rules.most(v)]
                if tried:
                    free = search._parents_of(v, np.setdiff1d(others, pools[v]))
                    rows = _raised(search, lookup, v, sets, tried, free)
                    scores = search._score(v, [row for _, row in rows], last)[2]
                    best = search._sets[v].scores[search._sets[v].best_row(keys)]
                    found += [(u, v) for (u, _), own in zip(rows, scores, strict=True) if own > best]
        return found

    chunks = np.split(children, np.arange(_CHUNK, len(children), _CHUNK))
    work = [chunk.tolist() for chunk in chunks] if len(others) else []
    found = {pair for pairs in run(look, work, search.n_jobs, PLAIN) for pair in pairs}
    return np.array(sorted(found), np.int64).reshape(-1, 2)


def good_sets(sets: ScoredSets, keys: np.ndarray, delta: float) -> list[np.ndarray]:
    """Return the best parent set in an order, and the best ones without one of its members.

    The latter have two parents at least, and scores that are lower by ``delta`` at most. A
    member may stand for two variables that determine it, beside which a further parent shows.
    """
    rows = np.flatnonzero(sets.preceding(keys))
    rows = rows[np.argsort(-sets.scores[rows], kind="stable")]
    rows = rows[sets.scores[rows] >= sets.scores[rows[0]] - delta]
    members = sets.members[rows]
    large = (members >= 0).sum(axis=1) >= _LEAST_PARENTS
    chosen = {0}
    for u in members[0][members[0] >= 0].tolist():
        without = np.flatnonzero(large & (members != u).all(axis=1))
        chosen.update(without[:_TRIED].tolist())
    return [members[row][members[row] >= 0].astype(np.int64) for row in sorted(chosen)]


def _raised(
    search: ParentSetSearch,
    lookup: Lookup,
    v: int,
    sets: Sequence[np.ndarray],
    tried: Sequence[np.ndarray],
    others: np.ndarray,
) -> list[tuple[int, list[int]]]:
    """Extend sets by one of the others each; return those near the best set, by tables.

    Each result has the further parent and the members of the extended set, ascending.
    """
    columns, cards = columns_of(search.dataset), search.dataset.cards
    prior = search.rules.sizes(v, search.penalty)
    best = max(family_score(columns, lookup, v, own) + prior[len(own)] for own in sets)
    rows = []
    for own in tried:
        room = search.dataset.n_rows // n_parameters(columns.offsets, v, own)
        free = others[cards[others] <= room]
        scores = extension_scores(columns, lookup, v, own, free) + prior[len(own) + 1]
        near = free[scores > best - search.settings.agreement].tolist()
        rows += [(u, sorted([*own.tolist(), u])) for u in near if u not in own]
    return rows


def regions_around(graph: sparse.csr_array, pairs: np.ndarray, most: int) -> list[np.ndarray]:
    """Return the variables within two edges of some pairs, in connected regions.

    Parameters
    ----------
    graph : (n, n) sparse array
    pairs : (k, 2) int array
        Further edges.
    most : int
        Most variables of a region. A larger one is cut, in the order of a walk in breadth first.

    Returns
    -------
    list of int arrays
        Disjoint regions, each ascending.

    Examples
    --------
    A chain 0 - 1 - 2 - 3 - 4, a pair that joins 5 and 4, and a variable alone:

    >>> chain = sparse.csr_array((np.ones(4), ([1, 2, 3, 4], [0, 1, 2, 3])), shape=(7, 7))
    >>> [region.tolist() for region in regions_around(chain, np.array([[5, 4]]), most=10)]
    [[2, 3, 4, 5]]
    >>> [region.tolist() for region in regions_around(chain, np.array([[5, 4]]), most=2)]
    [[2, 3], [4, 5]]
    """
    n = graph.shape[0]
    more = sparse.csr_array((np.ones(len(pairs)), pairs.T), shape=(n, n))
    links = sparse.csr_array(graph + graph.T)
    start = np.bincount(pairs.ravel(), minlength=n)
    near = links @ start
    inside = np.flatnonzero(start + near + links @ near)
    joined = sparse.csr_array((links + more + more.T)[inside][:, inside])
    sizes, part = _components(joined)
    regions = []
    for first in np.unique(part, return_index=True)[1].tolist():
        walk = inside[breadth_first_order(joined, first, return_predecessors=False)]
        regions += [np.sort(walk[a : a + most]) for a in range(0, len(walk), most)]
    return regions


def _components(graph: sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
    """Return the sizes of the connected components, and the component of each variable."""
    n, part = connected_components(graph, directed=False)
    return np.bincount(part, minlength=n), part
