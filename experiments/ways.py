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
from held_out import tables
from scipy.special import gammaln
from sklearn.exceptions import ConvergenceWarning

from lsbn import LSBN, Dataset, EdgeProbabilities
from lsbn.files import atomic_file
from lsbn.graph import dag_to_cpdag
from lsbn.kernels import mixture, scores, trees
from lsbn.kernels.lookup import Lookup
from lsbn.learners import Score
from lsbn.learners.scoring import columns_of
from lsbn.network import load_network
from lsbn.studies.tabular import Table

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
FOUND = 0.9
"""A true edge counts as found if it has a greater probability, both directions together."""
SURE = 0.95
"""A learner is sure of a direction if it has a greater probability."""
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
        yield f"{Path(network).name.split('.')[0]}-{rows}", sample(network, rows, arguments.seed)


def sample(network: str | Path, rows: int, seed: int) -> pd.DataFrame:
    """Draw a table whose columns are shuffled."""
    table = load_network(network).sample(rows, random_state=seed)
    return table[list(np.random.default_rng(seed).permutation(table.columns))]


# The ways of a family


@dataclass(frozen=True)
class Weights:
    """Weights over which the ways are averaged, by default those of the mixed score.

    Attributes
    ----------
    table : tuple of float
        Of tables whose rows have the same weight; the infinite one is for no parents only.
    own : tuple of float
        Of rows that have a weight each, in tables and in trees.
    shrunk : tuple of float
        Of rows that are drawn to the margin.
    tree : tuple of float
        Of trees whose rows have the same weight.
    """

    table: tuple[float, ...] = (*mixture.TABLE_WEIGHTS.tolist(), math.inf)
    own: tuple[float, ...] = tuple(mixture.OWN_WEIGHTS.tolist())
    shrunk: tuple[float, ...] = tuple(mixture.SHRUNK_WEIGHTS.tolist())
    tree: tuple[float, ...] = tuple(mixture.TREE_WEIGHTS.tolist())


@dataclass(frozen=True)
class Family:
    """A child and its parents, as counts.

    Attributes
    ----------
    counts : int array, shape (m, r)
        The child's states in each configuration of the parents, the first parent the lowest digit;
        only in those that occur where they are too many for trees.
    cards : int array
        States of each parent.
    """

    counts: np.ndarray
    cards: np.ndarray

    @classmethod
    def of(cls, dataset: Dataset, child: int, parents: np.ndarray) -> "Family":
        """Count."""
        r, cards = int(dataset.cards[child]), dataset.cards[parents]
        if math.prod(cards.tolist()) > mixture.MOST_CONTEXTS:
            ids = np.unique(dataset.codes[parents], axis=1, return_inverse=True)[1].reshape(-1)
            m = int(ids.max()) + 1
        else:
            steps = np.cumprod(np.append(1, cards))
            ids, m = steps[:-1] @ dataset.codes[parents], int(steps[-1])
        joint = ids * r + dataset.codes[child]
        return cls(np.bincount(joint, minlength=m * r).reshape(m, r), cards)

    def ways(self, weights: Weights, lookup: Lookup) -> list[float]:
        """Log evidence of each way in the order of `WAYS`; NaN where there are no trees."""
        table = [w for w in weights.table if w < math.inf or len(self.counts) == 1]
        one = np.array([rows_of(self.counts, w, lookup).sum() for w in table])
        own = own_rows(self.counts, weights.own, lookup).sum()
        shrunk = np.array([shrunk_rows(self.counts, w) for w in weights.shrunk])
        bdeu = rows_of(self.counts, 1 / math.prod(self.cards.tolist()), lookup).sum()
        with_trees = self._tree_ways(weights, lookup)
        return [mixture.log_mean(one), own, mixture.log_mean(shrunk), *with_trees, bdeu]

    def _tree_ways(self, weights: Weights, lookup: Lookup) -> tuple[float, float]:
        none = (math.nan, math.nan)
        if len(self.cards) < 2 or trees.n_contexts(self.cards) > mixture.MOST_CONTEXTS:
            return none
        wide = trees.add_margins(self.counts, self.cards)
        plan = trees.plan_trees(wide.sum(axis=1), self.cards)
        if plan.mass < trees.LEAST_MASS:
            return none
        leaves = [rows_of(wide, w, lookup) for w in weights.tree]
        one = np.array([trees.average_trees(leaf, self.cards, plan) for leaf in leaves])
        own = trees.average_trees(own_rows(wide, weights.own, lookup), self.cards, plan)
        return mixture.log_mean(one), own


WAYS = ("one", "own", "shrunk", "trees", "own trees", "BDeu")
OWN, BDEU = WAYS.index("own"), WAYS.index("BDeu")
MIXED = tuple(range(BDEU))
"""Places of the ways that the mixed score averages."""


