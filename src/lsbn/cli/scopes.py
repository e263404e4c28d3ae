"""The two scopes of ``lsbn learn``: the framework, or the learner alone on all variables."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lsbn.cli.progress import StageProgress

if TYPE_CHECKING:
    from lsbn.data import Dataset
    from lsbn.framework.diagnostics import FitDiagnostics
    from lsbn.graph import EdgeProbabilities

__all__ = ["Result", "learn_in_scope"]


@dataclass(frozen=True)
class Result:
    """What was learned.

    Attributes
    ----------
    edges : EdgeProbabilities
    communities : list of list of str
        Names of the variables of every community.
    diagnostics : FitDiagnostics
        What the learner reports about its run, and the notes on the table, without the seconds.
    """

    edges: EdgeProbabilities
    communities: list[list[str]]
    diagnostics: FitDiagnostics


def learn_in_scope(
    arguments: argparse.Namespace, dataset: Dataset, stages: StageProgress
) -> Result:
    """Learn from a dataset in the scope of ``--scope``."""
    if arguments.scope == "global":
        return _learn_globally(arguments, dataset, stages)
    return _learn_by_communities(arguments, dataset, stages)


def _learn_globally(
    arguments: argparse.Namespace, dataset: Dataset, stages: StageProgress
) -> Result:
    """Run the learner alone on all variables at once."""
    from lsbn.framework.diagnostics import FitDiagnostics
    from lsbn.learners import LEARNERS

    with stages("learn", f"{arguments.learner} on {dataset.n_variables:,} variables"):
        learned = LEARNERS[arguments.learner](
            dataset, random_state=arguments.seed, n_jobs=arguments.jobs, **_options(arguments)
        )
    diagnostics = FitDiagnostics(**vars(learned.diagnostics), notes=list(dataset.notes))
    return Result(learned.edges, [list(dataset.names)], diagnostics)


def _learn_by_communities(
    arguments: argparse.Namespace, dataset: Dataset, stages: StageProgress
) -> Result:
    """Run the framework: partition, learn each community, merge."""
    from lsbn.estimator import LSBN

    make = LSBN.paper if arguments.paper else LSBN
    with stages("fit", "learning") as tell:
        model = make(
            learner=arguments.learner,
            random_state=arguments.seed,
            n_jobs=arguments.jobs,
            verbose=tell,
            **_options(arguments),
        ).fit(dataset)
    diagnostics = model.diagnostics_
    for note in (diagnostics.notes or [])[len(dataset.notes) :]:
        print(f"note: {note}")
    stages.split("fit", diagnostics.seconds or {})
    return Result(model.edges_, model.communities_, replace(diagnostics, seconds=None))


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the score and the count as keyword arguments of the learner, if they were given."""
    from lsbn.learners import Score

    options: dict[str, Any] = {}
    if arguments.score is not None:
        options["score"] = Score(arguments.score)
    if arguments.count != "orders":
        options["count"] = arguments.count
    return options
