"""Simulation-based calibration of model averaging, and what its prior over orders costs.

Writes ``calibration.md`` beside this file. Networks are drawn from exactly the prior of
``Score("bdeu", ess, prior="sizes")``, tables from the networks. A learner with this score must be
calibrated: a probability of 0.3 is right in 3 cases of 10. The default score is measured on the
same tables. For 4 and 5 variables, all graphs are listed, and the prior over orders is compared
with one over graphs.

The learner never considers a family with more free parameters than the table has rows. The
generator does not draw one either: such a graph is drawn anew, see `draw_graph`.

    python experiments/calibration.py [--networks 100] [--seed 1]
"""

import argparse
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from math import comb
from pathlib import Path
from time import process_time

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from lsbn.data import Dataset
from lsbn.files import atomic_file
from lsbn.learners import PUBLISHED, Score, learn_model_averaging
from lsbn.learners.averaging import SamplingSettings, SearchSettings
from lsbn.learners.averaging.sampler import OrderSampler
from lsbn.learners.averaging.search import ParentSetSearch
from lsbn.metrics import CalibrationCurve
from lsbn.network import BayesianNetwork

MAX_PARENTS = 3
STATES = (2, 4)
ROWS = (100, 2000)
ESS = (0.5, 16.0)
SMALL, LARGE, BOTH = (5, 16), (18, 60), (18, 19)
BINS = 10
LEVELS = (0.5, 0.8, 0.9, 0.95)
BIAS_VARIABLES = (4, 5)
BIAS_ROWS = (50, 200, 1000, 5000)
BOUND = 0.02
NONE, FORWARD, BACKWARD = range(3)


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--networks", type=int, default=100, help="networks in each group")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    lines = [*_heading(arguments.networks, arguments.seed), ""]
    streams = np.random.SeedSequence(arguments.seed).spawn(4)
    lines += [*_calibration(arguments.networks, *streams[:2]), ""]
    lines += [*_approximation(max(2, arguments.networks // 10), streams[2]), ""]
    lines += _order_bias(10 * arguments.networks, streams[3])
    with atomic_file(Path(__file__).with_suffix(".md")) as draft:
        draft.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _heading(networks: int, seed: int) -> list[str]:
    return [
        "# Calibration of model averaging",
        "",
        f"Written by `python experiments/calibration.py --networks {networks} --seed {seed}`.",
    ]


# Draws from the prior


def draw_parents(n: int, most: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Draw a graph by the prior "sizes" of `Score`, whatever its number of free parameters.

    The prior of an order and of families that agree with it is the product of the families' priors
    w(k) for k parents. Given the order, families are independent. The sum over the families of the
    variable in place p, that of C(p, k) w(k) over k, depends on the place only. So all orders are
    equally likely, and the probability of k parents is in proportion to the term of k.
    """
    order = rng.permutation(n)
    prior = np.exp(PUBLISHED.penalty(n, most))
    parents: list[np.ndarray] = [np.empty(0, np.int64)] * n
    for place, v in enumerate(order.tolist()):
        weight = np.array([comb(place, k) for k in range(most + 1)]) * prior
        size = rng.choice(len(weight), p=weight / weight.sum())
        parents[v] = np.sort(rng.choice(order[:place], size=size, replace=False))
    return parents


def free_parameters(v: int, parents: np.ndarray, cards: np.ndarray) -> int:
    """Count the free parameters of the table of a variable."""
    return int(np.prod(cards[parents]) * (cards[v] - 1))


def draw_graph(
    cards: np.ndarray, rows: int, most: int, rng: np.random.Generator
) -> list[np.ndarray]:
    """Draw a graph with the probability that the learner gives it before seeing the rows.

    The learner gives the prior 0 to families with more free parameters than rows. A graph with such
    a family is rejected as a whole, so the others keep their proportions. Drawing only the family
    anew would not be exact: with the bound, the sum over the families of a variable depends on
    which variables come before, and not all orders are equally likely.
    """
    while True:
        parents = draw_parents(len(cards), most, rng)
        if all(free_parameters(v, above, cards) <= rows for v, above in enumerate(parents)):
            return parents


def draw_cards(n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw numbers of states."""
    return rng.integers(*STATES, size=n, endpoint=True)


def draw_table(q: int, r: int, ess: float, rng: np.random.Generator) -> np.ndarray:
    """Draw q rows from the Dirichlet distribution of BDeu, whose r parameters are ess / (q r).

    These may be tiny. The logarithm of a gamma variable of shape a is that of one of shape a + 1
    plus log(u) / a, which does not underflow.
    """
    shape = ess / (q * r)
    logs = np.log(rng.standard_gamma(shape + 1, (q, r))) + np.log(rng.random((q, r))) / shape
    weight = np.exp(logs - logs.max(axis=1, keepdims=True))
    return weight / weight.sum(axis=1, keepdims=True)


def draw_network(
    parents: list[np.ndarray], cards: np.ndarray, ess: float, rng: np.random.Generator
) -> BayesianNetwork:
    """Draw tables for a graph."""
    return BayesianNetwork(
        names=tuple(f"X{v}" for v in range(len(parents))),
        states=tuple(tuple(map(str, range(r))) for r in cards.tolist()),
        parents=tuple(parents),
        tables=tuple(
            draw_table(int(np.prod(cards[above])), int(r), ess, rng)
            for above, r in zip(parents, cards, strict=True)
        ),
    )


def log_uniform(low: float, high: float, rng: np.random.Generator) -> float:
    """Draw a number whose logarithm is uniform."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


@dataclass(frozen=True)
class Case:
    """A network, its equivalent sample size, and a table drawn from it."""

    network: BayesianNetwork
    ess: float
    codes: np.ndarray
    seed: np.random.SeedSequence

    @property
    def score(self) -> Score:
        """The generator's own score."""
        return replace(PUBLISHED, ess=self.ess)

    @property
    def known(self) -> Dataset:
        """The table with all states of the network, seen or not: exactly the generator's model."""
        net = self.network
        return Dataset(self.codes, net.cardinalities, net.names, net.states)

    @property
    def seen(self) -> Dataset:
        """The table as a user has it, with the states that occur."""
        seen = [np.unique(column, return_inverse=True) for column in self.codes]
        return Dataset(
            np.array([codes for _, codes in seen], np.uint8),
            np.array([len(values) for values, _ in seen]),
            self.network.names,
            tuple(tuple(map(str, values)) for values, _ in seen),
        )


def draw_cases(count: int, sizes: tuple[int, int], seed: np.random.SeedSequence) -> Iterator[Case]:
    """Draw networks of a range of sizes, and a table from each."""
    for stream in seed.spawn(count):
        rng = np.random.default_rng(stream)
        n = int(rng.integers(*sizes, endpoint=True))
        ess = log_uniform(*ESS, rng)
        rows = int(log_uniform(*ROWS, rng))
        cards = draw_cards(n, rng)
        network = draw_network(draw_graph(cards, rows, MAX_PARENTS, rng), cards, ess, rng)
        yield Case(network, ess, network.sample_codes(rows, rng), stream)


# Probabilities beside the truth


@dataclass(frozen=True)
class Pairs:
    """Unordered pairs of variables, of one network or several.

    Attributes
    ----------
    forward, backward : float arrays
        Probabilities of i -> j and of j -> i.
    relation : int array
        The truth: `NONE`, `FORWARD` or `BACKWARD`.
    network : int array
        Which network a pair is from.
    """

    forward: np.ndarray
    backward: np.ndarray
    relation: np.ndarray
    network: np.ndarray

    @classmethod
    def of(cls, matrix: np.ndarray, parents: list[np.ndarray], keep: np.ndarray) -> "Pairs":
        """Compare a matrix of edge probabilities with a graph, on the variables to keep."""
        truth = np.zeros(matrix.shape, bool)
        for v, above in enumerate(parents):
            truth[above, v] = True
        i, j = np.triu_indices(len(matrix), 1)
        inside = keep[i] & keep[j]
        i, j = i[inside], j[inside]
        relation = np.where(truth[i, j], FORWARD, np.where(truth[j, i], BACKWARD, NONE))
        return cls(matrix[i, j], matrix[j, i], relation, np.zeros(len(i), np.int64))

    @classmethod
    def joined(cls, parts: list["Pairs"]) -> "Pairs":
        """Put the pairs of several networks together."""
        number = np.repeat(np.arange(len(parts)), [len(part.relation) for part in parts])
        columns = [[part.forward, part.backward, part.relation] for part in parts]
        return cls(*(np.concatenate(column) for column in zip(*columns, strict=True)), number)

    @property
    def directed(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Probability, truth and network of all ordered pairs."""
        return (
            np.concatenate([self.forward, self.backward]),
            np.concatenate([self.relation == FORWARD, self.relation == BACKWARD]),
            np.concatenate([self.network, self.network]),
        )

    @property
    def skeleton(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Probability, truth and network of all unordered pairs."""
        both = np.minimum(self.forward + self.backward, 1.0)
        return both, self.relation != NONE, self.network


def reliability(probability: np.ndarray, truth: np.ndarray) -> CalibrationCurve:
    """Predicted beside observed frequency in ten bins, as `lsbn.metrics.calibration_curve` does.

    That one is for the skeleton of one graph; here are pairs of many, ordered or not.
    """
    limits = np.linspace(0, 1, BINS + 1)
    place = np.searchsorted(limits[1:-1], probability, side="right")
    counts = np.bincount(place, minlength=BINS)
    divisor = np.where(counts > 0, counts, np.nan)
    predicted, observed = (
        np.bincount(place, weights=values, minlength=BINS) / divisor
        for values in (probability, truth)
    )
    return CalibrationCurve(limits, counts, predicted, observed)


def calibration_error(probability: np.ndarray, truth: np.ndarray) -> float:
    """Mean distance of predicted and observed frequency, weighted by the pairs in each bin."""
    curve = reliability(probability, truth)
    gaps = np.nan_to_num(np.abs(curve.observed - curve.predicted))
    return float(gaps @ curve.counts / max(curve.counts.sum(), 1))


def chance_error(probability: np.ndarray, seed: int = 0, repeats: int = 20) -> float:
    """Calibration error that as many perfectly calibrated, independent pairs would show."""
    rng = np.random.default_rng(seed)
    draws = (rng.random(len(probability)) < probability for _ in range(repeats))
    return float(np.mean([calibration_error(probability, truth) for truth in draws]))


def bin_errors(probability: np.ndarray, truth: np.ndarray, network: np.ndarray) -> np.ndarray:
    """Give the standard error of each bin's observed frequency, by the spread of networks."""
    place = np.minimum((probability * BINS).astype(np.int64), BINS - 1)
    surplus = np.zeros((network.max(initial=0) + 1, BINS))
    np.add.at(surplus, (network, place), truth - probability)
    return np.sqrt((surplus**2).sum(axis=0)) / np.maximum(np.bincount(place, minlength=BINS), 1)


def coverage(pairs: Pairs, level: float) -> tuple[int, float, float]:
    """Credible sets of a pair's relation (none, one direction, the other), of a level at least.

    Only pairs count for which no single relation has 0.99. Gives their number, the mean posterior
    mass of the smallest sets, and the fraction that hold the truth; the last two should agree.
    """
    mass = np.stack([1 - pairs.forward - pairs.backward, pairs.forward, pairs.backward], axis=1)
    still_open = mass.max(axis=1) < 0.99
    mass, relation = mass[still_open], pairs.relation[still_open]
    order = np.argsort(-mass, axis=1)
    sorted_mass = np.take_along_axis(mass, order, axis=1)
    inside = np.cumsum(sorted_mass, axis=1) - sorted_mass < level
    held = ((order == relation[:, None]) & inside).any(axis=1)
    if not len(held):
        return 0, np.nan, np.nan
    return len(held), float((sorted_mass * inside).sum(axis=1).mean()), float(held.mean())


# Calibration


SCORES: dict[str, Callable[[Case], Score]] = {
    "the generator's score": lambda case: case.score,
    "the default score": lambda case: Score(),
}


@dataclass(frozen=True)
class Group:
    """What was found with one setting over many networks."""

    label: str
    pairs: Pairs
    warned: int
    seconds: float


def run_group(size: str, cases: list[Case], coding: str, scored: str) -> Group:
    """Learn from every table, and compare."""
    parts, warned, begun = [], 0, process_time()
    for case in cases:
        dataset = getattr(case, coding)
        options = {"score": SCORES[scored](case), "max_parents": MAX_PARENTS}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            learned = learn_model_averaging(dataset, random_state=case.seed, **options)
        warned += any(issubclass(w.category, ConvergenceWarning) for w in caught)
        matrix = learned.edges.matrix.toarray()
        parts.append(Pairs.of(matrix, list(case.network.parents), dataset.cards > 1))
    label = f"{size}; states {coding}; {scored}"
    return Group(label, Pairs.joined(parts), warned, process_time() - begun)


def _calibration(
    count: int, small: np.random.SeedSequence, large: np.random.SeedSequence
) -> list[str]:
    """Summarise all groups, and show the curves of those that a user meets."""
    cases = {
        f"exact, {SMALL[0]} to {SMALL[1]} variables": list(draw_cases(count, SMALL, small)),
        f"sampled, {LARGE[0]} to {LARGE[1]} variables": list(draw_cases(count, LARGE, large)),
    }
    groups = [
        run_group(size, some, coding, scored)
        for size, some in cases.items()
        for coding in ("known", "seen")
        for scored in SCORES
    ]
    lines = [*_setting(count), "", *_summary(groups), "", *_coverage_table(groups)]
    for group in groups:
        if "states seen" in group.label:
            lines += ["", *_curve(group)]
    return lines


def _setting(count: int) -> list[str]:
    return [
        "## Simulation-based calibration",
        "",
        f"{count} networks are drawn in each of two ranges of size, with {STATES[0]} to"
        f" {STATES[1]} states, at most {MAX_PARENTS} parents, an",
        f"equivalent sample size (ESS) log-uniform between {ESS[0]:g} and {ESS[1]:g}, and"
        f" {ROWS[0]} to {ROWS[1]} rows (log-uniform). Order,",
        'number of parents, parents and tables follow the prior of `Score("bdeu", ess,',
        'prior="sizes")`. No family has more free parameters than its table has rows, as the',
        "learner never considers one. `learn_model_averaging` is called with"
        f" `max_parents={MAX_PARENTS}`. The same",
        "tables are learned from four times:",
        "",
        "- *states known*: the learner is told all states, seen or not.",
        "- *states seen*: the learner gets the table as a user would hand it over. A state that",
        "  never occurs does not exist for it, which changes its prior. A column that is constant",
        "  has no edges for the learner: pairs that touch one are left out of the comparison.",
        "- *the generator's score*: the learner has the score by which the network was drawn, with",
        "  the same ESS. Where the states are known too, it has exactly the generator's model, and",
        "  any miscalibration beyond chance is a fault of the computation.",
        "- *the default score*: the learner has `Score()`, the mixed score with the density found",
        "  from the data, though no network here was drawn that way.",
        "",
        "A probability is that of i -> j, for all ordered pairs, or of the skeleton, P(i -> j) +",
        "P(j -> i). ECE is the expected calibration error in ten bins: the mean of |predicted -",
        "observed|, weighted by pairs. Most pairs are plainly not joined and easy to predict, so",
        "it is given also over those with a probability of at least 0.01. Beside it, as *chance*,",
        "what as many perfectly calibrated independent pairs would show.",
    ]


def _summary(groups: list[Group]) -> list[str]:
    lines = [
        "| | pairs | true edges | expected | ECE, all | ECE, p >= 0.01 (chance) | ECE, skeleton |"
        " ECE, skeleton p >= 0.01 (chance) | Brier, directed | Brier, skeleton | warned | CPU s |",
        "|---" * 12 + "|",
    ]
    worst, worst_open = 0.0, 0.0
    for group in groups:
        cells = [group.label]
        p, truth, _ = group.pairs.directed
        cells += [f"{len(p):,}", f"{truth.sum():,}", f"{p.sum():,.1f}"]
        for p, truth, _ in (group.pairs.directed, group.pairs.skeleton):
            over = p >= 0.01
            whole, part = calibration_error(p, truth), calibration_error(p[over], truth[over])
            worst, worst_open = max(worst, whole), max(worst_open, part)
            cells += [f"{whole:.4f}", f"{part:.4f} ({chance_error(p[over]):.4f})"]
        for p, truth, _ in (group.pairs.directed, group.pairs.skeleton):
            cells.append(f"{np.mean((p - truth) ** 2):.5f}")
        cells += [str(group.warned), f"{group.seconds:.0f}"]
        lines.append("| " + " | ".join(cells) + " |")
    verdicts = [
        f"largest {what} is {value:.4f}, {'within' if value <= BOUND else 'above'} {BOUND}"
        for what, value in (("ECE over all pairs", worst), ("over p >= 0.01", worst_open))
    ]
    return [
        *lines,
        "",
        "*Expected* is the sum of the probabilities, *warned* the number of tables on which the",
        f"sampler says that its chains disagree. The {verdicts[0]}; the {verdicts[1]}.",
    ]


def _coverage_table(groups: list[Group]) -> list[str]:
    lines = [
        "Coverage: for each pair for which no relation (none, one direction, the other) has 0.99,",
        "the smallest set of relations whose posterior mass reaches a level. Shown are the mean",
        "mass of these sets and the fraction that hold the truth, in percent.",
        "",
        "| | pairs | " + " | ".join(f"{level:.0%}" for level in LEVELS) + " |",
        "|---" * (2 + len(LEVELS)) + "|",
    ]
    for group in groups:
        found = [coverage(group.pairs, level) for level in LEVELS]
        cells = [f"{100 * mass:.1f} / {100 * held:.1f}" for _, mass, held in found]
        lines.append(f"| {group.label} | {found[0][0]:,} | " + " | ".join(cells) + " |")
    return lines


def _curve(group: Group) -> list[str]:
    lines = [
        f"### {group.label[0].upper()}{group.label[1:]}",
        "",
        "| bin | ordered pairs | predicted | observed | unordered pairs | predicted | observed |",
        "|---" * 7 + "|",
    ]
    sides = [
        (reliability(p, truth), bin_errors(p, truth, network))
        for p, truth, network in (group.pairs.directed, group.pairs.skeleton)
    ]
    for b in range(BINS):
        cells = [f"{b / BINS:.1f} to {(b + 1) / BINS:.1f}"]
        for curve, error in sides:
            filled = f"{curve.predicted[b]:.3f}", f"{curve.observed[b]:.3f} ± {error[b]:.3f}"
            cells += [f"{curve.counts[b]:,}", *(filled if curve.counts[b] else ("-", "-"))]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


# What sampling and searching cost, where the exact answer can be had


def _sampler(case: Case, seed: np.random.SeedSequence) -> OrderSampler:
    settings = SearchSettings().bounded(MAX_PARENTS)
    rng = np.random.default_rng(seed)
    return OrderSampler(case.known, case.score, settings, SamplingSettings(), rng)


WAYS: dict[str, Callable[[Case], np.ndarray]] = {
    "exact": lambda case: learn_model_averaging(
        case.known, score=case.score, max_parents=MAX_PARENTS, method="exact"
    ).edges.matrix.toarray(),
    "orders sampled, all parent sets": lambda case: (
        _sampler(case, case.seed).run_exhaustive(MAX_PARENTS)[0].toarray()
    ),
    "as shipped: orders sampled, parent sets searched": lambda case: (
        _sampler(case, case.seed).run()[0].toarray()
    ),
}


def _approximation(count: int, seed: np.random.SeedSequence) -> list[str]:
    """Compare the sampler with the exact answer on networks that both can do."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    cases = list(draw_cases(count, BOTH, seed))
    found = {way: [learn(case) for case in cases] for way, learn in WAYS.items()}
    lines = [
        "## What sampling and searching cost",
        "",
        f"{count} networks of {BOTH[0]} to {BOTH[1]} variables, on which the sampler runs by itself"
        " but the exact sum can be",
        "had too; states known, the generator's score. Differences from the exact probabilities,",
        "over ordered pairs.",
        "",
        "| | mean difference | over 0.02 | over 0.1 | largest | ECE, p >= 0.01 |",
        "|---" * 6 + "|",
    ]
    for way, matrices in found.items():
        gaps = [np.abs(m - e).ravel() for m, e in zip(matrices, found["exact"], strict=True)]
        gap = np.concatenate(gaps)
        keep = [np.ones(len(m), bool) for m in matrices]
        parts = [
            Pairs.of(m, list(case.network.parents), every)
            for m, case, every in zip(matrices, cases, keep, strict=True)
        ]
        p, truth, _ = Pairs.joined(parts).directed
        error = calibration_error(p[p >= 0.01], truth[p >= 0.01])
        figures = f"{gap.mean():.5f} | {np.mean(gap > 0.02):.2%} | {np.mean(gap > 0.1):.2%}"
        lines.append(f"| {way} | {figures} | {gap.max():.3f} | {error:.4f} |")
    return lines


# The prior over orders beside one over graphs


@cache
def all_graphs(n: int) -> tuple[np.ndarray, np.ndarray]:
    """List all DAGs over n variables: parents as bit masks, and the number of orders of each.

    The orders of a set of variables are counted by which of them comes last; a graph with a cycle
    has none.
    """
    masks = [[m for m in range(1 << n) if not m >> v & 1] for v in range(n)]
    parents = np.array(list(product(*masks)), np.uint8)
    orders = {0: np.ones(len(parents), np.int16)}
    for some in range(1, 1 << n):
        orders[some] = np.zeros(len(parents), np.int16)
        for v in range(n):
            if some >> v & 1:
                rest = some ^ (1 << v)
                orders[some] += orders[rest] * ((parents[:, v] & ~np.uint8(rest)) == 0)
    count = orders[(1 << n) - 1]
    return parents[count > 0], count[count > 0].astype(np.float64)


def graph_posteriors(
    dataset: Dataset, score: Score, weights: Sequence[np.ndarray]
) -> list[np.ndarray]:
    """Edge posteriors over all DAGs, for each of several prior weights beside the families'."""
    n = dataset.n_variables
    parents, _ = all_graphs(n)
    search = ParentSetSearch(dataset, score, SearchSettings().bounded(n - 1))
    search.enumerate_all()
    start, mask, scores = search.as_subsets()
    total = np.zeros(len(parents))
    for v in range(n):
        own = np.full(1 << n, -np.inf)
        own[mask[start[v] : start[v + 1]]] = scores[start[v] : start[v + 1]]
        total += own[parents[:, v]]
    members = np.arange(1 << n) >> np.arange(n)[:, None] & 1
    posteriors = []
    for weight in weights:
        share = weight * np.exp(total - total.max())
        share /= share.sum()
        by_set = [np.bincount(parents[:, v], share, 1 << n) for v in range(n)]
        posteriors.append(members @ np.array(by_set).T)
    return posteriors


def draw_listed_graph(
    cards: np.ndarray, rows: int, weight: np.ndarray, rng: np.random.Generator
) -> list[np.ndarray]:
    """Draw a DAG by the priors of its families, bounded by the rows, and a weight of its own."""
    n = len(cards)
    parents, _ = all_graphs(n)
    sets = [np.flatnonzero(mask >> np.arange(n) & 1) for mask in range(1 << n)]
    prior = np.exp(PUBLISHED.penalty(n, n))
    share = weight.copy()
    for v in range(n):
        fits = [free_parameters(v, some, cards) <= rows for some in sets]
        family = np.where(fits, prior[[len(some) for some in sets]], 0.0)
        share *= family[parents[:, v]]
    row = parents[rng.choice(len(share), p=share / share.sum())]
    return [sets[mask] for mask in row.tolist()]


def _order_bias(count: int, seed: np.random.SeedSequence) -> list[str]:
    """Compare the posteriors by both priors on networks drawn from each."""
    few, many = (f"{len(all_graphs(n)[1]):,}" for n in BIAS_VARIABLES)
    lines = [
        "## The prior over orders, and one over graphs",
        "",
        "Averaging over orders counts a graph as often as it has orders. Here all graphs of"
        f" {BIAS_VARIABLES[0]} and {BIAS_VARIABLES[1]}",
        f"variables are listed ({few} and {many}), with any number of parents but no more free",
        "parameters of a family than rows; states are known, and the score is the generator's.",
        "Both posteriors have the same prior of families and differ in that multiplicity only.",
        f"{count} networks are drawn for each line, by one prior or the other. Differences are",
        "those between the two posteriors, the mean and the largest. Who believes in the prior",
        "over graphs has its posterior by `learn_model_averaging(count='graphs')`, exact for up",
        "to 12 variables, sampled beyond.",
        "",
        "| variables | rows | drawn from | difference, edges | difference, skeleton | ECE by orders"
        " | ECE by graphs | chance | Brier by orders | Brier by graphs |",
        "|---" * 10 + "|",
    ]
    for n, rows in product(BIAS_VARIABLES, BIAS_ROWS):
        for prior in ("orders", "graphs"):
            pairs = _both_posteriors(n, rows, prior, count, seed.spawn(1)[0])
            lines.append(f"| {n} | {rows:,} | {prior} | " + _bias_cells(*pairs) + " |")
    return lines


def _both_posteriors(
    n: int, rows: int, prior: str, count: int, seed: np.random.SeedSequence
) -> tuple[Pairs, Pairs]:
    """Posteriors by the prior over orders, and by that over graphs, beside the truth."""
    _, orders = all_graphs(n)
    weights = {"orders": orders, "graphs": np.ones_like(orders)}
    by_orders, by_graphs = [], []
    for stream in seed.spawn(count):
        rng = np.random.default_rng(stream)
        ess = log_uniform(*ESS, rng)
        cards = draw_cards(n, rng)
        parents = draw_listed_graph(cards, rows, weights[prior], rng)
        network = draw_network(parents, cards, ess, rng)
        case = Case(network, ess, network.sample_codes(rows, rng), stream)
        matrices = graph_posteriors(case.known, case.score, list(weights.values()))
        for found, matrix in zip((by_orders, by_graphs), matrices, strict=True):
            found.append(Pairs.of(matrix, parents, np.ones(n, bool)))
    return Pairs.joined(by_orders), Pairs.joined(by_graphs)


def _bias_cells(one: Pairs, other: Pairs) -> str:
    cells = []
    for a, b in ((one.directed, other.directed), (one.skeleton, other.skeleton)):
        gap = np.abs(a[0] - b[0])
        cells.append(f"{gap.mean():.4f}, {gap.max():.3f}")
    cells += [f"{calibration_error(*pairs.directed[:2]):.4f}" for pairs in (one, other)]
    cells.append(f"{chance_error(one.directed[0]):.4f}")
    for p, truth, _ in (one.directed, other.directed):
        cells.append(f"{np.mean((p - truth) ** 2):.5f}")
    return " | ".join(cells)


if __name__ == "__main__":
    main()
