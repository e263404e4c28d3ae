"""Edge probabilities beside the truth: calibration errors, and what chance would show."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from lsbn.metrics import CalibrationCurve

BINS = 10
BOUND = 0.02
"""A calibration error above this is named on the pages."""
LEVEL = 0.95
"""Quantile of the errors by chance that is the limit."""
ROUNDING = 1e-9
NONE, FORWARD, BACKWARD = range(3)


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
    def of(cls, matrix: np.ndarray, graph: np.ndarray, judged: np.ndarray) -> "Pairs":
        """Compare a matrix of edge probabilities with a graph, on the pairs that are judged.

        In `graph`, row is the parent and column the child; `judged` is symmetric.
        """
        i, j = np.nonzero(np.triu(judged, 1))
        relation = np.where(graph[i, j], FORWARD, np.where(graph[j, i], BACKWARD, NONE))
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


def bin_table(
    title: str, sides: Mapping[str, tuple[np.ndarray, np.ndarray, np.ndarray]]
) -> list[str]:
    """Give a table with a row for each bin: of each side its pairs, the predicted and the observed.

    A side is the probability, the truth and the network of each pair, see `Pairs`.
    """
    curves = [(reliability(*side[:2]), bin_errors(*side)) for side in sides.values()]
    header = ["bin", *(cell for name in sides for cell in (name, "predicted", "observed"))]
    lines = [f"### {title}", "", "| " + " | ".join(header) + " |", "|---" * len(header) + "|"]
    for b in range(BINS):
        cells = [f"{b / BINS:.1f} to {(b + 1) / BINS:.1f}"]
        for curve, error in curves:
            filled = f"{curve.predicted[b]:.3f}", f"{curve.observed[b]:.3f} ± {error[b]:.3f}"
            cells += [f"{curve.counts[b]:,}", *(filled if curve.counts[b] else ("-", "-"))]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


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


def chance_limit(
    probability: np.ndarray, truth: np.ndarray, table: np.ndarray, repeats: int = 1000
) -> float:
    """Calibration error that a calibrated learner exceeds in 5 to 10 % of such studies.

    Pairs of one table depend on one another, so independent pairs would understate chance. Two
    limits allow for that, each of them the 95 % quantile of random errors; the smaller one counts.

    - *by signs*: the surplus of true over expected edges in the bins of a table has mean zero if
      the learner is calibrated. Give the surplus of each table a random sign. That keeps the
      dependence that there is, but is too large where few tables have most of the surplus: with
      one table it is the error itself.
    - *by the strongest dependence*: draw one uniform number u for each table. Its pairs are edges
      where u is less than their probability. No dependence lets the number of edges vary more.
    """
    rng = np.random.default_rng(0)
    place = np.searchsorted(np.linspace(0, 1, BINS + 1)[1:-1], probability, side="right")
    surplus = np.zeros((table.max(initial=0) + 1, BINS))
    np.add.at(surplus, (table, place), truth - probability)
    signs = rng.choice([-1.0, 1.0], size=(repeats, len(surplus)))
    by_signs = np.abs(signs @ surplus).sum(axis=1) / max(len(probability), 1)
    levels = rng.random((repeats, len(surplus)))
    strongest = [calibration_error(probability, u[table] < probability) for u in levels]
    return float(min(np.quantile(by_signs, LEVEL), np.quantile(strongest, LEVEL)))


@dataclass(frozen=True)
class Figures:
    """Calibration errors of a set of pairs, and what to hold them against.

    Attributes
    ----------
    pairs : int
    error : float
        Expected calibration error in ten bins.
    chance : float
        Mean of what as many perfectly calibrated, independent pairs would show.
    limit : float
        See `chance_limit`.
    """

    pairs: int
    error: float
    chance: float
    limit: float

    @classmethod
    def of(cls, pairs: tuple[np.ndarray, np.ndarray, np.ndarray], lowest: float) -> "Figures":
        """Compare the pairs whose probability is at least `lowest`."""
        p, truth, table = (column[pairs[0] >= lowest] for column in pairs)
        error, limit = calibration_error(p, truth), chance_limit(p, truth, table)
        return cls(len(p), error, chance_error(p), limit)

    @property
    def verdict(self) -> str:
        """Whether the error is within the bound, and if not, whether chance may explain it."""
        if self.error <= BOUND:
            return "within"
        return "above" if self.error > self.limit + ROUNDING else "above, by chance?"
