"""Bayesian model averaging over orders: exact for few variables, sampled for any number.

The posterior of an edge is its share in the sum over all orders and all parent sets that agree
with the order (Friedman & Koller 2003; the paper's Section IV-B, step 3). A graph counts as often
as it has orders; on request every graph counts once instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse

from lsbn.data import Dataset
from lsbn.graph import EdgeProbabilities
from lsbn.knowledge import Constraints
from lsbn.learners.averaging.collector import GraphCollector
from lsbn.learners.averaging.convergence import warn_of_disagreement
from lsbn.learners.averaging.edge_prior import Blocks
from lsbn.learners.averaging.exact import (
    COUNTS,
    can_enumerate,
    exact_posteriors,
    parent_bound,
    scoring_seconds,
)
from lsbn.learners.averaging.sampler import OrderSampler
from lsbn.learners.averaging.settings import (
    EFFORTS,
    ENUMERATION,
    SamplingSettings,
    SearchSettings,
)
from lsbn.learners.base import Candidates, Learned, agreeing_with, graphs_agreeing_with
from lsbn.learners.diagnostics import Diagnostics
from lsbn.learners.scoring import Score
from lsbn.pairs import PairStatistics
from lsbn.parallel import Progress

METHODS = ("auto", "exact", "sampled")


def learn_model_averaging(
    dataset: Dataset,
    *,
    score: Score | str | None = None,
    method: str = "auto",
    max_parents: int | None = None,
    exact_limit: int = 16,
    effort: str = "standard",
    search: SearchSettings | None = None,
    sampling: SamplingSettings | None = None,
    count: str = "orders",
    candidates: Candidates | None = None,
    knowledge: Constraints | None = None,
    pairs: PairStatistics | None = None,
    random_state: Any = None,
    n_jobs: int | None = 1,
    n_graphs: int = 0,
    progress: Progress | None = None,
) -> Learned:
    """Average over all networks and give the posterior of every edge.

    Parameters
    ----------
    dataset : Dataset
    score : Score or str, optional, by default the mixed score with the density of the data
    method : {"auto", "exact", "sampled"}, auto: exact for few variables if this is cheap
    max_parents, exact_limit : int, most parents of a variable, and variables of an exact average
    effort : {"quick", "standard", "thorough"}, how long sampled averages search and sample
    search, sampling : SearchSettings, SamplingSettings, optional, in place of those of the effort
    count : {"orders", "graphs"}
        A graph counts as often as it has orders, which favours few edges, or each counts once.
    candidates : Candidates, optional, for the first search; all variables by default
    knowledge, pairs : Constraints, which all networks of the average obey; pairs are ignored
    random_state, n_jobs, n_graphs : seed, number of workers, number of networks to draw
    progress : callable, optional, called with the numbers of parts done and of all
    """
    score, n = Score.of(score), len(varying := np.flatnonzero(dataset.cards > 1))
    _check(method, max_parents, count, effort, n)
    rng = np.random.default_rng(random_state)
    collector = GraphCollector(n_graphs, dataset.names, varying, rng)
    if n < 2:
        return _nothing_learned(dataset, knowledge, collector)
    part, known = _varying_part(dataset, knowledge, varying)
    bound = parent_bound(n, max_parents)
    cheap = scoring_seconds(part, score, bound) <= ENUMERATION.max_seconds
    if method == "exact" or (method == "auto" and cheap and n <= _limit(exact_limit, count)):
        average = exact_posteriors(part, score, bound, count, n_jobs, known, collector)
    else:
        settings = (search or SearchSettings.of(effort)).bounded(max_parents)
        parts = (part, score, settings, sampling or SamplingSettings.of(effort), rng, n_jobs)
        pools, division, blocks = _renumbered(candidates, varying, dataset)
        options: Any = {"knowledge": known, "collector": collector, "blocks": blocks}
        sampler = OrderSampler(*parts, count=count, **options)
        sampler.parts, sampler.progress = division, progress
        exhaustive = (cheap or method == "sampled") and can_enumerate(n, bound, max_parents)
        average = sampler.run_exhaustive(bound) if exhaustive else sampler.run(pools)
        warn_of_disagreement(average[1], effort)
    average = _in_dataset(dataset, varying, average[0]), average[1]
    return _learned(dataset, knowledge, *average, collector)


def _varying_part(
    dataset: Dataset, knowledge: Constraints | None, varying: np.ndarray
) -> tuple[Dataset, Constraints | None]:
    """Return the variables that are not constant, and what is known about them."""
    if len(varying) == dataset.n_variables:
        return dataset, knowledge
    known = None if knowledge is None else knowledge.select(varying)
    return dataset.select(varying), known


def _nothing_learned(
    dataset: Dataset, knowledge: Constraints | None, collector: GraphCollector
) -> Learned:
    """Return a network with required edges only, if fewer than two variables vary."""
    collector.draw_empty()
    n = dataset.n_variables
    empty = sparse.csr_array((n, n))
    return _learned(dataset, knowledge, empty, Diagnostics(method="none"), collector)


def _limit(exact_limit: int, count: str) -> int:
    """Return the most variables of an exact average."""
    return exact_limit if count == "orders" else min(exact_limit, ENUMERATION.max_graph_variables)


def _check(method: str, max_parents: int | None, count: str, effort: str, n: int) -> None:
    """Refuse options that are unknown or impossible for n variables that are not constant."""
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}; there are {', '.join(METHODS)}")
    if max_parents is not None and max_parents < 1:
        raise ValueError(f"max_parents must be at least 1, not {max_parents}")
    if count not in COUNTS:
        raise ValueError(f"unknown count {count!r}; there are {', '.join(COUNTS)}")
    if effort not in EFFORTS:
        raise ValueError(f"effort is {effort!r}; use {', '.join(EFFORTS)}")
    most = ENUMERATION.max_graph_variables
    if count == "graphs" and method == "exact" and n > most:
        raise ValueError(
            f"the exact average over graphs is for up to {most} variables that are not constant, "
            f"of which there are {n}: use method='sampled'"
        )


def _learned(
    dataset: Dataset,
    knowledge: Constraints | None,
    matrix: sparse.csr_array,
    diagnostics: Diagnostics,
    collector: GraphCollector,
) -> Learned:
    """Return the result, with the required edges of constant variables."""
    edges = EdgeProbabilities(agreeing_with(matrix, knowledge), dataset.names)
    return Learned(edges, diagnostics, graphs_agreeing_with(collector.graphs, knowledge))


def _in_dataset(
    dataset: Dataset, varying: np.ndarray, matrix: sparse.csr_array
) -> sparse.csr_array:
    """Give the variables their numbers in the dataset."""
    n = dataset.n_variables
    if len(varying) == n:
        return matrix
    entries = matrix.tocoo()
    return sparse.csr_array((entries.data, (varying[entries.row], varying[entries.col])), (n, n))


def _renumbered(
    candidates: Candidates | None, varying: np.ndarray, dataset: Dataset
) -> tuple[list[np.ndarray] | None, list[np.ndarray], Blocks | None]:
    """Give candidates, parts and blocks only for the variables that are not constant."""
    if candidates is None:
        return None, [], None
    place = np.full(dataset.n_variables, -1)
    place[varying] = np.arange(len(varying))

    def moved(lists: Iterable[np.ndarray]) -> list[np.ndarray]:
        """Return the variables that are not constant by their new numbers, ascending."""
        places = (place[np.asarray(members, np.int64)] for members in lists)
        return [np.unique(own[own >= 0]) for own in places]

    parts = [part for part in moved(candidates.parts) if len(part)]
    labels = candidates.blocks
    blocks = None if labels is None else Blocks.of(labels[varying])
    return moved(candidates.neighbours[v] for v in varying), parts, blocks
