"""Networks from the posterior, and the probabilities of features."""

import networkx as nx
import numpy as np
import pytest

import naive
import naive_answers
from learner_cases import shuffled_alarm
from lsbn import LSBN, Dataset, load_network
from lsbn.graph.sampled import Estimate, SampledGraphs
from lsbn.learners import Score
from lsbn.learners.averaging import SamplingSettings, learn_model_averaging
from lsbn.learners.averaging.collector import Trail


@pytest.fixture(scope="module")
def alarm():
    return shuffled_alarm(300)[0].iloc[:, :20]


@pytest.fixture(scope="module")
def model(alarm):
    return LSBN(random_state=0).fit(alarm)


def assert_agrees(graphs, matrix, extra=0.02):
    """Every edge within four standard errors; `extra` is the error of sampled averages."""
    wanted = matrix.toarray()
    error = np.sqrt(wanted * (1 - wanted) / len(graphs))
    assert (abs(graphs.frequencies().toarray() - wanted) <= 4 * error + extra).all()
    assert all(nx.is_directed_acyclic_graph(graph) for graph in graphs)


@pytest.mark.parametrize("count", ["orders", "graphs"])
def test_exact_average(alarm, count):
    model = LSBN(count=count, random_state=0).fit(alarm.iloc[:, :7])
    assert model.diagnostics_.method == "exact"
    assert len(model.graphs_) == 1000
    assert_agrees(model.graphs_, model.edge_probabilities_, 0.0)


def test_sampled_average(model):
    assert model.diagnostics_.method == "sampled"
    assert len(model.graphs_) == 1000
    assert_agrees(model.graphs_, model.edge_probabilities_)
    assert len(set(model.graphs_.chain.tolist())) == model.diagnostics_.chains_kept


def test_sampled_average_over_graphs(alarm):
    dataset = Dataset.from_table(alarm.iloc[:, :8])
    few = SamplingSettings(least_steps=2_000, most_steps=2_000)
    options = {"count": "graphs", "method": "sampled", "random_state": 0, "sampling": few}
    learned = learn_model_averaging(dataset, n_graphs=400, **options)
    assert len(learned.graphs) == 400
    assert_agrees(learned.graphs, learned.edges.matrix, 0.03)


def test_the_number_of_networks_does_not_change_the_edges(alarm):
    table = alarm.iloc[:, :6]
    one, two = (LSBN(n_graphs=n, random_state=0).fit(table) for n in (7, 1000))
    assert (one.edge_probabilities_ != two.edge_probabilities_).nnz == 0
    assert len(one.sample_graphs(7)) == 7


def test_any_number_of_jobs_draws_the_same_networks(alarm, model):
    again = LSBN(random_state=0, n_jobs=2).fit(alarm)
    for name in ("start", "parent", "child", "chain", "log_score"):
        assert np.array_equal(getattr(again.graphs_, name), getattr(model.graphs_, name))


@pytest.fixture(scope="module")
def enumerated():
    """All DAGs of five variables with their weights under BDeu, and their numbers of orders."""
    table = load_network("alarm").sample(60, random_state=3)[["HR", "CO", "BP", "TPR", "HRBP"]]
    data = Dataset.from_table(table)
    families = naive.families("bdeu", 1.0, data.codes.tolist(), data.cards.tolist(), prior="none")
    dags = [dag for dag in naive.dags(5) if all(map(dict.__contains__, families, dag))]
    scores = np.array([sum(map(dict.__getitem__, families, dag)) for dag in dags])
    orders = np.array([naive.linear_extensions(dag) for dag in dags])
    return data, dags, np.exp(scores - scores.max()), orders


