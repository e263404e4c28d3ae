"""The two scopes of ``lsbn learn``: the framework, or the learner alone on all variables."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lsbn.cli.progress import StageProgress

if TYPE_CHECKING:
    from lsbn.data import Dataset
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
    diagnostics : dict
        What the learner reports about its run, and the notes on the table.
    """

    edges: EdgeProbabilities
    communities: list[list[str]]
    diagnostics: dict[str, Any]


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
    from lsbn.learners import LEARNERS

    with stages("learn", f"{arguments.learner} on {dataset.n_variables:,} variables"):
        learned = LEARNERS[arguments.learner](
            dataset, random_state=arguments.seed, n_jobs=arguments.jobs, **_score(arguments)
        )
    diagnostics = {**learned.diagnostics, "notes": dataset.notes}
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
            **_score(arguments),
        ).fit(dataset)
    diagnostics = dict(model.diagnostics_)
    for note in diagnostics.get("notes", ())[len(dataset.notes) :]:
        print(f"note: {note}")
    stages.split("fit", diagnostics.pop("seconds"))
    return Result(model.edges_, model.communities_, diagnostics)


def _score(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the score as a keyword argument of the learner; empty if the option was not given."""
    from lsbn.learners import Score

    return {} if arguments.score is None else {"score": Score(arguments.score)}
