"""Learn completions of a table until their average is precise.

Each completion is learned as if it were the table. Where the missing values decide about an edge,
it is there in some completions and not in others. Then the average over few completions depends on
the seed: a probability of one half has a standard error of 0.16 with ten of them, and of 0.04 with
200.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from lsbn.data import Dataset
from lsbn.learners import Learned
from lsbn.learners.averaging.convergence import side_by_side, warn_caller
from lsbn.missing import chain
from lsbn.missing.average import average_learned, learner_options

__all__ = ["Precision", "learn_completions", "precision"]

FACTORS = {"quick": 0, "standard": 1, "thorough": 4}
"""Factor of the number of completions beyond the least one, by effort."""
DOUBTFUL = 0.05
"""An edge with a larger standard error may differ by more than 0.1 between two seeds."""


@dataclass(frozen=True)
class Precision:
    """How precise an average over completions is.

    Attributes
    ----------
    standard_error : float
        Largest standard error of an edge, by the spread of completions or of chains.
    r_hat : float
        Of that edge, with twice `DOUBTFUL` as the standard deviation of its probability.
    variables : list of int
        Variables with doubtful edges into them, most edges first.
    """

    standard_error: float
    r_hat: float
    variables: list[int]


def learn_completions(
    dataset: Dataset,
    seed: np.random.SeedSequence,
    learn: Callable[[Dataset, np.random.SeedSequence, dict[str, Any]], Learned],
    *,
    effort: str,
    n_graphs: int,
    during: Callable[[], AbstractContextManager[None]] = nullcontext,
    **options: Any,
) -> tuple[list[Dataset], Learned, list[str]]:
    """Learn a table, or its completions if it has gaps.

    Parameters
    ----------
    dataset : Dataset
    seed : SeedSequence
    learn : callable
        Takes a complete table, a seed, and options of model averaging.
    effort : {"quick", "standard", "thorough"}
        How many completions there may be.
    n_graphs : int
        Number of networks to draw.
    during : callable
        Gives a context in which each completion is drawn.
    options
        Those of `drawn_completions`.

    Returns
    -------
    tables : list of Dataset
        The complete tables.
    learned : Learned
        The average of what was learned from each.
    doubtful : list of str
        Variables with edges into them that depend on the completions, most edges first.
    """
    if dataset.gaps is None:
        (alone,) = learner_options(effort, n_graphs, 1)
        return [dataset], learn(dataset, seed, alone), []
    settings = options.get("settings") or chain.ChainSettings()
    source = chain.drawn_completions(dataset, np.random.default_rng(seed), **options)
    averaging = learner_options(effort, n_graphs, settings.completions)
    most = _most_completions(dataset, settings, effort)
    tables: list[Dataset] = []
    parts: list[Learned] = []
    while True:
        for own in seed.spawn(settings.completions):
            with during():
                tables.append(next(source))
            parts.append(learn(tables[-1], own, averaging[min(len(parts), len(averaging) - 1)]))
        found = precision([part.edges.matrix for part in parts], settings.chains)
        if found.standard_error <= settings.precise or len(parts) >= most:
            break
    doubtful = [dataset.names[v] for v in found.variables]
    _warn(found, doubtful, len(parts), effort)
    return tables, _averaged(parts, found, n_graphs), doubtful


def _averaged(parts: Sequence[Learned], found: Precision, n_graphs: int) -> Learned:
    """Average the parts; the diagnostics tell how precise the average is, if it is not very."""
    learned, graphs = average_learned(parts), None
    if learned.graphs is not None:
        graphs = learned.graphs.thinned(min(n_graphs, len(learned.graphs)))
    diagnostics = replace(
        learned.diagnostics,
        r_hat=max(learned.diagnostics.r_hat or 1.0, found.r_hat),
        standard_error=max(learned.diagnostics.standard_error or 0.0, found.standard_error),
    )
    return replace(learned, diagnostics=diagnostics, graphs=graphs)


def _most_completions(dataset: Dataset, settings: chain.ChainSettings, effort: str) -> int:
    """Return the most completions of a table."""
    affordable = settings.most_cells // max(dataset.n_variables * dataset.n_rows, 1)
    more = min(max(affordable, settings.completions), settings.most_completions)
    return max(settings.completions, FACTORS[effort] * more)


def precision(averages: Sequence[sparse.csr_array], chains: int) -> Precision:
    """Compare the edges of completions, which chains gave by turns.

    Examples
    --------
    An edge that is in one of four completions:

    >>> edges = [sparse.csr_array([[0, p], [0, 0]]) for p in (0.0, 1.0, 0.0, 0.0)]
    >>> found = precision(edges, 2)
    >>> found.standard_error, found.variables
    (0.25, [1])
    """
    values, child = side_by_side(averages)
    m = len(averages)
    if m < 2 or not len(child):
        return Precision(0.0, 1.0, [])
    variance = values.var(axis=0, ddof=1) / m
    if 1 < chains <= m:
        means = [values[first::chains].mean(axis=0) for first in range(chains)]
        variance = np.maximum(variance, np.var(means, axis=0, ddof=1) / chains)
    errors = np.sqrt(variance)
    worst = float(errors.max())
    variables, counts = np.unique(child[errors > DOUBTFUL], return_counts=True)
    order = np.argsort(-counts, kind="stable")
    r_hat = np.sqrt(1 + (worst / (2 * DOUBTFUL)) ** 2)
    return Precision(round(worst, 4), round(float(r_hat), 4), variables[order].tolist())


def _warn(found: Precision, names: Sequence[str], completions: int, effort: str) -> None:
    """Warn the caller of the package of doubtful edges, and name the cure."""
    if not names:
        return
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    cure = "Use effort='thorough' (--effort thorough) for more completions"
    if effort == "thorough":
        cure = "Compare the results of several seeds (random_state, --seed)"
    warn_caller(
        f"{completions} completions of the table disagree: standard error of an edge up to "
        f"{found.standard_error:.2f}; edges into {', '.join(map(repr, names[:5]))}{more}. {cure}"
    )
