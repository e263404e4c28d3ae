"""Judge learners by how well their graphs predict rows that they have not seen.

Writes ``held_out.md`` beside this file: the mean log-likelihood of an unseen row, in nats, on real
tables and on samples of the bundled networks. Every graph gets its probability tables by the same
rule, see `parts.prediction.predict`. Two further columns have the tables that the mixed score
implies, by the single graph and averaged over networks from the posterior, see `parts.own_tables`.

    python experiments/held_out.py [--seeds 1,2,3] [--large] [--tables iris,wine] [--output FILE]

``--large`` adds pigs and link. pgmpy is left out of tables with more than 20 columns, where its
search takes minutes. To compare a variant, another script adds it to `METHODS` and calls
`main`.
"""

import argparse
import math
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from time import process_time

import networkx as nx
import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from lsbn import LSBN
from lsbn.files import atomic_file
from lsbn.studies.peers import pyagrum_learner
from lsbn.studies.tabular import Table
from parts.command_line import chosen, numbers, words
from parts.own_tables import OwnTables, averaged, fitted, single
from parts.prediction import NETWORK_ROWS, Split, predict, split_network, split_table
from parts.real_tables import BINS, KEPT_VALUES, tables

NETWORKS = ("alarm", "insurance", "win95pts")
LARGE = ("pigs", "link")
PGMPY_COLUMNS = 20
LEFT_OUT = """\
Left out for fewer than 100 rows: linnerud of scikit-learn, and ccard, china_smoking, committee,
copper, cpunish, danish_data, elnino, heart, longley, scotland, spector, stackloss and statecrime of
statsmodels. Left out for fewer than 4 columns: cancer, co2, elec_equip, engel, interest_inflation
(without the year), nile, strikes and sunspots of statsmodels. Row numbers, dates, and columns
computed from others are not used. We use 5,000 rows of randhie, and every fifth year of fertility.
The rows of macrodata, modechoice and grunfeld depend on one another, but they are split as if they
were independent."""

WHAT_IS_SHOWN = f"""\
Mean log-likelihood of an unseen row in nats: higher is better. The number of edges is in brackets.
Both are means over the seeds. The column *rows* has the number of rows to learn from, and the
number of rows to predict. In real tables, numbers are cut into {BINS} quantile bins, unless a
column has at most {KEPT_VALUES} different numbers. Pixels of digits have three shades. Columns of
the networks are shuffled. All graphs get their probability tables by the same rule: the counts are
smoothed by the weight of one row in total, or by the weight of one row in each configuration of the
parents, whichever predicts the unseen rows better. In the columns *own tables* and *averaged* the
tables are those of the mixed score instead, and the unseen rows choose nothing: the first has the
graph of LSBN(), the second averages the probabilities of a row over 1,000 networks from the
posterior. pgmpy climbs hills with BDeu, on tables of at most {PGMPY_COLUMNS} columns. The last two
columns are differences on the same rows, with their standard errors over the rows of one split.
Splits of one table share rows, so more seeds do not make this error smaller."""

Method = Callable[[pd.DataFrame, int], nx.DiGraph | OwnTables | None]


def main() -> None:
    """Run every method on every table and write the page."""
    arguments = parsed()
    methods = available_methods()
    compared = []
    for name, split_of in chosen(sources(arguments.large), arguments.tables).items():
        splits = {seed: split_of(seed) for seed in arguments.seeds}
        compared.append(Comparison.of(name, splits, methods))
        print(" | ".join(compared[-1].cells()), flush=True)
    with atomic_file(arguments.output) as draft:
        draft.write_text(page(compared, command(arguments)), encoding="utf-8")


def parsed() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=numbers, default=[1, 2, 3], help="seeds of the splits")
    parser.add_argument("--large", action="store_true", help="also the networks pigs and link")
    parser.add_argument("--tables", type=words, default=[], help="names of the tables to use")
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".md"))
    return parser.parse_args()


