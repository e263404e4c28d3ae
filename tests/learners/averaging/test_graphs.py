"""Graphs that count once: sampled against exact, on few variables and on many."""

import numpy as np
import pytest

import naive
from kernel_cases import random_families
from learner_cases import listed_sets
from lsbn.data import Dataset
from lsbn.learners.averaging import SamplingSettings, learn_model_averaging
from lsbn.learners.averaging.graphs import GraphChain, GraphSettings, expected_edges, partners_of
from lsbn.learners.scoring import Score
from lsbn.network.generators import random_network

BRISK = SamplingSettings(least_steps=0, exhaustive_tolerance=0.008)
"""Precise enough for errors below 0.02."""


def table(n, rows, seed):
    return random_network(n, random_state=seed).sample(rows, random_state=seed)


def learn(table, **options):
    return learn_model_averaging(Dataset.from_table(table), count="graphs", **options)


def dense(learned):
    return learned.edges.matrix.toarray()


@pytest.mark.parametrize(
    ("n", "rows", "seed", "options"),
    [
        (5, 50, 2, {}),
        (6, 100, 1, {"score": Score(density=0.5)}),
        (7, 200, 2, {"score": "bdeu"}),
        (8, 50, 3, {"score": Score("bdeu", 10.0, density=0.5), "max_parents": 3}),
        (8, 1_000, 4, {}),
    ],
    ids=["five", "six, dense", "seven, BDeu", "eight, dense, few rows", "eight, many rows"],
)
def test_the_sampler_agrees_with_exact(n, rows, seed, options):
    data = table(n, rows, seed)
    wanted = learn(data, method="exact", **options)
    uncertain = (dense(wanted) > 0.1) & (dense(wanted) < 0.9)
    assert uncertain.sum() >= 5
    learned = learn(data, method="sampled", sampling=BRISK, random_state=0, n_jobs=2, **options)
    assert np.abs(dense(learned) - dense(wanted)).max() < 0.02
    assert learned.diagnostics.method == "sampled"
    assert learned.diagnostics.count == wanted.diagnostics.count == "graphs"
    assert learned.diagnostics.r_hat < 1.05
    assert learned.diagnostics.density == pytest.approx(wanted.diagnostics.density, rel=0.05)


def test_graphs_and_orders_differ_by_more_than_the_error():
    data = table(7, 200, 2)
    by_orders = learn_model_averaging(Dataset.from_table(data), score="bdeu", method="exact")
    by_graphs = learn(data, score="bdeu", method="exact")
    assert by_orders.diagnostics.count == "orders"
    assert np.abs(dense(by_orders) - dense(by_graphs)).max() > 0.1


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_same_seed_same_result_on_any_number_of_threads():
    data = table(14, 100, 0)
    sampling = SamplingSettings(least_steps=0, most_steps=0)
    options = {"score": "bdeu", "max_parents": 2, "sampling": sampling}
    one, two = (learn(data, random_state=5, n_jobs=n, **options) for n in (1, 2))
    assert one.diagnostics.method == "sampled"
    np.testing.assert_array_equal(dense(one), dense(two))
    assert one.diagnostics == two.diagnostics
    assert (dense(one) != dense(learn(data, random_state=6, **options))).any()


def test_many_variables_with_chains_that_agree():
    sampling = SamplingSettings(least_steps=0, most_steps=40_000, tolerance=0.03)
    learned = learn(table(40, 200, 1), score="bdeu", sampling=sampling, random_state=0, n_jobs=2)
    notes = learned.diagnostics
    assert notes.r_hat < 1.1
    assert notes.chains_kept == notes.chains == len(notes.log_scores) == 4
    assert notes.standard_error < 0.1
    matrix = dense(learned)
    assert np.isfinite(matrix).all()
    assert (matrix + matrix.T).max() <= 1 + 1e-9
    assert matrix.sum() > 10


def test_partners_have_the_share_of_their_edges_either_way():
    families = random_families(1, 5, share=0.2)
    families[4] = {frozenset(): 0.0}
    sets = listed_sets(families)
    edges = np.random.default_rng(0).random(sets.n_candidates)
    partners = partners_of(sets, edges, GraphSettings(least_weight=0.1))
    weight = np.zeros((5, 5))
    for u, v, p in zip(*sets.edges(), edges, strict=True):
        weight[u, v] += p + 0.1
        weight[v, u] += p + 0.1
    for v in range(5):
        own = slice(partners.start[v], partners.start[v + 1])
        assert partners.node[own].tolist() == np.flatnonzero(weight[v]).tolist()
        shares = np.cumsum(weight[v][weight[v] > 0]) / max(weight[v].sum(), 1e-9)
        np.testing.assert_allclose(partners.cumulative[own], shares)


def test_a_pilot_chain_counts_the_edges():
    families = random_families(2, 4)
    wanted = sum(p * sum(map(len, dag)) for dag, p in naive.graph_posterior(families).items())
    rng = np.random.default_rng(0)
    found = expected_edges(listed_sets(families), rng.random(4), 5_000, rng)
    assert found == pytest.approx(wanted, rel=0.03)


def test_the_first_part_of_a_chain_is_replaced_by_the_second():
    sets = listed_sets(random_families(2, 4))
    partners = partners_of(sets, np.zeros(sets.n_candidates))
    chain = GraphChain(sets, partners, np.arange(4) / 4, np.random.default_rng(0))
    counts = []
    for _ in range(3):
        chain.advance(10, 2)
        counts.append((chain.sweeps, chain.parts, chain.draws))
    assert counts == [(10, 1, 5), (20, 1, 5), (30, 2, 10)]
    assert len(chain.scores) == 2


def test_impossible_settings_are_refused():
    for together in (0, 7):
        with pytest.raises(ValueError, match="blocks have 1 to 6 variables"):
            GraphSettings(together=together)
    with pytest.raises(ValueError, match="weights must be positive"):
        GraphSettings(least_weight=0.0)