def rows_of(counts: np.ndarray, weight: float, lookup: Lookup) -> np.ndarray:
    """Log evidence of each row with a prior of this weight, which may be infinite."""
    if weight == math.inf:
        return -counts.sum(axis=1) * math.log(counts.shape[1])
    return mixture._rows(counts, weight, lookup)


def own_rows(counts: np.ndarray, weights: Sequence[float], lookup: Lookup) -> np.ndarray:
    """Log evidence of each row, averaged over its weight."""
    rows = [rows_of(counts, w, lookup) for w in weights]
    return np.logaddexp.reduce(rows, axis=0) - math.log(len(rows))


def shrunk_rows(counts: np.ndarray, weight: float) -> float:
    """Log evidence of rows that are drawn by this weight to the margin of all larger rows."""
    sizes, margin, total = counts.sum(axis=1), np.full(counts.shape[1], 1 / counts.shape[1]), 0.0
    for size in np.unique(sizes)[::-1]:
        same = counts[sizes == size]
        prior = weight * margin / margin.sum()
        total += (gammaln(prior + same) - gammaln(prior)).sum()
        total -= len(same) * (gammaln(weight + size) - gammaln(weight))
        margin += same.sum(axis=0)
    return float(total)


# The scores to compare


@dataclass(frozen=True)
class Variant:
    """Another score: the ways it averages, as places in `WAYS`, and their weights."""

    name: str
    ways: tuple[int, ...] = MIXED
    weights: Weights = Weights()


def variants() -> list[Variant]:
    """Give all scores that are compared with the mixed score."""
    found = [Variant(f"−{WAYS[out]}", tuple(w for w in MIXED if w != out)) for out in MIXED]
    found += [Variant(f"only {WAYS[w]}", (w,)) for w in (BDEU, *MIXED)]
    found.append(Variant("+BDeu", (*MIXED, BDEU)))
    default = Weights()
    other = {
        "own ¼, 4": replace(default, own=(1 / 4, 4.0)),
        "own 1": replace(default, own=(1.0,)),
        "own 4⁻³…4³": replace(default, own=tuple(4.0**e for e in range(-3, 4))),
        "trees 1/256": replace(default, tree=(1 / 256,)),
        "trees 1/8": replace(default, tree=(1 / 8,)),
        "trees 4⁻⁴…4": replace(default, tree=tuple(4.0**e for e in range(-4, 2))),
        "shrunk 2": replace(default, shrunk=(2.0,)),
        "no ∞": replace(default, table=default.table[:-1]),
    }
    return found + [Variant(name, weights=weights) for name, weights in other.items()]


def log_average(evidence: np.ndarray, ways: Sequence[int]) -> np.ndarray:
    """Log average of some ways for each family, from the log evidence of all ways.

    A way that a family does not have (NaN) is left out of its average. A family that has none of
    the ways, or only with negligible evidence, has own weights.
    """
    some = evidence[:, list(ways)]
    there = ~np.isnan(some)
    total = np.logaddexp.reduce(np.where(there, some, -np.inf), axis=1)
    total -= np.log(np.maximum(there.sum(axis=1), 1))
    return np.where(np.isfinite(total), total, evidence[:, OWN])


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
        lookup, others = Score("mixed").lookup(), variants()
        evidence = {
            weights: np.array([family.ways(weights, lookup) for family in families])
            for weights in {Weights(), *(variant.weights for variant in others)}
        }
        total = float(log_average(evidence[Weights()], MIXED).sum())
        check(total, model.dataset_, model.dag_)
        gains = [log_average(evidence[v.weights], v.ways).sum() - total for v in others]
        with_trees = ~np.isnan(evidence[Weights()]).any(axis=1)
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


def families_of(dataset: Dataset, dag: nx.DiGraph) -> list[Family]:
    """Give the family of every variable."""
    return [Family.of(dataset, child, parents) for child, parents in parent_sets(dataset, dag)]


def parent_sets(dataset: Dataset, dag: nx.DiGraph) -> Iterator[tuple[int, np.ndarray]]:
    """Give every variable and its parents, ascending, as places in the dataset."""
    place = {name: v for v, name in enumerate(dataset.names)}
    for child, name in enumerate(dataset.names):
        yield child, np.array(sorted(place[u] for u in dag.pred[name]), np.int64)


def check(total: float, dataset: Dataset, dag: nx.DiGraph) -> None:
    """Compare the average of the ways with the score that learners use."""
    lookup = Score("mixed").lookup()
    want = math.fsum(
        scores.family_score(columns_of(dataset), lookup, child, parents)
        for child, parents in parent_sets(dataset, dag)
    )
    assert abs(total - want) < ROUNDING, f"the ways average to {total}, but the score is {want}"


# Direction


