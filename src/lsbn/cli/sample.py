"""``lsbn sample``: draw a table from a Bayesian network."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from lsbn.cli.options import Commands, add_command, add_seed, count
from lsbn.cli.progress import StageProgress
from lsbn.cli.table_files import writer_for
from lsbn.files import atomic_file

if TYPE_CHECKING:
    from lsbn.network import BayesianNetwork

__all__ = ["add_parser", "require_free_file", "run", "shuffled_columns"]

HELP = """\
NET is a bundled network (alarm, insurance, win95pts, pigs, link) or a .bif or .bif.gz file. FILE
has one column per variable and one row per draw. Cells are state names.

Example:
  lsbn sample insurance --rows 20000 --seed 1 --shuffle-columns -o ins.parquet"""


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    command = add_command(commands, "sample", run, "draw a table from a Bayesian network", HELP)
    command.add_argument("network", metavar="NET", help="bundled name or BIF file")
    command.add_argument("--rows", type=count, required=True, metavar="N", help="rows to draw")
    command.add_argument(
        "-o", "--output", required=True, metavar="FILE", help=".csv, .csv.gz or .parquet"
    )
    add_seed(command)
    command.add_argument(
        "--shuffle-columns",
        action="store_true",
        help="shuffle the columns (networks list parents first, and this helps greedy learners)",
    )
    command.add_argument("--force", action="store_true", help="replace FILE if it exists")


def run(arguments: argparse.Namespace) -> None:
    """Draw a table from a network and write it."""
    from lsbn.network import load_network

    target = Path(arguments.output)
    write = writer_for(target)
    require_free_file(target, force=arguments.force)
    stages = StageProgress()
    with stages("sample", arguments.network):
        net = load_network(arguments.network)
        codes = net.sample_codes(arguments.rows, arguments.seed)
        columns = list(range(net.n_variables))
        if arguments.shuffle_columns:
            columns = shuffled_columns(net, arguments.seed)
    with stages("write", target.name), atomic_file(target) as draft:
        write(draft, net, codes, columns)
    print(
        f"{arguments.rows:,} rows of {net.n_variables:,} variables from {net.name} "
        f"(seed {arguments.seed}) written to {target}"
    )


def shuffled_columns(net: BayesianNetwork, seed: int) -> list[int]:
    """Return the variables in random order, from a random stream that the rows do not use."""
    import numpy as np

    return np.random.default_rng([seed, 1]).permutation(net.n_variables).tolist()


def require_free_file(target: Path, *, force: bool) -> None:
    """Make sure that a file can be written."""
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder; give the name of a file")
    if target.exists() and not force:
        raise FileExistsError(f"{target} exists; choose another name, or replace it with --force")
    if not target.absolute().parent.is_dir():
        raise FileNotFoundError(f"{target.parent}: no such folder")
