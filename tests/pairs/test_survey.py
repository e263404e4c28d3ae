import numpy as np
import pytest

from lsbn.kernels import survey as kernel
from lsbn.pairs import PairStatistics, ranked, statistics, survey
from pair_cases import dataset

NAMES = ["MI", "MI_plus", "MI_sqrt", "MI_pr", "Pearson"]


def groups(n, rows=300, seed=0):
    """Columns in groups of six that depend on each other."""
    rng = np.random.default_rng(seed)
    hidden = rng.integers(3, size=(n // 6 + 1, rows))
    noise = [rng.integers(2 + v % 3, size=rows) for v in range(n)]
    return dataset(
        [np.where(rng.random(rows) < 0.5, hidden[v // 6] % (2 + v % 3), noise[v]) for v in range(n)]
    )


@pytest.fixture
def both(monkeypatch):
    """Statistics with stored pairs, and from one pass with small blocks."""
    data = groups(70)
    stored = PairStatistics(data)
    stored.moments(NAMES)
    stored.histograms(NAMES)
    stored.significance(0.05)
    monkeypatch.setattr(survey, "_BLOCK", 16)
    monkeypatch.setattr(statistics, "STORED_VARIABLES", 0)
    return stored, PairStatistics(data, n_jobs=2)


def test_moments_and_histograms_are_those_of_all_pairs(both):
    stored, passed = both
    for name, found in passed.moments(NAMES).items():
        wanted, exact = stored._moments[name], 1e-3 if name == "MI_pr" else 1e-9
        for field in ("mean", "sd", "minimum", "maximum"):
            assert getattr(found, field) == pytest.approx(getattr(wanted, field), rel=exact), name
        assert found.strength == pytest.approx(
            wanted.strength, rel=0.05 if name == "MI_pr" else 1e-9
        )
        counts, wanted_counts = (x.histograms([name])[name][0] for x in (passed, stored))
        assert counts.sum() == wanted_counts.sum()
        assert np.abs(np.cumsum(counts) - np.cumsum(wanted_counts)).max() < 0.01 * counts.sum()
    assert passed.passes == 1


def test_a_rate_of_false_discoveries_needs_no_second_pass(both):
    stored, passed = both
    wanted, rule = stored._levels.significance(0.05), passed.significance(0.05)
    assert rule.level == wanted.level
    found = passed.above({"Pearson": 0.1}, false_discoveries=0.05)["Pearson"]
    assert passed.passes == 1
    everything = passed.above({"Pearson": 0.1, "MI": 0.5})
    assert passed.passes == 2
    assert {tuple(e) for e in found[0].tolist()} < {
        tuple(e) for e in everything["Pearson"][0].tolist()
    }


def test_the_listed_partners_are_the_heaviest_significant_ones(both):
    _, passed = both
    edges, mi = passed._survey.edges, passed._survey.values[:, 0]
    partners = {v: {} for v in range(70)}
    for (i, j), w in zip(edges.tolist(), mi, strict=True):
        partners[i][j] = partners[j][i] = w
    found = passed.heaviest(["MI"], most=4)
    for v, near in partners.items():
        assert found[v].tolist() == sorted(sorted(near, key=lambda u: (-near[u], u))[:4])


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_the_result_does_not_depend_on_the_number_of_jobs(both, n_jobs):
    data = both[1].dataset
    one, other = PairStatistics(data), PairStatistics(data, n_jobs=n_jobs)
    assert (
        one.moments(["MI"])["MI"].strength.tolist() == other.moments(["MI"])["MI"].strength.tolist()
    )
    np.testing.assert_array_equal(one._survey.edges, other._survey.edges)


def test_a_list_that_is_too_long_is_shortened_and_a_walk_brings_the_rest(both, monkeypatch):
    stored, _ = both
    monkeypatch.setattr(survey, "LEAST_ROOM", 100)
    monkeypatch.setattr(survey, "MOST_LISTED", 1)
    passed = PairStatistics(stored.dataset)
    assert len(passed._survey.edges) <= 100
    assert not passed._survey.complete
    found = passed.heaviest(["MI"], most=5)
    assert passed.passes == 2
    monkeypatch.setattr(statistics, "STORED_VARIABLES", 100)
    wanted = PairStatistics(stored.dataset).heaviest(["MI"], most=5)
    assert [x.tolist() for x in found] == [x.tolist() for x in wanted]


def test_a_sample_of_pairs_stands_for_all(both, monkeypatch):
    stored, passed = both
    monkeypatch.setattr(ranked, "_SAMPLE", 1_000)
    found, wanted = passed.moments(["MI_pr"])["MI_pr"], stored._moments["MI_pr"]
    assert found.mean == pytest.approx(wanted.mean, rel=0.05)


def test_bins_ascend_and_hold_their_weights():
    edges = kernel.bin_edges()
    assert (np.diff(edges) > 0).all()
    assert edges[-1] == 64.0
    assert edges[0] == 0.0
