"""Networks that are drawn from exactly the prior of the learner, and tables from the networks.

The prior is that of ``Score("bdeu", ess, prior="sizes")``. The learner never considers a family
with more free parameters than the table has rows. The generator does not draw one either: such a
graph is drawn anew, see `draw_graph`.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from lsbn.data import Dataset
from lsbn.learners import PUBLISHED, Score
from lsbn.network import BayesianNetwork
from parts.drawing import log_uniform, make_network

MAX_PARENTS = 3
STATES = (2, 4)
ROWS = (100, 2000)
ESS = (0.5, 16.0)


def draw_parents(n: int, most: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Draw a graph by the prior "sizes" of `Score`, whatever its number of free parameters.

    The prior of an order and of families that agree with it is the product of the families' priors
    w(k) for k parents. Given the order, families are independent. The sum over the families of the
    variable in place p, that of C(p, k) w(k) over k, depends on the place only. So all orders are
    equally likely, and the probability of k parents is in proportion to the term of k.
    """
    order = rng.permutation(n)
    prior = np.exp(PUBLISHED.penalty(n, most))
    parents: list[np.ndarray] = [np.empty(0, np.int64)] * n
    for place, v in enumerate(order.tolist()):
        weight = np.array([math.comb(place, k) for k in range(most + 1)]) * prior
        size = rng.choice(len(weight), p=weight / weight.sum())
        parents[v] = np.sort(rng.choice(order[:place], size=size, replace=False))
    return parents


def free_parameters(v: int, parents: np.ndarray, cards: np.ndarray) -> int:
    """Count the free parameters of the table of a variable."""
    return int(np.prod(cards[parents]) * (cards[v] - 1))


def draw_graph(
    cards: np.ndarray, rows: int, most: int, rng: np.random.Generator
) -> list[np.ndarray]:
    """Draw a graph with the probability that the learner gives it before seeing the rows.

    The learner gives the prior 0 to families with more free parameters than rows. A graph with such
    a family is rejected as a whole, so the others keep their proportions. Drawing only the family
    anew would not be exact: with the bound, the sum over the families of a variable depends on
    which variables come before, and not all orders are equally likely.
    """
    while True:
        parents = draw_parents(len(cards), most, rng)
        if all(free_parameters(v, above, cards) <= rows for v, above in enumerate(parents)):
            return parents


def draw_cards(n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw numbers of states."""
    return rng.integers(*STATES, size=n, endpoint=True)


def draw_table(q: int, r: int, ess: float, rng: np.random.Generator) -> np.ndarray:
    """Draw q rows from the Dirichlet distribution of BDeu, whose r parameters are ess / (q r).

    These may be tiny. The logarithm of a gamma variable of shape a is that of one of shape a + 1
    plus log(u) / a, which does not underflow.
    """
    shape = ess / (q * r)
    logs = np.log(rng.standard_gamma(shape + 1, (q, r))) + np.log(rng.random((q, r))) / shape
    weight = np.exp(logs - logs.max(axis=1, keepdims=True))
    return weight / weight.sum(axis=1, keepdims=True)


def draw_network(
    parents: list[np.ndarray], cards: np.ndarray, ess: float, rng: np.random.Generator
) -> BayesianNetwork:
    """Draw tables for a graph."""

    def table(above: tuple[int, ...], r: int) -> np.ndarray:
        return draw_table(math.prod(above), r, ess, rng)

    return make_network(parents, cards, table)


@dataclass(frozen=True)
class Case:
    """A network, its equivalent sample size, and a table drawn from it."""

    network: BayesianNetwork
    ess: float
    codes: np.ndarray
    seed: np.random.SeedSequence

    @property
    def score(self) -> Score:
        """The generator's own score."""
        return replace(PUBLISHED, ess=self.ess)

    @property
    def known(self) -> Dataset:
        """The table with all states of the network, seen or not: exactly the generator's model."""
        net = self.network
        return Dataset(self.codes, net.cardinalities, net.names, net.states)

    @property
    def seen(self) -> Dataset:
        """The table as a user has it, with the states that occur."""
        seen = [np.unique(column, return_inverse=True) for column in self.codes]
        return Dataset(
            np.array([codes for _, codes in seen], np.uint8),
            np.array([len(values) for values, _ in seen]),
            self.network.names,
            tuple(tuple(map(str, values)) for values, _ in seen),
        )


def draw_cases(count: int, sizes: tuple[int, int], seed: np.random.SeedSequence) -> Iterator[Case]:
    """Draw networks of a range of sizes, and a table from each."""
    for stream in seed.spawn(count):
        rng = np.random.default_rng(stream)
        n = int(rng.integers(*sizes, endpoint=True))
        ess = log_uniform(*ESS, rng)
        rows = int(log_uniform(*ROWS, rng))
        cards = draw_cards(n, rng)
        network = draw_network(draw_graph(cards, rows, MAX_PARENTS, rng), cards, ess, rng)
        yield Case(network, ess, network.sample_codes(rows, rng), stream)
