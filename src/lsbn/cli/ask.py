"""``lsbn ask``: answers from a finished run."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsbn.cli.options import Commands, HelpFormatter, add_command, add_run_folder, add_seed, count
from lsbn.cli.sample import require_free_file
from lsbn.cli.table_files import writer_for
from lsbn.files import atomic_file

if TYPE_CHECKING:
    from lsbn.answers.answers import Answers
    from lsbn.runs import Run

__all__ = ["add_parser", "run"]

HELP = """\
Names with spaces need quotes, as in `lsbn ask RUN edge "wet grass" rain`. Each question has a help
of its own: `lsbn ask RUN effect --help`. With --json the answer is one JSON object.

Probabilities of edges are those of edges.csv. All other probabilities of the structure are shares
of the networks that `lsbn learn` drew from the posterior, and ± is their standard error. Learners
that give one graph, and --paper, have no such networks; then only edge, adjacent, predict, impute,
score and sample have an answer.

predict, score and sample use the graph of the edges above 0.5. With --average every network from
the posterior predicts, and their predictions are averaged. effect is averaged always. predict takes
rows with missing values. impute fills them with the most probable values given the other values of
the row, averaged over the networks if there are any. A column whose numbers were cut is filled with
intervals such as (0.2, 0.4]. After `lsbn learn --missing state`, "missing" is a state of a column
and is not filled.

DATA needs the columns that were learned; other columns are not read, and impute -o keeps them.
Numbers are cut into the same intervals; those outside of the range that was learned are in the
outer intervals. Values that meant "missing" to `lsbn learn` mean it here too; --na names more.

An effect is what happens if someone sets the cause, not if one sees it. It is right only if there
are no hidden common causes, and if the arrows are causal: data alone cannot show that.

