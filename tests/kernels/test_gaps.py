"""Gibbs sampling of missing cells, against enumeration."""

from collections import Counter

import numpy as np
import pytest

import naive_missing
from kernel_cases import assert_same_distribution
from lsbn.answers import families as families_module
from lsbn.answers import gaps as gaps_module
from lsbn.answers.families import DataCounts, FamilyTables
from lsbn.answers.gaps import Gaps, network_tables
from lsbn.data import Dataset
from lsbn.learners import Score

PARENTS = [(), (0,), (0, 1), (2,), (1, 2), (3, 4)]
ROW = [1, 0, 2, 1, 0, 1]


@pytest.fixture(params=[1024, 1], ids=["all rows", "rows that occur"])
def network(request, monkeypatch):
    """Families with tables of all configurations, or of those that occur."""
    monkeypatch.setattr(families_module, "MOST_DENSE", request.param)
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, size=(6, 40)).astype(np.uint8)
    codes[3] = (codes[2] + codes[3] // 2) % 3
    cards, names = np.full(6, 3), tuple("abcdef")
    dataset = Dataset(codes, cards, names, (("0", "1", "2"),) * 6)
    tables = FamilyTables(DataCounts(dataset), Score("bdeu", ess=3.0))
    families = [tables(v, parents) for v, parents in enumerate(PARENTS)]
    assert any(family.keys is not None for family in families) == (request.param == 1)
    return families, cards, network_tables(families, cards)


def one_row(missing, copies=1):
    """The gaps of a row, perhaps of many equal rows, and their codes."""
    mask = np.zeros((6, copies), bool)
    mask[missing] = True
    return Gaps.of(mask), np.tile(np.array(ROW)[:, None], copies)


@pytest.mark.parametrize("missing", [0, 1, 2, 3, 4, 5])
def test_one_missing_cell_is_exact(network, missing):
    families, cards, net = network
    gaps, codes = one_row([missing])
    sums = np.zeros((1, 3))
    gaps.draw(codes, net, 7, np.random.default_rng(0), sums)
    (wanted,) = naive_missing.cell_shares(families, cards, ROW, [missing])
    np.testing.assert_allclose(sums[0] / 7, wanted, rtol=1e-12)
    log = gaps.log_observed(codes, net, 1, np.random.default_rng(0))
    exact = naive_missing.observed_probability(families, cards, ROW, [missing])
    np.testing.assert_allclose(log, np.log(exact), rtol=1e-12)


@pytest.mark.parametrize("missing", [[0, 1], [2, 3, 5], [0, 1, 2, 3, 4, 5]])
def test_draws_have_the_distribution_given_the_observed_cells(network, missing):
    families, cards, net = network
    gaps, codes = one_row(missing, copies=4_000)
    drawn = gaps.draw(codes, net, 30, np.random.default_rng(1))
    found = Counter(map(tuple, drawn[missing].T.tolist()))
    wanted = naive_missing.joint_share(families, cards, ROW, missing)
    if len(missing) < 4:
        assert_same_distribution(found, wanted)
    for v, share in zip(
        missing, naive_missing.cell_shares(families, cards, ROW, missing), strict=True
    ):
        frequencies = np.bincount(drawn[v], minlength=3) / 4_000
        np.testing.assert_allclose(frequencies, share, atol=0.035)
    kept = [v for v in range(6) if v not in missing]
    assert (drawn[kept] == np.array(ROW)[kept, None]).all()
    assert (codes == np.array(ROW)[:, None]).all()


@pytest.mark.parametrize("missing", [[0, 1], [2, 3, 5], [0, 1, 2, 3, 4, 5]])
def test_the_probability_of_the_observed_cells(network, missing):
    families, cards, net = network
    gaps, codes = one_row(missing)
    log = gaps.log_observed(codes, net, 0, np.random.default_rng(2))
    exact = naive_missing.observed_probability(families, cards, ROW, missing)
    np.testing.assert_allclose(log, np.log(exact), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("missing", [[0, 1], [2, 3, 5], [0, 1, 2, 3, 4, 5]])
def test_where_joint_draws_have_no_probability_it_is_estimated(network, missing, monkeypatch):
    """Some of the rows have one missing cell, so their probability is exact."""
    monkeypatch.setattr(gaps_module, "MOST_NUMBERS", 1)
    families, cards, net = network
    mask = np.zeros((6, 5), bool)
    mask[missing, 1], mask[missing, 3], mask[0, 4] = True, True, True
    codes = np.tile(np.array(ROW)[:, None], 5)
    logs = Gaps.of(mask).log_observed(codes, net, 4_000, np.random.default_rng(2))
    exact = [
        naive_missing.observed_probability(families, cards, ROW, cells)
        for cells in (missing, missing, [0])
    ]
    np.testing.assert_allclose(logs, np.log(exact), atol=0.05)
    assert logs[2] == pytest.approx(np.log(exact[2]), rel=1e-9)


def test_gaps_are_those_of_the_mask():
    mask = np.random.default_rng(0).random((5, 30)) < 0.2
    gaps = Gaps.of(mask)
    again = np.zeros_like(mask)
    again[gaps.variable, gaps.cell_row] = True
    assert (again == mask).all()
    assert len(gaps) == mask.sum()
    assert gaps.row.tolist() == np.flatnonzero(mask.any(axis=0)).tolist()
