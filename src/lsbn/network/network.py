"""Bayesian networks with known tables: read, write, sample.

They are the truth that learned graphs are compared with. The five networks of the paper are
bundled.
"""

import gzip
import os
import zlib
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd

from lsbn.files import atomic_file
from lsbn.graph.equivalence import CycleError, dag_to_cpdag, topological_order
from lsbn.network.bif import EXACT_TOLERANCE, ROW_SUM_TOLERANCE, BIFContents, BIFError, format_bif
from lsbn.network.bif_reader import parse_bif_text
from lsbn.network.portable import portable as safe_names

__all__ = [
    "BUNDLED",
    "BIFError",
    "BayesianNetwork",
    "RandomState",
    "load_network",
    "parse_bif",
    "read_bif",
]

BUNDLED = ("alarm", "insurance", "win95pts", "pigs", "link")
"""The networks that come with the package, in the order of the paper."""

RandomState = int | np.random.SeedSequence | np.random.Generator | None
"""The seed of a random draw: a number, a generator, or None for a new seed each time."""


@dataclass(frozen=True, eq=False)
class BayesianNetwork:
    """A discrete Bayesian network: a DAG and one conditional probability table per variable.

    Parameters
    ----------
    names : tuple of str
        The variables, unique and not empty.
    states : tuple of tuple of str
        The states of each variable, unique within it.
    parents : tuple of numpy.ndarray
        The indices of each variable's parents.
    tables : tuple of numpy.ndarray
        ``tables[v]`` has one row per configuration of v's parents, the first parent varying
        slowest, and one column per state of v. A row whose sum differs from 1 by rounding only is
        divided by its sum.
    name : str
        The name of the network.

    Raises
    ------
    ValueError
        If the parts do not fit together; the message names the variable.

    Notes
    -----
    The arrays are read-only, so networks may share them.

    Examples
    --------
    >>> import numpy as np
    >>> net = BayesianNetwork(
    ...     names=("rain", "wet"),
    ...     states=(("no", "yes"), ("no", "yes")),
    ...     parents=(np.array([], dtype=int), np.array([0])),
    ...     tables=(np.array([[0.8, 0.2]]), np.array([[1.0, 0.0], [0.0, 1.0]])),
    ... )
    >>> list(net.dag.edges)
    [('rain', 'wet')]
    >>> table = net.sample(100, random_state=0)
    >>> bool((table["rain"] == table["wet"]).all())
    True
    """

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    parents: tuple[np.ndarray, ...]
    tables: tuple[np.ndarray, ...]
    name: str = "network"

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        set_field(self, "names", tuple(self.names))
        set_field(self, "states", tuple(tuple(states) for states in self.states))
        _check_words(self.names, self.states)
        for field, dtype in (("parents", np.int64), ("tables", np.float64)):
            arrays = getattr(self, field)
            if len(arrays) != len(self.names):
                raise ValueError(
                    f"{field} has {len(arrays)} arrays for {len(self.names)} variables"
                )
            set_field(self, field, tuple(_frozen(array, dtype) for array in arrays))
        self._check_parents()
        self._check_shapes()
        set_field(self, "tables", self._normalised_tables())
        _ = self.topological_order

    def __repr__(self) -> str:
        counts = f"{self.n_variables} variables, {self.n_edges} edges"
        return f"<BayesianNetwork {self.name!r}: {counts}>"

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.names)

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return sum(len(parents) for parents in self.parents)

    @cached_property
    def cardinalities(self) -> np.ndarray:
        """Number of states of each variable."""
        return np.array([len(states) for states in self.states], dtype=np.int64)

    @cached_property
    def topological_order(self) -> np.ndarray:
        """Indices of the variables, parents before children."""
        try:
            return topological_order(self.n_variables, self.parents)
        except CycleError as error:
            cycle = " -> ".join(self.names[v] for v in [*error.cycle, error.cycle[0]])
            raise ValueError(f"the network has a cycle: {cycle}") from None

    @property
    def dag(self) -> nx.DiGraph:
        """The graph, over the variables' names."""
        graph = nx.DiGraph(name=self.name)
        graph.add_nodes_from(self.names)
        for child, parents in zip(self.names, self.parents, strict=True):
            graph.add_edges_from((self.names[p], child) for p in parents)
        return graph

    @property
    def cpdag(self) -> nx.DiGraph:
        """The Markov equivalence class of the graph; an undirected edge has both directions."""
        return dag_to_cpdag(self.dag)

    def sample_codes(self, rows: int, random_state: RandomState = None) -> np.ndarray:
        """Draw rows from the joint distribution as codes of states, parents before children.

        Parameters
        ----------
        rows : int
            Number of rows.
        random_state : int, SeedSequence, Generator or None
            Every variable has its own random stream, spawned from this one. So the first rows do
            not depend on the number of rows.

        Returns
        -------
        numpy.ndarray, shape (n_variables, rows)
            Codes as uint8, or as uint16 if a variable has more than 256 states.
        """
        if rows < 0:
            raise ValueError(f"rows must not be negative, got {rows}")
        streams = np.random.default_rng(random_state).spawn(self.n_variables)
        dtype = np.uint8 if self.cardinalities.max() <= 256 else np.uint16
        codes = np.zeros((self.n_variables, rows), dtype=dtype)
        for v in self.topological_order.tolist():
            configuration = np.zeros(rows, dtype=np.int64)
            for p in self.parents[v]:
                configuration *= self.cardinalities[p]
                configuration += codes[p]
            _draw(self.tables[v], configuration, streams[v].random(rows), out=codes[v])
        return codes

    def sample(self, rows: int, random_state: RandomState = None) -> pd.DataFrame:
        """Draw a table of state names from the joint distribution.

        Parameters
        ----------
        rows : int
            Number of rows.
        random_state : int, SeedSequence, Generator or None
            As for `sample_codes`; the same seed gives the same rows.

        Returns
        -------
        pandas.DataFrame
            One unordered categorical column per variable, in the order of `names`. Its categories
            are all states of the variable, also those without a row.
        """
        codes = self.sample_codes(rows, random_state)
        dtypes = {states: pd.CategoricalDtype(list(states)) for states in set(self.states)}
        columns = {
            v: pd.Categorical.from_codes(codes[v], dtype=dtypes[states], validate=False)
            for v, states in enumerate(self.states)
        }
        table = pd.DataFrame(columns, copy=False)
        table.columns = pd.Index(self.names)
        return table

    def write_bif(self, path: str | os.PathLike[str], *, portable: bool = False) -> None:
        """Write the network as a BIF file, compressed if the name ends in ``.gz``.

        The file is complete or not there. With `portable`, names have letters, digits and
        underscores only, as other packages need it, and `read_bif` restores them.
        """
        contents = BIFContents(self.name, self.names, self.states, self.parents, self.tables)
        data = format_bif(*(safe_names(contents) if portable else (contents, None))).encode()
        if Path(path).suffix == ".gz":
            data = gzip.compress(data, mtime=0)
        with atomic_file(path) as draft:
            draft.write_bytes(data)

    def _check_parents(self) -> None:
        n = self.n_variables
        for name, parents in zip(self.names, self.parents, strict=True):
            listed = parents.tolist()
            if parents.ndim != 1 or any(not 0 <= p < n for p in listed):
                raise ValueError(f"parents of {name!r} must be indices below {n}, found {listed}")
            if len(set(listed)) < len(listed):
                raise ValueError(f"{name!r} has a parent twice: {listed}")

    def _check_shapes(self) -> None:
        sizes = self.cardinalities.tolist()
        for v, (parents, table) in enumerate(zip(self.parents, self.tables, strict=True)):
            rows = 1
            for p in parents.tolist():
                rows *= sizes[p]
            if table.shape != (rows, sizes[v]):
                raise ValueError(
                    f"table of {self.names[v]!r} has shape {table.shape}, but its parents have "
                    f"{rows} configurations and it has {sizes[v]} states"
                )

    def _normalised_tables(self) -> tuple[np.ndarray, ...]:
        """Check all rows of all tables at once and remove differences by rounding."""
        widths = np.concatenate([np.full(len(t), t.shape[1]) for t in self.tables])
        owners = np.repeat(np.arange(self.n_variables), [len(t) for t in self.tables])
        values = np.concatenate([table.ravel() for table in self.tables])
        starts = np.concatenate(([0], np.cumsum(widths)[:-1]))
        with np.errstate(invalid="ignore"):
            sums = np.add.reduceat(values, starts)
            lowest = np.minimum.reduceat(values, starts)
        off = np.abs(sums - 1)
        bad = ~((off <= ROW_SUM_TOLERANCE) & (lowest >= 0))
        if bad.any():
            v = int(owners[np.argmax(bad)])
            row = int(np.argmax(bad)) - int(np.searchsorted(owners, v))
            raise ValueError(
                f"row {row} of the table of {self.names[v]!r} is not a distribution: "
                f"{self.tables[v][row].tolist()}"
            )
        tables = list(self.tables)
        for v in np.unique(owners[off > EXACT_TOLERANCE]).tolist():
            rough = off[owners == v] > EXACT_TOLERANCE
            table = self.tables[v].copy()
            table[rough] /= table[rough].sum(axis=1, keepdims=True)
            tables[v] = _frozen(table, np.float64)
        return tuple(tables)