def command(arguments: argparse.Namespace) -> str:
    """Return the command that makes the page again."""
    parts = ["python experiments/held_out.py", "--seeds", ",".join(map(str, arguments.seeds))]
    parts += ["--large"] if arguments.large else []
    parts += ["--tables", ",".join(arguments.tables)] if arguments.tables else []
    return " ".join(parts)


def sources(large: bool) -> dict[str, Callable[[int], Split]]:
    """Name everything that is learned from, and say how a seed splits it."""
    found: dict[str, Callable[[int], Split]] = {
        name: partial(split_table, table) for name, table in tables().items()
    }
    for name in NETWORKS + (LARGE if large else ()):
        found |= {f"{name}-{rows}": partial(split_network, name, rows) for rows in NETWORK_ROWS}
    return found


# Methods


def empty_graph(table: pd.DataFrame, seed: int) -> nx.DiGraph:
    """Join nothing."""
    graph = nx.DiGraph()
    graph.add_nodes_from(table.columns)
    return graph


def default(table: pd.DataFrame, seed: int) -> nx.DiGraph:
    """Learn with the defaults."""
    return fitted(table, seed).dag_


def as_published(table: pd.DataFrame, seed: int) -> nx.DiGraph:
    """Learn with every choice as published."""
    return LSBN.paper(random_state=seed).fit(table).dag_


def pyagrum_greedy(table: pd.DataFrame, seed: int) -> nx.DiGraph:
    """Learn by pyAgrum's greedy hill climbing with BDeu, which is told all states."""
    import pyagrum

    pyagrum.setNumberOfThreads(1)
    template = pyagrum.BayesNet()
    for name in table.columns:
        labels = list(table[name].cat.categories)
        template.add(pyagrum.LabelizedVariable(name, name, labels))
    learner = pyagrum_learner(table.astype(str), template)
    learner.useGreedyHillClimbing()
    learner.useScoreBDeu()
    graph = empty_graph(table, seed)
    graph.add_edges_from(
        (learner.nameFromId(a), learner.nameFromId(b)) for a, b in learner.learnDAG().arcs()
    )
    return graph


def pgmpy_greedy(table: pd.DataFrame, seed: int) -> nx.DiGraph | None:
    """Learn by pgmpy's hill climbing with BDeu."""
    from pgmpy.estimators import HillClimbSearch

    if table.shape[1] > PGMPY_COLUMNS:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = HillClimbSearch(table).estimate(scoring_method="bdeu", show_progress=False)
    graph = empty_graph(table, seed)
    graph.add_edges_from(found.edges)
    return graph


OURS, PEER, AVERAGED, SINGLE = "LSBN()", "pyAgrum", "averaged", "own tables"
PACKAGES = {PEER: "pyagrum", "pgmpy": "pgmpy"}
METHODS: dict[str, Method] = {
    "empty graph": empty_graph,
    OURS: default,
    SINGLE: single,
    AVERAGED: averaged,
    "LSBN.paper()": as_published,
    PEER: pyagrum_greedy,
    "pgmpy": pgmpy_greedy,
}
"""What learns: takes a table of categories and a seed, gives an acyclic graph, or networks with
tables of their own, or None if the table is too large."""


def available_methods() -> dict[str, Method]:
    """Return the methods whose packages are installed."""
    absent = {name for name, package in PACKAGES.items() if find_spec(package) is None}
    for name in sorted(absent):
        print(f"{PACKAGES[name]} is not installed: its graphs are left out", file=sys.stderr)
    return {name: method for name, method in METHODS.items() if name not in absent}


# Comparison

PAIRS = ((OURS, PEER), (AVERAGED, SINGLE))
"""Methods whose difference is shown."""


@dataclass(frozen=True)
class Outcome:
    """What one method did on one split: log-likelihoods of unseen rows, edges, seconds."""

    logs: np.ndarray
    edges: float
    seconds: float


def outcome(split: Split, method: Method, seed: int) -> Outcome | None:
    """Learn and predict."""
    begun = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = method(split.train, seed)
    seconds = process_time() - begun
    if found is None:
        return None
    if isinstance(found, OwnTables):
        return Outcome(found.log_likelihoods(split), found.edges, seconds)
    return Outcome(predict(found, split), found.number_of_edges(), seconds)


