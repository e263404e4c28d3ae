"""Candidates: where the last pass looks, from all that the stages before it found.

A community cannot see all that bears on its edges, so the learner runs once more over all
variables. Where looking everywhere is too much, the communities have said where to look.
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
_EXPANDED = SearchSettings.max_unrestricted
"""With more variables than this, expanded communities are too large to be candidates."""
_PARTNERS = 16
_JOINED = 0.5


def find_candidates(
    pairs: PairStatistics,
    communities: Sequence[np.ndarray],
    blankets: Sequence[np.ndarray],
    proposed: sparse.csr_array,
) -> Candidates:
    """Gather the candidates of the last pass.

    Parameters
    ----------
    pairs : PairStatistics
    communities, blankets : sequences of int arrays
    proposed : (n, n) sparse array
        Edge probabilities after Mergence.

    Returns
    -------
    Candidates
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
    """Where to look for the neighbours of each variable.

    Parameters
    ----------
    communities : sequence of int arrays
        All members of the communities that hold a variable are in its pool.
    blankets, partners : sequences of int arrays
        So are its Markov blanket and some of its heaviest partners: where a few strong relations
        raise the mean weight, the blankets were looked for among too few.
    proposed : sparse array
        And the variables that Mergence joined to it with a probability above 0.01.
    expanded : bool
        Whether it is the expanded communities that count. Their members grow with the number of
        variables. Otherwise the blankets of a blanket's members stand in for them.

    Returns
    -------
    list of int arrays
        Ascending, for each variable.
    """
    near: list[set[int]] = [
        {*b.tolist(), *p.tolist()} for b, p in zip(blankets, partners, strict=True)
    ]
    for community in communities:
        wide = expanded_community(community, blankets) if expanded else community
        members = set(wide.tolist())
        for v in members:
            near[v] |= members
    for v, blanket in enumerate(() if expanded else blankets):
        near[v].update(u for w in blanket.tolist() for u in blankets[w].tolist())
    both = (proposed + proposed.T).tocoo()
    for u, v, p in zip(both.row.tolist(), both.col.tolist(), both.data.tolist(), strict=True):
        if p > LEAST_PROBABILITY:
            near[u].add(v)
    return [np.array(sorted(some - {v}), np.int64) for v, some in enumerate(near)]
