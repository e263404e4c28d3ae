"""The generators of `wider_calibration.py`, one for each cell."""

from collections.abc import Callable
from functools import partial

import numpy as np

from parts.drawing import graph_matrix
from parts.wider_cases import (
    MAX_PARENTS,
    STATES,
    VARIABLES,
    Case,
    Rng,
    dirichlet_table,
    draw_network,
    draw_number,
    draw_parents,
    draw_rows,
    function_table,
    make_case,
    network_case,
    skewed_table,
)

SPARSE = (0.1, 0.3)
WEIGHT = (0.2, 1.0)
CORRELATION = 0.9
GAUSSIAN_BINS = (2, 5)
GROUP_SIZES = (2, 8)


def many_parents(rng: Rng) -> Case:
    """Draw from a network with up to 6 parents."""
    return network_case(rng, most=6)


def many_states(rng: Rng) -> Case:
    """Draw from a network of 2 to 8 states."""
    return network_case(rng, states=(2, 8))


def sparse_tables(rng: Rng) -> Case:
    """Draw from a network whose rows have most of their probability on few states."""
    concentration = rng.uniform(*SPARSE)
    return network_case(rng, tables=partial(dirichlet_table, concentration=concentration))


def noisy_functions(rng: Rng) -> Case:
    """Draw from a network of functions with a little noise."""
    return network_case(rng, tables=function_table)


def rare_states(rng: Rng) -> Case:
    """Draw from a network whose variables have one common state and rare ones."""
    return network_case(rng, tables=skewed_table)


def few_rows(rng: Rng) -> Case:
    """Draw few rows from a network."""
    return network_case(rng, rows=(50, 100))


def many_rows(rng: Rng) -> Case:
    """Draw many rows from a network."""
    return network_case(rng, rows=(10_000, 10_000))


def gaussian_network(rng: Rng) -> Case:
    """Draw from a linear Gaussian network, and bin its columns."""
    graph = graph_matrix(draw_parents(draw_number(VARIABLES, rng), MAX_PARENTS, rng))
    size = rng.uniform(*WEIGHT, size=graph.shape)
    weights = graph * size * rng.choice([-1.0, 1.0], size=graph.shape)
    noise = rng.standard_normal((len(graph), draw_rows(rng)))
    return make_case(binned(gaussian_values(weights, noise), rng), graph)


def gaussian_values(weights: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Solve x_j = sum_i weights[i, j] x_i + noise_j for all variables at once."""
    return np.linalg.solve(np.eye(len(weights)) - weights.T, noise)


def gaussian_blocks(rng: Rng) -> Case:
    """Draw independent pairs of correlated Gaussians, and bin their columns."""
    n, rows = draw_number(VARIABLES, rng), draw_rows(rng)
    values, graph = rng.standard_normal((n, rows)), np.zeros((n, n), bool)
    for i, j in rng.permutation(n)[: n // 2 * 2].reshape(-1, 2).tolist():
        rho = rng.uniform(-CORRELATION, CORRELATION)
        values[j] = rho * values[i] + np.sqrt(1 - rho**2) * values[j]
        graph[i, j] = True
    return make_case(binned(values, rng), graph)


def binned(values: np.ndarray, rng: Rng) -> np.ndarray:
    """Cut each row of values at its quantiles, into 2 to 5 bins."""
    codes = np.empty(values.shape, np.int64)
    for v, column in enumerate(values):
        bins = draw_number(GAUSSIAN_BINS, rng)
        cuts = np.quantile(column, np.arange(1, bins) / bins)
        codes[v] = np.searchsorted(cuts, column)
    return codes


def hidden_classes(rng: Rng) -> Case:
    """Draw groups of columns that depend on a class of their group, and leave the classes out."""
    n = draw_number(VARIABLES, rng)
    group, largest = np.empty(n, np.int64), min(GROUP_SIZES[1], n // 2)
    begun, count = 0, 0
    while begun < n:
        size = draw_number((GROUP_SIZES[0], largest), rng)
        group[begun : begun + size] = count
        begun, count = begun + size, count + 1
    group = rng.permutation(group)
    parents = [np.array([n + g]) for g in group] + [np.empty(0, np.int64)] * count
    codes = draw_network(parents, STATES, dirichlet_table, rng).sample_codes(draw_rows(rng), rng)
    return make_case(codes[:n], np.zeros((n, n), bool), group[:, None] != group)


def independent_columns(rng: Rng) -> Case:
    """Draw columns that have nothing to do with one another."""
    return network_case(rng, most=0, states=(2, 10))


CELLS: dict[str, tuple[Callable[[Rng], Case], str]] = {
    "a": (many_parents, "up to 6 parents, 2 to 4 states, rows of tables from Dirichlet(1)"),
    "b": (many_states, "2 to 8 states, up to 3 parents, Dirichlet(1)"),
    "c": (sparse_tables, "sparse tables: Dirichlet(0.1) to Dirichlet(0.3), one for each network"),
    "d": (noisy_functions, "functions of the parents, flipped with probability 0.01 to 0.05"),
    "e": (
        rare_states,
        "skewed margins: rare states share 0.01 to 0.1, logarithms shifted by N(0, 1.5²)",
    ),
    "f": (few_rows, "few rows: 50 to 100, Dirichlet(1)"),
    "g": (many_rows, "many rows: 10,000, Dirichlet(1)"),
    "h1": (
        gaussian_network,
        "Gaussian DAG, weights 0.2 to 1 of either sign, noise 1; 2 to 5 equally full bins",
    ),
    "h2": (
        gaussian_blocks,
        "Gaussian pairs, correlations uniform from -0.9 to 0.9; 2 to 5 equally full bins",
    ),
    "i": (hidden_classes, "hidden classes: pairs between independent groups of columns"),
    "j": (independent_columns, "independent columns of 2 to 10 states, Dirichlet(1)"),
}
"""Generators by the letter of their cell, each with what it draws."""


def draw_cell(key: str, count: int, seed: int) -> list[tuple[Case, int]]:
    """Draw the cases of a cell, each with a seed for the learner.

    They depend on neither the other cells nor the number of cases.
    """
    draw, _ = CELLS[key]
    cases = []
    for stream in np.random.SeedSequence([seed, *key.encode()]).spawn(count):
        drawing, learning = stream.spawn(2)
        cases.append((draw(np.random.default_rng(drawing)), int(learning.generate_state(1)[0])))
    return cases
