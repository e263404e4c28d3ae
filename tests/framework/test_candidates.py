"""Candidates of the last pass: where it searches, and how it uses the proposals."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import naive
from learner_cases import shuffled_alarm
from lsbn.data import Dataset
from lsbn.framework.blankets import blanket_candidates, iamb, markov_blankets
from lsbn.framework.candidates import candidate_partners, candidate_pools, find_candidates
from lsbn.learners import LEARNERS, Candidates, learn_aracne, learn_mmhc, learn_pc
from lsbn.learners.aracne import pair_level
from lsbn.pairs import PairStatistics

N = 6
few = st.sets(st.integers(0, N - 1), max_size=4).map(lambda s: np.array(sorted(s), np.int64))


@settings(deadline=None, max_examples=40)
@given(
    st.lists(few, max_size=3),
    st.lists(few, min_size=N, max_size=N),
    st.lists(few, min_size=N, max_size=N),
    st.integers(0, 100),
    st.booleans(),
)
def test_pools_hold_everything_that_was_proposed(communities, blankets, partners, seed, expanded):
    proposed = np.random.default_rng(seed).random((N, N)) * (np.eye(N) == 0) / 40
    given = (communities, blankets, partners, sparse.csr_array(proposed))
    pools = candidate_pools(*given, expanded=expanded)
    for v, pool in enumerate(pools):
        wanted = {*blankets[v].tolist(), *partners[v].tolist()}
        for community in communities:
            members = {*community.tolist()}
            if expanded:
                members |= {u for w in community.tolist() for u in blankets[w].tolist()}
            wanted |= members if v in members else set()
        if not expanded:
            wanted |= {u for w in blankets[v].tolist() for u in blankets[w].tolist()}
        wanted |= {u for u in range(N) if proposed[u, v] + proposed[v, u] > 0.01}
        assert pool.tolist() == sorted(wanted - {v})


@pytest.fixture(scope="module")
def alarm():
    """Some variables of alarm, and candidates from two overlapping communities without votes."""
    dataset = Dataset.from_table(shuffled_alarm(3_000)[0].iloc[:, :16])
    return dataset, candidates_of(dataset, [np.arange(10), np.arange(7, 16)])


def candidates_of(dataset, communities):
    blankets = markov_blankets(dataset, blanket_candidates(dataset))
    nothing = sparse.csr_array((dataset.n_variables,) * 2)
    partners = candidate_partners(PairStatistics(dataset))
    return find_candidates(partners, communities, blankets, nothing)


def joined(learned):
    both = (learned.edges.matrix + learned.edges.matrix.T).tocoo()
    pairs = zip(both.row.tolist(), both.col.tolist(), both.data, strict=True)
    return {(u, v) for u, v, p in pairs if u < v and p > 0.5}


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_takes_candidates(alarm, learner):
    dataset, candidates = alarm
    first, again = (LEARNERS[learner](dataset, candidates=candidates, random_state=3) for _ in "ab")
    assert (first.edges.matrix != again.edges.matrix).nnz == 0
    assert len(joined(first)) > 8


def test_aracne_spares_what_stands_among_mutual_members_of_blankets():
    dataset = Dataset.from_table(shuffled_alarm(3_000)[0])
    n = dataset.n_variables
    candidates = candidates_of(dataset, [np.arange(n)])
    blankets = candidates.blankets
    found = joined(learn_aracne(dataset, candidates=candidates))
    whole = learn_aracne(dataset)
    level = pair_level(n)
    own = [set(iamb(dataset, v, b, alpha=level).tolist()) for v, b in enumerate(blankets)]
    mutual = {(u, v) for v in range(n) for u in own[v] if u < v and v in own[u]}
    columns = dataset.codes.tolist()
    information = {
        (u, v): naive.mutual_information(columns[u], columns[v])
        for u, v in mutual
        if joined(learn_aracne(dataset.select([u, v]), alpha=level))
    }
    spared = set(information) - naive.data_processing(n, information, 0.0)
    assert spared - joined(whole)
    assert found == spared | joined(whole)


@pytest.mark.parametrize("learn", [learn_aracne, learn_pc])
def test_candidates_bound_what_may_be_joined(alarm, learn):
    dataset = alarm[0]
    everyone = np.array(list(itertools.combinations(range(16), 2)))
    free = joined(learn(dataset, random_state=0))
    assert joined(learn(dataset, candidates=Candidates.of_pairs(16, everyone))) == free
    some = everyone[::2]
    found = joined(learn(dataset, candidates=Candidates.of_pairs(16, some)))
    assert found
    assert found <= set(map(tuple, some.tolist()))


def test_max_min_pairs_are_looked_for_in_pools(alarm):
    from lsbn.learners.mmhc import max_min_pairs

    dataset = alarm[0]
    pools = [np.setdiff1d(np.arange(16), [v, (v + 1) % 16]) for v in range(16)]
    found = set(map(tuple, max_min_pairs(dataset, 0.05, pools=pools).tolist()))
    assert found
    assert not {(v, v + 1) for v in range(15)} & found
    assert joined(learn_mmhc(dataset, random_state=0))
