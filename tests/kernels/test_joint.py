"""Joint draws of missing cells, against enumeration."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_missing
from kernel_cases import assert_same_distribution
from lsbn.answers import families as families_module
from lsbn.answers.families import DataCounts, FamilyTable, FamilyTables
from lsbn.answers.gaps import Gaps, network_tables
from lsbn.data import Dataset
from lsbn.kernels.blocks import MOST_CELLS
from lsbn.kernels.joint import draw_jointly
from lsbn.learners import Score

PARENTS = [(), (0,), (0, 1), (2,), (1, 2), (3, 4)]
CARDS = np.array([3, 2, 3, 2, 4, 3])
ROW = [1, 0, 2, 1, 0, 1]
WIDE = 1 << 14


@pytest.fixture(params=[1024, 1], ids=["all rows", "rows that occur"])
def network(request, monkeypatch):
    """Families with tables of all configurations, or of those that occur."""
    monkeypatch.setattr(families_module, "MOST_DENSE", request.param)
    rng = np.random.default_rng(0)
    codes = np.array([rng.integers(card, size=40) for card in CARDS]).astype(np.uint8)
    names = tuple("abcdef")
    states = tuple(tuple(map(str, range(card))) for card in CARDS)
    dataset = Dataset(codes, CARDS, names, states)
    tables = FamilyTables(DataCounts(dataset), Score("bdeu", ess=3.0))
    families = [tables(v, parents) for v, parents in enumerate(PARENTS)]
    return families, network_tables(families, CARDS)


def drawn_rows(net, missing, copies, most=WIDE, times=1, seed=1):
    """Draw the missing cells of many equal rows; also return the log probabilities."""
    mask = np.zeros((len(ROW), copies), bool)
    mask[missing] = True
    gaps, rows = Gaps.of(mask), np.tile(np.array(ROW, np.int64), (copies, 1))
    logs, rng = np.empty(copies), np.random.default_rng(seed)
    for _ in range(times):
        draw_jointly(net, rows, gaps.start, gaps.variable, most, rng, logs)
    return rows, logs


@pytest.mark.parametrize("missing", [[0], [5], [0, 1], [2, 3, 5], [0, 3, 5], [0, 1, 2, 3, 4, 5]])
def test_draws_have_the_distribution_given_the_observed_cells(network, missing):
    families, net = network
    rows, logs = drawn_rows(net, missing, 4_000)
    wanted = naive_missing.joint_share(families, CARDS, ROW, missing)
    if len(missing) < 4:
        assert_same_distribution(Counter(map(tuple, rows[:, missing].tolist())), wanted)
    shares = naive_missing.cell_shares(families, CARDS, ROW, missing)
    for v, share in zip(missing, shares, strict=True):
        frequencies = np.bincount(rows[:, v], minlength=CARDS[v]) / 4_000
        np.testing.assert_allclose(frequencies, share, atol=0.035)
    exact = [np.log(wanted[tuple(row[missing].tolist())]) for row in rows]
    np.testing.assert_allclose(logs, exact, rtol=1e-9)
    kept = [v for v in range(6) if v not in missing]
    assert (rows[:, kept] == np.array(ROW)[kept]).all()


@pytest.mark.parametrize("most", [1, 9, 20])
def test_cells_that_are_left_out_are_drawn_after_the_others(network, most):
    """Blocks are drawn given each other, so several draws are needed."""
    families, net = network
    missing = [0, 1, 2, 3, 4]
    rows, _ = drawn_rows(net, missing, 4_000, most, times=20)
    shares = naive_missing.cell_shares(families, CARDS, ROW, missing)
    for v, share in zip(missing, shares, strict=True):
        frequencies = np.bincount(rows[:, v], minlength=CARDS[v]) / 4_000
        np.testing.assert_allclose(frequencies, share, atol=0.035)


def chain_of_copies(n, noise):
    """Tables of a chain of two states, each of which repeats the one before."""
    table = np.array([[1 - noise, noise], [noise, 1 - noise]])
    nothing, two = np.zeros(0, np.int64), np.array([2])
    families = [FamilyTable(0, nothing, nothing, np.array([[0.5, 0.5]]))]
    families += [FamilyTable(v, np.array([v - 1]), two, table) for v in range(1, n)]
    return network_tables(families, np.full(n, 2))


def test_copies_change_together():
    net, rows = chain_of_copies(9, 1e-12), np.zeros((200, 9), np.int64)
    gaps = Gaps.of(np.ones((9, 200), bool))
    draw_jointly(
        net, rows, gaps.start, gaps.variable, WIDE, np.random.default_rng(0), np.empty(200)
    )
    assert (rows == rows[:, :1]).all()
    assert 60 < rows[:, 0].sum() < 140


def test_more_cells_than_a_block_has_are_drawn_in_turns():
    """The last cell is observed, so that no cell is loose."""
    n = 3 * MOST_CELLS // 2
    net, rows = chain_of_copies(n, 0.3), np.zeros((2_000, n), np.int64)
    mask, logs = np.ones((n, 2_000), bool), np.empty(2_000)
    mask[-1] = False
    gaps = Gaps.of(mask)
    draw_jointly(net, rows, gaps.start, gaps.variable, WIDE, np.random.default_rng(0), logs)
    changes = (rows[:, 1:] != rows[:, :-1]).mean(axis=0)
    np.testing.assert_allclose(np.delete(changes, MOST_CELLS - 1), 0.3, atol=0.05)
    assert (rows[:, MOST_CELLS : MOST_CELLS + 16].mean(axis=0) > 0.35).all()
    assert np.isnan(logs).all()


@pytest.mark.parametrize("missing", [[0], [0, 1]])
@pytest.mark.parametrize(("children", "rare"), [(400, 1e-6), (40, 1e-30)])
def test_many_children_do_not_make_the_product_zero(missing, children, rare):
    """Cell 0 tells many others, all of which are observed and rare. Cell 1 is its copy.

    Cell 1 has an observed child, so that it is not loose, and both cells are in one block.
    """
    nothing, two, n = np.zeros(0, np.int64), np.array([2]), children + 2
    low, copy = np.array([[1 - rare, rare], [1 - 3 * rare, 3 * rare]]), np.eye(2)
    families = [FamilyTable(0, nothing, nothing, np.array([[0.5, 0.5]]))]
    families += [FamilyTable(v, np.array([0]), two, copy if v == 1 else low) for v in range(1, n)]
    families[-1] = FamilyTable(n - 1, np.array([1]), two, low)
    net, rows, mask = network_tables(families, np.full(n, 2)), np.ones((50, n), int), np.ones(n) < 0
    mask[missing] = True
    gaps = Gaps.of(np.tile(mask[:, None], 50))
    rows[:, missing] = 0
    draw_jointly(net, rows, gaps.start, gaps.variable, WIDE, np.random.default_rng(0), np.empty(50))
    assert (rows == 1).all()


def test_children_that_contradict_each_other_do_not_make_the_product_zero():
    """Half of the children of cell 0 and one more say that it is 1; all of them are missing."""
    nothing, two, half, rare = np.zeros(0, np.int64), np.array([2]), 15, 1e-30
    n, sure = 4 * half + 3, np.array([[1 - rare, rare], [rare, 1 - rare]])
    families = [FamilyTable(0, nothing, nothing, np.array([[0.5, 0.5]]))]
    families += [FamilyTable(v, np.array([v - 1]), two, sure) for v in range(1, n)]
    for v in range(1, n, 2):
        families[v] = FamilyTable(v, np.array([0]), two, np.eye(2))
    rows, mask = np.zeros((50, n), int), np.zeros((n, 50), bool)
    rows[:, 2 * half + 2 :: 2], mask[0], mask[1::2] = 1, True, True
    gaps, net = Gaps.of(mask), network_tables(families, np.full(n, 2))
    draw_jointly(net, rows, gaps.start, gaps.variable, WIDE, np.random.default_rng(0), np.empty(50))
    assert (rows[:, 0] == 1).all()


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_the_probability_of_a_draw_is_that_of_enumeration(data):
    """Any network of six variables, also with cycles, and any tables.

    Some of the tables do not sum to one.
    """
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    missing = data.draw(st.lists(st.integers(0, 5), min_size=1, unique=True).map(sorted))
    most, cycles, families = data.draw(st.sampled_from([WIDE, 8])), data.draw(st.booleans()), []
    for v in range(6):
        above = np.flatnonzero(rng.random(6 if cycles else v) < 0.4)
        above = above[above != v]
        cards = CARDS[above]
        table = rng.gamma(0.3, size=(int(np.prod(cards)), CARDS[v])) + 1e-6
        if rng.random() < 0.7:
            table /= table.sum(axis=1, keepdims=True)
        families.append(FamilyTable(v, above, cards, table))
    net = network_tables(families, CARDS)
    (row,), (log,) = drawn_rows(net, missing, 1, most, seed=int(rng.integers(2**32)))
    assert ((row >= 0) & (row < CARDS)).all()
    assert all(row[v] == ROW[v] for v in range(6) if v not in missing)
    if most == WIDE:
        wanted = naive_missing.joint_share(families, CARDS, ROW, missing)
        assert log == pytest.approx(np.log(wanted[tuple(row[missing].tolist())]), abs=1e-9)
    assert np.isnan(log) or log <= 1e-12
