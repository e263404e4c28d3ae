"""Write files and folders whole or not at all."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["atomic_file", "atomic_folder"]


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield the path of a draft; the draft becomes `path` if the block ends without an error.

    The draft is in the same folder, so that the move is one step. If the block raises an error, or
    if the user presses Ctrl-C, the draft is removed and an old file at `path` stays.

    Parameters
    ----------
    path : str or path
        The file to write.

    Yields
    ------
    Path
        The draft.

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
    """Yield a new folder; the folder becomes `path` if the block ends without an error.

    An old folder at `path` is replaced, so the caller must check first. Missing parent folders are
    made. If the block raises an error, everything is as before.

    Parameters
    ----------
    path : str or path
        The folder to write.

    Yields
    ------
    Path
        The new folder, empty.
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
