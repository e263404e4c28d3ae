import itertools

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsbn.graph import dag_to_cpdag
from lsbn.network import BUNDLED, BayesianNetwork, load_network
from lsbn.network.generators import quilt, random_network, tile

FIGURES = {
    "alarm": (37, 46),
    "insurance": (27, 52),
    "win95pts": (76, 112),
    "pigs": (441, 592),
    "link": (724, 1125),
}


def collider(**changes):
    """Return a and b with c = (a, b) as parents; c has three states."""
    parts = {
        "names": ("c", "a", "b"),
        "states": (("0", "1", "2"), ("n", "y"), ("lo", "mid", "hi")),
        "parents": (np.array([1, 2]), np.array([], dtype=int), np.array([], dtype=int)),
        "tables": (
            np.array(
                [
                    [0.5, 0.0, 0.5],
                    [1.0, 0.0, 0.0],
                    [0.0, 0.0, 1.0],
                    [0.2, 0.3, 0.5],
                    [0.1, 0.9, 0.0],
                    [0.0, 1.0, 0.0],
                ]
            ),
            np.array([[0.3, 0.7]]),
            np.array([[0.2, 0.3, 0.5]]),
        ),
    }
    return BayesianNetwork(**(parts | changes))


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_networks_have_their_published_size(name):
    net = load_network(name)
    assert (net.n_variables, net.n_edges) == FIGURES[name]
    assert net.name == name
    assert net.dag.number_of_edges() == net.n_edges
    assert tuple(net.dag) == net.names
    assert nx.is_directed_acyclic_graph(net.dag)
    for table in net.tables:
        np.testing.assert_allclose(table.sum(axis=1), 1, atol=1e-12)


def test_cpdag_has_undirected_edges_both_ways():
    net = load_network("alarm")
    cpdag = net.cpdag
    undirected = {frozenset(edge) for edge in cpdag.edges if cpdag.has_edge(*edge[::-1])}
    assert len(undirected) == 4
    assert cpdag.number_of_edges() == 46 + 4
    assert set(cpdag.edges) == set(dag_to_cpdag(net.dag).edges)


def test_unknown_name_lists_the_bundled_ones(tmp_path):
    with pytest.raises(ValueError, match=r"'alarn' is neither a bundled network .alarm, insurance"):
        load_network("alarn")
    with pytest.raises(FileNotFoundError, match=r"nor a \.bif or \.bif\.gz file that exists"):
        load_network(tmp_path / "none.bif")


def test_sample_is_categorical_in_the_order_of_the_states():
    net = collider()
    table = net.sample(50, random_state=1)
    assert list(table.columns) == ["c", "a", "b"]
    for name, states in zip(net.names, net.states, strict=True):
        assert table[name].dtype == pd.CategoricalDtype(list(states), ordered=False)
    codes = net.sample_codes(50, random_state=1)
    assert codes.shape == (3, 50)
    assert codes.dtype == np.uint8
    for v, name in enumerate(net.names):
        assert table[name].cat.codes.tolist() == codes[v].tolist()


def test_names_like_numbers_and_repeated_states_work():
    net = collider(names=("1", "0", "a b"))
    assert list(net.sample(2, random_state=0).columns) == ["1", "0", "a b"]


def test_same_seed_same_sample():
    net = load_network("insurance")
    pd.testing.assert_frame_equal(net.sample(100, random_state=7), net.sample(100, random_state=7))
    assert not net.sample(100, random_state=7).equals(net.sample(100, random_state=8))
    rng = np.random.default_rng(7)
    first, second = net.sample_codes(100, rng), net.sample_codes(100, rng)
    assert np.array_equal(first, net.sample_codes(100, 7))
    assert not np.array_equal(first, second)


def test_first_rows_do_not_depend_on_the_number_of_rows():
    net = load_network("alarm")
    assert np.array_equal(net.sample_codes(1000, 3)[:, :10], net.sample_codes(10, 3))


