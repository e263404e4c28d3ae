import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from lsbn.framework.subcommunities import expanded_community, inner_markov_graph, sub_communities

N = 12


@st.composite
def cases(draw):
    pairs = draw(st.sets(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)), max_size=40))
    blankets = [sorted({j for i, j in pairs if i == v != j}) for v in range(N)]
    community = sorted(draw(st.sets(st.integers(0, N - 1), min_size=1)))
    arrays = [np.array(b, np.int64) for b in blankets]
    return np.array(community), arrays, draw(st.integers(2, 10)), draw(st.integers(0, 99))


@given(cases())
@settings(deadline=None)
def test_sub_communities_are_those_of_the_naive_sampler(case):
    community, blankets, max_size, seed = case
    found = sub_communities(community, blankets, np.random.default_rng(seed), max_size=max_size)
    lists = [b.tolist() for b in blankets]
    expected = naive.sub_communities(community, lists, np.random.default_rng(seed), max_size)
    assert [set(sub.tolist()) for sub in found] == expected


@given(cases())
@settings(deadline=None)
def test_every_member_is_in_a_sub_community_of_acceptable_size(case):
    community, blankets, max_size, seed = case
    found = sub_communities(community, blankets, np.random.default_rng(seed), max_size=max_size)
    assert set(community.tolist()) <= set().union(*(sub.tolist() for sub in found))
    assert max(map(len, found)) <= max_size
    expanded = set(expanded_community(community, blankets).tolist())
    assert all(set(sub.tolist()) <= expanded for sub in found)


@given(cases())
@settings(deadline=None)
def test_inner_markov_graph_is_symmetric_and_inside(case):
    community, blankets, _, _ = case
    graph = inner_markov_graph(community, blankets)
    assert sorted(graph) == community.tolist()
    for v, near in graph.items():
        expected = {u for u in graph if u != v and (u in blankets[v] or v in blankets[u])}
        assert set(near) == expected
