"""Tables, and knowledge about them that does not contradict itself."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from lsbn.knowledge import Knowledge, Tier


def random_table(n, rows, seed, cards=(2, 3)):
    """A table of n columns a, b, ...; each depends on some of those before it."""
    rng = np.random.default_rng(seed)
    table = {}
    for v in range(n):
        column = rng.integers(rng.choice(cards), size=rows)
        for u in rng.permutation(list(table))[: rng.integers(3)]:
            column = np.where(rng.random(rows) < 0.6, table[u] % (column.max() + 1), column)
        table["abcdefghijklmnopqrstuvwxyz"[v]] = column
    return pd.DataFrame(table)


@st.composite
def knowledge_of(draw, names):
    """Knowledge of all kinds that agrees with one order of the names."""
    order = draw(st.permutations(names))
    pairs = [(u, v) for i, u in enumerate(order) for v in order[i + 1 :]]
    chosen = draw(st.lists(st.sampled_from(pairs), max_size=3, unique=True))
    others = [pair for pair in pairs if pair not in chosen]
    forbidden = draw(st.lists(st.sampled_from(others), max_size=4, unique=True))
    backward = draw(st.lists(st.sampled_from(pairs), max_size=2, unique=True))
    forbidden += [(v, u) for u, v in backward]
    tiers = draw(st.sampled_from(["none", "open", "closed"]))
    cut = draw(st.integers(1, len(names) - 1))
    parts = [order[:cut], order[cut:]]
    if tiers == "closed":
        chosen = [(u, v) for u, v in chosen if (u in parts[0]) != (v in parts[0])]
        parts = [Tier(part, edges_inside=False) for part in parts]
    free = [pair for pair in others if pair not in forbidden]
    likely = draw(st.lists(st.sampled_from(free), max_size=2, unique=True)) if free else []
    if tiers == "closed":
        likely = [(u, v) for u, v in likely if (u in order[:cut]) != (v in order[:cut])]
    least = max([sum(v == name for _, v in chosen) for name in names], default=0)
    limit = draw(st.sampled_from([None, max(least, 1), max(least, 2)]))
    return Knowledge(
        required=chosen,
        forbidden=forbidden,
        tiers=() if tiers == "none" else parts,
        max_parents=limit,
        edge_probabilities=dict.fromkeys(likely, draw(st.sampled_from([0.05, 0.5, 0.95]))),
    )
