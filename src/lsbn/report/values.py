"""Values of summary.json as HTML."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

__all__ = ["value_text"]

LONGEST = 200
"""The page shows this many entries of a list."""


def value_text(value: Any, depth: int = 0) -> str:
    """Write a value of summary.json as HTML: a mapping as a list of terms, a leaf as text."""
    if isinstance(value, Mapping) and depth < 6:
        if not value:
            return "<p>nothing</p>"
        items = "".join(
            f"<dt>{escape(str(key))}</dt><dd>{value_text(inner, depth + 1)}</dd>"
            for key, inner in value.items()
        )
        return f"<dl>{items}</dl>"
    if isinstance(value, Sequence) and not isinstance(value, str) and depth < 6:
        shown = value[:LONGEST]
        more = f" and {len(value) - LONGEST:,} more" if len(value) > LONGEST else ""
        if shown and all(isinstance(inner, Mapping) for inner in shown):
            return _mappings_table(shown, depth) + more
        return (", ".join(value_text(inner, depth + 1) for inner in shown) or "none") + more
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.6g}" if abs(value) < 1e4 else f"{value:,.1f}"
    return escape("none" if value is None else str(value))


def _mappings_table(rows: Sequence[Mapping[str, Any]], depth: int) -> str:
    """Write a list of mappings as a table with a column for each key."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    head = "".join(f'<th scope="col">{escape(str(key))}</th>' for key in keys)
    body = "".join(
        f"<tr><td>{number}</td>"
        + "".join(f"<td>{value_text(row.get(key, ''), depth + 1)}</td>" for key in keys)
        + "</tr>"
        for number, row in enumerate(rows, 1)
    )
    return f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>"
