"""Searches in parts: like the whole where no edge crosses, the same for any number of jobs."""

from itertools import chain

import numpy as np
import pytest
from scipy import sparse

from lsbn.data import Dataset
from lsbn.knowledge import Knowledge, resolve
from lsbn.learners import Candidates, Score
from lsbn.learners.averaging import SearchSettings, learn_model_averaging
from lsbn.learners.averaging.annealing import anneal_orders
from lsbn.learners.averaging.edge_prior import Blocks
from lsbn.learners.averaging.part_search import PartPlan, PartSearch, PartTask, take_in
from lsbn.learners.averaging.parts import SearchInParts
from lsbn.learners.averaging.regions import RegionalSearches, disagreeing, search_part
from lsbn.learners.averaging.rounds import RoundSearch
from lsbn.learners.averaging.sampler import OrderSampler
from lsbn.learners.averaging.search import ParentSetSearch
from lsbn.learners.averaging.searches import IndependentSearches
from lsbn.learners.averaging.settings import SamplingSettings
from lsbn.network import load_network

SIZE = 18
NOTHING = np.empty(0, np.int64)


def divided(pools, parts=()):
    """Candidates with these pools and parts."""
    return Candidates(pools, [NOTHING] * len(pools), np.empty((0, 2), np.int64), parts)


@pytest.fixture(scope="module")
def tiles():
    """Columns of two independent tables by turns, their pools, and their parts."""
    alarm = load_network("alarm")
    left, right = (alarm.sample(600, random_state=s).iloc[:, :SIZE] for s in (3, 4))
    table = left.add_prefix("a_").join(right.add_prefix("b_"))
    pairs = zip(table.columns[:SIZE], table.columns[SIZE:], strict=True)
    parts = [np.arange(side, 2 * SIZE, 2) for side in (0, 1)]
    pools = [parts[v % 2][parts[v % 2] != v] for v in range(2 * SIZE)]
    return Dataset.from_table(table[list(chain(*pairs))]), pools, parts


def learned(dataset, candidates, **options):
    options = {"score": "bdeu", "random_state": 0} | options
    return learn_model_averaging(dataset, candidates=candidates, **options)


def test_parts_without_edges_between_them_end_like_the_whole(tiles):
    dataset, pools, parts = tiles
    one, other = learned(dataset, divided(pools)), learned(dataset, divided(pools, parts))
    assert other.diagnostics.log_score == pytest.approx(one.diagnostics.log_score, abs=3)
    assert (abs(one.edges.matrix - other.edges.matrix).toarray() > 0.2).sum() <= 4
    assert other.diagnostics.searches_compared == 2
    assert other.diagnostics.search_scores[-1] == other.diagnostics.log_score


