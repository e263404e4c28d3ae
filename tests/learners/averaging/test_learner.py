"""Posteriors of edges: exact compared with all graphs, sampled compared with exact."""

import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning

import naive
from learner_cases import EDGE_CASES, assert_sensible, chain_table, collider_table
from lsbn.data import Dataset
from lsbn.learners import Candidates
from lsbn.learners.averaging import SamplingSettings, SearchSettings, learn_model_averaging
from lsbn.learners.averaging.sampler import OrderSampler
from lsbn.learners.scoring import PUBLISHED, Score
from lsbn.network import load_network
from lsbn.network.generators import random_network

SHORT = SamplingSettings(least_steps=0, most_steps=10_000)
"""Settings that are long enough for a good result."""


@cache
def counted_dags(n):
    return [(dag, naive.linear_extensions(dag)) for dag in naive.dags(n)]


def random_table(n, rows, seed=0, **options):
    return random_network(n, random_state=seed, **options).sample(rows, random_state=seed)


def alarm_table(n, rows, seed=1):
    """Some variables of alarm, in arbitrary order."""
    table = load_network("alarm").sample(rows, random_state=seed)
    return table[list(np.random.default_rng(seed).permutation(table.columns)[:n])]


def brute_force(dataset, score, max_parents=None, count="orders"):
    columns, cards = dataset.codes.tolist(), dataset.cards.tolist()
    families = naive.families(
        score.kind, score.ess, columns, cards, max_parents, score.prior, score.density
    )
    counted = counted_dags(len(columns))
    if count == "graphs":
        counted = [(dag, 1) for dag, _ in counted]
    return naive.dag_edge_posteriors(families, counted)


def learn(table, **options):
    return learn_model_averaging(Dataset.from_table(table), **options)


def dense(learned):
    return learned.edges.matrix.toarray()


def test_a_parent_outside_the_pools_is_found_beside_others():
    """The switch has an effect only together with two other parents, so no pool contains it."""
    rng = np.random.default_rng(0)
    columns = rng.integers(0, 2, (30, 2_000))
    chosen = np.where(columns[2] == 1, columns[0], columns[1])
    columns[3] = np.where(rng.random(2_000) < 0.9, chosen, 1 - chosen)
    pools = [np.setdiff1d(np.arange(30), [v, 2]) for v in range(30)]
    pools[2] = np.arange(10, 20)
    search = SearchSettings(max_unrestricted=0)
    nothing = [np.empty(0, np.int64)] * 30
    candidates = Candidates(pools, nothing, np.empty((0, 2), np.int64))
    found = learn(columns.T, candidates=candidates, search=search, random_state=0)
    assert dense(found)[2].sum() > 0.99


def by_name(learned):
    names = list(learned.edges.names)
    return pd.DataFrame(dense(learned), names, names).sort_index(axis=0).sort_index(axis=1)


@pytest.mark.parametrize(
    ("score", "max_parents"),
    [
        (PUBLISHED, None),
        (Score("bdeu", 10.0, prior="none"), None),
        (Score("k2", prior="sizes"), None),
        (Score("bic", density=0.2), None),
        (PUBLISHED, 1),
        (Score("bic", prior="sizes"), 2),
        (Score(density=0.3), None),
    ],
)
@pytest.mark.parametrize("count", ["orders", "graphs"])
def test_exact_is_the_sum_over_all_dags_of_four(score, max_parents, count):
    dataset = Dataset.from_table(random_table(4, 60, states=(2, 3)))
    wanted, evidence = brute_force(dataset, score, max_parents, count)
    options = {"method": "exact", "max_parents": max_parents, "count": count}
    learned = learn_model_averaging(dataset, score=score, **options)
    np.testing.assert_allclose(dense(learned), wanted, atol=1e-9, rtol=0)
    assert learned.diagnostics.log_evidence == pytest.approx(evidence, abs=1e-7)
    assert learned.diagnostics.method == "exact"


@pytest.mark.parametrize(("seed", "max_parents"), [(0, None), (1, 2)])
def test_exact_is_the_sum_over_all_dags_of_five(seed, max_parents):
    assert len(counted_dags(5)) == 29_281
    dataset = Dataset.from_table(random_table(5, 50, seed, states=(2, 3)))
    score = Score(density=0.2)
    wanted, evidence = brute_force(dataset, score, max_parents)
    learned = learn_model_averaging(dataset, score=score, max_parents=max_parents)
    np.testing.assert_allclose(dense(learned), wanted, atol=1e-9, rtol=0)
    assert learned.diagnostics.log_evidence == pytest.approx(evidence, abs=1e-7)
    assert ((np.array(wanted) > 0.02) & (np.array(wanted) < 0.98)).sum() >= 4


