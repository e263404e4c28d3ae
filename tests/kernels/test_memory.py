"""Remembered scores are the scores."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lsbn.kernels import lookup
from lsbn.kernels.bits import bit_columns, byte_planes
from lsbn.kernels.memory import (
    empty_memory,
    remembered_extensions,
    remembered_score,
    set_key,
    variable_codes,
)
from lsbn.kernels.scores import extension_scores, family_score
from lsbn.kernels.state import Columns


def columns_of(seed, n=6, rows=80):
    rng = np.random.default_rng(seed)
    codes = rng.integers(2, size=(n, rows)).astype(np.uint8)
    return Columns(*bit_columns(byte_planes(codes), np.full(n, 2)), byte_planes(codes))


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 100), st.sampled_from([0, 1, 4, 64]), st.sampled_from([0, 3]))
def test_scores_are_those_without_a_memory(seed, slots, kind):
    """Also where a few slots hold many sets by turns, and at the second visit."""
    columns, tables = columns_of(seed), lookup.make_lookup(kind, 1.0)
    memory = empty_memory(variable_codes(6), slots)
    for _ in range(2):
        for parents in ([], [1], [1, 2], [2, 4], [1, 2, 5]):
            members = np.array(parents, np.int64)
            rest = np.array([u for u in range(1, 6) if u not in parents])
            want = extension_scores(columns, tables, 0, members, rest)
            got = remembered_extensions(columns, tables, 0, members, rest, memory)
            np.testing.assert_allclose(got, want, rtol=1e-12)
            score = remembered_score(columns, tables, 0, members, memory)
            np.testing.assert_allclose(score, family_score(columns, tables, 0, members), rtol=1e-12)


def test_keys_do_not_depend_on_the_order_and_differ():
    memory = empty_memory(variable_codes(50), 0)
    sets = [[], [3], [3, 7], [7], [3, 7, 40]]
    keys = [set_key(memory, np.array(s, np.int64)) for s in sets]
    assert len({int(key) for key in keys}) == len(sets)
    assert set_key(memory, np.array([7, 3])) == keys[2]
