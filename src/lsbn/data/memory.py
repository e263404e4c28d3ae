"""Refuse tables that do not fit into memory, before they are read."""

from __future__ import annotations

from pathlib import Path

from lsbn.data.columns import DataError

__all__ = ["available_memory", "require_memory"]

BYTES_PER_CELL = 24
"""Memory of one cell while a table is read; measured: 22.7 in a file of two columns."""


def available_memory() -> int:
    """Return the bytes of memory that this machine can still give."""
    return min(_of_machine(), _of_container())


def _of_machine() -> int:
    try:
        lines = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
        return int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, ValueError, KeyError):  # not Linux
        return 4 << 30


def _of_container() -> int:
    """Return the memory that the limit of a container leaves; a large number without a limit."""
    try:
        limit, used = (
            int((Path("/sys/fs/cgroup") / name).read_text())
            for name in ("memory.max", "memory.current")
        )
    except (OSError, ValueError):
        return 1 << 62
    return limit - used


def require_memory(
    cells: int,
    source: str,
    available: int | None = None,
    bytes_per_cell: int = BYTES_PER_CELL,
) -> None:
    """Refuse a table with more cells than memory can hold.

    Parameters
    ----------
    cells : int
        Rows times columns.
    source : str
        The name of the table in the message.
    available : int, optional
        Bytes of memory; by default those of `available_memory`.
    bytes_per_cell : int
        Memory that a cell takes while the table is read.

    Raises
    ------
    DataError
        The message has both sizes.

    Examples
    --------
    >>> require_memory(10**9, "t.csv.gz", available=32 << 30)
    """
    free = available_memory() if available is None else available
    need = bytes_per_cell * cells
    if need > free:
        raise DataError(
            f"{source}: at least {cells:,} cells need about {round(need / 2**30)} GB of memory, "
            f"{round(free / 2**30)} GB are free; take fewer rows or columns"
        )
