"""Count the edges that learners find in tables of independent columns.

Writes ``noise.md`` beside this file. The columns of a table are drawn independently, or are
columns of a real table, each shuffled on its own. So every edge is false.

    python experiments/noise.py [--seeds 1,2,3] [--learners pc,mmhc] [--scopes lsbn,paper,alone]
        [--kinds NAME,NAME] [--output FILE]
"""

import argparse
import sys
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from statistics import fmean
from time import process_time

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from lsbn import LSBN, Dataset, EdgeProbabilities
from lsbn.files import atomic_file
from lsbn.learners import LEARNERS
from lsbn.studies.tabular import Table
from parts.command_line import chosen, numbers, words
from parts.real_tables import quantile_bins, tables

SKEW = 0.5
"""Parameter of the Dirichlet distribution from which skewed margins are drawn."""
RARE = 0.02
"""Probability that a near-constant column leaves its usual state."""
STATES = (2, 20)
"""Fewest and most states of a table of mixed numbers of states."""
SHUFFLED = ("breast_cancer", "wine", "diabetes", "digits", "anes96", "fair", "star98")
LIKELY = 0.5
DEFAULT = ("model-averaging", "lsbn")
WHAT_IS_SHOWN = f"""\
All columns of these tables are independent, so every edge is false. *Expected* is the sum of all
edge probabilities: the expected number of false edges in a table. *Likely* is the number of pairs
with an edge of a probability above {LIKELY}, summed over all tables. *Warned* is the number of
tables for which the sampler reported that it had not converged. *Seconds* are processor time."""

Draw = Callable[[np.random.Generator], np.ndarray]


def main() -> None:
    """Learn every table in every way and write the page."""
    arguments = parsed()
    learners = list(chosen(LEARNERS, arguments.learners))
    scopes = list(chosen(SCOPES, arguments.scopes))
    for learner, scope in product(learners, scopes):  # compile before the first timing
        measured("", pd.DataFrame({"a": list("0101"), "b": list("0110")}), learner, scope, 0)
    results = []
    for kind, seed in product(chosen(kinds(), arguments.kinds).values(), arguments.seeds):
        table = kind.table(seed)
        for learner, scope in product(learners, scopes):
            results.append(measured(kind.name, table, learner, scope, seed))
            print(results[-1], flush=True)
    with atomic_file(arguments.output) as draft:
        draft.write_text(page(results, command(arguments)), encoding="utf-8")


def parsed() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=numbers, default=[1, 2, 3])
    parser.add_argument("--learners", type=words, default=[], help=", ".join(LEARNERS))
    parser.add_argument("--scopes", type=words, default=[], help=", ".join(SCOPES))
    parser.add_argument("--kinds", type=words, default=[], help="names of the kinds of tables")
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".md"))
    return parser.parse_args()


def command(arguments: argparse.Namespace) -> str:
    """Return the command that makes the page again."""
    parts = ["python experiments/noise.py", "--seeds", ",".join(map(str, arguments.seeds))]
    for name in ("learners", "scopes", "kinds"):
        values = getattr(arguments, name)
        parts += [f"--{name}", ",".join(values)] if values else []
    return " ".join(parts)


# Tables without dependence


@dataclass(frozen=True)
class Kind:
    """A way to draw tables whose columns are independent.

    Attributes
    ----------
    name : str
    draw : callable
        Takes a generator and gives codes of shape (rows, columns).
    """

    name: str
    draw: Draw

    def table(self, seed: int) -> pd.DataFrame:
        """Draw a table of state labels; kinds with other names draw other numbers."""
        stream = np.random.SeedSequence([seed, zlib.crc32(self.name.encode())])
        codes = self.draw(np.random.default_rng(stream))
        names = [f"X{v}" for v in range(codes.shape[1])]
        return pd.DataFrame(codes.astype(str), columns=names)


def uniform(rows: int, cards: Sequence[int], rng: np.random.Generator) -> np.ndarray:
    """Draw columns whose states are all equally likely."""
    return rng.integers(cards, size=(rows, len(cards)))


