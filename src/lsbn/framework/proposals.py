"""Proposals: what LocalLearn and Mergence say of all edges, before the last pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from lsbn.data.copies import Folded
from lsbn.framework.blankets import blanket_candidates, markov_blankets
from lsbn.framework.local import LocalSettings, learn_communities
from lsbn.framework.mergence import mergence
from lsbn.framework.stages import Stages
from lsbn.learners import Learned
from lsbn.learners.averaging import SearchSettings
from lsbn.pairs import PairStatistics

__all__ = ["Proposals", "fit_diagnostics", "propose"]

BLANKET_ALPHA = 0.001
"""Largest default level of the tests of Markov blankets."""
NOT_NEEDED = (
    f"with at most {SearchSettings.max_unrestricted:,} variables the last pass searches among all "
    "variables"
)
"""Reason in the diagnostics for stages that were not run."""


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
    notes : list of dict
        Diagnostics of each community.
    """

    communities: list[np.ndarray]
    blankets: list[np.ndarray]
    edges: sparse.csr_array
    hierarchy: np.ndarray
    notes: list[dict[str, Any]]


def propose(
    pairs: PairStatistics,
    communities: list[np.ndarray],
    settings: LocalSettings,
    seed: np.random.SeedSequence,
    stages: Stages,
    *,
    n_jobs: int | None = None,
) -> Proposals:
    """Run step 2, LocalLearn, and step 3, Mergence.

    Parameters
    ----------
    pairs : PairStatistics
    communities : list of int arrays
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
    dataset = pairs.dataset
    with stages("blankets", "finding Markov blankets"):
        candidates = blanket_candidates(dataset, weights=settings.weights, pairs=pairs)
        alpha = settings.blanket_alpha or min(BLANKET_ALPHA, 1 / dataset.n_variables)
        blankets = markov_blankets(dataset, candidates, alpha=alpha, n_jobs=n_jobs)
    with stages("local", f"learning {len(communities):,} communities"):
        seeds = seed.spawn(len(communities))
        local = learn_communities(dataset, communities, blankets, settings, seeds, n_jobs)
    with stages("merge", "merging communities"):
        structures = [result.structure for result in local]
        merged, hierarchy = mergence(
            dataset, communities, structures, settings, progress=stages.report
        )
    notes = [result.diagnostics for result in local]
    edges = merged.probabilities(dataset.n_variables)
    return Proposals(communities, blankets, edges, hierarchy, notes)


def fit_diagnostics(
    proposals: Proposals | None, learned: Learned, seconds: dict[str, float], folded: Folded
) -> dict[str, Any]:
    """Return `LSBN.diagnostics_`, from the last pass or else from the communities."""
    overall = dict(learned.diagnostics)
    parts = [] if proposals is None else proposals.notes
    if not overall:
        r_hats = [part["r_hat"] for part in parts if "r_hat" in part]
        sizes = [p["effective_sample_size"] for p in parts if "effective_sample_size" in p]
        methods = sorted({part["method"] for part in parts if isinstance(part.get("method"), str)})
        overall = {"method": " and ".join(methods)} if methods else {}
        if r_hats:
            overall |= {"r_hat": max(r_hats), "effective_sample_size": min(sizes)}
    if proposals is None:
        overall["not_run"] = dict.fromkeys(("blankets", "local", "merge"), NOT_NEEDED)
    rounded = {stage: round(spent, 4) for stage, spent in seconds.items()}
    notes = [*folded.whole.notes, *folded.notes]
    return {**overall, "seconds": rounded, "communities": parts, "notes": notes}