Examples:
  lsbn ask runs/survey edge smoker cough
  lsbn ask runs/survey path smoker cough
  lsbn ask runs/survey blanket cough
  lsbn ask runs/survey effect smoker cough
  lsbn ask runs/survey predict new.csv --target cough --average -o cough.csv
  lsbn ask runs/survey impute new.csv -o filled.csv --cells probabilities.csv
  lsbn ask runs/survey score new.csv
  lsbn ask runs/survey sample --rows 1000 -o more.csv
  lsbn ask runs/survey graphs -k 100 -o networks.csv"""

RELATIONS = {
    "edge": "probability of the edge SOURCE -> TARGET",
    "adjacent": "probability of an edge between the two, in either direction",
    "path": "probability of a directed path from SOURCE to TARGET",
}


def add_parser(commands: Commands) -> None:
    """Add the command and its questions."""
    summary = "ask a finished run: paths, blankets, predictions, effects"
    command = add_command(commands, "ask", run, summary, HELP)
    add_run_folder(command)
    questions = command.add_subparsers(title="questions", metavar="QUESTION", required=True)
    for name, text in RELATIONS.items():
        question = _question(questions, name, text, _ask_relation)
        question.set_defaults(how=name)
        question.add_argument("source", metavar="SOURCE", help="a variable")
        question.add_argument("target", metavar="TARGET", help="another variable")
    text = "probability of each variable to be in the Markov blanket of NAME"
    question = _question(questions, "blanket", text, _ask_blanket)
    question.add_argument("name", metavar="NAME", help="a variable")
    text = "P(OUTCOME | do(CAUSE)) with intervals over the networks"
    question = _question(questions, "effect", text, _ask_effect)
    question.add_argument("cause", metavar="CAUSE", help="the variable that is set")
    question.add_argument("outcome", metavar="OUTCOME", help="the variable that may change")
    question.add_argument(
        "--level", type=float, default=0.9, metavar="P", help="of the intervals (default 0.9)"
    )
    text = "distribution of a column in each row of DATA, given all other columns"
    question = _question(questions, "predict", text, _ask_prediction)
    _add_data(question, "the rows; the target may be missing")
    question.add_argument("--target", required=True, metavar="NAME", help="the column to predict")
    _add_average(question)
    _add_output(question, "CSV file to write; by default the terminal", required=False)
    text = "fill the missing values of DATA with the most probable ones"
    question = _question(questions, "impute", text, _ask_imputation)
    _add_data(question, "the rows, with missing values")
    question.add_argument(
        "--cells", metavar="FILE", help="CSV file to write: row,column,value,probability"
    )
    text = "CSV file to write, the filled table; by default the filled values, on the terminal"
    _add_output(question, text, required=False)
    text = "mean log-likelihood of the rows of DATA, in nats"
    question = _question(questions, "score", text, _ask_score)
    _add_data(question, "the rows")
    _add_average(question)
    text = "draw rows from the network that was learned"
    question = _question(questions, "sample", text, _ask_sample)
    question.add_argument("--rows", type=count, required=True, metavar="N", help="rows to draw")
    _add_average(question)
    add_seed(question)
    _add_output(question, ".csv, .csv.gz or .parquet")
    text = "networks from the posterior, as a CSV file graph,source,target"
    question = _question(questions, "graphs", text, _ask_graphs)
    question.add_argument("-k", type=count, default=100, help="number of networks (default 100)")
    _add_output(question, "CSV file to write")


def _question(
    questions: Commands, name: str, text: str, answer: Callable[..., Any]
) -> argparse.ArgumentParser:
    """Add the parser of one question."""
    question = questions.add_parser(
        name,
        help=text,
        description=text[0].upper() + text[1:] + ".",
        formatter_class=HelpFormatter,
    )
    question.set_defaults(answer=answer, question=name)
    question.add_argument("--json", action="store_true", help="print one JSON object")
    return question


def _add_data(question: argparse.ArgumentParser, text: str) -> None:
    question.add_argument("data", metavar="DATA", help=text)
    question.add_argument(
        "--na",
        default="",
        metavar="VALUES",
        help='more values that mean "missing", beside those of the run',
    )


def _add_average(question: argparse.ArgumentParser) -> None:
    question.add_argument(
        "--average", action="store_true", help="average over the networks from the posterior"
    )


def _add_output(question: argparse.ArgumentParser, text: str, *, required: bool = True) -> None:
    question.add_argument("-o", "--output", required=required, metavar="FILE", help=text)
    question.add_argument("--force", action="store_true", help="replace FILE if it exists")


def run(arguments: argparse.Namespace) -> None:
    """Answer a question."""
    from lsbn.answers.store import read_answers
    from lsbn.runs import Run

    for written in ("output", "cells"):
        if getattr(arguments, written, None):
            require_free_file(Path(getattr(arguments, written)), force=arguments.force)
    finished = Run(Path(arguments.run_folder))
    answers = read_answers(finished.path, finished.edges()).with_na(_na(arguments, finished))
    try:
        record, lines = arguments.answer(arguments, answers)
    except KeyError as error:  # an unknown variable
        raise ValueError(error.args[0]) from None
    if arguments.json:
        print(json.dumps({"question": arguments.question, **record}, ensure_ascii=False))
    else:
        for line in lines:
            print(line)


def _na(arguments: argparse.Namespace, finished: Run) -> tuple[str, ...]:
    """Return values that mean 'missing', of the options of this command and of `lsbn learn`.

    The coding of older runs does not have those of `lsbn learn`.
    """
    from lsbn.data.options import name_list

    learned = (finished.summary.get("settings") or {}).get("na") or ""
    given = getattr(arguments, "na", "")
    return (*name_list(learned, "na"), *name_list(given, "--na"))


Answer = tuple[dict[str, Any], Sequence[str]]
"""An answer as a record for JSON, and as lines of text."""


def _ask_relation(arguments: argparse.Namespace, answers: Answers) -> Answer:
    source, target, how = arguments.source, arguments.target, arguments.how
    found = answers.probability(source, target, how)
    record = {"source": source, "target": target, "probability": float(found), "error": found.error}
    return record, [f"{found}" if found.error else f"{float(found):.3f}"]


def _ask_blanket(arguments: argparse.Namespace, answers: Answers) -> Answer:
    frame = answers.markov_blanket(arguments.name)
    record = {"name": arguments.name, "blanket": frame.to_dict("records")}
    lines = [
        f"{row.probability:.3f} ± {row.error:.3f}  {row.variable}" for row in frame.itertuples()
    ]
    return record, lines or ["no variable has a probability of 0.01 or more to be in it"]


def _ask_effect(arguments: argparse.Namespace, answers: Answers) -> Answer:
    effect = answers.effect(arguments.cause, arguments.outcome, arguments.level)
    values = effect.to_frame().to_numpy().tolist()
    keys = ("cause", "outcome", "probability", "low", "high")
    rows = [dict(zip(keys, row, strict=True)) for row in values]
    record = {"cause": effect.cause, "outcome": effect.outcome, "level": effect.level}
    note = f"networks in which {effect.cause} has an effect: {effect.any_effect:.1%}"
    return {**record, "effects": rows, "any_effect": effect.any_effect}, [repr(effect), note]


def _ask_prediction(arguments: argparse.Namespace, answers: Answers) -> Answer:
    from lsbn.graph.edge_access import place_of

    target = arguments.target
    labels = answers.coding.states[place_of(answers.coding.names, target)]
    shares = answers.predict_proba(arguments.data, target, arguments.average)
    best = [labels[state] for state in shares.argmax(axis=1)]
    if arguments.json and arguments.output is None:
        return {"target": target, "states": labels, "probabilities": shares.tolist()}, []
    header = [target, *(f"P({label})" for label in labels)]
    rows = ([state, *(f"{p:.6g}" for p in row)] for state, row in zip(best, shares, strict=True))
    _write_rows(arguments.output, header, rows)
    if arguments.output is None:
        return {}, []
    return _written(len(shares), "predictions", arguments.output)


def _ask_imputation(arguments: argparse.Namespace, answers: Answers) -> Answer:
    filled = answers.impute(arguments.data)
    if names := answers.coding.with_missing_state:
        print(f"note: {_missing_state_note(names)}", file=sys.stderr)
    header, rows = list(filled.cells), filled.cells.itertuples(index=False)
    cells = [(*row[:3], round(row.probability, 6)) for row in rows]
    if arguments.cells is not None:
        _write_rows(arguments.cells, header, cells)
    if arguments.output is not None:
        with atomic_file(arguments.output) as draft:
            plain = {"lineterminator": "\n", "compression": None}
            filled.table.to_csv(draft, index=False, encoding="utf-8", **plain)
        return _written(len(cells), "cells", arguments.output)
    if arguments.json:
        from lsbn.runs import json_ready

        return {"cells": json_ready([dict(zip(header, row, strict=True)) for row in cells])}, []
    if arguments.cells is None:
        _write_rows(None, header, cells)
    return {"cells": len(cells)}, []


def _missing_state_note(names: Sequence[str]) -> str:
    """Say why missing values are not filled."""
    from lsbn.data.columns import listing

    return (
        f"'missing' is a state of {len(names):,} column(s): {listing(map(repr, names))}; nothing "
        "is filled there. `lsbn learn --missing infer` takes missing values for unknown ones"
    )


def _ask_score(arguments: argparse.Namespace, answers: Answers) -> Answer:
    logs = answers.log_likelihood(arguments.data, arguments.average)
    error = logs.std(ddof=1) / len(logs) ** 0.5 if len(logs) > 1 else 0.0
    record = {"mean": float(logs.mean()), "error": float(error), "rows": len(logs)}
    return record, [f"{logs.mean():.4f} ± {error:.4f} nats a row, {len(logs):,} rows"]


def _ask_sample(arguments: argparse.Namespace, answers: Answers) -> Answer:
    import numpy as np

    target, coding = Path(arguments.output), answers.coding
    write = writer_for(target)
    rng = np.random.default_rng(arguments.seed)
    codes = answers.ensemble(arguments.average).sample(arguments.rows, rng)
    with atomic_file(target) as draft:
        write(draft, coding, codes, range(len(coding.names)))
    return _written(arguments.rows, "rows", arguments.output)


def _ask_graphs(arguments: argparse.Namespace, answers: Answers) -> Answer:
    graphs = answers.sample_graphs(arguments.k)
    rows = ((g, u, v) for g, graph in enumerate(graphs) for u, v in graph.edges)
    _write_rows(arguments.output, ("graph", "source", "target"), rows)
    return _written(len(graphs), "networks", arguments.output)


def _written(number: int, what: str, path: str) -> Answer:
    record = {what: number, "file": path}
    return record, [f"{number:,} {what} written to {path}"]


def _write_rows(path: str | None, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write CSV to a file, or to the terminal."""
    with nullcontext() if path is None else atomic_file(path) as draft:
        if draft is None:
            _write_csv(sys.stdout, header, rows)
        else:
            with open(draft, "w", encoding="utf-8", newline="") as file:
                _write_csv(file, header, rows)


def _write_csv(file: Any, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
