"""Calibration of `LSBN()` on tables that its prior does not describe.

Writes ``wider_calibration.md`` beside this file. ``calibration.py`` draws networks from the
learner's own prior. Here the truth comes from other generators, called cells: families that are
larger, rarer or nearly deterministic, binned Gaussians, hidden classes, and noise. In each cell, a
skeleton probability of 0.3 should be right in 3 cases of 10.

    python experiments/wider_calibration.py [--networks 40] [--seed 1] [--cells a,b]
"""

import argparse
import textwrap
from pathlib import Path

import numpy as np

from lsbn.files import atomic_file
from parts.reliability import BOUND, Figures, bin_table
from parts.wider_cases import FURTHER, MAX_PARENTS, ROWS, STATES, VARIABLES
from parts.wider_cells import CELLS
from parts.wider_results import WEAK, Result, run_cell

LOWEST = 0.01
"""The bound is set on pairs of at least this probability: the others are easy to predict."""
_UNSEEN = (
    "These rows do not show many of the true edges: see the table of missed edges. The learner"
    " estimates the density of the network from the edges that the rows show. So the other pairs"
    " get probabilities that are smaller than the share of true edges among them. The learner is"
    " too careful, and the error is in the low bins. A prior that expects more edges makes the"
    " error smaller, but joins noise."
)
_NO_EDGES = (
    "No judged pair is an edge. So the ECE over p >= 0.01 is the mean of these few probabilities."
    " It is at least 0.01, and it cannot be zero for a learner that is ever uncertain. The column"
    " *false* has the expected false edges of all tables, and the ECE over all pairs is small."
)
_BINNED = (
    "A bin keeps only a part of the value of a Gaussian. Two Gaussians that are independent given a"
    " third are still dependent given the bin of the third. So with enough rows a learner has to"
    " join their columns. An edge that is false in the DAG of the Gaussians may then be a true"
    " dependence of the binned columns. So an ECE above the bound here does not show an error of"
    " the learner. In h2 the truth is the same before and after binning."
)
REASONS = dict.fromkeys(("a", "b", "e", "f", "h2"), _UNSEEN)
REASONS |= {"h1": _BINNED, "i": _NO_EDGES, "j": _NO_EDGES}
"""Why a cell may exceed the bound although the learner is right."""


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--networks", type=int, default=40, help="tables in each cell")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cells", default=",".join(CELLS), help="default: %(default)s")
    arguments = parser.parse_args()
    keys = arguments.cells.split(",")
    if unknown := [key for key in keys if key not in CELLS]:
        parser.error(f"no cell is called {unknown[0]!r}; there are {', '.join(CELLS)}")
    if arguments.networks < 1:
        parser.error(f"--networks is {arguments.networks}; use 1 or more")
    results = []
    for key in keys:
        results.append(run_cell(key, arguments.networks, arguments.seed))
        print(_row(results[-1]), flush=True)
    chosen = "" if keys == list(CELLS) else f" --cells {arguments.cells}"
    command = f"--networks {arguments.networks} --seed {arguments.seed}{chosen}"
    with atomic_file(Path(__file__).with_suffix(".md")) as draft:
        draft.write_text("\n".join(page(results, command)) + "\n", encoding="utf-8")


def page(results: list[Result], command: str) -> list[str]:
    """Write the page, a list of lines."""
    lines = [
        "# Calibration beyond the prior",
        "",
        f"Written by `python experiments/wider_calibration.py {command}`.",
        "",
        *_setting(results),
        *_summary(results),
        *_verdict(results),
        "## Reliability",
        "",
        *_paragraph(
            "Unordered pairs are sorted into bins by their probability. The tables show the mean"
            " probability of each bin, and the fraction of true edges with its standard error,"
            " which is computed from the variation between tables."
        ),
    ]
    for result in results:
        title = f"{result.key}: {CELLS[result.key][1]}"
        lines += [*bin_table(title, {"pairs": result.pairs.skeleton}), ""]
    return lines[:-1]


def _paragraph(text: str) -> list[str]:
    return [*textwrap.wrap(text, 100, break_long_words=False, break_on_hyphens=False), ""]


def _setting(results: list[Result]) -> list[str]:
    return [
        *_paragraph(
            "Every cell is a generator that is not the learner's prior. The learner is"
            " `LSBN(random_state=...)` with all its defaults, and gets only the table, as from a"
            f" user. Unless a cell says otherwise, tables have {VARIABLES[0]} to"
            f" {VARIABLES[1]} variables (uniform), {ROWS[0]} to {ROWS[1]:,} rows (log-uniform),"
            f" {STATES[0]} to {STATES[1]} states (uniform), and at most {MAX_PARENTS} parents. Each"
            f" further parent has probability {FURTHER}."
        ),
        *(f"- **{result.key}**: {CELLS[result.key][1]}" for result in results),
        "",
        *_paragraph(
            "The conditional tables decide how strong an edge is. An edge that is too weak to be"
            " seen is still a true edge: a calibrated learner gives it a small probability. Pairs"
            " with a constant column are left out. If a hidden class makes columns dependent, there"
            " is no DAG over these columns. So only pairs of columns with different classes are"
            " judged, and none of these pairs is an edge."
        ),
    ]