def skewed(rows: int, cards: Sequence[int], rng: np.random.Generator) -> np.ndarray:
    """Draw columns whose margins are drawn from a Dirichlet distribution."""
    margins = (rng.dirichlet(np.full(card, SKEW)) for card in cards)
    return np.column_stack([rng.choice(len(p), size=rows, p=p) for p in margins])


def gaussian(rows: int, cards: Sequence[int], rng: np.random.Generator) -> np.ndarray:
    """Cut normal numbers into quantile bins; all states have the same number of rows."""
    return np.column_stack([quantile_bins(rng.standard_normal(rows), card) for card in cards])


def near_constant(rows: int, cards: Sequence[int], rng: np.random.Generator) -> np.ndarray:
    """Draw columns in which one state has nearly all rows."""
    others = 1 + uniform(rows, [card - 1 for card in cards], rng)
    return np.where(rng.random(others.shape) < RARE, others, 0)


def mixed(
    rows: int, columns: int, draw: Callable[..., np.ndarray], rng: np.random.Generator
) -> np.ndarray:
    """Draw columns that differ in their numbers of states."""
    return draw(rows, rng.integers(*STATES, size=columns, endpoint=True).tolist(), rng)


def shuffled(table: pd.DataFrame, rng: np.random.Generator) -> np.ndarray:
    """Permute each column of a table on its own: this keeps margins and removes dependence."""
    return rng.permuted(table.to_numpy(str), axis=0)


def kinds() -> dict[str, Kind]:
    """Return all kinds by name: generated tables, then shuffled copies of real tables."""
    found = {name: Kind(name, draw) for name, draw in _made()}
    real = tables()
    for name in SHUFFLED:
        if name in real:
            label = f"shuffled-{name}"
            found[label] = Kind(label, partial(shuffled, real[name]))
        else:
            print(f"there is no table {name}: its shuffled copy is left out", file=sys.stderr)
    return found


def _made() -> Iterator[tuple[str, Draw]]:
    """Yield the generated kinds, named by columns, states and rows."""
    grid: dict[Callable[..., np.ndarray], list[tuple[int, int, int]]] = {
        uniform: [
            (5, 3, 100),
            (8, 4, 200),
            (8, 5, 1_000),
            (8, 20, 300),
            (10, 7, 900),
            (12, 3, 500),
            (20, 5, 1_000),
            (40, 3, 2_000),
            (60, 2, 50),
            (20, 2, 20_000),
        ],
        skewed: [(8, 5, 1_000), (20, 4, 500), (10, 10, 5_000), (60, 2, 200)],
        gaussian: [(10, 3, 300), (20, 5, 1_000), (30, 3, 10_000)],
        near_constant: [(20, 2, 1_000), (40, 3, 300)],
    }
    for draw, shapes in grid.items():
        for columns, states, rows in shapes:
            name = f"{draw.__name__.replace('_', '-')}-{columns}x{states}-{rows}"
            yield name, partial(draw, rows, [states] * columns)
    for draw, columns, rows in ((uniform, 12, 1_000), (skewed, 30, 500)):
        yield f"mixed-{draw.__name__}-{columns}-{rows}", partial(mixed, rows, columns, draw)


# Learning


@dataclass(frozen=True)
class Result:
    """What one learner finds in one table.

    Attributes
    ----------
    kind, learner, scope : str
    shape : tuple of str
        Rows, columns and states of the table.
    expected : float
        Sum of all edge probabilities: the expected number of false edges.
    likely : int
        Pairs that are joined with a probability above 0.5.
    seconds : float
        Processor time of the fit.
    warned : bool
        Whether the sampler reported that it had not converged.
    """

    kind: str
    learner: str
    scope: str
    shape: tuple[str, str, str]
    expected: float
    likely: int
    seconds: float
    warned: bool

    def __str__(self) -> str:
        """Return the result as one line."""
        found = f"{self.expected:.3f} expected, {self.likely} likely, {self.seconds:.2f} s"
        return f"{self.kind}, {self.learner}, {self.scope}: {found}"


def with_lsbn(dataset: Dataset, learner: str, seed: int) -> EdgeProbabilities:
    """Learn with the defaults."""
    return LSBN(learner=learner, random_state=seed).fit(dataset).edges_


