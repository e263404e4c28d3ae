"""Search and listing of parent sets, against exhaustive enumeration."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from lsbn.kernels import lookup, parents
from lsbn.kernels.bits import bit_columns
from lsbn.kernels.direction import Prior

ESS = 1.0


class Case:
    """A random table in which variable 0 depends on some others, and its naive families."""

    def __init__(self, seed, cards, rows):
        rng = np.random.default_rng(seed)
        self.cards = np.asarray(cards)
        codes = np.array([rng.integers(r, size=rows) for r in cards], np.uint8)
        cause = codes[1].astype(int) + codes[-1]
        codes[0] = np.where(rng.random(rows) < 0.7, cause % cards[0], codes[0])
        self.codes, self.bits = codes, bit_columns(codes, self.cards)
        self.n = len(cards)
        self.tables = lookup.make_lookup(lookup.BDEU, ESS)
        sizes = -np.log([1.0, *np.cumprod(np.arange(self.n - 1, 0, -1.0))][: self.n])
        self.prior = Prior(sizes, rng.normal(size=self.n))
        self.pool = np.arange(1, self.n)

    def wanted(self, members):
        chosen = sorted(members)
        columns = [self.codes[u].tolist() for u in chosen]
        score = naive.family_score(
            "bdeu", ESS, self.codes[0].tolist(), self.cards[0], columns, self.cards[chosen]
        )
        return score + self.prior.sizes[len(chosen)] + self.prior.leaning[chosen].sum()

    def family(self, pool=None, affordable=False):
        pool = self.pool.tolist() if pool is None else pool
        sets = [s for k in range(len(pool) + 1) for s in itertools.combinations(pool, k)]
        if affordable:
            sets = [s for s in sets if self.affords(s)]
        return {frozenset(s): self.wanted(s) for s in sets}

    def affords(self, members):
        free = (self.cards[0] - 1) * np.prod(self.cards[list(members)])
        return not members or free <= self.codes.shape[1]

    def grow(self, beams, wide, margin, pool=None, barred=-1, room=None):
        pool = self.pool if pool is None else np.asarray(pool, np.int64)
        arguments = (*self.bits, self.codes, self.tables, 0, pool)
        return parents.grow_parent_sets(
            *arguments,
            np.asarray(beams),
            np.asarray(wide),
            self.prior,
            margin,
            self.codes.shape[1] if room is None else room,
            barred,
            parents.empty_scans(len(pool), len(self.prior.sizes) - 1),
        )

    def limits(self, limits):
        return (limits[0], self.codes.shape[1], *limits[1:])

    def explore(self, beams, wide, limits, pool=None):
        pool = self.pool if pool is None else np.asarray(pool, np.int64)
        arguments = (*self.bits, self.codes, self.tables, 0, pool, self.pool)
        return parents.explore_parent_sets(
            *arguments, np.asarray(beams), np.asarray(wide), self.prior, self.limits(limits)
        )


def as_sets(rows):
    found = []
    for row in rows.tolist():
        k = sum(u >= 0 for u in row)
        assert row[:k] == sorted(set(row[:k]))
        assert row[k:] == [-1] * (len(row) - k)
        found.append(frozenset(row[:k]))
    return found


cases = st.builds(
    Case,
    st.integers(0, 10_000),
    st.lists(st.integers(2, 3), min_size=3, max_size=6),
    st.integers(20, 120),
)
HUGE = [1000] * 8


@settings(deadline=None, max_examples=40)
@given(cases, st.sampled_from([(1, 3, 2, 2, 1), (1, 1, 1, 1, 1)]), st.sampled_from([2.0, 10.0]))
def test_grown_sets_have_their_scores(case, beams, margin):
    sets, found = case.grow(beams, (1, 1, 0, 0, 0), margin)
    names = as_sets(sets)
    assert len(set(names)) == len(names)
    assert names[0] == frozenset()
    for members, score in zip(names, found, strict=True):
        assert score == pytest.approx(case.wanted(members), abs=1e-8)
        assert case.affords(sorted(members))


@settings(deadline=None, max_examples=30)
@given(cases)
def test_wide_beams_miss_nothing(case):
    """Every set is found up to the first size that brings no new best."""
    names = as_sets(case.grow(HUGE, HUGE, np.inf)[0])
    family = case.family(affordable=True)
    best, last = family[frozenset()], case.n - 1
    for k in range(1, case.n):
        level = [score for s, score in family.items() if len(s) == k]
        if k > 1 and max(level, default=-np.inf) <= best:
            last = k
            break
        best = max([best, *level])
    assert set(names) == {s for s in family if len(s) <= last}


def test_growth_keeps_to_the_pool_and_to_the_margin():
    case = Case(1, [2, 3, 2, 2, 3, 2], 100)
    sets, found = case.grow(HUGE, HUGE, 3.0, pool=[1, 3, 5])
    names = as_sets(sets)
    assert set().union(*names) <= {1, 3, 5}
    by_name = dict(zip(names, found, strict=True))
    for s, score in by_name.items():
        below = [by_name[s - {u}] for u in s if s - {u} in by_name]
        assert not s or score >= min(below) - 3.0


def test_a_family_never_has_more_parameters_than_there_is_room():
    case = Case(1, [3, 2, 2, 2, 2], 400)
    sets, _ = case.grow(HUGE, HUGE, 1e6, room=8)
    assert max(map(len, as_sets(sets))) == 2
    assert max(map(len, as_sets(case.grow(HUGE, HUGE, 1e6)[0]))) > 2


def test_an_empty_pool_gives_the_empty_set():
    case = Case(1, [2, 2, 2], 50)
    sets, found = case.grow(HUGE, HUGE, 5.0, pool=[])
    assert as_sets(sets) == [frozenset()]
    sets, found = case.explore(HUGE, HUGE, (5.0, 5.0, 10, 1, 0), pool=[])
    assert set(as_sets(sets)) == {frozenset()}
    assert found[0] == pytest.approx(case.wanted(()))


@settings(deadline=None, max_examples=30)
@given(cases)
def test_explored_sets_have_their_scores_and_hold_the_best(case):
    limits = (1e6, 1e6, 10_000, 3, 16)
    sets, found = case.explore(HUGE, HUGE, limits)
    names = as_sets(sets)
    family = case.family()
    for members, score in zip(names, found, strict=True):
        assert score == pytest.approx(family[members], abs=1e-8)
    grown = set(as_sets(case.grow(HUGE, HUGE, 1e6)[0]))
    best = max(grown, key=family.get)
    assert best in names
    below = [frozenset(s) for k in range(len(best)) for s in itertools.combinations(best, k)]
    assert set(below) <= set(names)
    for u in best:
        smaller = set(as_sets(case.grow(HUGE, HUGE, 1e6, pool=sorted({*case.pool} - {u}))[0]))
        assert max(smaller, key=family.get) in names


def test_exploring_looks_one_step_beyond_the_pool():
    case = Case(3, [3, 2, 2, 2, 2], 400)
    limits = (10.0, 10.0, 20, 1, 2)
    sets, found = case.explore(HUGE, HUGE, limits, pool=[1, 2, 3])
    outside = [s for s in as_sets(sets) if 4 in s]
    assert frozenset([1, 4]) in outside
    assert len(outside) <= 2
    assert found[as_sets(sets).index(frozenset([1, 4]))] > case.wanted([1])


def test_a_pair_that_shows_only_together_is_grown():
    """Two of twelve, neither of which says anything alone: level 1 does not stop the growth."""
    rng = np.random.default_rng(0)
    case = Case(0, [2] * 13, 400)
    case.codes[0] = case.codes[4] ^ case.codes[9] ^ (rng.random(400) < 0.1)
    case.bits = bit_columns(case.codes, case.cards)
    assert max(case.wanted([4]), case.wanted([9])) < case.wanted([])
    sets, found = case.grow((1, 12, 6), (1, 2, 2), 10.0)
    assert as_sets(sets)[np.argmax(found)] == {4, 9}


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
    candidates, masks, listed, rows = parents.list_parent_sets(sets, found, stamps, 64, margin)
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
    candidates, masks, listed, _ = parents.list_parent_sets(sets, found, stamps, 64, margin)
    kept = dict(zip(unlisted(candidates, masks), listed, strict=True))
    for k in range(7):
        for allowed in itertools.combinations(range(6), k):
            whole, part = naive.log_family(values, allowed), naive.log_family(kept, allowed)
            inside = [s for s in values if s <= set(allowed)]
            assert max(inside, key=values.get) in kept
            assert part <= whole + 1e-9
            assert np.exp(whole - part) - 1 <= np.exp(-margin) * len(inside)


@pytest.mark.parametrize("most", [3, 10, 64])
def test_the_latest_stamps_win_the_places(most):
    rng = np.random.default_rng(most)
    n_sets = 400
    sets, found, stamps, _ = random_list(5, n_sets, 150, most=3)
    found[stamps == 2] -= 100.0
    candidates, masks, listed, _ = parents.list_parent_sets(sets, found, stamps, most, np.inf)
    assert len(candidates) <= most
    names = as_sets(sets)
    admitted = set()
    wanted = set()
    for s in sorted(range(n_sets), key=lambda s: (-stamps[s], -found[s])):
        if len(admitted | names[s]) <= most:
            admitted |= names[s]
            wanted.add(names[s])
    assert set(candidates.tolist()) == admitted
    assert set(unlisted(candidates, masks)) == wanted
    assert (np.diff(listed) <= 0).all()
    shuffled = rng.permutation(n_sets)
    again = parents.list_parent_sets(
        sets[shuffled], found[shuffled], stamps[shuffled], most, np.inf
    )
    assert set(unlisted(again[0], again[1])) == wanted


def test_compress_drops_unused_positions():
    masks = np.array([0b1001000, 0b1000, 0, 1 << 63], np.uint64)
    used, compressed = parents.compress(masks)
    assert used.tolist() == [3, 6, 63]
    assert compressed.tolist() == [0b011, 0b001, 0, 0b100]
    used, compressed = parents.compress(np.zeros(1, np.uint64))
    assert used.tolist() == []
    assert compressed.tolist() == [0]


def test_undominated_by_the_definition():
    masks = np.array([0, 0b1, 0b11, 0b10, 0b111], np.uint64)
    values = np.array([5.0, 4.0, 3.5, 1.0, 0.9])
    keep = parents.undominated(masks, values, 3.0)
    assert keep.tolist() == [True, True, True, False, False]


@settings(deadline=None, max_examples=20)
@given(cases)
def test_barring_a_parent_is_searching_without_it(case):
    """Also when the scans of an earlier search are at hand."""
    if case.n < 4:
        return
    beams, wide = np.array([1, 3, 2]), np.array([1, 2, 1])
    arguments = (*case.bits, case.codes, case.tables, 0)
    scans = parents.empty_scans(len(case.pool), case.n - 1)
    limits = (beams, wide, case.prior, 5.0, case.codes.shape[1])
    parents.grow_parent_sets(*arguments, case.pool, *limits, -1, scans)
    sets, found = parents.grow_parent_sets(*arguments, case.pool, *limits, 1, scans)
    alone = case.grow(beams, wide, 5.0, pool=case.pool[1:])
    assert dict(zip(as_sets(sets), found, strict=True)) == dict(
        zip(as_sets(alone[0]), alone[1], strict=True)
    )
