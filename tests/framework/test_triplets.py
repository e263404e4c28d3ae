import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from lsbn.framework.triplets import candidate_triplets, triplet_clusters
from lsbn.framework.votes import Structure

pairs = st.tuples(st.integers(0, 8), st.integers(0, 8)).filter(lambda e: e[0] < e[1])
graphs = st.sets(pairs, max_size=22).map(lambda e: np.array(sorted(e), np.int64).reshape(-1, 2))


@given(graphs)
@settings(deadline=None)
def test_clusters_are_those_of_the_naive_code(edges):
    triplets, clusters = naive.triplet_clusters(9, edges)
    assert candidate_triplets(edges) == triplets
    assert {frozenset(c.tolist()) for c in triplet_clusters(triplets)} == clusters


@given(graphs, graphs)
@settings(deadline=None)
def test_a_merge_looks_only_at_triplets_that_neither_part_had(first, second):
    parts = []
    for edges in (first, second):
        part = Structure()
        for i, j in edges.tolist():
            part.vote(np.array([i, j]), np.array([[0.0, 1.0], [0.0, 0.0]]), np.ones((2, 2)))
        part.settled.update(candidate_triplets(edges))
        parts.append(part)
    old = parts[0].settled | parts[1].settled
    touched = parts[0].absorb(parts[1])
    both = np.unique(np.concatenate([first, second]), axis=0)
    assert parts[0].new_triplets(touched) == sorted(set(candidate_triplets(both)) - old)
