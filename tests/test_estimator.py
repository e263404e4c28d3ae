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
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import naive
from learner_cases import shuffled_alarm
from lsbn.data import DataError, Dataset
from lsbn.estimator import LSBN
from lsbn.learners import LEARNERS
from lsbn.metrics import compare
from lsbn.network import load_network, read_bif

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
    assert published.score is None
    assert LSBN.paper(last_pass=True).last_pass
    published.fit(alarm[0])
    assert_sound(published)
    assert compare(published.dag_, alarm[1]).f_score > 85
    assert published.diagnostics_["method"] == "exact"


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
    assert {"read", "partition", "blankets", "local", "merge", "last pass"} == set(notes["seconds"])
    assert notes["method"] == "sampled"
    assert notes["r_hat"] < 1.2
    assert notes["effective_sample_size"] > 10
    assert len(notes["communities"]) == len(model.communities_)
    assert {part.get("method") for part in notes["communities"]} <= {"exact", None}


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


@pytest.fixture(scope="module")
def whole_alarm():
    """A model in which variables have several parents, of different numbers of states."""
    model = LSBN(random_state=0).fit(load_network("alarm").sample(2_000, random_state=3))
    assert max(len(parents) for parents in model.to_network().parents) > 2
    return model


def rows_of(network):
    """States of the parents of each variable, and its distribution there."""
    for v, name in enumerate(network.names):
        parents = network.parents[v]
        table = network.tables[v].reshape(*(len(network.states[u]) for u in parents), -1)
        for row in np.ndindex(table.shape[:-1]):
            given = {
                network.names[u]: network.states[u][k] for u, k in zip(parents, row, strict=True)
            }
            yield name, given, table[row]


@pytest.mark.filterwarnings("ignore")
def test_pgmpy(whole_alarm):
    pytest.importorskip("pgmpy")
    found, expected = whole_alarm.to_pgmpy(), whole_alarm.to_network()
    assert set(found.edges) == set(whole_alarm.dag_.edges)
    assert found.check_model()
    states = dict(zip(expected.names, expected.states, strict=True))
    for name, parents, distribution in rows_of(expected):
        cpd = found.get_cpds(name)
        values = [cpd.get_value(**parents, **{name: state}) for state in states[name]]
        assert values == pytest.approx(distribution)


def test_pyagrum(whole_alarm):
    pytest.importorskip("pyagrum")
    found, expected = whole_alarm.to_pyagrum(), whole_alarm.to_network()
    assert {found.variable(v).name() for v in found.nodes()} == set(expected.names)
    for name, parents, distribution in rows_of(expected):
        assert found.cpt(name)[parents] == pytest.approx(distribution)


def test_verbose_tells_of_each_stage(alarm, capsys):
    told = []
    small = alarm[0][alarm[0].columns[:5]].head(100)
    LSBN(random_state=0, verbose=told.append).fit(small)
    assert "looking for Markov blankets" in told
    assert capsys.readouterr().err == ""
    LSBN(random_state=0, verbose=True).fit(small)
    assert "looking for Markov blankets" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learner": "magic"}, "unknown learner 'magic'; there are model-averaging"),
        ({"max_size": 1}, "max_size is 1; use 2 to 20"),
        ({"threshold": 1.0}, "threshold is 1.0"),
        ({"blanket_alpha": 0}, "blanket_alpha is 0"),
    ],
)
def test_impossible_parameters_are_refused(alarm, options, message):
    with pytest.raises(ValueError, match=message):
        LSBN(**options).fit(alarm[0])


def test_continuous_columns_need_a_choice():
    with pytest.raises(DataError, match="discretize"):
        LSBN().fit(np.random.default_rng(0).random((30, 3)))
