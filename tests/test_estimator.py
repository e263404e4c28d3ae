import json
import pickle

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

import naive
from learner_cases import shuffled_alarm
from lsbn import fitting
from lsbn.data import DataError, Dataset
from lsbn.estimator import LSBN
from lsbn.learners import LEARNERS, Score
from lsbn.learners.averaging import EFFORTS
from lsbn.metrics import compare
from lsbn.network import read_bif
from lsbn.pairs import statistics as pairs

EXPECTED_FAILURES = {}


@parametrize_with_checks(
    [LSBN(discretize="quantile", random_state=0)],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def alarm():
    return shuffled_alarm(2000)


@pytest.fixture(scope="module")
def model(alarm):
    return LSBN(random_state=0).fit(alarm[0])


def assert_sound(model):
    matrix = model.edge_probabilities_.toarray()
    assert sparse.issparse(model.edge_probabilities_)
    assert ((matrix >= 0) & (matrix <= 1)).all()
    assert (matrix + matrix.T <= 1 + 1e-12).all()
    assert nx.is_directed_acyclic_graph(model.dag_)
    assert naive.is_acyclic(list(model.dag_), list(model.dag_.edges))
    for graph in (model.dag_, model.cpdag_):
        assert list(graph) == list(model.feature_names_in_)
        assert all(0 <= p <= 1 for _, _, p in graph.edges(data="probability"))
    assert set().union(*model.communities_) == set(model.feature_names_in_)
    assert model.hierarchy_.shape == (len(model.communities_) - 1, 4)


def test_alarm_is_learned(alarm, model):
    assert_sound(model)
    assert compare(model.dag_, alarm[1]).f_score > 90
    assert model.n_features_in_ == 37
    assert list(model.feature_names_in_) == list(alarm[0].columns)


def test_paper_has_its_own_settings(alarm):
    published = LSBN.paper(random_state=0)
    assert not published.last_pass
    assert not published.weigh_votes
    assert not published.fold_copies
    assert published.get_params()["score"] is None
    assert LSBN.paper(last_pass=True).last_pass
    published.fit(alarm[0])
    assert_sound(published)
    assert compare(published.dag_, alarm[1]).f_score > 85
    assert published.diagnostics_.method == "exact"


@pytest.mark.parametrize("last_pass", [True, False])
@pytest.mark.parametrize("learner", sorted(LEARNERS))
def test_every_learner_runs_inside(alarm, learner, last_pass):
    table = alarm[0][alarm[0].columns[:16]].head(1000)
    assert_sound(LSBN(learner=learner, last_pass=last_pass, random_state=0).fit(table))


tables = st.integers(2, 6).flatmap(
    lambda n: st.lists(
        st.lists(st.integers(0, 2), min_size=n, max_size=n), min_size=2, max_size=25
    ).map(np.array)
)


@given(tables, st.sampled_from(["model-averaging", "pc", "greedy"]), st.booleans())
@settings(deadline=None, max_examples=200)
def test_any_table_gives_a_sound_network(table, learner, last_pass):
    assert_sound(LSBN(learner=learner, last_pass=last_pass, random_state=0).fit(table))


def test_same_seed_same_answer(alarm, model):
    again = LSBN(random_state=np.random.SeedSequence(0)).fit(alarm[0])
    assert (again.edge_probabilities_ != model.edge_probabilities_).nnz == 0


@pytest.mark.parametrize("mode", [LSBN, LSBN.paper])
def test_any_number_of_jobs_gives_the_same_answer(alarm, mode):
    one, two = (mode(random_state=3, n_jobs=jobs).fit(alarm[0]) for jobs in (1, 2))
    assert (one.edge_probabilities_ != two.edge_probabilities_).nnz == 0
    assert one.communities_ == two.communities_


@pytest.mark.parametrize("options", [{}, {"last_pass": False}, {"learner": "greedy"}])
@pytest.mark.parametrize("n", [12, 20])
def test_the_order_of_columns_does_not_matter(alarm, options, n):
    """Exact (12 variables) or sampled (20): the same seed gives the same draws."""
    table = alarm[0][alarm[0].columns[5 : 5 + n]].head(500)
    shuffled = table[list(np.random.default_rng(1).permutation(table.columns))]
    first, second = (LSBN(random_state=0, **options).fit(some) for some in (table, shuffled))
    names = [first.feature_names_in_, second.feature_names_in_]
    frames = [
        pd.DataFrame(model.edge_probabilities_.toarray(), columns, columns)
        for model, columns in zip((first, second), names, strict=True)
    ]
    found = frames[1].loc[names[0], names[0]]
    np.testing.assert_allclose(found, frames[0], atol=1e-9)
    assert {frozenset(c) for c in first.communities_} == {frozenset(c) for c in second.communities_}


def noise(states, columns, rows, seed):
    """Independent uniform columns."""
    codes = np.random.default_rng(seed).integers(states, size=(rows, columns))
    return pd.DataFrame(codes.astype(str), columns=[f"x{v}" for v in range(columns)])


def shuffled_cancer(seed):
    """Breast cancer in three quantile bins, each column shuffled on its own."""
    rng, frame = np.random.default_rng(seed), load_breast_cancer(as_frame=True).frame
    ranks = frame.rank(method="first").to_numpy()
    bins = np.where(frame.nunique() > 3, 3 * (ranks - 1) // len(frame), frame)
    return pd.DataFrame(rng.permuted(bins.astype(int), axis=0).astype(str), columns=frame.columns)


NOISE = {
    "8 of 5 states, 1,000 rows": noise(5, 8, 1000, 1),
    "10 of 7 states, 900 rows": noise(7, 10, 900, 2),
    "12 of 3 states, 500 rows": noise(3, 12, 500, 3),
    "20 of 5 states, 1,000 rows": noise(5, 20, 1000, 4),
    "8 of 4 states, 200 rows": noise(4, 8, 200, 5),
    "40 of 2 states, 60 rows": noise(2, 40, 60, 6),
    "6 of 12 states, 150 rows": noise(12, 6, 150, 7),
    "8 of 20 states, 300 rows": noise(20, 8, 300, 8),
    "breast cancer, shuffled": shuffled_cancer(9),
}


@pytest.mark.parametrize("kind", NOISE)
def test_noise_stays_noise(kind):
    both = LSBN(random_state=0).fit(NOISE[kind]).edge_probabilities_
    both = np.triu((both + both.T).toarray())
    assert both.max() < 0.5
    assert both.sum() < 1.5


@pytest.mark.parametrize("learner", ["greedy", "mmhc"])
def test_saturated_tables_join_nothing(learner):
    """With 20 states and 300 rows two parents have more configurations than there are rows."""
    found = LSBN(learner=learner, random_state=0).fit(NOISE["8 of 20 states, 300 rows"])
    assert found.edge_probabilities_.nnz == 0


def test_the_score_is_a_parameter_and_a_method(alarm):
    table = alarm[0][alarm[0].columns[:6]].head(300)
    model = LSBN(score="bdeu", random_state=0)
    assert model.get_params()["score"] == clone(model).get_params()["score"] == "bdeu"
    assert clone(model.set_params(score="k2")).get_params()["score"] == "k2"
    model.set_params(score="bdeu")
    with pytest.raises(NotFittedError):
        model.score(table)
    by_name, by_value = (LSBN(score=s, random_state=0).fit(table) for s in ("bdeu", Score("bdeu")))
    assert (by_name.edge_probabilities_ != by_value.edge_probabilities_).nnz == 0
    assert by_name.score(table) == pytest.approx(by_name.log_likelihood(table).mean())
    mixed = LSBN(random_state=0).fit(table)
    assert (by_name.edge_probabilities_ != mixed.edge_probabilities_).nnz > 0


def test_graphs_may_count_once(alarm):
    table = alarm[0][alarm[0].columns[:6]].head(300)
    by_orders, by_graphs = (LSBN(count=c, random_state=0).fit(table) for c in ("orders", "graphs"))
    assert by_orders.diagnostics_.count == "orders"
    assert by_graphs.diagnostics_.count == "graphs"
    assert abs(by_orders.edge_probabilities_ - by_graphs.edge_probabilities_).max() > 0.01


@pytest.mark.parametrize(
    "seed", [None, np.random.default_rng(1), np.random.RandomState(1)], ids=["none", "new", "old"]
)
def test_seeds_of_all_kinds(alarm, seed):
    assert_sound(LSBN(random_state=seed).fit(alarm[0][alarm[0].columns[:5]].head(200)))


@pytest.mark.parametrize("convert", [pl.from_pandas, pa.Table.from_pandas, Dataset.from_table])
def test_tables_of_all_kinds_give_the_same_answer(alarm, convert):
    table = alarm[0][alarm[0].columns[:8]].head(500)
    expected = LSBN(random_state=0).fit(table)
    found = LSBN(random_state=0).fit(convert(table))
    assert (expected.edge_probabilities_ != found.edge_probabilities_).nnz == 0
    assert list(found.feature_names_in_) == list(table.columns)


def test_it_clones_and_pickles(model):
    assert clone(model).get_params() == model.get_params()
    back = pickle.loads(pickle.dumps(model))
    assert (back.edge_probabilities_ != model.edge_probabilities_).nnz == 0
    assert back.to_network().n_edges == model.dag_.number_of_edges()


def test_diagnostics_are_ready_for_json(model):
    notes = json.loads(json.dumps(model.diagnostics_))
    assert {"read", "partition", "last pass"} == set(notes["seconds"])
    assert notes["method"] == "sampled"
    assert notes["r_hat"] < 1.2
    assert notes["effective_sample_size"] > 10
    assert notes["communities"] == []
    assert "log_evidence" not in notes


def test_diagnostics_are_a_mapping_too(model):
    assert dict(model.diagnostics_)["r_hat"] == model.diagnostics_["r_hat"]
    assert model.diagnostics_.get("r_hat") == model.diagnostics_.r_hat
    assert {"method", "seconds", "not_run", "notes"} <= set(model.diagnostics_)
    assert "log_evidence" not in model.diagnostics_


def test_diagnostics_of_communities(alarm):
    model = LSBN(random_state=0, last_pass=False).fit(alarm[0])
    notes = json.loads(json.dumps(model.diagnostics_))
    assert {"read", "partition", "blankets", "local", "merge"} == set(notes["seconds"])
    assert len(notes["communities"]) == len(model.communities_)
    assert {part.get("method") for part in notes["communities"]} <= {"exact", None}


@pytest.mark.parametrize("learner", ["model-averaging", "aracne", "greedy", "mmhc"])
@pytest.mark.parametrize("stored", [4_000, 0])
def test_pairs_are_counted_once(alarm, monkeypatch, learner, stored):
    """Without stored pairs, ARACNE and greedy search may need pairs that were not listed."""
    table, _ = alarm
    made = []

    class Watched(pairs.PairStatistics):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            made.append(self)

    monkeypatch.setattr(pairs, "STORED_VARIABLES", stored)
    monkeypatch.setattr(fitting, "REACH", 0)
    monkeypatch.setattr(fitting, "PairStatistics", Watched)
    LSBN(learner=learner, random_state=0).fit(table)
    assert [each.passes for each in made] == [1] or (stored == 0 and made[0].passes == 2)
    assert learner != "model-averaging" or made[0].passes == 1


def test_a_warning_points_at_the_caller(alarm, monkeypatch):
    """For a warning from any module of the package."""
    hasty = {"sweeps": 2, "least_steps": 0, "most_steps": 0, "tempered_variables": 0}
    monkeypatch.setitem(EFFORTS, "standard", ({}, hasty))
    with pytest.warns(ConvergenceWarning, match="chains disagree") as caught:
        LSBN(random_state=0).fit(alarm[0].head(60))
    assert caught[0].filename == __file__


def test_stages_that_nobody_reads_are_not_run(model):
    assert set(model.diagnostics_.seconds) == {"read", "partition", "last pass"}
    assert set(model.diagnostics_.not_run) == {"blankets", "local", "merge"}


def test_many_variables_are_searched_among_candidates(monkeypatch):
    """The path above 1,024 variables: the last pass searches among the proposals of communities."""
    monkeypatch.setattr(fitting, "REACH", 20)
    monkeypatch.setitem(EFFORTS, "standard", ({"max_unrestricted": 20}, {}))
    monkeypatch.setattr("lsbn.framework.candidates._EXPANDED", 20)
    table, truth = shuffled_alarm(3_000)
    first = LSBN(random_state=0).fit(table)
    assert {"blankets", "local", "merge"} <= set(first.diagnostics_.seconds)
    assert first.diagnostics_.not_run is None
    assert compare(first.dag_, truth).f_score > 90
    again = LSBN(random_state=0, n_jobs=2).fit(table)
    assert (again.edge_probabilities_ != first.edge_probabilities_).nnz == 0


def test_exports(model, tmp_path):
    model.to_csv(tmp_path / "edges.csv")
    model.to_graphml(tmp_path / "graph.graphml")
    model.to_network().write_bif(tmp_path / "net.bif")
    assert pd.read_csv(tmp_path / "edges.csv").columns.tolist() == [
        "source",
        "target",
        "probability",
    ]
    assert set(nx.read_graphml(tmp_path / "graph.graphml").edges) == set(model.dag_.edges)
    assert set(read_bif(tmp_path / "net.bif").dag.edges) == set(model.dag_.edges)
    everything = model.to_networkx()
    assert set(model.dag_.edges) <= {e for u, v in everything.edges for e in ((u, v), (v, u))}
    assert everything.number_of_edges() == model.edge_probabilities_.nnz


def test_plot_writes_a_page(model, tmp_path):
    model.plot(tmp_path / "page.html", title="alarm")
    assert "HRBP" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_notebook_shows_the_page(model, tmp_path):
    page = model.plot(title="alarm")
    model.plot(tmp_path / "page.html", title="alarm")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page.text
    shown = model._repr_mimebundle_()
    assert shown["text/plain"] == repr(model)
    assert shown["text/html"] == model.plot()._repr_html_() == model._repr_html_()
    assert "HRBP" in shown["text/html"]
    assert shown["text/html"].count("<") == 2  # a frame; the page in it is escaped
    assert "iframe" not in LSBN()._repr_html_()
    with config_context(display="text"):
        assert model._repr_html_() is None


def test_verbose_tells_of_each_stage(alarm, capsys):
    told = []
    small = alarm[0][alarm[0].columns[:5]].head(100)
    LSBN.paper(random_state=0, verbose=told.append).fit(small)
    assert "find Markov blankets" in told
    assert capsys.readouterr().err == ""
    LSBN(random_state=0, verbose=True).fit(small)
    assert "last pass: learn all variables" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learner": "magic"}, "unknown learner 'magic'; there are model-averaging"),
        ({"max_size": 1}, "max_size is 1; use 2 to 20"),
        ({"weights": ("MI", "mi")}, "unknown weight function 'mi'"),
        ({"weights": "MI"}, r"weights is 'MI'; use a sequence such as \['MI'\]"),
        ({"learner": ["pc"]}, r"unknown learner \['pc'\]"),
        ({"weights": ()}, "weights is empty; use some of MI"),
        ({"max_community": 1}, "max_community is 1; use 2 or more"),
        ({"triplet_threshold": 2}, "triplet_threshold is 2; use 0 to 1"),
        ({"threshold": 1.0}, "threshold is 1.0"),
        ({"blanket_alpha": 0}, "blanket_alpha is 0"),
        ({"score": "aic"}, "unknown score 'aic'; there are mixed, bdeu"),
        ({"score": 3}, "score is 3; use a Score"),
        ({"learner": "pc", "score": "bdeu"}, "the learner 'pc' has no score"),
        ({"discretize": "deciles"}, "discretize is 'deciles'; use one of"),
        ({"bins": 1}, "bins is 1; use a whole number from 2 to max_states"),
        ({"missing": "ignore"}, "missing is 'ignore'; use one of"),
        ({"max_states": "many"}, "max_states is 'many'; use a whole number from 2 to 4096"),
        ({"random_state": "today"}, "random_state is 'today'; use a whole number"),
    ],
)
def test_impossible_parameters_are_refused_before_the_table_is_read(options, message):
    with pytest.raises(ValueError, match=message):
        LSBN(**options).fit("no table")


def test_continuous_columns_need_a_choice():
    with pytest.raises(DataError, match="discretize"):
        LSBN().fit(np.random.default_rng(0).random((30, 3)))
