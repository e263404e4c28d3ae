import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from lsbn.graph import CycleError, EdgeProbabilities, cpdag_of, dag_to_cpdag, topological_order


@st.composite
def dags(draw, max_nodes):
    n = draw(st.integers(1, max_nodes))
    order = draw(st.permutations(range(n)))
    pairs = list(itertools.combinations(order, 2))
    kept = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    graph = nx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(pair for pair, keep in zip(pairs, kept, strict=True) if keep)
    return graph


@settings(deadline=None, max_examples=200)
@given(dags(max_nodes=5))
def test_cpdag_is_union_of_equivalence_class(dag):
    assert set(dag_to_cpdag(dag).edges) == naive.cpdag(list(dag), list(dag.edges))


def test_cpdag_of_all_dags_on_four_nodes():
    pairs = list(itertools.combinations(range(4), 2))
    for kept in itertools.product([False, True], repeat=len(pairs)):
        edges = [pair for pair, keep in zip(pairs, kept, strict=True) if keep]
        dag = nx.DiGraph(edges)
        assert set(dag_to_cpdag(dag).edges) == naive.cpdag(list(dag), edges)


@settings(deadline=None)
@given(dags(max_nodes=5))
def test_equivalent_dags_have_same_cpdag(dag):
    expected = set(dag_to_cpdag(dag).edges)
    for edges in naive.equivalence_class(list(dag), list(dag.edges)):
        assert set(dag_to_cpdag(nx.DiGraph(edges)).edges) == expected


@settings(deadline=None)
@given(dags(max_nodes=12), st.randoms(use_true_random=False))
def test_covered_edge_reversals_keep_cpdag(dag, random):
    """Chickering (1995): the reversal of x -> y with pa(y) = pa(x) + x stays in the class."""
    expected = set(dag_to_cpdag(dag).edges)
    for _ in range(10):
        covered = [(x, y) for x, y in dag.edges if set(dag.pred[y]) == set(dag.pred[x]) | {x}]
        if not covered:
            break
        x, y = random.choice(covered)
        dag.remove_edge(x, y)
        dag.add_edge(y, x)
        assert set(dag_to_cpdag(dag).edges) == expected


@settings(deadline=None)
@given(dags(max_nodes=12))
def test_topological_order_puts_parents_first(dag):
    parents = [list(dag.pred[v]) for v in range(len(dag))]
    order = topological_order(len(dag), parents).tolist()
    assert sorted(order) == list(range(len(dag)))
    assert all(order.index(u) < order.index(v) for u, v in dag.edges)


def test_cpdag_of_takes_arrays_in_any_order():
    parents = [np.array([2, 1]), np.array([], dtype=int), np.array([], dtype=int), np.array([0])]
    compelled = cpdag_of(4, parents)
    assert [c.tolist() for c in compelled] == [[True, True], [], [], [True]]
    assert all(c.dtype == bool for c in compelled)


def test_attributes_are_kept():
    dag = nx.DiGraph(name="x")
    dag.add_node("a", colour="red")
    dag.add_edge("a", "b", probability=0.75)
    cpdag = dag_to_cpdag(dag)
    assert cpdag.edges["a", "b"] == cpdag.edges["b", "a"] == {"probability": 0.75}
    assert cpdag.nodes["a"] == {"colour": "red"}
    assert cpdag.graph == {"name": "x"}
    assert list(dag.edges) == [("a", "b")]


