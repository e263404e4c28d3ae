"""Search for parent sets, compared with exhaustive enumeration."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive
from kernel_cases import as_sets
from lsbn.kernels import lookup, parents
from lsbn.kernels.bits import bit_columns, byte_planes
from lsbn.kernels.direction import FamilyScorer, Prior
from lsbn.kernels.memory import empty_memory, variable_codes
from lsbn.kernels.state import Columns

ESS = 1.0


class Case:
    """A random table in which variable 0 depends on some others, and its naive families."""

    def __init__(self, seed, cards, rows):
        rng = np.random.default_rng(seed)
        self.cards = np.asarray(cards)
        codes = np.array([rng.integers(r, size=rows) for r in cards], np.uint8)
        cause = codes[1].astype(int) + codes[-1]
        codes[0] = np.where(rng.random(rows) < 0.7, cause % cards[0], codes[0])
        self.codes = codes
        self.n = len(cards)
        self.tables = lookup.make_lookup(lookup.BDEU, ESS)
        sizes = -np.log([1.0, *np.cumprod(np.arange(self.n - 1, 0, -1.0))][: self.n])
        self.prior = Prior(sizes, rng.normal(size=self.n))
        self.pool = np.arange(1, self.n)
        self.memory = empty_memory(variable_codes(self.n), 16)

    @property
    def scorer(self):
        columns = Columns(
            *bit_columns(byte_planes(self.codes), self.cards), byte_planes(self.codes)
        )
        return FamilyScorer(columns, self.tables, 0, self.prior, self.memory)

    def growth(self, beams, wide, margin, room=None, slack=0.0):
        room = self.codes.shape[1] if room is None else room
        return parents.Growth(np.asarray(beams), np.asarray(wide), margin, room, slack)

    def empty_scans(self, pool):
        return parents.empty_scans(len(pool), len(self.prior.sizes) - 1)

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

    def grow(self, beams, wide, margin, pool=None, room=None, slack=0.0):
        pool = self.pool if pool is None else np.asarray(pool, np.int64)
        growth = self.growth(beams, wide, margin, room, slack)
        return parents.grow_parent_sets(self.scorer, pool, growth, -1, self.empty_scans(pool))

    def explore(self, growth, listing, pool=None):
        pool = self.pool if pool is None else np.asarray(pool, np.int64)
        listing = parents.Listing(*listing)
        return parents.explore_parent_sets(self.scorer, pool, self.pool, growth, listing)


def random_cases(least_variables, least_rows):
    return st.builds(
        Case,
        st.integers(0, 10_000),
        st.lists(st.integers(2, 3), min_size=least_variables, max_size=6),
        st.integers(least_rows, 120),
    )


cases = random_cases(3, 20)
HUGE = [1000] * 8


@settings(deadline=None, max_examples=40)
@given(cases, st.sampled_from([(1, 3, 2, 2, 1), (1, 1, 1, 1, 1)]), st.sampled_from([2.0, 10.0]))
def test_grown_sets_have_their_scores(case, beams, margin):
    sets, found = case.grow(beams, (1, 1, 0, 0, 0), margin)
    names = as_sets(sets)
    assert len(set(names)) == len(names)
    assert names[0] == frozenset()
    assume(len(names) > 1)
    for members, score in zip(names, found, strict=True):
        assert score == pytest.approx(case.wanted(members), abs=1e-8)
        assert case.affords(sorted(members))


@settings(deadline=None, max_examples=30)
@given(cases, st.sampled_from([0.0, 1.0, 4.0]))
def test_wide_beams_miss_nothing(case, slack):
    """Every set is found, up to the first size whose best set is lower by the slack."""
    names = as_sets(case.grow(HUGE, HUGE, np.inf, slack=slack)[0])
    family = case.family(affordable=True)
    best, last = family[frozenset()], case.n - 1
    for k in range(1, case.n):
        level = [score for s, score in family.items() if len(s) == k]
        if k > 1 and max(level, default=-np.inf) <= best - slack:
            last = k
            break
        best = max([best, *level])
    assert set(names) == {s for s in family if len(s) <= last}


def test_growth_keeps_to_the_pool_and_to_the_margin():
    case = Case(1, [2, 3, 2, 2, 3, 2], 100)
    sets, found = case.grow(HUGE, HUGE, 3.0, pool=[1, 3, 5])
    names = as_sets(sets)
    assert set() < set().union(*names) <= {1, 3, 5}
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
    sets, found = case.explore(case.growth(HUGE, HUGE, 5.0), (5.0, 10, 1, 0), pool=[])
    assert set(as_sets(sets)) == {frozenset()}
    assert found[0] == pytest.approx(case.wanted(()))


@settings(deadline=None, max_examples=30)
@given(random_cases(3, 60))
def test_explored_sets_have_their_scores_and_hold_the_best(case):
    sets, found = case.explore(case.growth(HUGE, HUGE, 1e6), (1e6, 10_000, 3, 16))
    names = as_sets(sets)
    family = case.family()
    for members, score in zip(names, found, strict=True):
        assert score == pytest.approx(family[members], abs=1e-8)
    grown = set(as_sets(case.grow(HUGE, HUGE, 1e6)[0]))
    best = max(grown, key=family.get)
    assume(best)
    assert best in names
    below = [frozenset(s) for k in range(len(best)) for s in itertools.combinations(best, k)]
    assert set(below) <= set(names)
    for u in best:
        smaller = set(as_sets(case.grow(HUGE, HUGE, 1e6, pool=sorted({*case.pool} - {u}))[0]))
        assert max(smaller, key=family.get) in names


@settings(deadline=None, max_examples=30)
@given(case=random_cases(4, 5), size=st.integers(1, 3))
def test_swaps_end_where_no_exchange_of_one_parent_helps(case, size):
    family = {s: score for s, score in case.family(affordable=True).items() if len(s) == size}
    assume(family)
    start = max(family, key=sorted)
    row = np.full(case.n - 1, -1, np.int32)
    row[:size] = sorted(start)
    growth = case.growth([1], [1], 3.0)
    sets, scores = parents.swap_parents(case.scorer, case.pool, growth, row, family[start])
    for members, score in zip(as_sets(sets), scores, strict=True):
        assert score == pytest.approx(family[members])
        assert score >= family[start] - growth.margin
    best = max(as_sets(sets), key=family.__getitem__)
    near = [other for other in family if len(other & best) == size - 1]
    assert all(family[other] <= family[best] + 1e-9 for other in near)


def test_exploring_looks_one_step_beyond_the_pool():
    case = Case(3, [3, 2, 2, 2, 2], 400)
    sets, found = case.explore(case.growth(HUGE, HUGE, 10.0), (10.0, 20, 1, 2), pool=[1, 2, 3])
    outside = [s for s in as_sets(sets) if 4 in s]
    assert frozenset([1, 4]) in outside
    assert len(outside) <= 2
    assert found[as_sets(sets).index(frozenset([1, 4]))] > case.wanted([1])


def test_a_pair_that_shows_only_together_is_grown():
    """Two parents of twelve have an effect only together: level 1 does not stop the growth."""
    rng = np.random.default_rng(0)
    case = Case(0, [2] * 13, 400)
    case.codes[0] = case.codes[4] ^ case.codes[9] ^ (rng.random(400) < 0.1)
    assert max(case.wanted([4]), case.wanted([9])) < case.wanted([])
    sets, found = case.grow((1, 12, 6), (1, 2, 2), 10.0)
    assert as_sets(sets)[np.argmax(found)] == {4, 9}


@settings(deadline=None, max_examples=20)
@given(random_cases(4, 60))
def test_barring_a_parent_is_searching_without_it(case):
    """Also with the stored scans of an earlier search that found the parent."""
    beams, wide = [1, 3, 2], [1, 2, 1]
    growth, scans = case.growth(beams, wide, 5.0), case.empty_scans(case.pool)
    first, _ = parents.grow_parent_sets(case.scorer, case.pool, growth, -1, scans)
    assume(any(1 in members for members in as_sets(first)))
    assert scans.used[0] > 0
    sets, found = parents.grow_parent_sets(case.scorer, case.pool, growth, 1, scans)
    alone = case.grow(beams, wide, 5.0, pool=case.pool[1:])
    assert not any(1 in members for members in as_sets(sets))
    wanted = dict(zip(as_sets(alone[0]), alone[1], strict=True))
    assert dict(zip(as_sets(sets), found, strict=True)) == pytest.approx(wanted)