def as_published(dataset: Dataset, learner: str, seed: int) -> EdgeProbabilities:
    """Learn with every choice as published."""
    return LSBN.paper(learner=learner, random_state=seed).fit(dataset).edges_


def alone(dataset: Dataset, learner: str, seed: int) -> EdgeProbabilities:
    """Run the learner on all variables at once."""
    return LEARNERS[learner](dataset, random_state=seed).edges


SCOPES: dict[str, Callable[[Dataset, str, int], EdgeProbabilities]] = {
    "lsbn": with_lsbn,
    "paper": as_published,
    "alone": alone,
}
"""How a learner is run: inside `LSBN()`, inside `LSBN.paper()`, or alone."""


def measured(kind: str, table: pd.DataFrame, learner: str, scope: str, seed: int) -> Result:
    """Learn a table and count the edges found."""
    dataset, begun = Dataset.from_table(table), process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        edges = SCOPES[scope](dataset, learner, seed)
    fewest, most = dataset.cards.min(), dataset.cards.max()
    states = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    return Result(
        kind=kind,
        learner=learner,
        scope=scope,
        shape=(f"{dataset.n_rows:,}", str(dataset.n_variables), states),
        expected=float(edges.matrix.sum()),
        likely=edges.skeleton(LIKELY).number_of_edges(),
        seconds=process_time() - begun,
        warned=any(issubclass(w.category, ConvergenceWarning) for w in caught),
    )


# Page


def page(results: Sequence[Result], made_by: str) -> str:
    """Make the text of the page."""
    ways = grouped(results, lambda r: (r.learner, r.scope))
    way = DEFAULT if DEFAULT in ways else next(iter(ways))
    head = f"# False edges in noise\n\nWritten by `{made_by}`.\n\n{WHAT_IS_SHOWN}\n"
    return "\n".join([head, by_way(ways).markdown(), by_kind(way, ways[way]).markdown()])


def grouped(results: Sequence[Result], key: Callable[[Result], object]) -> dict:
    """Sort results into lists by a key, in order of first appearance."""
    groups: dict = {}
    for result in results:
        groups.setdefault(key(result), []).append(result)
    return groups


def by_way(ways: Mapping[tuple[str, str], Sequence[Result]]) -> Table:
    """Sum up all tables for each learner and scope."""
    rows = []
    for (learner, scope), results in ways.items():
        worst = max(results, key=lambda r: r.expected)
        rows.append(
            [
                learner,
                scope,
                str(len(results)),
                str(sum(r.likely for r in results)),
                f"{fmean(r.expected for r in results):.3f}",
                f"{worst.kind}: {worst.expected:.2f}" if worst.expected else "none",
                str(sum(r.warned for r in results)),
                f"{fmean(r.seconds for r in results):.2f}",
            ]
        )
    header = ["learner", "scope", "tables", "likely", "expected", "worst", "warned", "seconds"]
    note = (
        "Scopes: *lsbn* is `LSBN(learner=...)`, *paper* is `LSBN.paper(learner=...)`, *alone* is\n"
        "the learner on all variables. *Worst* is the table with the most expected false edges."
    )
    return Table("", "By learner and scope", header, rows, note)


def by_kind(way: tuple[str, str], results: Sequence[Result]) -> Table:
    """Show one learner and scope kind by kind."""
    rows = []
    for kind, same in grouped(results, lambda r: r.kind).items():
        rows.append(
            [
                kind,
                *same[0].shape,
                f"{fmean(r.expected for r in same):.3f}",
                f"{max(r.expected for r in same):.3f}",
                str(sum(r.likely for r in same)),
                f"{fmean(r.seconds for r in same):.2f}",
            ]
        )
    header = ["kind", "rows", "columns", "states", "expected", "largest", "likely", "seconds"]
    note = "*Expected* and *seconds* are means over the seeds; *largest* is the largest *expected*."
    return Table("", f"By kind: {way[0]}, {way[1]}", header, rows, note)


if __name__ == "__main__":
    main()
