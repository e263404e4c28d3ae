"""Lists of parent sets for the sampler, compared with the naive rule."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive
from kernel_cases import as_sets
from lsbn.kernels import listing


def random_list(seed, n_sets, n_variables, most=4):
    rng = np.random.default_rng(seed)
    sets = np.full((n_sets, most), -1, np.int32)
    for row in sets[1:]:
        k = rng.integers(1, most + 1)
        row[:k] = np.sort(rng.choice(n_variables, size=k, replace=False))
    names = as_sets(sets)
    values = {s: float(score) for s, score in zip(names, rng.normal(0, 6, n_sets), strict=True)}
    found = np.array([values[s] for s in names])
    return sets, found, rng.integers(0, 3, n_sets).astype(np.int32), values


def unlisted(candidates, masks):
    return [
        frozenset(int(u) for i, u in enumerate(candidates) if int(mask) >> i & 1) for mask in masks
    ]


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.integers(1, 80), st.sampled_from([0.0, 2.0, 8.0, np.inf]))
def test_listing_keeps_the_undominated_sets(seed, n_sets, margin):
    sets, found, stamps, values = random_list(seed, n_sets, 6)
    candidates, masks, listed, rows = listing.list_parent_sets(sets, found, stamps, 64, margin)
    names = unlisted(candidates, masks)
    assert len(names) == len(set(names))
    assert set(names) == naive.undominated(values, margin)
    assert set(candidates.tolist()) == set().union(*names)
    assert listed.tolist() == sorted(listed, reverse=True) == [values[s] for s in names]
    assert as_sets(sets[rows]) == names
    assert frozenset() in names


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10_000), st.sampled_from([1.0, 5.0]))
def test_what_is_dominated_hardly_counts(seed, margin):
    """F of every allowed mask loses at most exp(-margin) for each set left out."""
    sets, found, stamps, values = random_list(seed, 60, 6)
    candidates, masks, listed, _ = listing.list_parent_sets(sets, found, stamps, 64, margin)
    kept = dict(zip(unlisted(candidates, masks), listed, strict=True))
    assume(len(kept) < len(values))
    for k in range(7):
        for allowed in itertools.combinations(range(6), k):
            whole, part = naive.log_family(values, allowed), naive.log_family(kept, allowed)
            inside = [s for s in values if s <= set(allowed)]
            assert max(inside, key=values.get) in kept
            assert part <= whole + 1e-9
            assert np.exp(whole - part) - 1 <= np.exp(-margin) * len(inside)


@pytest.mark.parametrize("most", [3, 10, 64])
def test_the_latest_stamps_win_the_places_of_sets_that_are_not_light(most):
    rng = np.random.default_rng(most)
    n_sets = 400
    sets, found, stamps, _ = random_list(5, n_sets, 150, most=3)
    found[stamps == 2] -= 100.0
    candidates, masks, listed, _ = listing.list_parent_sets(sets, found, stamps, most, np.inf)
    assert len(candidates) <= most
    names = as_sets(sets)
    admitted = set()
    wanted = set()
    light = [
        any(names[b] <= names[s] and found[b] > found[s] + 4.0 for b in range(n_sets))
        for s in range(n_sets)
    ]
    assert 0 < sum(light) < n_sets
    for s in sorted(range(n_sets), key=lambda s: (light[s], -stamps[s], -found[s])):
        if len(admitted | names[s]) <= most:
            admitted |= names[s]
            wanted.add(names[s])
    assert set(candidates.tolist()) == admitted
    assert set(unlisted(candidates, masks)) == wanted
    assert (np.diff(listed) <= 0).all()
    shuffled = rng.permutation(n_sets)
    again = listing.list_parent_sets(
        sets[shuffled], found[shuffled], stamps[shuffled], most, np.inf
    )
    assert set(unlisted(again[0], again[1])) == wanted


def test_compress_drops_unused_positions():
    masks = np.array([0b1001000, 0b1000, 0, 1 << 63], np.uint64)
    used, compressed = listing.compress(masks)
    assert used.tolist() == [3, 6, 63]
    assert compressed.tolist() == [0b011, 0b001, 0, 0b100]
    used, compressed = listing.compress(np.zeros(1, np.uint64))
    assert used.tolist() == []
    assert compressed.tolist() == [0]


def test_undominated_by_the_definition():
    masks = np.array([0, 0b1, 0b11, 0b10, 0b111], np.uint64)
    values = np.array([5.0, 4.0, 3.5, 1.0, 0.9])
    keep = listing.undominated(masks, values, 3.0)
    assert keep.tolist() == [True, True, True, False, False]


@pytest.mark.parametrize("seed", range(5))
def test_lists_of_all_variables_are_those_of_each(seed):
    rng = np.random.default_rng(seed)
    counts, width = rng.integers(1, 8, size=6), 7
    start = np.concatenate([[0], np.cumsum(counts)])
    masks = rng.integers(1 << width, size=start[-1]).astype(np.uint64)
    scores = np.concatenate([-np.sort(-rng.normal(scale=5, size=count)) for count in counts])
    cand_start, cand = np.arange(7) * width, rng.integers(100, size=6 * width)
    shorter, first, kept = listing.compress_lists(start, masks, cand_start, cand)
    marks = listing.undominated_lists(start, masks, scores, 2.0)
    for v in range(6):
        own = slice(start[v], start[v + 1])
        used, wanted = listing.compress(masks[own])
        assert np.array_equal(shorter[own], wanted)
        assert np.array_equal(kept[first[v] : first[v + 1]], cand[cand_start[v] + used])
        assert np.array_equal(marks[own], listing.undominated(masks[own], scores[own], 2.0))


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10_000), st.integers(0, 6))
def test_members_that_are_always_allowed_are_summed_over(seed, n):
    families = [random_list(seed + v, 20, 6) for v in range(3)]
    lists = [listing.list_parent_sets(*family[:3], 64, np.inf) for family in families]
    cands, masks, scores, _ = map(list, zip(*lists, strict=True))
    cand_start = np.concatenate([[0], np.cumsum([len(own) for own in cands])])
    set_start = np.concatenate([[0], np.cumsum([len(own) for own in masks])])
    cand = np.concatenate(cands).astype(np.int64)
    sets = set_start, np.concatenate(masks), np.concatenate(scores)
    start, kept, sums = listing.sum_over_allowed(*sets, cand_start, cand, n)
    for v, family in enumerate(families):
        own = slice(start[v], start[v + 1])
        found = dict(zip(unlisted(cands[v], kept[own]), sums[own], strict=True))
        assert found == pytest.approx(naive.sum_over_allowed(family[3], n))
        assert sums[own].tolist() == sorted(sums[own], reverse=True)


@pytest.mark.parametrize("seed", range(5))
def test_sets_that_precede_the_child(seed):
    rng = np.random.default_rng(seed)
    keys, scores = rng.random(9), rng.normal(size=20)
    rows = [np.sort(rng.choice(8, rng.integers(0, 4), replace=False)) for _ in range(19)]
    rows = [np.empty(0, int), *rows]
    sets = np.array([[*row, *[-1] * (3 - len(row))] for row in rows], np.int32)
    wanted = [all(keys[u] < keys[8] for u in row) for row in rows]
    assert listing.preceding(sets, 8, keys).tolist() == wanted
    best = max(np.flatnonzero(wanted), key=lambda a: scores[a])
    assert listing.best_row(sets, scores, 8, keys) == best