def test_cycle_is_named():
    graph = nx.DiGraph([("s", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("c", "t")])
    with pytest.raises(CycleError, match="cycle") as caught:
        dag_to_cpdag(graph)
    cycle = caught.value.cycle
    assert set(cycle) == {"a", "b", "c"}
    assert all(graph.has_edge(u, v) for u, v in itertools.pairwise([*cycle, cycle[0]]))


LEVELS = [0.0, 0.0, 0.1, 0.25, 0.3, 0.5, 0.6, 0.7, 1.0]


@st.composite
def probabilities(draw, max_nodes=9):
    n = draw(st.integers(1, max_nodes))
    matrix = np.zeros((n, n))
    for i, j in itertools.combinations(range(n), 2):
        forward = draw(st.sampled_from(LEVELS))
        backward = draw(st.sampled_from([p for p in LEVELS if p + forward <= 1]))
        matrix[i, j], matrix[j, i] = forward, backward
    names = draw(st.permutations([f"v{k}" for k in range(n)]))
    return EdgeProbabilities(matrix, names)


def pairs_of(graph):
    return {frozenset(edge) for edge in graph.edges}


@settings(deadline=None, max_examples=200)
@given(probabilities(), st.sampled_from([0.0, 0.3, 0.5, 0.9]))
def test_dag_is_acyclic_and_keeps_the_skeleton(edges, threshold):
    dag = edges.dag(threshold)
    skeleton = edges.skeleton(threshold)
    assert list(dag) == list(skeleton) == list(edges.names)
    assert nx.is_directed_acyclic_graph(dag)
    assert pairs_of(dag) == pairs_of(skeleton)
    assert dag.number_of_edges() == skeleton.number_of_edges()
    index = {name: v for v, name in enumerate(edges.names)}
    dense = edges.matrix.toarray()
    for u, v, p in dag.edges(data="probability"):
        i, j = index[u], index[v]
        assert p == dense[i, j]
        assert skeleton.edges[u, v]["probability"] == dense[i, j] + dense[j, i] > threshold


@settings(deadline=None, max_examples=200)
@given(probabilities())
def test_an_edge_is_turned_only_where_better_edges_force_it(edges):
    """For each edge against its more probable direction, a path of more probable edges exists."""
    dag = edges.dag()
    index = {name: v for v, name in enumerate(edges.names)}
    dense = edges.matrix.toarray()
    for u, v in dag.edges:
        preferred = dense[index[v], index[u]]
        if preferred > dag.edges[u, v]["probability"]:
            better = nx.DiGraph()
            better.add_nodes_from(dag)
            for x, y in dag.edges:
                if max(dense[index[x], index[y]], dense[index[y], index[x]]) >= preferred:
                    better.add_edge(x, y)
            better.remove_edge(u, v)
            assert nx.has_path(better, u, v)


@settings(deadline=None, max_examples=100)
@given(probabilities(), st.randoms(use_true_random=False))
def test_order_of_variables_does_not_matter(edges, random):
    order = list(range(edges.n_variables))
    random.shuffle(order)
    dense = edges.matrix.toarray()[np.ix_(order, order)]
    shuffled = EdgeProbabilities(dense, [edges.names[v] for v in order])
    expected = {(u, v): p for u, v, p in edges.dag().edges(data="probability")}
    assert {(u, v): p for u, v, p in shuffled.dag().edges(data="probability")} == expected


@settings(deadline=None, max_examples=100)
@given(dags(max_nodes=8))
def test_a_cpdag_comes_back_from_its_probabilities(dag):
    """1 for a directed edge and 0.5 each way: the DAG is a member of the same class."""
    dag = nx.relabel_nodes(dag, str)
    cpdag = dag_to_cpdag(dag)
    matrix = nx.to_numpy_array(cpdag)
    matrix[(matrix + matrix.T) == 2] = 0.5
    edges = EdgeProbabilities(matrix, tuple(cpdag))
    assert set(edges.cpdag().edges) == set(cpdag.edges)


def test_dag_of_a_large_tangle_is_the_naive_one():
    rng = np.random.default_rng(1)
    n = 60
    forward = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.2), 1)
    matrix = forward + (1 - forward).T * (forward > 0).T
    edges = EdgeProbabilities(matrix, [f"v{k}" for k in range(n)])
    best = [(max(matrix[i, j], matrix[j, i]), i, j) for i, j in np.argwhere(forward)]
    expected = nx.DiGraph()
    expected.add_nodes_from(range(n))
    for _, i, j in sorted(best, reverse=True):
        u, v = (i, j) if matrix[i, j] > matrix[j, i] else (j, i)
        expected.add_edge(*((v, u) if nx.has_path(expected, v, u) else (u, v)))
    assert set(edges.dag().edges) == {(f"v{u}", f"v{v}") for u, v in expected.edges}


def test_cpdag_has_the_probability_of_each_direction():
    edges = EdgeProbabilities([[0, 0.6, 0], [0.3, 0, 0], [0, 0, 0]], ("a", "b", "c"))
    assert sorted(edges.cpdag().edges(data="probability")) == [("a", "b", 0.6), ("b", "a", 0.3)]
    assert sorted(edges.to_networkx().edges(data="probability")) == [
        ("a", "b", 0.6),
        ("b", "a", 0.3),
    ]


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0, 1.5], [0, 0]], r"P\('a' -> 'b'\) is 1.5"),
        ([[0, -0.1], [0, 0]], "not a probability"),
        ([[0, float("nan")], [0, 0]], "nan, not a probability"),
        ([[0, 0.7], [0.7, 0]], "1.4, more than 1"),
        ([[0.5, 0], [0, 0]], "'a' is its own parent"),
        ([[0, 1, 0], [0, 0, 0]], "shape"),
    ],
)
def test_what_is_no_probability_is_refused(matrix, message):
    with pytest.raises(ValueError, match=message):
        EdgeProbabilities(np.array(matrix), ("a", "b"))


@pytest.mark.parametrize(("names", "message"), [("aa", "two"), (("a", ""), "empty"), ((1, 2), "1")])
def test_bad_names_are_refused(names, message):
    with pytest.raises(ValueError, match=message):
        EdgeProbabilities(np.zeros((2, 2)), names)


