"""Which ways the mixed score needs, by evidence, and whether it is honest about direction.

Writes ``ways.md`` beside this file. The first part learns a graph from each table and compares the
mixed score of this graph (`lsbn.kernels.mixture`) with other scores of the same graph: without one
of its ways, one way alone, with BDeu as a further way, with other weights. The second part compares
the directions that ``LSBN()`` and ``LSBN(score="bdeu")`` give to true edges.

    python experiments/ways.py [--seed 1] [--large] [--networks FILE ...] [--output FILE]

``--large`` adds link and pigs to the first part, ``--networks`` adds networks from BIF files.
"""

import argparse
import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from lsbn import LSBN, Dataset
from lsbn.files import atomic_file
from lsbn.kernels import scores
from lsbn.learners import Score
from lsbn.learners.scoring import columns_of
from lsbn.network import load_network
from lsbn.studies.cells import shuffled_table
from lsbn.studies.tabular import Table
from parts.family_ways import (
    BDEU,
    DEFAULT,
    MIXED,
    WAYS,
    Weights,
    families_of,
    log_average,
    parent_sets,
)
from parts.real_tables import tables
from parts.true_directions import FOUND, SCORES, SURE, Directions, directions, pooled

FEW, MANY = 1_000, 20_000
NETWORKS = (
    ("alarm", FEW),
    ("alarm", MANY),
    ("insurance", FEW),
    ("insurance", MANY),
    ("win95pts", FEW),
)
LARGE = (("link", MANY), ("pigs", MANY))
DIRECTED = (*NETWORKS[:4], ("win95pts", MANY))
"""Networks whose directions are compared."""
ROUNDING = 1e-6


def main() -> None:
    """Measure everything and write the page."""
    arguments = parsed()
    warnings.simplefilter("ignore", ConvergenceWarning)
    compared = []
    for name, table in sources(arguments):
        compared.append(Comparison.of(name, LSBN(random_state=arguments.seed).fit(table)))
        print(" | ".join(compared[-1].cells()), flush=True)
    directed = []
    for name, rows in DIRECTED:
        directed += directions(name, rows, arguments.seed)
        print(*(" | ".join(d.cells()) for d in directed[-len(SCORES) :]), sep="\n", flush=True)
    with atomic_file(arguments.output) as draft:
        draft.write_text(page(compared, directed, command(arguments)), encoding="utf-8")


def parsed() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1, help="for samples and learners")
    parser.add_argument("--large", action="store_true", help="also the networks link and pigs")
    parser.add_argument("--networks", type=Path, nargs="+", default=[], metavar="FILE")
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".md"))
    return parser.parse_args()


def command(arguments: argparse.Namespace) -> str:
    """Return the command that makes the page again."""
    parts = ["python experiments/ways.py", "--seed", str(arguments.seed)]
    parts += ["--large"] if arguments.large else []
    parts += ["--networks", *(path.name for path in arguments.networks)] * bool(arguments.networks)
    return " ".join(parts)


def sources(arguments: argparse.Namespace) -> Iterator[tuple[str, pd.DataFrame]]:
    """Give the real tables and samples of the networks, by name."""
    yield from tables().items()
    wanted: list[tuple[str | Path, int]] = [*NETWORKS, *(LARGE if arguments.large else ())]
    wanted += [(path, rows) for path in arguments.networks for rows in (FEW, MANY)]
    for network, rows in wanted:
        label = f"{Path(network).name.split('.')[0]}-{rows}"
        yield label, shuffled_table(load_network(network), rows, arguments.seed)


# The scores to compare


@dataclass(frozen=True)
class Variant:
    """Another score: the ways it averages, as places in `WAYS`, and their weights."""

    name: str
    ways: tuple[int, ...] = MIXED
    weights: Weights = DEFAULT


def variants() -> list[Variant]:
    """Give all scores that are compared with the mixed score."""
    found = [Variant(f"−{WAYS[out]}", tuple(w for w in MIXED if w != out)) for out in MIXED]
    found += [Variant(f"only {WAYS[w]}", (w,)) for w in (BDEU, *MIXED)]
    found.append(Variant("+BDeu", (*MIXED, BDEU)))
    other = {
        "own ¼, 4": replace(DEFAULT, own=(1 / 4, 4.0)),
        "own 1": replace(DEFAULT, own=(1.0,)),
        "own 4⁻³…4³": replace(DEFAULT, own=tuple(4.0**e for e in range(-3, 4))),
        "trees 1/256": replace(DEFAULT, tree=(1 / 256,)),
        "trees 1/8": replace(DEFAULT, tree=(1 / 8,)),
        "trees 4⁻⁴…4": replace(DEFAULT, tree=tuple(4.0**e for e in range(-4, 2))),
        "shrunk 2": replace(DEFAULT, shrunk=(2.0,)),
        "no ∞": replace(DEFAULT, table=DEFAULT.table[:-1]),
    }
    return found + [Variant(name, weights=weights) for name, weights in other.items()]


