"""Predict binary tables whose log-likelihoods are published for other models.

Writes ``density.md`` beside this file. The tables (nltcs, plants, jester, dna and others; Lowd &
Davis 2010, Van Haaren & Davis 2012) are not part of this repository. The argument is a folder that
has, for each of them, ``NAME.train.data``, ``NAME.valid.data`` and ``NAME.test.data``: rows of 0
and 1, separated by commas.

    python experiments/density.py FOLDER [--tables nltcs,plants] [--seed 1] [--output FILE]

Nothing is tuned, so the rows for validation are free to be learned from: ``--valid`` adds a second
line for every table, with these rows as well.
"""

import argparse
import warnings
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from lsbn.files import atomic_file
from lsbn.studies.tabular import Table
from parts.command_line import words
from parts.own_tables import averaged, single
from parts.prediction import Split

LEARN_SPN = {"nltcs": -6.110, "plants": -12.977, "jester": -53.480, "dna": -82.523}
"""Test log-likelihoods of sum-product networks by LearnSPN (Gens & Domingos 2013)."""
HEADER = ["table", "rows", "columns", "own tables", "averaged", "LearnSPN", "CPU s"]
WHAT_IS_SHOWN = """\
Mean log-likelihood of a row of the test set in nats: higher is better. *Own tables* is the single
graph of LSBN() with the tables of the mixed score, *averaged* the average over networks from the
posterior. *LearnSPN* are the figures that Gens & Domingos (2013) published. *Rows* has the number
of rows to learn from and to predict.

The files of dna are V1 to V180 of the table DNA in the R package mlbench (Debian: r-cran-mlbench,
2.1-3): rows 1 to 1,600 to learn from, 1,601 to 2,000 for validation, 2,001 to 3,186 to test. We
compared some rows of the published files (as in the repository SPFlow/SPFlow) with this table. The
last six rows to test are rows 3,181 to 3,186, in this order. Six rows for validation and six to
learn from are spread over rows 1 to 2,000. So the rows to test are most likely the published ones,
and the published 1,600 and 400 rows are another split of the same 2,000. Where all 2,000 are
learned from, no split matters; others use the 400 rows to choose their settings. One random split
(NumPy's default_rng(1).permutation(2000), the first 1,600 to learn from) gave -80.245 and -79.943.
CPU seconds are from a busy machine.

Other published figures for dna are -80.03 (ACMN), -80.65 (WinMine), -81.21 (ID-SPN) and -85.14
(mixtures of trees), all in Rooshenas & Lowd (2014); we quote them without the paper at hand.

The other tables are in no package that we found, and were not measured."""


def main() -> None:
    """Learn every table, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tables", type=words, default=[], help="names; all by default")
    parser.add_argument("--valid", action="store_true", help="and once more with the valid rows")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".md"))
    arguments = parser.parse_args()
    names = arguments.tables or names_in(arguments.folder)
    rows = []
    for name in names:
        for valid in (False, True) if arguments.valid else (False,):
            split = read_split(arguments.folder, name, valid)
            rows.append(measured(name, split, arguments.seed))
            print(" | ".join(rows[-1]), flush=True)
    command = f"python experiments/density.py FOLDER --tables {','.join(names)}"
    command += (" --valid" if arguments.valid else "") + f" --seed {arguments.seed}"
    page = Table("density", "Binary tables", HEADER, rows, f"{WHAT_IS_SHOWN}\n\n`{command}`")
    with atomic_file(arguments.output) as draft:
        draft.write_text(page.markdown(1), encoding="utf-8")


def names_in(folder: Path) -> list[str]:
    """Return the names of all tables of a folder, small files first."""
    files = sorted(folder.glob("*.train.data"), key=lambda path: path.stat().st_size)
    if not files:
        raise SystemExit(f"{folder}: no files NAME.train.data")
    return [path.name.removesuffix(".train.data") for path in files]


def read_split(folder: Path, name: str, valid: bool = False) -> Split:
    """Read the rows to learn from, and the rows to predict."""
    parts = ("train", "valid") if valid else ("train",)
    train = np.concatenate([_read(folder / f"{name}.{part}.data") for part in parts])
    test = _read(folder / f"{name}.test.data")
    if train.shape[1] != test.shape[1]:
        raise SystemExit(f"{name}: {train.shape[1]} columns to learn from, {test.shape[1]} to test")
    columns = [f"x{v}" for v in range(train.shape[1])]
    table = pd.DataFrame(np.concatenate([train, test]), columns=columns)
    return Split.of(table, np.arange(len(train)), np.arange(len(train), len(table)))


def _read(path: Path) -> np.ndarray:
    """Read rows of 0 and 1."""
    rows = np.loadtxt(path, dtype=np.int8, delimiter=",", ndmin=2)
    if not np.isin(rows, (0, 1)).all():
        raise SystemExit(f"{path}: has other values than 0 and 1")
    return rows


def measured(name: str, split: Split, seed: int) -> list[str]:
    """Learn a table and return its row of the page."""
    begun = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        both = [method(split.train, seed) for method in (single, averaged)]
    seconds = process_time() - begun
    logs = [f"{networks.log_likelihoods(split).mean():.3f}" for networks in both]
    published = f"{LEARN_SPN[name]:.3f}" if name in LEARN_SPN else "-"
    size = f"{len(split.train):,} + {len(split.test):,}"
    return [name, size, str(split.train.shape[1]), *logs, published, f"{seconds:.1f}"]


if __name__ == "__main__":
    main()
