"""Write files and folders whole or not at all, and names that spreadsheets do not run."""

import ctypes
import errno
import hashlib
import os
import platform
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = [
    "UNFINISHED",
    "atomic_file",
    "atomic_folder",
    "claimed",
    "plain_name",
    "require_ordinary",
    "safe_name",
]

UNFINISHED = re.compile(r"\..+\.[0-9a-f]{8}(-[0-9]+-[0-9a-f]{8})?\.tmp")
"""Names of files and folders that are being written, also in older versions."""

HOST = hashlib.sha256(platform.node().encode()).hexdigest()[:8]
"""Stands for this machine in the names of drafts."""

_FORMULA = re.compile(r"'*([=@\t\r]|[+-].*[(|!=])", re.DOTALL)
"""A field that a spreadsheet takes for a formula with an effect, after any apostrophes."""


@contextmanager
def atomic_file(path: str | os.PathLike[str], *, lasting: bool = False) -> Iterator[Path]:
    """Yield the path of a draft; the draft becomes `path` if the block ends without an error.

    The draft is in the same folder, so that the move is one step. If the block raises an error, or
    if the user presses Ctrl-C, the draft is removed and an old file at `path` stays.

    Parameters
    ----------
    path : str or path
        The file to write.
    lasting : bool
        Wait until the contents are on the disk, which takes some milliseconds. Without it, a power
        cut in the next seconds may leave an empty file, or one of zeros.

    Yields
    ------
    Path
        The draft.

    Raises
    ------
    OSError
        With the name of the file, for example if the disk is full.

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
        with _named_errors(draft, target):
            yield draft
            if lasting:
                _wait_for_disk(draft)
            os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def atomic_folder(path: str | os.PathLike[str], *, replace: bool = True) -> Iterator[Path]:
    """Yield a new folder; the folder becomes `path` if the block ends without an error.

    Missing parent folders are made. If the block raises an error, everything is as before. Where
    the system can exchange two folders in one step, `path` is never empty in between.

    Parameters
    ----------
    path : str or path
        The folder to write.
    replace : bool
        Replace an old folder at `path`, so the caller must check first. If False, an old folder
        that is not empty is an error.

    Yields
    ------
    Path
        The new folder, empty.
    """
    target = Path(path).resolve()
    made = [folder for folder in target.parents if not folder.exists()]
    target.parent.mkdir(parents=True, exist_ok=True)
    _remove_stale_drafts(target)
    draft = _draft_beside(target)
    try:
        with _named_errors(draft, target):
            draft.mkdir()
            yield draft
            _move_folder(draft, target, replace=replace)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        for folder in made:
            if folder.exists() and not any(folder.iterdir()):
                folder.rmdir()
        raise
    shutil.rmtree(draft, ignore_errors=True)


def _move_folder(draft: Path, target: Path, *, replace: bool) -> None:
    """Move a draft to its target; afterwards the draft holds the old folder, if there was one."""
    if target.exists() and not any(target.iterdir()):
        target.rmdir()
    if target.exists() and not replace:
        raise FileExistsError(f"{target} was written by another run; choose another name")
    if not target.exists():
        os.rename(draft, target)
    elif not _exchange(draft, target):
        old = _draft_beside(target)
        os.rename(target, old)
        try:
            os.rename(draft, target)
        except BaseException:
            os.rename(old, target)
            raise
        shutil.rmtree(old, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two folders in one step; return False where the system cannot do it."""
    try:
        rename = ctypes.CDLL(None).renameat2
    except (OSError, AttributeError, TypeError):
        return False
    here, exchange = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of Linux
    return rename(here, os.fsencode(one), here, os.fsencode(other), exchange) == 0


@contextmanager
def claimed(path: str | os.PathLike[str]) -> Iterator[None]:
    """Make sure that no other process of this machine writes to the same path in the block.

    Parameters
    ----------
    path : str or path
        The file or folder that will be written.

    Raises
    ------
    FileExistsError
        If another process has claimed the path. A claim ends with its process.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    key = hashlib.sha256(os.fsencode(Path(path).resolve())).hexdigest()[:24]
    lock = Path(tempfile.gettempdir()) / f"lsbn-{os.getuid()}-{key}.lock"
    try:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError:  # no place for a lock: the check of the folder at the end must do
        yield
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise FileExistsError(
            f"{path}: another run is writing to this folder; wait for it, or choose another name"
        ) from None
    try:
        yield
    finally:
        with suppress(OSError):
            lock.unlink()
        os.close(handle)


def require_ordinary(path: str | os.PathLike[str]) -> None:
    """Refuse folders, pipes and devices; reading them fails, or never ends.

    Raises
    ------
    FileNotFoundError
        If there is nothing at the path.
    ValueError
        If it is no ordinary file.
    """
    if not Path(path).exists():
        raise FileNotFoundError(errno.ENOENT, "no such file", str(path))
    if Path(path).is_dir():
        raise ValueError(f"{path} is a folder; give a file (of a run: its edges.csv)")
    if not Path(path).is_file():
        raise ValueError(f"{path} is no ordinary file; save its contents to a file first")


def safe_name(name: str) -> str:
    """Put an apostrophe before a name that a spreadsheet would run as a formula.

    Examples
    --------
    >>> safe_name("=cmd()"), safe_name("-log10 p"), plain_name(safe_name("=cmd()"))
    ("'=cmd()", '-log10 p', '=cmd()')
    """
    return f"'{name}" if _FORMULA.match(name) else name


def plain_name(text: str) -> str:
    """Return the name that `safe_name` wrote."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


@contextmanager
def _named_errors(draft: Path, target: Path) -> Iterator[None]:
    """Put the name of the target into errors of the system that have no name, or the draft's."""
    try:
        yield
    except OSError as error:
        name = error.filename
        ours = name is None or str(name).startswith(str(draft))
        if error.errno is None or error.strerror is None or not ours:
            raise
        shown = target if name is None else str(name).replace(str(draft), str(target), 1)
        raise type(error)(error.errno, error.strerror, str(shown)) from error


def _wait_for_disk(path: Path) -> None:
    """Return when the contents of a file are on the disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _draft_beside(target: Path) -> Path:
    word = f"{HOST}-{os.getpid()}-{secrets.token_hex(4)}"
    return target.with_name(f"{_draft_start(target)}{word}.tmp")


def _draft_start(target: Path) -> str:
    return f".{target.name[:80]}."


def _remove_stale_drafts(target: Path) -> None:
    """Remove the drafts of processes of this machine that were killed."""
    with suppress(OSError):
        for draft in target.parent.glob("." + "*.tmp"):
            start = _draft_start(target) + HOST + "-"
            process = draft.name.removeprefix(start).partition("-")[0]
            if draft.name.startswith(start) and process.isdecimal() and not _alive(int(process)):
                shutil.rmtree(draft, ignore_errors=True)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # a process of another user
        return True
    return True
