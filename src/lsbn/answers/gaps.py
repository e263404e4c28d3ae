"""Missing cells of rows, and the networks that draw them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lsbn.answers.families import FamilyTable, key_steps
from lsbn.kernels.gaps import NetworkTables, log_observed, log_rows, sweep_gaps
from lsbn.kernels.joint import draw_jointly

__all__ = ["Gaps", "network_tables"]

NO_SUMS = np.empty((0, 0))
MOST_NUMBERS = 1024
"""Most numbers in a product, when the cells of a row are drawn at once; not tuned."""


def network_tables(families: Sequence[FamilyTable], cards: np.ndarray) -> NetworkTables:
    """Put the tables of a network one after the other, for the kernel.

    Parameters
    ----------
    families : sequence of FamilyTable
        Of all variables, in their order.
    cards : int array
        Number of states of each variable.
    """
    n = len(families)
    nothing = np.zeros(0, np.uint64)
    steps = [key_steps(family.cards) for family in families]
    parents = np.concatenate([family.parents for family in families]).astype(np.int64)
    child = np.repeat(np.arange(n), [len(family.parents) for family in families])
    by_parent = np.argsort(parents, kind="stable")
    keys = [nothing if family.keys is None else family.keys for family in families]
    flat_steps = np.concatenate([nothing, *steps])
    return NetworkTables(
        cards=np.asarray(cards, np.int64),
        start=_starts([len(family.parents) for family in families]),
        parents=parents,
        steps=flat_steps,
        child_start=_starts(np.bincount(parents, minlength=n)),
        children=child[by_parent],
        child_steps=flat_steps[by_parent],
        key_start=_starts([len(own) for own in keys]),
        keys=np.concatenate([nothing, *keys]),
        table_start=_starts([family.table.size for family in families]),
        table=np.concatenate([family.table.ravel() for family in families]),
    )


def _starts(sizes: Sequence[int] | np.ndarray) -> np.ndarray:
    """Return where pieces of these sizes begin, and the end."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Gaps:
    """The missing cells of a table of codes, row by row.

    Attributes
    ----------
    row : int array
        The rows that have missing cells, ascending.
    start : int array
        The missing cells of ``row[i]`` are numbered from ``start[i]`` to ``start[i + 1]``.
    variable : int array
        The variable of each missing cell.

    Examples
    --------
    >>> gaps = Gaps.of(np.array([[True, False, False], [True, False, True]]))
    >>> gaps.row.tolist(), gaps.variable.tolist(), gaps.start.tolist()
    ([0, 2], [0, 1, 1], [0, 2, 3])
    """

    row: np.ndarray
    start: np.ndarray
    variable: np.ndarray

    @classmethod
    def of(cls, mask: np.ndarray) -> Gaps:
        """Find the missing cells of a mask, variable by row."""
        cell_row, variable = np.nonzero(mask.T)
        row, counts = np.unique(cell_row, return_counts=True)
        return cls(row, _starts(counts), variable)

    def __len__(self) -> int:
        return len(self.variable)

    @property
    def cell_row(self) -> np.ndarray:
        """The row of each missing cell."""
        return np.repeat(self.row, np.diff(self.start))

    def draw(
        self,
        codes: np.ndarray,
        net: NetworkTables,
        sweeps: int,
        rng: np.random.Generator,
        sums: np.ndarray = NO_SUMS,
    ) -> np.ndarray:
        """Draw the missing cells by Gibbs sampling, from where they are.

        Parameters
        ----------
        codes : (n, rows) int array
            All cells have states, the missing ones too; these are the start.
        net : NetworkTables
        sweeps : int
            How often each cell is drawn.
        rng : Generator
        sums : (cells, states) float array
            In each sweep, the distributions of the cells are added.

        Returns
        -------
        (n, rows) array
            A copy of the codes with new states in the missing cells.
        """
        rows = self._rows(codes)
        sweep_gaps(net, rows, self.start, self.variable, sweeps, rng, sums)
        return self._with_rows(codes, rows)

    def draw_jointly(
        self, codes: np.ndarray, net: NetworkTables, rng: np.random.Generator
    ) -> np.ndarray:
        """Draw the missing cells of each row at once, see `lsbn.kernels.joint`.

        Parameters
        ----------
        codes, net, rng
            As in `draw`.

        Returns
        -------
        (n, rows) array
            A copy of the codes with new states in the missing cells.
        """
        rows = self._rows(codes)
        logs = np.empty(len(rows))
        draw_jointly(net, rows, self.start, self.variable, MOST_NUMBERS, rng, logs)
        return self._with_rows(codes, rows)

    def log_observed(
        self, codes: np.ndarray, net: NetworkTables, sweeps: int, rng: np.random.Generator
    ) -> np.ndarray:
        """Return the log probability of the observed cells of each row that has missing cells.

        For any states z of the missing cells it is ``log P(observed, z) - log P(z | observed)``. A
        joint draw gives both. Rows in which it cannot are estimated by Gibbs sampling.

        Parameters
        ----------
        codes, net, rng
            As in `draw`.
        sweeps : int
            How often cells are drawn for the estimate.
        """
        rows = self._rows(codes)
        found, drawn = np.empty(len(rows)), np.empty(len(rows))
        draw_jointly(net, rows, self.start, self.variable, MOST_NUMBERS, rng, drawn)
        log_rows(net, rows, found)
        found -= drawn
        if (unknown := np.isnan(found)).any():
            part = np.repeat(unknown, np.diff(self.start))
            start = _starts(np.diff(self.start)[unknown])
            rest = np.ascontiguousarray(rows[unknown])
            found[unknown] = log_observed(net, rest, start, self.variable[part], sweeps, rng)
        return found

    def _rows(self, codes: np.ndarray) -> np.ndarray:
        """Return a copy of the rows that have missing cells, row by row."""
        return np.ascontiguousarray(codes[:, self.row].T.astype(np.int64))

    def _with_rows(self, codes: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return a copy of the codes with other rows, row by row, in place of those with gaps."""
        drawn = codes.copy()
        drawn[:, self.row] = rows.T
        return drawn
