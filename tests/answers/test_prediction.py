"""Predictive tables, likelihood, prediction and sampling."""

import itertools
import math
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import naive_answers
from lsbn import LSBN, DataError, Dataset, load_network
from lsbn.answers.ensemble import Ensemble
from lsbn.answers.families import DataCounts, FamilyTables
from lsbn.answers.predictive import _log_rows, _posterior_means, predictive_table
from lsbn.graph.sampled import SampledGraphs
from lsbn.kernels.lookup import MIXED, make_lookup
from lsbn.kernels.mixture import mixed_score
from lsbn.kernels.trees import add_margins, average_trees, plan_trees, predict_by_trees
from lsbn.learners import Score
from lsbn.network.fit import fit_tables

tables = st.integers(0, 10_000).map(np.random.default_rng)


def random_counts(rng, q, r):
    sizes = rng.gamma(0.5, 20, (q, 1)) * rng.dirichlet(np.ones(r), q)
    return rng.poisson(sizes)


@settings(deadline=None, max_examples=40)
@given(tables, st.integers(1, 5), st.integers(1, 4))
def test_the_mixed_prediction_is_that_of_its_ways(rng, q, r):
    counts = random_counts(rng, q, r)
    cards = np.array([q] if q > 1 else [], np.int64)
    found = predictive_table(counts, cards, Score())
    rows = counts.tolist()
    wanted = [naive_answers.mixed_row(rows, j) for j in range(q)]
    np.testing.assert_allclose(found, wanted, rtol=1e-9)


def test_without_parents_the_prediction_is_the_ratio_of_scores():
    """The score of the column with one more value, divided by that without."""
    lookup, none = make_lookup(MIXED, 1.0), np.zeros(0, np.int64)
    counts = np.array([[7, 0, 3]])
    found = predictive_table(counts, none, Score())[0]
    more = [mixed_score(counts + np.eye(3, dtype=int)[[k]], none, lookup) for k in range(3)]
    assert found == pytest.approx(np.exp(np.array(more) - mixed_score(counts, none, lookup)))


@settings(deadline=None, max_examples=20)
@given(tables, st.sampled_from([(2, 2), (3, 2), (2, 2, 2), (2, 3, 2)]), st.integers(2, 3))
def test_trees_predict_by_the_ratio_of_averages(rng, cards, r):
    cards = np.array(cards)
    counts = random_counts(rng, int(np.prod(cards)), r) + 3
    wide, weight = add_margins(counts, cards), np.array([2.0])
    plan = plan_trees(wide.sum(axis=1), cards)
    leaf, means = _log_rows(wide, weight)[0], _posterior_means(wide, weight)[0]
    found, total = predict_by_trees(leaf, means, cards, plan)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    for j, k in itertools.product(range(len(counts)), range(r)):
        more = counts.copy()
        more[j, k] += 1
        leaves = _log_rows(add_margins(more, cards), weight).T.copy()
        grown = average_trees(leaves, cards, plan)[0]
        assert found[j, k] == pytest.approx(math.exp(grown - total))


@pytest.mark.parametrize("kind", ["mixed", "bdeu", "k2", "bic"])
def test_tables_of_many_configurations_are_those_of_all(kind, monkeypatch):
    """A family that lists only the configurations that occur predicts the same."""
    rng = np.random.default_rng(0)
    data = Dataset.from_table(rng.integers(0, 35, (150, 3)))
    sparse = FamilyTables(DataCounts(data), Score(kind))(2, (0, 1))
    monkeypatch.setattr("lsbn.answers.families.MOST_DENSE", 2_000)
    dense = FamilyTables(DataCounts(data), Score(kind))(2, (0, 1))
    assert dense.keys is None
    assert len(sparse.table) < len(dense.table)
    np.testing.assert_allclose(sparse.dense(), dense.dense(), rtol=1e-9)
    codes = rng.integers(0, 35, (3, 40))
    found = sparse.table[sparse.rows(codes)]
    np.testing.assert_allclose(found, dense.table[dense.rows(codes)], rtol=1e-9)


def test_bdeu_tables_are_those_of_a_fitted_network():
    table = load_network("insurance").sample(300, random_state=0).iloc[:, :9]
    model = LSBN(score="bdeu", random_state=0).fit(table)
    found, wanted = model.to_network(), fit_tables(model.dag_, model.dataset_)
    place = {name: v for v, name in enumerate(wanted.names)}
    for name, parents, own in zip(found.names, found.parents, found.tables, strict=True):
        v = place[name]
        assert found.names == wanted.names
        shape = [wanted.cardinalities[u] for u in wanted.parents[v]]
        order = [wanted.parents[v].tolist().index(u) for u in parents]
        other = wanted.tables[v].reshape(*shape, -1).transpose(*order, len(shape))
        np.testing.assert_allclose(own, other.reshape(own.shape), rtol=1e-9)


