"""Compare scores for global model averaging, and show the limits of the method.

Writes ``model_averaging.md`` beside this file. Tables have 20,000 rows and shuffled columns.

    python experiments/model_averaging.py [--seeds 31 32 33]
"""

import argparse
import warnings
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from lsbn.data import Dataset
from lsbn.files import atomic_file
from lsbn.kernels.scores import family_score
from lsbn.learners import PUBLISHED, Score, learn_model_averaging
from lsbn.learners.scoring import columns_of
from lsbn.metrics import compare
from lsbn.network import BayesianNetwork, load_network
from lsbn.studies.cells import shuffled_table

NETWORKS = ("alarm", "insurance", "win95pts")
SCORES = {
    "BDeu, ESS 0.3": replace(PUBLISHED, ess=0.3),
    "BDeu, ESS 1 (as published)": PUBLISHED,
    "BDeu, ESS 2": replace(PUBLISHED, ess=2.0),
    "BDeu, ESS 5": replace(PUBLISHED, ess=5.0),
    "BDeu, ESS 10": replace(PUBLISHED, ess=10.0),
    "BDeu, ESS 1, no structure prior": replace(PUBLISHED, prior="none"),
    "K2": replace(PUBLISHED, kind="k2"),
    "BIC": replace(PUBLISHED, kind="bic"),
}


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", nargs="+", type=int, default=[31, 32, 33])
    seeds = parser.parse_args().seeds
    warnings.simplefilter("ignore", ConvergenceWarning)
    lines = [
        "# Scores of global model averaging",
        "",
        f"F of the skeleton in percent, one figure for each of the seeds {seeds}. Edges above 0.5,",
        "20,000 rows, columns shuffled. Written by `python experiments/model_averaging.py`.",
        "",
        "| | " + " | ".join(NETWORKS) + " |",
        "|---|" + "---|" * len(NETWORKS),
    ]
    for name, score in SCORES.items():
        cells = [
            " ".join(f"{f:.1f}" for f in _f_scores(network, seeds, score)) for network in NETWORKS
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += ["", *_graphs(seeds), "", *_copies(seeds[0])]
    with atomic_file(Path(__file__).with_suffix(".md")) as draft:
        draft.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _table(network: str, seed: int) -> tuple[BayesianNetwork, Dataset]:
    net = load_network(network)
    return net, Dataset.from_table(shuffled_table(net, 20_000, seed))


def _f_scores(network: str, seeds: list[int], score: Score) -> list[float]:
    found = []
    for seed in seeds:
        net, dataset = _table(network, seed)
        learned = learn_model_averaging(dataset, score=score, random_state=seed, n_jobs=2)
        found.append(compare(learned.edges.dag(), net.dag).f_score)
    return found


def _graphs(seeds: list[int]) -> list[str]:
    """Compare the log score of the learned graph with that of the true one."""
    lines = [
        "## Scores of the true graph and of the learned graph",
        "",
        "Log score (BDeu, ESS 1, with the structure prior). Where the learned graph has the higher",
        "score, a better search would not find the true graph.",
        "",
        "| | seed | true | learned |",
        "|---|---|---|---|",
    ]
    for network in NETWORKS:
        for seed in seeds:
            net, dataset = _table(network, seed)
            learned = learn_model_averaging(dataset, score=PUBLISHED, random_state=seed, n_jobs=2)
            scores = [_log_score(dataset, graph) for graph in (net.dag, learned.edges.dag())]
            lines.append(f"| {network} | {seed} | {scores[0]:.1f} | {scores[1]:.1f} |")
    return lines


def _log_score(dataset: Dataset, graph) -> float:
    columns = columns_of(dataset)
    lookup = PUBLISHED.lookup()
    place = {name: v for v, name in enumerate(dataset.names)}
    total = 0.0
    for name, v in place.items():
        parents = np.array(sorted(place[u] for u in graph.predecessors(name)), np.int64)
        prior = PUBLISHED.penalty(dataset.n_variables, len(parents))[-1]
        total += prior + family_score(columns, lookup, v, parents)
    return total


def _copies(seed: int) -> list[str]:
    """List columns of win95pts that are copies of each other, row by row."""
    net, dataset = _table("win95pts", seed)
    lines = [
        "## Copies in win95pts",
        "",
        f"These columns determine each other in every row of the table of seed {seed}. If two",
        "copies change places in a graph, its score stays the same. So both graphs have the same",
        "probability, and a threshold of 0.5 chooses the parents of one copy or of the other by",
        "chance. `LSBN` learns the network with the first copy by name only.",
        "",
        "| copy | copy | parents in the true graph |",
        "|---|---|---|",
    ]
    codes = dataset.codes.astype(np.int64)
    for a, b in combinations(range(dataset.n_variables), 2):
        joint = np.unique(codes[a] * 64 + codes[b]).size
        if joint == dataset.cards[a] == dataset.cards[b]:
            one, two = dataset.names[a], dataset.names[b]
            parents = f"{net.dag.in_degree(one)} and {net.dag.in_degree(two)}"
            lines.append(f"| {one} | {two} | {parents} |")
    return lines


if __name__ == "__main__":
    main()
