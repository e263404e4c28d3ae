"""Text columns that are coded block by block while a tall file is read.

A tall table of states has one byte in each cell after it is coded. Arrow's table of the same file
has four or more. So each block of the file is coded at once, by the labels in the order of their
appearance, and its text is forgotten. A column with many labels keeps Arrow's arrays.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

__all__ = ["BlockColumns"]

_FEW = 255
"""Most labels of a column that is coded at once; code 0 is a missing value."""


class BlockColumns:
    """Columns of text, to which blocks of rows are added.

    Parameters
    ----------
    n_columns : int

    Attributes
    ----------
    num_rows : int

    Examples
    --------
    >>> columns = BlockColumns(1)
    >>> for block in (["b", "a"], ["a", None]):
    ...     columns.add([pa.array(block).dictionary_encode()])
    >>> columns.column(0).to_pylist(), columns.num_rows
    (['b', 'a', 'a', None], 4)
    """

    def __init__(self, n_columns: int) -> None:
        self.num_rows = 0
        self._columns: list[_Coded | _Wide] = [_Coded() for _ in range(n_columns)]

    def add(self, block: Iterable[pa.DictionaryArray]) -> None:
        """Add a block: one array for each column."""
        for place, array in enumerate(block):
            column = self._columns[place]
            if not column.add(array):
                self._columns[place] = wide = _Wide(column.array())
                wide.add(array)
            rows = len(array)
        self.num_rows += rows

    def column(self, place: int) -> pa.DictionaryArray:
        """Return a whole column."""
        return self._columns[place].array()


class _Coded:
    """A column with few labels, as one byte for each row."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._blocks: list[np.ndarray] = []

    def add(self, array: pa.DictionaryArray) -> bool:
        """Add a block, and return True; or return False if there are too many labels."""
        if len(array.dictionary) > _FEW:
            return False
        labels = array.dictionary.to_pylist()
        new = [label for label in labels if label not in self._codes]
        if len(self._codes) + len(new) > _FEW:
            return False
        for label in new:
            self._codes[label] = len(self._codes) + 1
        table = np.array([*(self._codes[label] for label in labels), 0], np.uint8)
        places = array.indices.fill_null(len(labels)).to_numpy(zero_copy_only=False)
        self._blocks.append(table[places])
        return True

    def array(self) -> pa.DictionaryArray:
        """Return the whole column; its blocks are joined."""
        self._blocks = [np.concatenate([np.empty(0, np.uint8), *self._blocks])]
        codes = self._blocks[0]
        indices = pa.array(codes - np.uint8(1), mask=codes == 0)
        return pa.DictionaryArray.from_arrays(indices, pa.array(self._codes, pa.string()))


class _Wide:
    """A column with many labels, as Arrow's arrays with a dictionary each."""

    def __init__(self, first: pa.DictionaryArray) -> None:
        self._kind = pa.dictionary(pa.int32(), pa.string())
        self._blocks = [first.cast(self._kind)]

    def add(self, array: pa.DictionaryArray) -> bool:
        """Add a block."""
        self._blocks.append(array.cast(self._kind))
        return True

    def array(self) -> pa.DictionaryArray:
        """Return the whole column; its blocks are joined under one dictionary."""
        joined = pa.chunked_array(self._blocks).unify_dictionaries().combine_chunks()
        whole = joined if isinstance(joined, pa.Array) else pa.concat_arrays(joined.chunks)
        self._blocks = [whole]
        return whole
