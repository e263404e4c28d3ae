import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import average_precision_score

import naive
from lsbn import metrics
from lsbn.graph import dag_to_cpdag
from lsbn.network import load_network


def random_dag(rng, n, density=0.3):
    order = rng.permutation(n).tolist()
    graph = nx.DiGraph()
    graph.add_nodes_from(range(n))
    edges = [(order[i], order[j]) for j in range(n) for i in range(j) if rng.random() < density]
    graph.add_edges_from(edges)
    return graph


def random_probabilities(rng, n):
    """A matrix with ties, absent pairs and sums up to 1."""
    skeleton = np.triu(rng.integers(0, 5, size=(n, n)) / 4 * (rng.random((n, n)) < 0.6), 1)
    share = rng.integers(0, 3, size=(n, n)) / 2
    return skeleton * share + (skeleton * (1 - share)).T


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 5))
def test_compare_dags_against_naive(seed, n):
    rng = np.random.default_rng(seed)
    learned, truth = random_dag(rng, n), random_dag(rng, n)
    result = metrics.compare(learned, truth)
    expected = naive.compare(
        range(n),
        naive.cpdag(range(n), list(learned.edges)),
        naive.cpdag(range(n), list(truth.edges)),
    )
    assert (result.hits, result.misses, result.errors, result.shd) == expected
    assert metrics.compare(truth, truth).shd == 0
    assert metrics.compare(truth, learned).shd == result.shd
    assert metrics.compare(dag_to_cpdag(learned), truth) == result


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 8))
def test_compare_takes_partially_directed_graphs_as_they_are(seed, n):
    rng = np.random.default_rng(seed)
    learned, truth = random_dag(rng, n), random_dag(rng, n)
    for graph in (learned, truth):
        graph.add_edges_from([(0, 1), (1, 0)])
    result = metrics.compare(learned, truth)
    expected = naive.compare(range(n), set(learned.edges), set(truth.edges))
    assert (result.hits, result.misses, result.errors, result.shd) == expected


def test_undirected_graph_is_all_undirected():
    truth = nx.DiGraph([("a", "c"), ("b", "c"), ("c", "d")])
    assert metrics.compare(nx.Graph(truth), truth).shd == 3
    chain = nx.DiGraph([("a", "b"), ("b", "c")])
    assert metrics.compare(nx.Graph(chain), chain).shd == 0


def test_cyclic_graph_is_taken_as_it_is():
    cycle = nx.DiGraph([("a", "b"), ("b", "c"), ("c", "a")])
    assert metrics.compare(cycle, cycle.reverse()).shd == 3
    assert metrics.compare(cycle, cycle).shd == 0


def test_percentages():
    result = metrics.Comparison(hits=43, misses=3, errors=5, shd=9)
    assert result.precision == pytest.approx(100 * 43 / 48)
    assert result.recall == pytest.approx(100 * 43 / 46)
    assert result.f_score == pytest.approx(100 * 86 / 94)
    assert result.as_dict() == {
        "hits": 43,
        "misses": 3,
        "errors": 5,
        "precision": result.precision,
        "recall": result.recall,
        "f_score": result.f_score,
        "shd": 9,
    }


def test_nothing_over_nothing_is_zero():
    empty = nx.empty_graph(3, create_using=nx.DiGraph)
    result = metrics.compare(empty, empty)
    assert (result.precision, result.recall, result.f_score, result.shd) == (0.0, 0.0, 0.0, 0)


def test_perfect_on_a_bundled_network():
    network = load_network("alarm")
    for learned in (network.dag, network.cpdag):
        result = metrics.compare(learned, network.dag)
        assert (result.hits, result.misses, result.errors, result.shd) == (46, 0, 0, 0)
        assert result.f_score == 100


def test_different_nodes_are_refused_by_name():
    with pytest.raises(ValueError, match="only the learned graph has 'x'; only the truth has 'b'"):
        metrics.compare(nx.DiGraph([("a", "x")]), nx.DiGraph([("a", "b")]))


def test_self_loop_is_refused():
    with pytest.raises(ValueError, match="'a' has an edge to itself"):
        metrics.compare(nx.DiGraph([("a", "a")]), nx.DiGraph([("a", "a")]))


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 9), st.integers(1, 12))
def test_probability_scores_against_naive(seed, n, bins):
    rng = np.random.default_rng(seed)
    truth = random_dag(rng, n)
    truth.add_edge(0, 1)
    if truth.has_edge(1, 0):
        truth.remove_edge(1, 0)
    dense = random_probabilities(rng, n)
    matrix = sparse.csr_array(dense)
    scored = naive.pairs(dense, set(truth.edges))
    p, y = np.array([p for p, _ in scored]), np.array([y for _, y in scored])
    area = metrics.average_precision(matrix, truth, names=range(n))
    assert area == pytest.approx(naive.average_precision(dense, set(truth.edges)))
    assert area == pytest.approx(average_precision_score(y, p))
    brier = metrics.brier_score(matrix, truth, names=range(n))
    assert brier == pytest.approx(np.mean((p - y) ** 2))
    error = metrics.expected_calibration_error(matrix, truth, bins, names=range(n))
    curve = metrics.calibration_curve(matrix, truth, bins, names=range(n))
    assert curve.counts.sum() == n * (n - 1) // 2
    assert np.nansum(curve.observed * curve.counts) == pytest.approx(truth.number_of_edges())
    if bins in (1, 2, 4, 8):  # the limits are exact in binary
        assert error == pytest.approx(naive.calibration_error(dense, set(truth.edges), bins))


