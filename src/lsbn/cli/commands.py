"""The command line: ``lsbn COMMAND ...``.

Every command is a function that takes the parsed arguments. What takes long to import (numba,
scikit-learn, pandas) is imported inside them, so that ``lsbn --help`` answers at once.
"""

from __future__ import annotations

import argparse
import gzip
import os
import sys
import textwrap
import traceback
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsbn.cli.progress import Stages
from lsbn.files import atomic_file
from lsbn.version import __version__

if TYPE_CHECKING:
    import networkx as nx
    import numpy as np

    from lsbn.data import Dataset
    from lsbn.graph import EdgeProbabilities
    from lsbn.network import BayesianNetwork

__all__ = ["main"]

NETWORKS = ("alarm", "insurance", "win95pts", "pigs", "link")
LEARNERS = ("model-averaging", "aracne", "pc", "greedy", "mmhc")
SHOWN_COMMUNITIES = 20
DEMO_ROWS = 20_000
INTERRUPTED = 130
BAD_INPUT = 2

TABLE_HELP = """\
DATA is a .csv, .csv.gz, .tsv, .tsv.gz or .parquet file: one row per observation, one column per
variable, a header with the names. Columns hold states (text or whole numbers). Columns with
fractional numbers need --discretize; tables with gaps need --missing."""