def load_network(name_or_path: str | os.PathLike[str]) -> BayesianNetwork:
    """Load a bundled network by its name, or any network from a BIF file.

    Parameters
    ----------
    name_or_path : str or path
        ``alarm``, ``insurance``, ``win95pts``, ``pigs`` or ``link``, or the path of a ``.bif`` or
        ``.bif.gz`` file.

    Returns
    -------
    BayesianNetwork
        The network.

    Examples
    --------
    >>> load_network("alarm")
    <BayesianNetwork 'alarm': 37 variables, 46 edges>
    """
    if isinstance(name_or_path, str) and name_or_path in BUNDLED:
        bundled = resources.files("lsbn.network") / "bundled" / f"{name_or_path}.bif.gz"
        with resources.as_file(bundled) as path:
            return read_bif(path)
    path = Path(name_or_path)
    known = f"a bundled network ({', '.join(BUNDLED)}) nor a .bif or .bif.gz file"
    if not path.name.endswith((".bif", ".bif.gz")):
        raise ValueError(f"{str(name_or_path)!r} is neither {known}")
    if not path.is_file():
        raise FileNotFoundError(f"{str(name_or_path)!r} is neither {known} that exists")
    return read_bif(path)


def read_bif(path: str | os.PathLike[str]) -> BayesianNetwork:
    """Read a network from a BIF file; `lsbn.network.bif` describes the format.

    Parameters
    ----------
    path : str or path
        The file, plain or compressed by gzip.

    Returns
    -------
    BayesianNetwork
        A network with the name ``unknown``, as in the repository, gets the name of the file.

    Raises
    ------
    BIFError
        If the file is not readable; the message has the line.
    """
    path = Path(path)
    data = path.read_bytes()
    try:
        if data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
        text = data.decode("utf-8-sig")
    except (OSError, EOFError, zlib.error) as error:
        raise BIFError(f"{path}: damaged gzip file ({error})") from error
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BIFError(f"{path}, line {line}: not UTF-8 text ({error.reason})") from error
    stem = path.name.removesuffix(".gz").removesuffix(".bif")
    return _network_of(parse_bif_text(text, str(path)), stem, str(path))


