"""Judge learners by how well their graphs predict rows that they have not seen.

Writes ``held_out.md`` beside this file: the mean log-likelihood of an unseen row, in nats, on real
tables and on samples of the bundled networks. Only graphs are compared. Every graph gets its
probability tables by the same rule, see `predict`.

    python experiments/held_out.py [--seeds 1,2,3] [--large] [--tables iris,wine] [--output FILE]

``--large`` adds pigs and link. To compare a variant, another script adds it to `METHODS` and calls
`main`.
"""

import argparse
import math
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from sklearn import datasets
from sklearn.exceptions import ConvergenceWarning

from lsbn import LSBN
from lsbn.files import atomic_file
from lsbn.network import load_network
from lsbn.studies.tabular import Table

BINS = 3
KEPT_VALUES = 8
"""A column of numbers with at most this many values keeps each of them as a state."""
GREY_LIMITS = (6, 12)
"""The 17 grey levels of a pixel of digits become 0 to 5, 6 to 11, and 12 to 16."""
LEARNED_SHARE = 0.7
RANDHIE_ROWS = 5_000
NETWORKS = ("alarm", "insurance", "win95pts")
LARGE = ("pigs", "link")
NETWORK_ROWS = (200, 1_000, 5_000)
UNSEEN_ROWS = 5_000
DROPPED = {
    "anes96": ["logpopul"],
    "fair": [],
    "star98": [],
    "randhie": [],
    "modechoice": ["individual"],
    "macrodata": ["year", "quarter"],
    "grunfeld": ["year"],
    "fertility": [],
}
"""Tables of statsmodels, and the columns that number the rows or repeat another column."""
LEFT_OUT = """\
Left out for fewer than 100 rows: linnerud of scikit-learn, and ccard, china_smoking, committee,
copper, cpunish, danish_data, elnino, heart, longley, scotland, spector, stackloss and statecrime of
statsmodels. Left out for fewer than 4 columns: cancer, co2, elec_equip, engel, interest_inflation
(without the year), nile, strikes and sunspots of statsmodels. Row numbers, dates, and columns
computed from others are not used. Of randhie 5,000 rows are used, of fertility every fifth year.
The rows of macrodata, modechoice and grunfeld depend on one another, and are split as if they did
not."""

WHAT_IS_SHOWN = f"""\
Mean log-likelihood of an unseen row in nats: higher is better. In brackets the number of edges.
Both are means over the seeds. Rows are those learned from, and those predicted. Numbers of real
tables are cut into {BINS} quantile bins, unless a column has at most {KEPT_VALUES} of them. Pixels
of digits have three shades. Columns of the networks are shuffled. All graphs get their probability
tables by one rule: counts smoothed by the weight of one row in all, or of one row in each
configuration of the parents, whichever predicts the unseen rows better. The last column is the
difference on the same rows, with its standard error over the rows of one split. Splits of one table
share rows, so more seeds do not make this error smaller."""

Method = Callable[[pd.DataFrame, int], nx.DiGraph]


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


def words(text: str) -> list[str]:
    """Split text at commas."""
    return [word.strip() for word in text.split(",")]


def numbers(text: str) -> list[int]:
    """Split text at commas into whole numbers."""
    return [int(word) for word in words(text)]


