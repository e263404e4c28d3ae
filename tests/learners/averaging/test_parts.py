"""Searches in parts: like the whole where no edge crosses, the same for any number of jobs."""

from itertools import chain

import numpy as np
import pytest

from lsbn.data import Dataset
from lsbn.knowledge import Knowledge, resolve
from lsbn.learners import Candidates, Score
from lsbn.learners.averaging import SearchSettings, learn_model_averaging
from lsbn.learners.averaging.part_search import PartPlan, PartTask, search_part
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
    searches = IndependentSearches(search, plan.score, plan.sampling, np.random.default_rng(5))
    united = searches.run(pool)
    assert found.side_scores == united.scores
    assert np.array_equal(found.keys[0], united.orders[0].keys)
    assert np.array_equal(found.counts, np.diff(united.sets.lists.set_start))
    assert found.sides.any(axis=0).all()
    assert found.members.max() > SIZE


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


def test_knowledge_holds_between_parts(crossing):
    dataset, candidates = crossing
    told = Knowledge(required=[("x6", "x3")], forbidden=[("x8", "x9"), ("x9", "x8")])
    edges = averaged(dataset, candidates, knowledge=resolve(told, dataset.names))
    assert edges[6, 3] == 1
    assert edges[8, 9] == edges[9, 8] == 0
