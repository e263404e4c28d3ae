"""Code the rows of a table as the table of a fit was coded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
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
    na: tuple[str, ...] = ()

    @classmethod
    def of(cls, dataset: Dataset, groups: Mapping[str, Sequence[str]] | None = None) -> Coding:
        """Return the coding of a dataset, in which groups of copies are single variables."""
        columns = tuple((groups or {}).get(name, (name,))[0] for name in dataset.names)
        cuts = dataset.cuts or (None,) * dataset.n_variables
        return cls(dataset.names, dataset.states, columns, cuts, na=dataset.na)

    @property
    def cards(self) -> np.ndarray:
        """Number of states of each variable."""
        return np.array([len(labels) for labels in self.states], np.int64)

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
        columns = read_columns(table, self.columns, na=self.na, without=unread)
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
            codes[v] = self._codes(v, found[self.columns[v]])
            gaps[v] = codes[v] == GAP
            codes[v, gaps[v]] = 0
            if (codes[v] < 0).any():
                unknown.append(self._unknown(found[self.columns[v]], codes[v] < 0))
        if unknown:
            raise DataError(
                f"values that the table of the fit does not have, in {len(unknown):,} column(s): "
                f"{listing(unknown)}; leave out their rows, or fit with rows that have them"
            )
        return codes, gaps

    def table(self, codes: np.ndarray) -> pd.DataFrame:
        """Return codes as a table of state names, one column for each variable."""
        columns = {
            name: pd.Categorical.from_codes(own, categories=list(labels))
            for name, own, labels in zip(self.names, codes, self.states, strict=True)
        }
        return pd.DataFrame(columns)

    def to_json(self) -> list[dict[str, Any]]:
        """Return the coding as lists and dicts for JSON; `from_json` reads it back."""
        return [
            {"name": n, "column": c, "states": list(s), "cut": None if cut is None else asdict(cut)}
            for n, c, s, cut in zip(self.names, self.columns, self.states, self.cuts, strict=True)
        ]

    @classmethod
    def from_json(cls, record: Sequence[Mapping[str, Any]]) -> Coding:
        """Read what `to_json` wrote."""
        return cls(
            tuple(each["name"] for each in record),
            tuple(tuple(each["states"]) for each in record),
            tuple(each["column"] for each in record),
            tuple(_cut_of(each["cut"]) for each in record),
        )

    def _codes(self, v: int, column: Column) -> np.ndarray:
        """Code one column; -1 for a value that is no state, `GAP` for a missing value."""
        labels, cut = self.states[v], self.cuts[v]
        missing = GAP
        if MISSING_STATE in labels[-1]:
            missing = len(labels) - 1
        if cut is not None and column.labels is None and not cut.calendar:
            codes = cut.codes(column)
        else:
            place = {label: c for c, label in enumerate(labels)}
            inverse, texts = _texts(column, cut)
            codes = np.array([place.get(text, -1) for text in texts], np.int64)[inverse]
        return codes if column.missing is None else np.where(column.missing, missing, codes)

    def _unknown(self, column: Column, unknown: np.ndarray) -> str:
        """Name a column, and some of its values that are no states."""
        values = column.values[unknown][:100]
        if column.labels is not None:
            texts = [column.labels[value] for value in values]
        elif column.time:
            texts = tick_texts(values, column.time, column.zone)
        else:
            texts = [label_of(value.item()) for value in values]
        return f"{column.name!r} ({listing(map(repr, dict.fromkeys(texts)), 3)})"


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