def test_a_part_alone_is_searched_like_a_network(tiles):
    dataset, _, (part, _) = tiles
    settings = SearchSettings(max_unrestricted=0, small_network=0)
    own, pool = dataset.select(part), [np.delete(np.arange(SIZE), v) for v in range(SIZE)]
    plan = PartPlan(Score("bdeu"), settings, SamplingSettings(), SIZE, 0, SIZE * (SIZE - 1) // 2)
    task = PartTask(part, SIZE, pool, None, np.random.default_rng(5))
    found = search_part(own, task, plan)
    search = ParentSetSearch(own, plan.score, settings)
    sampling = SamplingSettings(random_orders=0, restart_sweeps=10)
    searches = IndependentSearches(search, plan.score, sampling, np.random.default_rng(5))
    searches.sparing = True
    united = searches.run(pool)
    assert found.side_scores == united.scores
    assert np.array_equal(found.keys[0], united.orders[0].keys)
    assert np.array_equal(found.counts, np.diff(united.sets.lists.set_start))
    assert found.sides.any(axis=0).all()
    assert found.members.max() > SIZE


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_whole_network_is_searched_again_where_its_sides_disagree(tiles, monkeypatch, n_jobs):
    dataset, again = tiles[0], []
    further = RegionalSearches._further

    def watched(self, *options):
        again.append(self.region)
        return further(self, *options)

    monkeypatch.setattr(RegionalSearches, "_further", watched)
    settings = SearchSettings(small_network=0, agreement=1e-6)
    search = ParentSetSearch(dataset, Score(), settings, n_jobs)
    searches = RegionalSearches(
        search, Score(), SamplingSettings(), np.random.default_rng(2), n_jobs
    )
    united = searches.run()
    assert again
    assert all(0 < len(region) < dataset.n_variables for region in again)
    best = united.orders[0].keys
    assert united.whole_score == pytest.approx(searches.found.log_score(best), abs=1)
    assert united.whole_score >= max(united.scores) - 2
    assert united.sets.n_variables == dataset.n_variables


def part_search(dataset, variables, n_own):
    """Return the search of the first variables, in the order given, and a pool for each."""
    n = len(variables)
    pools = [np.delete(np.arange(n), v) for v in range(n_own)]
    task = PartTask(variables, n_own, pools, None, np.random.default_rng(0))
    plan = PartPlan(Score("bdeu"), SearchSettings(small_network=0), SamplingSettings(), 13, 0, 78)
    search = PartSearch(dataset.select(variables), task, plan)
    search.explore([*pools, *[NOTHING] * (n - n_own)], 0)
    return search


def test_variables_around_a_part_precede_it_in_every_order():
    search = part_search(crossing_table(), np.arange(13), 5)
    sets = search.listed()
    core = sets.undominated(np.inf)
    assert (core.n_variables, core.n_before) == (5, 8)
    assert core.lists.cand.max() < 5
    orders = anneal_orders(core, [], SamplingSettings(annealing_sweeps=2), np.random.default_rng(0))
    for keys, score in orders:
        assert (keys[5:] < keys[:5].min()).all()
        assert score == pytest.approx(search.log_score(keys))


def test_a_search_of_some_variables_is_taken_into_that_of_the_part():
    dataset, chosen = crossing_table(), np.array([2, 7, 12, 0, 4, 5])
    whole, some = part_search(dataset, np.arange(13), 13), part_search(dataset, chosen, 3)
    before = [set(map(tuple, sets.members.tolist())) for sets in whole._sets]
    take_in(whole, some, chosen)
    for v, sets in enumerate(whole._sets):
        after = set(map(tuple, sets.members.tolist()))
        assert after >= before[v]
        assert v in chosen[:3] or after == before[v]
        with whole.score.lent_lookup() as lookup:
            assert sets.scores == pytest.approx(whole._scores(v, sets.members, lookup))
    wanted = {tuple(sorted(chosen[row[row >= 0]])) for row in some._sets[2].members}
    assert wanted <= {tuple(row[row >= 0]) for row in whole._sets[12].members}


def test_searches_disagree_in_regions_not_in_single_terms():
    terms = np.zeros((3, 7))
    terms[1, [1, 2]] = 50, -49.5  # a region that differs by half a nat
    terms[2, [4, 5]] = 50, -40
    chain = sparse.diags_array([np.ones(6)], offsets=[1])
    links = sparse.csr_array(chain + chain.T)
    assert disagreeing(terms, links, 2.0).tolist() == [2, 3, 4, 5, 6]
    assert not len(disagreeing(terms[:2], links, 2.0))
    assert not len(disagreeing(terms[:1], links, 2.0))


def crossing_table(rows=800):
    """A chain of 12 variables, and a noisy exclusive or of two of them."""
    rng = np.random.default_rng(1)
    columns = [rng.integers(2, size=rows)]
    for _ in range(11):
        columns.append(np.where(rng.random(rows) < 0.2, 1 - columns[-1], columns[-1]))
    other = columns[2] ^ columns[7]
    columns.append(np.where(rng.random(rows) < 0.1, 1 - other, other))
    return Dataset.from_table(np.array(columns).T)


@pytest.fixture(scope="module")
def crossing():
    dataset = crossing_table()
    pools = [np.delete(np.arange(13), v) for v in range(13)]
    return dataset, divided(pools, [np.arange(0, 5), np.arange(5, 9), np.arange(9, 13)])


def averaged(dataset, candidates, n_jobs=1, knowledge=None, progress=None):
    """Edge probabilities by a search in parts."""
    settings = (SearchSettings(), SamplingSettings(), np.random.default_rng(0), n_jobs)
    sampler = OrderSampler(dataset, Score("bdeu"), *settings, knowledge=knowledge)
    sampler.parts, sampler.progress = candidates.parts, progress
    return sampler.run(candidates.neighbours)[0].toarray()


def test_edges_between_parts_are_found(crossing):
    dataset, candidates = crossing
    exact = learned(dataset, None, method="exact", max_parents=3).edges.matrix.toarray()
    found = averaged(dataset, candidates)
    assert np.abs(exact + exact.T - found - found.T).max() < 0.1


def test_any_number_of_jobs_gives_the_same_bits(crossing):
    dataset, candidates = crossing
    alone, calls = averaged(dataset, candidates), []
    both = averaged(dataset, candidates, 2, progress=lambda *pieces: calls.append(pieces))
    assert np.array_equal(alone, both)
    assert calls == [(1, 3, 0), (2, 3, 0), (3, 3, 0)]


@pytest.mark.parametrize("kind", ["bdeu", "mixed"])
def test_a_variable_joins_the_block_of_its_parents_with_any_number_of_jobs(crossing, kind):
    dataset, candidates = crossing
    blocks, found = Blocks.of(np.repeat([0, 1, -1], [9, 3, 1])[:, None]), []
    for n_jobs in (1, 2):
        settings = (SearchSettings(), SamplingSettings(), np.random.default_rng(0), n_jobs)
        sampler = OrderSampler(dataset, Score(kind), *settings, blocks=blocks)
        sampler.parts = candidates.parts
        found.append(sampler.run(candidates.neighbours)[0].toarray())
        assert sampler.search.rules.blocks.labels.ravel().tolist() == [0] * 9 + [1] * 3 + [0]
    assert np.array_equal(*found)


def parts_search(dataset, kind, **settings):
    """A search of all variables, and the searches of its parts."""
    search = ParentSetSearch(dataset, Score(kind), SearchSettings(small_network=0, **settings))
    return SearchInParts(search, Score(kind), SamplingSettings(), np.random.default_rng(0))


def test_results_come_in_the_order_of_the_parts():
    """The third part has the longest search; two parts have as many variables, but other pools."""
    dataset = crossing_table(300)
    parts = [np.array([9]), np.array([3, 4]), np.array([0, 1, 2, 10, 11, 12]), np.arange(5, 7)]
    pools = [np.setdiff1d(np.arange(13), v) for v in range(13)]
    pools[3] = pools[4] = np.array([2])
    whole = parts_search(dataset, "bdeu")
    results = whole._searched(parts, pools)
    assert [result.keys.shape[1] for result in results] == [1, 2, 6, 2]
    assert set(results[1].members.ravel()) <= {-1, 2, 3, 4}
    with whole.score.lent_lookup() as lookup:
        for sets in whole.search._sets:
            again = whole.search._scores(sets.child, sets.members, lookup)
            assert sets.scores == pytest.approx(again)


def test_the_whole_is_searched_in_its_pools_in_the_end(crossing, monkeypatch):
    (dataset, candidates), ended = crossing, []
    search_pools = RoundSearch.search_pools

    def watched(self, found):
        if len(self.search.varying) == dataset.n_variables:
            ended.append((self.bounds, search_pools(self, found)))
            return ended[-1][1]
        return search_pools(self, found)

    monkeypatch.setattr(RoundSearch, "search_pools", watched)
    whole = parts_search(dataset, "mixed", max_unrestricted=0)
    united = whole.run(candidates.neighbours, candidates.parts)
    ((bounds, last),) = ended
    for own, pool in zip(bounds, candidates.neighbours, strict=True):
        assert set(own) >= set(pool)
    assert united.history == last.history
    assert np.array_equal(united.orders[0].keys, last.orders[0].keys)


def test_knowledge_holds_between_parts(crossing):
    dataset, candidates = crossing
    told = Knowledge(required=[("x6", "x3")], forbidden=[("x8", "x9"), ("x9", "x8")])
    edges = averaged(dataset, candidates, knowledge=resolve(told, dataset.names))
    assert edges[6, 3] == 1
    assert edges[8, 9] == edges[9, 8] == 0
