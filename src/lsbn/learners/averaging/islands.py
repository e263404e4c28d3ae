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
from lsbn.kernels.scores import extension_scores, family_score, n_parameters
from lsbn.learners.averaging.search import ParentSetSearch
from lsbn.learners.averaging.searches import STAND_INS
from lsbn.learners.scoring import columns_of
from lsbn.parallel import run

__all__ = ["best_graph", "island_parents", "regions_around"]

_ISLAND = 16
"""Most variables of an island.

In a quilt of 2,728 variables the islands have 1, 2 or 9 variables, and the next larger component of
the best graph has 73."""
_LEAST_PARENTS = 2
"""Variables of islands are tried beside the parents of a variable that has at least this many."""
_CHUNK = 64
"""Variables whose best sets are extended in one piece of work."""


def best_graph(search: ParentSetSearch, keys: np.ndarray) -> sparse.csr_array:
    """Return the best graph of an order: row v has the parents of v."""
    start, parents = search.best_parents(keys)
    return sparse.csr_array((np.ones(len(parents)), parents, start), shape=(len(keys), len(keys)))


def island_parents(
    search: ParentSetSearch, graph: sparse.csr_array, pools: Sequence[np.ndarray]
) -> np.ndarray:
    """Find variables of islands that raise the score of the parents of another variable.

    An island is a component of the graph with few variables. Its variables are scored as a further
    parent of each variable outside with at least two parents, by tables and with the prior of
    one more edge. The time is proportional to the product of the two numbers of variables.

    Parameters
    ----------
    search : ParentSetSearch
    graph : (n, n) sparse array
        The best graph so far: row v has the parents of v.
    pools : sequence of int arrays
        Candidate parents of each variable, which were searched before.

    Returns
    -------
    (k, 2) int array
        Parents and children, with a positive gain, and not in the pools.
    """
    sizes, part = _components(graph)
    loose = np.flatnonzero(sizes[part] <= _ISLAND)
    kind = STAND_INS[0] if search.score.kind == "mixed" else search.score.kind
    score, columns = replace(search.score, kind=kind), columns_of(search.dataset)
    prior, cards = np.diff(score.penalty(search.n_all, search.depth)), search.dataset.cards

    def look(variables: Sequence[int]) -> list[tuple[int, int]]:
        """Return the parents that are found for some variables."""
        pairs = []
        with score.lent_lookup() as lookup:
            for v in variables:
                parents = np.sort(graph.indices[graph.indptr[v] : graph.indptr[v + 1]])
                parents = parents.astype(np.int64)
                room = search.dataset.n_rows // n_parameters(columns.offsets, v, parents)
                others = loose[(cards[loose] <= room) & (part[loose] != part[v])]
                others = search._parents_of(v, np.setdiff1d(others, pools[v]))
                gains = extension_scores(columns, lookup, v, parents, others)
                gains += prior[len(parents)] - family_score(columns, lookup, v, parents)
                pairs += [(u, v) for u in others[gains > 0].tolist()]
        return pairs

    n_parents = np.diff(graph.indptr)
    children = [
        v
        for v in np.flatnonzero(n_parents >= _LEAST_PARENTS).tolist()
        if n_parents[v] < search.rules.most(v)
    ]
    chunks = [children[a : a + _CHUNK] for a in range(0, len(children), _CHUNK)]
    found = run(look, chunks if len(loose) else [], search.n_jobs, PLAIN)
    return np.array([pair for pairs in found for pair in pairs], np.int64).reshape(-1, 2)


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
