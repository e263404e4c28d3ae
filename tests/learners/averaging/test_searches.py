"""Independent searches, their union and their comparison."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from lsbn.data import Dataset
from lsbn.kernels.tempering import best_visited
from lsbn.learners import Diagnostics, Score
from lsbn.learners.averaging import SearchSettings, learn_model_averaging, rounds
from lsbn.learners.averaging.convergence import (
    compare_sides,
    searches_disagree,
    warn_of_disagreement,
)
from lsbn.learners.averaging.edge_prior import EdgePrior
from lsbn.learners.averaging.exact import scoring_seconds
from lsbn.learners.averaging.rounds import RoundSearch
from lsbn.learners.averaging.sampler import OrderSampler
from lsbn.learners.averaging.search import ParentSetSearch
from lsbn.learners.averaging.searches import IndependentSearches
from lsbn.learners.averaging.settings import EFFORTS, SamplingSettings
from lsbn.network import load_network


@pytest.fixture(scope="module")
def alarm():
    table = load_network("alarm").sample(1_000, random_state=3)
    return Dataset.from_table(table[sorted(table.columns)])


def searched(dataset, seed, **settings):
    search = ParentSetSearch(dataset, Score(), SearchSettings(**settings))
    rng = np.random.default_rng(seed)
    return IndependentSearches(search, Score(), SamplingSettings(), rng).run()


def test_sides_agree_and_so_does_another_seed(alarm):
    first, second = searched(alarm, 0), searched(alarm, 1)
    for found in (first, second):
        assert np.ptp(found.scores) <= SearchSettings().agreement
        assert found.log_score >= max(found.scores) - 3
    assert first.log_score == pytest.approx(second.log_score, abs=3)


def test_sides_that_disagree_take_in_more_searches(alarm):
    found = searched(alarm, 0, agreement=1e-9, searches=3, rounds=1)
    assert found.searches == 3
    assert len(found.sides) == 2


def part_rounds(alarm, **settings):
    """Rounds of search among twelve variables, along a random order, and their first result."""
    part = alarm.select(list(range(12)))
    search = ParentSetSearch(part, Score(), SearchSettings(**settings))
    found = RoundSearch(search, None, True, SamplingSettings(), np.random.default_rng(0))
    found.search_random_order(None)
    return found, found.run([], 0, 1)


def test_tempering_only_raises_the_log_score(alarm):
    found, first = part_rounds(alarm, tempered_rounds=2)
    tempered = found.temper(first)
    assert tempered.log_score > first.log_score + 1
    assert tempered.history[0] == first.history[0]


def test_parents_are_searched_along_hot_and_random_orders(alarm, monkeypatch):
    found, first = part_rounds(alarm, tempered_rounds=3, rounds=0)
    visited, searched = [], []

    def watched(lists, links, replicas, sweeps, rng):
        best = best_visited(lists, links, replicas, sweeps, rng)
        visited.extend([best.copy(), *replicas[0][1::2].copy()])
        assert sweeps == 30
        return best

    search_order = found._search_order

    def search_along(keys, *bounds, **options):
        searched.append(keys)
        search_order(keys, *bounds, **options)

    monkeypatch.setattr(rounds, "best_visited", watched)
    monkeypatch.setattr(found, "_search_order", search_along)
    found.temper(first)
    assert len(visited) == 3 * (1 + 3)
    along = np.array(searched).reshape(3, 5, 12)
    np.testing.assert_array_equal(along[:, :4].reshape(12, 12), visited)
    assert len(np.unique(along[:, 4], axis=0)) == 3
    assert len({tuple(np.argsort(keys)) for keys in visited}) > 3


@pytest.mark.parametrize(("searches", "temperatures"), [(1, None), (2, 6)])
def test_chains_are_tempered_if_searches_disagreed(alarm, monkeypatch, searches, temperatures):
    """Their average is that of all orders."""
    part = alarm.select(list(range(9)))
    run = IndependentSearches.run
    monkeypatch.setattr(
        IndependentSearches, "run", lambda self, pools: replace(run(self, pools), searches=searches)
    )
    rng = np.random.default_rng(0)
    sampler = OrderSampler(part, Score(), SearchSettings(), SamplingSettings(), rng)
    average, notes = sampler.run()
    assert notes.temperatures == temperatures
    exact = learn_model_averaging(part, method="exact").edges.matrix
    np.testing.assert_allclose(average.toarray(), exact.toarray(), atol=0.03)


def test_an_exchange_rearranges_the_graphs_of_its_walks(alarm, monkeypatch):
    found, first = part_rounds(alarm, exchanges=4, exchange_patience=9)
    search, gains, moved = found.search, [], []
    rearranged = search.rearranged

    def watched(keys, rng):
        moved.append(rearranged(keys, rng))
        gains.append(search.log_score(moved[-1]) - search.log_score(keys))
        return moved[-1]

    monkeypatch.setattr(search, "rearranged", watched)
    best = found.exchange(first, 0, 9).orders[0].keys
    assert search.log_score(best) >= max(map(search.log_score, moved)) - 0.1
    assert len(moved) % search.settings.walks == 0
    assert max(gains) > 1


@pytest.mark.parametrize(
    ("kind", "small", "exchanges", "tempered"),
    [("mixed", 64, 7, 2), ("mixed", 0, 7, 0), ("bdeu", 64, 3, 0)],
)
def test_further_searches_walk_and_are_tempered(
    alarm, monkeypatch, kind, small, exchanges, tempered
):
    """Two sides disagree after their first searches; each unites its own with a second one.

    Each search by the mixed score ends with a walk, and so do each union and the last one.
    """
    called, scores = [], [[-20.0, -10.0, -10.0], [-10.0] * 3]
    for name in ("exchange", "temper"):
        monkeypatch.setattr(
            RoundSearch, name, lambda self, found, *limits, name=name: called.append(name) or found
        )
    monkeypatch.setattr(IndependentSearches, "_compare", lambda self, sides: scores.pop(0))
    settings = SearchSettings(rounds=1, small_network=small, least_after_doubt=2)
    search = ParentSetSearch(alarm.select(list(range(8))), Score(kind), settings)
    rng = np.random.default_rng(0)
    assert IndependentSearches(search, Score(kind), SamplingSettings(), rng).run().searches == 2
    assert (called.count("exchange"), called.count("temper")) == (exchanges, tempered)


def test_the_mixed_score_finds_in_whole_pools_what_no_table_has_found(alarm):
    part = alarm.select(list(range(12)))
    pools, sampling = [np.delete(np.arange(12), v) for v in range(12)], SamplingSettings()
    for kind in ("bdeu", "mixed"):
        search = ParentSetSearch(part, Score(kind), SearchSettings(small_network=0))
        search_rounds = RoundSearch(search, pools, True, sampling, np.random.default_rng(0))
        empty = search_rounds.run([], 0, 1)
        found = search_rounds.search_pools(empty)
        if kind == "bdeu":
            assert found is empty
        else:
            assert found.log_score > empty.log_score + 100
            wanted = searched(part, 1).log_score
            assert found.log_score == pytest.approx(wanted, abs=3)


def test_after_a_doubt_a_small_network_is_not_settled_by_two_searches(alarm, monkeypatch):
    part = alarm.select(list(range(12)))
    scores = [[-20.0, -10.0, -10.0], *[[-10.0] * 3] * 3]
    monkeypatch.setattr(IndependentSearches, "_compare", lambda self, sides: scores.pop(0))
    assert searched(part, 0, tempered_rounds=1, rounds=1).searches == 3


def test_one_side_is_not_compared(alarm):
    found = searched(alarm, 0, sides=1)
    assert found.sides == found.scores == []


def test_the_union_has_the_sets_of_both_searches(alarm):
    search = ParentSetSearch(alarm, Score("bdeu"), SearchSettings())
    left, right = search.fork(), search.fork()
    n = alarm.n_variables
    left.explore([np.arange(n // 2)] * n, 0)
    right.explore([np.arange(n // 2, n)] * n, 0)
    right.take_prior(EdgePrior(0.2))
    apart = [{tuple(row) for row in s.members.tolist()} for s in (left._sets[0], right._sets[0])]
    left.unite(right)
    assert {tuple(row) for row in left._sets[0].members.tolist()} == set.union(*apart)
    assert len(left._sets[0].scores) == len(set.union(*apart))
    again = left._scores(0, left._sets[0].members, Score("bdeu").lookup())
    np.testing.assert_allclose(left._sets[0].scores, again, rtol=1e-9)


def test_an_exchange_reverses_each_edge_of_the_best_graph(alarm):
    search = ParentSetSearch(alarm, Score("bdeu"), SearchSettings())
    n = alarm.n_variables
    keys = np.random.default_rng(0).random(n)
    before = np.arange(n)
    search.explore([before[keys < keys[v]] for v in range(n)], 0)
    keys = 1 - keys
    best = [{v, *(u for u in search._sets[v].best(keys).tolist() if u >= 0)} for v in range(n)]
    assert search.exchange(keys, 1) > 0
    for v, family in enumerate(best):
        for u in family - {v}:
            rows = [{w for w in row if w >= 0} for row in search._sets[u].members.tolist()]
            size = np.prod(alarm.cards[list(family - {u})]) * (alarm.cards[u] - 1)
            assert family - {u} in rows or size > alarm.n_rows


def test_comparison_counts_edges_that_differ():
    average = sparse.csr_array(np.array([[0, 0.9, 0.5], [0, 0, 0.3], [0, 0, 0]]))
    alike = sparse.csr_array(np.array([[0, 0.88, 0.52], [0, 0, 0.3], [0, 0, 0]]))
    other = sparse.csr_array(np.array([[0, 0.02, 0.5], [0, 0, 0.3], [0, 0, 0]]))

    class Found:
        searches = 2

    def compared(average, *sides):
        return compare_sides(Diagnostics(r_hat=1.01), average, sides, Found, 2.0, "abc")

    Found.scores = [-10.0, -10.5, -9.9]
    same = compared(average, alike, alike)
    assert (same.searches, same.searches_compared, same.searches_agreed) == (4, 2, 2)
    assert (same.doubtful_edges, same.r_hat) == (0, 1.01)
    assert not searches_disagree(same)
    nothing = sparse.csr_array((3, 3))
    assert compared(nothing, nothing, nothing).doubtful_share == 0
    Found.scores = [-30.0, -10.5, -9.9]
    apart = compared(average, other, alike)
    assert (apart.searches_agreed, apart.doubtful_edges) == (1, 1)
    assert apart.doubtful_share == pytest.approx(1 / 3, abs=1e-4)
    assert apart.r_hat > 1.1
    assert apart.doubtful_variables == ["b"]
    assert searches_disagree(apart)


@pytest.mark.parametrize(("edges", "words"), [(1, "1 edge differs"), (3, "3 edges differ")])
def test_every_doubtful_edge_is_a_reason_to_warn(edges, words):
    found = Diagnostics(searches_compared=2, searches_agreed=2, doubtful_variables=["b"])
    warn_of_disagreement(replace(found, doubtful_edges=0), "standard")
    with pytest.warns(ConvergenceWarning, match=f"{words} by more than 0.1, .*edges into 'b'"):
        warn_of_disagreement(replace(found, doubtful_edges=edges), "standard")


def test_the_estimate_of_seconds_grows_with_columns_rows_and_parents(alarm):
    few = alarm.select(list(range(10)))
    assert scoring_seconds(few, Score(), 3) < scoring_seconds(few, Score(), 4)
    assert scoring_seconds(few, Score(), 3) < scoring_seconds(alarm, Score(), 3)
    assert scoring_seconds(few, Score("bdeu"), 3) < scoring_seconds(few, Score(), 3)


@pytest.mark.parametrize("effort", EFFORTS)
def test_efforts_give_diagnostics(effort, alarm):
    part = alarm.select(list(range(18)))
    found = learn_model_averaging(part, effort=effort, random_state=0).diagnostics
    assert found.log_score < 0
    assert (found.searches_agreed is None) == (effort == "quick")


def test_an_unknown_effort_is_refused(alarm):
    with pytest.raises(ValueError, match="effort is 'heroic'; use quick, standard, thorough"):
        learn_model_averaging(alarm, effort="heroic")