def _summary(results: list[Result]) -> list[str]:
    return [
        *_paragraph(
            "A probability is that of the skeleton, P(i -> j) + P(j -> i). ECE is the expected"
            " calibration error in ten bins, over all pairs and over those with a probability of"
            f" at least {LOWEST}. *Chance* is the mean ECE of as many perfectly calibrated,"
            " independent pairs, and *excess* is ECE minus chance. Pairs of one table are not"
            " independent, so chance is too small. *Limit* allows for that: a calibrated learner"
            " exceeds it in 5 to 10 % of such studies. It is the smaller of two 95 % quantiles of"
            " the ECE. For the first, the surplus of true over expected edges of each table gets a"
            " random sign. For the second, the truth is drawn from the probabilities, with the"
            " strongest dependence within a table. A cell above the bound but not above the limit"
            " has too few tables to decide."
        ),
        *_paragraph(
            "*Expected* is the sum of the probabilities. *False* is the part of this sum on pairs"
            " that are not edges. *Warned* is the number of tables for which the sampler reports"
            " that its chains disagree. *Directed* is over ordered pairs, in the cells that draw"
            " from a network. It compares with the true DAG, although data cannot distinguish the"
            " DAGs of one equivalence class."
        ),
        f"| cell | pairs | true edges | expected | false | ECE, all (chance) | pairs, p >= {LOWEST}"
        f" | ECE, p >= {LOWEST} | chance | excess | limit | bound {BOUND} | Brier"
        f" | directed: ECE, p >= {LOWEST} (chance) | directed: Brier | warned | CPU s |",
        "|---" * 17 + "|",
        *(_row(result) for result in results),
        "",
        *_missed(results),
    ]


def _row(result: Result) -> str:
    p, truth, _ = result.pairs.skeleton
    whole, part = (Figures.of(result.pairs.skeleton, lowest) for lowest in (0.0, LOWEST))
    cells = [result.key, f"{len(p):,}", f"{truth.sum():,}", f"{p.sum():,.1f}"]
    cells += [f"{p[~truth].sum():,.1f}", f"{whole.error:.4f} ({whole.chance:.4f})"]
    cells += [f"{part.pairs:,}", f"{part.error:.4f}", f"{part.chance:.4f}"]
    cells += [f"{part.error - part.chance:+.4f}", f"{part.limit:.4f}", part.verdict]
    cells += [_brier(p, truth), *_directed(result), str(result.warned), f"{result.seconds:.0f}"]
    return "| " + " | ".join(cells) + " |"


def _missed(results: list[Result]) -> list[str]:
    """Say why true edges were not found."""
    rows = [(r.key, *r.missed.tolist()) for r in results if r.missed[0]]
    return [
        *_paragraph(
            "*Missed* are true edges with a probability of at most one half. *Too large* are missed"
            " edges of families with more free parameters than rows, which are never considered."
            " *Weak* are other missed edges: they raise the score of their true family by less than"
            f" {WEAK:g} nats if all other parents are known, so the rows hardly show them."
        ),
        "| cell | missed | too large | weak |",
        "|---" * 4 + "|",
        *(f"| {key} | {lost:,} | {large:,} | {weak:,} |" for key, lost, large, weak in rows),
        "",
    ]


def _directed(result: Result) -> list[str]:
    if not result.directed:
        return ["-", "-"]
    figures = Figures.of(result.pairs.directed, LOWEST)
    p, truth, _ = result.pairs.directed
    return [f"{figures.error:.4f} ({figures.chance:.4f})", _brier(p, truth)]


def _brier(probability: np.ndarray, truth: np.ndarray) -> str:
    return f"{np.mean((probability - truth) ** 2):.5f}" if len(truth) else "-"


def _verdict(results: list[Result]) -> list[str]:
    """Name the cells above the bound, with the reason where the generator is one."""
    figures = {result.key: Figures.of(result.pairs.skeleton, LOWEST) for result in results}
    above = [key for key in figures if figures[key].error > BOUND]
    unsure = [key for key in above if figures[key].verdict != "above"]
    text = f"The bound is an ECE of {BOUND} over p >= {LOWEST}."
    text += f" Cells above it: {', '.join(above) or 'none'}."
    if unsure:
        text += f" Of these, the ECE is not above the limit in {', '.join(unsure)}."
    keys: dict[str, list[str]] = {}
    for key in above:
        if key in REASONS:
            keys.setdefault(REASONS[key], []).append(key)
    about = [f"About {', '.join(some)}: {reason}" for reason, some in keys.items()]
    return [line for paragraph in (text, *about) for line in _paragraph(paragraph)]


if __name__ == "__main__":
    main()
