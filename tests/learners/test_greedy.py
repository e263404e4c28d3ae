import itertools

import networkx as nx
import numpy as np
import pytest

import naive
from learner_cases import chain_table, collider_table, shuffled_alarm
from lsbn.data import Dataset
from lsbn.kernels import climb, climb_state
from lsbn.kernels.scores import family_score
from lsbn.learners import greedy
from lsbn.learners.greedy import Climbing, learn_greedy
from lsbn.learners.scoring import PUBLISHED, Score, columns_of
from lsbn.network.generators import random_network
from lsbn.pairs import PairStatistics


def score_of(dataset, matrix, score, max_parents=8):
    """Score of a graph, family by family."""
    penalty = score.penalty(dataset.n_variables, max_parents)
    dense, total = matrix.toarray(), 0.0
    for v in range(dataset.n_variables):
        above = np.flatnonzero(dense[:, v])
        total += penalty[len(above)]
        total += family_score(columns_of(dataset), score.lookup(), v, above)
    return total


def random_table(seed, n=5, rows=400):
    return Dataset.from_table(random_network(n, random_state=seed).sample(rows, random_state=seed))


@pytest.mark.parametrize("kind", ["bdeu", "k2", "bic", "mixed"])
def test_score_reported_is_the_score_of_the_graph(kind):
    dataset, score = random_table(1, n=12), Score(kind)
    learned = learn_greedy(dataset, score=score, random_state=0)
    wanted = score_of(dataset, learned.edges.matrix, score)
    assert learned.diagnostics.score == pytest.approx(wanted, rel=1e-9)
    assert learned.diagnostics.scores == sorted(learned.diagnostics.scores)


@pytest.mark.parametrize("seed", range(6))
def test_finds_the_best_of_all_graphs_on_four_variables(seed):
    dataset, score = random_table(seed, n=4), PUBLISHED
    arcs = list(itertools.permutations(range(4), 2))
    parts = [
        {
            above: score_of_family(dataset, score, v, above)
            for k in range(4)
            for above in itertools.combinations([u for u in range(4) if u != v], k)
        }
        for v in range(4)
    ]
    best = max(
        sum(parts[v][tuple(u for u, w in dag if w == v)] for v in range(4))
        for k in range(7)
        for dag in itertools.combinations(arcs, k)
        if naive.is_acyclic(range(4), dag)
    )
    learned = learn_greedy(dataset, score=score, random_state=0)
    assert learned.diagnostics.score == pytest.approx(best, rel=1e-10)


def score_of_family(dataset, score, v, above):
    penalty = score.penalty(dataset.n_variables, 3)[len(above)]
    above = np.array(above, np.int64)
    return family_score(columns_of(dataset), score.lookup(), v, above) + penalty


def test_collider_and_chain():
    collider = learn_greedy(collider_table(), random_state=0).edges.cpdag()
    assert set(collider.edges) == {("a", "c"), ("b", "c"), ("c", "d")}
    chain = learn_greedy(chain_table(), random_state=0).edges.skeleton()
    assert {frozenset(e) for e in chain.edges} == {frozenset("ab"), frozenset("bc")}


def test_same_seed_same_graph():
    dataset = random_table(4, n=15)
    first, second = (learn_greedy(dataset, random_state=7).edges.matrix for _ in range(2))
    assert (first != second).nnz == 0


def test_at_most_so_many_parents():
    table, _ = shuffled_alarm(2_000)
    edges = learn_greedy(Dataset.from_table(table), max_parents=2, random_state=0).edges
    assert edges.matrix.sum(axis=0).max() <= 2


def test_candidates_of_many_variables_are_the_informative_ones(monkeypatch):
    dataset = random_table(2, n=30, rows=2_000)
    monkeypatch.setattr(greedy, "_ALL_PAIRS", 10)
    monkeypatch.setattr(greedy, "_MEAN_CANDIDATES", 4)
    pairs = PairStatistics(dataset)
    lists = greedy.lists_of(30, greedy.candidate_pairs(pairs))
    assert 30 < len(lists.candidates) <= 120
    assert (lists.twin[lists.twin] == np.arange(len(lists.twin))).all()
    edges = learn_greedy(dataset, effort=Climbing(rounds=0), random_state=0).edges
    assert nx.is_directed_acyclic_graph(edges.to_networkx())


@pytest.mark.parametrize("seed", range(10))
def test_ranks_and_paths(seed):
    rng = np.random.default_rng(seed)
    n, order = 9, rng.permutation(9)
    lists = greedy.lists_of(n, np.array(list(itertools.combinations(range(n), 2))))
    state = climb_state.new_state(lists, n)
    graph = nx.empty_graph(n, nx.DiGraph)
    for i, j in itertools.combinations(range(n), 2):
        if rng.random() < 0.25:
            climb.insert_parent(state.parents, state.n_parents, order[j], order[i])
            graph.add_edge(order[i], order[j])
    climb.sort_topologically(state)
    assert sorted(state.rank) == list(range(n))
    assert all(state.rank[u] < state.rank[v] for u, v in graph.edges)
    for u, v in itertools.permutations(range(n), 2):
        assert climb.reaches(state, u, v, False) == nx.has_path(graph, u, v)
    for u, v in list(graph.edges):
        graph.remove_edge(u, v)
        assert climb.reaches(state, u, v, True) == nx.has_path(graph, u, v)
        graph.add_edge(u, v)
    assert not state.mark.any()
