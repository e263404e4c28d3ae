"""``lsbn learn``: learn a network from a table."""

from __future__ import annotations

import argparse
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lsbn.cli.inputs import layout_options, read_table, read_truth
from lsbn.cli.knowledge import KNOWLEDGE_HELP, add_knowledge_options, collect_knowledge
from lsbn.cli.options import (
    LEARNERS,
    N_GRAPHS,
    TABLE_HELP,
    TRUTH_HELP,
    WITHOUT_SCORE,
    Commands,
    add_command,
    add_table_options,
    count,
)
from lsbn.cli.printing import print_evaluation, print_warnings, print_written
from lsbn.cli.progress import StageProgress
from lsbn.cli.scopes import learn_in_scope
from lsbn.cli.summary import make_summary
from lsbn.files import claimed

if TYPE_CHECKING:
    import networkx as nx

    from lsbn.data import Dataset

__all__ = ["add_parser", "learn_and_write", "run"]

HELP = f"""\
{TABLE_HELP}

RUN is a new folder:
  report.html       the report, a page for your browser: network, communities, all edges
  edges.csv         source,target,probability of every edge with a probability of 0.01 or more
  graph.graphml     an acyclic graph of the edges above 0.5
  communities.json  the communities; with --scope global, one community of all variables
  summary.json      settings, seconds, diagnostics, and the evaluation with --truth
  network.bif       the graph with its probability tables, for pgmpy, pyAgrum and others
  posterior.npz     networks from the posterior, and counts, for `lsbn ask RUN ...`
  coding.json       the states of each column, and the cuts of numbers
  edges.parquet, communities.parquet   with --parquet, and above 1,000 variables

{TRUTH_HELP}

{KNOWLEDGE_HELP}

model-averaging gives the posterior probability of every edge. aracne, pc, greedy and mmhc find one
graph: a directed edge has probability 1, an undirected edge 0.5 in each direction. With --paper the
probability is the mean of the votes of several communities.

Examples:
  lsbn learn survey.csv -o runs/survey
  lsbn learn genes.parquet -o runs/genes --discretize quantile --bins 3
  lsbn learn alarm.csv -o runs/pc --scope global --learner pc --truth alarm
  lsbn learn survey.csv -o runs/survey --tiers 'age,sex;education;income' --forbid 'car->*'"""


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    command = add_command(commands, "learn", run, "learn a network from a table", HELP)
    add_table_options(command)
    how = command.add_argument_group("how to learn")
    how.add_argument(
        "--scope",
        choices=("lsbn", "global"),
        default="lsbn",
        help="lsbn (default): the framework; global: run the learner alone on all variables",
    )
    how.add_argument(
        "--learner",
        choices=LEARNERS,
        default=LEARNERS[0],
        help="the algorithm that learns a set of variables (default model-averaging)",
    )
    how.add_argument(
        "--score",
        choices=("mixed", "bdeu", "k2", "bic"),
        help="how a variable may depend on its parents: mixed (tables and decision trees of "
        "various prior weights), or one kind of table. Default: mixed for model-averaging; bdeu "
        "with the prior of the paper for greedy, mmhc and --paper",
    )
    _add_averaging_options(how)
    how.add_argument(
        "--copies",
        choices=("join", "group", "keep"),
        help="columns that are exact copies of each other. join: the first one by name has all "
        "the edges, the others are joined to it by an edge; group: they are one variable, such as "
        "'a = b'; keep: learn all of them. Default: join; keep for pc, aracne, --paper and "
        "--scope global",
    )
    how.add_argument(
        "--paper",
        action="store_true",
        help="use the framework as published: all votes have the same weight, and there is no "
        "last pass over all variables",
    )
    how.add_argument(
        "--resume",
        action="store_true",
        help="go on with a run that was stopped, from its draft beside RUN; same result",
    )
    add_knowledge_options(command)


def _add_averaging_options(how: argparse._ArgumentGroup) -> None:
    """Add the options of model averaging."""
    how.add_argument(
        "--count",
        choices=("orders", "graphs"),
        default="orders",
        help="what model-averaging counts. orders (default): a network counts as often as it has "
        "orders of the variables; graphs: each network counts once",
    )
    how.add_argument(
        "--effort",
        choices=("quick", "standard", "thorough"),
        default="standard",
        help="how long model-averaging searches. quick: one search; standard (default): "
        "independent searches, and more of them while they disagree; thorough: up to 24 "
        "searches, and longer chains. A warning tells when thorough is needed",
    )
    how.add_argument(
        "--graphs",
        type=count,
        default=N_GRAPHS,
        metavar="N",
        help=f"networks that model-averaging draws and keeps for `lsbn ask` (default {N_GRAPHS})",
    )


