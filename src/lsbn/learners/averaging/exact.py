"""Exact averages over all orders or all graphs, for few variables."""

from __future__ import annotations

from math import comb

import numpy as np
from scipy import sparse

from lsbn.data import Dataset
from lsbn.kernels.mixture import MOST_CONTEXTS
from lsbn.kernels.subsets import exact_edge_posteriors, exact_graph_posteriors
from lsbn.knowledge import Constraints
from lsbn.learners.averaging.collector import GraphCollector
from lsbn.learners.averaging.density import typical_density
from lsbn.learners.averaging.edge_prior import EdgeCounts, EdgePrior
from lsbn.learners.averaging.parent_sets import join
from lsbn.learners.averaging.search import ParentSetSearch
from lsbn.learners.averaging.settings import ENUMERATION, SearchSettings, TableSettings
from lsbn.learners.diagnostics import Diagnostics
from lsbn.learners.scoring import Score

COUNTS = {"orders": exact_edge_posteriors, "graphs": exact_graph_posteriors}
"""What has equal weight in the average, and the kernel that sums over it."""


def parent_bound(n: int, max_parents: int | None) -> int:
    """Most parents of a variable where all sets are scored.

    The bound is `max_parents` if it is given. Otherwise no variable has more sets than
    `EnumerationSettings.max_sets`, except that two parents are always possible.
    """
    if max_parents is not None:
        return max(1, min(max_parents, n - 1))
    total, k = 1, 0
    most = min(ENUMERATION.max_parents, n - 1)
    while k < most and total + comb(n - 1, k + 1) <= ENUMERATION.max_sets:
        k += 1
        total += comb(n - 1, k)
    return max(k, 2 if n > 2 else 1)


def can_enumerate(n: int, bound: int, max_parents: int | None) -> bool:
    """Say whether the sampler can list all sets of enough parents, and tabulate their sums."""
    wanted = ENUMERATION.enough_parents if max_parents is None else max_parents
    n_sets = sum(comb(n - 1, k) for k in range(bound + 1))
    return (
        bound >= min(wanted, n - 1)
        and n_sets <= ENUMERATION.max_sets
        and n - 1 <= TableSettings.max_candidates
    )


def scoring_seconds(dataset: Dataset, score: Score, bound: int) -> float:
    """Estimate the seconds in which one core scores all sets of at most ``bound`` parents.

    Variables count with the geometric mean of their numbers of states. The time of a family is
    taken as linear in the cells of its table and, for the mixed score, in the contexts of its
    trees. A family with more free parameters than rows is not scored. Estimates of 0.1 s and more
    were within a factor of 2 of the seconds of 8 to 13 columns with 2 to 8 states and 200 to 32,561
    rows.
    """
    n, rows = dataset.n_variables, dataset.n_rows
    card = float(np.exp(np.log(dataset.cards).mean()))
    total = 0.0
    for k in range(bound + 1):
        cells, micro = card ** (k + 1), 1.0
        if cells - card**k <= rows:
            micro = 0.5 + 0.025 * cells + 0.0005 * rows
            if score.kind == "mixed":
                contexts = (card + 1) ** k if k > 1 else 0.0
                micro = 2.0 + 0.1 * cells + 0.0005 * rows
                micro += 3.0 + 0.225 * contexts if 0 < contexts <= MOST_CONTEXTS else 0.0
        total += n * comb(n - 1, k) * micro * 1e-6
    return total


def as_subsets(search: ParentSetSearch) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return all sets as subsets of at most 62 variables: ``(set_start, set_mask, set_score)``."""
    start, mask = join([sets.masks() for sets in search._sets], np.int64)
    return start, mask, np.concatenate([sets.scores for sets in search._sets])


def exact_posteriors(
    dataset: Dataset,
    score: Score,
    bound: int,
    count: str = "orders",
    n_jobs: int | None = 1,
    knowledge: Constraints | None = None,
    collector: GraphCollector | None = None,
) -> tuple[sparse.csr_array, Diagnostics]:
    """Average over all parent sets up to a bound, exactly.

    If the density is found from the data, it is the one that is expected in the average, or with
    few edges the one at which there are as many as on average over all densities.

    Parameters
    ----------
    dataset : Dataset
        Without constant variables.
    score : Score
    bound : int
        Most parents of a variable.
    count : {"orders", "graphs"}
    n_jobs : int
    knowledge : Constraints, optional
        The average is over the orders or graphs that agree with it.
    collector : GraphCollector, optional
        Draws networks from the average.

    Returns
    -------
    posterior : sparse (n, n) array, parent by child
    diagnostics : Diagnostics
    """
    n = dataset.n_variables
    if n > ENUMERATION.max_exact_variables:
        raise ValueError(
            f"exact model averaging over {n} variables would take 2**{n} sums: use method='sampled'"
        )
    search = ParentSetSearch(dataset, score, SearchSettings().bounded(bound), n_jobs, knowledge)
    search.enumerate_all()
    posterior, evidence = COUNTS[count](n, *as_subsets(search))
    for _ in range(ENUMERATION.density_passes if score.finds_density else 0):
        if not search.find_prior(EdgeCounts(posterior.sum()), ENUMERATION.density_step):
            break
        posterior, evidence = COUNTS[count](n, *as_subsets(search))
    typical = _typical_density(search) if score.finds_density else None
    if typical is not None:
        search.take_prior(EdgePrior(typical))
        posterior, evidence = COUNTS[count](n, *as_subsets(search))
    if collector is not None:
        collector.draw_exactly(as_subsets(search), count)
    diagnostics = Diagnostics(
        method="exact",
        count=count,
        max_parents=bound,
        log_evidence=float(evidence),
        density=search.score.density,
    )
    return sparse.csr_array(posterior), diagnostics


def _typical_density(search: ParentSetSearch) -> float | None:
    """Return the density that stands for all of them in the average over orders, if it differs."""
    present, tried = search.score.density, search.fork()
    if present is None:
        return None

    def expected(density: float) -> float:
        """Average with a density."""
        tried.take_prior(EdgePrior(density))
        return float(exact_edge_posteriors(tried.n_all, *as_subsets(tried))[0].sum())

    return typical_density(expected, search.rules, present)
