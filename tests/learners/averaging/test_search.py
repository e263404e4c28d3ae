"""Parent sets of whole tables: scored as defined, listed for the sampler, the same every time."""

import math

import numpy as np
import pandas as pd
import pytest

import naive
from lsbn.data import Dataset
from lsbn.learners.averaging import SearchSettings
from lsbn.learners.averaging.exact import as_subsets
from lsbn.learners.averaging.search import ParentSetSearch
from lsbn.learners.scoring import PUBLISHED, Score
from lsbn.network.generators import random_network


def small_table(rows=60, seed=0):
    return random_network(5, states=(2, 3), random_state=seed).sample(rows, random_state=seed)


def naive_families(dataset, score, max_parents=None):
    columns, cards = dataset.codes.tolist(), dataset.cards.tolist()
    return naive.families(
        score.kind, score.ess, columns, cards, max_parents, score.prior, score.density or 1 / 5
    )


def as_families(sets):
    """{frozenset: score} of each variable, read from the lists of the kernels."""
    lists = sets.lists
    found = []
    for v in range(sets.n_variables):
        own = lists.cand[lists.cand_start[v] : lists.cand_start[v + 1]]
        span = range(lists.set_start[v], lists.set_start[v + 1])
        names = [
            frozenset(own[[int(lists.set_mask[s]) >> i & 1 == 1 for i in range(len(own))]].tolist())
            for s in span
        ]
        found.append(
            dict(zip(names, lists.set_score[span.start : span.stop].tolist(), strict=True))
        )
        assert len(found[-1]) == len(span)
    return found


@pytest.mark.parametrize(
    "score",
    [
        Score(),
        Score("k2"),
        Score("bic", prior="sizes"),
        Score("bdeu", 7.5, prior="none"),
        Score("mixed", density=0.3),
    ],
)
def test_enumeration_scores_every_set(score):
    dataset = Dataset.from_table(small_table())
    search = ParentSetSearch(dataset, score, SearchSettings())
    search.enumerate_all()
    start, masks, scores = as_subsets(search)
    for v, family in enumerate(naive_families(dataset, score)):
        own = slice(start[v], start[v + 1])
        found = dict(zip(masks[own].tolist(), scores[own], strict=True))
        wanted = {sum(1 << u for u in members): score for members, score in family.items()}
        assert found == pytest.approx(wanted, abs=1e-8)


@pytest.mark.parametrize("bound", [1, 2])
def test_enumeration_keeps_to_the_bound(bound):
    dataset = Dataset.from_table(small_table())
    search = ParentSetSearch(dataset, Score(), SearchSettings())
    search.enumerate_all(bound)
    for found, wanted in zip(
        as_families(search.listed()), naive_families(dataset, Score(), bound), strict=True
    ):
        assert found == pytest.approx(wanted, abs=1e-8)


def test_listed_sets_lose_next_to_nothing():
    dataset = Dataset.from_table(small_table(800))
    search = ParentSetSearch(dataset, Score(), SearchSettings())
    search.enumerate_all()
    families = naive_families(dataset, Score())
    for found, wanted in zip(as_families(search.listed()), families, strict=True):
        assert set(found) == naive.undominated(wanted, 25.0)
        for allowed in wanted:
            assert naive.log_family(found, allowed) == pytest.approx(
                naive.log_family(wanted, allowed), abs=1e-8
            )


def test_exploring_adds_scored_sets_and_forgets_none_that_count():
    dataset = Dataset.from_table(small_table(400))
    families = naive_families(dataset, Score())
    search = ParentSetSearch(dataset, Score(), SearchSettings())
    everyone = [np.arange(5)] * 5
    search.explore(everyone, 0)
    first = as_families(search.listed())
    search.explore([np.arange(v) for v in range(5)], 1)
    second = as_families(search.listed())
    for before, after, wanted in zip(first, second, families, strict=True):
        assert after == pytest.approx({s: wanted[s] for s in after}, abs=1e-8)
        assert set(before) <= set(after)
        assert max(wanted, key=wanted.get) in before


def test_constant_variables_have_no_parents_and_no_children():
    table = small_table().assign(k="same")
    dataset = Dataset.from_table(table[["X0", "k", "X1", "X2"]])
    search = ParentSetSearch(dataset, PUBLISHED, SearchSettings())
    search.explore([search.varying] * 4, 0)
    families = as_families(search.listed())
    assert families[1] == {frozenset(): pytest.approx(0.0)}
    assert all(1 not in members for family in families for members in family)


@pytest.mark.parametrize("enumerated", [True, False])
def test_threads_change_nothing(enumerated):
    table = random_network(14, random_state=2).sample(200, random_state=2)
    dataset = Dataset.from_table(table)

    def lists(n_jobs):
        search = ParentSetSearch(dataset, Score(), SearchSettings().bounded(3), n_jobs)
        if enumerated:
            search.enumerate_all()
        else:
            search.explore([np.arange(14)] * 14, 0)
        return search.listed().lists

    for one, two in zip(lists(1), lists(3), strict=True):
        np.testing.assert_array_equal(one, two)


