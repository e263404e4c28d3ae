"""Show how cells that were drawn from a network speak for its edges.

Writes ``halfway.md`` beside this file. Two networks differ in the parents of one variable. The mean
log ratio of completed tables is shown along the path of `lsbn.missing.halfway`, from t = 0, where
the first network draws the cells, to t = 1, where the second does. Its integral, by Simpson's rule,
is the log evidence of the observed cells. The path is walked up and down.

    python experiments/halfway.py [--output FILE]
"""

import argparse
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.integrate import simpson

from lsbn import Dataset
from lsbn.answers.families import DataCounts
from lsbn.answers.gaps import Gaps, network_tables
from lsbn.files import atomic_file
from lsbn.learners import Score
from lsbn.learners.families import FamilyScores
from lsbn.missing.halfway import drawn_table, halfway_table
from lsbn.missing.start import drawn_by_trees
from lsbn.studies.tabular import Table
from missing import Case
from parts.true_cells import true_tables

STEPS = (0.0, 0.25, 0.5, 0.75, 1.0)
DRAWS, BEFORE, SWEEPS = 25, 8, 3
"""Draws of tables and cells at each step, those that are not counted, and sweeps of each draw."""
WHAT_IS_SHOWN = """\
Mean log ratio, in nats, of the probabilities of completed tables with the second and with the first
parents; positive values are for the second. 5,000 rows, 30 % of the cells missing at random. The
cells are drawn from the first network at t = 0, from the second at t = 1, and half-way at t = 1/2.
All other variables have their true parents, and the path begins with cells drawn from the true
network. *Evidence* is the integral, the log Bayes factor of the observed cells.

`python experiments/halfway.py`"""


@dataclass(frozen=True)
class Question:
    """Two sets of parents of a variable in a table of the experiment on missing values."""

    network: str
    seed: int
    child: str
    first: tuple[str, ...]
    second: tuple[str, ...]

    @property
    def title(self) -> str:
        """The question in one line."""
        sides = " or ".join(", ".join(side) for side in (self.first, self.second))
        return f"{self.network}, seed {self.seed}: {self.child} given {sides}"


QUESTIONS = (
    Question("alarm", 3, "HRSAT", ("HR", "ERRCAUTER"), ("HR", "ERRCAUTER", "HREKG")),
    Question("insurance", 2, "MedCost", ("Accident", "Cushioning"), ("ThisCarDam", "Cushioning")),
)
"""The first parents are those of the true network, in part or all."""


def main() -> None:
    """Walk all paths, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".md"))
    arguments = parser.parse_args()
    rows = []
    for question in QUESTIONS:
        for way in ("up", "down"):
            ratios = walk(question, STEPS if way == "up" else STEPS[::-1])
            means = [ratios[t] for t in STEPS]
            cells = [f"{mean:+.1f}" for mean in (*means, simpson(means, x=STEPS))]
            rows.append([question.title, way, *cells])
            print(" | ".join(rows[-1]), flush=True)
    header = ["question", "way", *(f"t = {t:g}" for t in STEPS), "evidence"]
    page = Table("halfway", "Half-way between two networks", header, rows, WHAT_IS_SHOWN)
    with atomic_file(arguments.output) as draft:
        draft.write_text(page.markdown(1), encoding="utf-8")


def walk(question: Question, steps: tuple[float, ...], rows: int = 5000) -> dict[float, float]:
    """Return the mean log ratio at each step."""
    case = Case(question.network, "at random", 0.3, rows, question.seed)
    data = Dataset.from_table(case.tables[2], missing="infer")
    rng, score = np.random.default_rng(0), Score()
    place = {name: v for v, name in enumerate(data.names)}
    child = place[question.child]
    first, second = (
        tuple(sorted(place[name] for name in side)) for side in (question.first, question.second)
    )
    above = [
        tuple(sorted(place[name] for name in case.net.dag.predecessors(own))) for own in data.names
    ]
    assert data.gaps is not None
    gaps, table, found = Gaps.of(data.gaps), drawn_by_trees(data, rng), {}
    table = replace(table, codes=gaps.draw(table.codes, true_tables(case.net, data), 60, rng))
    for t in steps:
        ratios = []
        for _ in range(DRAWS):
            counts = DataCounts(table)
            families = [drawn_table(counts(v, own), score, rng) for v, own in enumerate(above)]
            both = (
                drawn_table(counts(child, side), score, rng, share)
                for side, share in ((first, 1 - t), (second, t))
            )
            families[child] = halfway_table(*both, t)
            net = network_tables(families, data.cards)
            table = replace(table, codes=gaps.draw(table.codes, net, SWEEPS, rng))
            family = FamilyScores(table, score)
            ratios.append(family(child, second) - family(child, first))
        found[t] = float(np.mean(ratios[BEFORE:]))
    return found


if __name__ == "__main__":
    main()
