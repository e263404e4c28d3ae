from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import naive
from lsbn.partition import partition_support, second_order_network, second_order_partition
from lsbn.partition.second_order import SecondOrderNetwork, membership


def sets(*communities):
    return [np.array(sorted(c)) for c in communities]


@st.composite
def some_partitions(draw):
    """Partitions of which at least one has a community of two or more nodes."""
    n = draw(st.integers(2, 12))
    node = st.integers(0, n - 1)
    community = st.sets(node, min_size=1)
    partitions = draw(st.lists(st.lists(community, max_size=6), min_size=1, max_size=5))
    partitions[0].append(draw(st.sets(node, min_size=2)))
    return [sets(*p) for p in draw(st.permutations(partitions))], n


@st.composite
def some_networks(draw):
    """Second-order networks with at least one edge."""
    n = draw(st.integers(2, 12))
    pairs = list(combinations(range(n), 2))
    edges = np.array(sorted(draw(st.sets(st.sampled_from(pairs), min_size=1))))
    agreement = np.array(
        draw(st.lists(st.integers(3, 7), min_size=len(edges), max_size=len(edges)))
    )
    return SecondOrderNetwork(n, 7, edges, agreement, np.ones(len(edges)))


ONE_NODE = ([sets({0})], 1)
NO_COMMUNITY = ([[], []], 3)


def test_support_of_node_7_is_the_papers():
    """Definition 3: nodes are numbered from 1 in the paper."""
    first = sets({0, 1, 2}, {2, 4, 5}, {3, 6}, {6, 7, 8})
    second = sets({0, 1, 2, 4, 5}, {3, 6, 7, 8})
    assert partition_support([first], 6, 9).tolist() == [
        [0, 0, 0, 1, 0, 0, 1, 0, 0],
        [0, 0, 0, 0, 0, 0, 1, 1, 1],
    ]
    assert partition_support([second], 6, 9).tolist() == [[0, 0, 0, 1, 0, 0, 1, 1, 1]]
    assert partition_support([first, second], 6, 9).tolist() == [
        [0, 0, 0, 1, 0, 0, 1, 0, 0],
        [0, 0, 0, 0, 0, 0, 1, 1, 1],
        [0, 0, 0, 1, 0, 0, 1, 1, 1],
    ]


def test_node_7_is_grouped_with_4_8_and_9():
    first = sets({0, 1, 2}, {2, 4, 5}, {3, 6}, {6, 7, 8})
    second = sets({0, 1, 2, 4, 5}, {3, 6, 7, 8})
    network = second_order_network([first, second], 9, min_agreement=1.0)
    assert {v for e in network.edges.tolist() if 6 in e for v in e} == {3, 6, 7, 8}


@settings(deadline=None)
@given(some_partitions())
@example(ONE_NODE)
@example(NO_COMMUNITY)
def test_support_has_the_communities_of_the_node(case):
    partitions, n = case
    for v in range(n):
        expected = [[int(u in c) for u in range(n)] for p in partitions for c in p if v in c]
        assert partition_support(partitions, v, n).tolist() == expected


@settings(deadline=None)
@given(some_partitions(), st.sampled_from([0.0, 0.4, 0.5, 1.0]), st.sampled_from([0.0, 1.0, 2.5]))
@example(ONE_NODE, 0.4, 2.5)
@example(NO_COMMUNITY, 0.0, 0.0)
def test_network_agrees_with_naive(case, min_agreement, min_lift):
    partitions, n = case
    network = second_order_network(
        partitions, n, min_agreement=min_agreement, min_lift=min_lift, max_mean_degree=n
    )
    expected = {
        pair: (agreement, lift)
        for pair, (agreement, lift) in naive.co_occurrence(partitions, n).items()
        if agreement >= min_agreement * len(partitions)
        and (lift >= min_lift or agreement == len(partitions))
    }
    assert [tuple(e) for e in network.edges.tolist()] == sorted(expected)
    for pair, agreement, lift in zip(
        network.edges.tolist(), network.agreement, network.lift, strict=True
    ):
        assert agreement == expected[tuple(pair)][0]
        assert lift == pytest.approx(float(expected[tuple(pair)][1]))


