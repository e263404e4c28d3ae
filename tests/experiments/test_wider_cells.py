import numpy as np
import pytest

from experiment_cases import load_experiment

KEYS = ("a", "b", "c", "d", "e", "f", "g", "h1", "h2", "i", "j")
NETWORKS = ("a", "b", "c", "d", "e", "f", "g")


@pytest.fixture(scope="module")
def study():
    return load_experiment("parts.wider_cells")


def drawn(study, key, count=20, seed=1):
    return [case for case, _ in study.draw_cell(key, count, seed)]


def test_all_cells_are_tried_below(study):
    assert tuple(study.CELLS) == KEYS


@pytest.mark.parametrize("key", KEYS)
def test_a_case_fits_together(study, key):
    for case in drawn(study, key):
        rows, n = case.table.shape
        assert 5 <= n <= 40
        assert case.graph.shape == case.judged.shape == (n, n)
        assert not np.linalg.matrix_power(case.graph.astype(float), n).any()  # acyclic
        assert np.array_equal(case.skeleton, case.skeleton.T)
        assert np.array_equal(case.judged, case.judged.T)
        assert not case.judged.diagonal().any()
        constant = (case.table.nunique() == 1).to_numpy()
        assert not case.judged[constant].any()
        assert case.directed == (key in NETWORKS)
        limits = {"f": (50, 100), "g": (10_000, 10_000)}.get(key, (100, 5000))
        assert limits[0] <= rows <= limits[1]


@pytest.mark.parametrize("key", KEYS)
def test_a_case_depends_on_its_seed_only(study, key):
    few, many, other = (
        drawn(study, key, count, seed)[0] for count, seed in ((1, 3), (2, 3), (1, 4))
    )
    assert few.table.equals(many.table)
    assert np.array_equal(few.graph, many.graph)
    assert not few.table.equals(other.table)


@pytest.mark.parametrize(("key", "most", "mean"), [("a", 6, 1.5), ("b", 3, 1.25)])
def test_networks_are_sparse_and_have_the_parents_they_may(study, key, most, mean):
    graphs = [case.graph for case in drawn(study, key, 60)]
    assert max(graph.sum(axis=0).max() for graph in graphs) == most
    edges, variables = sum(g.sum() for g in graphs), sum(map(len, graphs))
    assert edges / variables == pytest.approx(mean, abs=0.15)


@pytest.mark.parametrize(("key", "most"), [("a", 4), ("b", 8), ("h1", 5), ("i", 4), ("j", 10)])
def test_numbers_of_states(study, key, most):
    assert max(case.table.nunique().max() for case in drawn(study, key)) == most


def test_skewed_margins_have_one_common_state(study):
    shares = [
        case.table.apply(lambda column: column.value_counts(normalize=True).iloc[0]).median()
        for case in drawn(study, "e")
    ]
    assert np.median(shares) > 0.85


def test_gaussians_are_those_of_the_slow_loop(study):
    rng = np.random.default_rng(1)
    order, weights = rng.permutation(6), np.zeros((6, 6))
    for place, v in enumerate(order):
        weights[order[:place], v] = rng.normal(size=place)
    noise = rng.normal(size=(6, 10))
    wanted = np.zeros_like(noise)
    for v in order:
        wanted[v] = noise[v] + weights[:, v] @ wanted
    assert np.allclose(study.gaussian_values(weights, noise), wanted)


def test_bins_are_equally_full(study):
    rng = np.random.default_rng(2)
    for codes in study.binned(rng.normal(size=(20, 600)), rng):
        counts = np.bincount(codes)
        assert 2 <= len(counts) <= 5
        assert np.ptp(counts) <= 2


def test_gaussian_blocks_join_no_variable_twice(study):
    for case in drawn(study, "h2"):
        n = len(case.graph)
        assert case.skeleton.sum(axis=0).max() == 1
        assert case.graph.sum() == n // 2


def test_only_pairs_between_groups_are_judged(study):
    """Columns of one class are not judged; there are at least two groups, and they are disjoint."""
    for case in drawn(study, "i"):
        varies = (case.table.nunique() > 1).to_numpy()
        same = ~case.judged[np.ix_(varies, varies)]
        assert np.array_equal(same, same @ same)  # an equivalence relation
        assert not same.all()
        assert not case.graph.any()
