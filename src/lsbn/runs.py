"""Run folders: the results of `lsbn learn` and `lsbn partition`, written and read.

A run folder is written under another name and renamed when it is complete.
"""

import json
import math
import os
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import metadata
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from lsbn.files import atomic_folder, require_ordinary
from lsbn.graph import EdgeProbabilities
from lsbn.graph.truth import true_graph
from lsbn.knowledge import resolve
from lsbn.metrics import compare
from lsbn.network import BUNDLED, load_network
from lsbn.runfiles import checked_communities, checked_summary, read_json
from lsbn.version import __version__

__all__ = [
    "Run",
    "Summary",
    "covered_edges",
    "evaluation_of",
    "json_ready",
    "load_truth",
    "require_free",
    "table_columns_of",
    "threshold_of",
    "versions",
    "write_run",
]

EDGES, COMMUNITIES, GRAPH = "edges.csv", "communities.json", "graph.graphml"
SUMMARY, PARTITION = "summary.json", "partition.json"

THRESHOLD = 0.5
"""The threshold of a run whose settings have none."""


def versions() -> dict[str, str]:
    """Return the versions of lsbn, Python and the libraries that a result depends on."""
    libraries = ("numpy", "scipy", "numba", "networkx", "scikit-learn")
    installed = {library: metadata.version(library) for library in libraries}
    return {"lsbn": __version__, "python": platform.python_version(), **installed}


@dataclass(frozen=True)
class Summary:
    """The contents of ``summary.json``.

    Attributes
    ----------
    variables, rows : int
        Size of the table.
    settings : mapping
        The command and all its options.
    seed : int
    seconds : mapping
        Wall time of each stage, and ``total``.
    diagnostics : mapping
        Figures of the algorithms, and the notes on the table.
    evaluation : mapping or None
        The comparison with the truth, if a truth was given; see `evaluation_of`.
    versions : mapping
        Software versions.
    names : sequence of str
        Names of the variables in the order of the table. `write_run` takes them from the edges.
    groups : mapping of str to sequence of str
        The columns of each variable that is a group of copies.
    """

    variables: int
    rows: int
    settings: Mapping[str, Any]
    seed: int
    seconds: Mapping[str, float]
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    evaluation: Mapping[str, Any] | None = None
    versions: Mapping[str, str] = field(default_factory=versions)
    names: Sequence[str] = ()
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)


def threshold_of(summary: Mapping[str, Any] | Summary) -> float:
    """Return the threshold of a run: that of its settings, else 0.5.

    Parameters
    ----------
    summary : mapping or Summary
        The contents of summary.json; every part may be missing.

    Examples
    --------
    >>> threshold_of({"settings": {"threshold": 0.8}}), threshold_of({})
    (0.8, 0.5)
    """
    settings = summary.settings if isinstance(summary, Summary) else summary.get("settings")
    value = (settings or {}).get("threshold")
    if not isinstance(value, int | float) or isinstance(value, bool):
        return THRESHOLD
    return float(value) if 0 <= value < 1 else THRESHOLD