@settings(deadline=None)
@given(some_partitions())
def test_counts_are_the_product_of_the_membership_matrix(case):
    """With partitions of one community each, agreement is B B^T."""
    partitions, n = case
    single = [[c] for p in partitions for c in p]
    matrix = membership(single, n).astype(np.int64)
    product = (matrix @ matrix.T).toarray()
    network = second_order_network(single, n, min_agreement=0.0, min_lift=0.0, max_mean_degree=n)
    found = np.zeros((n, n), int)
    found[tuple(network.edges.T)] = network.agreement
    assert found.any()
    assert found.tolist() == np.triu(product, 1).tolist()


def test_the_bound_keeps_the_pairs_of_highest_lift():
    blocks = sets(range(3), range(3, 100), range(100, 104))
    network = second_order_network([blocks], 200, min_lift=0.0, max_mean_degree=0.12)
    assert {tuple(e) for e in network.edges.tolist()} == {
        *((u, v) for u in range(3) for v in range(u + 1, 3)),
        *((u, v) for u in range(100, 104) for v in range(u + 1, 104)),
    }


def assert_covers_all_nodes_once(network, max_size):
    found = [tuple(c.tolist()) for c in second_order_partition(network, max_size=max_size)]
    assert set().union(*found) == set(range(network.n_nodes))
    assert len(set(found)) == len(found)
    assert all(list(c) == sorted(c) for c in found)
    assert [len(c) for c in found] == sorted((len(c) for c in found), reverse=True)


@settings(deadline=None)
@given(some_partitions(), st.integers(2, 8))
def test_every_node_is_in_a_community_and_none_comes_twice(case, max_size):
    partitions, n = case
    network = second_order_network(partitions, n, min_lift=0.5)
    assume(len(network.edges))
    assert_covers_all_nodes_once(network, max_size)


@settings(deadline=None)
@given(some_networks(), st.integers(2, 8))
def test_every_node_of_any_network_is_in_a_community_and_none_comes_twice(network, max_size):
    assert_covers_all_nodes_once(network, max_size)


def test_a_network_without_edges_has_communities_of_one_node():
    network = second_order_network([sets({0}, {1})], 3)
    assert len(network.edges) == 0
    assert [c.tolist() for c in second_order_partition(network)] == [[0], [1], [2]]


def two_cliques(agreement_of_bridge):
    """Two cliques of six with a bridge; they are one link community only if the cut is low."""
    edges = [(u, v) for b in (0, 6) for u in range(b, b + 6) for v in range(u + 1, b + 6)]
    edges = sorted([*edges, (5, 6)])
    agreement = np.array([agreement_of_bridge if e == (5, 6) else 7 for e in edges])
    return SecondOrderNetwork(12, 7, np.array(edges), agreement, np.ones(len(edges)))


@pytest.mark.parametrize("max_size", [4, 25])
def test_cliques_are_found_and_cannot_be_split(max_size):
    found = [c.tolist() for c in second_order_partition(two_cliques(3), max_size=max_size)]
    assert found == [[*range(6)], [*range(6, 12)], [5, 6]]


def communities_of(network, max_size=50):
    return {tuple(c.tolist()) for c in second_order_partition(network, max_size=max_size)}


def test_left_over_links_of_a_large_community_need_unanimity():
    """The division of a community leaves single links; those that are unanimous are kept."""
    rng = np.random.default_rng(0)
    n_kept, n_dropped = 0, 0
    for _ in range(200):
        edges = np.argwhere(np.triu(rng.random((14, 14)) < 0.35, 1))
        agreement = rng.integers(3, 8, len(edges))
        network = SecondOrderNetwork(14, 7, edges, agreement, np.ones(len(edges)))
        agreed = SecondOrderNetwork(14, 7, edges, np.full(len(edges), 7), np.ones(len(edges)))
        whole = communities_of(network)
        unanimous = {tuple(e) for e, a in zip(edges.tolist(), agreement, strict=True) if a == 7}
        pairs = {c for c in communities_of(network, 4) - whole if len(c) == 2}
        left_over = {c for c in communities_of(agreed, 4) - whole if len(c) == 2}
        assert pairs <= unanimous
        assert pairs == left_over & unanimous
        n_kept += len(pairs)
        n_dropped += len(left_over - unanimous)
    assert n_kept > 0
    assert n_dropped > 0