def run(arguments: argparse.Namespace) -> None:
    """Learn a network and write a run folder."""
    from lsbn.drafts import KeptTable, draft_of
    from lsbn.runs import require_free

    if arguments.paper and arguments.scope == "global":
        raise ValueError("--scope global does not use the framework; leave out --paper or --scope")
    if arguments.score is not None and arguments.learner in WITHOUT_SCORE:
        raise ValueError(f"--learner {arguments.learner} has no score; leave out --score")
    if arguments.count != "orders" and (arguments.learner != LEARNERS[0] or arguments.paper):
        raise ValueError(
            f"--count {arguments.count} is for the last pass of {LEARNERS[0]}; leave out --count"
        )
    if arguments.effort != "standard" and (arguments.learner != LEARNERS[0] or arguments.paper):
        raise ValueError(
            f"--effort {arguments.effort} is for the last pass of {LEARNERS[0]}; leave out --effort"
        )
    if arguments.graphs != N_GRAPHS and (arguments.learner != LEARNERS[0] or arguments.paper):
        raise ValueError(f"--graphs is for the last pass of {LEARNERS[0]}; leave out --graphs")
    require_free(arguments.output, force=arguments.force)
    collect_knowledge(arguments)
    stages = StageProgress()
    with claimed(arguments.output):
        draft = draft_of(arguments.output)
        _check_draft(draft, arguments)
        kept = KeptTable(draft, arguments.data, layout_options(arguments))
        dataset = read_table(arguments, stages, kept)
        truth = read_truth(arguments, dataset.names)
        try:
            with kept.kept(dataset):
                learn_and_write(arguments, dataset, truth, stages)
        except KeyboardInterrupt:
            remains = f"finished work is in {draft}, use --resume" if draft.exists() else ""
            raise KeyboardInterrupt(remains) from None
    print_written(arguments.output, stages.total)


def _check_draft(draft: Path, arguments: argparse.Namespace) -> None:
    """Raise an error if a draft would be lost; say so if there is none to resume."""
    from lsbn.checkpoint import read_manifest

    if arguments.resume and read_manifest(draft) is None:
        kind = "a draft that cannot be resumed" if draft.exists() else "no draft"
        print(f"note: {arguments.output} has {kind}; the run begins at the start")
    elif draft.exists() and arguments.force and not arguments.resume:
        shutil.rmtree(draft)
    elif draft.exists() and not arguments.resume:
        raise FileExistsError(
            f"{arguments.output} has the draft of a run that was stopped, {draft}; go on with "
            "--resume, or start again with --force"
        )


def learn_and_write(
    arguments: argparse.Namespace,
    dataset: Dataset,
    truth: nx.DiGraph | None,
    stages: StageProgress,
) -> list[list[str]]:
    """Learn from a dataset, write the run folder, and print the result.

    Returns
    -------
    list of list of str
        The communities.
    """
    from lsbn.answers.store import write_answers
    from lsbn.graph.parquet import LARGE, write_communities, write_edges
    from lsbn.report import write_report
    from lsbn.runs import evaluation_of, write_run

    result = learn_in_scope(arguments, dataset, stages)
    edges, communities = result.edges, result.communities
    evaluation = None
    if truth is not None:
        evaluation = evaluation_of(edges, truth, arguments.seed, groups=result.groups)
    summary = make_summary(arguments, dataset, stages, result.diagnostics, evaluation)
    summary = replace(summary, groups=result.groups)

    notes: list[str] = []

    def page(folder: Path) -> None:
        if (note := write_answers(folder, result.answers)) is not None:
            notes.append(note)
        if arguments.parquet or edges.n_variables > LARGE:
            write_edges(folder / "edges.parquet", edges.as_written())
            write_communities(folder / "communities.parquet", communities, edges.names)
        write_report(
            folder / "report.html",
            edges=edges,
            communities=communities,
            summary=summary,
            truth=truth,
            answers=result.answers,
        )

    with stages("write", arguments.output):
        force = arguments.force
        write_run(arguments.output, summary, communities, edges=edges, more=page, force=force)
    for note in notes:
        print(f"note: {note}")
    found = edges.as_written().skeleton(0.5).number_of_edges()
    edge = "edge" if found == 1 else "edges"
    print(f"{found:,} {edge} above 0.5 between {edges.n_variables:,} variables")
    if evaluation is not None:
        print_evaluation(evaluation)
    print_warnings(result.diagnostics)
    return communities
