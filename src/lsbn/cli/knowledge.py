"""Options of ``lsbn learn`` for prior knowledge."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lsbn.knowledge import Knowledge

__all__ = ["KNOWLEDGE_HELP", "add_knowledge_options", "collect_knowledge", "knowledge_of"]

KNOWLEDGE_HELP = """\
FILE has what you know about the edges. A .csv file has the header kind,source,target,value:
  required,smoker,cancer,         the edge smoker -> cancer is there
  forbidden,income,age,           there is no edge income -> age
  tier,age,,1                     no edges from a later tier to an earlier one
  tier,lab_*,,2*                  2* also forbids edges between the variables of the tier
  root,sex,,                      no parents;  leaf,outcome,,  no children
  max_parents,*,,3                most parents
  probability,a,b,0.8             prior probability of one edge
A .json file has the parameters of lsbn.Knowledge. Other files are read as Tetrad's knowledge
(addtemporal, forbiddirect, requiredirect). Names may be patterns such as lab_*."""


def add_knowledge_options(command: argparse.ArgumentParser) -> None:
    """Add the options of knowledge to a command."""
    known = command.add_argument_group("what you know")
    known.add_argument("--knowledge", metavar="FILE", help="a file of knowledge, see below")
    known.add_argument(
        "--tiers",
        metavar="TIERS",
        help="tiers from early to late, such as 'age,sex;income;car_*': no edge goes from a later "
        "tier to an earlier one; a name with a comma is within double quotes",
    )
    for option, word in (("--require", "is there"), ("--forbid", "is not there")):
        known.add_argument(
            option,
            metavar="EDGE",
            action="append",
            help=f"an edge that {word}, such as 'a->b'; may be repeated",
        )


def collect_knowledge(arguments: argparse.Namespace) -> None:
    """Read the file and the options of knowledge, and store all of it in ``knowledge``.

    The summary of the run then has the whole knowledge, not only the name of a file.
    """
    from lsbn.knowledge import Knowledge
    from lsbn.knowledge.files import parse_edge, parse_tiers

    given = vars(arguments)
    path, tiers = given.pop("knowledge", None), given.pop("tiers", None)
    required, forbidden = given.pop("require", None), given.pop("forbid", None)
    told = Knowledge() if path is None else Knowledge.read(path)
    told += Knowledge(
        required=map(parse_edge, required or ()),
        forbidden=map(parse_edge, forbidden or ()),
        tiers=() if tiers is None else parse_tiers(tiers),
    )
    arguments.knowledge = told.as_dict() or None


def knowledge_of(arguments: argparse.Namespace) -> Knowledge | None:
    """Return the knowledge that `collect_knowledge` stored; None if there is none."""
    from lsbn.knowledge import Knowledge

    return Knowledge.of(arguments.knowledge) if arguments.knowledge else None