def test_frequencies_converge_to_the_tables():
    net = collider()
    rows = 200_000
    c, a, b = net.sample_codes(rows, random_state=0).astype(int)
    np.testing.assert_allclose(np.bincount(a) / rows, net.tables[1][0], atol=0.005)
    np.testing.assert_allclose(np.bincount(b) / rows, net.tables[2][0], atol=0.005)
    for row, (i, j) in enumerate(itertools.product(range(2), range(3))):
        given_parents = c[(a == i) & (b == j)]
        frequency = np.bincount(given_parents, minlength=3) / len(given_parents)
        np.testing.assert_allclose(frequency, net.tables[0][row], atol=0.02)
        assert not frequency[net.tables[0][row] == 0].any()


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 1000))
def test_frequencies_of_random_networks_fit(seed):
    """The chi-square of each family is within the limits of chance."""
    net = random_network(8, random_state=seed)
    codes = net.sample_codes(20_000, random_state=seed).astype(int)
    for v, (parents, table) in enumerate(zip(net.parents, net.tables, strict=True)):
        row = np.zeros(codes.shape[1], dtype=int)
        for p in parents:
            row = row * net.cardinalities[p] + codes[p]
        counts = np.zeros(table.shape)
        np.add.at(counts, (row, codes[v]), 1)
        expected = counts.sum(axis=1, keepdims=True) * table
        enough = expected > 5
        z = (counts - expected)[enough] / np.sqrt(expected[enough])
        assert np.abs(z).max() < 6


def test_impossible_states_are_never_drawn():
    net = BayesianNetwork(
        names=("a",),
        states=(tuple("abcdef"),),
        parents=(np.array([], dtype=int),),
        tables=(np.array([[0.0, 0.1, 0.0, 0.2, 0.7 - 1e-13, 0.0]]),),
    )
    seen = np.bincount(net.sample_codes(100_000, 0)[0], minlength=6) > 0
    assert seen.tolist() == [False, True, False, True, True, False]


def test_many_states_need_wider_codes():
    net = BayesianNetwork(
        names=("a",),
        states=(tuple(map(str, range(300))),),
        parents=(np.array([], dtype=int),),
        tables=(np.full((1, 300), 1 / 300),),
    )
    codes = net.sample_codes(50_000, 0)
    assert codes.dtype == np.uint16
    assert np.unique(codes).tolist() == list(range(300))
    assert net.sample(10, random_state=0)["a"].notna().all()


def test_no_rows():
    assert collider().sample(0, random_state=0).shape == (0, 3)
    with pytest.raises(ValueError, match="rows must not be negative"):
        collider().sample(-1)


def test_arrays_are_copied_and_read_only():
    table = np.array([[0.3, 0.7]])
    net = collider(tables=(collider().tables[0], table, collider().tables[2]))
    table[0] = 0.5
    assert net.tables[1].tolist() == [[0.3, 0.7]]
    with pytest.raises(ValueError, match="read-only"):
        net.tables[1][0, 0] = 1


NONE = np.array([], dtype=int)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"names": (), "states": (), "parents": (), "tables": ()}, "at least one variable"),
        ({"names": ("a", "b")}, "states are given for 3 variables, names for 2"),
        ({"names": ("a", "b", "a")}, "two variables are called 'a'"),
        ({"names": ("a", "", "b")}, "variable 1 must have a name"),
        ({"states": (("0", "1", "1"), ("n", "y"), ("x",))}, "two states of 'c'"),
        ({"states": ((), ("n", "y"), ("x",))}, "'c' has 0 states"),
        ({"states": ((0, 1, 2), ("n", "y"), ("x",))}, "states of 'c' must be str"),
        ({"parents": (NONE, NONE)}, "parents has 2 arrays for 3 variables"),
        ({"parents": (np.array([1, 3]), NONE, NONE)}, "parents of 'c' must be indices below 3"),
        ({"parents": (np.array([1, 1]), NONE, NONE)}, "'c' has a parent twice"),
        ({"parents": (np.array([1]), NONE, NONE)}, r"table of 'c' has shape \(6, 3\).* 2 conf"),
        ({"states": (("0", "1", "2"), ("n",), ("lo", "mid", "hi"))}, "table of 'c' has shape"),
    ],
)
def test_parts_that_do_not_fit_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        collider(**changes)


@pytest.mark.parametrize("row", [[0.5, 0.6], [-0.1, 1.1], [np.nan, 1.0], [np.inf, 0.0]])
def test_rows_that_are_no_distributions_are_refused(row):
    tables = collider().tables
    with pytest.raises(ValueError, match="row 0 of the table of 'a' is not a distribution"):
        collider(tables=(tables[0], np.array([row]), tables[2]))


def test_cycle_is_refused_by_name():
    table = np.full((2, 2), 0.5)
    with pytest.raises(ValueError, match=r"cycle: (a -> b -> a|b -> a -> b)"):
        BayesianNetwork(
            names=("a", "b"),
            states=(("0", "1"), ("0", "1")),
            parents=(np.array([1]), np.array([0])),
            tables=(table, table),
        )


