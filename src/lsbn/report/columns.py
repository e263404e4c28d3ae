"""The parts of the page on columns that are not variables of their own: copies and constants."""

from collections.abc import Mapping, Sequence
from html import escape

__all__ = ["constants_line", "groups_section"]

FEW = 8
"""A line names this many constant columns at once; more names unfold."""


def constants_line(names: Sequence[str]) -> str:
    """Return one line on the columns with a single state as HTML; empty without such columns.

    >>> constants_line(["a", "<b>"])[-45:]
    'drawn: <bdi>a</bdi>, <bdi>&lt;b&gt;</bdi></p>'
    """
    if not names:
        return ""
    columns = "1 column" if len(names) == 1 else f"{len(names):,} columns"
    text = f"{columns} with a single state, without edges and not drawn"
    listed = ", ".join(f"<bdi>{escape(name)}</bdi>" for name in names)
    if len(names) <= FEW:
        return f'<p class="quiet" id="constants">{text}: {listed}</p>'
    return f'<details class="quiet" id="constants"><summary>{text}</summary>{listed}</details>'


def groups_section(groups: Mapping[str, Sequence[str]]) -> str:
    """Return the section on groups of copies; empty if there is no group."""
    if not groups:
        return ""
    items = "".join(
        f"<li><bdi>{escape(name)}</bdi> ({len(columns):,} columns): "
        + ", ".join(f"<bdi>{escape(column)}</bdi>" for column in columns)
        + "</li>"
        for name, columns in groups.items()
    )
    return (
        '<section aria-labelledby="groups-title" id="groups"><h2 id="groups-title">Groups of equal '
        'columns</h2><p class="quiet">The columns of a group are exact copies of each other. Data '
        "cannot show on which of them other variables depend, so each group is one variable. "
        f"An edge of the group may belong to any of its columns.</p><ul>{items}</ul></section>"
    )
