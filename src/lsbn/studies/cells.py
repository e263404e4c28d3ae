"""Cells of a study: one learner on one table, and the file each leaves as soon as it is done."""

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import lsbn
from lsbn.files import atomic_file
from lsbn.network import BayesianNetwork, load_network

__all__ = ["Cell", "CellStore", "Outcome", "Target", "code_version", "targets"]

NO_RESULT = {"studies", "report", "cli", "runs.py"}
"""Parts of the package that have no say in what is learned."""


@dataclass(frozen=True)
class Target:
    """A network to study.

    Attributes
    ----------
    label : str
        Its name in tables and file names: the bundled name, or the stem of the BIF file.
    source : str
        Bundled name or path.
    network : BayesianNetwork
    """

    label: str
    source: str
    network: BayesianNetwork = field(repr=False, compare=False)

    @property
    def digest(self) -> str:
        """Fingerprint of structure and tables, so that a changed file is noticed."""
        net = self.network
        known = hashlib.sha256(repr((net.names, net.states)).encode())
        for above, table in zip(net.parents, net.tables, strict=True):
            known.update(above.tobytes() + table.tobytes())
        return known.hexdigest()[:12]


def targets(sources: Iterable[str]) -> tuple[Target, ...]:
    """Load networks by bundled name or path, smallest first.

    Raises
    ------
    ValueError
        If two of them would have the same label.
    """
    found: dict[str, Target] = {}
    for source in sources:
        label = Path(source).name.removesuffix(".gz").removesuffix(".bif")
        if label in found:
            raise ValueError(f"two networks are called {label!r}; rename a file")
        found[label] = Target(label, str(source), load_network(source))
    return tuple(sorted(found.values(), key=lambda t: (t.network.n_variables, t.label)))


@dataclass(frozen=True)
class Cell:
    """One learner in one scope on one table."""

    network: str
    rows: int
    seed: int
    learner: str
    scope: str

    @property
    def file(self) -> str:
        """Name of its file."""
        return f"{self.network}-{self.rows}-{self.seed}-{self.learner}-{self.scope}.json"

    def __str__(self) -> str:
        return f"{self.network}, {self.rows:,} rows, seed {self.seed}: {self.learner} {self.scope}"


@dataclass(frozen=True)
class Outcome:
    """What a cell gave.

    Attributes
    ----------
    cell : Cell
    status : str
        ``done``, ``over limit`` or ``failed``; the latter two have no figures.
    figures : mapping
        What `lsbn.metrics.Comparison` has, for the edges above 0.5.
    curves : mapping
        For learners that give probabilities: average precision, Brier score, calibration error,
        points of the precision-recall curve and bins of the calibration curve.
    partition : tuple of mappings
        For the scope ``partition``: `PartitionFigures` of all eight partitions.
    diagnostics : mapping
        What the learner says of itself.
    warnings : tuple of str
    seconds : mapping
        Wall time of every stage, and ``total``. Alone among these it differs from run to run, with
        `peak_mb`.
    peak_mb : float or None
        Most memory that the process held, where the system tells.
    code : str
        Fingerprint of the code that made it, `code_version`.
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
    """The folder of finished cells, one JSON file each, written whole or not at all."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def has(self, cell: Cell) -> bool:
        """Say whether a cell is finished."""
        return (self.folder / cell.file).is_file()

    def write(self, outcome: Outcome) -> None:
        """Keep a finished cell."""
        self.folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(_plain(asdict(outcome)), indent=1, allow_nan=False)
        with atomic_file(self.folder / outcome.cell.file) as draft:
            draft.write_text(text + "\n", encoding="utf-8")

    def read(self, cell: Cell) -> Outcome:
        """Read a finished cell."""
        return self._load(self.folder / cell.file)

    def among(self, cells: Iterable[Cell]) -> Iterator[Outcome]:
        """Read those that are finished, in the order given."""
        return (self.read(cell) for cell in cells if self.has(cell))

    def _load(self, path: Path) -> Outcome:
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            found["cell"] = Cell(**found["cell"])
            found["partition"] = tuple(found["partition"])
            found["warnings"] = tuple(found["warnings"])
            return Outcome(**found)
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"{path} is no cell of a study ({error}); remove it and go on with --resume"
            ) from None


def _plain(value: Any) -> Any:
    """Turn tuples and numpy numbers into what JSON has; what is not finite becomes null."""
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


@cache
def code_version() -> str:
    """Fingerprint of the code that decides results, so that old cells can be told from new."""
    home = Path(lsbn.__file__).parent
    known = hashlib.sha256()
    for path in sorted(home.rglob("*.py")):
        inside = path.relative_to(home)
        if inside.parts[0] not in NO_RESULT:
            known.update(inside.as_posix().encode() + path.read_bytes())
    return known.hexdigest()[:12]
