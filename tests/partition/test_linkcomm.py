import itertools
import threading

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from lsbn.partition import link_communities, linkcomm


def clusters(found, edges):
    """The communities as `naive` returns them: (nodes, edges), unordered."""
    members = [[] for _ in found.communities]
    for (u, v), label in zip(edges, found.edge_labels, strict=True):
        members[label].append((min(u, v), max(u, v)))
    return {
        (frozenset(nodes.tolist()), frozenset(inside))
        for nodes, inside in zip(found.communities, members, strict=True)
    }


def check_against_naive(n_nodes, edges, weights=None):
    edges = [(int(u), int(v)) for u, v in edges]
    found = link_communities(n_nodes, edges, weights)
    expected, density, levels = naive.link_communities(n_nodes, edges, weights)
    assert clusters(found, edges) == expected
    assert found.density == pytest.approx(float(density), abs=1e-12)
    similarity, merges = np.unique(found.dendrogram[:, 2], return_counts=True)
    assert merges[::-1].tolist() == [count for _, count in levels]
    np.testing.assert_allclose(similarity[::-1], [s for s, _ in levels], rtol=0, atol=2e-12)
    check_dendrogram(found, edges)
    return found


def check_dendrogram(found, edges):
    """The counts of a row are those of the edges below it, and the cut gives the labels."""
    m = len(edges)
    below = [{e} for e in range(m)]
    alive = set(range(m))
    assert (np.diff(found.dendrogram[:, 2]) <= 0).all()
    for t, (a, b, _, n_edges, n_nodes) in enumerate(found.dendrogram):
        if t == found.cut:
            at_cut = {frozenset(below[c]) for c in alive}
        assert a < b
        alive -= {int(a), int(b)}
        alive.add(m + t)
        below.append(below[int(a)] | below[int(b)])
        assert n_edges == len(below[-1])
        assert n_nodes == len({v for e in below[-1] for v in edges[e]})
    if found.cut == len(found.dendrogram):
        at_cut = {frozenset(below[c]) for c in alive}
    by_label = {}
    for e, label in enumerate(found.edge_labels.tolist()):
        by_label.setdefault(label, set()).add(e)
    assert {frozenset(s) for s in by_label.values()} == at_cut


@st.composite
def graphs(draw, weight=None):
    n_nodes = draw(st.integers(2, 9))
    possible = list(itertools.combinations(range(n_nodes), 2))
    edges = draw(st.lists(st.sampled_from(possible), unique=True, max_size=24))
    weights = None
    if weight is not None:
        weights = draw(st.lists(weight, min_size=len(edges), max_size=len(edges)))
    return n_nodes, edges, weights


@settings(deadline=None)
@given(graphs())
def test_unweighted_graphs_agree_with_naive(graph):
    check_against_naive(*graph)


@settings(deadline=None)
@given(graphs(st.sampled_from([1.0, 2.0])))
def test_tied_weights_agree_with_naive(graph):
    check_against_naive(*graph)


@settings(deadline=None)
@given(graphs(st.floats(0.01, 10.0)))
def test_any_weights_agree_with_naive(graph):
    check_against_naive(*graph)


def random_graph(seed, n_nodes=30, probability=0.15):
    rng = np.random.default_rng(seed)
    pairs = np.array(list(itertools.combinations(range(n_nodes), 2)))
    return pairs[rng.random(len(pairs)) < probability], rng


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["none", "ties", "random"])
def test_random_graphs_agree_with_naive(seed, kind):
    edges, rng = random_graph(seed)
    weights = {
        "none": None,
        "ties": rng.integers(1, 3, len(edges)).astype(float),
        "random": rng.gamma(0.5, size=len(edges)) + 1e-3,
    }[kind]
    check_against_naive(30, edges, weights)


@pytest.mark.parametrize("kind", ["none", "ties", "random"])
@pytest.mark.parametrize("seed", range(4))
def test_many_small_chunks_change_nothing(monkeypatch, seed, kind):
    """The filter between chunks drops only edges that no spanning forest needs."""
    edges, rng = random_graph(seed, n_nodes=40, probability=0.2)
    weights = {
        "none": None,
        "ties": rng.integers(1, 3, len(edges)).astype(float),
        "random": rng.random(len(edges)) + 0.01,
    }[kind]
    whole = link_communities(40, edges, weights)
    calls = []
    stream = linkcomm.similarities.stream_similarities

    def counted(*args):
        calls.append(1)
        return stream(*args)

    monkeypatch.setattr(linkcomm, "_chunk_room", lambda m: m + 40)
    monkeypatch.setattr(linkcomm.similarities, "stream_similarities", counted)
    chunked = link_communities(40, edges, weights)
    assert len(calls) > 2
    np.testing.assert_array_equal(chunked.dendrogram[:, 2], whole.dendrogram[:, 2])
    np.testing.assert_array_equal(chunked.edge_labels, whole.edge_labels)
    assert chunked.density == pytest.approx(whole.density, abs=1e-14)


def test_karate_club_has_the_published_density():
    graph = nx.karate_club_graph()
    found = check_against_naive(34, graph.edges())
    assert round(found.density, 4) == 0.2848


def test_weighted_karate_club_agrees_with_naive():
    graph = nx.karate_club_graph()
    check_against_naive(34, graph.edges(), [w for *_, w in graph.edges(data="weight")])


