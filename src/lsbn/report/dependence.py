"""The data for the page on dependences: strength and sign of each pair, and probability tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lsbn.answers.answers import Answers
from lsbn.answers.strength import Dependence, dependence, known_pair_counts, ordered_states

__all__ = ["strengths", "tables"]

MOST_ROWS = 32
"""The page has this many rows of a table, those with the most rows of the data."""
MOST_STATES = 16
"""The page has the probabilities of this many states, the first ones."""
MOST_LABELS = 64
"""The page has the names of this many states of a variable."""
LONGEST = 60
"""Longer names of states are shortened."""
MOST_SIGNS = 3_000_000
"""Characters of all tables and names of states together, about; variables with the most edges
come first. The page of 10,000 variables with tables has at most 20 MB."""


def strengths(answers: Answers, pairs: Mapping[str, Sequence[int]]) -> dict[str, list[Any]]:
    """Return strength and sign of the pairs of the page.

    Parameters
    ----------
    answers : Answers
    pairs : mapping
        Columns ``a`` and ``b`` of the pairs, as `lsbn.report.picture.payload` has them.

    Returns
    -------
    dict
        ``s``, the strength, and ``g``, the sign: 1, -1, or 0 if it is not clear. They are None
        where they are not known, or where a variable has no order.
    """
    orders = [ordered_states(labels) for labels in answers.coding.states]
    columns: dict[str, list[Any]] = {"s": [], "g": []}
    for a, b in zip(pairs["a"], pairs["b"], strict=True):
        counts = known_pair_counts(answers, a, b)
        found = Dependence(math.nan)
        if counts is not None:
            found = dependence(counts, orders[a], orders[b])
        columns["s"].append(None if math.isnan(found.strength) else round(found.strength, 3))
        sign = {"+": 1, "-": -1}.get(found.sign, 0)
        columns["g"].append(None if math.isnan(found.tau) else sign)
    return columns


def tables(answers: Answers) -> dict[str, Any]:
    """Return the probability tables of the single graph, as many as the page has room for.

    Returns
    -------
    dict
        ``tables``, one for each variable: None, or the parents, the number of states, the numbers
        of rows and of states that are left out, and all rows one after the other. A row has a
        state of each parent, the number of rows of the data, and the probability of each state in
        thousandths. ``states``, the names of states, or None. ``note`` on what a table is.
    """
    n = len(answers.coding.names)
    found: list[Any] = [None] * n
    states: list[list[str] | None] = [None] * n
    room = MOST_SIGNS
    families = answers.ensemble(False).parents(0)
    degree = np.bincount([u for own in families for u in own], minlength=n)
    degree += [len(own) for own in families]
    for v in np.argsort(-degree, kind="stable").tolist():
        new = {u: _labels(answers.coding.states[u]) for u in (v, *families[v]) if not states[u]}
        entry = _table(answers, v)
        room -= sum(len(label) + 3 for labels in new.values() for label in labels)
        room -= 4 * len(entry[4])
        if room < 0:
            break
        found[v] = entry
        for u, labels in new.items():
            states[u] = labels
    return {"tables": found, "states": states, "note": _note(answers.tables.score.kind)}


def _table(answers: Answers, v: int) -> list[Any]:
    """Return the table of one variable, as `tables` describes it."""
    family = answers.ensemble(False).family(0, v)
    parents, cards = family.parents.tolist(), family.cards.astype(np.uint64)
    sizes = answers.tables.counts(v, tuple(parents)).counts.sum(axis=1)
    configurations = float(np.prod(cards.astype(float)))
    if family.keys is None:
        numbers = np.arange(len(family.table), dtype=np.uint64)
    else:
        numbers = family.keys if configurations < 2.0**63 else family.keys[:0]
    steps = np.cumprod(np.concatenate([[1], cards[:-1]]).astype(np.uint64))[: len(cards)]
    digits = (numbers // steps[:, None] % cards[:, None]).astype(np.int64)
    most = np.argsort(-sizes[: len(numbers)], kind="stable")[:MOST_ROWS]
    order = most[np.lexsort(digits[::-1, most])] if len(cards) else most
    shares = np.rint(1000 * family.table[order, :MOST_STATES]).astype(np.int64)
    shown = np.column_stack([*digits[:, order], sizes[order], shares])
    hidden = max(0, family.table.shape[1] - MOST_STATES)
    more = int(min(configurations, 2.0**53)) - len(order)
    return [parents, family.table.shape[1] - hidden, more, hidden, shown.ravel().tolist()]


def _labels(labels: Sequence[str]) -> list[str]:
    return [
        label if len(label) <= LONGEST else label[: LONGEST - 1] + "…"
        for label in labels[:MOST_LABELS]
    ]


def _note(kind: str) -> str:
    """Say where the probabilities of a table come from."""
    how = {
        "mixed": "The score averages over tables and decision trees, and so do these figures.",
        "bic": "The figures are shares of the rows, after one row more in each line.",
    }
    return how.get(kind, "The figures are means under the prior of the score.")
