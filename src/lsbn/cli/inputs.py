"""Read what a command works on: the table and the true network."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsbn.cli.options import reading_options
from lsbn.cli.progress import StageProgress

if TYPE_CHECKING:
    import networkx as nx

    from lsbn.data import Dataset
    from lsbn.drafts import KeptTable

__all__ = ["layout_options", "read_table", "read_truth"]


def layout_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return all that `lsbn.Dataset.read` takes beside the file, from the parsed arguments."""
    keys = ("sep", "header", "skip")
    return reading_options(arguments) | {key: getattr(arguments, key) for key in keys}


def read_table(
    arguments: argparse.Namespace, stages: StageProgress, kept: KeptTable | None = None
) -> Dataset:
    """Read the table, and print notes on columns and rows that were changed or left out."""
    with stages("read", Path(arguments.data).name):
        from lsbn.data import Dataset

        dataset = None if kept is None else kept.read()
        if dataset is None:
            dataset = Dataset.read(arguments.data, **layout_options(arguments))
    for note in dataset.notes:
        print(f"note: {note}")
    return dataset


def read_truth(arguments: argparse.Namespace, names: Sequence[str]) -> nx.DiGraph | None:
    """Read the network of ``--truth``, if the option was given."""
    from lsbn.runs import load_truth

    return None if arguments.truth is None else load_truth(arguments.truth, names)
