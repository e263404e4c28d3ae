"""Completions of a table with missing values, by data augmentation (Tanner & Wong 1987).

One round draws a network from the posterior of the completed table, and draws some of its
families again, see `lsbn.missing.halfway`. Then, several times, it draws the tables of this network
from their posterior, and all missing cells from the network, given the observed cells of their
rows. Networks and tables are drawn, not maximised, so completions differ as far as the missing
values are unknown. The missing cells of a row are drawn at once, see `lsbn.kernels.joint`: two
columns that determine each other, such as copies, would never change if cells were drawn one after
the other.

Cells that were drawn from a network speak for this network, so a chain moves slowly: how many
rounds it takes depends on the table. A chain has not arrived while its last networks have more
evidence than those before, see `log_evidence`. A chain also stays long in one of several modes, so
there are several chains. When they have arrived, each takes the parents of the others in the
regions where these are better half-way, and goes on until it has arrived again. Then the chains
give completions by turns.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import cycle, islice, permutations
from typing import Any, NamedTuple

import numpy as np

from lsbn.answers.families import DataCounts
from lsbn.answers.gaps import Gaps
from lsbn.data import Dataset
from lsbn.kernels.gaps import NetworkTables
from lsbn.knowledge import Constraints
from lsbn.learners import Score
from lsbn.learners.families import FamilyScores
from lsbn.missing.halfway import Families, FamilyTest, drawn_tables
from lsbn.missing.start import drawn_by_trees
from lsbn.missing.walk import NetworkWalk

__all__ = ["ChainSettings", "Round", "complete", "drawn_completions", "log_evidence"]


@dataclass(frozen=True)
class ChainSettings:
    """How many completions there are, and how they are drawn.

    Attributes
    ----------
    completions : int
        Least number of completions.
    precise : float
        More completions are drawn while the standard error of an edge is larger than this: with ten
        it can be 0.16.
    most_completions, most_cells : int
        Most completions, and most cells of all of them beyond the least number. So small tables
        have many.
    between : int
        Number of rounds from one completion of a chain to its next.
    chains : int
    compared : int
        Number of last rounds that are compared with as many before; not tuned.
    most_rounds : int
        Most rounds before the first completion.
    rising : float
        A chain goes on if the evidence of its last rounds exceeds that of the rounds before by more
        than this, in nats; not tuned.
    draws : int
        How often a round draws the tables of its network, and then the cells.
    """

    completions: int = 10
    precise: float = 0.03
    most_completions: int = 200
    most_cells: int = 2_000_000
    between: int = 2
    chains: int = 3
    compared: int = 4
    most_rounds: int = 60
    rising: float = 5.0
    draws: int = 5


def complete(dataset: Dataset, rng: np.random.Generator, **options: Any) -> list[Dataset]:
    """Draw the least number of completions of a table with gaps.

    Parameters
    ----------
    dataset : Dataset
        Without gaps it is its only completion.
    rng : Generator
    options
        Those of `drawn_completions`.

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
    settings = options.get("settings") or ChainSettings()
    return list(islice(drawn_completions(dataset, rng, **options), settings.completions))


def drawn_completions(
    dataset: Dataset,
    rng: np.random.Generator,
    *,
    score: Score | None = None,
    knowledge: Constraints | None = None,
    n_jobs: int = 1,
    settings: ChainSettings | None = None,
    progress: Callable[[str], None] | None = None,
) -> Iterator[Dataset]:
    """Draw completions of a table with gaps, without end, from several chains by turns.

    Parameters
    ----------
    dataset : Dataset
        With gaps.
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

    Yields
    ------
    Dataset
        Without gaps.
    """
    settings = settings or ChainSettings()
    options = (score or Score(), knowledge, n_jobs, settings)
    chains = [Augmentation(dataset, own, *options) for own in rng.spawn(settings.chains)]
    tell = progress or (lambda sentence: None)
    _arrive(chains, tell)
    for chain, other in permutations(chains, 2):
        chain.meet(other)
    _arrive(chains, tell)
    for chain in chains:
        chain.recent.clear()
    for number, chain in enumerate(cycle(chains), 1):
        for _ in range(settings.between):
            chain.advance()
        tell(f"completion {number}")
        yield chain.table


def _arrive(chains: Sequence[Augmentation], tell: Callable[[str], None]) -> None:
    """Advance each chain while it moves."""
    for number, chain in enumerate(chains):
        while chain.moves():
            chain.advance()
            tell(f"chain {number + 1}, round {chain.rounds}: {chain.n_edges} edges")


