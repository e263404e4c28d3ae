"""Completions of a table with missing values, by data augmentation (Tanner & Wong 1987).

One round draws a network from the posterior of the completed table, and draws some of its
families again, see `lsbn.missing.halfway`. Then, several times, it draws the tables of this network
from their posterior, and all missing cells from the network, given the observed cells of their
rows. Networks and tables are drawn, not maximised, so completions differ as far as the missing
values are unknown.

Cells that were drawn from a network speak for this network, so a chain moves slowly: how many
rounds it takes depends on the table. So the chain watches the log probability of the observed cells
under the networks and tables that it draws. It rises as long as the chain is on its way, and the
first completion is kept when it no longer does. A chain also stays long in one of several modes, so
there are several chains. Those whose networks have clearly less evidence than those of the best
have hardly any share in the posterior and are left out. The others give completions by turns.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from lsbn.answers.families import DataCounts
from lsbn.answers.gaps import Gaps
from lsbn.data import Dataset
from lsbn.kernels.gaps import NetworkTables
from lsbn.knowledge import Constraints
from lsbn.learners import Score
from lsbn.learners.families import FamilyScores
from lsbn.missing.deck import drawn_from_rows
from lsbn.missing.halfway import FamilyTest, drawn_tables
from lsbn.missing.walk import NetworkWalk

__all__ = ["ChainSettings", "complete", "still_rises"]


@dataclass(frozen=True)
class ChainSettings:
    """How many completions there are, and how they are drawn.

    Attributes
    ----------
    completions : int
    between : int
        Number of rounds from one completion of a chain to its next.
    chains : int
    worse_mode : float
        A chain is left out if its log evidence is lower than that of the best chain by more than
        this, in nats, see `log_evidence`.
    compared : int
        Number of the last rounds of each chain that are compared.
    least_rounds, most_rounds : int
        Rounds before the first completion: at least and at most so many. Between them the chain
        goes on as long as the log probability of the observed cells rises, see `still_rises`.
    draws : int
        How often a round draws the tables of its network, and then the cells.
    sweeps : int
        How often each cell is drawn, given the same tables.
    watched_rows : int
        The log probability is that of the observed cells of at most so many rows, evenly spaced.
    log_sweeps : int
        Sweeps for each missing cell, for the log probability.
    """

    completions: int = 10
    between: int = 2
    chains: int = 3
    worse_mode: float = 10.0
    compared: int = 4
    least_rounds: int = 8
    most_rounds: int = 60
    draws: int = 5
    sweeps: int = 3
    watched_rows: int = 5000
    log_sweeps: int = 5


def still_rises(logs: Sequence[float]) -> bool:
    """Return whether the values of a chain still rise, as far as their spread lets us see.

    The first half is left out. Of the rest, the mean of the last half must exceed that of the half
    before by its standard error (the idea of Geweke 1992).

    Examples
    --------
    >>> still_rises([-90, -80, -70, -60, -50, -40, -30, -20])
    True
    >>> still_rises([-90, -80, -70, -60, -21, -19, -21, -19])
    False
    """
    rest = np.asarray(logs, float)[len(logs) // 2 :]
    before, last = rest[: len(rest) // 2], rest[len(rest) // 2 :]
    if len(before) < 2:
        return True
    error = np.sqrt(before.var(ddof=1) / len(before) + last.var(ddof=1) / len(last))
    return bool(last.mean() - before.mean() > error)


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
    list of Dataset, without gaps

    Examples
    --------
    >>> table = np.array([[0, 0], [1, 1]] * 50, float)
    >>> table[0, 0] = np.nan
    >>> dataset = Dataset.from_table(table, missing="infer")
    >>> tables = complete(dataset, np.random.default_rng(0))
    >>> len(tables), {table.codes[0, 0].item() for table in tables}
    (10, {0})
    """
    if dataset.gaps is None:
        return [dataset]
    settings = settings or ChainSettings()
    options = (score or Score(), knowledge, n_jobs, settings)
    chains = [Augmentation(dataset, own, *options) for own in rng.spawn(settings.chains)]
    tell = progress or (lambda sentence: None)
    for number, chain in enumerate(chains):
        while chain.moves():
            chain.advance()
            done, log = len(chain.logs), chain.logs[-1]
            tell(f"chain {number + 1}, round {done}: log probability {log:,.1f}")
    kept = best_chains(chains, settings.worse_mode)
    tables = []
    for done in range(settings.completions):
        chain = kept[done % len(kept)]
        for _ in range(settings.between):
            chain.advance()
        tables.append(chain.table)
        tell(f"completion {done + 1} of {settings.completions}")
    return tables