@dataclass(frozen=True)
class Directions:
    """What a learner says about the directions of true edges that it found.

    Attributes
    ----------
    name : str
        Of the table.
    score : str
        Of the learner.
    compelled, reversible : tuple of float
        The probability of the true direction if there is an edge, for edges that are compelled or
        reversible in the true CPDAG.
    """

    name: str
    score: str
    compelled: tuple[float, ...]
    reversible: tuple[float, ...]

    @classmethod
    def of(cls, name: str, score: str, edges: EdgeProbabilities, truth: nx.DiGraph) -> "Directions":
        """Look up the edges of the true graph."""
        place = {variable: v for v, variable in enumerate(edges.names)}
        matrix, cpdag = edges.matrix.toarray(), dag_to_cpdag(truth)
        compelled: list[float] = []
        reversible: list[float] = []
        for parent, child in truth.edges:
            forward = matrix[place[parent], place[child]]
            both = forward + matrix[place[child], place[parent]]
            if both > FOUND:
                part = reversible if cpdag.has_edge(child, parent) else compelled
                part.append(float(forward / both))
        return cls(name, score, tuple(compelled), tuple(reversible))

    def cells(self) -> list[str]:
        """Give the row of the page's second table."""
        return [self.name, self.score, *figures(self.compelled), *figures(self.reversible)]


def figures(probabilities: Sequence[float]) -> list[str]:
    """Give the cells of one kind of edge, from the probabilities p of their true directions.

    The number of edges, the mean of p, the Brier score, what it would be for honest probabilities,
    and how many of the directions that are sure are wrong. The Brier score is the mean of
    (1 - p)^2. If directions are true as often as their probabilities say, p (1 - p) is expected of
    each.
    """
    p = np.array(probabilities)
    if not len(p):
        return ["0", "–", "–", "–", "–"]
    values = (p.mean(), np.mean((1 - p) ** 2), np.mean(p * (1 - p)))
    wrong = np.sum(1 - p > SURE)
    sure = f"{wrong} of {wrong + np.sum(p > SURE)}"
    return [str(len(p)), *(f"{value:.3f}" for value in values), sure]


SCORES = {"mixed": None, "bdeu": "bdeu"}
"""Scores of the learner, and how it is told; the mixed score is its default."""


def directions(name: str, rows: int, seed: int) -> list[Directions]:
    """Learn one sample of a network with each score."""
    table, truth = sample(name, rows, seed), load_network(name).dag
    found = []
    for label, score in SCORES.items():
        edges = LSBN(score=score, random_state=seed).fit(table).edges_
        found.append(Directions.of(f"{name}-{rows}", label, edges, truth))
    return found


def pooled(directed: Sequence[Directions]) -> list[Directions]:
    """Join the edges of all tables, for each score."""
    found = []
    for score in SCORES:
        mine = [d for d in directed if d.score == score]
        compelled = tuple(p for d in mine for p in d.compelled)
        reversible = tuple(p for d in mine for p in d.reversible)
        found.append(Directions("**all**", score, compelled, reversible))
    return found


# The page

WHAT_IS_SHOWN = """\
A graph is learned from each table with `LSBN()`. *Log score* is its mixed score in nats: the sum
over the families, without the prior on graphs. All columns after it are changes of this log score
when the same graph gets another score. Positive numbers are better than the mixed score. The graph
was learned with the mixed score, and this favours the mixed score a little. Tables with more rows
weigh more in the sum. *With trees* is the number of families that have trees, of all families.

- The five ways are *one*, *own* and *shrunk*: tables with rows of one weight, of own weights, and
  drawn to the margin; *trees* and *own trees*: trees with rows of one weight, and of own weights.
  See `lsbn.kernels.mixture`.
- *−one* is the average of the other ways, *only one* is this way alone, and so on. *Only BDeu* is
  BDeu with an equivalent sample size of 1. *Only trees* and *only own trees* give families without
  trees, or with trees that are negligible, a table of own weights.
- *+BDeu* has BDeu as a further way beside the five.
- The other columns have other weights: *own* for tables and trees of own weights, *trees* for trees
  of one weight, *shrunk* for shrunk rows. *4⁻³…4³* and *4⁻⁴…4* are all powers of 4 in between.
  *No ∞* leaves out the infinite weight, which families without parents have.

Real tables are those of `experiments/held_out.py`, with all rows. The name of a network comes with
the number of rows that were drawn. Columns of networks are shuffled."""

DIRECTION = f"""\
True edges that are found: P(i → j) + P(j → i) is above {FOUND}. An edge is compelled if all graphs
that are Markov equivalent to the true one direct it alike, else it is reversible. For both kinds:

- their number, and *p*, the mean probability of the true direction if there is an edge;
- *Brier*, the mean of (1 − p)², of which less is better. A learner that always says ½ has ¼;
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