@pytest.mark.parametrize("count", ["orders", "graphs"])
def test_ancestors_equal_enumeration(count, enumerated):
    data, dags, weights, orders = enumerated
    learned = learn_model_averaging(
        data, score=Score("bdeu", prior="none"), count=count, n_graphs=4000, random_state=0
    )
    weights = weights * orders if count == "orders" else weights
    posterior = dict(zip(dags, weights / weights.sum(), strict=True))
    wanted = np.array(naive_answers.ancestor_probabilities(posterior, 5))
    error = np.sqrt(wanted * (1 - wanted) / 4000)
    assert (abs(learned.graphs.ancestors().toarray() - wanted) <= 4.5 * error + 1e-9).all()
    shares = np.zeros(5)
    for dag, p in posterior.items():
        shares[list(naive_answers.blanket(dag, 2))] += p
    found = learned.graphs.blanket(2).mean(axis=0)
    assert np.asarray(found).ravel() == pytest.approx(shares, abs=0.04)


def test_features_agree_with_each_other(model):
    names = model.edges_.names
    u, v = max(model.edges_, key=lambda edge: min(edge.probability, 0.6)).source, names[3]
    path = model.probability(u, v, how="path")
    assert isinstance(path, Estimate)
    assert float(path) == model.feature(lambda graph: nx.has_path(graph, u, v))
    assert path.error == model.feature(lambda graph: nx.has_path(graph, u, v)).error
    places = names.index(u), names.index(v)
    assert model.ancestors()[places] == pytest.approx(float(path))
    both = model.edges_[u, v] + model.edges_[v, u]
    assert model.probability(u, v, how="adjacent") == pytest.approx(both)
    assert model.probability(u, v) == model.edges_[u, v]
    assert 0 <= model.probability(u, v).error < 0.05


def test_blanket_with_probabilities(model):
    name = model.edges_.names[0]
    frame = model.markov_blanket(name)
    assert list(frame) == ["variable", "probability", "error"]
    assert frame["probability"].is_monotonic_decreasing
    for row in frame.itertuples():
        assert model.probability(name, row.variable, how="blanket") == row.probability
        around = model.feature(
            lambda graph, other=row.variable: (
                other in graph.pred[name]
                or other in graph.succ[name]
                or any(child in graph.succ[other] for child in graph.succ[name])
            )
        )
        assert float(around) == pytest.approx(row.probability)


def test_copies_are_joined_in_every_network():
    table = load_network("alarm").sample(400, random_state=1)[["HR", "HRBP", "CO", "TPR", "BP"]]
    table = table.assign(AA=table["HR"], ZZ=table["HR"], hr=table["TPR"])
    model = LSBN(random_state=0).fit(table)
    assert_agrees(model.graphs_, model.edge_probabilities_, 0.01)
    for copy, original in (("HR", "AA"), ("ZZ", "AA"), ("hr", "TPR")):
        u, v = map(list(table).index, (copy, original))
        assert (model.graphs_.joined(u, v) ^ model.graphs_.joined(v, u)).all()
    assert model.probability("HR", "CO").error == 0


def test_groups_are_single_variables():
    table = load_network("alarm").sample(400, random_state=1)[["HR", "HRBP", "CO"]]
    model = LSBN(random_state=0, fold_copies="group").fit(table.assign(pulse=table["HR"]))
    assert set(model.sample_graphs(1)[0]) == {"HR = pulse", "HRBP", "CO"}
    assert np.isfinite(model.log_likelihood(table)).all()  # the first column is enough
    assert model.predict(table, "HR = pulse")[0] in ("HIGH", "LOW", "NORMAL")


@pytest.mark.parametrize("options", [{"learner": "pc"}, {"last_pass": False}, {"n_graphs": 0}])
def test_without_a_posterior_the_error_names_the_cure(alarm, options):
    model = LSBN(random_state=0, **options).fit(alarm.iloc[:, :5].head(200))
    assert model.graphs_ is None
    first, second, *_ = alarm.columns
    asked = [
        lambda: model.sample_graphs(1),
        lambda: model.markov_blanket(first),
        lambda: model.probability(first, second, how="path"),
        lambda: model.effect(first, second),
        lambda: model.log_likelihood(alarm, average=True),
    ]
    for ask in asked:
        with pytest.raises(ValueError, match="only the last pass of model averaging draws them"):
            ask()
    assert 0 <= model.probability(first, second) <= 1
    assert np.isfinite(model.score(alarm.iloc[:, :5].head(20)))


