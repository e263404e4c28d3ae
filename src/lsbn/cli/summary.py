"""Make the summary of a run: sizes, settings, seconds, diagnostics, evaluation."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lsbn.cli.options import WITHOUT_SCORE
from lsbn.cli.progress import StageProgress

if TYPE_CHECKING:
    from lsbn.data import Dataset
    from lsbn.runs import Summary

__all__ = ["copies_used", "make_summary", "score_used"]

NOT_SETTINGS = {"run", "debug", "force", "output", "parquet", "seed"}
"""Arguments that do not change a result, and the seed, which has a place of its own."""


def make_summary(
    arguments: argparse.Namespace,
    dataset: Dataset,
    stages: StageProgress,
    diagnostics: Mapping[str, Any],
    evaluation: Mapping[str, Any] | None = None,
) -> Summary:
    """Make the summary of a run from its arguments, its table and its result."""
    from lsbn.runs import Summary

    return Summary(
        variables=dataset.n_variables,
        rows=dataset.n_rows,
        settings=_settings(arguments),
        seed=arguments.seed,
        seconds={**stages.seconds, "total": stages.total},
        diagnostics=diagnostics,
        evaluation=evaluation,
    )


def _settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options that may change a result, by their names on the command line."""
    settings = {k: v for k, v in vars(arguments).items() if k not in NOT_SETTINGS}
    if "score" in settings:
        settings["score"] = score_used(arguments)
    if "copies" in settings:
        settings["copies"] = copies_used(arguments)
    return settings


def copies_used(arguments: argparse.Namespace) -> str:
    """Name what is done with copies of columns: the option ``--copies``, or the default."""
    from lsbn.parameters import copies_of

    if arguments.copies is None and (arguments.paper or arguments.scope == "global"):
        return "keep"
    return copies_of(arguments.learner, arguments.copies)


def score_used(arguments: argparse.Namespace) -> str | None:
    """Name the score that the learner uses: the option ``--score``, or the learner's default.

    By default the last pass of model averaging has the mixed score. Greedy search, MMHC and the
    framework as published have BDeu.

    Returns
    -------
    str or None
        None if the learner has no score.
    """
    from lsbn.learners import PUBLISHED, Score

    if arguments.learner in WITHOUT_SCORE:
        return None
    if arguments.score is not None:
        return arguments.score
    mixed = arguments.learner == "model-averaging" and not arguments.paper
    return (Score() if mixed else PUBLISHED).kind
