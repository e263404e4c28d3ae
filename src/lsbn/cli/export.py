"""``lsbn export``: write a network in the format of another program."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from lsbn.cli.options import Commands, add_command
from lsbn.cli.sample import require_free_file

if TYPE_CHECKING:
    from lsbn.network import BayesianNetwork

__all__ = ["add_parser", "run"]

HELP = """\
SOURCE is a run, that is, a folder that `lsbn learn` wrote; or a network: a bundled name (alarm,
insurance, win95pts, pigs, link) or a .bif or .bif.gz file. The network of a run is its graph with
its probability tables.

The ending of FILE chooses the format:
  .bif, .bif.gz           BIF; every run has this file, network.bif
  .xmlbif, .bifxml, .xml  XMLBIF; pyAgrum needs the ending .bifxml
  .net                    NET, the format of Hugin
pgmpy and pyAgrum read all three.

Names have letters, digits and underscores only. From .bif files lsbn restores the original names;
in .net files they are the labels of the nodes.

Examples:
  lsbn export runs/survey -o survey.net
  lsbn export alarm -o alarm.bifxml"""


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    summary = "write a network for other programs: BIF, XMLBIF, NET"
    command = add_command(commands, "export", run, summary, HELP)
    command.add_argument("source", metavar="SOURCE", help="a run, a bundled name or a BIF file")
    command.add_argument("-o", "--output", required=True, metavar="FILE", help="file to write")
    command.add_argument("--force", action="store_true", help="replace FILE if it exists")


def run(arguments: argparse.Namespace) -> None:
    """Write a network to a file."""
    from lsbn.network.exchange import kind_of, write_network

    target = Path(arguments.output)
    kind_of(target)
    require_free_file(target, force=arguments.force)
    network = _network(arguments.source)
    write_network(network, target)
    print(f"{network.n_variables:,} variables, {network.n_edges:,} edges written to {target}")


def _network(source: str) -> BayesianNetwork:
    """Return the network of a run, or load it."""
    from lsbn.answers.store import read_answers
    from lsbn.network import load_network
    from lsbn.runs import Run

    if not Path(source).is_dir():
        return load_network(source)
    finished = Run(Path(source))
    return read_answers(finished.path, finished.edges()).to_network()