def parse_bif(text: str) -> BayesianNetwork:
    """Read a network from BIF text.

    Examples
    --------
    >>> text = "variable x { type discrete [ 2 ] { n, y }; } probability ( x ) { table 0.8 0.2; }"
    >>> parse_bif(text).tables[0].tolist()
    [[0.8, 0.2]]
    """
    return _network_of(parse_bif_text(text), "network", "BIF text")


def _network_of(contents: BIFContents, fallback: str, source: str) -> BayesianNetwork:
    name = fallback if contents.name == "unknown" else contents.name
    try:
        return BayesianNetwork(
            contents.names, contents.states, contents.parents, contents.tables, name
        )
    except ValueError as error:
        raise BIFError(f"{source}: {error}") from error


def _frozen(array: np.ndarray, dtype: type) -> np.ndarray:
    """Return a read-only array; a read-only array is shared, not copied."""
    result: np.ndarray = np.ascontiguousarray(array, dtype=dtype)
    if result.flags.writeable:
        result = result.copy()
        result.setflags(write=False)
    return result


def _check_words(names: tuple[str, ...], states: tuple[tuple[str, ...], ...]) -> None:
    """Check the names of variables and states."""
    if not names:
        raise ValueError("a network needs at least one variable")
    if len(states) != len(names):
        raise ValueError(f"states are given for {len(states)} variables, names for {len(names)}")
    for v, name in enumerate(names):
        if not isinstance(name, str) or not name:
            raise ValueError(f"variable {v} must have a name that is a non-empty str, not {name!r}")
    if len(set(names)) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise ValueError(f"two variables are called {twice!r}")
    for name, labels in zip(names, states, strict=True):
        if not 1 <= len(labels) <= 65_536:
            raise ValueError(f"{name!r} has {len(labels)} states; 1 to 65,536 are possible")
        if not all(isinstance(label, str) for label in labels):
            raise ValueError(f"the states of {name!r} must be str, found {labels!r}")
        if len(set(labels)) < len(labels):
            raise ValueError(f"two states of {name!r} have the same name: {labels!r}")


def _draw(table: np.ndarray, configuration: np.ndarray, u: np.ndarray, out: np.ndarray) -> None:
    """Add the state of each row to `out`, which holds zeros.

    The state comes from the inverse of the distribution function of the row's parent configuration
    at u in [0, 1). A state of probability zero is never drawn, even if the sums are rounded.
    """
    upper = np.cumsum(table, axis=1)
    possible = table > 0
    left: np.ndarray = np.cumsum(possible[:, ::-1], axis=1)[:, ::-1] - possible
    upper[left == 0] = 1.0
    for k in range(table.shape[1] - 1):
        out += u >= upper[:, k][configuration]
