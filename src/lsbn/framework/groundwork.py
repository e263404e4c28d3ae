"""Results of all stages before the last pass, stored as one piece of a draft.

A fit that is stopped in the last pass and resumed reads this piece. It needs neither the statistics
of pairs nor the results of single communities. What LocalLearn and the last pass need of the
statistics of pairs is a piece as well, inside this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from lsbn.checkpoint import Codec
from lsbn.framework.diagnostics import CommunityDiagnostics
from lsbn.learners import Candidates
from lsbn.pairs import PairStatistics

__all__ = ["GROUNDWORK", "LISTS", "Groundwork"]


@dataclass(frozen=True, eq=False)
class Groundwork:
    """Results of all stages before the last pass.

    Attributes
    ----------
    communities : list of int arrays
        The second-order partition.
    hierarchy : (k - 1, 4) float array
        The merge tree.
    diagnostics : list of CommunityDiagnostics, optional
        One for each community, if LocalLearn was run.
    candidates : Candidates, optional
        Where the last pass searches, if not among all variables.
    edges : (n, n) sparse array, optional
        Edge probabilities after Mergence. A draft does not keep them.
    pairs : PairStatistics, optional
        For learners that use them in the last pass. A draft does not keep them.
    """

    communities: list[np.ndarray]
    hierarchy: np.ndarray
    diagnostics: list[CommunityDiagnostics] | None = None
    candidates: Candidates | None = None
    edges: sparse.csr_array | None = None
    pairs: PairStatistics | None = None


_ARRAYS = ("neighbours", "blankets", "parts")


def _packed(ground: Groundwork) -> dict[str, Any]:
    """Return what a draft keeps, as plain values."""
    figures = None
    if ground.diagnostics is not None:
        figures = [dict(vars(each)) for each in ground.diagnostics]
    candidates = None
    if ground.candidates is not None:
        candidates = dict(vars(ground.candidates))
        candidates |= {name: _joined(candidates[name]) for name in _ARRAYS}
    return {
        "communities": _joined(ground.communities),
        "hierarchy": ground.hierarchy,
        "diagnostics": figures,
        "candidates": candidates,
    }


def _unpacked(fields: dict[str, Any]) -> Groundwork:
    """Return the results from plain values."""
    figures, candidates = fields["diagnostics"], fields["candidates"]
    if candidates is not None:
        candidates = Candidates(**candidates | {k: _split(*candidates[k]) for k in _ARRAYS})
    return Groundwork(
        _split(*fields["communities"]),
        fields["hierarchy"],
        figures and [CommunityDiagnostics(**each) for each in figures],
        candidates,
    )


def _joined(lists: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return int arrays one after the other, and their sizes."""
    members = np.concatenate([np.empty(0, np.int64), *lists])
    return members, np.array([len(own) for own in lists], np.int64)


def _split(members: np.ndarray, sizes: np.ndarray) -> list[np.ndarray]:
    """Return the arrays that `_joined` joined."""
    return np.split(members, np.cumsum(sizes)[:-1]) if len(sizes) else []


GROUNDWORK = Codec(_packed, _unpacked)
"""The codec of a `Groundwork`, without its edges and pairs."""
LISTS = Codec(
    lambda results: list(map(_joined, results)),
    lambda packed: [_split(*fields) for fields in packed],
)
"""The codec of several lists of int arrays."""
