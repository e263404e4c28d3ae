"""The two scopes of ``lsbn learn``: the framework, or the learner alone on all variables."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from lsbn.cli.options import N_GRAPHS
from lsbn.cli.progress import StageProgress
from lsbn.cli.summary import copies_used

if TYPE_CHECKING:
    from lsbn.answers.answers import Answers
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
    answers : Answers
        What `lsbn ask` needs.
    groups : dict of str to tuple of str
        The columns of each variable that is a group of copies.
    """

    edges: EdgeProbabilities
    communities: list[list[str]]
    diagnostics: FitDiagnostics
    answers: Answers
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)


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
    from lsbn.answers.answers import Answers
    from lsbn.data.copies import FOLDS
    from lsbn.framework.diagnostics import FitDiagnostics
    from lsbn.learners import LEARNERS
    from lsbn.parameters import default_score, score_of
    from lsbn.runs import THRESHOLD

    mode = copies_used(arguments)
    folded = FOLDS[mode](dataset)
    _print_notes(folded.notes)
    columns = dataset if mode == "keep" else folded.dataset
    options = _options(arguments)
    if arguments.learner == "model-averaging":
        options["n_graphs"] = arguments.graphs
    with stages("learn", f"{arguments.learner} on {columns.n_variables:,} variables"):
        learned = LEARNERS[arguments.learner](
            columns, random_state=arguments.seed, n_jobs=arguments.jobs, **options
        )
    edges, graphs = learned.edges, learned.graphs
    if mode != "keep":
        edges, graphs = folded.unfold_edges(edges), folded.unfold_graphs(graphs)
    results = (edges, edges.dag(THRESHOLD), graphs)
    score = score_of(arguments.learner, arguments.score) or default_score(arguments.learner)
    answers = Answers.of(folded.whole, score, *results, groups=folded.groups)
    notes = [*dataset.notes, *folded.notes]
    diagnostics = FitDiagnostics(**vars(learned.diagnostics), notes=notes)
    return Result(edges, [list(edges.names)], diagnostics, answers, dict(folded.groups))


def _learn_by_communities(
    arguments: argparse.Namespace, dataset: Dataset, stages: StageProgress
) -> Result:
    """Run the framework: partition, learn each community, merge."""
    from lsbn.estimator import LSBN

    make = LSBN.paper if arguments.paper else LSBN
    copies = {} if arguments.copies is None else {"fold_copies": arguments.copies}
    with stages("fit", "learning") as tell:
        model = make(
            learner=arguments.learner,
            random_state=arguments.seed,
            n_jobs=arguments.jobs,
            verbose=tell,
            **copies,
            **_options(arguments),
        ).fit(dataset)
    diagnostics = model.diagnostics_
    _print_notes((diagnostics.notes or [])[len(dataset.notes) :])
    stages.split("fit", diagnostics.seconds or {})
    diagnostics = replace(diagnostics, seconds=None)
    parts = (model.edges_, model.communities_, diagnostics, model.answers_)
    return Result(*parts, model.groups_)


def _print_notes(notes: Sequence[str]) -> None:
    """Print the notes about copies of columns."""
    for note in notes:
        print(f"note: {note}")


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return score, count, effort and the number of networks as arguments of the learner."""
    from lsbn.learners import Score

    options: dict[str, Any] = {}
    if arguments.score is not None:
        options["score"] = Score(arguments.score)
    if arguments.count != "orders":
        options["count"] = arguments.count
    if arguments.effort != "standard":
        options["effort"] = arguments.effort
    if arguments.graphs != N_GRAPHS:
        options["n_graphs"] = arguments.graphs
    return options
