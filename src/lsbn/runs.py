"""Run folders: what a command leaves behind, and what `lsbn evaluate` reads.

A run folder is written beside its place and moved there when it is complete.
"""

import json
import math
import os
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from lsbn.files import atomic_folder
from lsbn.graph import EdgeProbabilities
from lsbn.metrics import compare
from lsbn.network import BUNDLED, load_network
from lsbn.version import __version__

__all__ = [
    "Run",
    "Summary",
    "covered_edges",
    "evaluation_of",
    "load_truth",
    "require_free",
    "versions",
    "write_run",
]

EDGES, COMMUNITIES, GRAPH = "edges.csv", "communities.json", "graph.graphml"
SUMMARY, PARTITION = "summary.json", "partition.json"


def versions() -> dict[str, str]:
    """Return the versions of lsbn, Python and the libraries that decide a result."""
    libraries = ("numpy", "scipy", "numba", "networkx", "scikit-learn")
    found = {library: metadata.version(library) for library in libraries}
    return {"lsbn": __version__, "python": platform.python_version(), **found}


@dataclass(frozen=True)
class Summary:
    """What ``summary.json`` holds.

    Attributes
    ----------
    variables, rows : int
        Size of the table.
    settings : mapping
        The command and all its options.
    seed : int
        What all random numbers came from.
    seconds : mapping
        Wall time per stage, and ``total``.
    diagnostics : mapping
        What the algorithms say about themselves, and the notes on the table.
    evaluation : mapping or None
        The comparison with the truth, if one was given; see `evaluation_of`.
    versions : mapping
        Software versions.
    """

    variables: int
    rows: int
    settings: Mapping[str, Any]
    seed: int
    seconds: Mapping[str, float]
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    evaluation: Mapping[str, Any] | None = None
    versions: Mapping[str, str] = field(default_factory=versions)


