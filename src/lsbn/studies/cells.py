"""Cells of a study: one learner on one data table, with a file for the outcome of each."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import lsbn
from lsbn.files import atomic_file
from lsbn.network import BayesianNetwork, load_network
from lsbn.runs import json_ready

__all__ = [
    "Cell",
    "CellStore",
    "Outcome",
    "Target",
    "code_version",
    "load_targets",
    "shuffled_table",
]

NO_RESULT = {"studies", "report", "cli", "runs.py"}
"""Parts of the package that do not influence what is learned."""


@dataclass(frozen=True)
class Target:
    """A network to study.

    Attributes
    ----------
    label : str
        Name in tables and file names: the bundled name, or the stem of the BIF file.
    source : str
        Bundled name or path.
    network : BayesianNetwork
    """

    label: str
    source: str
    network: BayesianNetwork = field(repr=False, compare=False)

    @property
    def digest(self) -> str:
        """Fingerprint of structure and probability tables. It shows whether a file changed."""
        net = self.network
        digest = hashlib.sha256(repr((net.names, net.states)).encode())
        for above, table in zip(net.parents, net.tables, strict=True):
            digest.update(above.tobytes() + table.tobytes())
        return digest.hexdigest()[:12]


def load_targets(sources: Iterable[str]) -> tuple[Target, ...]:
    """Load networks by bundled name or path, smallest first.

    Raises
    ------
    ValueError
        If two networks have the same label.
    """
    loaded: dict[str, Target] = {}
    for source in sources:
        label = Path(source).name.removesuffix(".gz").removesuffix(".bif")
        if label in loaded:
            raise ValueError(f"two networks are called {label!r}; rename a file")
        loaded[label] = Target(label, str(source), load_network(source))
    return tuple(sorted(loaded.values(), key=lambda t: (t.network.n_variables, t.label)))


def shuffled_table(network: BayesianNetwork, rows: int, seed: int) -> pd.DataFrame:
    """Sample a data table and put its columns in random order."""
    table = network.sample(rows, random_state=seed)
    return table.iloc[:, np.random.default_rng(seed).permutation(network.n_variables)]


@dataclass(frozen=True)
class Cell:
    """One learner in one scope on one data table."""

    network: str
    rows: int
    seed: int
    learner: str
    scope: str

    @property
    def file(self) -> str:
        """Name of the cell's file."""
        return f"{self.network}-{self.rows}-{self.seed}-{self.learner}-{self.scope}.json"

    def __str__(self) -> str:
        return f"{self.network}, {self.rows:,} rows, seed {self.seed}: {self.learner} {self.scope}"


@dataclass(frozen=True)
class Outcome:
    """The result of a cell.

    Attributes
    ----------
    cell : Cell
    status : str
        ``done``, ``over limit`` or ``failed``. Only ``done`` has figures.
    figures : mapping
        Figures of `lsbn.metrics.Comparison`, for the edges above 0.5.
    curves : mapping
        For learners that give probabilities: average precision, Brier score, calibration error,
        points of the precision-recall curve and bins of the calibration curve.
    partition : tuple of mappings
        For the scope ``partition``: `PartitionFigures` of all eight partitions.
    diagnostics : mapping
        Diagnostics of the learner.
    warnings : tuple of str
    seconds : mapping
        Wall time of every stage, and ``total``. Only `seconds` and `peak_mb` differ from run to
        run.
    peak_mb : float or None
        Peak memory of the process, None if the system does not report it.
    code : str
        Fingerprint of the code that made the cell, see `code_version`.
    """

    cell: Cell
    status: str = "done"
    figures: Mapping[str, float] = field(default_factory=dict)
    curves: Mapping[str, Any] = field(default_factory=dict)
    partition: tuple[Mapping[str, Any], ...] = ()
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    peak_mb: float | None = None
    code: str = ""


class CellStore:
    """The folder of finished cells: one JSON file for each, written whole or not at all."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def has(self, cell: Cell) -> bool:
        """Tell whether a cell is finished."""
        return (self.folder / cell.file).is_file()

    def write(self, outcome: Outcome) -> None:
        """Write a finished cell."""
        self.folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(json_ready(asdict(outcome)), indent=1, allow_nan=False)
        with atomic_file(self.folder / outcome.cell.file) as draft:
            draft.write_text(text + "\n", encoding="utf-8")

    def read(self, cell: Cell) -> Outcome:
        """Read a finished cell."""
        return self._load(self.folder / cell.file)

    def among(self, cells: Iterable[Cell]) -> Iterator[Outcome]:
        """Read the finished ones of these cells, in the order given."""
        return (self.read(cell) for cell in cells if self.has(cell))

    def _load(self, path: Path) -> Outcome:
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            record["cell"] = Cell(**record["cell"])
            record["partition"] = tuple(record["partition"])
            record["warnings"] = tuple(record["warnings"])
            return Outcome(**record)
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"{path} is not a cell of a study ({error}); remove the file and continue with "
                "--resume"
            ) from None


@cache
def code_version() -> str:
    """Return a fingerprint of the code that influences results. It tells old cells from new."""
    home = Path(lsbn.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(home.rglob("*.py")):
        inside = path.relative_to(home)
        if inside.parts[0] not in NO_RESULT:
            digest.update(inside.as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:12]
