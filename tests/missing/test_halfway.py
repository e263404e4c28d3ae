"""Tests of families half-way: cells drawn from a network do not decide about its edges."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import naive_missing
from lsbn import load_network
from lsbn.answers.families import DataCounts
from lsbn.answers.gaps import Gaps
from lsbn.data import Dataset
from lsbn.kernels.scores import family_score
from lsbn.knowledge import Knowledge, resolve
from lsbn.learners import Score
from lsbn.learners.families import FamilyScores
from lsbn.learners.scoring import columns_of
from lsbn.missing import ChainSettings
from lsbn.missing.chain import Augmentation, Round, log_evidence
from lsbn.missing.halfway import FamilyTest, drawn_table, halfway_table
from lsbn.missing.moves import after, closes_cycle, regions, reversed_edge
from lsbn.missing.start import drawn_by_trees

SPARSE = Score(density=0.05)
COLUMNS = ["HR", "HRBP", "HRSAT", "CO", "ERRLOWOUTPUT", "HREKG"]


def holes(table, share, seed=0):
    mask = np.random.default_rng(seed).random(table.shape) < share
    return Dataset.from_table(table.astype(object).mask(mask), missing="infer")


@pytest.fixture(scope="module")
def dataset():
    return holes(load_network("alarm").sample(300, random_state=0)[COLUMNS], 0.2)


def cells(dataset, rng):
    """Draw the cells of a table, three times each."""
    gaps = Gaps.of(dataset.gaps)
    return lambda table, net: Dataset(
        gaps.draw(table.codes, net, 3, rng), table.cards, table.names, table.states
    )


def after_tests(dataset, table, parents, times, knowledge=None, left_out=(), *, reverse=False):
    """Test the same network and table several times."""
    found = []
    for seed in range(times):
        rng = np.random.default_rng(seed)
        test = FamilyTest(dataset, SPARSE, knowledge, rng)
        test.left_out |= set(left_out)
        families = scores(SPARSE, knowledge)
        found.append(test(parents, table, families, cells(dataset, rng), reverse))
    return found


def scores(score, knowledge=None):
    """Return what scores the families of a table."""
    return lambda table: FamilyScores(table, score, knowledge)


def filled(dataset, b):
    """Fill the gaps of two columns: those of the first at random, those of the second by b."""
    codes, rng = dataset.codes.copy(), np.random.default_rng(1)
    codes[0, dataset.gaps[0]] = rng.integers(0, 2, dataset.gaps[0].sum())
    codes[1, dataset.gaps[1]] = b(codes[0], rng)[dataset.gaps[1]]
    return Dataset(codes, dataset.cards, dataset.names, dataset.states)


def pair(noise):
    """Two columns, the second a copy of the first except for a share of its values."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 2000)
    b = np.where(rng.random(2000) < noise, rng.integers(0, 2, 2000), a)
    return holes(pd.DataFrame({"a": a, "b": b}), 0.5)


def test_an_edge_is_not_kept_by_the_cells_drawn_from_it():
    dataset = pair(1.0)
    table = filled(dataset, lambda a, rng: np.where(rng.random(len(a)) < 0.7, a, 1 - a))
    families = FamilyScores(table, SPARSE)
    assert families(1, (0,)) - families(1, ()) > 20
    assert sum(net == [(), ()] for net in after_tests(dataset, table, [(), (0,)], 10)) >= 9


def test_an_edge_is_not_kept_out_by_the_cells_drawn_without_it():
    dataset = pair(0.6)
    table = filled(dataset, lambda a, rng: rng.integers(0, 2, len(a)))
    found = after_tests(dataset, table, [(), ()], 10, left_out=[(0, 1)])
    assert sum(net == [(), (0,)] for net in found) >= 9


def test_only_edges_that_a_test_left_out_are_tested_again():
    dataset, left_out = pair(1.0), []
    table = filled(dataset, lambda a, rng: rng.integers(0, 2, len(a)))
    for seed in range(10):
        rng = np.random.default_rng(seed)
        test = FamilyTest(dataset, Score(), None, rng)
        assert test([(), ()], table, scores(Score()), cells(dataset, rng), False) == [(), ()]
        assert not test.left_out
        net = test([(), (0,)], table, scores(Score()), cells(dataset, rng), False)
        assert test.left_out <= ({(0, 1)} if net == [(), ()] else set())
        left_out += test.left_out
    assert left_out