def require_free(path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Make sure that a run folder can be written, before hours of work go into it.

    Raises
    ------
    FileExistsError
        If something stands there. With `force` only something that is no run folder is refused:
        a folder that holds anything but a run would be lost.
    PermissionError
        If the place is not writable.
    """
    target = Path(path).resolve()
    if target.exists():
        if not target.is_dir():
            raise FileExistsError(f"{path} is a file; a run is a folder: choose another name")
        if force and any(target.iterdir()) and not (target / SUMMARY).is_file():
            raise FileExistsError(
                f"{path} is a folder without {SUMMARY}, so no run: it is not replaced even with "
                "--force; choose another name"
            )
        if not force and any(target.iterdir()):
            raise FileExistsError(f"{path} exists; choose another name, or replace it by --force")
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
        Written as summary.json.
    communities : sequence of sequences of str
        Names of the variables of every community, written as communities.json.
    edges : EdgeProbabilities, optional
        Written as edges.csv, and their DAG as graph.graphml.
    partition : mapping, optional
        Written as partition.json.
    more : callable, optional
        Is given the folder before it is moved to its place, to write further files into it.
    force : bool
        Replace a run that stands there.
    """
    require_free(path, force=force)
    with atomic_folder(path) as folder:
        if edges is not None:
            edges.to_csv(folder / EDGES)
            edges.as_written().to_graphml(folder / GRAPH)
        lines = ",\n".join(json.dumps(list(c), ensure_ascii=False) for c in communities)
        _write(folder / COMMUNITIES, f"[\n{lines}\n]\n")
        if partition is not None:
            _write(folder / PARTITION, _json(partition, indent=None))
        _write(folder / SUMMARY, _json(asdict(summary), indent=2))
        if more is not None:
            more(folder)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _json(value: Any, indent: int | None) -> str:
    plain = _plain(value)
    return json.dumps(plain, indent=indent, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """Turn numpy, mappings and tuples into what JSON knows; NaN and infinity become null."""
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


@dataclass(frozen=True)
class Run:
    """A run folder that is read.

    Parameters
    ----------
    path : path
        The folder.
    """

    path: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", Path(self.path))
        if not self.path.is_dir():
            raise FileNotFoundError(f"{self.path} is not a run folder: there is no such folder")

    @property
    def summary(self) -> dict[str, Any]:
        """What summary.json says; empty if the folder has none."""
        if not (self.path / SUMMARY).is_file():
            return {}
        return self._load(SUMMARY)

    @property
    def communities(self) -> list[list[str]]:
        """The communities, by names."""
        return self._load(COMMUNITIES)

    def edges(self, more_names: Iterable[str] = ()) -> EdgeProbabilities:
        """Return the edge probabilities of edges.csv.

        The variables are those of communities.json, where all of them stand; if the folder has
        none, those with an edge and `more_names`.
        """
        path = self.path / EDGES
        if not path.is_file():
            raise FileNotFoundError(
                f"{self.path} has no {EDGES}; runs of `lsbn learn` have one, those of "
                "`lsbn partition` do not"
            )
        if (self.path / COMMUNITIES).is_file():
            names = {name for community in self.communities for name in community}
        else:
            names = set(more_names) | set(EdgeProbabilities.from_csv(path).names)
        return EdgeProbabilities.from_csv(path, sorted(names))

    def _load(self, name: str) -> Any:
        try:
            return json.loads((self.path / name).read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{self.path / name}: not JSON ({error})") from error


def load_truth(source: str, names: Iterable[str] | None = None) -> nx.DiGraph:
    """Load the graph that results are measured against.

    Parameters
    ----------
    source : str
        A bundled network's name, a ``.bif`` or ``.bif.gz`` file, or a CSV file of edges with the
        header ``source,target``.
    names : iterable of str, optional
        The variables of the table. A list of edges cannot name variables without an edge, so they
        are added to it.

    Returns
    -------
    networkx.DiGraph
        The true graph.

    Raises
    ------
    ValueError
        If the truth is not over these variables.
    """
    if source not in BUNDLED and source.endswith(".csv"):
        given = None if names is None else tuple(names)
        edges = EdgeProbabilities.from_csv(source, given)
        graph = nx.DiGraph()
        graph.add_nodes_from(edges.names)
        graph.add_edges_from(edges.to_networkx().edges)
        return graph
    try:
        graph = load_network(source).dag
    except FileNotFoundError:
        raise
    except ValueError as error:
        if source.endswith((".bif", ".bif.gz")):
            raise
        raise ValueError(f"{error}, nor a .csv list of edges (source,target)") from None
    if names is not None and (strange := set(graph) ^ set(names)):
        shown = ", ".join(sorted(map(repr, strange))[:5])
        more = f" and {len(strange) - 5} more" if len(strange) > 5 else ""
        raise ValueError(f"truth {source!r} and data do not have the same variables: {shown}{more}")
    return graph


def evaluation_of(
    edges: EdgeProbabilities, truth: nx.DiGraph, seed: int | None
) -> dict[str, int | float | None]:
    """Compare the edges above 0.5, as edges.csv holds them, with the truth.

    Returns
    -------
    dict
        ``hits``, ``misses``, ``errors`` of the skeleton; ``precision``, ``recall``, ``f_score`` in
        percent; ``shd``, the structural Hamming distance of the CPDAGs; ``seed`` of the run.
    """
    return {**compare(edges.as_written().dag(0.5), truth).as_dict(), "seed": seed}


def covered_edges(communities: Iterable[Iterable[str]], truth: nx.DiGraph) -> int:
    """Count the true edges with both ends in the same community, any one of them.

    Examples
    --------
    >>> covered_edges([["a", "b"], ["b", "c"]], nx.DiGraph([("a", "b"), ("a", "c")]))
    1
    """
    homes: dict[str, set[int]] = {}
    for k, community in enumerate(communities):
        for name in community:
            homes.setdefault(name, set()).add(k)
    nowhere: set[int] = set()
    return sum(bool(homes.get(u, nowhere) & homes.get(v, nowhere)) for u, v in truth.edges)