def test_star_stays_single_edges():
    found = check_against_naive(7, [(0, v) for v in range(1, 7)])
    assert found.density == 0
    assert [c.tolist() for c in found.communities] == [[0, v] for v in range(1, 7)]
    assert len(found.dendrogram) == 5


def test_clique_is_one_community_of_density_one():
    found = check_against_naive(6, itertools.combinations(range(6), 2))
    assert found.density == pytest.approx(1)
    assert [c.tolist() for c in found.communities] == [list(range(6))]


def test_disconnected_cliques_and_lone_nodes():
    edges = [*itertools.combinations(range(4), 2), *itertools.combinations(range(4, 7), 2)]
    found = check_against_naive(9, edges)
    assert [c.tolist() for c in found.communities] == [[0, 1, 2, 3], [4, 5, 6], [7], [8]]
    assert len(found.dendrogram) == len(edges) - 2


@pytest.mark.parametrize("empty", [[], np.empty((0, 2), np.int64), ()])
def test_no_edges_give_communities_of_one(empty):
    found = link_communities(3, empty)
    assert [c.tolist() for c in found.communities] == [[0], [1], [2]]
    assert found.density == 0
    assert found.dendrogram.shape == (0, 5)
    assert found.edge_labels.shape == (0,)


def test_no_nodes_give_no_communities():
    assert link_communities(0, []).communities == []


def test_single_edge():
    found = check_against_naive(3, [(2, 0)])
    assert [c.tolist() for c in found.communities] == [[0, 2], [1]]


@settings(deadline=None)
@given(graphs(st.sampled_from([0.5, 1.0, 3.0])), st.randoms(use_true_random=False))
def test_order_and_direction_of_edges_do_not_matter(graph, random):
    n_nodes, edges, weights = graph
    found = link_communities(n_nodes, edges, weights)
    order = list(range(len(edges)))
    random.shuffle(order)
    turned = [edges[e][:: random.choice([1, -1])] for e in order]
    again = link_communities(n_nodes, turned, [weights[e] for e in order])
    assert [c.tolist() for c in again.communities] == [c.tolist() for c in found.communities]
    assert again.edge_labels.tolist() == found.edge_labels[order].tolist()
    assert again.density == found.density
    np.testing.assert_array_equal(again.dendrogram[:, 2:], found.dendrogram[:, 2:])


@settings(deadline=None)
@given(graphs(st.floats(0.1, 10.0)), st.integers(-300, 300))
def test_scale_of_weights_does_not_matter(graph, exponent):
    n_nodes, edges, weights = graph
    found = link_communities(n_nodes, edges, weights)
    scaled = link_communities(n_nodes, edges, [w * 2.0**exponent for w in weights])
    np.testing.assert_array_equal(scaled.dendrogram, found.dendrogram)
    assert scaled.edge_labels.tolist() == found.edge_labels.tolist()


@settings(deadline=None)
@given(graphs())
def test_communities_cover_nodes_and_are_sorted(graph):
    n_nodes, edges, _ = graph
    found = link_communities(n_nodes, edges)
    assert set(np.concatenate(found.communities).tolist()) == set(range(n_nodes))
    keys = [(-len(c), *c[:2].tolist()) for c in found.communities]
    assert keys == sorted(keys)
    assert all((np.diff(c) > 0).all() for c in found.communities)
    for (u, v), label in zip(edges, found.edge_labels, strict=True):
        assert {u, v} <= set(found.communities[label].tolist())


def test_threads_give_the_same_answer():
    edges, _ = random_graph(1, n_nodes=60)
    expected = link_communities(60, edges).edge_labels
    got = [None] * 4

    def run(slot):
        got[slot] = link_communities(60, edges).edge_labels

    threads = [threading.Thread(target=run, args=(slot,)) for slot in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for labels in got:
        np.testing.assert_array_equal(labels, expected)


@pytest.mark.parametrize(
    ("edges", "weights", "message"),
    [
        ([(0, 1), (2, 2)], None, r"edge 1 joins node 2 to itself"),
        ([(0, 1), (1, 2), (1, 0)], None, r"edges 0 and 2 both join nodes 0 and 1"),
        ([(0, 1), (0, 1)], None, r"edges 0 and 1 both join"),
        ([(0, 3)], None, r"edge 0 is \(0, 3\), but nodes are numbered 0 to 2"),
        ([(-1, 2)], None, r"edge 0 is \(-1, 2\)"),
        ([(0, 1, 2)], None, r"shape \(m, 2\), got \(1, 3\)"),
        ([0, 1], None, r"shape \(m, 2\), got \(2,\)"),
        ([(0.0, 1.0)], None, r"integer node indices, got dtype float64"),
        ([(0, 1)], [0.0], r"weight 0 is 0.0"),
        ([(0, 1), (1, 2)], [1.0, -2.0], r"weight 1 is -2.0"),
        ([(0, 1)], [float("nan")], r"weight 0 is nan"),
        ([(0, 1)], [float("inf")], r"weight 0 is inf"),
        ([(0, 1)], [1.0, 2.0], r"shape \(1,\), one per edge, got \(2,\)"),
        ([(0, 1), (1, 2)], [1e-200, 1.0], r"squares underflow"),
    ],
)
def test_bad_input_is_named(edges, weights, message):
    with pytest.raises(ValueError, match=message):
        link_communities(3, edges, weights)


def test_negative_number_of_nodes_is_refused():
    with pytest.raises(ValueError, match="n_nodes"):
        link_communities(-1, [])