def test_certain_and_right_is_best():
    network = load_network("insurance")
    index = {name: v for v, name in enumerate(network.names)}
    rows, columns = zip(*((index[u], index[v]) for u, v in network.dag.edges), strict=True)
    matrix = sparse.coo_matrix((np.ones(52), (rows, columns)), shape=(27, 27))
    assert metrics.average_precision(matrix, network.dag, names=network.names) == 1
    assert metrics.brier_score(matrix, network.dag, names=network.names) == 0
    assert metrics.expected_calibration_error(matrix, network.dag, names=network.names) == 0


def test_large_sparse_input_stays_sparse():
    n = 200_000
    truth = nx.path_graph(n, create_using=nx.DiGraph)
    matrix = sparse.coo_array((np.ones(n - 1), (np.arange(n - 1), np.arange(1, n))), shape=(n, n))
    assert metrics.average_precision(matrix, truth, names=range(n)) == 1
    assert metrics.calibration_curve(matrix, truth, names=range(n)).counts[-1] == n - 1


def test_bad_probabilities_are_refused():
    truth = nx.DiGraph([("a", "b")])

    def score(dense, names=("a", "b")):
        return metrics.brier_score(sparse.csr_array(np.array(dense)), truth, names=names)

    with pytest.raises(ValueError, match=r"1\.5 > 1 for 'a' and 'b'"):
        score([[0, 0.75], [0.75, 0]])
    with pytest.raises(ValueError, match="must not be negative"):
        score([[0, -0.5], [0, 0]])
    with pytest.raises(ValueError, match="diagonal"):
        score([[0.5, 0.5], [0, 0]])
    with pytest.raises(ValueError, match="3 names"):
        score([[0, 0.5], [0, 0]], names="abc")
    with pytest.raises(ValueError, match="only the list of names has 'c'"):
        score([[0, 0.5], [0, 0]], names="ac")


def group_of(node, groups):
    return next((name for name, members in groups.items() if node in members), node)


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(4, 7), st.data())
def test_an_edge_of_a_group_is_true_if_a_member_has_it(seed, n, data):
    rng = np.random.default_rng(seed)
    truth = random_dag(rng, n)
    groups = {"g": [0, 1], "h": [2, 3]} if data.draw(st.booleans()) else {"g": [0, 2, 3]}
    nodes = sorted({group_of(v, groups) for v in range(n)}, key=str)
    learned = nx.relabel_nodes(random_dag(rng, len(nodes)), dict(enumerate(nodes)))
    true = {frozenset(group_of(x, groups) for x in edge) for edge in truth.edges}
    true = {pair for pair in true if len(pair) == 2}
    found = {frozenset(edge) for edge in learned.edges}
    result = metrics.compare(learned, truth, groups=groups)
    assert (result.hits, result.misses, result.errors) == (
        len(found & true),
        len(true - found),
        len(found - true),
    )
    grouped = metrics.group_nodes(truth, groups)
    assert metrics.compare(grouped, truth, groups=groups).shd == 0
    assert metrics.compare(learned, grouped) == result


def test_groups_of_a_dag_that_would_have_a_cycle():
    truth = nx.DiGraph([("x", "a"), ("b", "x"), ("x", "y"), ("y", "z")])
    grouped = metrics.group_nodes(truth, {"a = b": ["a", "b"]})
    both_ways = [("a = b", "x"), ("x", "y"), ("y", "z")]
    assert set(grouped.edges) == {e for u, v in both_ways for e in ((u, v), (v, u))}
    learned = nx.DiGraph([("z", "y"), ("y", "x"), ("x", "a = b")])
    assert metrics.compare(learned, truth, groups={"a = b": ["a", "b"]}).shd == 0


def test_groups_of_an_undirected_graph():
    truth = nx.Graph([("a", "b"), ("b", "c"), ("a", "c")])
    grouped = metrics.group_nodes(truth, {"g": ["a", "b"]})
    assert not grouped.is_directed()
    assert list(grouped.edges) == [("g", "c")]


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({"g": ["a", "e"]}, "'e', a member of the group 'g', is no node of the graph"),
        ({"g": ["a", "b"], "h": ["b", "c"]}, "'b', a member of the group 'h', is in two groups"),
        ({"g": ["a", "b"], "h": ["a", "c"]}, "'a', a member of the group 'h', is in two groups"),
        ({"c": ["a", "b"]}, "the group 'c' has the name of another node"),
    ],
)
def test_impossible_groups_are_refused(groups, message):
    with pytest.raises(ValueError, match=message):
        metrics.group_nodes(nx.DiGraph([("a", "b"), ("b", "c")]), groups)


def test_a_node_with_an_edge_to_itself_is_refused_with_groups():
    truth = nx.DiGraph([("a", "a"), ("b", "c")])
    learned = nx.DiGraph([("a = b", "c")])
    with pytest.raises(ValueError, match="'a = b' has an edge to itself"):
        metrics.compare(learned, truth, groups={"a = b": ["a", "b"]})
