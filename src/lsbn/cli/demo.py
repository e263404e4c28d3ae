"""``lsbn demo``: learn a bundled network from data sampled from it."""

import argparse
import shutil
from pathlib import Path

from lsbn.cli.learn import learn_and_write
from lsbn.cli.options import LEARNERS, N_GRAPHS, Commands, add_command, add_jobs, add_seed
from lsbn.cli.printing import print_communities, print_written
from lsbn.cli.progress import StageProgress
from lsbn.cli.sample import shuffled_columns
from lsbn.files import claimed

__all__ = ["add_parser", "run"]

ROWS = 20_000

HELP = f"""\
Samples {ROWS:,} rows from alarm (37 variables, 46 edges), shuffles the columns, learns the network
as `lsbn learn` does, and compares it with the true network. Writes a run folder with a report,
report.html. An earlier demo in RUN is replaced."""


def add_parser(commands: Commands) -> None:
    """Add the command and its options, and fix those of ``lsbn learn`` that it does not have."""
    summary = "learn a bundled network from rows sampled from it"
    command = add_command(commands, "demo", run, summary, HELP)
    command.add_argument(
        "-o", "--output", default="runs/demo", metavar="RUN", help="folder (default runs/demo)"
    )
    command.set_defaults(
        scope="lsbn",
        learner=LEARNERS[0],
        score=None,
        count="orders",
        effort="standard",
        graphs=N_GRAPHS,
        copies=None,
        knowledge=None,
        paper=False,
        truth="alarm",
        parquet=False,
        shuffle_columns=True,
    )
    add_seed(command)
    add_jobs(command)


def run(arguments: argparse.Namespace) -> None:
    """Learn the alarm network from data sampled from it, and compare."""
    from lsbn.data import Dataset
    from lsbn.drafts import draft_of
    from lsbn.firstuse import compile_beside
    from lsbn.network import load_network
    from lsbn.runs import covered_edges, require_free

    arguments.force = _holds_a_demo(Path(arguments.output))
    require_free(arguments.output, force=arguments.force)
    shutil.rmtree(draft_of(arguments.output), ignore_errors=True)
    stages = StageProgress()
    net = load_network("alarm")
    compile_beside(net.n_variables)
    with stages("sample", "alarm"):
        table = net.sample(ROWS, random_state=arguments.seed)
        dataset = Dataset.from_table(table.iloc[:, shuffled_columns(net, arguments.seed)])
    print(
        f"alarm, a network for monitoring patients: {net.n_variables} variables, {net.n_edges} "
        f"edges.\nFrom {ROWS:,} rows sampled from it, columns shuffled, lsbn finds\n"
    )
    with claimed(arguments.output):
        communities = learn_and_write(arguments, dataset, net.dag, stages)
    print()
    print_communities(communities, "")
    covered = covered_edges(communities, net.dag)
    print(f"\n{covered} of the {net.n_edges} true edges lie inside a community\n")
    print_written(arguments.output, stages.total)


def _holds_a_demo(folder: Path) -> bool:
    """Tell whether a folder holds an earlier demo, which is replaced without ``--force``."""
    from lsbn.runs import Run

    if not folder.is_dir():
        return False
    return (Run(folder).summary.get("settings") or {}).get("command") == "demo"
