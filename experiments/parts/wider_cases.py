"""Tables with a known truth that the learner's prior does not describe: what generators share."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from lsbn.network import BayesianNetwork
from parts.drawing import graph_matrix, log_uniform, make_network

VARIABLES = (5, 40)
ROWS = (100, 5000)
STATES = (2, 4)
MAX_PARENTS = 3
FURTHER = 0.65
"""Probability of one more parent. Up to 6 parents, that gives about 1.5 edges a variable."""
NOISE = (0.01, 0.05)
RARE = (0.01, 0.1)
SHIFT = 1.5
Rng = np.random.Generator
Tables = Callable[[tuple[int, ...], int, Rng], np.ndarray]
"""Draws a conditional table from the parents' numbers of states and the variable's own."""


@dataclass(frozen=True)
class Case:
    """A table and what is true of it.

    Attributes
    ----------
    table : pandas.DataFrame
        As a user would hand it over: integers, of which only those that occur are states.
    graph : bool array, shape (n, n)
        ``[i, j]`` is whether i is a parent of j.
    judged : bool array, shape (n, n)
        The pairs to compare; symmetric, and false on the diagonal.
    directed : bool
        Whether the table was drawn from the network, so that directions can be compared too.
    """

    table: pd.DataFrame
    graph: np.ndarray
    judged: np.ndarray
    directed: bool

    @property
    def skeleton(self) -> np.ndarray:
        """The true edges without their directions, a symmetric matrix."""
        return self.graph | self.graph.T


def make_case(
    codes: np.ndarray, graph: np.ndarray, judged: np.ndarray | None = None, directed: bool = False
) -> Case:
    """Put a case together from codes of shape (n, rows); by default all pairs are judged.

    A column that is constant has no edges for any learner: pairs that touch one are left out.
    """
    varies = (codes != codes[:, :1]).any(axis=1)
    every = ~np.eye(len(codes), dtype=bool) if judged is None else judged
    table = pd.DataFrame({f"X{v}": column for v, column in enumerate(codes)})
    return Case(table, graph, every & np.outer(varies, varies), directed)


def draw_number(limits: tuple[int, int], rng: Rng) -> int:
    """Draw a whole number, all from the first limit to the last equally likely."""
    return int(rng.integers(*limits, endpoint=True))


def draw_parents(n: int, most: int, rng: Rng) -> list[np.ndarray]:
    """Draw a sparse DAG.

    All orders are equally likely. A variable has a first parent, a second and so on, each further
    one with probability `FURTHER`, up to `most` or up to all variables before it in the order. Its
    parents are any of these, equally likely.
    """
    order = rng.permutation(n)
    parents = [np.empty(0, np.int64)] * n
    for place, v in enumerate(order.tolist()):
        size = min(int(rng.geometric(1 - FURTHER)) - 1, most, place)
        parents[v] = np.sort(rng.choice(order[:place], size=size, replace=False))
    return parents


def draw_network(
    parents: list[np.ndarray], states: tuple[int, int], tables: Tables, rng: Rng
) -> BayesianNetwork:
    """Draw numbers of states, all in the range equally likely, and tables for a graph."""
    cards = rng.integers(*states, size=len(parents), endpoint=True)
    return make_network(parents, cards, partial(tables, rng=rng))


def network_case(
    rng: Rng,
    *,
    most: int = MAX_PARENTS,
    states: tuple[int, int] = STATES,
    rows: tuple[int, int] = ROWS,
    tables: Tables | None = None,
) -> Case:
    """Draw a network and a table from it; rows are log-uniform, tables Dirichlet(1) by default."""
    parents = draw_parents(draw_number(VARIABLES, rng), most, rng)
    network = draw_network(parents, states, tables or dirichlet_table, rng)
    codes = network.sample_codes(draw_rows(rng, rows), rng)
    return make_case(codes, graph_matrix(parents), directed=most > 0)


def draw_rows(rng: Rng, limits: tuple[int, int] = ROWS) -> int:
    """Draw a number of rows whose logarithm is uniform."""
    return round(log_uniform(*limits, rng))


# Conditional tables


def dirichlet_table(
    above: tuple[int, ...], r: int, rng: Rng, concentration: float = 1.0
) -> np.ndarray:
    """Draw every row from a symmetric Dirichlet distribution, `concentration` for each state."""
    return rng.dirichlet(np.full(r, concentration), size=int(np.prod(above)))


def skewed_table(above: tuple[int, ...], r: int, rng: Rng) -> np.ndarray:
    """Draw rows in which one state, the same in all rows, is common.

    The other states share a probability that is log-uniform in `RARE`, by Dirichlet(1). In each
    row, the logarithm of each probability is shifted by a normal variable of standard deviation
    `SHIFT`, and the row is divided by its sum. Rows from a Dirichlet distribution with such a
    mean would have nearly all their weight on one state, and most columns would be constant.
    """
    rare = log_uniform(*RARE, rng)
    centre = rng.permutation(np.append(rare * rng.dirichlet(np.ones(r - 1)), 1 - rare))
    weight = centre * rng.lognormal(sigma=SHIFT, size=(int(np.prod(above)), r))
    return weight / weight.sum(axis=1, keepdims=True)


def function_table(above: tuple[int, ...], r: int, rng: Rng) -> np.ndarray:
    """Draw a function of the parents in which each of them matters, and flip its value at times.

    Every value is equally likely; the function is drawn again until, for each parent, there are two
    configurations that differ in this parent only and have different values. The probability of a
    flip is uniform in `NOISE`, and all other states are then equally likely. A variable without
    parents has a row from Dirichlet(1).
    """
    if not above:
        return dirichlet_table(above, r, rng)
    while True:
        value = rng.integers(r, size=above)
        if all((value != value.take([0], axis=a)).any() for a in range(len(above))):
            break
    flip = rng.uniform(*NOISE)
    return np.where(value.reshape(-1, 1) == np.arange(r), 1 - flip, flip / (r - 1))