def chosen(found: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Keep the entries that are asked for, or all if no name is given."""
    if strange := [name for name in names if name not in found]:
        raise SystemExit(f"unknown: {', '.join(strange)}; there are {', '.join(found)}")
    return {name: entry for name, entry in found.items() if not names or name in names}


def command(arguments: argparse.Namespace) -> str:
    """Return the command that makes the page again."""
    parts = ["python experiments/held_out.py", "--seeds", ",".join(map(str, arguments.seeds))]
    parts += ["--large"] if arguments.large else []
    parts += ["--tables", ",".join(arguments.tables)] if arguments.tables else []
    return " ".join(parts)


# Tables


def tables() -> dict[str, pd.DataFrame]:
    """Return all real tables by name; every value is the label of a state."""
    return sklearn_tables() | statsmodels_tables()


def sklearn_tables() -> dict[str, pd.DataFrame]:
    """Return the tables that come with scikit-learn."""
    names = ("iris", "wine", "breast_cancer", "diabetes")
    raw = {name: getattr(datasets, f"load_{name}")(as_frame=True).frame for name in names}
    return {name: discretised(table) for name, table in raw.items()} | {"digits": digits()}


def digits() -> pd.DataFrame:
    """Return the images of digits in three shades, with the digit as last column."""
    frame = datasets.load_digits(as_frame=True).frame
    pixels = frame.columns[:-1]
    shades = np.digitize(frame[pixels], GREY_LIMITS).astype(str)
    return pd.DataFrame(shades, columns=pixels).assign(digit=frame["target"].astype(str))


def statsmodels_tables() -> dict[str, pd.DataFrame]:
    """Return usable tables that come with statsmodels, or none where it is not installed."""
    if find_spec("statsmodels") is None:
        print("statsmodels is not installed: its tables are left out", file=sys.stderr)
        return {}
    found = {}
    for name, dropped in DROPPED.items():
        table = import_module(f"statsmodels.datasets.{name}").load_pandas().data
        if name == "star98":
            table = table[[c for c in table.columns if "_" not in c]]
        if name == "randhie":
            table = table.sample(RANDHIE_ROWS, random_state=0)
        if name == "fertility":
            table = table[[str(year) for year in range(1960, 2011, 5)]]
        found[name] = discretised(table.drop(columns=dropped).dropna().reset_index(drop=True))
    return found


def discretised(table: pd.DataFrame, bins: int = BINS) -> pd.DataFrame:
    """Make states of all columns: quantile bins where there are many numbers, else the values."""
    return pd.DataFrame({str(name): _states(table[name], bins) for name in table.columns})


def _states(column: pd.Series, bins: int) -> pd.Series:
    if not pd.api.types.is_numeric_dtype(column):
        return column.astype(str)
    if column.nunique() <= KEPT_VALUES:
        return column.map("{:.12g}".format)
    return pd.Series(quantile_bins(column.to_numpy(float), bins).astype(str), column.index)


def quantile_bins(values: np.ndarray, bins: int) -> np.ndarray:
    """Cut numbers into bins of about equal size; equal numbers share a bin.

    Many equal numbers leave fewer bins, yet two at least where there are two different numbers.
    """
    shares = np.arange(1, bins) / bins
    limits = np.unique(np.quantile(values, shares, method="inverted_cdf"))
    codes = np.searchsorted(limits, values, side="left")
    return codes if codes.any() else np.searchsorted(limits, values, side="right")


@dataclass(frozen=True)
class Split:
    """Rows to learn from and rows to predict.

    Columns are categories, and their states are those of both parts. So a state that is not among
    the rows to learn from still has a positive probability.
    """

    train: pd.DataFrame
    test: pd.DataFrame

    @classmethod
    def of(cls, table: pd.DataFrame, train: np.ndarray, test: np.ndarray) -> "Split":
        """Choose rows of a table of states."""
        rows = table.iloc[np.concatenate([train, test])].reset_index(drop=True)
        rows = rows.astype(str).astype("category")
        return cls(rows.iloc[: len(train)], rows.iloc[len(train) :])


def split_table(table: pd.DataFrame, seed: int) -> Split:
    """Draw the rows to learn from, 70 % of all."""
    order = np.random.default_rng(seed).permutation(len(table))
    return Split.of(table, *np.split(order, [round(LEARNED_SHARE * len(table))]))


def split_network(name: str, rows: int, seed: int) -> Split:
    """Sample a network; columns are shuffled, and unseen rows are the same for all `rows`."""
    table = load_network(name).sample(max(NETWORK_ROWS) + UNSEEN_ROWS, random_state=seed)
    table = table[list(np.random.default_rng(seed).permutation(table.columns))]
    unseen = np.arange(len(table) - UNSEEN_ROWS, len(table))
    return Split.of(table, np.arange(rows), unseen)


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
    return LSBN(random_state=seed).fit(table).dag_


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
    learner = pyagrum.BNLearner(table.astype(str), template)
    learner.useGreedyHillClimbing()
    learner.useScoreBDeu()
    graph = empty_graph(table, seed)
    graph.add_edges_from(
        (learner.nameFromId(a), learner.nameFromId(b)) for a, b in learner.learnDAG().arcs()
    )
    return graph


OURS, PEER = "LSBN()", "pyAgrum"
METHODS: dict[str, Method] = {
    "empty graph": empty_graph,
    OURS: default,
    "LSBN.paper()": as_published,
    PEER: pyagrum_greedy,
}
"""What learns a graph: takes a table of categories and a seed, gives an acyclic graph."""


def available_methods() -> dict[str, Method]:
    """Return the methods whose packages are installed."""
    if find_spec("pyagrum") is not None:
        return dict(METHODS)
    print("pyagrum is not installed: its graphs are left out", file=sys.stderr)
    return {name: method for name, method in METHODS.items() if name != PEER}


# Prediction


def one_row_in_all(q: int, r: int) -> float:
    """Return the weight of a cell if all cells have the weight of one row."""
    return 1 / (q * r)


def one_row_in_each(q: int, r: int) -> float:
    """Return the weight of a cell if each configuration of the parents has that of one row."""
    return 1 / r


SMOOTHINGS = (one_row_in_all, one_row_in_each)


def predict(dag: nx.DiGraph, split: Split) -> np.ndarray:
    """Log-likelihood of every unseen row, in nats.

    Tables are smoothed by the weight of one row in all, or of one row in each configuration of the
    parents. Of the two, the one that predicts the unseen rows better is used, for the whole graph.
    """
    return max((log_likelihoods(dag, split, rule) for rule in SMOOTHINGS), key=np.sum)


def log_likelihoods(
    dag: nx.DiGraph, split: Split, smoothing: Callable[[int, int], float]
) -> np.ndarray:
    """Log-likelihood of every unseen row under one smoothing: the sum over the families."""
    train, test = (
        part.apply(lambda c: c.cat.codes.astype(int)) for part in (split.train, split.test)
    )
    total = np.zeros(len(test))
    for child in dag:
        family = [*dag.pred[child], child]
        cards = [len(split.train[name].cat.categories) for name in family]
        weight = smoothing(math.prod(cards[:-1]), cards[-1])
        total += family_logs(train[family].to_numpy(), test[family].to_numpy(), cards, weight)
    return total


def family_logs(
    train: np.ndarray, test: np.ndarray, cards: Sequence[int], weight: float
) -> np.ndarray:
    """Log-probability of the last column given those before it, for every row of `test`.

    State k under configuration j has the probability (N_jk + w) / (N_j + r w), where N are counts
    of `train`, r is the number of states, and w the weight of a cell.
    """
    codes = np.concatenate([train, test])
    j = np.zeros(len(codes), np.int64)
    for column, card in zip(codes.T[:-1], cards[:-1], strict=True):
        j = np.unique(j * card + column, return_inverse=True)[1]
    r, k, seen = cards[-1], codes[:, -1], len(train)
    cells = np.bincount((j * r + k)[:seen], minlength=r * (j.max() + 1)).reshape(-1, r)
    table = (cells + weight) / (cells.sum(axis=1, keepdims=True) + r * weight)
    return np.log(table[j[seen:], k[seen:]])


# Comparison


@dataclass(frozen=True)
class Outcome:
    """What one method did on one split: log-likelihoods of unseen rows, edges, seconds."""

    logs: np.ndarray
    edges: int
    seconds: float


def outcome(split: Split, method: Method, seed: int) -> Outcome:
    """Learn a graph and predict."""
    begun = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        dag = method(split.train, seed)
    seconds = process_time() - begun
    return Outcome(predict(dag, split), dag.number_of_edges(), seconds)


@dataclass(frozen=True)
class Comparison:
    """All methods on all splits of one table.

    Attributes
    ----------
    name : str
    shape : tuple of int
        Rows learned from, rows predicted, and columns.
    outcomes : dict
        Of each method an `Outcome` for each seed.
    """

    name: str
    shape: tuple[int, int, int]
    outcomes: Mapping[str, Sequence[Outcome]]

    @classmethod
    def of(
        cls, name: str, splits: Mapping[int, Split], methods: Mapping[str, Method]
    ) -> "Comparison":
        """Run the methods."""
        outcomes = {
            label: [outcome(split, method, seed) for seed, split in splits.items()]
            for label, method in methods.items()
        }
        some = next(iter(splits.values()))
        return cls(name, (len(some.train), *some.test.shape), outcomes)

    def difference(self, method: str) -> tuple[float, float]:
        """Mean gain of a method over pyAgrum on the same rows, and its standard error.

        The error is that of one split, over its rows. Splits of one table share rows: more of
        them do not make it smaller.
        """
        pairs = zip(self.outcomes[method], self.outcomes[PEER], strict=True)
        gains = [a.logs - b.logs for a, b in pairs]
        variance = np.mean([gain.var(ddof=1) / len(gain) for gain in gains])
        return float(np.mean([gain.mean() for gain in gains])), math.sqrt(variance)

    def cells(self) -> list[str]:
        """Give the row of the page's first table."""
        learned, predicted, columns = self.shape
        cells = [self.name, f"{learned:,} + {predicted:,}", str(columns)]
        for found in self.outcomes.values():
            logs, edges = np.mean([o.logs.mean() for o in found]), np.mean([o.edges for o in found])
            cells.append(f"{logs:.3f} ({edges:.1f})")
        if PEER in self.outcomes:
            gain, error = self.difference(OURS)
            cells.append(f"{gain:+.3f} ± {error:.3f}")
        return cells


def page(compared: Sequence[Comparison], made_by: str) -> str:
    """Write everything down."""
    methods = list(compared[0].outcomes)
    header = ["table", "rows", "columns", *methods]
    header += [f"{OURS} − {PEER}"] if PEER in methods else []
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
            gains = [c.difference(method) for c in compared]
            better = sum(gain > 2 * error for gain, error in gains)
            worse = sum(gain < -2 * error for gain, error in gains)
            cells = [str(better), str(worse), str(len(gains) - better - worse)]
        rows.append([method, *cells, f"{spent:.1f}"])
    header = ["method", f"better than {PEER}", "worse", "undecided", "CPU s, all fits"]
    note = "A table counts as better or worse if the difference exceeds two standard errors."
    return Table("", "Summary", header, rows, note)


if __name__ == "__main__":
    main()
