"""Random networks: what all generators share."""

from collections.abc import Callable, Sequence

import numpy as np

from lsbn.network import BayesianNetwork


def log_uniform(low: float, high: float, rng: np.random.Generator) -> float:
    """Draw a number whose logarithm is uniform."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def graph_matrix(parents: Sequence[np.ndarray]) -> np.ndarray:
    """Give the graph as a matrix: row is the parent, column the child."""
    graph = np.zeros((len(parents), len(parents)), bool)
    for v, above in enumerate(parents):
        graph[above, v] = True
    return graph


def make_network(
    parents: Sequence[np.ndarray],
    cards: np.ndarray,
    draw_table: Callable[[tuple[int, ...], int], np.ndarray],
) -> BayesianNetwork:
    """Draw tables for a graph, each from the parents' numbers of states and the variable's own."""
    return BayesianNetwork(
        names=tuple(f"X{v}" for v in range(len(parents))),
        states=tuple(tuple(map(str, range(r))) for r in cards.tolist()),
        parents=tuple(parents),
        tables=tuple(
            draw_table(tuple(cards[above].tolist()), int(r))
            for above, r in zip(parents, cards, strict=True)
        ),
    )
