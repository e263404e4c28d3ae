import itertools

import networkx as nx
import numpy as np
import pytest

import naive
from learner_cases import chain_table, collider_table, shuffled_alarm
from lsbn.data import Dataset
from lsbn.learners.mmhc import learn_mmhc, max_min_pairs


def test_collider_and_chain():
    collider = learn_mmhc(collider_table(), random_state=0).edges.cpdag()
    assert set(collider.edges) == {("a", "c"), ("b", "c"), ("c", "d")}
    chain = learn_mmhc(chain_table(), random_state=0).edges.skeleton()
    assert {frozenset(e) for e in chain.edges} == {frozenset("ab"), frozenset("bc")}


@pytest.mark.parametrize("seed", range(4))
def test_pairs_found_are_separated_by_no_set_of_their_neighbours(seed):
    table, _ = shuffled_alarm(800, seed)
    dataset = Dataset.from_table(table).select(range(9))
    pairs = max_min_pairs(dataset, 0.05, max_size=2)
    near = {v: {x for p in pairs.tolist() if v in p for x in p} - {v} for v in range(9)}
    codes = dataset.codes.tolist()
    for x, y in pairs.tolist():
        for size in range(3):
            for given in itertools.combinations(sorted(near[x] - {y}), size):
                g2, dof = naive.g_test(codes[x], codes[y], [codes[z] for z in given])
                assert dof == 0 or naive.chi2_sf(g2, dof) <= 0.05 + 1e-9


def test_edges_lie_within_the_pairs():
    table, _ = shuffled_alarm(2_000)
    dataset = Dataset.from_table(table)
    pairs = {frozenset(p) for p in max_min_pairs(dataset, 0.05).tolist()}
    learned = learn_mmhc(dataset, alpha=0.05, random_state=0)
    assert {frozenset(p) for p in zip(*learned.edges.matrix.nonzero(), strict=True)} <= pairs
    assert learned.diagnostics.candidate_pairs == len(pairs)
    assert nx.is_directed_acyclic_graph(learned.edges.to_networkx())


def test_no_pairs_no_edges():
    rng = np.random.default_rng(0)
    noise = Dataset.from_table(rng.integers(2, size=(500, 3)))
    assert learn_mmhc(noise, alpha=1e-6, random_state=0).edges.matrix.nnz == 0
    with pytest.raises(ValueError, match="between 0 and 1"):
        learn_mmhc(noise, alpha=0.0)
