"""Learn networks with true tiers, and with false required edges.

Writes ``prior_knowledge.md`` beside this file. The tier of a variable is its depth in the true
network: the length of the longest path that leads to it. A false edge joins two variables without
an edge, in the order of the true network.

    python experiments/prior_knowledge.py [--seeds 1,2,3] [--networks alarm,insurance] [--rows 1000]
        [--output FILE]
"""

import argparse
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import networkx as nx
import numpy as np

from lsbn import LSBN, Knowledge, load_network, metrics
from lsbn.files import atomic_file
from lsbn.studies.tabular import Table
from parts.command_line import numbers, words

FALSE_EDGES = 10
STRONG = 3.0
WHAT_IS_SHOWN = """\
*Turned* is the number of true edges that the DAG has in the wrong direction. *Tiers* are the true
depths of the variables. *False seen* is the number of false required edges with strong evidence
against them (log odds above 3), of ten. All figures are means over the seeds."""


@dataclass(frozen=True)
class Cell:
    """One fit: edges in the wrong direction, and F in percent."""

    turned: int
    f_score: float


def main() -> None:
    """Learn every table with and without knowledge, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=numbers, default=[1, 2, 3])
    parser.add_argument("--networks", type=words, default=["alarm", "insurance", "win95pts"])
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".md"))
    arguments = parser.parse_args()
    header = ["network", "turned", "F", "turned, tiers", "F, tiers", "false seen"]
    rows = []
    for name in arguments.networks:
        cells = [measured(name, arguments.rows, seed) for seed in arguments.seeds]
        means = [f"{fmean(column):.1f}" for column in zip(*cells, strict=True)]
        rows.append([name, *means])
        print(name, *means)
    command = (
        f"`python experiments/prior_knowledge.py --seeds {','.join(map(str, arguments.seeds))} "
        f"--networks {','.join(arguments.networks)} --rows {arguments.rows}`\n\n{WHAT_IS_SHOWN}"
    )
    with atomic_file(arguments.output) as draft:
        page = Table("knowledge", "Prior knowledge", header, rows, command).markdown(1)
        draft.write_text(page, encoding="utf-8")


def measured(name: str, rows: int, seed: int) -> tuple[float, ...]:
    """Learn one table: without knowledge, with true tiers, and with false required edges."""
    net = load_network(name)
    rng = np.random.default_rng(seed)
    table = net.sample(rows, random_state=seed)
    table = table[list(rng.permutation(table.columns))]
    plain = cell(LSBN(random_state=seed).fit(table), net.dag)
    told = Knowledge(tiers=depths(net.dag))
    tiers = cell(LSBN(random_state=seed, knowledge=told).fit(table), net.dag)
    false = false_edges(net.dag, rng)
    model = LSBN(random_state=seed, knowledge=Knowledge(required=false)).fit(table)
    strong = [each for each in model.diagnostics_.knowledge.disagreements if each.log_odds > STRONG]
    seen = sum((each.source, each.target) in false for each in strong)
    return plain.turned, plain.f_score, tiers.turned, tiers.f_score, seen


def cell(model: LSBN, truth: nx.DiGraph) -> Cell:
    """Compare a model with the true graph."""
    turned = sum(truth.has_edge(v, u) for u, v in model.dag_.edges)
    return Cell(turned, metrics.compare(model.dag_, truth).f_score)


def depths(dag: nx.DiGraph) -> list[list[str]]:
    """Variables by the length of the longest path that leads to them."""
    return [sorted(generation) for generation in nx.topological_generations(dag)]


def false_edges(dag: nx.DiGraph, rng: np.random.Generator) -> list[tuple[str, str]]:
    """Draw pairs of variables without an edge, each in the order of the network."""
    order = list(nx.topological_sort(dag))
    found: list[tuple[str, str]] = []
    while len(found) < FALSE_EDGES:
        a, b = sorted(rng.choice(len(order), 2, replace=False).tolist())
        edge = order[a], order[b]
        if not dag.has_edge(*edge) and edge not in found:
            found.append(edge)
    return found


if __name__ == "__main__":
    main()
