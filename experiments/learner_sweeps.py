"""Sweep the parameters of ARACNE, PC, greedy search and MMHC on the bundled networks.

Writes ``learner_sweeps.md`` beside this file: the mean F of the skeleton, in percent, for each
setting, beside the higher of two figures: the paper's global F, and the best F of another package.
Tables have 20,000 rows and shuffled columns. The defaults were chosen as one setting for all
networks.

    python experiments/learner_sweeps.py [--seeds 11 12 13] [--large-seeds 11]
"""

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from lsbn.data import Dataset
from lsbn.files import atomic_file
from lsbn.learners.aracne import learn_aracne
from lsbn.learners.base import Learned
from lsbn.learners.greedy import Climbing, learn_greedy
from lsbn.learners.mmhc import learn_mmhc
from lsbn.learners.pc import learn_pc
from lsbn.learners.scoring import PUBLISHED
from lsbn.metrics import compare
from lsbn.network import load_network
from lsbn.studies.cells import shuffled_table

NETWORKS = ("alarm", "insurance", "win95pts", "pigs", "link")
LARGE = ("pigs", "link")
TARGETS = {
    "ARACNE": (76.5, 68.3, 64.5, 99.9, 48.0),
    "PC": (96.6, 90.5, 83.3, 99.2, 11.5),
    "greedy": (93.8, 85.5, 85.0, 100.0, 56.1),
    "MMHC": (96.7, 88.7, 77.8, 100.0, 57.4),
}
NOTE = (
    "The rows of greedy and MMHC were measured with a shorter search (patience 15, 120 to 250 "
    "kicks in a round) than that of the present default, and have to be measured again. On six "
    "seeds that were not used for any choice, the present default of greedy gives 85.8 on win95pts "
    "(81.9 to 88.6), so the 90.4 below is a lucky result."
)
"""About the figures of the present page. Remove it when the page is measured again."""
NO_KICKS = Climbing(rounds=0)
SETTINGS: dict[str, tuple[Callable[..., Learned], dict[str, dict]]] = {
    "ARACNE": (
        learn_aracne,
        {
            "default (alpha 0.05 over all pairs, tolerance 0)": {},
            "alpha 0.01 over all pairs": {"alpha": 0.01},
            "tolerance 0.02": {"tolerance": 0.02},
            "tolerance 0.05": {"tolerance": 0.05},
            "tolerance 0.1": {"tolerance": 0.1},
            "threshold by permutation": {"threshold": "permutation"},
            "threshold 0 nats": {"threshold": 0.0},
            "threshold 0.01 nats": {"threshold": 0.01},
            "threshold 0.05 nats": {"threshold": 0.05},
        },
    ),
    "PC": (
        learn_pc,
        {
            "default (alpha min(0.05, 3/n), sets up to 3)": {},
            "alpha 0.05": {"alpha": 0.05},
            "alpha 0.01": {"alpha": 0.01},
            "alpha 0.001": {"alpha": 0.001},
            "sets up to 1": {"max_size": 1},
            "sets up to 2": {"max_size": 2},
        },
    ),
    "greedy": (
        learn_greedy,
        {
            "default (BDeu, ESS 1, prior, kicks)": {},
            "no kicks": {"effort": NO_KICKS},
            "no kicks, no tabu list": {"effort": Climbing(tenure=0, patience=0, rounds=0)},
            "no structure prior": {"score": replace(PUBLISHED, prior="none")},
            "ESS 10": {"score": replace(PUBLISHED, ess=10.0)},
            "BIC": {"score": replace(PUBLISHED, kind="bic")},
            "K2": {"score": replace(PUBLISHED, kind="k2")},
        },
    ),
    "MMHC": (
        learn_mmhc,
        {
            "default (tests of PC, climb of greedy)": {},
            "alpha 0.05": {"alpha": 0.05},
            "alpha 0.001": {"alpha": 0.001},
            "no kicks": {"effort": NO_KICKS},
            "ESS 10": {"score": replace(PUBLISHED, ess=10.0)},
        },
    ),
}


def main() -> None:
    """Run every setting on every network and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[11, 12, 13])
    parser.add_argument("--large-seeds", type=int, nargs="+", default=[11])
    arguments = parser.parse_args()
    tables = {
        name: [
            shuffled(name, s) for s in (arguments.large_seeds if name in LARGE else arguments.seeds)
        ]
        for name in NETWORKS
    }
    lines = ["# Settings of the learners", "", heading(arguments), "", NOTE, ""]
    for learner, (learn, settings) in SETTINGS.items():
        lines += [f"## {learner}", "", "| | " + " | ".join(NETWORKS) + " |", "|---" * 6 + "|"]
        lines += [row("to reach", TARGETS[learner])]
        for label, options in settings.items():
            figures = [mean_f(learn, options, name, tables[name]) for name in NETWORKS]
            lines += [row(label, figures)]
            print(learner, lines[-1], flush=True)
        lines += [""]
    with atomic_file(Path(__file__).with_suffix(".md")) as draft:
        draft.write_text("\n".join(lines), encoding="utf-8")


def heading(arguments: argparse.Namespace) -> str:
    """Say what was measured."""
    return (
        "F of the skeleton in percent, 20,000 rows, columns shuffled. Written by "
        f"`python experiments/learner_sweeps.py`. Mean over seeds {arguments.seeds}; for "
        f"{' and '.join(LARGE)}, seeds {arguments.large_seeds}. 'To reach' is the higher of two "
        "figures: the paper's global F, and the best F of another package that we measured."
    )


def shuffled(name: str, seed: int) -> Dataset:
    """Draw a table and shuffle its columns."""
    return Dataset.from_table(shuffled_table(load_network(name), 20_000, seed))


def mean_f(learn: Callable[..., Learned], options: dict, name: str, tables: list[Dataset]) -> float:
    """Mean F over the tables of a network."""
    truth = load_network(name).dag
    graphs = (learn(data, random_state=0, **options).edges.to_networkx() for data in tables)
    return float(np.mean([compare(graph, truth).f_score for graph in graphs]))


def row(label: str, figures: tuple[float, ...] | list[float]) -> str:
    """One line of a table."""
    return f"| {label} | " + " | ".join(f"{f:.1f}" for f in figures) + " |"


if __name__ == "__main__":
    main()
