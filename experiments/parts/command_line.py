"""Reading options that are lists."""

from collections.abc import Mapping, Sequence
from typing import Any


def words(text: str) -> list[str]:
    """Split text at commas."""
    return [word.strip() for word in text.split(",")]


def numbers(text: str) -> list[int]:
    """Split text at commas into whole numbers."""
    return [int(word) for word in words(text)]


def chosen(found: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Keep the entries that are asked for, or all if no name is given."""
    if strange := [name for name in names if name not in found]:
        raise SystemExit(f"unknown: {', '.join(strange)}; there are {', '.join(found)}")
    return {name: entry for name, entry in found.items() if not names or name in names}
