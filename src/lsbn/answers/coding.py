"""Code the rows of a table as the table of a fit was coded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from lsbn.answers.reading import read_columns
from lsbn.data import DataError, Dataset
from lsbn.data.calendar import tick_texts
from lsbn.data.columns import Column, label_of, listing
from lsbn.data.discretize import CutPoints

__all__ = ["Coding", "read_columns"]

MISSING_STATE = "(missing)"
"""Label of missing values, if they are a state of the column."""
GAP = -2
"""Code of a missing value."""
UNKNOWN = -1
"""Code of a value that is no state."""


@dataclass(frozen=True)
class ShownColumn:
    """A column that shows a variable, alone or as one of the columns of a group of copies.

    Attributes
    ----------
    name : str
    states : tuple of str
        Labels of its states.
    cut : CutPoints or None
        How its numbers are cut into states.
    renamed : tuple of int
        The state of the variable for each state of the column.
    """

    name: str
    states: tuple[str, ...]
    cut: CutPoints | None
    renamed: tuple[int, ...]

    def __post_init__(self) -> None:
        if sorted(self.renamed) != list(range(len(self.states))):
            raise ValueError(f"states of column {self.name!r} are renamed wrongly")

    @property
    def labels(self) -> tuple[str, ...]:
        """The label of each state of the variable."""
        return tuple(self.states[self.renamed.index(c)] for c in range(len(self.states)))

    def codes(self, column: Column) -> np.ndarray:
        """Code the column by its own states; `UNKNOWN` for no state, `GAP` for a missing value."""
        labels, cut = self.states, self.cut
        missing = GAP
        if MISSING_STATE in labels[-1]:
            missing = len(labels) - 1
        if cut is not None and column.labels is None and not cut.calendar:
            codes = cut.codes(column)
        else:
            place = {label: c for c, label in enumerate(labels)}
            inverse, texts = _texts(column, cut)
            codes = np.array([place.get(text, UNKNOWN) for text in texts], np.int64)[inverse]
        return codes if column.missing is None else np.where(column.missing, missing, codes)


@dataclass(frozen=True, eq=False)
class Coding:
    """The states of all variables, and how the values of a table become states.

    Attributes
    ----------
    names : tuple of str
        The variables of a network.
    states : tuple of tuple of str
        Labels of the states of each variable.
    columns : tuple of str
        The column of a table that shows each variable. For a group of copies it is the first.
    cuts : tuple of CutPoints or None
        How numbers are cut into states.
    others : mapping of str to tuple of ShownColumn
        The other columns of each group, if the table of the fit had gaps. A value that is missing
        in the first column is taken from them.
    na : tuple of str
        Values that mean 'missing', as in the table of the fit.

    Examples
    --------
    >>> coding = Coding(("a", "b"), (("no", "yes"), ("1", "2")), ("a", "b"), (None, None))
    >>> codes, gaps = coding.codes(pd.DataFrame({"b": [2], "a": ["yes"], "c": [0]}))
    >>> codes.tolist(), gaps.any()
    ([[1], [1]], np.False_)
    """

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    columns: tuple[str, ...]
    cuts: tuple[CutPoints | None, ...]
    others: Mapping[str, tuple[ShownColumn, ...]] = field(default_factory=dict)
    na: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        dataset: Dataset,
        groups: Mapping[str, Sequence[str]] | None = None,
        table: Dataset | None = None,
    ) -> Coding:
        """Return the coding of a dataset, in which groups of copies are single variables.

        Parameters
        ----------
        dataset : Dataset
            Without gaps, at least in the rows in which a column of the group has a value.
        groups : mapping of str to sequence of str, optional
            The columns of each group.
        table : Dataset, optional
            All columns with gaps, which the first rows of `dataset` complete. Then columns that are
            not the first of their group are read as well.
        """
        groups = groups or {}
        columns = tuple(groups.get(name, (name,))[0] for name in dataset.names)
        cuts = dataset.cuts or (None,) * dataset.n_variables
        others = {} if table is None else _other_columns(dataset, groups, table)
        return cls(dataset.names, dataset.states, columns, cuts, others, dataset.na)

    def __post_init__(self) -> None:
        for name, labels in zip(self.names, self.states, strict=True):
            if any(len(other.states) != len(labels) for other in self.others.get(name, ())):
                raise ValueError(f"the columns of group {name!r} have different numbers of states")

    @property
    def cards(self) -> np.ndarray:
        """Number of states of each variable."""
        return np.array([len(labels) for labels in self.states], np.int64)

    @property
    def more_columns(self) -> list[str]:
        """The columns that are read only where the first of their group has no value."""
        return [other.name for others in self.others.values() for other in others]

    @property
    def with_missing_state(self) -> list[str]:
        """The columns in which 'missing' is a state, so that they have no missing values."""
        pairs = zip(self.columns, self.states, strict=True)
        return [name for name, labels in pairs if MISSING_STATE in labels[-1]]

    def codes(self, table: Any, without: str | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Code a table.

        Parameters
        ----------
        table : table as for `lsbn.Dataset.from_table`, or the path of a file
            Further columns are ignored, and the order of columns does not matter.
        without : str, optional
            A variable whose column may be missing, and is not read; its codes are 0.

        Returns
        -------
        codes : (n_variables, n_rows) int array
            0 in missing cells.
        gaps : (n_variables, n_rows) bool array
            Marks the missing cells. Missing values that are a state are none.

        Raises
        ------
        DataError
            If a column is missing, or a value is none of the states of the fit. The message names
            all such columns and their values.
        """
        unread = None if without is None else self.columns[self.names.index(without)]
        more = self.more_columns
        columns = read_columns(table, self.columns, na=self.na, without=unread, more=more)
        return self.column_codes(columns, without)

    def column_codes(
        self, columns: Sequence[Column], without: str | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Code columns as `codes` does; `read_columns` gives them."""
        found = {column.name: column for column in columns}
        wanted = [v for v, name in enumerate(self.names) if name != without]
        absent = [repr(self.columns[v]) for v in wanted if self.columns[v] not in found]
        if absent:
            raise DataError(
                f"{len(absent):,} column(s) of the fit are missing: {listing(absent)}; add them, "
                "with the same names as in the table of the fit"
            )
        rows = len(next(iter(found.values())).values)
        codes, unknown = np.zeros((len(self.names), rows), np.int64), []
        gaps = np.zeros(codes.shape, bool)
        for v in wanted:
            gaps[v] = True
            for shown in self.shown(v):
                if shown.name in found and gaps[v].any():
                    own = shown.codes(found[shown.name])
                    if (strange := gaps[v] & (own == UNKNOWN)).any():
                        unknown.append(_values_of(found[shown.name], strange))
                    known = gaps[v] & (own >= 0)
                    codes[v, known] = np.array(shown.renamed)[own[known]]
                    gaps[v] &= own == GAP
        if unknown:
            raise DataError(
                f"values that the table of the fit does not have, in {len(unknown):,} column(s): "
                f"{listing(unknown)}; leave out their rows, or fit with rows that have them"
            )
        return codes, gaps

    def shown(self, v: int) -> tuple[ShownColumn, ...]:
        """Return the columns that show a variable, the first one first."""
        labels = self.states[v]
        first = ShownColumn(self.columns[v], labels, self.cuts[v], tuple(range(len(labels))))
        return first, *self.others.get(self.names[v], ())

    def table(self, codes: np.ndarray) -> pd.DataFrame:
        """Return codes as a table of state names, one column for each variable."""
        columns = {
            name: pd.Categorical.from_codes(own, categories=list(labels))
            for name, own, labels in zip(self.names, codes, self.states, strict=True)
        }
        return pd.DataFrame(columns)

    def to_json(self) -> list[dict[str, Any]]:
        """Return the coding as lists and dicts for JSON; `from_json` reads it back."""
        record: list[dict[str, Any]] = [
            {"name": n, "column": c, "states": list(s), "cut": None if cut is None else asdict(cut)}
            for n, c, s, cut in zip(self.names, self.columns, self.states, self.cuts, strict=True)
        ]
        for each in record:
            if each["name"] in self.others:
                each["others"] = [asdict(other) for other in self.others[each["name"]]]
        return record

    @classmethod
    def from_json(cls, record: Sequence[Mapping[str, Any]]) -> Coding:
        """Read what `to_json` wrote."""
        return cls(
            tuple(each["name"] for each in record),
            tuple(tuple(each["states"]) for each in record),
            tuple(each["column"] for each in record),
            tuple(_cut_of(each["cut"]) for each in record),
            {
                each["name"]: tuple(_other_of(other) for other in each["others"])
                for each in record
                if "others" in each
            },
        )


def _texts(column: Column, cut: CutPoints | None) -> tuple[np.ndarray, Sequence[str]]:
    """Return the label of every value, as places in a list of labels, and the list."""
    if column.labels is not None:
        return column.values, (*column.labels, "")
    if column.time and cut is not None:
        return cut.periods(column)
    values, inverse = np.unique(column.values, return_inverse=True)
    return inverse, [label_of(value.item()) for value in values]


def _cut_of(record: Mapping[str, Any] | None) -> CutPoints | None:
    if record is None:
        return None
    return CutPoints(**dict(record) | {"points": tuple(record["points"])})


def _other_of(record: Mapping[str, Any]) -> ShownColumn:
    states, renamed = tuple(record["states"]), tuple(record["renamed"])
    return ShownColumn(record["name"], states, _cut_of(record["cut"]), renamed)


def _values_of(column: Column, rows: np.ndarray) -> str:
    """Name a column, and some of its values in some rows."""
    values = column.values[rows][:100]
    if column.labels is not None:
        texts = [column.labels[value] for value in values]
    elif column.time:
        texts = tick_texts(values, column.time, column.zone)
    else:
        texts = [label_of(value.item()) for value in values]
    return f"{column.name!r} ({listing(map(repr, dict.fromkeys(texts)), 3)})"


def _other_columns(
    dataset: Dataset, groups: Mapping[str, Sequence[str]], table: Dataset
) -> dict[str, tuple[ShownColumn, ...]]:
    """Return how all columns of each group but the first one show it."""
    place, column = ({name: v for v, name in enumerate(data.names)} for data in (dataset, table))
    others = {}
    for group, (_, *names) in groups.items():
        states = dataset.codes[place[group], : table.n_rows]
        others[group] = tuple(_shown(table, column[name], states) for name in names)
    return others


def _shown(table: Dataset, v: int, states: np.ndarray) -> ShownColumn:
    """Return how a column shows a variable whose states are known where the column has a value."""
    assert table.gaps is not None
    known = ~table.gaps[v]
    renamed = np.zeros(len(table.states[v]), np.int64)
    renamed[table.codes[v, known]] = states[known]
    cut = table.cuts[v] if table.cuts else None
    return ShownColumn(table.names[v], table.states[v], cut, tuple(renamed.tolist()))
