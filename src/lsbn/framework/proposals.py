"""Proposals: what LocalLearn and Mergence say of all edges, before the last pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from lsbn.data import Dataset
from lsbn.framework.blankets import markov_blankets
from lsbn.framework.diagnostics import CommunityDiagnostics
from lsbn.framework.local import LocalSettings, learn_communities
from lsbn.framework.mergence import mergence
from lsbn.framework.stages import Stages
from lsbn.learners.base import agreeing_with

__all__ = ["Proposals", "propose"]

BLANKET_ALPHA = 0.001
"""Largest default level of the tests of Markov blankets."""


@dataclass(frozen=True, eq=False)
class Proposals:
    """Results of LocalLearn and Mergence, from which the last pass gets its candidates.

    Attributes
    ----------
    communities : list of int arrays
        The second-order partition.
    blankets : list of int arrays
        The Markov blanket of each variable.
    edges : (n, n) sparse array
        Edge probabilities after Mergence.
    hierarchy : (k - 1, 4) float array
        The merge tree.
    diagnostics : list of CommunityDiagnostics
        One for each community.
    """

    communities: list[np.ndarray]
    blankets: list[np.ndarray]
    edges: sparse.csr_array
    hierarchy: np.ndarray
    diagnostics: list[CommunityDiagnostics]


def propose(
    dataset: Dataset,
    communities: list[np.ndarray],
    pools: Sequence[np.ndarray],
    settings: LocalSettings,
    seed: np.random.SeedSequence,
    stages: Stages,
    *,
    n_jobs: int | None = None,
) -> Proposals:
    """Run step 2, LocalLearn, and step 3, Mergence.

    Parameters
    ----------
    dataset : Dataset
    communities : list of int arrays
    pools : sequence of int arrays
        Candidates for the Markov blanket of each variable, see `blanket_candidates`.
    settings : LocalSettings
    seed : SeedSequence
        One seed for each community is spawned from it.
    stages : Stages
        Measures the stages and reports them.
    n_jobs : int, optional

    Returns
    -------
    Proposals
    """
    with stages("blankets"):
        alpha = settings.blanket_alpha or min(BLANKET_ALPHA, 1 / dataset.n_variables)
        pace = stages.pace("blankets", "variables")
        options: dict[str, Any] = {"alpha": alpha, "n_jobs": n_jobs, "progress": pace}
        blankets = markov_blankets(dataset, pools, **options)
    with stages("local", f"{len(communities):,}"):
        seeds = seed.spawn(len(communities))
        pace = stages.pace("local", "communities")
        local = learn_communities(dataset, communities, blankets, settings, seeds, n_jobs, pace)
    with stages("merge"):
        structures = [result.structure for result in local]
        told: dict[str, Any] = {"n_jobs": n_jobs, "progress": stages.pace("merge", "merges")}
        merged, hierarchy = mergence(dataset, communities, structures, settings, **told)
    diagnostics = [result.diagnostics for result in local]
    edges = agreeing_with(merged.probabilities(dataset.n_variables), settings.knowledge)
    return Proposals(communities, blankets, edges, hierarchy, diagnostics)