@pytest.mark.parametrize("reverse", [False, True])
def test_networks_stay_acyclic_and_knowledge_holds(dataset, reverse):
    table = drawn_by_trees(dataset, np.random.default_rng(0))
    known = resolve(
        Knowledge(required=[("HR", "HRBP")], forbidden=[("CO", "HREKG")], max_parents={"HREKG": 1}),
        dataset.names,
    )
    hr, bp, sat, co, err, ekg = range(6)
    parents = [(co,), (hr, err), (hr, bp), (), (), (hr,)]
    changed = set()
    left_out = [(err, ekg), (co, ekg), (sat, ekg)]
    for net in after_tests(dataset, table, parents, 40, known, left_out, reverse=reverse):
        assert hr in net[bp]
        assert co not in net[ekg]
        assert len(net[ekg]) <= 1
        assert naive.is_dag(net)
        changed |= {v for v in range(6) if net[v] != parents[v]}
    assert changed


def test_a_required_parent_that_is_constant_does_not_prevent_tests():
    """It takes one of the places of parents, but no network has it."""
    table = pd.DataFrame(
        {"a": [0, 1] * 50, "b": [0, 0, 1, 1] * 25, "c": "x", "d": [0, 1, 1, 0] * 25}
    )
    table = table.astype(object)
    table.iloc[:30, 0] = None
    dataset = Dataset.from_table(table, missing="infer")
    a, b, _, d = range(4)
    for required, most, other, possible in [
        ([("c", "b")], 3, (), True),
        ([("c", "b")], 3, (a, d), True),
        ([("c", "b")], 2, (a, d), False),
        ([("c", "b"), ("a", "b")], 3, (), False),
        ([("b", "c"), ("c", "d")], 3, (a, d), False),
    ]:
        known = resolve(Knowledge(required=required, max_parents={"b": most}), dataset.names)
        test = FamilyTest(dataset, Score(), known, np.random.default_rng(0))
        families = scores(Score())(drawn_by_trees(dataset, np.random.default_rng(0)))
        assert test._is_possible(b, (a,), other, families) == possible


def test_columns_without_gaps_are_not_tested(dataset):
    whole = Dataset(
        dataset.codes, dataset.cards, dataset.names, dataset.states, gaps=dataset.gaps.copy()
    )
    whole.gaps[:3] = False
    rng = np.random.default_rng(0)
    test = FamilyTest(whole, Score(), None, rng)
    parents = [(), (0,), (0, 1), (), (), ()]
    table = drawn_by_trees(whole, rng)
    assert test._close(parents, FamilyScores(table, Score())) == []


@pytest.mark.parametrize("others", [((0, 2), (0,)), ((0,), (2, 3)), ((), (3,)), ((2,), (0, 2, 3))])
def test_half_way_tables_equal_their_naive_twin(dataset, others):
    counts, rng = DataCounts(dataset), np.random.default_rng(0)
    first, second = (drawn_table(counts(1, own), Score(), rng, 0.5) for own in others)
    found, above = halfway_table(first, second), sorted({*others[0], *others[1]})
    assert found.parents.tolist() == above
    expected = list(naive_missing.halfway_rows(first, second, above, dataset.cards.tolist()))
    np.testing.assert_allclose(found.table, expected)


def test_families_have_the_score_of_the_kernels_and_the_prior(dataset):
    table = drawn_by_trees(dataset, np.random.default_rng(0))
    score = Score("bdeu", density=0.2)
    families = FamilyScores(table, score)
    bare = family_score(columns_of(table), score.lookup(), 1, np.array([0, 2]))
    assert families(1, (2, 0)) == pytest.approx(bare + score.penalty(6, 6)[2])
    assert families.extended(1, (0,), [2])[0] == pytest.approx(families(1, (0, 2)))