def test_at_most_64_candidates_of_hundreds():
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=(80, 200))
    codes[:, 0] = codes[:, 1] ^ (rng.random(80) < 0.2)
    dataset = Dataset.from_table(codes)
    search = ParentSetSearch(
        dataset, Score(), SearchSettings(max_sets=1000, delta=100.0).bounded(2)
    )
    search.explore([np.arange(200)] * 200, 0)
    search.explore([np.arange(100, 200)] * 200, 1)
    sets = search.listed()
    assert np.diff(sets.lists.cand_start).max() <= 64
    assert (np.diff(sets.lists.set_start) >= 1).all()


def test_a_set_never_has_more_parameters_than_rows():
    rng = np.random.default_rng(1)
    wide = rng.integers(20, size=(60, 3))
    dataset = Dataset.from_table(pd.DataFrame(wide, columns=["a", "b", "c"]))
    search = ParentSetSearch(dataset, Score(), SearchSettings(extended=0))
    search.explore([np.arange(3)] * 3, 0)
    assert [set(family) for family in as_families(search.listed())] == [{frozenset()}] * 3


@pytest.mark.parametrize(
    "options",
    [
        {"kind": "aic"},
        {"ess": 0.0},
        {"ess": -1.0},
        {"density": 0.0},
        {"density": 1.0},
        {"prior": "flat"},
        {"prior": "sizes", "density": 0.1},
    ],
)
def test_unknown_scores_are_refused(options):
    with pytest.raises(ValueError, match=r"unknown (score|prior)|must be|has no density"):
        Score(**options)


@pytest.mark.parametrize("density", [0.02, 0.4])
def test_a_density_gives_a_prior_over_the_graphs_of_an_order(density):
    penalty = Score(density=density).penalty(6, 5)
    ways = [[math.comb(before, k) for k in range(6)] for before in range(6)]
    assert np.prod(ways @ np.exp(penalty)) == pytest.approx(1.0)
    assert np.exp(np.diff(penalty)) == pytest.approx(density / (1 - density))


def test_scoring_again_is_scoring_by_the_other_score_and_settles_nothing():
    dataset = Dataset.from_table(small_table(200))
    search = ParentSetSearch(dataset, Score("bdeu"), SearchSettings())
    search.explore([np.arange(5)] * 5, 0)
    search.rescore(Score("mixed"))
    other = ParentSetSearch(dataset, search.score, SearchSettings())
    other.enumerate_all()
    wanted = as_families(other.listed())
    for v, family in enumerate(as_families(search.listed())):
        assert family == pytest.approx({s: wanted[v][s] for s in family}, abs=1e-6)
        assert set().union(*family) <= set(search.candidates()[v].tolist())
    assert not search.settled(np.arange(5) / 5).any()


def test_a_variable_is_settled_once_its_best_set_was_searched():
    dataset = Dataset.from_table(small_table(800))
    search = ParentSetSearch(dataset, Score(), SearchSettings())
    keys = np.arange(5) / 5
    predecessors = [np.arange(v) for v in range(5)]
    search.explore([None] * 4 + [predecessors[4]], 0)
    assert search.settled(keys).tolist() == [False] * 4 + [True]
    search.explore(predecessors, 1)
    assert search.settled(keys).all()


@pytest.mark.parametrize("seed", range(3))
def test_best_parents_are_the_best_sets_among_predecessors(seed):
    dataset = Dataset.from_table(small_table(800))
    search = ParentSetSearch(dataset, Score(), SearchSettings())
    search.explore([np.arange(5)] * 5, 0)
    keys = np.random.default_rng(seed).random(5)
    graph = search.best_graph(keys)
    for v, family in enumerate(as_families(search.listed())):
        before = {u for u in range(5) if keys[u] < keys[v]}
        best = max((s for s in family if s <= before), key=family.get)
        assert set(graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist()) == best


def test_sets_that_count_in_an_order_are_admitted_first():
    """If the list is full, a later set replaces the best one, unless an order needs it."""
    rng = np.random.default_rng(0)
    cause, other = rng.integers(2, size=(2, 500))
    effect = np.where(rng.random(500) < 0.9, cause, 1 - cause)
    dataset = Dataset.from_table(pd.DataFrame({"c": cause, "o": other, "e": effect}))

    def candidate(orders):
        settings = SearchSettings(extended=0, max_candidates=1)
        search = ParentSetSearch(dataset, Score(), settings)
        search.explore([None, None, np.array([0])], 0)
        search.explore([None, None, np.array([1])], 1)
        return set().union(*as_families(search.listed(orders))[2])

    assert candidate([]) == {1}
    assert candidate([np.array([0.1, 0.2, 0.3])]) == {0}


def test_undominated_lists_are_those_of_the_naive_rule():
    dataset = Dataset.from_table(small_table(300))
    search = ParentSetSearch(dataset, Score(), SearchSettings())
    search.enumerate_all()
    core = as_families(search.listed().undominated(3.0))
    for found, wanted in zip(core, naive_families(dataset, Score()), strict=True):
        assert set(found) == naive.undominated(wanted, 3.0)
