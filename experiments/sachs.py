"""Learn the network of eleven proteins from single cells (Sachs et al. 2005).

Writes ``sachs.md`` beside this file. The data are not part of this repository: the first argument
is a CSV file with one column for each protein, and the second one with the columns Cause and Effect
that has the edges of the consensus network.

    python experiments/sachs.py DATA.csv TARGET.csv [--rows 853] [--seeds 1,2,3] [--output FILE]

Only the first rows are learned from, those of cells without an intervention on a single protein.
They are cut into three levels by the method of Hartemink (2001), as Sachs et al. did.
"""

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean

import networkx as nx
import numpy as np
import pandas as pd

from held_out import PACKAGES, available_methods, pgmpy_greedy, pyagrum_greedy
from lsbn import LSBN, Knowledge, metrics
from lsbn.files import atomic_file
from lsbn.studies.tabular import Table
from parts.command_line import numbers
from parts.own_tables import OwnTables
from parts.prediction import LEARNED_SHARE, Split, predict

ROWS, LEVELS, FIRST_LEVELS = 853, 3, 60
HEADER = ["method", "F", "edges", "turned", "unseen rows", "averaged"]
WHAT_IS_SHOWN = f"""\
*F* is that of the skeleton in percent, *edges* the number of edges, and *turned* the number of
edges of the consensus network that are found in the other direction. These are from all rows, and
means over the seeds of the learner. The consensus network has a directed cycle (plcg, PIP2, PIP3),
so no acyclic graph has all its directions. *Unseen rows* is the mean log-likelihood of an unseen
row in nats, by the single graph: {LEARNED_SHARE:.0%} of the rows are learned from, and the levels
are cut by these rows alone; the tables of all graphs have the same rule, see `held_out.md`.
*Averaged* is the same, averaged over networks from the posterior, with the tables of the score.
*Tiers* are the depths of the proteins in the consensus network, the cycle taken as one. pyAgrum and
pgmpy climb hills with BDeu.

The figures of this page are from the 7,466 cells that the package cdt 0.6.0 has, and from its list
of edges. The cells are in the order of the nine conditions, which have 853, 902, 911, 723, 810,
799, 848, 913 and 707 cells: there the means of the proteins change. The first condition (anti-CD3
and anti-CD28) has no intervention.

Levels: each protein is first cut into {FIRST_LEVELS} intervals with the same number of rows. Then
two neighbouring intervals are joined, again and again, until {LEVELS} are left. They are those
whose joining loses the least mutual information with all other proteins, summed over pairs."""

Learned = tuple[nx.DiGraph, OwnTables | None]


