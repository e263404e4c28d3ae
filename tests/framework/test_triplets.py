import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from lsbn.framework.triplets import triplet_clusters
from lsbn.framework.votes import Structure

pairs = st.tuples(st.integers(0, 8), st.integers(0, 8)).filter(lambda e: e[0] < e[1])
graphs = st.sets(pairs, max_size=22).map(lambda e: np.array(sorted(e), np.int64).reshape(-1, 2))


def voted(edges):
    """A structure in which some pairs are joined."""
    part = Structure()
    for i, j in edges.tolist():
        part.vote(np.array([i, j]), np.array([[0.0, 1.0], [0.0, 0.0]]), np.ones((2, 2)))
    return part


@given(graphs)
@settings(deadline=None)
def test_clusters_are_those_of_the_naive_code(edges):
    triplets, clusters = naive.triplet_clusters(9, edges)
    assert voted(edges).new_triplets(map(tuple, edges.tolist())) == triplets
    assert {frozenset(c.tolist()) for c in triplet_clusters(triplets)} == clusters


@given(graphs, graphs)
@settings(deadline=None)
def test_a_merge_looks_only_at_triplets_that_neither_part_had(first, second):
    parts = []
    for edges in (first, second):
        part = voted(edges)
        part.settled.update(naive.triplet_clusters(9, edges)[0])
        parts.append(part)
    old = parts[0].settled | parts[1].settled
    touched = parts[0].absorb(parts[1])
    both = np.unique(np.concatenate([first, second]), axis=0)
    assert parts[0].new_triplets(touched) == sorted(set(naive.triplet_clusters(9, both)[0]) - old)


@given(st.lists(st.tuples(pairs, st.floats(0, 1), st.floats(0, 1))))
@settings(deadline=None)
def test_packed_votes_come_back_with_their_neighbours(votes):
    structure = Structure()
    for pair, probability, weight in votes:
        matrix, weights = np.array([[0.0, probability], [0.0, 0.0]]), np.full((2, 2), weight)
        structure.vote(np.array(pair), matrix, weights)
    back = Structure.unpacked(structure.packed(), structure.threshold)
    joined = {v: near for v, near in structure.near.items() if near}
    assert (back.votes, back.near, back.settled) == (structure.votes, joined, structure.settled)
