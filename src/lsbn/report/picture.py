"""The data for the script of the page: variables, pairs, communities and positions."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import networkx as nx
import numpy as np
from scipy import sparse

from lsbn.graph import EdgeProbabilities
from lsbn.report.layout import place

__all__ = ["payload"]

MOST_DRAWN = 1_500
"""The picture shows single variables up to this number; more would be unreadable and slow."""
MOST_PAIRS = 20_000
"""The page holds this many pairs, the most probable ones; edges.csv has all pairs."""
AREAS = 150
"""With more variables the picture shows communities, as areas that open."""
N_COLOURS = 12
"""Number of colours of communities in page.css."""
LENGTH = 60.0
"""Typical length of an edge in units of the picture."""


def payload(
    edges: EdgeProbabilities,
    communities: Sequence[Sequence[str]],
    truth: nx.DiGraph | None = None,
    threshold: float = 0.5,
    constants: Collection[str] = (),
) -> dict[str, Any]:
    """Return the data that the script of the page needs, ready for JSON.

    Parameters
    ----------
    edges : EdgeProbabilities
    communities : sequence of sequences of str
        Names of the variables of each community; they may overlap.
    truth : networkx.DiGraph, optional
        The true graph over the same variables.
    threshold : float
        The picture is arranged by the pairs above it, and the slider of the page starts there.
    constants : collection of str
        Variables with a single state. They are not drawn, unless an edge has a probability.

    Returns
    -------
    dict
        ``names``; ``communities`` as indices, and their ``colours``; ``home``, the main community
        of each variable; ``pairs`` as columns ``a, b, f, r`` with P(a -> b) = f >= r = P(b -> a),
        and with a truth ``t``: 0 for a pair that is not in the truth, 1 for a -> b, 2 for b -> a,
        3 for both; ``floor``: pairs below it are left out; ``threshold``; ``constants``, the
        variables that are not drawn because they have a single state; ``picture``.
    """
    index = {name: v for v, name in enumerate(edges.names)}
    groups = _groups(communities, index)
    pairs, floor = _pair_columns(edges, truth, index)
    home = _homes(len(index), groups, pairs)
    colours = _colours(groups, home, pairs)
    found = pairs["f"] + pairs["r"] > 0  # not only missed edges of the truth
    linked = {*pairs["a"][found].tolist(), *pairs["b"][found].tolist()}
    single = {index[name] for name in constants if name in index} - linked
    drawn = [v for v in range(len(index)) if v not in single]
    return {
        "names": list(edges.names),
        "communities": groups,
        "colours": colours,
        "home": home,
        "pairs": {key: column.tolist() for key, column in pairs.items()},
        "floor": floor,
        "threshold": threshold,
        "constants": sorted(single),
        "picture": _picture(drawn, groups, home, pairs, threshold),
    }


def _groups(communities: Sequence[Sequence[str]], index: dict[str, int]) -> list[list[int]]:
    """Return the communities as indices, the largest first; unknown names are an error."""
    for community in communities:
        if unknown := [name for name in community if name not in index]:
            raise ValueError(f"a community has {unknown[0]!r}, which is not one of the variables")
    groups = [sorted({index[name] for name in community}) for community in communities]
    return sorted((group for group in groups if group), key=lambda group: (-len(group), group))


def _pair_columns(
    edges: EdgeProbabilities, truth: nx.DiGraph | None, index: dict[str, int]
) -> tuple[dict[str, np.ndarray], float]:
    """Return the pairs as columns, the most probable first, and their least probability."""
    n = edges.n_variables
    first, second, forward, backward = _both_ways(edges.matrix)
    total = forward + backward
    keep = np.lexsort((second, first, -total))
    floor = 0.01
    if len(keep) > MOST_PAIRS:
        keep = keep[:MOST_PAIRS]
        floor = float(np.ceil(total[keep[-1]] * 100) / 100)
    columns = {"a": first[keep], "b": second[keep], "f": forward[keep], "r": backward[keep]}
    if truth is not None:
        true = np.array([(index[u], index[v]) for u, v in truth.edges], np.int64).reshape(-1, 2)
        columns = _with_truth(columns, true, n)
    flip = columns["r"] > columns["f"]
    for one, other in (("a", "b"), ("f", "r")):
        columns[one], columns[other] = (
            np.where(flip, columns[other], columns[one]),
            np.where(flip, columns[one], columns[other]),
        )
    if truth is not None:
        t = columns["t"]
        columns["t"] = np.where(flip & (t > 0) & (t < 3), 3 - t, t)
    return columns, floor


def _both_ways(matrix: sparse.csr_array) -> tuple[np.ndarray, ...]:
    """Return i < j, P(i -> j) and P(j -> i) of all stored pairs."""
    ahead, back = sparse.triu(matrix, 1, format="csr"), sparse.triu(matrix.T, 1, format="csr")
    both = (ahead + back).tocoo()
    i, j = both.row.astype(np.int64), both.col.astype(np.int64)
    if not len(i):
        return i, j, np.zeros(0), np.zeros(0)
    return i, j, np.asarray(ahead[i, j]).ravel(), np.asarray(back[i, j]).ravel()


def _with_truth(columns: dict[str, np.ndarray], true: np.ndarray, n: int) -> dict[str, np.ndarray]:
    """Mark the true pairs, and add the true pairs without a probability."""
    low, high = true.min(axis=1, initial=n), true.max(axis=1, initial=0)
    code: dict[int, int] = {}
    for key, bit in zip((low * n + high).tolist(), (true[:, 0] > true[:, 1]) + 1, strict=True):
        code[key] = code.get(key, 0) | int(bit)
    keys = (columns["a"] * n + columns["b"]).tolist()
    missed = np.array(sorted(code.keys() - set(keys)), dtype=np.int64)
    nothing = np.zeros(len(missed))
    return {
        "a": np.r_[columns["a"], missed // n],
        "b": np.r_[columns["b"], missed % n],
        "f": np.r_[columns["f"], nothing],
        "r": np.r_[columns["r"], nothing],
        "t": np.array([code.get(key, 0) for key in [*keys, *missed.tolist()]], dtype=np.int64),
    }


def _homes(n: int, groups: list[list[int]], pairs: dict[str, np.ndarray]) -> list[int]:
    """Return the main community of each variable, which has most of its edges; -1 for none."""
    inside: list[dict[int, float]] = [{} for _ in range(n)]
    for k, group in enumerate(groups):
        for v in group:
            inside[v][k] = 0.0
    strength = (pairs["f"] + pairs["r"]).tolist()
    for u, v, p in zip(pairs["a"].tolist(), pairs["b"].tolist(), strength, strict=True):
        for k in inside[u].keys() & inside[v].keys():
            inside[u][k] += p
            inside[v][k] += p
    return [max(mass, key=lambda k: (mass[k], -k)) if mass else -1 for mass in inside]


def _colours(groups: list[list[int]], home: list[int], pairs: dict[str, np.ndarray]) -> list[int]:
    """Give neighbouring communities different colours, as far as possible.

    The largest community chooses first. A community of one variable has no colour (-1).
    """
    near: list[dict[int, float]] = [{} for _ in groups]
    strength = (pairs["f"] + pairs["r"]).tolist()
    for u, v, p in zip(pairs["a"].tolist(), pairs["b"].tolist(), strength, strict=True):
        k, other = home[u], home[v]
        if k >= 0 and other >= 0 and k != other:
            near[k][other] = near[k].get(other, 0.0) + p
            near[other][k] = near[other].get(k, 0.0) + p
    sizes = np.bincount([k for k in home if k >= 0], minlength=len(groups))
    used = [0] * N_COLOURS
    colours = [-1] * len(groups)
    for k in sorted(range(len(groups)), key=lambda k: (-sizes[k], k)):
        if len(groups[k]) < 2:
            continue
        clash = [0.0] * N_COLOURS
        for other, p in near[k].items():
            if colours[other] >= 0:
                clash[colours[other]] += p
        colours[k] = min(range(N_COLOURS), key=lambda c: (clash[c], used[c], c))
        used[colours[k]] += 1
    return colours


def _picture(
    variables: list[int],
    groups: list[list[int]],
    home: list[int],
    pairs: dict[str, np.ndarray],
    threshold: float,
) -> dict[str, Any]:
    """Choose the marks of the picture and their positions; note if marks are not all variables."""
    n = len(variables)
    strength = pairs["f"] + pairs["r"]
    lean = pairs["f"] - pairs["r"]
    ends = np.stack((pairs["a"], pairs["b"]), axis=1)
    kind, marks, note = "variables", variables, ""
    inner: dict[str, list[float]] = {"x": [], "y": []}
    if n > min(AREAS, MOST_DRAWN):
        areas = _areas(variables, home)
        if areas:
            kind, marks = "communities", areas
            note = (
                f"The picture shows the communities of the {n:,} variables as areas. A click opens "
                "an area. Its size is the number of variables whose main community it is. A line "
                "stands for all edges between two areas."
            )
            inner = _inside_areas(home, ends, lean, strength > threshold)
            ends = np.array(home)[ends]
        elif n > MOST_DRAWN:
            mass = np.bincount(ends.ravel(), np.repeat(strength, 2), minlength=len(home))
            order = np.argsort(-mass[variables], kind="stable")[:MOST_DRAWN]
            marks = sorted(np.array(variables)[order].tolist())
            note = f"The picture shows the {MOST_DRAWN:,} variables of {n:,} with the most edges."
    where = np.full(max(len(home), len(groups)) + 1, -1)
    where[marks] = np.arange(len(marks))
    ends = where[ends]
    keep = (strength > threshold) & (ends >= 0).all(axis=1) & (ends[:, 0] != ends[:, 1])
    xy = LENGTH * place(len(marks), ends[keep], lean[keep])
    x, y = xy.round(1).T.tolist() if len(marks) else ([], [])
    return {"kind": kind, "marks": marks, "x": x, "y": y, "inner": inner, "note": note}


def _areas(variables: list[int], home: list[int]) -> list[int]:
    """Return the communities to draw as areas; none if areas would not make the picture clearer.

    Communities of one variable are drawn only if there is room for all.
    """
    sizes = Counter(home[v] for v in variables)
    large = sorted(k for k, size in sizes.items() if k >= 0 and size > 1)
    few = len(variables) <= MOST_DRAWN
    if len(large) < 3 or 2 * max(sizes[k] for k in large) > len(variables):
        return []
    if few and -1 not in sizes:
        return sorted(sizes)
    return large if not few and len(large) <= MOST_DRAWN else []


def _inside_areas(
    home: list[int], ends: np.ndarray, lean: np.ndarray, keep: np.ndarray
) -> dict[str, list[float]]:
    """Place each variable in the area of its main community, a disk of radius 1."""
    homes = np.array(home)
    xy = np.zeros((len(home), 2))
    mine = keep & (homes[ends[:, 0]] == homes[ends[:, 1]])
    owner = homes[ends[mine, 0]]
    rank = np.zeros(len(home), dtype=np.int64)
    for k in np.unique(homes[homes >= 0]).tolist():
        members = np.flatnonzero(homes == k)
        rank[members] = np.arange(len(members))
        local = owner == k
        spots = place(len(members), rank[ends[mine][local]], lean[mine][local])
        spots = spots - (spots.min(axis=0) + spots.max(axis=0)) / 2
        xy[members] = 0.88 * spots / max(float(np.linalg.norm(spots, axis=1).max()), 1e-9)
    x, y = xy.round(3).T.tolist()
    return {"x": x, "y": y}
