"""Arrays that kernels share, as NamedTuples: numba passes their fields by name."""

from typing import NamedTuple

import numpy as np


class FamilyLists(NamedTuple):
    """Listed parent sets of every variable, as the order sampler takes them.

    A parent set is a bit mask over the candidate parents of its variable, of which there are at
    most 64. Every variable lists the empty set. The sets of a variable are sorted by falling score.

    Attributes
    ----------
    set_start : (n + 1,) int64 array
        The sets of variable ``v`` are ``set_start[v]`` to ``set_start[v + 1]``.
    set_mask : uint64 array
        Members of each set, as bits over the candidates of its variable.
    set_score : float array
        Log score of each set, with its prior.
    cand_start : (n + 1,) int64 array
        The candidates of variable ``v`` are ``cand_start[v]`` to ``cand_start[v + 1]``.
    cand : int64 array
        Candidate parents.
    table_start : (n,) int64 array
        Where the table of a variable starts, -1 if the variable has none.
    table : float array
        Tables of ``F_v(allowed)``, indexed by the mask ``allowed``.
    set_weight, set_base : float arrays
        ``exp(set_score) = set_weight * exp(set_base)``.
    """

    set_start: np.ndarray
    set_mask: np.ndarray
    set_score: np.ndarray
    cand_start: np.ndarray
    cand: np.ndarray
    table_start: np.ndarray
    table: np.ndarray
    set_weight: np.ndarray
    set_base: np.ndarray


class Links(NamedTuple):
    """Neighbours of every variable in the graph of candidates.

    Attributes
    ----------
    start : (n + 1,) int64 array
        The neighbours of variable ``v`` are ``start[v]`` to ``start[v + 1]``.
    node : int64 array
        The neighbours.
    here : int64 array
        Position of the neighbour among the candidates of the variable, -1 if it is none.
    there : int64 array
        Position of the variable among the candidates of the neighbour, -1 if it is none.
    """

    start: np.ndarray
    node: np.ndarray
    here: np.ndarray
    there: np.ndarray
