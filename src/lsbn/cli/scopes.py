"""The two scopes of ``lsbn learn``: the framework, or the learner alone on all variables."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from lsbn.cli.knowledge import knowledge_of
from lsbn.cli.options import N_GRAPHS
from lsbn.cli.progress import StageProgress
from lsbn.cli.summary import copies_used

if TYPE_CHECKING:
    import numpy as np

    from lsbn.answers.answers import Answers
    from lsbn.data import Dataset
    from lsbn.framework.diagnostics import FitDiagnostics
    from lsbn.graph import EdgeProbabilities
    from lsbn.learners import Learned

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
    import numpy as np

    from lsbn.answers.answers import Answers
    from lsbn.drafts import draft_of, resumable
    from lsbn.framework.diagnostics import FitDiagnostics, missing_diagnostics
    from lsbn.knowledge.copies import fold_with_knowledge
    from lsbn.learners.evidence import knowledge_diagnostics
    from lsbn.missing import completed_counts
    from lsbn.parameters import default_score, score_of
    from lsbn.runs import THRESHOLD

    mode, knowledge = copies_used(arguments), knowledge_of(arguments)
    folded, known = fold_with_knowledge(dataset, mode, knowledge)
    _print_notes(folded.notes)
    columns = dataset if mode == "keep" else folded.dataset
    options = _options(arguments)
    told = known if known is None or mode == "keep" else known.select(folded.kept)
    if told is not None:
        options["knowledge"] = told
    if arguments.learner == "model-averaging":
        options["n_graphs"] = arguments.graphs
    score = score_of(arguments.learner, arguments.score) or default_score(arguments.learner)
    chosen = {"learner": arguments.learner, "random_state": arguments.seed, **_options(arguments)}
    seed = np.random.SeedSequence(arguments.seed)
    with (
        stages("learn", f"{columns.n_variables:,}, {arguments.learner}"),
        resumable(draft_of(arguments.output), columns, chosen | {"knowledge": knowledge}, seed),
    ):
        tables, learned, doubtful = _learn_completions(arguments, columns, seed, options)
        compared = knowledge_diagnostics(knowledge, told, tables[-1], learned, options.get("score"))
    edges, graphs = learned.edges, learned.graphs
    if mode != "keep":
        edges, graphs = folded.unfold_edges(edges), folded.unfold_graphs(graphs)
    edges = replace(edges, knowledge=known)
    results = (edges, edges.dag(THRESHOLD), graphs)
    groups, counts = dict(folded.groups), completed_counts(folded, tables)
    answers = Answers.of(counts, score, *results, groups=groups, table=folded.unfilled)
    notes = [*dataset.notes, *folded.notes]
    diagnostics = FitDiagnostics(
        **vars(learned.diagnostics),
        notes=notes,
        constants=dataset.constants or None,
        knowledge=compared,
        missing=missing_diagnostics(folded, len(tables), doubtful),
    )
    return Result(edges, [list(edges.names)], diagnostics, answers, groups)


def _learn_completions(
    arguments: argparse.Namespace,
    columns: Dataset,
    seed: np.random.SeedSequence,
    options: dict[str, Any],
) -> tuple[list[Dataset], Learned, list[str]]:
    """Run the learner on the table, or on its completions if it has gaps, and average."""
    from lsbn.learners import LEARNERS
    from lsbn.missing import learn_completions
    from lsbn.parallel import threads

    learner = partial(LEARNERS[arguments.learner], n_jobs=arguments.jobs)

    def learn(table: Dataset, _: np.random.SeedSequence, averaging: dict[str, Any]) -> Learned:
        """Learn one table, always by the seed of the command."""
        more = averaging if "n_graphs" in options else {}
        return learner(table, random_state=arguments.seed, **options | more)

    return learn_completions(
        columns,
        seed,
        learn,
        effort=arguments.effort,
        n_graphs=arguments.graphs,
        n_jobs=threads(arguments.jobs),
        score=options.get("score"),
        knowledge=options.get("knowledge"),
    )


def _learn_by_communities(
    arguments: argparse.Namespace, dataset: Dataset, stages: StageProgress
) -> Result:
    """Run the framework: partition, learn each community, merge."""
    from lsbn.drafts import draft_of
    from lsbn.estimator import LSBN

    make = LSBN.paper if arguments.paper else LSBN
    options = _options(arguments)
    if arguments.copies is not None:
        options["fold_copies"] = arguments.copies
    if arguments.knowledge:
        options["knowledge"] = knowledge_of(arguments)
    with stages("fit") as tell:
        model = make(
            learner=arguments.learner,
            random_state=arguments.seed,
            n_jobs=arguments.jobs,
            verbose=tell,
            checkpoint=draft_of(arguments.output),
            **options,
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