def test_tile_links_consecutive_copies():
    net = load_network("alarm")
    tiled = tile(net, 4, links=5, random_state=0)
    assert tiled.n_variables == 4 * 37
    assert tiled.n_edges == 4 * 46 + 3 * 5
    assert tiled.names[0] == f"{net.names[0]}_0"
    assert tiled.names[-1] == f"{net.names[-1]}_3"
    copy = {name: v // 37 for v, name in enumerate(tiled.names)}
    steps = [copy[v] - copy[u] for u, v in tiled.dag.edges]
    assert sorted(set(steps)) == [0, 1]
    assert steps.count(1) == 15
    inside = tiled.dag.subgraph(tiled.names[37:74])
    expected = nx.relabel_nodes(net.dag, lambda name: f"{name}_1")
    assert set(inside.edges) == set(expected.edges)


def test_tile_keeps_the_table_in_the_new_parents_first_state():
    net = load_network("insurance")
    tiled = tile(net, 2, links=27, random_state=1)
    for v in range(27):
        parent = tiled.parents[27 + v][-1]
        assert parent < 27
        size = len(tiled.states[parent])
        assert np.array_equal(tiled.tables[27 + v][::size], net.tables[v])


def test_a_quilt_has_all_networks_and_links_to_the_next():
    nets = [load_network(name) for name in ("alarm", "insurance", "alarm")]
    joined = quilt(nets, links=3, random_state=0)
    assert joined.n_variables == sum(net.n_variables for net in nets)
    assert joined.n_edges == sum(net.n_edges for net in nets) + 2 * 3
    place = {name: int(name.rsplit("_", 1)[1]) for name in joined.names}
    steps = [place[v] - place[u] for u, v in joined.dag.edges]
    assert {steps.count(0), steps.count(1)} == {joined.n_edges - 6, 6}
    middle = [name for name in joined.names if place[name] == 1]
    assert [name.rsplit("_", 1)[0] for name in middle] == list(nets[1].names)
    assert joined.dag.subgraph(middle).number_of_edges() == nets[1].n_edges
    assert joined.sample(50, random_state=0).shape == (50, joined.n_variables)
    with pytest.raises(ValueError, match="at least one network"):
        quilt([])


def test_tile_is_reproducible_and_checks_its_arguments():
    net = load_network("alarm")
    once, again = tile(net, 3, random_state=5), tile(net, 3, random_state=5)
    assert set(once.dag.edges) == set(again.dag.edges)
    assert all(np.array_equal(a, b) for a, b in zip(once.tables, again.tables, strict=True))
    assert set(tile(net, 3, random_state=6).dag.edges) != set(once.dag.edges)
    assert tile(net, 1).n_edges == 46
    with pytest.raises(ValueError, match="at least 1"):
        tile(net, 0)
    with pytest.raises(ValueError, match="links must be between 0 and the 37"):
        tile(net, 2, links=38)


def test_random_network_has_the_size_asked_for():
    net = random_network(3000, max_parents=4, mean_parents=2.0, states=(2, 5), random_state=0)
    degrees = np.array([len(p) for p in net.parents])
    assert degrees.max() == 4
    assert degrees.mean() == pytest.approx(2.0, abs=0.1)
    assert sorted(set(net.cardinalities.tolist())) == [2, 3, 4, 5]
    assert random_network(10, states=3, random_state=0).cardinalities.tolist() == [3] * 10


def test_random_network_hides_the_order_of_its_variables():
    net = random_network(2000, random_state=1)
    forward = sum(p < v for v in range(2000) for p in net.parents[v])
    assert forward / net.n_edges == pytest.approx(0.5, abs=0.05)


def test_random_network_is_reproducible_and_checks_its_arguments():
    once, again = random_network(50, random_state=2), random_network(50, random_state=2)
    assert set(once.dag.edges) == set(again.dag.edges)
    assert all(np.array_equal(a, b) for a, b in zip(once.tables, again.tables, strict=True))
    assert random_network(5, max_parents=0, mean_parents=0, random_state=0).n_edges == 0
    with pytest.raises(ValueError, match="mean_parents"):
        random_network(5, max_parents=1, mean_parents=2)
    with pytest.raises(ValueError, match="states must be"):
        random_network(5, states=(4, 2))