def require_free(path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Check that a run folder can be written, before a long computation starts.

    Parameters
    ----------
    path : str or path
        The folder.
    force : bool
        Allow that an existing run folder will be replaced.

    Raises
    ------
    FileExistsError
        If the path exists and is not empty. With `force`, only if it is no run folder.
    PermissionError
        If the folder cannot be created there.
    """
    if not str(path):
        raise ValueError("the name of the folder to write is empty; give one, such as runs/mine")
    target = Path(path).resolve()
    if target.exists():
        if not target.is_dir():
            raise FileExistsError(f"{path} is a file; a run is a folder: choose another name")
        if force and any(target.iterdir()) and not (target / SUMMARY).is_file():
            raise FileExistsError(
                f"{path} is not a run: the folder has no {SUMMARY}, so --force does not replace "
                "it; choose another name"
            )
        if not force and any(target.iterdir()):
            raise FileExistsError(f"{path} exists; choose another name, or replace it with --force")
    ground = next(folder for folder in target.parents if folder.exists())
    if not ground.is_dir() or not os.access(ground, os.W_OK | os.X_OK):
        raise PermissionError(f"{ground} is not a folder that can be written to")


def write_run(
    path: str | os.PathLike[str],
    summary: Summary,
    communities: Sequence[Sequence[str]],
    *,
    edges: EdgeProbabilities | None = None,
    partition: Mapping[str, Any] | None = None,
    more: Callable[[Path], None] | None = None,
    force: bool = False,
) -> None:
    """Write a run folder, whole or not at all.

    Parameters
    ----------
    path : str or path
        The folder.
    summary : Summary
        Written as summary.json, with the names of the variables of `edges`.
    communities : sequence of sequences of str
        Names of the variables of every community, written as communities.json.
    edges : EdgeProbabilities, optional
        Written as edges.csv. Their DAG at the threshold of the settings is written as
        graph.graphml.
    partition : mapping, optional
        Written as partition.json.
    more : callable, optional
        Called with the path of the unfinished folder, to write more files into it.
    force : bool
        Replace an existing run folder.
    """
    require_free(path, force=force)
    with atomic_folder(path, replace=force) as folder:
        if edges is not None:
            summary = replace(summary, names=edges.names)
            edges.to_csv(folder / EDGES)
            edges.as_written().to_graphml(folder / GRAPH, threshold_of(summary))
        lines = ",\n".join(json.dumps(list(c), ensure_ascii=False) for c in communities)
        _write_text(folder / COMMUNITIES, f"[\n{lines}\n]\n")
        if partition is not None:
            _write_text(folder / PARTITION, _json_text(partition, indent=None))
        _write_text(folder / SUMMARY, _json_text(vars(summary), indent=2))
        if more is not None:
            more(folder)


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _json_text(value: Any, indent: int | None) -> str:
    return json.dumps(json_ready(value), indent=indent, ensure_ascii=False, allow_nan=False) + "\n"


def json_ready(value: Any) -> Any:
    """Convert a value to the types of JSON.

    Mappings, arrays, tuples and sets become dict and list. NaN and infinity become None. All other
    objects become their text.

    Examples
    --------
    >>> json_ready({1: (np.int64(2), float("nan")), "path": Path("x")})
    {'1': [2, None], 'path': 'x'}
    """
    if isinstance(value, Mapping):
        return {str(k): json_ready(v) for k, v in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return json_ready(value.tolist())
    if isinstance(value, list | tuple | set | frozenset):
        return [json_ready(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


@dataclass(frozen=True)
class Run:
    """Read a run folder.

    Parameters
    ----------
    path : path
        The folder.
    """

    path: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", Path(self.path))
        if not self.path.is_dir():
            why = "it is a file" if self.path.exists() else "there is no such folder"
            raise FileNotFoundError(f"{self.path} is not a run folder: {why}")

    @property
    def summary(self) -> dict[str, Any]:
        """The contents of summary.json; empty if there is no such file."""
        if not (self.path / SUMMARY).is_file():
            return {}
        return checked_summary(read_json(self.path / SUMMARY), self.path / SUMMARY)

    @property
    def groups(self) -> dict[str, list[str]]:
        """The columns of each group of copies; empty if there is no group."""
        return self.summary.get("groups") or {}

    @property
    def communities(self) -> list[list[str]]:
        """The communities, as names of variables."""
        return checked_communities(read_json(self.path / COMMUNITIES), self.path / COMMUNITIES)

    def edges(self, more_names: Iterable[str] = ()) -> EdgeProbabilities:
        """Return the edge probabilities of edges.csv.

        Parameters
        ----------
        more_names : iterable of str
            Variables without an edge, for a folder with neither names nor communities.

        Returns
        -------
        EdgeProbabilities
            Over the variables of summary.json, in the order of the table, with the knowledge of the
            run. Folders of older versions have no names there. Then the variables are those of
            communities.json, else those with an edge and `more_names`, in alphabetical order.
        """
        path = self.path / EDGES
        if not path.is_file():
            raise FileNotFoundError(
                f"{self.path} has no {EDGES}; runs of `lsbn learn` have one, those of "
                "`lsbn partition` do not"
            )
        if names := self.summary.get("names"):
            edges = EdgeProbabilities.from_csv(path, names)
            told = (self.summary.get("settings") or {}).get("knowledge")
            return replace(edges, knowledge=resolve(told, names, self.groups))
        if (self.path / COMMUNITIES).is_file():
            known = {name for community in self.communities for name in community}
        else:
            known = set(more_names) | set(EdgeProbabilities.from_csv(path).names)
        return EdgeProbabilities.from_csv(path, sorted(known))


def table_columns_of(names: Iterable[str], groups: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the columns of the table for the variables of a result.

    Examples
    --------
    >>> table_columns_of(["a = c", "b"], {"a = c": ["a", "c"]})
    ['a', 'c', 'b']
    """
    return [column for name in names for column in groups.get(name, (name,))]


def load_truth(source: str, names: Iterable[str] | None = None) -> nx.DiGraph:
    """Load the true graph, with which a result is compared.

    Parameters
    ----------
    source : str
        A bundled network's name, a ``.bif`` or ``.bif.gz`` file, or a CSV file of edges with the
        header ``source,target`` or ``source,target,probability``. Probabilities mean the DAG of
        the edges above 0.5, as in the run folder of these edges.
    names : iterable of str, optional
        The variables of the table. A list of edges does not contain variables without an edge, so
        they are added.

    Returns
    -------
    networkx.DiGraph
        The true graph.

    Raises
    ------
    ValueError
        If the truth has other variables, or a cycle.
    """
    if source not in BUNDLED and Path(source).exists():
        require_ordinary(source)
    if source not in BUNDLED and source.endswith(".csv"):
        return true_graph(source, None if names is None else tuple(names))
    try:
        graph = load_network(source).dag
    except FileNotFoundError:
        raise
    except ValueError as error:
        if source.endswith((".bif", ".bif.gz")):
            raise
        raise ValueError(f"{error}, nor a .csv list of edges (source,target)") from None
    if names is not None and (different := set(graph) ^ set(names)):
        shown = ", ".join(sorted(map(repr, different))[:5])
        more = f" and {len(different) - 5} more" if len(different) > 5 else ""
        raise ValueError(f"truth {source!r} and data do not have the same variables: {shown}{more}")
    return graph


def evaluation_of(
    edges: EdgeProbabilities,
    truth: nx.DiGraph,
    seed: int | None,
    threshold: float = THRESHOLD,
    groups: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, int | float | None]:
    """Compare the edges above the threshold with the truth.

    Parameters
    ----------
    edges : EdgeProbabilities
        Rounded as in edges.csv before they are compared.
    truth : networkx.DiGraph
        Over the columns of the table.
    seed : int or None
        The seed of the run, passed on.
    threshold : float
        As for `EdgeProbabilities.skeleton`.
    groups : mapping, optional
        The groups of copies among the variables of `edges`, as for `lsbn.metrics.compare`.

    Returns
    -------
    dict
        ``hits``, ``misses``, ``errors`` of the skeleton; ``precision``, ``recall``, ``f_score`` in
        percent; ``shd``, the structural Hamming distance of the CPDAGs; ``seed`` of the run.
    """
    found = compare(edges.as_written().dag(threshold), truth, groups=groups)
    return {**found.as_dict(), "seed": seed}


def covered_edges(communities: Iterable[Iterable[str]], truth: nx.DiGraph) -> int:
    """Count the true edges whose two ends share a community.

    Parameters
    ----------
    communities : iterable of iterables of str
        Names of the variables of each community; communities may overlap.
    truth : networkx.DiGraph

    Returns
    -------
    int

    Examples
    --------
    >>> covered_edges([["a", "b"], ["b", "c"]], nx.DiGraph([("a", "b"), ("a", "c")]))
    1
    """
    homes: dict[str, set[int]] = {}
    for k, community in enumerate(communities):
        for name in community:
            homes.setdefault(name, set()).add(k)
    return sum(bool(homes.get(u, set()) & homes.get(v, set())) for u, v in truth.edges)
