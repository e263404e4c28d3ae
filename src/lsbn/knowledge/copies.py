"""Knowledge about columns that are copies of each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lsbn.data import Dataset
from lsbn.data.copies import FOLDS, Folded
from lsbn.knowledge.constraints import Constraints
from lsbn.knowledge.resolve import resolve
from lsbn.knowledge.statements import Knowledge

__all__ = ["fold_with_knowledge"]


def fold_with_knowledge(
    dataset: Dataset, how: str, knowledge: Knowledge | None
) -> tuple[Folded, Constraints | None]:
    """Fold copies of columns, as far as knowledge treats them alike.

    With "join", a copy is folded only if the knowledge says the same of it as of its original, and
    allows an edge between them in both directions. Other copies are learned like other columns.
    With "group", what is said of a column is said of its group.

    Parameters
    ----------
    dataset : Dataset
    how : {"join", "group", "keep"}
        See `lsbn.data.copies`.
    knowledge : Knowledge or None

    Returns
    -------
    folded : Folded
    constraints : Constraints or None
        Over the variables of ``folded.whole``.
    """
    folded = FOLDS[how](dataset)
    constraints = resolve(knowledge, folded.whole.names, folded.groups)
    if constraints is None or not len(folded.repeated):
        return folded, constraints
    originals = folded.originals.copy()
    for v in folded.repeated.tolist():
        if not constraints.treats_alike(int(originals[v]), v):
            originals[v] = v
    if np.array_equal(originals, folded.originals):
        return folded, constraints
    return replace(folded, originals=originals), constraints