def test_a_constant_column_changes_nothing():
    table = random_table(4, 60, states=(2, 3))
    wanted, _ = brute_force(Dataset.from_table(table), PUBLISHED)
    table.insert(2, "k", "same")
    found = dense(learn(table, score=PUBLISHED, method="exact"))
    np.testing.assert_allclose(np.delete(np.delete(found, 2, 0), 2, 1), wanted, atol=1e-9, rtol=0)
    assert not found[2].any()
    assert not found[:, 2].any()


@pytest.mark.parametrize(
    ("table", "options"),
    [
        (random_table(12, 200, 1), {}),
        (alarm_table(16, 300, 16), {"max_parents": 4}),
        (alarm_table(12, 300, 12), {"score": "bdeu"}),
    ],
    ids=["random 12", "alarm 16", "alarm 12, BDeu"],
)
def test_the_sampler_agrees_with_exact(table, options):
    wanted = dense(learn(table, method="exact", **options))
    assert ((wanted > 0.1) & (wanted < 0.9)).sum() >= 5
    learned = learn(table, method="sampled", random_state=0, **options)
    assert learned.diagnostics.method == "sampled"
    assert np.abs(dense(learned) - wanted).max() < 0.02
    assert learned.diagnostics.r_hat < 1.1


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_error_shrinks_as_the_chain_grows():
    table = random_table(6, 100, 3)
    wanted = dense(learn(table, method="exact"))

    def error(sweeps):
        sampling = SamplingSettings(
            sweeps=sweeps, least_steps=0, most_steps=0, tolerance=0.0, tempered_variables=0
        )
        runs = [learn(table, method="sampled", sampling=sampling, random_state=s) for s in range(6)]
        assert {run.diagnostics.sweeps for run in runs} == {2 * sweeps}
        return np.mean([np.abs(dense(run) - wanted).mean() for run in runs])

    short, middle, long = error(4), error(40), error(400)
    assert middle < short / 2
    assert long < middle / 2


@pytest.mark.filterwarnings("ignore:independent searches disagree")  # the chains are short
def test_same_seed_same_result_on_any_number_of_threads():
    searched, listed = alarm_table(26, 100), random_table(6, 80)
    options = {"method": "sampled", "sampling": SHORT, "max_parents": 3}
    for table in (searched, listed):
        one, again, two = (
            learn(table, random_state=5, n_jobs=n_jobs, **options) for n_jobs in (1, 1, 2)
        )
        np.testing.assert_array_equal(dense(one), dense(again))
        np.testing.assert_array_equal(dense(one), dense(two))
        assert one.diagnostics == again.diagnostics == two.diagnostics
        other = learn(table, random_state=6, **options)
        assert (dense(one) != dense(other)).any()
    seeds = np.random.SeedSequence(5), np.random.default_rng(5)
    for seed in seeds:
        np.testing.assert_array_equal(
            dense(learn(listed, random_state=seed, **options)), dense(one)
        )


def test_order_and_names_of_rows_and_columns_are_only_order_and_names():
    table = random_table(7, 120, 4)
    first = by_name(learn(table, method="exact", n_jobs=2))
    rng = np.random.default_rng(0)
    shuffled = table.iloc[rng.permutation(len(table)), rng.permutation(7)]
    pd.testing.assert_frame_equal(by_name(learn(shuffled, method="exact")), first, atol=1e-9)
    renamed = table.rename(columns={name: f"a{9 - v}" for v, name in enumerate(table)})
    np.testing.assert_allclose(
        dense(learn(renamed, method="exact")), dense(learn(table, method="exact")), atol=1e-9
    )


def test_auto_is_exact_up_to_the_limit():
    table = random_table(6, 50)
    assert learn(table).diagnostics.method == "exact"
    few = {"exact_limit": 5, "sampling": SHORT, "random_state": 0}
    assert learn(table, **few).diagnostics.method == "sampled"
    table["k"] = "same"
    assert learn(table, exact_limit=6).diagnostics.method == "exact"


@pytest.mark.parametrize("method", ["exact", "sampled"])
def test_a_collider_is_directed_and_a_chain_is_not(method):
    collider = by_name(learn_model_averaging(collider_table(), method=method, random_state=0))
    assert min(collider.loc["a", "c"], collider.loc["b", "c"], collider.loc["c", "d"]) > 0.9
    chain = by_name(learn_model_averaging(chain_table(), method=method, random_state=0))
    assert chain.loc["a", "b"] + chain.loc["b", "a"] > 0.99
    assert chain.loc["a", "c"] + chain.loc["c", "a"] < 0.05
    # a graph counts as often as it has orders: b in the middle has two, each end one
    assert chain.loc["b", "a"] == pytest.approx(0.75, abs=0.03)