def test_many_parents_do_not_overflow():
    """70 parents of 3 states have more configurations than a 64-bit number can hold."""
    data = Dataset.from_table(np.random.default_rng(0).integers(3, size=(40, 71)).astype(str))
    family = FamilyTables(DataCounts(data), Score())(70, tuple(range(70)))
    assert len(family.table) == 41
    assert sorted(family.rows(data.codes.astype(int))) == list(range(40))
    assert set(family.rows(data.codes.astype(int)[::-1])) == {40}


@pytest.fixture(scope="module")
def split():
    table = load_network("insurance").sample(1_000, random_state=1).iloc[:, :12].astype(str)
    return table.head(400), table.tail(600)


@pytest.fixture(scope="module")
def model(split):
    return LSBN(random_state=0).fit(split[0])


def seen(table, rows):
    """Rows without states that the table does not have."""
    good = np.logical_and.reduce([rows[name].isin(table[name]) for name in table])
    return rows[good]


def test_probabilities_of_all_rows_sum_to_one():
    rng = np.random.default_rng(0)
    data = Dataset.from_table(pd.DataFrame(rng.integers(0, 2, (30, 4)).astype(str)))
    model = LSBN(random_state=0).fit(data)
    rows = pd.DataFrame(list(itertools.product("01", repeat=4)), columns=data.names)
    for average in (False, True):
        assert np.exp(model.log_likelihood(rows, average=average)).sum() == pytest.approx(1)


def test_the_average_is_that_of_single_networks(model, split):
    rows = seen(*split).head(30)
    answers = model.answers_
    codes, cards = answers.coding.codes(rows)[0], answers.coding.cards
    logs, shares = [], []
    for graph in model.sample_graphs(1000):
        edges = [(rows.columns.get_loc(u), rows.columns.get_loc(v)) for u, v in graph.edges]
        one = Ensemble.of(SampledGraphs.of([edges], answers.coding.names), cards, answers.tables)
        logs.append(one.log_likelihood(codes))
        shares.append(one.predict_proba(codes, 3))
    wanted = np.log(np.mean(np.exp(logs), axis=0))
    np.testing.assert_allclose(model.log_likelihood(rows, average=True), wanted)
    target = rows.columns[3]
    found = model.predict_proba(rows, target, average=True)
    np.testing.assert_allclose(found, np.mean(shares, axis=0))


@pytest.mark.parametrize("average", [False, True])
def test_a_prediction_is_the_share_of_the_joint_probability(model, split, average):
    rows = seen(*split).head(5)
    target = rows.columns[2]
    labels = model.dataset_.states[2]
    single = np.exp([model.log_likelihood(rows.assign(**{target: s})) for s in labels]).T
    found = model.predict_proba(rows.drop(columns=target), target, average=average)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    if not average:
        np.testing.assert_allclose(found, single / single.sum(axis=1, keepdims=True))
    best = model.predict(rows, target, average=average)
    assert best.tolist() == [labels[k] for k in found.argmax(axis=1)]


def test_prediction_beats_the_mode_and_the_empty_graph(model, split):
    train, rows = split[0], seen(*split)
    coding = model.answers_.coding
    nothing = SampledGraphs.of([[]], coding.names)
    empty = Ensemble.of(nothing, coding.cards, model.answers_.tables)
    base = empty.log_likelihood(model.answers_.coding.codes(rows)[0]).mean()
    assert model.score(rows) > base + 0.5
    assert model.log_likelihood(rows, average=True).mean() > model.score(rows) - 0.02
    name = rows.columns[1]
    hits = (model.predict(rows, name) == rows[name].to_numpy()).mean()
    assert hits >= (rows[name] == train[name].mode()[0]).mean()


@pytest.mark.parametrize("average", [False, True])
def test_samples_have_the_learned_distribution(average):
    table = load_network("alarm").sample(200, random_state=0)[["HR", "HRBP", "CO"]]
    model = LSBN(random_state=0).fit(table)
    rows = model.sample(4_000, average=average, random_state=0)
    assert rows.equals(model.sample(4_000, average=average, random_state=0))
    assert list(rows) == list(table)
    states = [list(column.cat.categories) for _, column in rows.items()]
    assert states == [list(labels) for labels in model.dataset_.states]
    every = pd.DataFrame(list(itertools.product(*states)), columns=list(table))
    wanted = np.exp(model.log_likelihood(every, average=average))
    counts = Counter(rows.itertuples(index=False, name=None))
    found = [counts[row] / 4_000 for row in every.itertuples(index=False, name=None)]
    np.testing.assert_allclose(found, wanted, atol=0.035)


