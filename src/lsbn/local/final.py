"""The last pass: the learner once more, over all variables, within what communities proposed.

A community cannot see all that bears on its edges; the whole can, once the communities have said
where to look.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lsbn.data import Dataset
from lsbn.learners import Learned, learn_model_averaging
from lsbn.local.subcommunities import expanded_community
from lsbn.parallel import threads

__all__ = ["candidate_pools", "final_pass"]

LEAST_PROBABILITY = 0.01


def candidate_pools(
    communities: Sequence[np.ndarray], blankets: Sequence[np.ndarray], proposed: Any
) -> list[np.ndarray]:
    """Where to look for the parents of each variable at first.

    All members of the expanded communities that hold it, its Markov blanket, and the variables
    that Mergence joined to it with a probability above 0.01.
    """
    near: list[set[int]] = [set(map(int, b)) for b in blankets]
    for community in communities:
        members = set(expanded_community(community, blankets).tolist())
        for v in members:
            near[v] |= members
    both = (proposed + proposed.T).tocoo()
    for u, v, p in zip(both.row.tolist(), both.col.tolist(), both.data.tolist(), strict=True):
        if p > LEAST_PROBABILITY:
            near[u].add(v)
    return [np.array(sorted(some - {v}), np.int64) for v, some in enumerate(near)]


def final_pass(
    dataset: Dataset,
    learner: str,
    merged: Learned,
    communities: Sequence[np.ndarray],
    blankets: Sequence[np.ndarray],
    *,
    random_state: Any = None,
    n_jobs: int | None = 1,
) -> Learned:
    """Settle the whole.

    Parameters
    ----------
    dataset : Dataset
    learner : str
    merged : Learned
        What Mergence gave.
    communities, blankets : sequences of int arrays
    random_state : int, SeedSequence or Generator, optional
    n_jobs : int, optional

    Returns
    -------
    Learned
    """
    if learner == "model-averaging":
        pools = candidate_pools(communities, blankets, merged.edges.matrix)
        options = {"random_state": random_state, "n_jobs": threads(n_jobs)}
        return learn_model_averaging(dataset, pools=pools, **options)
    return merged