@pytest.mark.parametrize("method", ["exact", "sampled"])
@pytest.mark.parametrize("case", sorted(EDGE_CASES))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_sensible_on_awkward_tables(case, method):
    assert_sensible(learn_model_averaging, case, method=method, sampling=SHORT)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("rows", [2, 3, 400])
def test_sensible_where_parents_are_searched(rows):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.integers(2, size=(400, 27)), columns=[f"v{i}" for i in range(27)])
    table["copy"] = table.v0
    table["joint"] = 2 * table.v1 + table.v2
    table["many"] = np.arange(400) % 64
    table["constant"] = 0
    table = table.iloc[:rows]
    learned = learn(table, method="sampled", sampling=SHORT, max_parents=3, random_state=0)
    assert np.isfinite(dense(learned)).all()
    both = by_name(learned)
    both = both + both.T
    assert not both.loc["constant"].any()
    if rows == 400:
        assert both.loc["v0", "copy"] == pytest.approx(1.0)
        assert both.loc["joint", "v1"] + both.loc["joint", "v2"] > 0.99
        assert both.loc["v3"].max() < 0.3


@pytest.mark.parametrize("method", ["exact", "sampled", "auto"])
def test_nothing_to_learn(method):
    constant = pd.DataFrame({"a": ["x"] * 5, "b": ["y"] * 5, "c": ["z"] * 5})
    assert not dense(learn(constant, method=method)).any()
    constant["c"] = list("zzzzw")
    assert not dense(learn(constant, method=method)).any()


@pytest.mark.parametrize("score", ["bdeu", "mixed"])
@pytest.mark.parametrize("method", ["exact", "sampled"])
def test_data_cannot_direct_an_edge_between_two_variables(method, score):
    rng = np.random.default_rng(0)
    a = rng.choice(7, size=200, p=[0.7, 0.1, 0.1, 0.05, 0.03, 0.01, 0.01])
    table = pd.DataFrame({"a": a, "b": (a + (rng.random(200) < 0.2)) % 3})
    learned = learn(table, score=score, method=method)
    np.testing.assert_allclose(dense(learned), [[0, 0.5], [0.5, 0]], atol=0.02)


def test_chains_that_disagree_say_so_with_numbers():
    rng = np.random.default_rng(0)
    a = rng.integers(2, size=2000)
    table = pd.DataFrame({f"c{i}": a ^ (rng.random(2000) < 0.01) for i in range(8)})
    hasty = SamplingSettings(sweeps=2, least_steps=0, most_steps=0, tempered_variables=0)
    message = (
        r"chains disagree after 4 sweeps: standard error of an edge up to 0\.\d\d, "
        r"R-hat (up to \d+\.\d\d|above 1,000) \(\d+ edges above 1\.1\), \d of 4 chains left out"
    )
    with pytest.warns(ConvergenceWarning, match=message) as caught:
        learned = learn(table, method="sampled", sampling=hasty, random_state=0)
    assert caught[0].filename == __file__
    assert "--effort thorough" in str(caught[0].message)
    with pytest.warns(ConvergenceWarning, match="several seeds"):
        learn(table, method="sampled", sampling=hasty, random_state=0, effort="thorough")
    assert learned.diagnostics.standard_error > 0.1
    assert learned.diagnostics.r_hat > 1.1
    assert learned.diagnostics.effective_sample_size >= 1


def test_imprecise_chains_are_tempered():
    table = random_table(7, 100)
    hasty = SamplingSettings(
        sweeps=20, least_steps=0, most_steps=70, exhaustive_factor=1, tempered_error=0.0
    )
    wanted = dense(learn(table, method="exact"))
    learned = learn(table, method="sampled", sampling=hasty, random_state=0)
    assert learned.diagnostics.temperatures == hasty.temperatures
    assert learned.diagnostics.standard_error < 0.02
    np.testing.assert_allclose(dense(learned), wanted, atol=0.05)


def test_chains_that_agree_say_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learned = learn(random_table(5, 100), method="sampled", random_state=0)
    notes = learned.diagnostics
    assert notes.standard_error < 0.02
    assert notes.r_hat < 1.05
    assert notes.effective_sample_size > 100
    assert notes.chains_kept == notes.chains == len(notes.log_scores) == 4


