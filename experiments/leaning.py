"""Directions with and without the correction of the mixed score (`lsbn.kernels.direction`).

A *leaning* is the correction of one edge: it removes the preference of the mixed score for one
direction between two columns alone. Every table is learned twice: as `LSBN()` does it, and with all
leanings set to zero. The error of a network is the sum over ordered pairs of the squared difference
between P(u -> v) and the truth. The truth is the DAG that the rows were sampled from, or its CPDAG:
1 for a compelled edge, 1/2 in each direction for a reversible edge.

    python experiments/leaning.py [--seeds 1,2,3] [--rows 1000,20000] [--networks alarm FILE.bif]
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from unittest.mock import patch

import numpy as np

from lsbn import LSBN, load_network, metrics
from lsbn.graph import dag_to_cpdag
from lsbn.network import BayesianNetwork
from lsbn.studies.cells import shuffled_table

COLUMNS = ("error to the DAG", "error to the CPDAG", "SHD", "F")


def main() -> None:
    """Learn, compare and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    numbers = {"type": lambda text: [int(x) for x in text.split(",")]}
    parser.add_argument("--seeds", default=[1, 2, 3], **numbers)
    parser.add_argument("--rows", default=[1_000, 20_000], **numbers)
    parser.add_argument("--networks", nargs="+", default=["alarm", "insurance", "win95pts"])
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".md"))
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = []
    for name in arguments.networks:
        network = load_network(name)
        for rows in arguments.rows:
            found = [compare(network, rows, seed) for seed in arguments.seeds]
            lines.append(row(f"{Path(name).stem}, {rows:,} rows", np.mean(found, axis=0)))
            print(lines[-1], flush=True)
    arguments.output.write_text(page(lines, arguments), encoding="utf-8")


def compare(network: BayesianNetwork, rows: int, seed: int) -> np.ndarray:
    """Figures without and with leanings, a row each."""
    table = shuffled_table(network, rows, seed)
    with patch("lsbn.learners.averaging.memory.leanings", _no_leanings):
        without = LSBN(random_state=seed).fit(table)
    corrected = LSBN(random_state=seed).fit(table)
    return np.array([figures(model, network) for model in (without, corrected)])


def _no_leanings(columns, lookup, child, parents) -> np.ndarray:
    """Give zeros in place of `lsbn.kernels.direction.leanings`."""
    return np.zeros(len(parents))


def figures(model: LSBN, network: BayesianNetwork) -> tuple[float, ...]:
    """Errors of the probabilities, and of the graph."""
    found = metrics.compare(model.dag_, network.dag)
    errors = (error(model, graph) for graph in (network.dag, dag_to_cpdag(network.dag)))
    return (*errors, found.shd, found.f_score)


def error(model: LSBN, graph) -> float:
    """Sum of squared differences between the probabilities and a DAG or CPDAG."""
    place = {name: v for v, name in enumerate(model.feature_names_in_)}
    truth = np.zeros((len(place), len(place)))
    for u, v in graph.edges:
        truth[place[u], place[v]] = 0.5 if graph.has_edge(v, u) else 1.0
    return float(((model.edge_probabilities_.toarray() - truth) ** 2).sum())


def row(label: str, values: np.ndarray) -> str:
    """Make a row of the table: figures without leanings, then with them."""
    cells = [f"{without:.1f}, {corrected:.1f}" for without, corrected in values.T]
    return f"| {label} | {' | '.join(cells)} |"


def page(lines: list[str], arguments: argparse.Namespace) -> str:
    """Make the whole page."""
    seeds, rows = (",".join(map(str, some)) for some in (arguments.seeds, arguments.rows))
    command = f"python experiments/leaning.py --seeds {seeds} --rows {rows}"
    head = [
        "# Directions with and without leanings",
        f"Written by `{command}`.",
        __doc__.split("\n\n")[1],
        "Each cell has the mean over the seeds without leanings, then with leanings.",
    ]
    table = [f"| | {' | '.join(COLUMNS)} |", "|---" * (len(COLUMNS) + 1) + "|", *lines]
    return "\n\n".join([*head, "\n".join(table)]) + "\n"


if __name__ == "__main__":
    main()
