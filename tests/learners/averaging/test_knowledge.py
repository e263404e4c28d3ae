"""Model averages with knowledge, against enumeration over the networks that agree with it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import naive_knowledge
from knowledge_cases import knowledge_of, random_table
from lsbn.data import Dataset
from lsbn.graph import EdgeProbabilities
from lsbn.knowledge import Knowledge, resolve
from lsbn.learners import Score, learn_model_averaging
from lsbn.learners.averaging import SamplingSettings, SearchSettings
from lsbn.learners.averaging.sampler import OrderSampler

DENSITY = 0.2
BRISK = SamplingSettings(least_steps=0, exhaustive_tolerance=0.01)
FOUR_DAGS = [(dag, naive.linear_extensions(dag)) for dag in naive.dags(4)]


def enumerated(table, knowledge, kind, counted):
    """Posteriors by enumeration; ``counted`` are all DAGs with their weights."""
    dataset = Dataset.from_table(table)
    listed = naive.families(
        kind, 1.0, dataset.codes.tolist(), dataset.cards.tolist(), prior="density", density=DENSITY
    )
    allowed = naive_knowledge.families(knowledge, dataset.names, listed, DENSITY)
    return np.array(naive.dag_edge_posteriors(allowed, counted)[0])


def learned(table, knowledge, kind, **options):
    dataset = Dataset.from_table(table)
    known = resolve(knowledge, dataset.names)
    score = Score(kind, density=DENSITY)
    result = learn_model_averaging(dataset, score=score, knowledge=known, random_state=0, **options)
    return result.edges.matrix.toarray()


@settings(max_examples=15, deadline=None)
@given(knowledge_of("abcd"), st.integers(0, 1000), st.sampled_from(["bdeu", "mixed"]))
def test_exact_posteriors_of_four_variables(knowledge, seed, kind):
    table = random_table(4, 60, seed, cards=(2,))
    once = [(dag, 1) for dag, _ in FOUR_DAGS]
    for count, counted in (("orders", FOUR_DAGS), ("graphs", once)):
        expected = enumerated(table, knowledge, kind, counted)
        got = learned(table, knowledge, kind, method="exact", count=count, max_parents=3)
        assert got == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("count", ["orders", "graphs"])
def test_exact_posteriors_of_five_variables(count):
    table = random_table(5, 100, 7)
    knowledge = Knowledge(
        required=[("c", "e")],
        forbidden=[("a", "b"), ("*", "d")],
        edge_probabilities={("b", "c"): 0.9},
        max_parents={"e": 2},
    )
    counted = [
        (dag, naive.linear_extensions(dag) if count == "orders" else 1)
        for dag in naive.dags(5)
        if 2 in dag[4] and not dag[3] and 0 not in dag[1] and len(dag[4]) < 3
    ]
    expected = enumerated(table, knowledge, "bdeu", counted)
    got = learned(table, knowledge, "bdeu", method="exact", count=count, max_parents=4)
    assert got == pytest.approx(expected, abs=1e-9)
    assert got[2, 4] == 1.0


def test_sampled_orders_of_twelve_variables():
    table = random_table(12, 1000, 3, cards=(2,))
    knowledge = Knowledge(
        required=[("l", "a"), ("a", "b"), ("c", "d"), ("e", "d")],
        forbidden=[("f", "*"), ("g", "h")],
        tiers=[["c", "e", "i"], ["d", "j", "k"]],
        edge_probabilities={("h", "g"): 0.9},
    )
    exact = learned(table, knowledge, "bdeu", method="exact", max_parents=3)
    sampled = learned(table, knowledge, "bdeu", method="sampled", sampling=BRISK, max_parents=3)
    assert sampled == pytest.approx(exact, abs=0.02)
    dataset = Dataset.from_table(table)
    sampler = OrderSampler(
        dataset,
        Score("bdeu", density=DENSITY),
        SearchSettings().bounded(3),
        replace(BRISK, tolerance=0.01),
        np.random.default_rng(0),
        2,
        knowledge=resolve(knowledge, dataset.names),
    )
    assert sampler.run()[0].toarray() == pytest.approx(exact, abs=0.02)


def test_sampled_graphs_of_eight_variables():
    table = random_table(8, 500, 3, cards=(2,))
    knowledge = Knowledge(
        required=[("h", "a"), ("a", "b")],
        forbidden=[("f", "*"), ("g", "c")],
        tiers=[["c", "e"], ["d", "g"]],
        edge_probabilities={("c", "g"): 0.9},
    )
    options = {"count": "graphs", "max_parents": 3}
    exact = learned(table, knowledge, "bdeu", method="exact", **options)
    sampled = learned(table, knowledge, "bdeu", method="sampled", sampling=BRISK, **options)
    assert sampled == pytest.approx(exact, abs=0.02)


@settings(max_examples=6, deadline=None)
@given(knowledge_of("abcdefg"), st.integers(0, 100), st.sampled_from(["orders", "graphs"]))
def test_samplers_never_violate_knowledge(knowledge, seed, count):
    dataset = Dataset.from_table(random_table(7, 150, seed))
    known = resolve(knowledge, dataset.names)
    short = SamplingSettings(
        sweeps=20,
        least_steps=0,
        most_steps=1_000,
        annealing_sweeps=2,
        restart_sweeps=3,
        pilot_sweeps=10,
        exhaustive_factor=1,
    )
    options = {"count": count, "knowledge": known}
    rng = np.random.default_rng(seed)
    search = replace(SearchSettings(), rounds=1, searches=1, exchanges=2)
    sampler = OrderSampler(dataset, Score("bdeu"), search, short, rng, 2, **options)
    for matrix, _ in (sampler.run(), sampler.run_exhaustive(3)):
        graph = EdgeProbabilities(matrix, dataset.names).to_networkx()
        assert [edge for edge in graph.edges if naive_knowledge.forbids(knowledge, *edge)] == []
        for edge in naive_knowledge.required(knowledge, dataset.names):
            assert graph.edges[edge]["probability"] == pytest.approx(1.0)


def test_a_required_set_may_have_more_parameters_than_rows_and_more_parents_than_searched():
    table = random_table(12, 30, 5, cards=(2,))
    required = [(name, "l") for name in "abcdefghij"]
    options = {"max_parents": 2, "sampling": SamplingSettings(least_steps=0, most_steps=2_000)}
    for method in ("exact", "sampled"):
        got = learned(table, Knowledge(required=required), "bdeu", method=method, **options)
        assert got[:, 11].tolist() == [1.0] * 10 + [0.0, 0.0]


def test_required_edges_of_constant_columns():
    table = random_table(4, 50, 1).assign(k=0, m="x")
    known = Knowledge(required=[("a", "k"), ("k", "b"), ("k", "m")])
    for method in ("exact", "sampled"):
        got = learned(table, known, "bdeu", method=method)
        assert got[0, 4] == got[4, 1] == got[4, 5] == 1.0
        assert got[1, 0] == 0.0


def test_the_density_is_that_of_the_free_pairs():
    table = random_table(6, 400, 2)
    dataset = Dataset.from_table(table)
    known = resolve(Knowledge(tiers=[list("abc"), list("def")]), dataset.names)
    assert known.free_pairs == 15
    closed = Knowledge(required=[("a", "d")], forbidden=[("b", "c"), ("c", "b")])
    assert resolve(closed, dataset.names).free_pairs == 13
    result = learn_model_averaging(dataset, knowledge=known, method="exact")
    edges = result.edges.matrix.sum()
    assert result.diagnostics.density == pytest.approx((edges + 0.1) / 30.1, rel=0.02)
