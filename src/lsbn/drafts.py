"""Drafts: what identifies a fit that can be resumed, and drafts that were left behind."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from lsbn.checkpoint import KEPT, MANIFEST, Checkpoint, foreign_in, read_manifest
from lsbn.data import Dataset
from lsbn.data.discretize import CutPoints
from lsbn.files import UNFINISHED
from lsbn.plainfiles import read_value, write_value
from lsbn.version import __version__

__all__ = ["KeptTable", "Leftover", "draft_of", "leftovers", "remove", "resumable"]

_NOT_SETTINGS = ("checkpoint", "n_jobs", "random_state", "verbose")
"""Parameters that do not change the result, or are checked apart."""
_DRAFT = re.compile(r"\..+\.draft")
"""Names of `draft_of`."""


def draft_of(output: str | os.PathLike[str]) -> Path:
    """Return the folder in which the draft of a run folder is kept, beside the run folder.

    Examples
    --------
    >>> draft_of("runs/survey").name
    '.survey.draft'
    """
    target = Path(output).resolve()
    return target.with_name(f".{target.name}.draft")


@contextmanager
def resumable(
    path: str | os.PathLike[str] | None,
    dataset: Dataset,
    parameters: Mapping[str, Any],
    seed: np.random.SeedSequence,
) -> Iterator[np.random.SeedSequence]:
    """Store finished pieces of a fit in a folder, and begin with those that are there.

    The folder is removed if the block ends well, unless a `KeptTable` is in it, which removes it.

    Parameters
    ----------
    path : str or path, optional
        The folder. None stores nothing.
    dataset : Dataset
    parameters : mapping
        The parameters of the fit by name.
    seed : SeedSequence

    Yields
    ------
    SeedSequence
        The seed. If ``parameters["random_state"]`` is None, it is the seed of the stopped fit.

    Raises
    ------
    ValueError
        If the folder has the draft of another fit.
    """
    if path is None:
        yield seed
        return
    if parameters.get("random_state") is None:
        known = (read_manifest(Path(path)) or {}).get("seed", "").split(" ")[0]
        seed = np.random.SeedSequence(int(known)) if known.isdigit() else seed
    identity = {
        "data": _digest_of_data(dataset),
        "settings": _digest_of_settings(parameters),
        "code of lsbn": f"{__version__} {_digest_of_code()}",
        "seed": f"{seed.entropy} {list(seed.spawn_key)}",
        "size of the table": f"{dataset.n_rows:,} rows, {dataset.n_variables:,} variables",
    }
    pieces = Checkpoint(Path(path), identity)
    with pieces.active():
        yield seed
    if (pieces.folder / KEPT).exists():
        pieces.flush()
    else:
        shutil.rmtree(pieces.folder, ignore_errors=True)


class KeptTable:
    """The coded table of a run, kept in its draft: a resumed run need not code the file again.

    The table is used only if the bytes of the file, the options and the code of lsbn are the same.

    Parameters
    ----------
    draft : Path
    data : str or path
        The file of the table.
    options : mapping
        How `Dataset.read` reads the file.
    """

    def __init__(
        self, draft: Path, data: str | os.PathLike[str], options: Mapping[str, Any]
    ) -> None:
        self.draft, self.data, self.options = draft, Path(data), dict(options)
        self._holds_a_table = False

    @cached_property
    def source(self) -> str:
        """Digest of all that the coded table depends on."""
        with self.data.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256")
        words = [self.data.suffixes, self.options, __version__, _digest_of_code()]
        digest.update(json.dumps(words, sort_keys=True, default=repr).encode())
        return digest.hexdigest()

    def read(self) -> Dataset | None:
        """Return the table that the draft keeps, None if it has none of this source.

        The digest is taken now: if the file changes after it was read, a resumed run notices it.
        """
        source = self.source if self.data.is_file() else None
        found = read_value(self.draft / KEPT)
        self._holds_a_table = found is not None
        if found is None or found["source"] != source:
            return None
        fields = found["table"]
        cuts = tuple(None if cut is None else CutPoints(**cut) for cut in fields["cuts"])
        return Dataset(**fields | {"cuts": cuts})

    @contextmanager
    def kept(self, dataset: Dataset) -> Iterator[None]:
        """Keep the table in the draft, and keep the draft until the block ends well.

        So it stays until the result of the run is written. After an error it stays if it has any
        piece. A whole table in the draft is not replaced: the draft may be that of another run.
        """
        try:
            if not self._holds_a_table:
                self._write(dataset)
            yield
        except BaseException:
            if next(self.draft.rglob("*.npz"), None) is None:
                (self.draft / KEPT).unlink(missing_ok=True)
                with suppress(OSError):  # a folder with something else stays
                    self.draft.rmdir()
            raise
        shutil.rmtree(self.draft, ignore_errors=True)

    def _write(self, dataset: Dataset) -> None:
        """Write the table into the draft."""
        cuts = tuple(None if cut is None else asdict(cut) for cut in dataset.cuts)
        fields = {name: getattr(dataset, name) for name in Dataset.__dataclass_fields__}
        self.draft.mkdir(parents=True, exist_ok=True)
        value = {"source": self.source, "table": fields | {"cuts": cuts}}
        write_value(self.draft / KEPT, value)


def _digest_of_data(dataset: Dataset) -> str:
    digest = hashlib.sha256(np.ascontiguousarray(dataset.codes).data)
    if dataset.gaps is not None:
        digest.update(np.ascontiguousarray(dataset.gaps).data)
    digest.update(json.dumps([dataset.names, dataset.states]).encode())
    return digest.hexdigest()


def _digest_of_settings(parameters: Mapping[str, Any]) -> str:
    chosen = {name: value for name, value in parameters.items() if name not in _NOT_SETTINGS}
    words = {name: getattr(value, "__qualname__", repr(value)) for name, value in chosen.items()}
    return hashlib.sha256(json.dumps(words, sort_keys=True).encode()).hexdigest()


@cache
def _digest_of_code() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


@dataclass(frozen=True)
class Leftover:
    """A draft, or a file or folder that was being written when a process died.

    Attributes
    ----------
    path : Path
    what : str
        What it is, for the user.
    size : int
        Bytes.
    changed : float
        Time of the last change, in seconds since 1970.
    """

    path: Path
    what: str
    size: int
    changed: float


def leftovers(folder: str | os.PathLike[str]) -> list[Leftover]:
    """Find drafts and unfinished files in a folder and below it.

    Parameters
    ----------
    folder : str or path

    Returns
    -------
    list of Leftover
        Sorted by path.
    """
    found = []
    for place, folders, files in os.walk(folder):
        for name in sorted([*folders, *files]):
            path = Path(place, name)
            what = _draft_at(path) if name in folders else None
            if what is None and UNFINISHED.fullmatch(name):
                what = "unfinished folder" if name in folders else "unfinished file"
            if what is None:
                continue
            if name in folders:
                folders.remove(name)
            found.append(_leftover(path, what))
    return sorted(found, key=lambda each: each.path)


def _draft_at(path: Path) -> str | None:
    """Describe a draft, also one whose manifest cannot be read; None if the folder is no draft."""
    manifest = read_manifest(path)
    if manifest is not None:
        size = manifest.get("size of the table", "unknown size")
        return f"draft of a run, {size}" if "code of lsbn" in manifest else None
    ours = (path / MANIFEST).exists() or _DRAFT.fullmatch(path.name)
    return "damaged draft of a run" if ours and foreign_in(path) is None else None


def _leftover(path: Path, what: str) -> Leftover:
    """Measure a file or folder."""
    inside = [path, *(path.rglob("*") if path.is_dir() else ())]
    stats = [each.stat() for each in inside if each.exists()]
    size = sum(stat.st_size for stat in stats)
    return Leftover(path, what, size, max((stat.st_mtime for stat in stats), default=0.0))


def remove(leftover: Leftover) -> None:
    """Remove a leftover."""
    if leftover.path.is_dir():
        shutil.rmtree(leftover.path)
    else:
        leftover.path.unlink(missing_ok=True)
