"""``lsbn evaluate``: compare a run with the true network."""

import argparse
import json
from pathlib import Path

from lsbn.cli.options import TRUTH_HELP, Commands, add_command, add_run_folder
from lsbn.cli.printing import print_evaluation

__all__ = ["add_parser", "run"]

HELP = f"""\
{TRUTH_HELP}

A pair of variables counts as an edge if its two directions together have a probability above 0.5.
Hits, misses and errors are those of the skeleton, without directions. Precision, recall and F are
in percent. The structural Hamming distance counts the pairs on which the two equivalence classes
(CPDAGs) differ.

A list of edges with a third column, probability, means the acyclic graph of the edges above 0.5. So
edges.csv of a run may be the truth of another run. Without this column a cycle is an error.

In a run with --copies group, an edge of a group is true if one of its columns has this edge in the
true network. True edges between columns of the same group do not count.

Example:
  lsbn evaluate runs/pc --truth alarm --json"""


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    command = add_command(commands, "evaluate", run, "compare a run with the true network", HELP)
    add_run_folder(command)
    command.add_argument("--truth", required=True, metavar="NET", help="the true network")
    command.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> None:
    """Compare the edges of a run with the true network."""
    from lsbn.runs import Run, evaluation_of, load_truth, table_columns_of

    finished = Run(Path(arguments.run_folder))
    truth = load_truth(arguments.truth)
    edges, groups = finished.edges(truth), finished.groups
    if groups.keys() & set(truth):  # the truth is a list of edges between groups
        groups = {}
    truth = load_truth(arguments.truth, table_columns_of(edges.names, groups))
    evaluation = evaluation_of(edges, truth, finished.summary.get("seed"), groups=groups)
    if arguments.json:
        print(json.dumps(evaluation))
    else:
        print_evaluation(evaluation)
