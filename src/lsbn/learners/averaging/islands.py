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
from lsbn.learners.averaging.parent_sets import LAST_ADMITTED, ScoredSets
from lsbn.learners.averaging.search import ParentSetSearch
from lsbn.learners.averaging.searches import STAND_INS
from lsbn.learners.scoring import columns_of
from lsbn.parallel import run

__all__ = ["add_further_parents", "blankets", "islands", "regions_around"]

_ISLAND = 16
"""Most variables of an island.

In a quilt of 2,728 variables the islands have 1, 2 or 9 variables, and the next larger component of
the best graph has 73."""
_REGION = 1024
"""Most variables of a region: a network of this size is searched at once."""
_LEAST_PARENTS = 2
"""Further parents are tried beside parent sets of at least this size."""
_TRIED = 4
"""Most such sets without one member of the best set. With 1 in place of 4, pairs of siblings hid
some weak selectors of link: the set of both genes of a parent was not tried."""
_CHUNK = 64
"""Variables whose sets are extended in one piece of work."""


def blankets(graph: sparse.csr_array) -> sparse.csr_array:
    """Return a matrix with an entry for each variable in the Markov blanket of another.

    Examples
    --------
    Variable 2 has the parents 0 and 1:

    >>> graph = sparse.csr_array((np.ones(2), ([2, 2], [0, 1])), shape=(4, 4))
    >>> blankets(graph).toarray().astype(int).tolist()
    [[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 0], [0, 0, 0, 0]]
    """
    near = sparse.csr_array(graph + graph.T + graph.T @ graph > 0)
    near.setdiag(0)
    near.eliminate_zeros()
    return near


def islands(graph: sparse.csr_array) -> np.ndarray:
    """Return the variables in small components of a graph, ascending.

    Examples
    --------
    >>> chain = sparse.csr_array((np.ones(19), (np.arange(1, 20), np.arange(19))), shape=(22, 22))
    >>> islands(chain)
    array([20, 21])
    """
    _, part = connected_components(graph, directed=False)
    return np.flatnonzero(np.bincount(part)[part] <= _ISLAND)


def add_further_parents(
    search: ParentSetSearch,
    keys: np.ndarray,
    pools: Sequence[np.ndarray],
    children: np.ndarray,
    others: np.ndarray,
) -> np.ndarray:
    """Find parents that have an effect only beside others, and add their sets to a search.

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
        Parents and children. Each parent is outside the pool of its child. Beside one of the
        good sets it gives a higher score than that of the child's best set in the order.
    """
    kind = STAND_INS[0] if search.score.kind == "mixed" else search.score.kind
    tables = replace(search.score, kind=kind)

    def look(variables: Sequence[int]) -> list[tuple[int, list[int], list[list[int]]]]:
        """Return children, further parents, and the sets with them, by tables."""
        with tables.lent_lookup() as lookup:
            return [(v, *_raised(search, lookup, v, keys, outside(v))) for v in variables]

    def outside(v: int) -> np.ndarray:
        """Return the possible parents outside a pool."""
        return search._parents_of(v, np.setdiff1d(others, pools[v]))

    chunks = [children[a : a + _CHUNK].tolist() for a in range(0, len(children), _CHUNK)]
    looks = run(look, chunks if len(others) else [], search.n_jobs, PLAIN)
    raised = [item for items in looks for item in items if item[1]]
    scored = search._each(search._score, [(v, rows) for v, _, rows in raised])
    pairs: set[tuple[int, int]] = set()
    for (v, parents, _), (_, members, scores) in zip(raised, scored, strict=True):
        sets = search._sets[v]
        better = scores > sets.scores[sets.best_row(keys)]
        search._sets[v] = sets.extended(members[better], scores[better], LAST_ADMITTED)
        pairs.update((parents[row], v) for row in np.flatnonzero(better).tolist())
    return np.array(sorted(pairs), np.int64).reshape(-1, 2)


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
    search: ParentSetSearch, lookup: Lookup, v: int, keys: np.ndarray, others: np.ndarray
) -> tuple[list[int], list[list[int]]]:
    """Extend good sets by one of the others each, and find those near the best set by tables.

    Returns the further parents and the extended sets.
    """
    columns, cards = columns_of(search.dataset), search.dataset.cards
    prior, most = search.rules.sizes(v, search.penalty), search.rules.most(v)
    sets = good_sets(search._sets[v], keys, search.settings.delta)
    told = [search.rules.edge_priors(v, own, search.score).sum() for own in sets]
    best = max(
        family_score(columns, lookup, v, own) + prior[len(own)] + more
        for own, more in zip(sets, told, strict=True)
    )
    parents: list[int] = []
    rows = []
    for own, more in zip(sets, told, strict=True):
        if not _LEAST_PARENTS <= len(own) < most:
            continue
        room = search.dataset.n_rows // n_parameters(columns.offsets, v, own)
        free = np.setdiff1d(others[cards[others] <= room], own)
        scores = extension_scores(columns, lookup, v, own, free) + prior[len(own) + 1] + more
        scores += search.rules.edge_priors(v, free, search.score)
        near = free[scores > best - search.settings.agreement].tolist()
        parents += near
        rows += [sorted([*own.tolist(), u]) for u in near]
    return parents, rows


def regions_around(
    graph: sparse.csr_array, pairs: np.ndarray, most: int = _REGION
) -> list[np.ndarray]:
    """Return the variables within two edges of some pairs, in connected regions.

    Parameters
    ----------
    graph : (n, n) sparse array
    pairs : (k, 2) int array
        Further edges.
    most : int
        Most variables of a region. A larger one is cut, in breadth-first order.

    Returns
    -------
    list of int arrays
        Disjoint regions, each ascending.

    Examples
    --------
    A chain 0 - 1 - 2 - 3 - 4, a pair that joins 5 and 4, and a variable alone:

    >>> chain = sparse.csr_array((np.ones(4), ([1, 2, 3, 4], [0, 1, 2, 3])), shape=(7, 7))
    >>> [region.tolist() for region in regions_around(chain, np.array([[5, 4]]))]
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
    _, part = connected_components(joined, directed=False)
    regions = []
    for first in np.unique(part, return_index=True)[1].tolist():
        walk = inside[breadth_first_order(joined, first, return_predecessors=False)]
        regions += [np.sort(walk[a : a + most]) for a in range(0, len(walk), most)]
    return regions
