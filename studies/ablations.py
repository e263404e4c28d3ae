"""What each difference between ``LSBN.paper()`` and ``LSBN()`` is worth.

Writes ``ablations.md`` beside this file: mean F of the skeleton, in percent, and mean seconds, for
model averaging under each setting; then, for the other learners, F inside LSBN beside F of the
learner run globally. Tables have 20,000 rows and shuffled columns.

    python studies/ablations.py [--networks alarm insurance win95pts] [--seeds 21 22 23] [--jobs 2]
"""

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import networkx as nx
import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from lsbn._files import atomic_file
from lsbn.data import Dataset
from lsbn.estimator import LSBN
from lsbn.learners import LEARNERS
from lsbn.metrics import compare
from lsbn.network import load_network

ROWS = 20_000
SETTINGS: dict[str, dict] = {
    "LSBN.paper()": {"weigh_votes": False, "last_pass": False},
    "without learning triplets again": {
        "weigh_votes": False,
        "last_pass": False,
        "resolve_conflicts": False,
    },
    "blankets by mutual information alone": {
        "weigh_votes": False,
        "last_pass": False,
        "weights": ("MI",),
    },
    "votes weighed": {"last_pass": False},
    "last pass": {"weigh_votes": False},
    "LSBN()": {},
}
"""Parameters that differ from the default. One weight function is also a partition of its own."""


def shuffled_table(network: str, seed: int) -> tuple[pd.DataFrame, nx.DiGraph]:
    """Sample a network, columns in random order."""
    net = load_network(network)
    table = net.sample(ROWS, random_state=seed)
    order = np.random.default_rng(seed).permutation(table.shape[1])
    return table[table.columns[order]], net.dag


def measure(
    learn: Callable[[pd.DataFrame, int], nx.DiGraph], network: str, seeds: list[int]
) -> str:
    """Mean F and seconds of one way to learn, over the seeds."""
    scores, seconds = [], []
    for seed in seeds:
        table, truth = shuffled_table(network, seed)
        begin = time.perf_counter()
        scores.append(compare(learn(table, seed), truth).f_score)
        seconds.append(time.perf_counter() - begin)
    return f"{fmean(scores):.1f} ({fmean(seconds):.0f} s)"


def inside(jobs: int, **options: object) -> Callable[[pd.DataFrame, int], nx.DiGraph]:
    """Learn by LSBN."""

    def learn(table: pd.DataFrame, seed: int) -> nx.DiGraph:
        return LSBN(random_state=seed, n_jobs=jobs, **options).fit(table).dag_

    return learn


def globally(jobs: int, learner: str) -> Callable[[pd.DataFrame, int], nx.DiGraph]:
    """Learn all variables at once, without the framework."""

    def learn(table: pd.DataFrame, seed: int) -> nx.DiGraph:
        dataset = Dataset.from_table(table)
        return LEARNERS[learner](dataset, random_state=seed, n_jobs=jobs).edges.dag()

    return learn


def rows(networks: list[str], seeds: list[int], jobs: int) -> list[tuple[str, ...]]:
    """Lines of the table: a name and a cell for each network."""
    ways = {name: inside(jobs, **options) for name, options in SETTINGS.items()}
    for learner in LEARNERS:
        ways[f"{learner}, global"] = globally(jobs, learner)
        if learner != "model-averaging":
            merged = {"learner": learner, "last_pass": False}
            ways[f"{learner}, LSBN without last pass"] = inside(jobs, **merged)
            ways[f"{learner}, LSBN"] = inside(jobs, learner=learner)
    found = []
    for name, learn in ways.items():
        found.append((name, *(measure(learn, network, seeds) for network in networks)))
        print(" | ".join(found[-1]), flush=True)
    return found


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--networks", nargs="+", default=["alarm", "insurance", "win95pts"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[21, 22, 23])
    parser.add_argument("--jobs", type=int, default=2)
    chosen = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    table = rows(chosen.networks, chosen.seeds, chosen.jobs)
    head = ("", *chosen.networks)
    lines = [f"| {' | '.join(line)} |" for line in (head, ("---",) * len(head), *table)]
    seeds = ", ".join(map(str, chosen.seeds))
    intro = f"# Ablations\n\nMean F in percent (seconds); {ROWS:,} rows, seeds {seeds}.\n\n"
    with atomic_file(Path(__file__).with_suffix(".md")) as draft:
        Path(draft).write_text(intro + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
