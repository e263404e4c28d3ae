"""Read knowledge from CSV, JSON and Tetrad's text."""

from __future__ import annotations

import csv
import json
import os
import re
from pathlib import Path
from typing import Any

from lsbn.files import require_ordinary
from lsbn.knowledge.statements import Knowledge, KnowledgeError, Tier

__all__ = ["parse_edge", "parse_tiers", "read_knowledge"]

_TIER = re.compile(r"([0-9]+)(\*?)(-?)")
"""A tier's number; ``*`` forbids edges inside, ``-`` allows edges to the next tier only."""
_COLUMNS = ("kind", "source", "target", "value")
_EDGE_KINDS = {"required": "required", "forbidden": "forbidden"}
_NAME_KINDS = {"root": "roots", "leaf": "leaves"}
_SECTIONS = ("addtemporal", "forbiddirect", "requiredirect")


def read_knowledge(path: str | os.PathLike[str]) -> Knowledge:
    """Read knowledge from a file, see `Knowledge.read`."""
    require_ordinary(path)
    text = Path(path).read_bytes()
    try:
        lines = text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise KnowledgeError(f"{path}: not text in UTF-8 ({error})") from None
    suffix = Path(path).suffix.lower()
    try:
        if suffix == ".json":
            return _from_json(lines)
        return _from_csv(lines) if suffix == ".csv" else _from_tetrad(lines)
    except KnowledgeError as error:
        raise KnowledgeError(f"{path}: {error}") from None


def parse_edge(text: str) -> tuple[str, str]:
    """Read an edge such as ``a->b``.

    Examples
    --------
    >>> parse_edge("rain -> wet grass")
    ('rain', 'wet grass')
    """
    ends = [end.strip() for end in text.split("->")]
    if len(ends) != 2 or not all(ends):
        raise KnowledgeError(f"{text!r} is no edge; write source->target, such as 'a->b'")
    return ends[0], ends[1]


def parse_tiers(text: str) -> list[list[str]]:
    """Read tiers such as ``a,b;c,d``: semicolons between tiers, commas between names.

    A name with a comma is within double quotes.

    Examples
    --------
    >>> parse_tiers("age, sex; income")
    [['age', 'sex'], ['income']]
    >>> parse_tiers('age; "City, State"')
    [['age'], ['City, State']]
    """
    tiers = [
        [name.strip() for row in csv.reader([tier], skipinitialspace=True) for name in row] or [""]
        for tier in " ".join(text.splitlines()).split(";")
    ]
    if not all(name for tier in tiers for name in tier):
        raise KnowledgeError(f"{text!r} has an empty name; write tiers such as 'a,b;c,d'")
    twice = [name for tier in tiers for name in dict.fromkeys(tier) if tier.count(name) > 1]
    if twice:
        raise KnowledgeError(f"{text!r} has {twice[0]!r} twice in a tier; write it once")
    return tiers


def _from_json(text: str) -> Knowledge:
    try:
        told = json.loads(text)
    except ValueError as error:
        raise KnowledgeError(f"not JSON ({error})") from None
    return Knowledge.of(told)


class _Told:
    """Statements of a file, collected line by line."""

    def __init__(self) -> None:
        self.lists: dict[str, Any] = {
            kind: [] for kind in ("required", "forbidden", "roots", "leaves", "edge_probabilities")
        }
        self.max_parents: dict[str, int] = {}
        self.tiers: dict[int, list[str]] = {}
        self.inside: dict[int, bool] = {}
        self.next_only: dict[int, bool] = {}

    def add_tier(self, label: str, names: list[str]) -> None:
        """Add names to the tier of a label such as ``2`` or ``2*``."""
        match = _TIER.fullmatch(label)
        if not match:
            raise KnowledgeError(f"{label!r} is no tier; use 1, 2, ..., or 1* without edges inside")
        number = int(match[1])
        self.tiers.setdefault(number, []).extend(names)
        self.inside[number] = self.inside.get(number, True) and not match[2]
        self.next_only[number] = self.next_only.get(number, False) or bool(match[3])

    def knowledge(self) -> Knowledge:
        """Return all statements."""
        tiers = [
            Tier(names, self.inside[number], self.next_only[number])
            for number, names in sorted(self.tiers.items())
            if names
        ]
        return Knowledge(**self.lists, tiers=tiers, max_parents=self.max_parents or None)


def _from_csv(text: str) -> Knowledge:
    reader = csv.reader(text.splitlines(), strict=True)
    told = _Told()
    try:
        header = [name.strip() for name in next(reader, [])]
        if "kind" not in header or "source" not in header or set(header) - set(_COLUMNS):
            raise KnowledgeError(
                f"the header must be kind,source,target,value, found {','.join(header)[:80]!r}"
            )
        for row in reader:
            if not any(row):
                continue
            try:
                _add_row(told, dict(zip(header, map(str.strip, row), strict=False)))
            except KnowledgeError as error:
                raise KnowledgeError(f"line {reader.line_num}: {error}") from None
    except csv.Error as error:
        raise KnowledgeError(f"line {reader.line_num}: not CSV ({error})") from None
    return told.knowledge()


def _add_row(told: _Told, row: dict[str, str]) -> None:
    """Add the statement of one row of a CSV file."""
    kind, source = row.get("kind", ""), row.get("source", "")
    target, value = row.get("target", ""), row.get("value", "")
    if not source:
        raise KnowledgeError("the source is empty")
    if kind in (*_EDGE_KINDS, "probability") and not target:
        raise KnowledgeError(f"{kind} needs a source and a target")
    if kind in _EDGE_KINDS:
        told.lists[_EDGE_KINDS[kind]].append((source, target))
    elif kind == "probability":
        told.lists["edge_probabilities"].append((source, target, _number(value)))
    elif kind in _NAME_KINDS:
        told.lists[_NAME_KINDS[kind]].append(source)
    elif kind == "tier":
        told.add_tier(value, [source])
    elif kind == "max_parents":
        told.max_parents[source] = int(_number(value))
    else:
        raise KnowledgeError(
            f"unknown kind {kind!r}; there are required, forbidden, probability, tier, root, leaf "
            "and max_parents"
        )


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise KnowledgeError(f"the value {text!r} is no number") from None


def _from_tetrad(text: str) -> Knowledge:
    """Read the sections of Tetrad's text: words are separated by blanks, tabs or commas."""
    told, section = _Told(), ""
    for number, line in enumerate(text.splitlines(), 1):
        words = re.split(r"[\s,]+", line.strip())
        if words == [""] or line.lstrip().startswith(("//", "#")) or words == ["/knowledge"]:
            continue
        try:
            if words[0].lower() in _SECTIONS and len(words) == 1:
                section = words[0].lower()
            elif section == "addtemporal":
                told.add_tier(words[0], words[1:])
            elif section and len(words) == 2:
                kind = "forbidden" if section == "forbiddirect" else "required"
                told.lists[kind].append((words[0], words[1]))
            elif section:
                raise KnowledgeError(f"{line.strip()!r} is no edge; write: source target")
            else:
                sections = ", ".join(_SECTIONS)
                raise KnowledgeError(
                    f"{words[0]!r} is no section of Tetrad's knowledge; there are {sections}. "
                    "Other files must end in .csv or .json"
                )
        except KnowledgeError as error:
            raise KnowledgeError(f"line {number}: {error}") from None
    return told.knowledge()
