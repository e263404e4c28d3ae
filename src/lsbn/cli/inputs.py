"""Read what a command works on: the table and the true network."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lsbn.cli.options import reading_options
from lsbn.cli.progress import StageProgress

if TYPE_CHECKING:
    import networkx as nx

    from lsbn.data import Dataset

__all__ = ["read_table", "read_truth"]


def read_table(arguments: argparse.Namespace, stages: StageProgress) -> Dataset:
    """Read the table, and print notes on columns and rows that were changed or left out."""
    with stages("read", Path(arguments.data).name):
        from lsbn.data import Dataset

        dataset = Dataset.read(
            arguments.data,
            **reading_options(arguments),
            sep=arguments.sep,
            header=arguments.header,
            skip=arguments.skip,
        )
    for note in dataset.notes:
        print(f"note: {note}")
    return dataset


def read_truth(arguments: argparse.Namespace, names: Sequence[str]) -> nx.DiGraph | None:
    """Read the network of ``--truth``, if the option was given."""
    from lsbn.runs import load_truth

    return None if arguments.truth is None else load_truth(arguments.truth, names)