class Round(NamedTuple):
    """The network of a round, and the table that was completed by it."""

    parents: Sequence[tuple[int, ...]]
    table: Dataset


class Augmentation:
    """A chain of networks and completed tables.

    It begins with values that trees predict, see `lsbn.missing.start`.

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
    rounds : int
        Number of rounds before completions.
    recent : deque of Round
        The last ones, while the chain moves.
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
        self.knowledge, self.lookup = knowledge, score.lookup()
        self.gaps = Gaps.of(dataset.gaps)
        self.walk = NetworkWalk(dataset, score, knowledge, rng, n_jobs)
        self.test = FamilyTest(dataset, score, knowledge, rng)
        self.table = drawn_by_trees(dataset, rng)
        self.rounds, self.rises = 0, True
        self.recent: deque[Round] = deque(maxlen=2 * settings.compared)

    @property
    def n_edges(self) -> int:
        """Number of edges of the last network."""
        return sum(map(len, self.recent[-1].parents))

    def moves(self) -> bool:
        """Return whether the chain is still on its way to the posterior."""
        return self.rises and self.rounds < self.settings.most_rounds

    def advance(self) -> None:
        """Make one round; search anew while the chain is on its way."""
        moves = self.moves()
        parents = self.walk.step(self.table, moves)
        reverse = moves and self.rounds % 2 == 1
        parents = self.test(parents, self.table, self.families(), self._drawn_cells, reverse)
        self._draw(parents)
        if moves:
            self.recent.append(Round(parents, self.table))
            self.rounds += 1
            size = self.settings.compared
            if self.rounds >= 2 * size and self.rounds % size == 0:
                rounds = list(self.recent)
                evidence = log_evidence([rounds[:size], rounds[size:]], self.families())
                self.rises = evidence[1, 0] > self.settings.rising

    def meet(self, other: Augmentation) -> None:
        """Take the parents of another chain in the regions where they are better half-way."""
        if not self.recent or not other.recent:
            return
        parents, theirs = list(self.recent[-1].parents), other.recent[-1].parents
        chosen = self.test.between(parents, theirs, self.table, self.families(), self._drawn_cells)
        if chosen != parents:
            self._draw(chosen)
            self.recent.append(Round(chosen, self.table))
            self.rises = True

    def _draw(self, parents: Sequence[tuple[int, ...]]) -> None:
        """Draw tables of a network, and cells from them, several times."""
        for _ in range(self.settings.draws):
            net = drawn_tables(parents, DataCounts(self.table), self.score, self.rng)
            self.table = self._drawn_cells(self.table, net)

    def families(self) -> Families:
        """Return what scores families of a table, by the density of the chain.

        It scores a copy of the table with the same codes, so that no table keeps bit columns.
        """
        score, density = self.score, self.walk.density
        if score.finds_density and density is not None:
            score = replace(score, density=density)
        return lambda table: FamilyScores(replace(table), score, self.knowledge, self.lookup)

    def _drawn_cells(self, table: Dataset, net: NetworkTables) -> Dataset:
        """Return a table in which all missing cells are drawn again."""
        return replace(table, codes=self.gaps.draw_jointly(table.codes, net, self.rng))


def log_evidence(groups: Sequence[Sequence[Round]], families: Families) -> np.ndarray:
    """Return the log Bayes factor of the networks of each group of rounds against each other group.

    It is the integral of `lsbn.missing.halfway` by its two ends: the mean of the log ratios of the
    probabilities of two completed tables, one drawn from either network. We take the mean over all
    networks of the groups.

    Parameters
    ----------
    groups : sequence of sequence of Round
    families : callable
        Gives the scores of the families of a table.

    Returns
    -------
    (groups, groups) array
        Its transpose is its negative.
    """
    ratio = np.zeros((len(groups), len(groups)))
    for i, rounds in enumerate(groups):
        for own in rounds:
            family = cache(families(own.table))
            logs = [[_log_network(each.parents, family) for each in other] for other in groups]
            ratio[i] += _log_network(own.parents, family) - np.array(list(map(np.mean, logs)))
        ratio[i] /= len(rounds)
    np.fill_diagonal(ratio, 0.0)
    return (ratio - ratio.T) / 2


def _log_network(parents: Sequence[tuple[int, ...]], family: Callable[..., float]) -> float:
    return sum(family(v, above) for v, above in enumerate(parents))
