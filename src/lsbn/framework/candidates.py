"""Candidates of the last pass, from the results of all stages before it.

A variable outside a community can influence edges inside. Therefore the last pass runs the learner
over all variables. With many variables, a search among all pairs takes too long. The last pass then
searches among the candidates: pairs that communities, Markov blankets, weights or Mergence propose.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from lsbn.framework.subcommunities import expanded_community
from lsbn.learners import Candidates
from lsbn.learners.averaging import SearchSettings
from lsbn.pairs import PairStatistics

__all__ = ["candidate_pools", "find_candidates"]

LEAST_PROBABILITY = 0.01
"""A pair that Mergence joined with a greater probability is a candidate."""
_EXPANDED = SearchSettings.max_unrestricted
"""With more variables than this, expanded communities are too large to be candidates."""
_PARTNERS = 16
"""The heaviest partners of a variable, by mutual information, are candidates."""
_JOINED = 0.5
"""Mergence joined a pair if P(i -> j) + P(j -> i) exceeds this."""


def find_candidates(
    pairs: PairStatistics,
    communities: Sequence[np.ndarray],
    blankets: Sequence[np.ndarray],
    proposed: sparse.csr_array,
) -> Candidates:
    """Collect the candidates of the last pass.

    Parameters
    ----------
    pairs : PairStatistics
        Statistics of the dataset.
    communities : sequence of int arrays
        The second-order partition.
    blankets : sequence of int arrays
        The Markov blanket of each variable.
    proposed : (n, n) sparse array
        Edge probabilities after Mergence.

    Returns
    -------
    Candidates
        The pools of `candidate_pools`, the blankets, and the pairs that Mergence joined.
    """
    partners = pairs.heaviest(["MI"], most=_PARTNERS)
    expanded = pairs.dataset.n_variables <= _EXPANDED
    pools = candidate_pools(communities, blankets, partners, proposed, expanded=expanded)
    joined = np.stack(sparse.triu(proposed + proposed.T > _JOINED, 1).nonzero(), axis=1)
    return Candidates(pools, blankets, joined.astype(np.int64))


def candidate_pools(
    communities: Sequence[np.ndarray],
    blankets: Sequence[np.ndarray],
    partners: Sequence[np.ndarray],
    proposed: Any,
    *,
    expanded: bool = True,
) -> list[np.ndarray]:
    """Return the candidate neighbours of each variable.

    The pool of a variable is the union of the four sources below.

    Parameters
    ----------
    communities : sequence of int arrays
        First source: all members of every community that contains the variable.
    blankets : sequence of int arrays
        Second source: the Markov blanket of the variable.
    partners : sequence of int arrays
        Third source: the heaviest partners of the variable. If a few strong edges raise the mean
        weight of a variable, then its blanket was searched among too few candidates.
    proposed : sparse array
        Fourth source: edge probabilities after Mergence. The pool of v contains each u with
        P(u -> v) + P(v -> u) > 0.01.
    expanded : bool
        Take expanded communities instead of communities. The size of expanded communities grows
        with the number of variables. If False, then the blankets of the blanket's members replace
        the expansion.

    Returns
    -------
    list of int arrays
        The pool of each variable, ascending.

    Examples
    --------
    Variables 0 and 1 are in one community. Mergence joined 1 and 2:

    >>> none = [np.array([], int)] * 3
    >>> proposed = sparse.csr_array(([0.3], ([1], [2])), shape=(3, 3))
    >>> pools = candidate_pools([np.array([0, 1]), np.array([2])], none, none, proposed)
    >>> [pool.tolist() for pool in pools]
    [[1], [0, 2], [1]]
    """
    pools: list[set[int]] = [
        {*b.tolist(), *p.tolist()} for b, p in zip(blankets, partners, strict=True)
    ]
    for community in communities:
        source = expanded_community(community, blankets) if expanded else community
        members = set(source.tolist())
        for v in members:
            pools[v] |= members
    for v, blanket in enumerate(() if expanded else blankets):
        pools[v].update(u for w in blanket.tolist() for u in blankets[w].tolist())
    joined = (proposed + proposed.T).tocoo()
    for u, v, p in zip(joined.row.tolist(), joined.col.tolist(), joined.data.tolist(), strict=True):
        if p > LEAST_PROBABILITY:
            pools[u].add(v)
    return [np.array(sorted(pool - {v}), np.int64) for v, pool in enumerate(pools)]
