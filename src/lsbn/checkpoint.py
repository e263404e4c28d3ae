"""Checkpoints: finished pieces of work, kept in a folder so that a stopped fit can be resumed.

A fit is deterministic, so its parallel calls always come in the same order. While a checkpoint is
active, `lsbn.parallel` numbers the calls and stores the result of every piece under the number of
its call and its place. A resumed fit repeats the cheap work between the calls and reads the stored
pieces instead of computing them again. So it ends with the same bits.

Pieces are plain values with arrays, written by `lsbn.plainfiles`. A file is written whole or not at
all.

A piece that takes long has a folder of its own inside the draft, where the calls inside the piece
are stored in the same way. It is removed when the piece is written.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple

from lsbn.files import UNFINISHED, atomic_file
from lsbn.plainfiles import Flat, arrays_of, decoded, encoded, index_of, write

__all__ = [
    "KEPT",
    "MANIFEST",
    "PLAIN",
    "Checkpoint",
    "Codec",
    "Record",
    "begin_call",
    "foreign_in",
    "is_active",
    "read_manifest",
    "within_piece",
]

MANIFEST = "manifest.json"
KEPT = "table.kept"
"""A value that is kept beside the pieces, see `lsbn.drafts.KeptTable`."""
_NAMES = re.compile(r"manifest\.json|table\.kept|[0-9a-f]{16}\.npz|[0-9]+-[0-9]+-[0-9]+")
"""Names of the files and folders of a draft."""
_START = b'{\n "'
"""How the manifest of a draft begins."""
_INTERVAL = 0.25
"""Seconds between two files. Pieces that are ready earlier wait in memory."""
_ACTIVE: ContextVar[Checkpoint | None] = ContextVar("checkpoint", default=None)


class Codec(NamedTuple):
    """How results of a function become plain values, and back.

    Plain values are None, numbers, text, arrays of numbers, and lists, tuples and dicts of plain
    values.
    """

    pack: Callable[[Any], Any]
    unpack: Callable[[Any], Any]


def _same(value: Any) -> Any:
    return value


PLAIN = Codec(_same, _same)
"""The codec of results that are plain values already."""


class Checkpoint:
    """A folder of finished pieces.

    Parameters
    ----------
    folder : path
        It is made when the first piece is written, or when a call begins whose pieces have
        folders of their own.
    identity : mapping of str to str
        What the pieces depend on, such as a digest of the data; the key is a word for the user.

    Raises
    ------
    ValueError
        If the folder has pieces of another fit. The message says what differs.
    """

    def __init__(self, folder: Path, identity: Mapping[str, str]) -> None:
        self.folder, self.identity = Path(folder), dict(identity)
        self._entries: dict[str, tuple[Path, Any]] = {}
        self._waiting: dict[str, Any] = {}
        self._arrays: dict[str, Flat] = {}
        self._calls, self._written = 0, time.monotonic()
        if self.folder.exists():
            self._check()
            for path in sorted(self.folder.glob("*.npz"), key=os.path.getmtime):
                self._entries |= {key: (path, tree) for key, tree in index_of(path).items()}

    def _check(self) -> None:
        """Raise an error if the folder is not a draft of this fit.

        If a power cut took the manifest, nobody knows which fit the pieces are of: remove them.
        """
        found = read_manifest(self.folder)
        if found is None:
            if (name := foreign_in(self.folder)) is not None:
                raise ValueError(
                    f"{self.folder} is not a draft of lsbn: {name} does not belong to a draft; "
                    f"move {name} away, or choose another folder"
                )
            _remove_pieces(self.folder)
            return
        other = [name for name, value in self.identity.items() if found.get(name) != value]
        if other:
            raise ValueError(
                f"{self.folder} is the draft of another run: it differs in the "
                f"{' and the '.join(other)}; remove it (lsbn clean), or choose another folder"
            )

    @contextmanager
    def active(self) -> Iterator[None]:
        """Store the pieces of all calls inside the block.

        After an error or Ctrl-C the folder stays, if it has any piece.
        """
        token = _ACTIVE.set(self)
        try:
            yield
        except BaseException:
            if self.folder.exists():
                self.flush()
                if next(self.folder.rglob("*.npz"), None) is None:
                    shutil.rmtree(self.folder, ignore_errors=True)
            raise
        finally:
            _ACTIVE.reset(token)

    def begin(self, pieces: int) -> Record:
        """Give a number to the next call, which has this number of pieces."""
        self._calls += 1
        return Record(self, f"{self._calls}/{pieces}")

    def has(self, key: str) -> bool:
        """Return whether a piece is stored in a file that can be read."""
        return key in self._entries and arrays_of(self._entries[key][0]) is not None

    def load(self, key: str) -> Any:
        """Return a stored piece."""
        path, tree = self._entries[key]
        return decoded(tree, arrays_of(path) or {})

    def store(self, key: str, value: Any) -> None:
        """Store a piece, now or together with those that are ready soon."""
        self._waiting[key] = encoded(value, self._arrays)
        if time.monotonic() - self._written >= _INTERVAL:
            self.flush()
            return
        for flat in self._arrays.values():
            flat.keep()

    def flush(self) -> None:
        """Write all pieces that wait.

        If they replace the folders of calls inside them, wait until they are on the disk: else a
        power cut could take both. Waiting for each of all pieces would take too long.
        """
        if not self._waiting:
            return
        self.make_folder()
        replaced = [place for key in self._waiting if (place := self.place_of(key)).exists()]
        path = self.folder / f"{secrets.token_hex(8)}.npz"
        with atomic_file(path, lasting=bool(replaced)) as draft:
            write(draft, self._waiting, self._arrays)
        for place in replaced:
            shutil.rmtree(place, ignore_errors=True)
        self._waiting, self._arrays, self._written = {}, {}, time.monotonic()

    def make_folder(self) -> None:
        """Make the folder, if it is not there."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if not (self.folder / MANIFEST).exists():
            with atomic_file(self.folder / MANIFEST, lasting=True) as draft:
                draft.write_text(json.dumps(self.identity, indent=1), encoding="utf-8")

    def place_of(self, key: str) -> Path:
        """Return the folder of the calls inside a piece."""
        return self.folder / key.replace("/", "-")


