"""Effects of interventions, averaged over networks.

Under the intervention do(x = s), x has the state s whatever its parents are: its family is left out
of the product of all families (Pearl 2009, truncated factorisation). The sum over all other
variables is taken by variable elimination over the ancestors of the outcome. x remains free, so one
elimination answers all states of x.

This is the effect of a real intervention only if every network that is averaged is causal: there
are no hidden common causes, no selection of rows, and the prior and the data have directed the
edges rightly. Where data cannot direct an edge, networks with both directions are among the average
and the interval is wide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from lsbn.answers.ensemble import Ensemble
from lsbn.answers.families import FamilyTable

__all__ = ["Effect", "effect_of"]

MOST_CELLS = 1 << 22
"""Most cells of a factor; with more, the effect in this network is estimated by samples."""
SAMPLED_ROWS = 4_000
MOST_NETWORKS = 200
"""Networks that an effect is averaged over, evenly spaced among all."""


@dataclass(frozen=True, eq=False)
class Effect:
    """P(outcome | do(cause)), for each state of the cause.

    Attributes
    ----------
    cause, outcome : str
    cause_states, outcome_states : tuple of str
    level : float
        Probability of the intervals.
    shares : (networks, cause states, outcome states) float array
        The distribution in each network.

    Notes
    -----
    The intervals show the uncertainty about the network. Within each network, the tables are
    posterior means.
    """

    cause: str
    outcome: str
    cause_states: tuple[str, ...]
    outcome_states: tuple[str, ...]
    level: float
    shares: np.ndarray

    @property
    def mean(self) -> pd.DataFrame:
        """The averaged distributions: a row for each state of the cause."""
        return self._frame(self.shares.mean(axis=0))

    @property
    def low(self) -> pd.DataFrame:
        """Lower ends of the intervals."""
        return self._frame(np.quantile(self.shares, (1 - self.level) / 2, axis=0))

    @property
    def high(self) -> pd.DataFrame:
        """Upper ends of the intervals."""
        return self._frame(np.quantile(self.shares, (1 + self.level) / 2, axis=0))

    @property
    def any_effect(self) -> float:
        """Share of networks in which the states of the cause give different distributions."""
        return float((np.ptp(self.shares, axis=1).max(axis=1) > 1e-9).mean())

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each pair of states: probability, low and high."""
        parts = {"probability": self.mean, "low": self.low, "high": self.high}
        columns = {name: frame.stack() for name, frame in parts.items()}
        frame = pd.DataFrame(columns).reset_index()
        frame.columns = pd.Index([f"do({self.cause})", self.outcome, *parts])
        return frame

    def __repr__(self) -> str:
        title = f"P({self.outcome} | do({self.cause})), {self.level:.0%} intervals over networks"
        return f"{title}\n{self.to_frame().round(3).to_string(index=False)}"

    def _frame(self, values: np.ndarray) -> pd.DataFrame:
        rows, columns = (pd.Index(s) for s in (self.cause_states, self.outcome_states))
        return pd.DataFrame(values, index=rows, columns=columns)


def effect_of(ensemble: Ensemble, x: int, y: int) -> np.ndarray:
    """Return P(y | do(x)) in networks of an ensemble: (networks, states of x, states of y)."""
    k = min(len(ensemble), MOST_NETWORKS)
    known: dict[tuple[tuple[int, int], ...], np.ndarray] = {}
    shares = []
    for g in (np.arange(k) * len(ensemble) // k).tolist():
        needed = _ancestors(ensemble.parents(g), x, y)
        kind = tuple((v, int(ensemble.members[g, v])) for v in needed)
        if kind not in known:
            families = [ensemble.family(g, v) for v in needed]
            known[kind] = _effect_in(families, ensemble.cards, x, y)
        shares.append(known[kind])
    return np.array(shares)


def _ancestors(parents: Sequence[Sequence[int]], x: int, y: int) -> list[int]:
    """Return y and its ancestors without crossing x; x is not among them."""
    found, waiting = {y}, [y]
    while waiting:
        for u in parents[waiting.pop()]:
            if u not in found and u != x:
                found.add(u)
                waiting.append(u)
    return sorted(found)


def _effect_in(families: Sequence[FamilyTable], cards: np.ndarray, x: int, y: int) -> np.ndarray:
    """Return P(y | do(x)) in one network, given the families of y and its ancestors."""
    factors = []
    for family in families:
        shape = [*family.cards[::-1].tolist(), -1]
        if np.prod([float(card) for card in family.cards]) > MOST_CELLS:
            return _sampled_effect(families, cards, x, y)
        rows = family.table if family.keys is None else _all_rows(family)
        scope = [*family.parents[::-1].tolist(), family.child]
        factors.append((scope, rows.reshape(shape)))
    hidden = {family.child for family in families} - {y}
    while hidden:
        sizes = {v: _joined_size(factors, cards, v) for v in hidden}
        v = min(hidden, key=lambda each: (sizes[each], each))
        if sizes[v] > MOST_CELLS:
            return _sampled_effect(families, cards, x, y)
        near = [factor for factor in factors if v in factor[0]]
        factors = [factor for factor in factors if v not in factor[0]]
        factors.append(_product(near, without=v))
        hidden.remove(v)
    scope, values = _product(factors)
    if x not in scope:
        return np.tile(values.reshape(-1), (int(cards[x]), 1))
    return values if scope == [x, y] else values.T


def _all_rows(family: FamilyTable) -> np.ndarray:
    """Return a table over all configurations, the first parent the lowest digit."""
    k = len(family.parents)
    rows = family.dense().reshape(*family.cards.tolist(), -1)
    return rows.transpose(*range(k)[::-1], k).reshape(-1, rows.shape[-1])


def _joined_size(
    factors: Sequence[tuple[list[int], np.ndarray]], cards: np.ndarray, v: int
) -> float:
    """Return the number of cells of the product of all factors of a variable."""
    scope = {u for own, _ in factors if v in own for u in own}
    return float(np.prod([float(cards[u]) for u in scope]))


def _product(
    factors: Sequence[tuple[list[int], np.ndarray]], without: int | None = None
) -> tuple[list[int], np.ndarray]:
    """Multiply factors, and sum over a variable."""
    scope = sorted({u for own, _ in factors for u in own})
    letter = {u: a for a, u in enumerate(scope)}
    kept = [u for u in scope if u != without]
    operands: list = []
    for own, values in factors:
        operands += [values, [letter[u] for u in own]]
    return kept, np.einsum(*operands, [letter[u] for u in kept], optimize="greedy")


def _sampled_effect(
    families: Sequence[FamilyTable], cards: np.ndarray, x: int, y: int
) -> np.ndarray:
    """Estimate P(y | do(x)) by rows drawn under the intervention."""
    rng, states = np.random.default_rng(0), int(cards[x])
    codes = np.zeros((len(cards), SAMPLED_ROWS * states), np.int64)
    codes[x] = np.repeat(np.arange(states), SAMPLED_ROWS)
    waiting, done = list(families), {x}
    while waiting:
        family = next(f for f in waiting if done.issuperset(f.parents.tolist()))
        waiting.remove(family)
        upper = np.cumsum(family.table, axis=1)[family.rows(codes)]
        draws = rng.random(codes.shape[1])[:, None]
        codes[family.child] = (draws >= upper[:, :-1]).sum(axis=1)
        done.add(family.child)
    counts = np.bincount(codes[x] * cards[y] + codes[y], minlength=states * int(cards[y]))
    return counts.reshape(states, -1) / SAMPLED_ROWS