@dataclass(frozen=True)
class Comparison:
    """All methods on all splits of one table.

    Attributes
    ----------
    name : str
    shape : tuple of int
        Rows learned from, rows predicted, and columns.
    outcomes : dict
        Of each method an `Outcome` for each seed; none if the table is too large for it.
    """

    name: str
    shape: tuple[int, int, int]
    outcomes: Mapping[str, Sequence[Outcome]]

    @classmethod
    def of(
        cls, name: str, splits: Mapping[int, Split], methods: Mapping[str, Method]
    ) -> "Comparison":
        """Run the methods."""
        outcomes: dict[str, list[Outcome]] = {label: [] for label in methods}
        for seed, split in splits.items():
            for label, method in methods.items():
                if (found := outcome(split, method, seed)) is not None:
                    outcomes[label].append(found)
        some = next(iter(splits.values()))
        return cls(name, (len(some.train), *some.test.shape), outcomes)

    def difference(self, method: str, other: str = PEER) -> tuple[float, float]:
        """Mean gain of a method over pyAgrum or another one on the same rows, and its error.

        The error is that of one split, over its rows. Splits of one table share rows: more of
        them do not make it smaller.
        """
        pairs = zip(self.outcomes[method], self.outcomes[other], strict=True)
        gains = [a.logs - b.logs for a, b in pairs]
        variance = np.mean([gain.var(ddof=1) / len(gain) for gain in gains])
        return float(np.mean([gain.mean() for gain in gains])), math.sqrt(variance)

    def cells(self) -> list[str]:
        """Give the row of the page's first table."""
        learned, predicted, columns = self.shape
        cells = [self.name, f"{learned:,} + {predicted:,}", str(columns)]
        for found in self.outcomes.values():
            if not found:
                cells.append("")
                continue
            logs, edges = np.mean([o.logs.mean() for o in found]), np.mean([o.edges for o in found])
            cells.append(f"{logs:.3f} ({edges:.1f})")
        for method, other in PAIRS:
            if method in self.outcomes and other in self.outcomes:
                gain, error = self.difference(method, other)
                cells.append(f"{gain:+.3f} ± {error:.3f}")
        return cells


def page(compared: Sequence[Comparison], made_by: str) -> str:
    """Write everything down."""
    methods = list(compared[0].outcomes)
    header = ["table", "rows", "columns", *methods]
    header += [f"{a} − {b}" for a, b in PAIRS if a in methods and b in methods]
    likelihoods = Table("", "Log-likelihood", header, [c.cells() for c in compared], LEFT_OUT)
    head = f"# Prediction of unseen rows\n\nWritten by `{made_by}`.\n\n{WHAT_IS_SHOWN}\n"
    return "\n".join([head, likelihoods.markdown(), summary(compared).markdown()])


def summary(compared: Sequence[Comparison]) -> Table:
    """Count the tables on which each method predicts better and worse than pyAgrum."""
    rows = []
    for method in compared[0].outcomes:
        spent = sum(o.seconds for c in compared for o in c.outcomes[method])
        cells = ["", "", ""]
        if PEER in compared[0].outcomes and method != PEER:
            gains = [c.difference(method) for c in compared if c.outcomes[method]]
            better = sum(gain > 2 * error for gain, error in gains)
            worse = sum(gain < -2 * error for gain, error in gains)
            cells = [str(better), str(worse), str(len(gains) - better - worse)]
        rows.append([method, *cells, f"{spent:.1f}"])
    header = ["method", f"better than {PEER}", "worse", "undecided", "CPU s, all fits"]
    note = (
        "A table counts as better or worse if the difference exceeds two standard errors. "
        f"{OURS}, {SINGLE} and {AVERAGED} share a fit."
    )
    return Table("", "Summary", header, rows, note)


if __name__ == "__main__":
    main()
