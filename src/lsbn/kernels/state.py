"""Arrays that kernels share, as NamedTuples: numba passes their fields by name."""

from typing import NamedTuple

import numpy as np


class Columns(NamedTuple):
    """The data, twice.

    Attributes
    ----------
    words : (total states, n_words) uint64 array
        Bit columns, one for each state of each variable: see `lsbn.kernels.bits.bit_columns`.
    offsets : (n + 1,) int64 array
        The bit columns of variable ``v`` are ``offsets[v]`` to ``offsets[v + 1]``.
    codes : (planes, n, rows) uint8 array
        State of each variable in each row: see `lsbn.kernels.bits.byte_planes`.
    """

    words: np.ndarray
    offsets: np.ndarray
    codes: np.ndarray


class CountedColumns(NamedTuple):
    """The data, and a table for tests of independence.

    Attributes
    ----------
    words, offsets, codes : arrays
        See `Columns`.
    xlogx : (rows + 1,) float array
        ``x log x`` of all counts: see `lsbn.kernels.counts.tabulate_xlogx`.
    """

    words: np.ndarray
    offsets: np.ndarray
    codes: np.ndarray
    xlogx: np.ndarray


class MarginColumns(NamedTuple):
    """The data, and tables for counting all pairs.

    Attributes
    ----------
    words, offsets, codes : arrays
        See `Columns`.
    margins : (total states,) int64 array
        Rows of each state: see `lsbn.kernels.counts.state_counts`.
    xlogx : (rows + 1,) float array
        ``x log x`` of all counts: see `lsbn.kernels.counts.tabulate_xlogx`.
    """

    words: np.ndarray
    offsets: np.ndarray
    codes: np.ndarray
    margins: np.ndarray
    xlogx: np.ndarray


class FamilyLists(NamedTuple):
    """Listed parent sets of every variable, as the order sampler takes them.

    A parent set is a bit mask over the candidate parents of its variable, of which there are at
    most 64. Every variable lists the set of its required parents, which is mostly empty, and all
    its other sets contain it. The sets of a variable are sorted by falling score.

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


class Memory(NamedTuple):
    """A cache of values of ``F_v(allowed)``.

    Attributes
    ----------
    masks : (n, slots) uint64 array
        The masks ``allowed``.
    values : (n, slots) float array
        Their values, nan in an empty slot.
    """

    masks: np.ndarray
    values: np.ndarray


class StepRoom(NamedTuple):
    """Room for one step of a chain of orders: arrays over the neighbours of one variable.

    Attributes
    ----------
    position : float array
        Key of each neighbour.
    jump : float array
        Change of the neighbour's ``F``, if the variable moves past it.
    weight, base : float arrays
        Posterior mass ``weight * exp(base)`` of each place between the neighbours.
    place : (64,) int64 array
        Place of each candidate parent among the neighbours.
    """

    position: np.ndarray
    jump: np.ndarray
    weight: np.ndarray
    base: np.ndarray
    place: np.ndarray


class OrderState(NamedTuple):
    """A chain of orders at one order; the kernels change its arrays.

    Attributes
    ----------
    keys : (n,) float array
        Keys in (0, 1), whose sorting gives the order.
    allowed : (n,) uint64 array
        Mask, for each variable, of the candidates that precede it.
    memory : Memory
    ranks : int64 array
        Neighbours of each variable, counted from 0, sorted by their keys at its last step.
    room : StepRoom
    """

    keys: np.ndarray
    allowed: np.ndarray
    memory: Memory
    ranks: np.ndarray
    room: StepRoom


class EdgeSums(NamedTuple):
    """Sums of edge posteriors over sampled orders.

    Attributes
    ----------
    lists : FamilyLists
        The sets of the posteriors given an order.
    total, squares : float arrays
        Sum of the posteriors and of their squares, for each entry of ``lists.cand``.
    """

    lists: FamilyLists
    total: np.ndarray
    squares: np.ndarray


class GraphState(NamedTuple):
    """A chain of graphs at one graph; the kernels change its arrays.

    Attributes
    ----------
    chosen : (n,) int64 array
        Parent set of each variable, as its place in the lists.
    child_start : (n + 1,) int64 array
        The children of variable ``v`` are ``n_children[v]`` entries of ``child``, from
        ``child_start[v]`` on.
    n_children : (n,) int64 array
    child : int64 array
    reached, queue : int64 arrays
        Room for a search of descendants; ``reached`` is zero between two searches.
    memory : Memory
    """

    chosen: np.ndarray
    child_start: np.ndarray
    n_children: np.ndarray
    child: np.ndarray
    reached: np.ndarray
    queue: np.ndarray
    memory: Memory


class Block(NamedTuple):
    """Sums over the parents of ``k`` variables together; see `lsbn.kernels.graphs`.

    A set of variables of the block is the bits of an integer.

    Attributes
    ----------
    meets : (k, k) uint64 array
        Which candidates of ``i`` are in ``D_j``.
    can_follow : (k,) int64 array
        Variables of the block that each one can follow.
    within : (k, 2**k) float array
        ``F_i(U)``.
    after : (2**k, 2**k) float array
        Log sum over all layers after layer ``L``, the last one of the variables ``U``.
    own : (k,) float array
        Log weight of each variable in the next layer.
    layers : (2**k,) float array
        Log weight of each next layer, with all layers after it.
    """

    meets: np.ndarray
    can_follow: np.ndarray
    within: np.ndarray
    after: np.ndarray
    own: np.ndarray
    layers: np.ndarray


class Partners(NamedTuple):
    """With whom the parents of a variable are drawn together.

    Attributes
    ----------
    start, node : int64 arrays
        Neighbours of each variable, as in `Links`.
    cumulative : float array
        Cumulative probabilities of the neighbours of a variable.
    """

    start: np.ndarray
    node: np.ndarray
    cumulative: np.ndarray