TRUTH_HELP = """\
NET is a bundled network (alarm, insurance, win95pts, pigs, link), a .bif or .bif.gz file, or a
.csv file of edges with the header source,target."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0, 2 for bad input, 130 after Ctrl-C."""
    arguments = _parser().parse_args(argv)
    try:
        arguments.run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("lsbn: interrupted; nothing was written", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output has gone, as in `lsbn ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, OSError, MemoryError) as error:
        if arguments.debug:
            traceback.print_exc()
        print(f"lsbn: error: {_message(error)}", file=sys.stderr)
        return BAD_INPUT
    return 0


def _message(error: Exception) -> str:
    """Return the error's own words; the system's errors also need the file they are about."""
    if isinstance(error, MemoryError):
        return f"not enough memory ({error})" if str(error) else "not enough memory"
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__


# -- sample ----------------------------------------------------------------------------------------


def sample(arguments: argparse.Namespace) -> None:
    """Draw a table from a network and write it."""
    from lsbn.network import load_network

    target = Path(arguments.output)
    write = _writer_for(target)
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder; give the name of a file")
    if target.exists() and not arguments.force:
        raise FileExistsError(f"{target} exists; choose another name, or replace it by --force")
    if not target.absolute().parent.is_dir():
        raise FileNotFoundError(f"{target.parent}: no such folder")
    stages = Stages()
    with stages("sample", f"sampling {arguments.network}"):
        net = load_network(arguments.network)
        codes = net.sample_codes(arguments.rows, arguments.seed)
    with stages("write", f"writing {target.name}"), atomic_file(target) as draft:
        write(draft, net, codes, _column_order(net, arguments))
    print(
        f"{arguments.rows:,} rows of {net.n_variables:,} variables from {net.name} "
        f"(seed {arguments.seed}) written to {target}"
    )


def _column_order(net: BayesianNetwork, arguments: argparse.Namespace) -> list[int]:
    """Return the order of the columns, shuffled by a stream that the rows do not use."""
    import numpy as np

    order = np.arange(net.n_variables)
    if arguments.shuffle_columns:
        np.random.default_rng([arguments.seed, 1]).shuffle(order)
    return order.tolist()


def _writer_for(target: Path) -> Any:
    name = target.name.lower()
    writers = {".csv": _write_csv, ".csv.gz": _write_csv_gz, ".parquet": _write_parquet}
    for suffix, writer in writers.items():
        if name.endswith(suffix) and name != suffix:
            return writer
    raise ValueError(f"{str(target)!r} must end in {', '.join(writers)}")


def _write_csv(path: Path, net: BayesianNetwork, codes: np.ndarray, columns: list[int]) -> None:
    with open(path, "wb") as file:
        file.writelines(_csv_lines(net, codes, columns))


def _write_csv_gz(path: Path, net: BayesianNetwork, codes: np.ndarray, columns: list[int]) -> None:
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as file:
        for lines in _csv_lines(net, codes, columns):
            file.write(lines)


def _write_parquet(path: Path, net: BayesianNetwork, codes: np.ndarray, columns: list[int]) -> None:
    import pandas as pd

    table = pd.DataFrame(
        {
            net.names[v]: pd.Categorical.from_codes(codes[v], categories=list(net.states[v]))
            for v in columns
        }
    )
    table.to_parquet(path, index=False)


def _csv_lines(net: BayesianNetwork, codes: np.ndarray, columns: list[int]) -> Iterable[bytes]:
    """Yield the header and blocks of rows; every state is quoted once and not once per cell."""
    import numpy as np

    yield (",".join(_quoted(net.names[v]) for v in columns) + "\n").encode()
    words = {v: np.array([_quoted(s) for s in net.states[v]], dtype=object) for v in columns}
    for start in range(0, codes.shape[1], 2_000):
        block = [words[v][codes[v, start : start + 2_000]].tolist() for v in columns]
        yield ("\n".join(map(",".join, zip(*block, strict=True))) + "\n").encode()


def _quoted(word: str) -> str:
    """Quote a CSV field as RFC 4180 asks, if it needs it; an empty one would be an empty line."""
    if not word or any(c in word for c in ',"\r\n') or word != word.strip():
        return '"' + word.replace('"', '""') + '"'
    return word


# -- partition -------------------------------------------------------------------------------------


def partition(arguments: argparse.Namespace) -> None:
    """Find overlapping communities of variables."""
    from lsbn.runs import Summary, require_free, write_run

    require_free(arguments.output, force=arguments.force)
    stages = Stages()
    dataset = _read(arguments, stages)
    truth = _truth(arguments, dataset.names)
    parts, communities = _ropart(dataset, arguments.jobs, stages)
    by_weight = {weight: _named(found, dataset.names) for weight, found in parts.by_weight.items()}
    diagnostics: dict[str, Any] = {
        "communities": len(communities),
        "largest": max(map(len, communities), default=0),
        "notes": dataset.notes,
        "edge_coverage": _coverage(communities, by_weight, truth),
    }
    summary = Summary(
        variables=dataset.n_variables,
        rows=dataset.n_rows,
        settings=_settings(arguments),
        seed=arguments.seed,
        seconds={**stages.seconds, "total": stages.total},
        diagnostics=diagnostics,
    )
    write_run(
        arguments.output,
        summary,
        communities,
        partition={"by_weight": by_weight, "kept": parts.kept},
        force=arguments.force,
    )
    _print_communities(communities, f"all of them: {Path(arguments.output) / 'communities.json'}")
    if truth is not None:
        _print_coverage(diagnostics["edge_coverage"], truth)
    print(f"\nwritten to {arguments.output} in {stages.total:.1f} s")


def _ropart(dataset: Dataset, jobs: int, stages: Stages) -> tuple[Any, list[list[str]]]:
    """Run ROPART and return its result and the communities by names."""
    from lsbn.partition import ropart

    with stages("partition", f"partitioning {dataset.n_variables:,} variables") as tell:
        parts = ropart(dataset, n_jobs=jobs, progress=tell)
    return parts, _named(parts.communities, dataset.names)


def _named(communities: Iterable[Iterable[int]], names: Sequence[str]) -> list[list[str]]:
    return [[names[int(v)] for v in community] for community in communities]


def _coverage(
    communities: list[list[str]], by_weight: dict[str, list[list[str]]], truth: nx.DiGraph | None
) -> dict[str, int] | None:
    from lsbn.runs import covered_edges

    if truth is None:
        return None
    counts = {weight: covered_edges(found, truth) for weight, found in by_weight.items()}
    return {"second_order": covered_edges(communities, truth), **counts}


def _print_communities(communities: list[list[str]], rest: str) -> None:
    """Print the largest communities, one paragraph each."""
    sizes = sorted((len(c) for c in communities), reverse=True)
    members = sum(sizes)
    variables = len({name for c in communities for name in c})
    print(
        f"{len(communities):,} communities of {variables:,} variables; "
        f"a variable is in {members / max(variables, 1):.1f} on average"
    )
    print("\n size  members")
    for community in sorted(communities, key=lambda c: (-len(c), c))[:SHOWN_COMMUNITIES]:
        text = ", ".join(sorted(community))
        if len(text) > 600:
            text = text[:600].rsplit(",", 1)[0] + ", ..."
        lines = textwrap.wrap(text, 88, break_long_words=False, break_on_hyphens=False)
        print(f"{len(community):5d}  " + "\n       ".join(lines))
    if len(communities) > SHOWN_COMMUNITIES:
        print(f"  ...  {len(communities) - SHOWN_COMMUNITIES:,} smaller ones; {rest}")


def _print_coverage(coverage: dict[str, int], truth: nx.DiGraph) -> None:
    total = truth.number_of_edges()
    print(f"\ntrue edges with both ends in one community, of {total:,}")
    for name, count in coverage.items():
        label = "second-order (the result)" if name == "second_order" else f"by {name} alone"
        print(f"  {label:<26}{count:6,}  {100 * count / max(total, 1):5.1f} %")


# -- learn and evaluate ----------------------------------------------------------------------------


def learn(arguments: argparse.Namespace) -> None:
    """Learn a network and write a run folder."""
    from lsbn.runs import require_free

    if arguments.paper and arguments.scope == "global":
        raise ValueError("--paper is about the framework; it does not go with --scope global")
    if arguments.score is not None and arguments.learner in ("pc", "aracne"):
        raise ValueError(f"--learner {arguments.learner} has no score; leave out --score")
    require_free(arguments.output, force=arguments.force)
    stages = Stages()
    dataset = _read(arguments, stages)
    _learn_and_write(arguments, dataset, _truth(arguments, dataset.names), stages)
    _print_written(arguments, stages)


def _learn_and_write(
    arguments: argparse.Namespace, dataset: Dataset, truth: nx.DiGraph | None, stages: Stages
) -> list[list[str]]:
    """Learn from a dataset, print what was found, write the run folder; give the communities."""
    from lsbn.report import write_report
    from lsbn.runs import Summary, evaluation_of, write_run

    edges, communities, diagnostics = _learned(arguments, dataset, stages)
    evaluation = None if truth is None else evaluation_of(edges, truth, arguments.seed)
    summary = Summary(
        variables=dataset.n_variables,
        rows=dataset.n_rows,
        settings=_settings(arguments),
        seed=arguments.seed,
        seconds={**stages.seconds, "total": stages.total},
        diagnostics=diagnostics,
        evaluation=evaluation,
    )

    def page(folder: Path) -> None:
        write_report(
            folder / "report.html",
            edges=edges,
            communities=communities,
            summary=summary,
            truth=truth,
        )

    with stages("write", f"writing {arguments.output}"):
        force = arguments.force
        write_run(arguments.output, summary, communities, edges=edges, more=page, force=force)
    found = edges.as_written().skeleton(0.5).number_of_edges()
    edge = "edge" if found == 1 else "edges"
    print(f"{found:,} {edge} above 0.5 between {dataset.n_variables:,} variables")
    if evaluation is not None:
        _print_evaluation(evaluation)
    _print_warnings(diagnostics)
    return communities


def _print_written(arguments: argparse.Namespace, stages: Stages) -> None:
    page = Path(arguments.output) / "report.html"
    print(f"written to {arguments.output} in {stages.total:.1f} s; look at {page}")


def _print_warnings(diagnostics: dict[str, Any]) -> None:
    """Print what speaks against trusting a result, in the words of its page."""
    from lsbn.report.words import findings

    for finding in findings(diagnostics):
        if finding.level == "warning":
            print(f"warning: {finding.text}. {finding.why}")


def _learned(
    arguments: argparse.Namespace, dataset: Dataset, stages: Stages
) -> tuple[EdgeProbabilities, list[list[str]], dict[str, Any]]:
    """Learn in the scope that was asked for: edges, communities and diagnostics."""
    if arguments.scope == "global":
        from lsbn.learners import LEARNERS as functions

        label = f"{arguments.learner} on {dataset.n_variables:,} variables"
        with stages("learn", label):
            learned = functions[arguments.learner](
                dataset, random_state=arguments.seed, n_jobs=arguments.jobs, **_score(arguments)
            )
        notes = {**learned.diagnostics, "notes": dataset.notes}
        return learned.edges, [list(dataset.names)], notes
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
    notes = dict(model.diagnostics_)
    for note in notes.get("notes", ())[len(dataset.notes) :]:
        print(f"note: {note}")
    del stages.seconds["fit"]
    for stage, seconds in notes.pop("seconds").items():
        stages.seconds[stage] = stages.seconds.get(stage, 0.0) + seconds
    return model.edges_, model.communities_, notes


def _score(arguments: argparse.Namespace) -> dict[str, Any]:
    """Give the score as an option of the learner, if one was asked for."""
    from lsbn.learners import Score

    return {} if arguments.score is None else {"score": Score(arguments.score)}


def report(arguments: argparse.Namespace) -> None:
    """Write the page of a run anew."""
    from lsbn.report import report_from_run

    print(f"written: {report_from_run(arguments.run_folder)}")


def evaluate(arguments: argparse.Namespace) -> None:
    """Compare the edges of a run with the truth."""
    import json

    from lsbn.runs import Run, evaluation_of, load_truth

    run = Run(Path(arguments.run_folder))
    edges = run.edges(load_truth(arguments.truth))
    truth = load_truth(arguments.truth, edges.names)
    evaluation = evaluation_of(edges, truth, run.summary.get("seed"))
    if arguments.json:
        print(json.dumps(evaluation))
    else:
        _print_evaluation(evaluation)


def _print_evaluation(evaluation: dict[str, Any]) -> None:
    e = evaluation
    print(
        f"  hits {e['hits']:,}   misses {e['misses']:,}   errors {e['errors']:,}\n"
        f"  precision {e['precision']:.1f} %   recall {e['recall']:.1f} %   "
        f"F {e['f_score']:.1f} %\n"
        f"  structural Hamming distance of the CPDAGs {e['shd']:,}"
    )


# -- demo and study --------------------------------------------------------------------------------


def demo(arguments: argparse.Namespace) -> None:
    """Learn the alarm network from data sampled from it, and compare."""
    from lsbn.data import Dataset
    from lsbn.network import load_network
    from lsbn.runs import covered_edges, require_free

    arguments.force = _holds_a_demo(arguments.output)
    require_free(arguments.output, force=arguments.force)
    stages = Stages()
    net, rows = load_network("alarm"), DEMO_ROWS
    with stages("sample", "sampling alarm"):
        table = net.sample(rows, random_state=arguments.seed)
        dataset = Dataset.from_table(table.iloc[:, _column_order(net, arguments)])
    print(
        f"alarm, a network for monitoring patients: {net.n_variables} variables, {net.n_edges} "
        f"edges.\nFrom {rows:,} rows sampled from it, columns shuffled, lsbn finds\n"
    )
    communities = _learn_and_write(arguments, dataset, net.dag, stages)
    print()
    _print_communities(communities, "")
    covered = covered_edges(communities, net.dag)
    print(f"\n{covered} of the {net.n_edges} true edges lie inside a community\n")
    _print_written(arguments, stages)


def _holds_a_demo(folder: str) -> bool:
    """Tell whether an earlier demo stands there, which alone a demo replaces without asking."""
    from lsbn.runs import Run

    if not Path(folder).is_dir():
        return False
    return Run(Path(folder)).summary.get("settings", {}).get("command") == "demo"


def study(arguments: argparse.Namespace) -> None:
    """Reproduce the paper's tables."""
    from lsbn.studies.page import write_page
    from lsbn.studies.paper import as_text, run_paper_study
    from lsbn.studies.result_tables import main_tables, seconds_tables

    stages = Stages()
    with stages("study", "the paper's study"):
        try:
            results = run_paper_study(
                arguments.output,
                _study_settings(arguments),
                resume=arguments.resume,
                force=arguments.force,
                n_jobs=arguments.jobs,
                progress=lambda words: print(words, file=sys.stderr, flush=True),
            )
        except KeyboardInterrupt:
            words = f"lsbn: interrupted; finished cells are in {arguments.output}, use --resume"
            print(words, file=sys.stderr)
            raise SystemExit(INTERRUPTED) from None
    print(as_text([*main_tables(results), *seconds_tables(results)]))
    if arguments.page:
        for path in write_page(results, Path(arguments.output), Path(arguments.page)):
            print(f"written: {path}")
    print(f"written to {arguments.output} in {stages.total:.1f} s")


def _study_settings(arguments: argparse.Namespace) -> Any:
    """Take what was given; the rest is as in the study that is resumed, or the default."""
    from dataclasses import replace

    from lsbn.studies.paper import Settings, settings_of

    base = settings_of(arguments.output) if arguments.resume else Settings()
    names = ("networks", "rows", "learners", "scopes", "rows_study", "peers", "peer_limit")
    given = {name: found for name in names if (found := getattr(arguments, name)) is not None}
    if arguments.seeds is not None:
        given["seeds"] = _seed_list(arguments.seeds)
    return replace(base, **given)


def _seed_list(words: Sequence[str]) -> list[int]:
    """Read ``3`` as seeds 0, 1, 2, and ``5 7``, ``5,7`` or ``5,`` as the seeds themselves."""
    text = ",".join(words)
    try:
        seeds = [int(word) for word in text.split(",") if word]
    except ValueError:
        seeds = []
    if "," not in text and len(seeds) == 1:
        seeds = list(range(seeds[0]))
    if not seeds or min(seeds) < 0 or len(set(seeds)) < len(seeds):
        raise ValueError(f"--seeds is {text!r}; use a number of seeds, or a list such as 5,7")
    return seeds


# -- what commands share ---------------------------------------------------------------------------


def _read(arguments: argparse.Namespace, stages: Stages) -> Dataset:
    """Read the table and print what was done to it."""
    with stages("read", f"reading {Path(arguments.data).name}"):
        from lsbn.data import Dataset

        dataset = Dataset.read(
            arguments.data,
            discretize=arguments.discretize,
            bins=arguments.bins,
            missing=arguments.missing,
            max_states=arguments.max_states,
        )
    for note in dataset.notes:
        print(f"note: {note}")
    return dataset


def _truth(arguments: argparse.Namespace, names: Sequence[str]) -> nx.DiGraph | None:
    from lsbn.runs import load_truth

    return None if arguments.truth is None else load_truth(arguments.truth, names)


def _settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options that may decide a result, by their names on the command line."""
    aside = {"run", "debug", "force", "output", "seed"}
    return {k: v for k, v in vars(arguments).items() if k not in aside}


# -- the parser ------------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lsbn",
        description="Learn the structure of large Bayesian networks from tables, with a\n"
        "probability for every edge.",
        epilog="First steps:\n"
        "  lsbn demo                             see it work on a bundled network\n"
        "  lsbn learn survey.csv -o runs/survey  learn from a table of your own\n\n"
        "`lsbn COMMAND --help` explains each command and the files it writes.",
        formatter_class=_Help,
    )
    parser.add_argument("--version", action="version", version=f"lsbn {__version__}")
    parser.add_argument("--debug", action="store_true", help="show where an error came from")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_demo(commands)
    _add_learn(commands)
    _add_report(commands)
    _add_evaluate(commands)
    _add_partition(commands)
    _add_sample(commands)
    _add_study(commands)
    return parser


class _Help(argparse.RawDescriptionHelpFormatter):
    """Keeps line breaks, and leaves the names of commands room to stand beside their help."""

    def add_argument(self, action: argparse.Action) -> None:
        super().add_argument(action)
        if isinstance(action, argparse._SubParsersAction):
            self._action_max_length += self._indent_increment


def _command(commands: Any, run: Any, summary: str, epilog: str) -> argparse.ArgumentParser:
    command = commands.add_parser(
        run.__name__,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=epilog,
        formatter_class=_Help,
    )
    command.set_defaults(run=run, command=run.__name__)
    return command


def _add_demo(commands: Any) -> None:
    command = _command(
        commands,
        demo,
        "learn a bundled network from rows sampled from it",
        "Samples 20,000 rows from alarm (37 variables, 46 edges), shuffles the columns, learns\n"
        "the network as `lsbn learn` does, and scores it against the truth. Writes a run folder\n"
        "with a page to look at, report.html. An earlier demo in RUN is replaced.",
    )
    command.add_argument(
        "-o", "--output", default="runs/demo", metavar="RUN", help="folder (default runs/demo)"
    )
    command.set_defaults(
        scope="lsbn",
        learner=LEARNERS[0],
        score=None,
        paper=False,
        truth="alarm",
        shuffle_columns=True,
    )
    _seed_and_jobs(command)


def _add_sample(commands: Any) -> None:
    command = _command(
        commands,
        sample,
        "draw a table from a Bayesian network",
        "NET is a bundled network (alarm, insurance, win95pts, pigs, link) or a .bif or .bif.gz\n"
        "file. FILE has one column per variable and one row per draw; cells are state names.\n\n"
        "Example:\n  lsbn sample insurance --rows 20000 --seed 1 --shuffle-columns -o ins.parquet",
    )
    command.add_argument("network", metavar="NET", help="bundled name or BIF file")
    command.add_argument("--rows", type=_count, required=True, metavar="N", help="rows to draw")
    command.add_argument(
        "-o", "--output", required=True, metavar="FILE", help=".csv, .csv.gz or .parquet"
    )
    command.add_argument("--seed", type=_seed, default=0, metavar="S", help="default 0")
    command.add_argument(
        "--shuffle-columns",
        action="store_true",
        help="shuffle the columns: networks list parents first, which helps greedy learners",
    )
    command.add_argument("--force", action="store_true", help="replace FILE if it exists")


def _add_partition(commands: Any) -> None:
    command = _command(
        commands,
        partition,
        "find overlapping communities of variables only (ROPART)",
        f"{TABLE_HELP}\n\n"
        "RUN is a new folder:\n"
        "  communities.json  the communities, a list of lists of names\n"
        "  partition.json    by_weight: the communities of each of the seven weight functions;\n"
        "                    kept: the fraction of pairs that each of them kept\n"
        "  summary.json      size of the table, settings, seed, versions, seconds, diagnostics\n\n"
        f"{TRUTH_HELP}\nWith it the true edges inside communities are counted.\n\n"
        "Examples:\n"
        "  lsbn partition survey.csv -o runs/survey --missing state\n"
        "  lsbn partition genes.parquet -o runs/genes --discretize quantile --bins 3",
    )
    _table_options(command)
    _seed_and_jobs(command)


def _add_learn(commands: Any) -> None:
    command = _command(
        commands,
        learn,
        "learn a network from a table",
        f"{TABLE_HELP}\n\n"
        "RUN is a new folder:\n"
        "  report.html       a page to look at: the network, its communities, every edge\n"
        "  edges.csv         source,target,probability of every edge with 0.01 or more\n"
        "  graph.graphml     an acyclic graph of the edges above 0.5\n"
        "  communities.json  the communities; with --scope global there is one of all variables\n"
        "  summary.json      settings, seconds, diagnostics, and the evaluation with --truth\n\n"
        f"{TRUTH_HELP}\n\n"
        "model-averaging gives the posterior probability of every edge. aracne, pc, greedy and\n"
        "mmhc find one graph: 1 for a directed edge, 0.5 each way for an undirected one; where\n"
        "several communities vote, the mean of their votes.\n\n"
        "Examples:\n"
        "  lsbn learn survey.csv -o runs/survey\n"
        "  lsbn learn genes.parquet -o runs/genes --discretize quantile --bins 3\n"
        "  lsbn learn alarm.csv -o runs/pc --scope global --learner pc --truth alarm",
    )
    _table_options(command)
    how = command.add_argument_group("how to learn")
    how.add_argument(
        "--scope",
        choices=("lsbn", "global"),
        default="lsbn",
        help="lsbn (default): communities, learned and merged; global: the learner alone, on all "
        "variables at once",
    )
    how.add_argument(
        "--learner",
        choices=LEARNERS,
        default=LEARNERS[0],
        help="what learns a set of variables (default model-averaging)",
    )
    how.add_argument(
        "--score",
        choices=("mixed", "bdeu", "k2", "bic"),
        help="how a variable may depend on its parents: mixed (tables and decision trees of "
        "various prior weights), or one kind of table; by default mixed for model averaging; "
        "greedy, mmhc and --paper have bdeu with the prior of the paper unless a score is given",
    )
    how.add_argument(
        "--paper",
        action="store_true",
        help="every choice of the framework as published: all votes count alike, and no last pass "
        "over the whole",
    )
    _seed_and_jobs(command)


def _add_evaluate(commands: Any) -> None:
    command = _command(
        commands,
        evaluate,
        "compare a run with the truth",
        f"{TRUTH_HELP}\n\n"
        "Edges whose two directions together have more than 0.5 count as found. Hits, misses and\n"
        "errors are those of the skeleton, without directions; precision, recall and F are in\n"
        "percent. The structural Hamming distance counts the pairs on which the two equivalence\n"
        "classes (CPDAGs) differ.\n\n"
        "Example:\n  lsbn evaluate runs/pc --truth alarm --json",
    )
    command.add_argument("run_folder", metavar="RUN", help="a folder that `lsbn learn` wrote")
    command.add_argument("--truth", required=True, metavar="NET", help="what is true")
    command.add_argument("--json", action="store_true", help="print one JSON object")


def _add_report(commands: Any) -> None:
    command = _command(
        commands,
        report,
        "write the page of a run anew",
        "Reads what `lsbn learn` left in RUN and writes report.html there, one file that needs no\n"
        "network.\n\nExample:\n  lsbn report runs/survey",
    )
    command.add_argument("run_folder", metavar="RUN", help="a folder that `lsbn learn` wrote")


def _add_study(commands: Any) -> None:
    command = _command(
        commands,
        study,
        "reproduce the paper's tables, ours beside the published",
        "Samples tables from the networks, columns shuffled; partitions them, and learns with\n"
        "every learner inside the framework, inside it as published, and without it.\n\n"
        "FOLDER holds\n"
        "  cells/        a JSON file for every finished cell (network, seed, learner, scope)\n"
        "  tables.md     all tables, also as tables.txt, and one by one in tables/ as CSV\n"
        "  seconds.md    what differs from run to run: seconds and memory\n"
        "  plots/        the same as SVG          cells.csv   every figure of every cell\n"
        "  partition.md  the partition tables     study.json  settings and versions\n\n"
        "Examples:\n"
        "  lsbn study paper --rows-study --page docs/paper.md\n"
        "  lsbn study paper --resume                      go on after a stop\n"
        "  lsbn study paper --networks alarm my.bif --seeds 1 --learners pc -o /tmp/quick",
    )
    command.add_argument("name", choices=("paper",), help="which study")
    command.add_argument(
        "-o",
        "--output",
        default="runs/study-paper",
        metavar="FOLDER",
        help="folder to write (default runs/study-paper)",
    )
    command.add_argument(
        "--networks",
        nargs="+",
        metavar="NET",
        help="bundled names or BIF files (default " + ", ".join(NETWORKS) + ")",
    )
    command.add_argument("--rows", type=_count, metavar="N", help="rows per table (default 20,000)")
    command.add_argument(
        "--seeds",
        nargs="+",
        metavar="S",
        help="a number of seeds, or a list such as 5,7 (default 3: seeds 0, 1, 2)",
    )
    command.add_argument(
        "--learners", nargs="+", choices=LEARNERS, metavar="NAME", help="some of the five"
    )
    command.add_argument(
        "--scopes",
        nargs="+",
        choices=("lsbn", "paper", "global"),
        metavar="SCOPE",
        help="some of lsbn, paper (the framework as published) and global",
    )
    command.add_argument(
        "--rows-study",
        action="store_true",
        default=None,
        help="also model averaging on 500 to 20,000 rows of the small networks",
    )
    command.add_argument(
        "--peers",
        action="store_true",
        default=None,
        help="also pyAgrum, causal-learn and pgmpy, where they are installed",
    )
    command.add_argument(
        "--peer-limit", type=_count, metavar="SECONDS", help="time of a peer per table (600)"
    )
    command.add_argument("--resume", action="store_true", help="go on with the study in FOLDER")
    command.add_argument("--force", action="store_true", help="begin the study in FOLDER anew")
    command.add_argument("--page", metavar="FILE", help="also write a page in Markdown, with plots")
    command.add_argument(
        "--jobs", type=_jobs, default=-1, metavar="N", help="processor cores (default -1, all)"
    )


def _table_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("data", metavar="DATA", help="the table")
    command.add_argument("-o", "--output", required=True, metavar="RUN", help="folder to write")
    command.add_argument("--force", action="store_true", help="replace RUN if it exists")
    command.add_argument("--truth", metavar="NET", help="compare with this network")
    table = command.add_argument_group("how to read the table")
    table.add_argument(
        "--discretize",
        choices=("quantile", "uniform", "kmeans"),
        help="cut columns of fractional numbers into intervals",
    )
    table.add_argument("--bins", type=_count, default=5, metavar="B", help="intervals (default 5)")
    table.add_argument(
        "--missing",
        choices=("error", "drop", "state"),
        default="error",
        help="gaps stop the command (default), drop their row, or are a state of their own",
    )
    table.add_argument(
        "--max-states",
        type=_count,
        default=64,
        metavar="K",
        help="refuse columns with more states (default 64)",
    )


def _seed_and_jobs(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--seed", type=_seed, default=0, metavar="S", help="same seed, same result (default 0)"
    )
    command.add_argument(
        "--jobs",
        type=_jobs,
        default=-1,
        metavar="N",
        help="processor cores to use (default -1, all); the result does not depend on it",
    )


def _count(text: str) -> int:
    if (value := _integer(text)) < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, not {text}")
    return value


def _seed(text: str) -> int:
    if (value := _integer(text)) < 0:
        raise argparse.ArgumentTypeError(f"must be 0 or more, not {text}")
    return value


def _jobs(text: str) -> int:
    if (value := _integer(text)) != -1 and value < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, or -1 for all cores, not {text}")
    return value


def _integer(text: str) -> int:
    try:
        return int(text.replace("_", "").replace(",", ""))
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a whole number, not {text!r}") from None
