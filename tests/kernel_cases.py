"""Functions that several tests of kernels share."""

import itertools

import numpy as np
from scipy.stats import chi2

from lsbn.kernels import tables
from lsbn.learners.averaging.parent_sets import ParentSets


def as_sets(rows):
    """Rows of parents, padded by -1, as frozensets."""
    found = []
    for row in rows.tolist():
        k = sum(u >= 0 for u in row)
        assert row[:k] == sorted(set(row[:k]))
        assert row[k:] == [-1] * (len(row) - k)
        found.append(frozenset(row[:k]))
    return found


def listed(families, tabulated):
    """The kernels' lists and links of families {frozenset: score}, with or without tables."""
    candidates, masks, scores = [], [], []
    for family in families:
        cand = sorted(set().union(*family))
        ranked = sorted(family.items(), key=lambda item: -item[1])
        bits = [sum(1 << cand.index(u) for u in members) for members, _ in ranked]
        candidates.append(np.array(cand, np.int64))
        masks.append(np.array(bits, np.uint64))
        scores.append(np.array([score for _, score in ranked]))
    sets = ParentSets.from_variables(candidates, masks, scores)
    most = 16 if tabulated else -1
    start, table = tables.tabulate_families(*sets.lists[:4], most, 1)
    return sets.lists._replace(table_start=start, table=table), sets.links


def random_families(seed, n, share=0.6, spread=2.0, most=5):
    """Some parent sets of each variable, always the empty one."""
    rng = np.random.default_rng(seed)
    found = []
    for v in range(n):
        others = [u for u in range(n) if u != v]
        sets = [frozenset(s) for k in range(most + 1) for s in itertools.combinations(others, k)]
        sets = [s for s in sets if not s or rng.random() < share]
        found.append(dict(zip(sets, rng.normal(-200.0, spread, len(sets)), strict=True)))
    return found


def members(lists, v, mask):
    own = lists.cand[lists.cand_start[v] : lists.cand_start[v + 1]]
    return {int(u) for i, u in enumerate(own) if int(mask) >> i & 1}


def assert_same_distribution(counts, wanted):
    """Pearson's chi-square of independent draws; rare outcomes are taken together."""
    total = sum(counts.values())
    rare = {o for o, p in wanted.items() if p * total < 5}
    pairs = [(counts[o], p * total) for o, p in wanted.items() if o not in rare]
    pairs.append((sum(counts[o] for o in rare), sum(wanted[o] for o in rare) * total))
    statistic = sum((c - e) ** 2 / e for c, e in pairs if e > 0)
    assert statistic < chi2.ppf(1 - 1e-4, len(pairs) - 1)
