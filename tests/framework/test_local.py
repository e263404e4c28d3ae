import numpy as np
import pytest

from learner_cases import collider_table, shuffled_alarm
from lsbn.data import Dataset
from lsbn.framework.blankets import blanket_candidates, markov_blankets
from lsbn.framework.local import (
    LEAST_WEIGHT,
    LocalSettings,
    _vote_weights,
    learn_communities,
    local_learn,
)
from lsbn.framework.votes import Structure
from lsbn.graph import EdgeProbabilities
from lsbn.learners import Learned, learn_model_averaging
from lsbn.pairs import PairStatistics


def test_a_small_community_is_learned_as_a_whole():
    dataset = collider_table()
    blankets = markov_blankets(dataset, PairStatistics(dataset).heaviest(["MI"], most=60))
    settings = LocalSettings(weigh_votes=True, resolve=False)
    result = local_learn(dataset, np.arange(4), blankets, settings, random_state=0)
    exact = learn_model_averaging(dataset).edges.matrix.toarray()
    found = result.structure.probabilities(4).toarray()
    assert (found + found.T > 0.5).tolist() == (exact + exact.T > 0.5).tolist()
    assert result.diagnostics.method == "exact"


def test_a_vote_counts_where_an_endpoints_blanket_is_inside():
    blankets = [np.array([1]), np.array([0, 3]), np.array([3]), np.array([1, 2])]
    weights = _vote_weights(np.array([0, 1, 2]), blankets, True)
    low = LEAST_WEIGHT
    assert weights.tolist() == [[1, 1, 1], [1, low, low], [1, low, low]]
    assert (_vote_weights(np.array([0, 1, 2]), blankets, False) == 1).all()


def test_votes_are_averaged_over_sub_communities_that_hold_both():
    structure = Structure()
    one = np.array([[0.0, 0.8], [0.2, 0.0]])
    structure.vote(np.array([3, 5]), one, np.ones((2, 2)))
    structure.vote(np.array([3, 5]), np.zeros((2, 2)), np.full((2, 2), 3.0))
    structure.vote(np.array([4, 5]), one, np.ones((2, 2)))
    matrix = structure.probabilities(6)
    assert matrix[3, 5] == pytest.approx(0.2)
    assert matrix[5, 3] == pytest.approx(0.05)
    assert matrix[4, 5] == pytest.approx(0.8)


def test_what_is_learned_again_replaces_the_edges_inside():
    structure = Structure()
    structure.vote(np.array([0, 1, 2]), np.triu(np.ones((3, 3)), 1), np.full((3, 3), 2.0))
    structure.replace(np.array([0, 2]), np.array([[0.0, 0.1], [0.3, 0.0]]))
    matrix = structure.probabilities(3).toarray()
    assert matrix == pytest.approx(np.array([[0, 1, 0.1], [0, 0, 1], [0.3, 0, 0]]))
    assert structure.near == {0: {1}, 1: {0, 2}, 2: {1}}


def test_any_learner_may_be_given():
    def nothing(dataset, *, random_state, n_jobs):
        n = dataset.n_variables
        return Learned(EdgeProbabilities(np.zeros((n, n)), dataset.names))

    table, _ = shuffled_alarm(300)
    dataset = Dataset.from_table(table[table.columns[:6]])
    blankets = markov_blankets(dataset, blanket_candidates(dataset))
    settings = LocalSettings(learner=nothing)
    assert (
        local_learn(dataset, np.arange(6), blankets, settings).structure.probabilities(6).nnz == 0
    )


def test_a_set_of_variables_is_learned_once_and_alike_by_any_number_of_jobs():
    """With a learner that only draws random numbers."""
    dataset = Dataset.from_table(shuffled_alarm(500)[0])
    blankets = markov_blankets(dataset, blanket_candidates(dataset))
    communities = [np.arange(20), np.arange(10, 30), np.arange(37)]
    seen = []

    def draw(dataset, *, random_state, n_jobs):
        seen.append(dataset.names)
        n = dataset.n_variables
        matrix = np.triu(random_state.random((n, n)), 1)
        return Learned(EdgeProbabilities(matrix, dataset.names))

    def learn(n_jobs, seed):
        settings = LocalSettings(learner=draw, seed=seed)
        seeds = np.random.SeedSequence(0).spawn(3)
        found = learn_communities(dataset, communities, blankets, settings, seeds, n_jobs)
        return [result.structure.votes for result in found]

    one = learn(1, 5)
    assert len(set(seen)) == len(seen)
    assert learn(2, 5) == one
    assert learn(1, 6) != one
