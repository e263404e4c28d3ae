"""Drafts: what identifies a fit that can be resumed, and drafts that were left behind."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from lsbn.checkpoint import Checkpoint, read_manifest
from lsbn.data import Dataset
from lsbn.version import __version__

__all__ = ["Leftover", "draft_of", "leftovers", "remove", "resumable"]

_NOT_SETTINGS = ("checkpoint", "n_jobs", "random_state", "verbose")
"""Parameters that do not change the result, or are checked apart."""
_TEMPORARY = re.compile(r"^\..+\.[0-9a-f]{8}(-[0-9]+-[0-9a-f]{8})?\.tmp$")
"""Names of files and folders that `lsbn.files` was writing, also in older versions."""


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
    with Checkpoint(Path(path), identity).active():
        yield seed


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
            manifest = read_manifest(path) if name in folders else None
            if manifest is not None and "code of lsbn" in manifest:
                what = f"draft of a run, {manifest.get('size of the table', 'unknown size')}"
            elif _TEMPORARY.match(name):
                what = "unfinished folder" if name in folders else "unfinished file"
            else:
                continue
            if name in folders:
                folders.remove(name)
            found.append(_leftover(path, what))
    return sorted(found, key=lambda each: each.path)


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