class Augmentation:
    """A chain of networks and completed tables.

    It begins with values of similar rows, see `lsbn.missing.deck`.

    Parameters
    ----------
    dataset : Dataset
        With gaps.
    rng : Generator
    score : Score
    knowledge : Constraints or None
    n_jobs : int
    settings : ChainSettings

    Attributes
    ----------
    table : Dataset
        The last completed table.
    logs : list of float
        The log probability of the observed cells that are watched, after each round.
    recent : deque of tuple
        The networks of the last rounds, and the tables completed by each of them.
    """

    def __init__(
        self,
        dataset: Dataset,
        rng: np.random.Generator,
        score: Score,
        knowledge: Constraints | None,
        n_jobs: int,
        settings: ChainSettings,
    ) -> None:
        assert dataset.gaps is not None
        self.rng, self.score, self.settings = rng, score, settings
        self.gaps = Gaps.of(dataset.gaps)
        step = -(-dataset.n_rows // settings.watched_rows)
        self.watched = np.arange(0, dataset.n_rows, step)
        self.watched_gaps = Gaps.of(dataset.gaps[:, self.watched])
        self.walk = NetworkWalk(dataset, score, knowledge, rng, n_jobs)
        self.test = FamilyTest(dataset, score, knowledge, rng, settings.draws)
        self.table = drawn_from_rows(dataset, rng)
        self.logs: list[float] = []
        self.recent: deque[tuple[list[tuple[int, ...]], Dataset]] = deque(maxlen=settings.compared)

    def moves(self) -> bool:
        """Return whether the chain is still on its way to the posterior."""
        done, settings = len(self.logs), self.settings
        if done < min(settings.least_rounds, settings.most_rounds):
            return True
        return done < settings.most_rounds and still_rises(self.logs)

    def advance(self) -> None:
        """Make one round; search anew while the chain is on its way."""
        parents = self.walk.step(self.table, self.moves())
        parents = self.test(parents, self.table, self.walk.density, self._drawn_cells)
        for _ in range(self.settings.draws):
            net = drawn_tables(parents, DataCounts(self.table), self.score, self.rng)
            self.table = self._drawn_cells(self.table, net)
        self.recent.append((parents, self.table))
        if self.moves():
            self.logs.append(self._log_observed(net))

    def _drawn_cells(self, table: Dataset, net: NetworkTables) -> Dataset:
        """Return a table in which all missing cells are drawn again."""
        codes = self.gaps.draw(table.codes, net, self.settings.sweeps, self.rng)
        return replace(table, codes=codes)

    def _log_observed(self, net: NetworkTables) -> float:
        """Return the log probability of the observed cells of the watched rows with gaps."""
        codes, sweeps = self.table.codes[:, self.watched], self.settings.log_sweeps
        return float(self.watched_gaps.log_observed(codes, net, sweeps, self.rng).sum())


def best_chains(chains: Sequence[Augmentation], worse_mode: float) -> list[Augmentation]:
    """Leave out the chains in modes that have hardly any share in the posterior."""
    evidence = log_evidence(chains)
    best = int(evidence.sum(axis=1).argmax())
    return [
        chain
        for chain, lead in zip(chains, evidence[best].tolist(), strict=True)
        if lead <= worse_mode
    ]


def log_evidence(chains: Sequence[Augmentation]) -> np.ndarray:
    """Return the log Bayes factor of the networks of each chain against those of each other.

    It is the mean of two log ratios of the probabilities of completed tables, of which one chain
    drew the one, the other the other: the integral of `lsbn.missing.halfway` by its two ends. All
    recent networks and tables of the chains are compared, and the means are taken.

    Returns
    -------
    (chains, chains) array
        Its transpose is its negative.
    """
    densities = [chain.walk.density for chain in chains if chain.walk.density is not None]
    score = chains[0].score
    if score.finds_density and densities:
        score = replace(score, density=float(np.mean(densities)))
    ratio = np.zeros((len(chains), len(chains)))
    for i, chain in enumerate(chains):
        for own, table in chain.recent:
            family = cache(FamilyScores(table, score, chain.test.knowledge, chain.test.lookup))
            logs = [[_log_network(net, family) for net, _ in other.recent] for other in chains]
            ratio[i] += (_log_network(own, family) - np.mean(logs, axis=1)) / len(chain.recent)
    return (ratio - ratio.T) / 2


def _log_network(parents: Sequence[tuple[int, ...]], family: Callable[..., float]) -> float:
    return sum(family(v, above) for v, above in enumerate(parents))
