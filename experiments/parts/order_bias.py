"""The prior over orders beside one over graphs, where all graphs can be listed."""

from collections.abc import Sequence
from functools import cache
from itertools import product

import numpy as np

from lsbn.data import Dataset
from lsbn.learners import PUBLISHED, Score
from lsbn.learners.averaging import SearchSettings
from lsbn.learners.averaging.exact import as_subsets
from lsbn.learners.averaging.search import ParentSetSearch
from parts.drawing import graph_matrix, log_uniform
from parts.own_prior import ESS, Case, draw_cards, draw_network, free_parameters
from parts.reliability import Pairs, calibration_error, chance_error

VARIABLES = (4, 5)
ROWS = (50, 200, 1000, 5000)


@cache
def all_graphs(n: int) -> tuple[np.ndarray, np.ndarray]:
    """List all DAGs over n variables: parents as bit masks, and the number of orders of each.

    The orders of a set of variables are counted by which of them comes last; a graph with a cycle
    has none.
    """
    masks = [[m for m in range(1 << n) if not m >> v & 1] for v in range(n)]
    parents = np.array(list(product(*masks)), np.uint8)
    orders = {0: np.ones(len(parents), np.int16)}
    for some in range(1, 1 << n):
        orders[some] = np.zeros(len(parents), np.int16)
        for v in range(n):
            if some >> v & 1:
                rest = some ^ (1 << v)
                orders[some] += orders[rest] * ((parents[:, v] & ~np.uint8(rest)) == 0)
    count = orders[(1 << n) - 1]
    return parents[count > 0], count[count > 0].astype(np.float64)


def graph_posteriors(
    dataset: Dataset, score: Score, weights: Sequence[np.ndarray]
) -> list[np.ndarray]:
    """Edge posteriors over all DAGs, for each of several prior weights beside the families'."""
    n = dataset.n_variables
    parents, _ = all_graphs(n)
    search = ParentSetSearch(dataset, score, SearchSettings().bounded(n - 1))
    search.enumerate_all()
    start, mask, scores = as_subsets(search)
    total = np.zeros(len(parents))
    for v in range(n):
        own = np.full(1 << n, -np.inf)
        own[mask[start[v] : start[v + 1]]] = scores[start[v] : start[v + 1]]
        total += own[parents[:, v]]
    members = np.arange(1 << n) >> np.arange(n)[:, None] & 1
    posteriors = []
    for weight in weights:
        share = weight * np.exp(total - total.max())
        share /= share.sum()
        by_set = [np.bincount(parents[:, v], share, 1 << n) for v in range(n)]
        posteriors.append(members @ np.array(by_set).T)
    return posteriors


def draw_listed_graph(
    cards: np.ndarray, rows: int, weight: np.ndarray, rng: np.random.Generator
) -> list[np.ndarray]:
    """Draw a DAG by the priors of its families, bounded by the rows, and a weight of its own."""
    n = len(cards)
    parents, _ = all_graphs(n)
    sets = [np.flatnonzero(mask >> np.arange(n) & 1) for mask in range(1 << n)]
    prior = np.exp(PUBLISHED.penalty(n, n))
    share = weight.copy()
    for v in range(n):
        fits = [free_parameters(v, some, cards) <= rows for some in sets]
        family = np.where(fits, prior[[len(some) for some in sets]], 0.0)
        share *= family[parents[:, v]]
    row = parents[rng.choice(len(share), p=share / share.sum())]
    return [sets[mask] for mask in row.tolist()]


def order_bias(count: int, seed: np.random.SeedSequence) -> list[str]:
    """Compare the posteriors by both priors on networks drawn from each."""
    few, many = (f"{len(all_graphs(n)[1]):,}" for n in VARIABLES)
    lines = [
        "## The prior over orders, and one over graphs",
        "",
        "Averaging over orders counts a graph as often as it has orders. Here all graphs of"
        f" {VARIABLES[0]} and {VARIABLES[1]}",
        f"variables are listed ({few} and {many}). A variable may have any number of parents, but",
        "no family has more free parameters than there are rows. States are known, and the score",
        "is the generator's. Both posteriors have the same prior of families. They differ only in",
        f"how often a graph is counted. For each line {count} networks are drawn from one of the",
        "two priors. *Difference* is the mean difference between the two posteriors, and the",
        "largest. `learn_model_averaging(count='graphs')` gives the posterior with the prior over",
        "graphs. It is exact for up to 12 variables, sampled beyond.",
        "",
        "| variables | rows | drawn from | difference, edges | difference, skeleton | ECE by orders"
        " | ECE by graphs | chance | Brier by orders | Brier by graphs |",
        "|---" * 10 + "|",
    ]
    for n, rows in product(VARIABLES, ROWS):
        for prior in ("orders", "graphs"):
            pairs = _both_posteriors(n, rows, prior, count, seed.spawn(1)[0])
            lines.append(f"| {n} | {rows:,} | {prior} | " + _bias_cells(*pairs) + " |")
    return lines


def _both_posteriors(
    n: int, rows: int, prior: str, count: int, seed: np.random.SeedSequence
) -> tuple[Pairs, Pairs]:
    """Posteriors by the prior over orders, and by that over graphs, beside the truth."""
    _, orders = all_graphs(n)
    weights = {"orders": orders, "graphs": np.ones_like(orders)}
    by_orders, by_graphs = [], []
    for stream in seed.spawn(count):
        rng = np.random.default_rng(stream)
        ess = log_uniform(*ESS, rng)
        cards = draw_cards(n, rng)
        parents = draw_listed_graph(cards, rows, weights[prior], rng)
        network = draw_network(parents, cards, ess, rng)
        case = Case(network, ess, network.sample_codes(rows, rng), stream)
        matrices = graph_posteriors(case.known, case.score, list(weights.values()))
        for found, matrix in zip((by_orders, by_graphs), matrices, strict=True):
            found.append(Pairs.of(matrix, graph_matrix(parents), np.ones((n, n), bool)))
    return Pairs.joined(by_orders), Pairs.joined(by_graphs)


def _bias_cells(one: Pairs, other: Pairs) -> str:
    cells = []
    for a, b in ((one.directed, other.directed), (one.skeleton, other.skeleton)):
        gap = np.abs(a[0] - b[0])
        cells.append(f"{gap.mean():.4f}, {gap.max():.3f}")
    cells += [f"{calibration_error(*pairs.directed[:2]):.4f}" for pairs in (one, other)]
    cells.append(f"{chance_error(one.directed[0]):.4f}")
    for p, truth, _ in (one.directed, other.directed):
        cells.append(f"{np.mean((p - truth) ** 2):.5f}")
    return " | ".join(cells)