def test_unknown_methods_and_too_many_variables_are_refused():
    with pytest.raises(ValueError, match="unknown method 'fast'; there are auto, exact, sampled"):
        learn(random_table(3, 20), method="fast")
    with pytest.raises(ValueError, match=r"26 variables .* use method='sampled'"):
        learn(pd.DataFrame(np.eye(26, dtype=int)), method="exact")
    with pytest.raises(ValueError, match="unknown count 'dags'; there are orders, graphs"):
        learn(random_table(3, 20), count="dags")
    with pytest.raises(ValueError, match=r"up to 12 variables .* there are 14: use method='sampl"):
        learn(random_table(14, 500), count="graphs", method="exact")


def found_density(edges, n):
    """Posterior mean of the density given the edges; the prior is Beta(0.1, m) for m pairs."""
    return (edges + 0.1) / (n * (n - 1) + 0.1)


@pytest.mark.parametrize(("n", "method"), [(8, "exact"), (12, "sampled"), (30, "sampled")])
def test_the_density_found_is_that_of_what_is_learned(n, method):
    table = alarm_table(n, 1_000)
    options = {"method": method, "sampling": SHORT, "random_state": 0}
    found = learn(table, **options)
    density = found_density(dense(found).sum(), n)
    assert found.diagnostics.density == pytest.approx(density, rel=0.15)
    known = learn(table, score=Score(density=float(density)), **options)
    np.testing.assert_allclose(dense(found), dense(known), atol=0.08)


def test_a_density_that_is_given_stays():
    score = Score("bdeu", density=0.25)
    assert learn(alarm_table(6, 300), score=score).diagnostics.density == 0.25
    assert learn(alarm_table(6, 300), score=PUBLISHED).diagnostics.density is None


@pytest.mark.parametrize("small_network", [64, 0])
def test_the_mixed_score_is_searched_among_too_many_sets_to_score_all(small_network):
    """The search among all variables, or near the sets of tables, gives the edges of all sets."""
    table = alarm_table(20, 2_000, 5)
    wanted = dense(learn(table, method="exact", max_parents=4, random_state=0))
    search = SearchSettings(small_network=small_network)
    found = learn(table, method="sampled", search=search, random_state=0)
    likely = [(m + m.T) > 0.5 for m in (wanted, dense(found))]
    np.testing.assert_array_equal(*likely)


def test_families_with_more_parameters_than_rows_are_never_considered():
    """Two columns of 20 states determine each other; 200 rows are too few for 380 parameters."""
    rng = np.random.default_rng(0)
    first = rng.integers(20, size=200)
    table = pd.DataFrame({"a": first, "b": (first + 1) % 20, "c": first % 2})
    found = dense(learn(table))
    assert found[0, 1] == found[1, 0] == 0
    assert found[0, 2] + found[2, 0] > 0.9


@pytest.mark.parametrize(
    ("rows", "method"), [(10**6, "exact"), (10**6, "sampled"), (10**7, "exact")]
)
def test_millions_of_rows(rows, method):
    """A chain of eight binary columns: log scores near the number of rows must not cancel."""
    rng = np.random.default_rng(0)
    columns = [rng.integers(2, size=rows, dtype=np.uint8)]
    for _ in range(7):
        columns.append(columns[-1] ^ (rng.random(rows, np.float32) < 0.2).view(np.uint8))
    names = tuple("abcdefgh")
    dataset = Dataset(np.array(columns), np.full(8, 2), names, (("0", "1"),) * 8)
    found = dense(learn_model_averaging(dataset, method=method, sampling=SHORT, random_state=0))
    both = found + found.T
    assert (both <= 1 + 1e-12).all()
    chain = np.eye(8, k=1) + np.eye(8, k=-1)
    np.testing.assert_allclose(both, chain, atol=0.05)


@pytest.mark.parametrize("score", ["mixed", "bdeu"])
def test_exact_averages_do_not_depend_on_the_order_of_columns(score):
    table = alarm_table(12, 500, 5)
    wanted = by_name(learn(table, method="exact", score=score))
    for seed in range(3):
        shuffled = table[list(np.random.default_rng(seed).permutation(table.columns))]
        found = by_name(learn(shuffled, method="exact", score=score))
        np.testing.assert_allclose(found, wanted, atol=1e-9)


def test_chains_visit_both_modes_of_a_real_table():
    """The serum columns of scikit-learn's diabetes have two orders of equal weight."""
    table = load_diabetes(as_frame=True, scaled=False).frame
    dataset = Dataset.from_table(table, discretize="quantile", bins=3)
    exact = learn_model_averaging(dataset, method="exact", max_parents=4).edges.matrix
    settings, rng = SearchSettings().bounded(4), np.random.default_rng(0)
    sampler = OrderSampler(dataset, Score(), settings, SamplingSettings(), rng)
    sampled = sampler.run()[0]
    assert sampler.tempered
    assert abs(exact - sampled).max() < 0.1