def test_wrong_questions(model):
    name = model.edges_.names[0]
    with pytest.raises(KeyError, match="no variable 'HRX'; did you mean 'HR"):
        model.probability("HRX", name)
    with pytest.raises(ValueError, match="how is 'near'; use edge, adjacent, path, blanket"):
        model.probability(name, model.edges_.names[1], how="near")
    with pytest.raises(ValueError, match="twice"):
        model.probability(name, name)
    with pytest.raises(ValueError, match=r"k is 1001; use 1 to 1,000.*n_graphs.*--graphs"):
        model.sample_graphs(1001)
    with pytest.raises(KeyError, match="give two names"):
        model.edges_[name]


def test_edges_can_be_read_one_by_one_and_as_a_table(model):
    frame = model.edges_.to_frame()
    assert list(frame) == ["source", "target", "probability"]
    assert len(frame) == (model.edge_probabilities_.data >= 0.01).sum()
    assert frame["probability"].is_monotonic_decreasing
    edges = list(model.edges_)
    assert len(edges) == model.edge_probabilities_.nnz
    assert all(model.edges_[edge.source, edge.target] == edge.probability for edge in edges)


def test_constant_columns_have_no_edges_in_any_network(alarm):
    table = alarm.iloc[:, :4].head(200).assign(aaa="same", zzz="same")
    graphs = LSBN(random_state=0).fit(table).sample_graphs(50)
    assert all(graph.degree("aaa") == graph.degree("zzz") == 0 for graph in graphs)
    alone = LSBN(random_state=0).fit(table[["aaa", "zzz"]])
    assert [graph.number_of_edges() for graph in alone.sample_graphs(3)] == [0, 0, 0]


def test_the_error_counts_chains():
    """Draws of one chain that never changes are worth a single draw."""
    graphs = SampledGraphs.of([[]] * 400, ("a", "b"), np.repeat(range(4), 100))
    found = graphs.mean(np.repeat([0.0, 1.0, 1.0, 1.0], 100))
    assert found == 0.75
    assert found.error == pytest.approx(0.25)
    alone = SampledGraphs.of([[]] * 400, ("a", "b"))
    values = np.repeat([0.0, 1.0], 200)
    assert alone.mean(values).error == pytest.approx(0.025, rel=0.01)


def test_a_trail_is_bounded_and_even():
    trail = Trail(1)
    for part in range(40):
        trail.add(np.arange(100 * part, 100 * (part + 1))[:, None])
    gaps = np.diff(trail.draws[:, 0])
    assert trail.most / 2 < len(trail.draws) <= trail.most
    assert set(gaps.tolist()) == {gaps[0]}
    trail.add(np.zeros((3, 1)), first=True)
    assert trail.draws.tolist() == [[0.0]] * 3
    assert Trail(100_000_000).most == 16


def test_thinned_networks_are_among_all(model):
    few = model.graphs_.thinned(10)
    assert [set(graph.edges) for graph in few] == [
        set(model.graphs_[g].edges) for g in range(0, 1000, 100)
    ]


def test_data_for_arviz(model):
    from lsbn.answers.arviz import chains_of

    values, names = chains_of(model.graphs_)
    assert len(names) == values["edge"].shape[2]
    source, target = names[0].split(" -> ")
    share = model.graphs_.feature(lambda graph: graph.has_edge(source, target))
    assert values["edge"][:, :, 0].mean() == pytest.approx(float(share))
    assert values["log_score"].shape == values["n_edges"].shape == (4, 250)
    assert values["edge"].shape[:2] == (4, 250)
    shares = values["edge"].mean(axis=(0, 1))
    assert ((shares >= 0.01) & (shares <= 0.99)).all()
    arviz = pytest.importorskip("arviz", reason="arviz, an optional package, is not installed")
    data = model.to_arviz()
    assert data["posterior"]["log_score"].shape == (4, 250)
    assert arviz.summary(data, var_names=["log_score"]).shape[0] == 1


def test_arviz_is_optional(model, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "arviz", None)
    with pytest.raises(ImportError, match=r"pip install 'lsbn\[arviz\]'"):
        model.to_arviz()