class Record(NamedTuple):
    """The pieces of one call."""

    checkpoint: Checkpoint
    call: str

    def has(self, piece: int) -> bool:
        """Return whether a piece of the call is stored."""
        return self.checkpoint.has(f"{self.call}/{piece}")

    def load(self, piece: int) -> Any:
        """Return a stored piece of the call."""
        return self.checkpoint.load(f"{self.call}/{piece}")

    def store(self, piece: int, value: Any) -> None:
        """Store a piece of the call."""
        self.checkpoint.store(f"{self.call}/{piece}", value)

    def places(self) -> Callable[[int], Path]:
        """Return a function that gives the folder of the calls inside a piece of the call."""
        self.checkpoint.make_folder()
        return lambda piece: self.checkpoint.place_of(f"{self.call}/{piece}")


def begin_call(pieces: int) -> Record | None:
    """Return the record of the next call, or None if no checkpoint is active."""
    active = _ACTIVE.get()
    return None if active is None else active.begin(pieces)


def is_active() -> bool:
    """Return whether a checkpoint is active."""
    return _ACTIVE.get() is not None


@contextmanager
def within_piece(place: Path | None = None) -> Iterator[None]:
    """Run a piece: the calls inside are not stored one by one, unless the piece has a folder."""
    if place is not None and place.parent.exists():
        if read_manifest(place) is None:  # the process that made the folder died at once
            shutil.rmtree(place, ignore_errors=True)
        with Checkpoint(place, {"piece": place.name}).active():
            yield
        return
    token = _ACTIVE.set(None)
    try:
        yield
    finally:
        _ACTIVE.reset(token)


def read_manifest(folder: Path) -> dict[str, str] | None:
    """Return the identity of a draft, None if the folder is no draft."""
    try:
        found = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def foreign_in(folder: Path) -> str | None:
    """Return the name of something in a folder that is not of a draft, None if there is none.

    The manifest of a draft may be cut off, or have zeros at its end, as after a power cut.
    """
    for place, folders, files in os.walk(folder):
        for name in sorted([*folders, *files]):
            if not (_NAMES.fullmatch(name) or UNFINISHED.fullmatch(name)):
                return str(Path(place, name).relative_to(folder))
    try:
        start = (folder / MANIFEST).read_bytes()[: len(_START)]
    except FileNotFoundError:
        return None
    except OSError:
        return MANIFEST
    return None if _START.startswith(start.rstrip(b"\0")) else MANIFEST


def _remove_pieces(folder: Path) -> None:
    """Remove all that is in a draft but the kept table, which has a digest of its own."""
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != KEPT:
            path.unlink()
