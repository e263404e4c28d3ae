"""Random tables for tests of pair weights, and a slow PageRank."""

import numpy as np
from hypothesis import strategies as st

from lsbn.data import Dataset


def dataset(columns):
    """A dataset of integer codes without unobserved states."""
    coded = [np.unique(c, return_inverse=True)[1] for c in columns]
    cards = np.array([c.max() + 1 for c in coded])
    dtype = np.uint8 if cards.max() <= 256 else np.uint16
    return Dataset(
        np.array(coded, dtype),
        cards,
        tuple(f"x{v}" for v in range(len(coded))),
        tuple(tuple(str(s) for s in range(r)) for r in cards),
    )


@st.composite
def tables(draw):
    n, rows = draw(st.integers(2, 7)), draw(st.integers(2, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    columns = [rng.integers(draw(st.sampled_from([1, 2, 3, 5, 30])), size=rows) for _ in range(n)]
    if draw(st.booleans()):
        columns[-1] = columns[0].copy()
    return dataset(columns)


def dense_pagerank(mi):
    """PageRank by a linear solve; nodes without weight jump anywhere."""
    mi = np.array(mi)
    n = len(mi)
    strength = mi.sum(axis=0)
    walk = np.where(strength > 0, mi / np.where(strength > 0, strength, 1.0), 1.0 / n)
    return np.linalg.solve(np.eye(n) - 0.85 * walk, np.full(n, 0.15 / n))