def test_rounding_is_clipped_and_the_input_left_alone():
    given_matrix = np.array([[1e-12, 0.5 + 3e-10, 1 + 5e-10], [0.5 + 3e-10, 0, 0], [-1e-12, 0, 0]])
    before = given_matrix.copy()
    edges = EdgeProbabilities(given_matrix, "abc")
    assert (given_matrix == before).all()
    dense = edges.matrix.toarray()
    assert dense.min() == 0
    assert np.abs(dense + dense.T).max() <= 1 + 1e-15
    assert edges.matrix.nnz == 3


def test_no_variable_and_one_variable():
    for names in ((), ("a",)):
        edges = EdgeProbabilities(np.zeros((len(names), len(names))), names)
        assert list(edges.dag()) == list(edges.cpdag()) == list(edges.skeleton()) == list(names)


STRANGE = ('naïve, "quoted"', "β→γ", "line\nbreak", " space ", "source")


def test_csv_keeps_strange_names(tmp_path):
    matrix = np.zeros((5, 5))
    matrix[0, 1], matrix[1, 0], matrix[2, 3], matrix[3, 2] = 0.123456789, 0.8, 1 / 3, 2 / 3
    matrix[4, 0] = 0.009
    edges = EdgeProbabilities(matrix, STRANGE)
    edges.to_csv(tmp_path / "edges.csv")
    back = EdgeProbabilities.from_csv(tmp_path / "edges.csv", STRANGE)
    matrix[4, 0] = 0
    np.testing.assert_allclose(back.matrix.toarray(), matrix, atol=1e-6)
    np.testing.assert_array_equal(edges.as_written().matrix.toarray(), back.matrix.toarray())
    assert [p.name for p in tmp_path.iterdir()] == ["edges.csv"]


def test_csv_is_sorted_and_six_digits_wide(tmp_path):
    edges = EdgeProbabilities([[0, 0.5, 0.5], [0.25, 0, 1e-2], [0, 1 / 3, 0]], ("b", "a", "c"))
    edges.to_csv(tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text() == (
        "source,target,probability\nb,a,0.5\nb,c,0.5\nc,a,0.333333\na,b,0.25\na,c,0.01\n"
    )


def test_rounded_pairs_can_be_read_back(tmp_path):
    """0.1234565 + 0.8765435 is 1, but each is rounded up in the file."""
    edges = EdgeProbabilities([[0, 0.1234565001], [0.8765434999, 0]], ("a", "b"))
    edges.to_csv(tmp_path / "x.csv")
    assert EdgeProbabilities.from_csv(tmp_path / "x.csv").matrix.sum() <= 1 + 1e-15


def test_edge_list_without_probabilities(tmp_path):
    (tmp_path / "x.csv").write_text("\ufeffsource,target\r\na,b\r\nb,c\r\nc,b\r\n", "utf-8")
    edges = EdgeProbabilities.from_csv(tmp_path / "x.csv")
    assert edges.names == ("a", "b", "c")
    assert edges.matrix.toarray().tolist() == [[0, 1, 0], [0, 0, 0.5], [0, 0.5, 0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "header"),
        ("from,to\na,b\n", "found 'from,to'"),
        ("source,target\na\n", "line 2: 2 fields"),
        ("source,target,probability\na,b,x\n", "line 2: 'x'"),
        ("source,target\na,b\na,b\n", "line 3: edge 'a' -> 'b'"),
        ("source,target\na,a\n", "own parent"),
        ('source,target\na,"b', "CSV"),
        ("source,target,probability\na,b,0.9\nb,a,0.9\n", "more than 1"),
    ],
)
def test_bad_edge_lists_are_refused(tmp_path, text, message):
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(ValueError, match=message):
        EdgeProbabilities.from_csv(tmp_path / "x.csv")


def test_unknown_variable_in_an_edge_list_is_named(tmp_path):
    (tmp_path / "x.csv").write_text("source,target\na,zebra\n")
    with pytest.raises(ValueError, match="zebra"):
        EdgeProbabilities.from_csv(tmp_path / "x.csv", ("a", "b"))


def test_graphml_is_the_dag_with_probabilities(tmp_path):
    names = ('naïve, "quoted"', "a<b>&c", "β→γ", "bell\x07")
    edges = EdgeProbabilities(np.diag([0.9, 0.8, 0.7], 1), names)
    edges.to_graphml(tmp_path / "g.graphml")
    graph = nx.read_graphml(tmp_path / "g.graphml")
    assert list(graph) == [*names[:3], "bell\\x07"]
    assert graph.edges[names[0], names[1]]["probability"] == 0.9
    assert graph.number_of_edges() == 3


@pytest.mark.parametrize("threshold", [-0.1, 1.0, float("nan")])
def test_threshold_is_checked(threshold):
    with pytest.raises(ValueError, match="threshold"):
        EdgeProbabilities(np.zeros((1, 1)), "a").dag(threshold)
