"""Diagnostics: what a learner tells about its run.

The diagnostics are frozen dataclasses. They are also dicts, from the keys of ``summary.json`` to
the figures that apply: ``diagnostics.r_hat`` and ``diagnostics["r_hat"]`` are the same.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import UnionType
from typing import Any, Self, get_args, get_origin, get_type_hints

__all__ = ["Diagnostics", "Figures", "Level"]

_NUMBERS: dict[type, type] = {int: numbers.Integral, float: numbers.Real}
"""Numbers that fit a field, those of numpy too."""


@dataclass(frozen=True, eq=False, repr=False)
class Figures(dict[str, Any]):
    """A frozen dataclass that is also a dict of those of its fields that are not None.

    The key of a field is its name, or ``key`` in the metadata of the field. ``json.dumps`` writes
    the figures as it writes a dict.
    """

    def __post_init__(self) -> None:
        names = _names(type(self)).items()
        self.update({key: getattr(self, name) for key, name in names if self._applies(name)})

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self:
        """Return the figures of a record, such as a part of ``summary.json``.

        Parameters
        ----------
        record : mapping
            Unknown keys, and values that do not have the type of their field, are left out.

        Returns
        -------
        Figures

        Examples
        --------
        >>> Diagnostics.of({"r_hat": 1.02, "chains": "many", "colour": "red"})
        Diagnostics(r_hat=1.02)
        """
        hints, known = get_type_hints(cls), {}
        for key, name in _names(cls).items():
            try:
                known[name] = _typed(record.get(key), hints[name])
            except TypeError:
                continue
        return cls(**known)

    def __repr__(self) -> str:
        names = filter(self._applies, _names(type(self)).values())
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__name__}({shown})"

    def _applies(self, name: str) -> bool:
        """Return whether the dict has the field."""
        return getattr(self, name) is not None


def _names(kind: type[Figures]) -> dict[str, str]:
    """Return the names of the fields by their keys."""
    return {each.metadata.get("key", each.name): each.name for each in fields(kind)}


def _typed(value: Any, hint: Any) -> Any:
    """Return a value of a record as the type of its field; raise TypeError if it does not fit."""
    kind, inner = get_origin(hint) or hint, get_args(hint)
    if kind is UnionType:
        for each in inner:
            try:
                return _typed(value, each)
            except TypeError:
                continue
    elif kind is list and isinstance(value, list | tuple):
        return [_typed(each, inner[0]) for each in value]
    elif kind is dict and isinstance(value, Mapping):
        return {str(key): _typed(each, inner[1]) for key, each in value.items()}
    elif issubclass(kind, Figures) and isinstance(value, Mapping):
        return kind.of(value)
    elif isinstance(value, _NUMBERS.get(kind, kind)) and not isinstance(value, bool):
        return value
    raise TypeError(f"{value!r} is no {hint}")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Level(Figures):
    """The tests of PC with conditioning sets of one size.

    Attributes
    ----------
    size : int
        Number of variables in a conditioning set.
    pairs : int
        Number of pairs with an edge before the tests.
    tests : int
        Number of tests.
    """

    size: int
    pairs: int
    tests: int


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Diagnostics(Figures):
    """What a learner tells about its run. A field that does not apply is None.

    Attributes
    ----------
    method : str
        Model averaging: ``exact``, ``sampled``, or ``none`` with less than two variables that are
        not constant.
    count : str
        Model averaging: ``orders`` if a graph counts as often as it has orders, ``graphs`` if each
        graph counts once.
    max_parents : int
        Exact averages: largest number of parents of a variable.
    log_evidence : float
        Exact averages: log of the sum over all orders or graphs.
    chains, chains_kept : int
        Sampled averages: number of chains, and of the chains in the best mode, which are averaged.
    sweeps : int
        Sampled averages: number of sweeps of each chain.
    log_scores : list of float
        Sampled averages: mean log score of each chain.
    parent_sets, candidates : int
        Sampled averages: number of parent sets, and of possible edges.
    r_hat : float
        Largest R-hat of an edge and of the log score, over all chains and independent searches; 1
        if they agree. That of the least certain edges is by ranks and split chains.
    high_r_hat_edges : int
        Number of edges with an R-hat above 1.1; the key is ``r_hat_above_1.1``.
    effective_sample_size : float
        Smallest effective sample size of an edge, by ranks and split chains.
    standard_error : float
        Largest standard error of the probability of an edge.
    unsettled_share : float
        Sampled averages: expected share of the edges with a probability of at least 0.01 that
        another seed changes by more than 0.1, by their standard errors.
    log_score : float
        Searched parent sets: log score of the best order.
    searches, searches_compared, searches_agreed : int
        Searched parent sets: number of all searches; number of independent searches that were
        compared, each of which may unite several; and number of those that reached the log score of
        their union.
    search_scores : list of float
        Log scores of the searches that were compared, and of their union.
    doubtful_edges, doubtful_share : int and float
        Number of edges, and their share among those above 0.01, whose probability differs by more
        than 0.1 between independent searches and their union, with an R-hat above 1.1.
    doubtful_variables : list of str
        Variables with such edges into them, most edges first.
    density : float
        Model averaging: prior probability of an edge, if the score has one.
    temperatures : int
        Number of temperatures, if chains exchanged orders between them.
    rounds : list of float
        Sampled averages: best log score after each round of the search.
    threshold : float
        ARACNE: the constant threshold of the mutual information. If it is None, each pair has a
        threshold of its own.
    alpha : float
        PC and MMHC: level of the tests.
    pairs_kept : int
        ARACNE: number of pairs above the threshold.
    edges : int
        PC and ARACNE: number of edges.
    levels : list of Level
        PC: the tests, by the size of the conditioning sets.
    candidate_pairs : int
        MMHC: number of pairs that may have an edge.
    score : float
        Greedy search and MMHC: score of the graph.
    scores : list of float
        Greedy search and MMHC: score after the first climb and after each round of kicks.
    steps : int
        Greedy search and MMHC: number of steps.

    Examples
    --------
    >>> diagnostics = Diagnostics(method="sampled", r_hat=1.02, high_r_hat_edges=0)
    >>> diagnostics.r_hat, diagnostics["r_hat"], diagnostics.get("density")
    (1.02, 1.02, None)
    >>> list(diagnostics)
    ['method', 'r_hat', 'r_hat_above_1.1']
    """

    method: str | None = None
    count: str | None = None
    max_parents: int | None = None
    log_evidence: float | None = None
    chains: int | None = None
    chains_kept: int | None = None
    sweeps: int | None = None
    log_scores: list[float] | None = None
    parent_sets: int | None = None
    candidates: int | None = None
    r_hat: float | None = None
    high_r_hat_edges: int | None = field(default=None, metadata={"key": "r_hat_above_1.1"})
    effective_sample_size: float | None = None
    standard_error: float | None = None
    unsettled_share: float | None = None
    log_score: float | None = None
    searches: int | None = None
    searches_compared: int | None = None
    searches_agreed: int | None = None
    search_scores: list[float] | None = None
    doubtful_edges: int | None = None
    doubtful_share: float | None = None
    doubtful_variables: list[str] | None = None
    density: float | None = None
    temperatures: int | None = None
    rounds: list[float] | None = None
    threshold: float | None = None
    alpha: float | None = None
    pairs_kept: int | None = None
    edges: int | None = None
    levels: list[Level] | None = None
    candidate_pairs: int | None = None
    score: float | None = None
    scores: list[float] | None = None
    steps: int | None = None

    def _applies(self, name: str) -> bool:
        """Return whether the dict has the field; that of ARACNE always has its threshold."""
        return super()._applies(name) or (name == "threshold" and self.pairs_kept is not None)