def collider():
    """Two independent causes of a third column, and the network with one edge the wrong way."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, (2, 2000))
    c = np.where(rng.random(2000) < 0.6, (a | b), rng.integers(0, 2, 2000))
    dataset = holes(pd.DataFrame({"a": a, "b": b, "c": c}), 0.4)
    return dataset, [(), (0, 2), (0,)], [(), (), (0, 1)]


def drawn_from(dataset, parents, rounds=20):
    """Complete a table by cells of one network."""
    chain = Augmentation(dataset, np.random.default_rng(0), SPARSE, None, 1, ChainSettings())
    for _ in range(rounds):
        chain._draw(parents)
    return chain


def test_an_edge_is_reversed_with_other_parents_of_both_ends():
    dataset, wrong, right = collider()
    table = drawn_from(dataset, wrong).table
    found = after_tests(dataset, table, wrong, 20, reverse=True)
    assert sum(net == right for net in found) >= 6  # other edges are reversed in other tests
    table = drawn_from(dataset, right).table
    assert after_tests(dataset, table, right, 20, reverse=True) == [right] * 20


def test_reversed_ends_have_the_best_parents_that_are_possible():
    dataset, wrong, _ = collider()
    families = FamilyScores(drawn_from(dataset, wrong).table, SPARSE)
    move = reversed_edge(wrong, (2, 1), families, lambda v, own: len(own) < 3)
    assert move == {2: (0, 1), 1: ()}
    assert reversed_edge(wrong, (2, 1), families, lambda v, own: v != 2) is None


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 9))
def test_regions_equal_their_naive_twin(seed, n):
    rng = np.random.default_rng(seed)
    first, second = (
        [tuple(np.flatnonzero(rng.random(v) < 0.3).tolist()) for v in range(n)] for _ in range(2)
    )
    kept = rng.random(n) < 0.5
    second = [own if same else other for own, other, same in zip(first, second, kept, strict=True)]
    assert regions(first, second) == naive_missing.regions(first, second)


@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(1, 3))
def test_a_move_closes_a_cycle_if_the_network_after_it_has_one(seed, n, size):
    rng = np.random.default_rng(seed)
    keys, edges = rng.random(n), rng.random((n, n)) < 0.4
    parents = [tuple(np.flatnonzero(edges[v] & (keys < keys[v])).tolist()) for v in range(n)]
    move = {
        v: tuple(np.flatnonzero((rng.random(n) < 0.3) & (np.arange(n) != v)).tolist())
        for v in rng.choice(n, min(size, n), replace=False).tolist()
    }
    assert closes_cycle(parents, move) != naive.is_dag(after(parents, move))


def test_a_chain_takes_the_better_regions_of_another():
    dataset, wrong, right = collider()
    worse, better = (drawn_from(dataset, net) for net in (wrong, right))
    for chain, net in ((worse, wrong), (better, right)):
        chain.recent.append(Round(net, chain.table))
        chain.rises = False
    better.meet(worse)
    assert len(better.recent) == 1
    assert not better.rises
    worse.meet(better)
    assert list(worse.recent[-1].parents) == right
    assert worse.recent[-1].table is worse.table
    assert worse.rises


def test_chains_are_compared_by_each_others_tables(dataset):
    """The evidence is the mean of two log ratios."""
    settings, score = ChainSettings(), Score("bdeu", density=0.2)
    chains = [
        Augmentation(dataset, np.random.default_rng(k), score, None, 1, settings) for k in range(3)
    ]
    good, bad = [(), (0,), (0,), (0,), (), (0,)], [()] * 6
    for chain, net in zip(chains, (good, bad, good), strict=True):
        chain.recent.append(Round(net, chain.table))
    found = log_evidence([chain.recent for chain in chains], chains[0].families())
    logs = [
        [sum(FamilyScores(c.table, score)(v, net[v]) for v in range(6)) for net in (good, bad)]
        for c in chains
    ]
    expected = (logs[0][0] - logs[0][1] + logs[1][0] - logs[1][1]) / 2
    assert found[0, 1] == pytest.approx(expected)
    np.testing.assert_allclose(found, -found.T)
    assert found[0, 2] == 0
