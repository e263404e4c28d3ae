"""Read the JSON files of a run folder, and check that they are what lsbn writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lsbn.files import require_ordinary

__all__ = ["checked_communities", "checked_summary", "foreign_contents", "read_json"]

_PARTS: dict[str, tuple[type, ...]] = {
    "variables": (int,),
    "rows": (int,),
    "settings": (dict,),
    "seed": (int,),
    "seconds": (dict,),
    "diagnostics": (dict,),
    "evaluation": (dict,),
    "versions": (dict,),
    "names": (list,),
    "groups": (dict,),
}
"""The parts of summary.json; each may be missing or null."""
_WORDS = {dict: "an object", list: "a list", int: "a whole number"}


def read_json(path: Path) -> Any:
    """Read a JSON file.

    Raises
    ------
    ValueError
        If the file is not JSON; the message names it.
    """
    require_ordinary(path)
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: not JSON ({error})") from error


def checked_summary(value: Any, path: Path) -> dict[str, Any]:
    """Return the contents of summary.json if all its parts have the right type.

    Raises
    ------
    ValueError
        The message names the file and the part.
    """
    if not isinstance(value, dict):
        raise ValueError(f"{path}: expected an object, found {_kind(value)}")
    for part, kinds in _PARTS.items():
        found = value.get(part)
        if found is not None and (not isinstance(found, kinds) or isinstance(found, bool)):
            raise ValueError(
                f"{path}: {part!r} must be {_WORDS[kinds[0]]}, found {_kind(found)}; "
                "write the run again"
            )
    _check_names(value.get("names") or [], f"{path}: 'names'")
    for columns in (value.get("groups") or {}).values():
        _check_names(columns, f"{path}: 'groups'")
    return value


def checked_communities(value: Any, path: Path) -> list[list[str]]:
    """Return the contents of communities.json if it is a list of lists of names.

    Raises
    ------
    ValueError
        The message names the file.
    """
    if not isinstance(value, list):
        raise ValueError(f"{path}: expected a list of lists of names, found {_kind(value)}")
    for community in value:
        _check_names(community, f"{path}: a community")
    return value


@contextmanager
def foreign_contents(path: Path) -> Iterator[None]:
    """Turn the errors that wrong contents of a run folder cause into one message.

    The parts that every command reads are checked by `checked_summary`; figures deep inside the
    diagnostics are not.
    """
    try:
        yield
    except (TypeError, AttributeError, LookupError, ArithmeticError, RecursionError) as error:
        raise ValueError(
            f"{path}: the files of this run are not as lsbn writes them "
            f"({type(error).__name__}: {error}); learn it again"
        ) from error


def _check_names(names: Any, where: str) -> None:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{where} must be a list of names, found {_kind(names)}; write it again")
    try:
        "".join(names).encode()
    except UnicodeEncodeError:
        raise ValueError(f"{where} has a name that is not Unicode text; write it again") from None


def _kind(value: Any) -> str:
    """Name the JSON type of a value."""
    if value is None:
        return "null"
    if isinstance(value, bool | str):
        return "true or false" if isinstance(value, bool) else "a text"
    if isinstance(value, list):
        return "a list of other values" if value else "an empty list"
    return "an object" if isinstance(value, dict) else "a number"
