"""Knowledge about columns that are copies of each other."""

from __future__ import annotations

from lsbn.data import Dataset
from lsbn.data.copies import FOLDS, Folded, fold_copies
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
    if how != "join":
        folded = FOLDS[how](dataset)
        return folded, resolve(knowledge, folded.whole.names, folded.groups)
    constraints = resolve(knowledge, dataset.names)
    if constraints is None:
        return fold_copies(dataset), None
    return fold_copies(dataset, constraints.treats_alike), constraints