@dataclass(frozen=True)
class Comparison:
    """Scores of the graph that was learned from one table.

    Attributes
    ----------
    name : str
    families, with_trees : int
        Number of families, and of those among them that have trees.
    total : float
        Log score of the graph, without the prior on graphs.
    gains : tuple of float
        What it gains with each of the `variants`.
    """

    name: str
    families: int
    with_trees: int
    total: float
    gains: tuple[float, ...]

    @classmethod
    def of(cls, name: str, model: LSBN) -> "Comparison":
        """Score the graph of a fitted model."""
        families = families_of(model.dataset_, model.dag_)
        others = variants()
        evidence = {
            weights: np.array([family.ways(weights) for family in families])
            for weights in {DEFAULT, *(variant.weights for variant in others)}
        }
        total = float(log_average(evidence[DEFAULT], MIXED).sum())
        check(total, model.dataset_, model.dag_)
        gains = [log_average(evidence[v.weights], v.ways).sum() - total for v in others]
        with_trees = ~np.isnan(evidence[DEFAULT]).any(axis=1)
        return cls(name, len(families), int(with_trees.sum()), total, tuple(map(float, gains)))

    @classmethod
    def sum_of(cls, compared: Sequence["Comparison"]) -> "Comparison":
        """Add up all tables."""
        parts = [(c.families, c.with_trees, c.total, *c.gains) for c in compared]
        families, with_trees, total, *gains = map(sum, zip(*parts, strict=True))
        return cls("**sum**", families, with_trees, total, tuple(gains))

    def cells(self) -> list[str]:
        """Give the row of the page's first table."""
        cells = [self.name, f"{self.with_trees} of {self.families}", f"{self.total:,.1f}"]
        return cells + [f"{gain:+,.1f}" for gain in self.gains]


def check(total: float, dataset: Dataset, dag: nx.DiGraph) -> None:
    """Compare the average of the ways with the score that learners use."""
    lookup = Score("mixed").lookup()
    want = math.fsum(
        scores.family_score(columns_of(dataset), lookup, child, parents)
        for child, parents in parent_sets(dataset, dag)
    )
    assert abs(total - want) < ROUNDING, f"the ways average to {total}, but the score is {want}"


# The page

WHAT_IS_SHOWN = """\
A graph is learned from each table with `LSBN()`. *Log score* is its mixed score in nats: the sum
over the families, without the prior on graphs. The columns after it show how much this log score
changes when the same graph gets another score. Positive numbers are better than the mixed score.
The graph was learned with the mixed score, and this favours the mixed score a little. Tables with
more rows have more weight in the sum. *With trees* is the number of families that have trees, of
all families.

- The five ways are five models of a variable given its parents (`lsbn.kernels.mixture`). Three are
  tables: all rows have the same prior weight (*one*), each row has its own weight (*own*), or the
  rows shrink towards the margin (*shrunk*). Two are decision trees: all leaves have the same weight
  (*trees*), or each leaf has its own weight (*own trees*).
- *−one* is the average of the other ways, *only one* is this way alone, and so on. *Only BDeu* is
  BDeu with an equivalent sample size of 1. With *only trees* and *only own trees*, a family without
  trees, or with negligible trees, has a table of own weights.
- *+BDeu* has BDeu as a sixth way.
- The other columns have other weights: *own* for tables and trees of own weights, *trees* for trees
  of one weight, *shrunk* for shrunk rows. *4⁻³…4³* and *4⁻⁴…4* are all powers of 4 in between.
  *No ∞* leaves out the infinite weight, which families without parents have.

Real tables are those of `experiments/held_out.py`, with all rows. The name of a network comes with
the number of rows that were drawn. Columns of networks are shuffled."""

DIRECTION = f"""\
The table is about true edges that were found: P(i → j) + P(j → i) is above {FOUND}. An edge is
compelled if it has the same direction in all graphs that are Markov equivalent to the true graph.
Otherwise it is reversible. For both kinds the table has

- their number, and *p*, the mean probability of the true direction if there is an edge;
- *Brier*, the mean of (1 − p)²; lower is better. A learner that always gives ½ has ¼;
- *honest*, the mean of p (1 − p): the Brier score to expect if directions are true as often as
  their probabilities say. A Brier score far above it shows too much confidence;
- *wrong*: of the directions with a probability above {SURE}, the number that are wrong.

Equivalent graphs have the same BDeu, but not the same mixed score. So the mixed score may prefer a
direction of a reversible edge, rightly or wrongly. Directions in one network depend on one
another."""


def page(compared: Sequence[Comparison], directed: Sequence[Directions], made_by: str) -> str:
    """Write everything down."""
    title = "Which ways the mixed score needs, by evidence"
    head = f"# {title}\n\nWritten by `{made_by}`.\n\n{WHAT_IS_SHOWN}\n"
    header = ["table", "with trees", "log score", *(variant.name for variant in variants())]
    rows = [c.cells() for c in (*compared, Comparison.sum_of(compared))]
    evidence = Table("", "Evidence", header, rows)
    figures_of = ("p", "Brier", "honest", "wrong")
    header = ["table", "score", "compelled", *figures_of, "reversible", *figures_of]
    rows = [d.cells() for d in (*directed, *pooled(directed))]
    direction = Table("", "Direction", header, rows, DIRECTION)
    return "\n".join([head, evidence.markdown(), direction.markdown()])


if __name__ == "__main__":
    main()
