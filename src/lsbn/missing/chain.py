"""Completions of a table with missing values, by data augmentation (Tanner & Wong 1987).

One round learns networks from the completed table, draws a network from their posterior, draws its
tables from their posterior, and draws all missing cells from this network, given the observed cells
of their rows. Networks and tables are drawn, not maximised, so completions differ as far as the
missing values are unknown.

Cells that were drawn from a network speak for this network, so a chain moves slowly. Two things
bring it near the posterior before the first completion is kept. It begins with a forest of the most
dependent pairs, not with independent columns. And in the first rounds the tables come from the rows
that have all values of a family, not from drawn cells.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from lsbn.answers.families import DataCounts, FamilyCounts, FamilyTable
from lsbn.answers.gaps import Gaps, network_tables
from lsbn.answers.predictive import predictive_table
from lsbn.data import Dataset
from lsbn.kernels.gaps import NetworkTables
from lsbn.knowledge import Constraints
from lsbn.learners import LEARNERS, Candidates, Score
from lsbn.learners.averaging import SearchSettings
from lsbn.missing.forest import drawn_from_columns, likely_forest
from lsbn.pairs import PairStatistics

__all__ = ["ChainSettings", "complete", "drawn_table"]

LEAST_SHARE = 1e-9
"""Smallest probability in a drawn table, times the posterior mean, so that no draw is zero."""
DRAWN_GRAPHS = 20
"""Networks that are drawn in a round; the last one draws the cells."""
PARTNERS = 20
"""In a round with very many variables, the parents of a variable are sought among so many."""


@dataclass(frozen=True)
class ChainSettings:
    """How many completions there are, and how they are drawn.

    Measured with 30 % missing at random, 5,000 rows of insurance and alarm: with a forest and six
    rounds by rows, F of single completions was steady after the seventh round, at 90 and 96.7. From
    independent columns and with one round by rows, F was 82.7 and 94.6 after twelve rounds, with
    more false edges. With all rounds by rows, F of insurance stayed at 85.

    Attributes
    ----------
    completions : int
    by_rows : int
        Number of first rounds whose tables come from the rows that have all values of a family.
    warm_up : int
        Number of rounds before the first completion, with those.
    sweeps : int
        How often each cell is drawn in a round.
    """

    completions: int = 5
    by_rows: int = 6
    warm_up: int = 8
    sweeps: int = 20


def complete(
    dataset: Dataset,
    rng: np.random.Generator,
    *,
    score: Score | None = None,
    knowledge: Constraints | None = None,
    n_jobs: int = 1,
    settings: ChainSettings | None = None,
    progress: Callable[[str], None] | None = None,
) -> list[Dataset]:
    """Draw completions of a table with gaps.

    Parameters
    ----------
    dataset : Dataset
        Without gaps it is its only completion.
    rng : Generator
    score : Score, optional
        Of the networks that draw; the mixed score by default.
    knowledge : Constraints, optional
        What is known about the variables of the dataset.
    n_jobs : int
        Number of threads; the completions are the same for any number.
    settings : ChainSettings, optional
    progress : callable, optional
        Called with a sentence on each round.

    Returns
    -------
    list of Dataset
        Without gaps.

    Examples
    --------
    >>> table = np.array([[0, 0], [1, 1]] * 50, float)
    >>> table[0, 0] = np.nan
    >>> dataset = Dataset.from_table(table, missing="infer")
    >>> tables = complete(dataset, np.random.default_rng(0))
    >>> len(tables), {table.codes[0, 0].item() for table in tables}
    (5, {0})
    """
    if dataset.gaps is None:
        return [dataset]
    settings, score = settings or ChainSettings(), score or Score()
    gaps = Gaps.of(dataset.gaps)
    table, tables = drawn_from_columns(dataset, rng), []
    parents = likely_forest(dataset, table)
    for done in range(settings.warm_up + settings.completions):
        if done:
            parents = _drawn_network(table, rng, score, knowledge, n_jobs)
        counts = DataCounts(dataset if done < settings.by_rows else table)
        net = _drawn_tables(parents, counts, score, rng)
        table = replace(table, codes=gaps.draw(table.codes, net, settings.sweeps, rng))
        if done >= settings.warm_up:
            tables.append(table)
        if progress is not None:
            progress(f"round {done + 1} of {settings.warm_up + settings.completions}")
    return tables


def _drawn_network(
    table: Dataset,
    rng: np.random.Generator,
    score: Score,
    knowledge: Constraints | None,
    n_jobs: int,
) -> list[tuple[int, ...]]:
    """Return the parents of each variable in a network from the posterior of a complete table."""
    options: dict[str, Any] = {"effort": "quick", "n_graphs": DRAWN_GRAPHS, "score": score}
    if table.n_variables > SearchSettings.max_unrestricted:
        near = PairStatistics(table, n_jobs).heaviest(["MI"], most=PARTNERS)
        pairs = [(u, v) for v, partners in enumerate(near) for u in partners.tolist()]
        options["candidates"] = Candidates.of_pairs(table.n_variables, np.array(pairs))
    with warnings.catch_warnings():  # the completions that are kept are learned again
        warnings.simplefilter("ignore", ConvergenceWarning)
        learned = LEARNERS["model-averaging"](
            table, knowledge=knowledge, random_state=rng, n_jobs=n_jobs, **options
        )
    assert learned.graphs is not None
    return learned.graphs.parents_of(-1)


def _drawn_tables(
    parents: Sequence[tuple[int, ...]], counts: DataCounts, score: Score, rng: np.random.Generator
) -> NetworkTables:
    """Draw the tables of a network."""
    families = [drawn_table(counts(v, above), score, rng) for v, above in enumerate(parents)]
    return network_tables(families, counts.dataset.cards)


def drawn_table(found: FamilyCounts, score: Score, rng: np.random.Generator) -> FamilyTable:
    """Draw the table of a family from its posterior.

    Each row is drawn from a Dirichlet distribution whose mean is the predictive distribution of the
    score, and whose weight is the number of rows of the data and a prior weight: that of BDeu and
    K2, and as many rows as there are states for the mixed score and BIC.
    """
    means = predictive_table(found.counts, found.cards, score)
    sizes, weight = found.counts.sum(axis=1, keepdims=True), float(found.counts.shape[1])
    if score.kind == "bdeu":
        weight = score.ess / float(np.prod(found.cards.astype(float)))
    table = rng.standard_gamma(means * (sizes + weight)) + LEAST_SHARE * means
    table /= table.sum(axis=1, keepdims=True)
    return FamilyTable(found.child, found.parents, found.cards, table, found.keys)
