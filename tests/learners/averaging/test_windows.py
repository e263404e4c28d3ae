"""Rearranged windows, compared with all orders of the variables."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsbn.kernels.acyclic import parents_first
from lsbn.kernels.windows import ListedSets, chosen_graph, rearrange_windows
from lsbn.learners.averaging.windows import rearrange
from order_cases import best_score, keys_of, random_families, scored


def arranged(sets, keys, *windows):
    """The gain of some windows, the sets that are chosen, and the order of the new graph."""
    first = np.cumsum([0, *(len(own.scores) for own in sets)])
    members, scores = (np.concatenate([getattr(s, k) for s in sets]) for k in ("members", "scores"))
    listed = ListedSets(first, members, scores)
    rows = first[:-1] + [own.best_row(keys) for own in sets]
    sizes = np.cumsum([0, *map(len, windows)])
    flat = np.array([v for window in windows for v in window])
    before = scores[rows].sum()
    gain, order = rearrange_windows(
        listed, rows, np.argsort(keys[: len(sets)]), (sizes, flat), 1e-9
    )
    start, parents = chosen_graph(listed, rows)
    assert len(parents_first(start, parents, order)) == len(sets)
    place = np.argsort(order)
    for v in range(len(sets)):
        assert (place[parents[start[v] : start[v + 1]]] < place[v]).all()
    assert scores[rows].sum() == pytest.approx(before + gain)
    return gain, rows, order


def sum_of_scores(sets, rows):
    """The score of a graph, given the set of each variable."""
    return sum(own.scores[row] for own, row in zip(sets, rows, strict=True))


def best_rows(sets, rows, window):
    """The sets of the best graph in which other variables keep theirs, by all combinations."""
    choices = [range(len(own.scores)) if v in window else [rows[v]] for v, own in enumerate(sets)]
    best = list(rows)
    for chosen in product(*choices):
        members = [own.members[row] for own, row in zip(sets, chosen, strict=True)]
        start = np.cumsum([0, *((row >= 0).sum() for row in members)])
        parents = np.array([u for row in members for u in row if u >= 0], np.int64)
        better = sum_of_scores(sets, chosen) > sum_of_scores(sets, best) + 1e-9
        if better and len(parents_first(start, parents, np.arange(len(sets)))):
            best = list(chosen)
    return best


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(3, 6), st.integers(2, 4))
def test_a_window_gets_its_best_graph(seed, n, size):
    rng = np.random.default_rng(seed)
    sets, keys = scored(random_families(rng, n, 4)), rng.random(n)
    window = rng.choice(n, min(size, n), replace=False)
    gain, _, _ = arranged(sets, keys, window)
    rows = best_rows(sets, [own.best_row(keys) for own in sets], set(window.tolist()))
    assert best_score(sets, keys) + gain == pytest.approx(sum_of_scores(sets, rows))


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(4, 6))
def test_each_window_begins_with_the_graph_of_the_window_before(seed, n):
    """Windows overlap; one after the other, each gets its best graph."""
    rng = np.random.default_rng(seed)
    sets, keys = scored(random_families(rng, n, 4)), rng.random(n)
    windows = [rng.choice(n, 3, replace=False) for _ in range(3)]
    rows = [own.best_row(keys) for own in sets]
    for window in windows:
        rows = best_rows(sets, rows, set(window.tolist()))
    _, found, _ = arranged(sets, keys, *windows)
    first = np.cumsum([0, *(len(own.scores) for own in sets)])
    assert (found - first[:-1]).tolist() == rows


def test_a_window_that_has_no_graph_stays():
    """The order has a cycle through the other variable, so no sets of the window are possible."""
    listed = ListedSets(np.arange(3), np.array([[1], [0]], np.int32), np.zeros(2))
    rows, windows = np.arange(2), (np.array([0, 1]), np.array([0]))
    gain, order = rearrange_windows(listed, rows, np.arange(2), windows, 1e-9)
    assert (gain, rows.tolist(), order.tolist()) == (0.0, [0, 1], [0, 1])


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_a_window_of_all_variables_finds_the_best_graph(seed, n):
    rng = np.random.default_rng(seed)
    sets, keys = scored(random_families(rng, n, 6)), rng.random(n)
    gain, _, _ = arranged(sets, keys, np.arange(n))
    best = max(best_score(sets, keys_of(*order)) for order in permutations(range(n)))
    assert best_score(sets, keys) + gain == pytest.approx(best)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(2, 25))
def test_the_best_graph_is_never_worse(seed, n):
    rng = np.random.default_rng(seed)
    sets, keys = scored(random_families(rng, n, 8)), rng.random(n)
    found = rearrange(sets, keys, rng)
    assert best_score(sets, found) >= best_score(sets, keys) - 1e-9
    assert sorted(found) == sorted(keys)


def test_several_variables_change_their_places_at_once():
    """1 and 2 explain 0 only together, and lose more alone; no single move gains."""
    together = [{(): 0.0, (1, 2): 9.0}, {(): 0.0, (0,): 4.0}, {(): 0.0, (0,): 4.0}]
    sets, keys = scored(together), keys_of(0, 1, 2)
    assert best_score(sets, rearrange(sets, keys, np.random.default_rng(0))) == 9.0


def test_a_path_through_other_variables_keeps_its_direction():
    """0 -> 3 -> 1 by 3, which is outside: 1 -> 0 would close a cycle."""
    sets = scored([{(): 0.0, (1,): 5.0}, {(): 0.0, (3,): 1.0}, {(): 0.0}, {(0,): 0.0}])
    keys = keys_of(0, 3, 1, 2)
    assert arranged(sets, keys, [0, 1])[0] == pytest.approx(4.0)  # 1 loses 3, then 1 -> 0
    sets = scored([{(): 0.0, (1,): 5.0}, {(3,): 1.0}, {(): 0.0}, {(0,): 0.0}])
    assert arranged(sets, keys, [0, 1])[0] == 0.0


def test_variables_that_precede_all_are_always_possible():
    sets = scored([{(): 0.0, (3,): 2.0}, {(): 0.0, (0, 3): 5.0}])
    gain, rows, _ = arranged(sets, np.array([0.9, 0.8, 0.0, 0.1]), [0, 1])
    assert (gain, rows.tolist()) == (5.0, [1, 3])


def test_nothing_better_leaves_the_keys():
    sets, keys = scored([{(): 0.0}, {(): 0.0, (0,): 1.0}]), keys_of(0, 1)
    assert rearrange(sets, keys, np.random.default_rng(0)) is keys