def main() -> None:
    """Learn by every method, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--rows", type=int, default=ROWS, help="rows that are used, the first ones")
    parser.add_argument("--seeds", type=numbers, default=[1, 2, 3])
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".md"))
    arguments = parser.parse_args()
    table = pd.read_csv(arguments.data).head(arguments.rows)
    target = read_target(arguments.target, list(table))
    rows = [
        measured(name, learn, table, target, arguments.seeds)
        for name, learn in methods(target).items()
    ]
    seeds = ",".join(map(str, arguments.seeds))
    note = f"{WHAT_IS_SHOWN}\n\n`python experiments/sachs.py DATA.csv TARGET.csv --seeds {seeds}`"
    title = f"Proteins of single cells: {len(table):,} rows, {target.number_of_edges()} edges"
    with atomic_file(arguments.output) as draft:
        draft.write_text(Table("sachs", title, HEADER, rows, note).markdown(1), encoding="utf-8")


def read_target(path: Path, names: Sequence[str]) -> nx.DiGraph:
    """Read the consensus network."""
    edges = pd.read_csv(path)
    if unknown := set(edges["Cause"]).union(edges["Effect"]).difference(names):
        raise SystemExit(f"{path}: no such columns in the data: {', '.join(sorted(unknown))}")
    graph = nx.DiGraph()
    graph.add_nodes_from(names)
    graph.add_edges_from(edges[["Cause", "Effect"]].itertuples(index=False))
    return graph


def depths(target: nx.DiGraph) -> list[list[str]]:
    """Return the variables of each depth; those of a cycle have the same depth."""
    whole = nx.condensation(target)
    return [
        sorted(name for part in layer for name in whole.nodes[part]["members"])
        for layer in nx.topological_generations(whole)
    ]


# Levels


def informative_cuts(table: pd.DataFrame, first: int = FIRST_LEVELS) -> dict[str, np.ndarray]:
    """Return the upper ends of all levels but the last, of each column (Hartemink 2001)."""
    shares = np.linspace(0, 1, first + 1)[1:-1]
    cuts = {name: np.unique(table[name].quantile(shares)) for name in table}
    while max(map(len, cuts.values())) >= LEVELS:
        codes = levels(table, cuts)
        for name in table:
            if len(cuts[name]) >= LEVELS:
                cuts[name] = np.delete(cuts[name], _least_loss(codes, name, len(cuts[name])))
                codes[name] = np.searchsorted(cuts[name], table[name])
    return cuts


def levels(table: pd.DataFrame, cuts: dict[str, np.ndarray]) -> pd.DataFrame:
    """Return the level of each value, counted from 0."""
    return pd.DataFrame({name: np.searchsorted(cuts[name], table[name]) for name in table})


def _least_loss(codes: pd.DataFrame, name: str, n_cuts: int) -> int:
    """Return the cut whose removal loses the least mutual information with other columns."""
    losses = np.zeros(n_cuts)
    for other in codes.columns.drop(name):
        card = int(codes[other].max()) + 1
        cells = np.bincount(codes[name] * card + codes[other], minlength=(n_cuts + 1) * card)
        counts = cells.reshape(n_cuts + 1, card).astype(float)
        counts = np.column_stack([counts, counts.sum(axis=1)])
        gains = _log_term(counts[:-1]) + _log_term(counts[1:]) - _log_term(counts[:-1] + counts[1:])
        losses += gains[:, :-1].sum(axis=1) - gains[:, -1]
    return int(losses.argmin())


def _log_term(counts: np.ndarray) -> np.ndarray:
    """Return x log x, and 0 for 0."""
    return counts * np.log(np.maximum(counts, 1))


# Methods


def methods(target: nx.DiGraph) -> dict[str, Callable[[pd.DataFrame, int], Learned]]:
    """Name what learns: it takes a table of levels and a seed."""
    found: dict[str, Callable[[pd.DataFrame, int], Learned]] = {
        "LSBN()": partial(_ours, None),
        "LSBN(), tiers": partial(_ours, Knowledge(tiers=depths(target))),
    }
    installed = available_methods()
    for name, learn in (("pyAgrum", pyagrum_greedy), ("pgmpy", pgmpy_greedy)):
        if name in PACKAGES and name in installed:
            found[name] = partial(_alone, learn)
    return found


def _ours(knowledge: Knowledge | None, table: pd.DataFrame, seed: int) -> Learned:
    """Learn with the defaults."""
    model = LSBN(random_state=seed, knowledge=knowledge).fit(table)
    return model.dag_, OwnTables(model.graphs_)


def _alone(
    learn: Callable[[pd.DataFrame, int], nx.DiGraph], table: pd.DataFrame, seed: int
) -> Learned:
    """Learn a single graph."""
    return learn(table, seed), None


def measured(
    name: str,
    learn: Callable[[pd.DataFrame, int], Learned],
    table: pd.DataFrame,
    target: nx.DiGraph,
    seeds: Sequence[int],
) -> list[str]:
    """Return the row of a method."""
    whole = levels(table, informative_cuts(table)).astype(str).astype("category")
    graphs = [learn(whole, seed)[0] for seed in seeds]
    skeleton = target.to_undirected()
    cells = [
        fmean(metrics.compare(graph.to_undirected(), skeleton).f_score for graph in graphs),
        fmean(graph.number_of_edges() for graph in graphs),
        fmean(turned(graph, target) for graph in graphs),
    ]
    logs, averages = [], []
    for seed in seeds:
        split = split_levels(table, seed)
        graph, networks = learn(split.train, seed)
        logs.append(predict(graph, split).mean())
        if networks is not None:
            averages.append(networks.log_likelihoods(split).mean())
    averaged = f"{fmean(averages):.3f}" if averages else "-"
    return [name, *(f"{cell:.1f}" for cell in cells), f"{fmean(logs):.3f}", averaged]


def turned(graph: nx.DiGraph, target: nx.DiGraph) -> int:
    """Return how many edges of the target the graph has in the other direction only."""
    return sum(graph.has_edge(v, u) and not target.has_edge(v, u) for u, v in target.edges)


def split_levels(table: pd.DataFrame, seed: int) -> Split:
    """Split the rows; the levels are cut by the rows to learn from."""
    order = np.random.default_rng(seed).permutation(len(table))
    train, test = np.split(order, [round(LEARNED_SHARE * len(table))])
    cuts = informative_cuts(table.iloc[train])
    return Split.of(levels(table, cuts), train, test)


if __name__ == "__main__":
    main()
