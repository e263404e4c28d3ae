"""Files that are there whole or not at all."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["atomic_file", "atomic_folder"]


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a path to write to, which becomes `path` when the block ends well.

    The draft lies in the same folder, so that the move is one step. If the block raises, even by
    Ctrl-C, the draft is removed and what stood at `path` stays.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_file(Path(folder) / "x.txt") as draft:
    ...         _ = draft.write_text("whole")
    ...     [p.name for p in Path(folder).iterdir()]
    ['x.txt']
    """
    target = Path(path)
    draft = _draft_beside(target)
    try:
        yield draft
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def atomic_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a new folder to fill, which becomes `path` when the block ends well.

    A folder that stands at `path` is replaced; whether it may be is for the caller to decide.
    Parent folders are made if need be. If the block raises, everything is as before.
    """
    target = Path(path).resolve()
    made = [folder for folder in target.parents if not folder.exists()]
    target.parent.mkdir(parents=True, exist_ok=True)
    draft, old = _draft_beside(target), _draft_beside(target)
    try:
        draft.mkdir()
        yield draft
        if target.exists():
            os.rename(target, old)
        os.rename(draft, target)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        if old.exists() and not target.exists():
            os.rename(old, target)
        for folder in made:
            if folder.exists() and not any(folder.iterdir()):
                folder.rmdir()
        raise
    shutil.rmtree(old, ignore_errors=True)


def _draft_beside(target: Path) -> Path:
    return target.with_name(f".{target.name[:80]}.{secrets.token_hex(4)}.tmp")
