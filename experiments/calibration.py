"""Simulation-based calibration of model averaging, and what its prior over orders costs.

Writes ``calibration.md`` beside this file. Networks are drawn from exactly the prior of
``Score("bdeu", ess, prior="sizes")``, tables from the networks. A learner with this score must be
calibrated: a probability of 0.3 is right in 3 cases of 10. The default score is measured on the
same tables. For 4 and 5 variables, all graphs are listed, and the prior over orders is compared
with one over graphs.

    python experiments/calibration.py [--networks 100] [--seed 1]
"""

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from lsbn.files import atomic_file
from lsbn.learners import Score, learn_model_averaging
from parts.drawing import graph_matrix
from parts.order_bias import order_bias
from parts.own_prior import ESS, MAX_PARENTS, ROWS, STATES, Case, draw_cases
from parts.reliability import BOUND, Pairs, bin_table, calibration_error, chance_error, coverage
from parts.sampling_cost import sampling_cost

SMALL, LARGE = (5, 16), (18, 60)
LEVELS = (0.5, 0.8, 0.9, 0.95)


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--networks", type=int, default=100, help="networks in each group")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    lines = [*_heading(arguments.networks, arguments.seed), ""]
    streams = np.random.SeedSequence(arguments.seed).spawn(4)
    lines += [*_calibration(arguments.networks, *streams[:2]), ""]
    lines += [*sampling_cost(max(2, arguments.networks // 10), streams[2]), ""]
    lines += order_bias(10 * arguments.networks, streams[3])
    with atomic_file(Path(__file__).with_suffix(".md")) as draft:
        draft.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _heading(networks: int, seed: int) -> list[str]:
    return [
        "# Calibration of model averaging",
        "",
        f"Written by `python experiments/calibration.py --networks {networks} --seed {seed}`.",
    ]


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
        varies = dataset.cards > 1
        graph = graph_matrix(case.network.parents)
        parts.append(Pairs.of(matrix, graph, np.outer(varies, varies)))
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
        'prior="sizes")`. No family has more free parameters than its table has rows, because the',
        "learner never considers such a family. `learn_model_averaging` is called with"
        f" `max_parents={MAX_PARENTS}`.",
        "Every table is learned four times, with two sets of states and two scores:",
        "",
        "- *states known*: the learner knows all states, also those that are not in the table.",
        "- *states seen*: the learner gets only the table, as from a user. A state that is not in",
        "  the table does not exist for the learner, and this changes its prior. The learner gives",
        "  no edges to a constant column, so pairs with a constant column are not compared.",
        "- *the generator's score*: the learner has the score from which the network was drawn,",
        "  with the same ESS. If the states are known too, the learner has exactly the model of",
        "  the generator. Then any miscalibration beyond chance is an error of the computation.",
        "- *the default score*: the learner has `Score()`, the mixed score with the density",
        "  estimated from the data. No network here was drawn from this model.",
        "",
        "A probability is that of i -> j, for all ordered pairs, or of the skeleton, P(i -> j) +",
        "P(j -> i). ECE is the expected calibration error in ten bins: the mean of |predicted -",
        "observed|, weighted by pairs. Most pairs are clearly not edges and easy to predict, so",
        "the ECE is also given for the pairs with a probability of at least 0.01. *Chance* is the",
        "ECE that the same number of perfectly calibrated, independent pairs would have.",
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
        "*Expected* is the sum of the probabilities. *Warned* is the number of tables for which",
        f"the sampler reports that its chains disagree. The {verdicts[0]}; the {verdicts[1]}.",
    ]


def _coverage_table(groups: list[Group]) -> list[str]:
    lines = [
        "Coverage. A pair has one of three relations: no edge, one direction, or the other. For",
        "each pair in which no relation has a probability of 0.99 or more, we take the smallest",
        "set of relations whose total probability reaches a level. The table has the mean",
        "probability of these sets, and the fraction of them that contain the truth, in percent.",
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
    sides = {"ordered pairs": group.pairs.directed, "unordered pairs": group.pairs.skeleton}
    return bin_table(group.label[0].upper() + group.label[1:], sides)


if __name__ == "__main__":
    main()
