"""Enumeration of subsets, compared with itertools."""

import itertools
import math

import numpy as np
import pytest

from lsbn.kernels.combinatorics import n_subsets, next_subset


@pytest.mark.parametrize(("n", "k"), [(5, 0), (5, 1), (5, 3), (4, 4)])
def test_subsets_are_walked_in_order(n, k):
    subset, seen = np.arange(k), []
    while True:
        seen.append(tuple(subset.tolist()))
        if not next_subset(subset, n):
            break
    assert seen == list(itertools.combinations(range(n), k))


@pytest.mark.parametrize(("n", "depth"), [(0, 0), (5, 0), (5, 2), (6, 6), (40, 8)])
def test_subsets_are_counted(n, depth):
    assert n_subsets(n, depth) == sum(math.comb(n, k) for k in range(depth + 1))