@pytest.mark.parametrize("convert", [pl.from_pandas, Dataset.from_table, lambda t: t.iloc[:, ::-1]])
def test_tables_of_all_kinds_and_orders(model, split, convert):
    rows = seen(*split).head(50)
    np.testing.assert_allclose(model.log_likelihood(convert(rows)), model.log_likelihood(rows))
    assert len(model.log_likelihood(rows.head(1))) == 1


def test_unknown_states_and_missing_columns_are_named(model, split):
    rows = split[0].head(3)
    first, second, *_ = rows.columns
    with pytest.raises(DataError, match=f"1 column.*missing: '{second}'"):
        model.log_likelihood(rows.drop(columns=second))
    with pytest.raises(DataError, match=rf"'{first}' \('odd', 'new'\)"):
        model.log_likelihood(rows.assign(**{first: ["odd", "new", "odd"], second: None}))
    with pytest.raises(KeyError, match="no variable 'x'"):
        model.predict(rows, "x")
    with pytest.raises(ValueError, match="same order as they were in fit"):
        model.score(rows.iloc[:, ::-1])


@pytest.mark.parametrize("strategy", ["quantile", "uniform", "kmeans"])
def test_numbers_are_cut_as_in_the_fit(strategy):
    rng = np.random.default_rng(0)
    dates = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, 300), unit="D")
    table = pd.DataFrame(
        {
            "x": rng.normal(size=300),
            "few": rng.choice([0.5, 1.5, 2.5], 300),
            "whole": rng.integers(0, 500, 300),
            "day": dates,
            "label": rng.choice(["a", "b"], 300),
            "code": rng.integers(0, 3, 300),
        }
    )
    model = LSBN(discretize=strategy, bins=4, random_state=0).fit(table)
    coding = model.answers_.coding
    assert np.array_equal(coding.codes(table)[0], model.dataset_.codes)
    assert np.array_equal(coding.codes(table.iloc[17:19])[0], model.dataset_.codes[:, 17:19])
    far = table.head(2).assign(x=[-1e9, 1e9], whole=[-5, 10**6])
    codes, _ = coding.codes(far)
    assert codes[0].tolist() == [0, model.dataset_.cards[0] - 1]
    with pytest.raises(DataError, match=r"'few' \('0.7'\)"):
        coding.codes(table.head(1).assign(few=0.7))
    assert np.array_equal(
        type(coding).from_json(coding.to_json()).codes(table)[0], coding.codes(table)[0]
    )


def test_missing_values_may_be_a_state():
    table = pd.DataFrame({"a": ["x", None, "y", "x"] * 20, "b": ["u", "v"] * 40})
    model = LSBN(missing="state", random_state=0).fit(table)
    assert np.array_equal(model.answers_.coding.codes(table)[0], model.dataset_.codes)


def test_scikit_learn_selects_models():
    table = load_network("alarm").sample(240, random_state=0)[["HR", "HRBP", "CO", "TPR"]]
    found = cross_val_score(LSBN(random_state=0), table, cv=3)
    assert found.shape == (3,)
    assert (found < 0).all()
    search = GridSearchCV(LSBN(random_state=0), {"score": ["mixed", "bdeu"]}, cv=2).fit(table)
    assert search.best_params_["score"] in ("mixed", "bdeu")
    pipe = make_pipeline(FunctionTransformer(lambda frame: frame), LSBN(random_state=0)).fit(table)
    assert pipe.score(table) == pytest.approx(search.best_estimator_.score(table), abs=0.2)
    assert pipe.predict_proba(table).shape == (240, sum(map(len, pipe[-1].dataset_.states)))
    assert pipe.predict(table, target="CO").tolist() == pipe[-1].predict(table, "CO").tolist()
    assert search.predict(table).tolist() == search.best_estimator_.predict(table).tolist()


def test_labels_of_numbers_and_booleans_are_text():
    table = pd.DataFrame({"a": [0, 1] * 20, "b": [True, False] * 20})
    model = LSBN(random_state=0).fit(table)
    for name in table:
        labels = table[name].astype(str)
        assert model.predict(table, name).tolist() == labels.tolist()
        assert set(model.sample(100, random_state=0)[name]) == set(labels)
    filled = model.impute(table.astype(object).mask(np.eye(40, 2, dtype=bool), None)).table
    assert filled.to_numpy().tolist() == table.to_numpy().tolist()
