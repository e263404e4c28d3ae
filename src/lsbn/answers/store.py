"""Answers in a run folder: ``coding.json`` and ``posterior.npz``, without pickle.

``coding.json`` has the states of every variable, how numbers are cut, and the values that mean
'missing'. ``posterior.npz`` has the single graph, the networks from the posterior, and the counts
of all their families. So the answers of a run folder are those of the fitted estimator, and the
folder does not contain the table.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from lsbn.answers.answers import Answers
from lsbn.answers.coding import Coding
from lsbn.answers.families import CountSource, FamilyCounts, FamilyTables
from lsbn.graph import EdgeProbabilities
from lsbn.graph.sampled import SampledGraphs
from lsbn.learners import Score

__all__ = ["BIF", "CODING", "POSTERIOR", "read_answers", "write_answers"]

UNREADABLE = (
    *(KeyError, IndexError, TypeError, ValueError, RuntimeError),
    *(OSError, EOFError, zipfile.BadZipFile, zlib.error),
)
"""Errors that damaged files cause."""
CODING, POSTERIOR, BIF = "coding.json", "posterior.npz", "network.bif"


def write_answers(folder: Path, answers: Answers) -> str | None:
    """Write the files of the answers into a folder.

    Returns
    -------
    str or None
        Why there is no network.bif, if a table is too large for it.
    """
    record = {
        "score": asdict(answers.tables.score),
        "na": list(answers.coding.na),
        "variables": answers.coding.to_json(),
    }
    text = json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False)
    (folder / CODING).write_text(text + "\n", encoding="utf-8", newline="\n")
    with open(folder / POSTERIOR, "wb") as file:
        np.savez_compressed(file, allow_pickle=False, **_arrays(answers))
    try:
        answers.to_network().write_bif(folder / BIF, portable=True)
    except ValueError as error:
        return f"{BIF} is not written: {error}"
    return None


def read_answers(folder: Path, edges: EdgeProbabilities) -> Answers:
    """Read what `write_answers` wrote.

    Parameters
    ----------
    folder : Path
        A run folder.
    edges : EdgeProbabilities
        Its edge probabilities.

    Raises
    ------
    FileNotFoundError, ValueError
        If files are missing, or do not fit together.
    """
    for name in (CODING, POSTERIOR):
        if not (folder / name).is_file():
            raise FileNotFoundError(
                f"{folder} has no {name}: run `lsbn learn` again, with this version of lsbn"
            )
    try:
        record = json.loads((folder / CODING).read_text(encoding="utf-8"))
        coding, score = Coding.from_json(record["variables"]), Score(**record["score"])
        coding = replace(coding, na=_texts_of(record.get("na", [])))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise ValueError(f"{folder / CODING}: not a coding of lsbn ({error!r})") from None
    if coding.names != edges.names:
        raise ValueError(f"{folder / CODING} and edges.csv do not have the same variables")
    try:
        with np.load(folder / POSTERIOR, allow_pickle=False) as file:
            parts = {name: file[name] for name in file.files}
        dag, graphs = _checked_graphs(parts, coding.names)
        counts = _stored_counts(parts, coding.cards)
    except UNREADABLE as error:
        raise ValueError(f"{folder / POSTERIOR}: not readable ({error})") from None
    return Answers(edges, dag, coding, FamilyTables(counts, score), graphs)


def _texts_of(values: Any) -> tuple[str, ...]:
    """Return the values that mean 'missing'; older folders have none."""
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError("na is no list of texts")
    return tuple(values)


def _arrays(answers: Answers) -> dict[str, np.ndarray]:
    """Return everything as plain arrays."""
    place = {name: v for v, name in enumerate(answers.coding.names)}
    dag = np.array([(place[u], place[v]) for u, v in answers.dag.edges], np.int32).reshape(-1, 2)
    arrays: dict[str, np.ndarray] = {"dag": dag}
    if answers.graphs:
        fields = ("start", "parent", "child", "chain", "log_score")
        arrays |= {f"graphs_{name}": getattr(answers.graphs, name) for name in fields}
    counts = [answers.tables.counts(*family) for family in sorted(_families(answers))]
    arrays["family_child"] = np.array([each.child for each in counts], np.int32)
    columns: dict[str, list[np.ndarray]] = {
        "parents": [each.parents.astype(np.int32) for each in counts],
        "counts": [each.counts.ravel().astype(np.int32) for each in counts],
        "keys": [np.zeros(0, np.uint64) if each.keys is None else each.keys for each in counts],
    }
    for name, values in columns.items():
        arrays[f"family_{name}"] = np.concatenate(values)
        sizes = np.array([len(each) for each in values])
        arrays[f"family_{name}_start"] = np.concatenate([[0], np.cumsum(sizes)])
    return arrays


def _families(answers: Answers) -> set[tuple[int, tuple[int, ...]]]:
    """Return all families of the single graph and of the networks that are averaged."""
    ensembles = [answers.ensemble(False)] + ([answers.ensemble(True)] if answers.graphs else [])
    return {
        (v, parents)
        for each in ensembles
        for v, sets in enumerate(each.families)
        for parents in sets
    }


def _checked_graphs(
    parts: dict[str, np.ndarray], names: tuple[str, ...]
) -> tuple[nx.DiGraph, SampledGraphs | None]:
    """Return the single graph and the networks, after checks of all indices."""
    n, dag = len(names), nx.DiGraph()
    dag.add_nodes_from(names)
    pairs = parts["dag"]
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not _within(pairs, n):
        raise ValueError("the graph has unknown variables")
    dag.add_edges_from((names[u], names[v]) for u, v in pairs.tolist())
    if not nx.is_directed_acyclic_graph(dag):
        raise ValueError("the graph has a cycle")
    if "graphs_start" not in parts:
        return dag, None
    start, parent, child, chain, log_score = (
        parts[f"graphs_{name}"] for name in ("start", "parent", "child", "chain", "log_score")
    )
    _check_start(start, len(chain), len(parent))
    if len(child) != len(parent) or len(log_score) != len(chain):
        raise ValueError("the arrays of the networks have different lengths")
    if not (_within(parent, n) and _within(child, n)):
        raise ValueError("the networks have unknown variables")
    of_graph = np.repeat(np.arange(len(chain)), np.diff(start))
    return dag, SampledGraphs.sorted(names, of_graph, parent, child, chain, log_score)


def _stored_counts(parts: dict[str, np.ndarray], cards: np.ndarray) -> CountSource:
    """Return a function that looks up the stored counts."""
    known = {(c.child, tuple(c.parents.tolist())): c for c in _each_family(parts, cards)}

    def counted(child: int, parents: tuple[int, ...]) -> FamilyCounts:
        if (child, parents) not in known:
            raise ValueError(f"{POSTERIOR} lacks a family of its own networks")
        return known[child, parents]

    return counted


def _each_family(parts: dict[str, np.ndarray], cards: np.ndarray) -> Iterator[FamilyCounts]:
    """Yield the stored families, after checks of their sizes."""
    children = parts["family_child"]
    pieces: dict[str, list[Any]] = {}
    for name in ("parents", "counts", "keys"):
        values, start = parts[f"family_{name}"], parts[f"family_{name}_start"]
        _check_start(start, len(children), len(values))
        pieces[name] = np.split(values, start[1:-1])
    if not (_within(children, len(cards)) and _within(parts["family_parents"], len(cards))):
        raise ValueError("a family has unknown variables")
    for child, parents, counts, keys in zip(children.tolist(), *pieces.values(), strict=True):
        r, q = int(cards[child]), float(np.prod(cards[parents].astype(float)))
        rows = len(keys) + 1 if len(keys) else q
        if len(counts) != rows * r or (counts < 0).any():
            raise ValueError("the counts of a family do not fit its variables")
        above = parents.astype(np.int64)
        shaped = counts.astype(np.int64).reshape(-1, r)
        yield FamilyCounts(child, above, cards[above], shaped, keys if len(keys) else None)


def _within(values: np.ndarray, n: int) -> bool:
    return values.dtype.kind in "iu" and bool(((values >= 0) & (values < n)).all())


def _check_start(start: np.ndarray, pieces: int, size: int) -> None:
    """Refuse starts of pieces that do not ascend from 0 to the size."""
    good = start.dtype.kind in "iu" and len(start) == pieces + 1
    if not good or start[0] != 0 or start[-1] != size or (np.diff(start) < 0).any():
        raise ValueError("an array is divided wrongly")
