"""How far the answer depends on the seed.

Every table is learned with two seeds. Of the ordered pairs with P(u -> v) above 0.01 in either fit,
the page counts those that differ by more than 0.1. It shows the log scores of both fits, and what
each fit says of itself: its R-hat, how many searches agreed, and whether it warned.

    python experiments/seeds.py [--seeds 1,2] [--rows 1000] [--networks alarm FILE.bif]
        [--tables iris wine] [--effort standard]
"""

from __future__ import annotations

import argparse
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from lsbn import LSBN, load_network
from lsbn.studies.cells import shuffled_table
from parts import real_tables

SHOWN, APART = 0.01, 0.1
HEADS = ("pairs apart", "largest", "log scores", "R-hat", "searches agreed", "warned", "CPU s")
LARGE = 65
"""Tables of scikit-learn and statsmodels with at least this many columns are left out."""


@dataclass(frozen=True)
class Fit:
    """What one seed gave."""

    edges: sparse.csr_array
    log_score: float
    r_hat: float
    agreed: str
    warned: bool
    seconds: float


def main() -> None:
    """Learn every table twice and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    numbers = {"type": lambda text: [int(x) for x in text.split(",")]}
    parser.add_argument("--seeds", default=[1, 2], **numbers)
    parser.add_argument("--rows", default=[1_000], **numbers)
    parser.add_argument("--networks", nargs="*", default=["alarm", "insurance", "win95pts"])
    parser.add_argument("--tables", nargs="*", help="real tables; by default all of them")
    parser.add_argument("--effort", default="standard")
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".md"))
    arguments = parser.parse_args()
    lines = []
    for name, table in chosen(arguments).items():
        fits = [fit(table, seed, arguments.effort) for seed in arguments.seeds[:2]]
        lines.append(row(name, *fits))
        print(lines[-1], flush=True)
    arguments.output.write_text(page(lines, arguments), encoding="utf-8")


def chosen(arguments: argparse.Namespace) -> dict[str, pd.DataFrame]:
    """Return the tables to learn, by name."""
    found = {
        f"{Path(name).stem}, {rows:,} rows": shuffled_table(load_network(name), rows, 1)
        for name in arguments.networks
        for rows in arguments.rows
    }
    wanted = arguments.tables
    for name, table in real_tables.tables().items() if wanted != [] else ():
        if name in (wanted or ()) or (wanted is None and table.shape[1] < LARGE):
            found[name] = table
    return found


def fit(table: pd.DataFrame, seed: int, effort: str) -> Fit:
    """Learn a table with one seed."""
    start = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = LSBN(random_state=seed, effort=effort).fit(table)
    notes = model.diagnostics_
    exact = notes.method == "exact"
    return Fit(
        model.edge_probabilities_,
        float((notes.log_evidence if exact else notes.log_score) or 0.0),
        notes.r_hat or 1.0,
        "exact" if exact else f"{notes.searches_agreed} of {notes.searches_compared}",
        any(issubclass(w.category, ConvergenceWarning) for w in caught),
        time.process_time() - start,
    )


def apart(first: sparse.csr_array, second: sparse.csr_array) -> tuple[int, int, float]:
    """Count the pairs that differ and those that are shown; give the largest difference."""
    difference = abs(first - second)
    shown = ((first > SHOWN).astype(int) + (second > SHOWN).astype(int)).nnz
    largest = float(difference.max()) if difference.nnz else 0.0
    return int((difference > APART).sum()), int(shown), largest


def row(label: str, one: Fit, two: Fit) -> str:
    """Make a row of the table."""
    differing, shown, largest = apart(one.edges, two.edges)
    cells = [
        f"{differing} of {shown}",
        f"{largest:.2f}",
        f"{one.log_score:,.1f}, {two.log_score:,.1f}",
        f"{one.r_hat:.2f}, {two.r_hat:.2f}",
        f"{one.agreed}, {two.agreed}",
        ", ".join("yes" if each.warned else "no" for each in (one, two)),
        f"{np.mean([one.seconds, two.seconds]):.1f}",
    ]
    return f"| {label} | {' | '.join(cells)} |"


def page(lines: list[str], arguments: argparse.Namespace) -> str:
    """Make the whole page."""
    seeds, rows = (",".join(map(str, some)) for some in (arguments.seeds, arguments.rows))
    command = f"python experiments/seeds.py --seeds {seeds} --rows {rows}"
    command += f" --networks {' '.join(arguments.networks)}" if arguments.networks else ""
    command += f" --effort {arguments.effort}"
    head = ["# Two seeds, one answer?", f"Written by `{command}`.", __doc__.split("\n\n")[1]]
    table = [f"| | {' | '.join(HEADS)} |", "|---" * (len(HEADS) + 1) + "|", *lines]
    return "\n\n".join([*head, "\n".join(table)]) + "\n"


if __name__ == "__main__":
    main()
