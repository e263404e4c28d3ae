"""Tables that every learner must handle, and what a good result contains."""

import numpy as np
import pandas as pd

from lsbn.data import Dataset
from lsbn.learners.averaging.parent_sets import ParentSets
from lsbn.network import load_network


def _noisy(rng, x, flips=0.15):
    return np.where(rng.random(len(x)) < flips, 1 - x, x)


def _binary(rng, rows):
    return rng.integers(2, size=rows)


def chain_table(rows=3000):
    """a -> b -> c."""
    rng = np.random.default_rng(1)
    a = _binary(rng, rows)
    b = _noisy(rng, a)
    return Dataset.from_table(pd.DataFrame({"a": a, "b": b, "c": _noisy(rng, b)}))


def collider_table(rows=5000):
    """a -> c <- b, c -> d."""
    rng = np.random.default_rng(2)
    a, b = _binary(rng, rows), _binary(rng, rows)
    c = _noisy(rng, a | b)
    return Dataset.from_table(pd.DataFrame({"a": a, "b": b, "c": c, "d": _noisy(rng, c)}))


def shuffled_alarm(rows, seed=5):
    net = load_network("alarm")
    table = net.sample(rows, random_state=seed)
    return table[list(np.random.default_rng(seed).permutation(table.columns))], net.dag


def relabelled(table, seed=8):
    """The same table with other orders of columns and of rows."""
    rng = np.random.default_rng(seed)
    return table.iloc[rng.permutation(len(table)), rng.permutation(table.shape[1])]


def _constant(rng):
    a = _binary(rng, 800)
    return pd.DataFrame({"a": a, "b": _noisy(rng, a), "k": np.zeros(800, int)})


def _identical(rng):
    a = _binary(rng, 800)
    return pd.DataFrame({"a": a, "b": _noisy(rng, a), "c": a})


def _deterministic(rng):
    a, b = _binary(rng, 800), rng.integers(3, size=800)
    return pd.DataFrame({"a": a, "b": b, "c": 3 * a + b, "d": _noisy(rng, a)})


def _two_rows(rng):
    return pd.DataFrame({"a": [0, 1], "b": [0, 1], "c": [1, 0], "d": [0, 0]})


def _many_states(rng):
    wide = np.arange(2000) % 64
    return pd.DataFrame({"w": wide, "x": wide % 2, "y": _binary(rng, 2000), "v": wide[::-1]})


EDGE_CASES = {
    "constant": (_constant, {"ab"}, {"ak", "bk"}),
    "identical": (_identical, {"ac"}, set()),
    "deterministic": (_deterministic, {"bc"}, {"bd"}),
    "two rows": (_two_rows, set(), {"ad", "bd", "cd"}),
    "64 states": (_many_states, set(), {"xy"}),
}
"""A table, the edges that a result must have, and the edges that it must not have."""


def assert_sensible(learn, case, **options):
    make, present, absent = EDGE_CASES[case]
    dataset = Dataset.from_table(make(np.random.default_rng(3)))
    edges = learn(dataset, random_state=0, **options).edges
    assert np.isfinite(edges.matrix.data).all()
    joined = {"".join(sorted(edge)) for edge in edges.skeleton(0.4).edges}
    assert present <= joined
    assert not absent & joined


def listed_sets(families):
    """Parent sets of families {frozenset: score}, over all variables as candidates."""
    ranked = [sorted(family.items(), key=lambda item: -item[1]) for family in families]
    others = [np.array(sorted(set().union(*family)), np.int64) for family in families]
    masks = [
        np.array([sum(1 << cand.tolist().index(u) for u in s) for s, _ in rows], np.uint64)
        for rows, cand in zip(ranked, others, strict=True)
    ]
    scores = [np.array([score for _, score in rows]) for rows in ranked]
    return ParentSets.from_variables(others, masks, scores)
