"""``lsbn partition``: find overlapping communities of variables."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lsbn.cli.inputs import read_table, read_truth
from lsbn.cli.options import TABLE_HELP, TRUTH_HELP, Commands, add_command, add_table_options
from lsbn.cli.printing import print_communities, print_coverage
from lsbn.cli.progress import StageProgress
from lsbn.cli.summary import make_summary
from lsbn.files import claimed

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["add_parser", "run"]

HELP = f"""\
{TABLE_HELP}

RUN is a new folder:
  communities.json  the communities, a list of lists of names
  partition.json    by_weight: the communities of each of the seven weight functions;
                    kept: the fraction of pairs that each weight function kept
  summary.json      size of the table, settings, seed, versions, seconds, diagnostics
  communities.parquet   with --parquet, and above 1,000 variables

{TRUTH_HELP}
With --truth, the command counts the true edges inside communities.

Examples:
  lsbn partition survey.csv -o runs/survey --missing state
  lsbn partition genes.parquet -o runs/genes --discretize quantile --bins 3"""


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    summary = "find overlapping communities of variables only (ROPART)"
    command = add_command(commands, "partition", run, summary, HELP)
    add_table_options(command)


def run(arguments: argparse.Namespace) -> None:
    """Find overlapping communities and write a run folder."""
    from lsbn.runs import require_free

    require_free(arguments.output, force=arguments.force)
    with claimed(arguments.output):
        _find_communities(arguments)


def _find_communities(arguments: argparse.Namespace) -> None:
    import numpy as np

    from lsbn.graph.parquet import LARGE, write_communities
    from lsbn.missing import ChainSettings, complete
    from lsbn.partition import ropart
    from lsbn.runs import write_run

    stages = StageProgress()
    dataset = read_table(arguments, stages)
    truth = read_truth(arguments, dataset.names)
    with stages("partition", f"{dataset.n_variables:,}") as tell:
        once = ChainSettings(completions=1, between=1, chains=1, most_rounds=0)
        rng = np.random.default_rng(arguments.seed)
        completed = complete(dataset, rng, settings=once)[0]
        parts = ropart(completed, n_jobs=arguments.jobs, progress=tell)
    communities = _named(parts.communities, dataset.names)
    by_weight = {weight: _named(found, dataset.names) for weight, found in parts.by_weight.items()}
    coverage = None if truth is None else _coverage(communities, by_weight, truth)
    diagnostics = {
        "communities": len(communities),
        "largest": max(map(len, communities), default=0),
        "notes": dataset.notes,
        "edge_coverage": coverage,
    }

    def tables(folder: Path) -> None:
        if arguments.parquet or dataset.n_variables > LARGE:
            write_communities(folder / "communities.parquet", communities, dataset.names)

    write_run(
        arguments.output,
        make_summary(arguments, dataset, stages, diagnostics),
        communities,
        partition={"by_weight": by_weight, "kept": parts.kept},
        more=tables,
        force=arguments.force,
    )
    print_communities(communities, f"all of them: {Path(arguments.output) / 'communities.json'}")
    if truth is not None and coverage is not None:
        print_coverage(coverage, truth)
    print(f"\nwritten to {arguments.output} in {stages.total:.1f} s")


def _named(communities: Iterable[Iterable[int]], names: Sequence[str]) -> list[list[str]]:
    """Replace the numbers of the variables by their names."""
    return [[names[int(v)] for v in community] for community in communities]


def _coverage(
    communities: list[list[str]], by_weight: dict[str, list[list[str]]], truth: nx.DiGraph
) -> dict[str, int]:
    """Count the true edges inside communities, for the result and for each weight function."""
    from lsbn.runs import covered_edges

    counts = {weight: covered_edges(found, truth) for weight, found in by_weight.items()}
    return {"second_order": covered_edges(communities, truth), **counts}
