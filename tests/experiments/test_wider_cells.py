from itertools import product

import numpy as np
import pytest

from experiment_cases import load_experiment


@pytest.fixture(scope="module")
def study():
    return load_experiment("parts.wider_cells")


@pytest.fixture(scope="module")
def cases():
    return load_experiment("parts.wider_cases")


@pytest.fixture(scope="module")
def results():
    return load_experiment("parts.wider_results")


KEYS = ("a", "b", "c", "d", "e", "f", "g", "h1", "h2", "i", "j")
NETWORKS = ("a", "b", "c", "d", "e", "f", "g")


@pytest.fixture
def drawn(results):
    def draw(key, count=20, seed=1):
        return [case for case, _ in results.draw_cell(key, count, seed)]

    return draw


def test_all_cells_are_tried_below(study):
    assert tuple(study.CELLS) == KEYS


@pytest.mark.parametrize("key", KEYS)
def test_a_case_fits_together(drawn, key):
    for case in drawn(key):
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
def test_a_case_depends_on_its_seed_only(drawn, key):
    few, many, other = (drawn(key, count, seed)[0] for count, seed in ((1, 3), (2, 3), (1, 4)))
    assert few.table.equals(many.table)
    assert np.array_equal(few.graph, many.graph)
    assert not few.table.equals(other.table)


@pytest.mark.parametrize(("key", "most", "mean"), [("a", 6, 1.5), ("b", 3, 1.25)])
def test_networks_are_sparse_and_have_the_parents_they_may(drawn, key, most, mean):
    graphs = [case.graph for case in drawn(key, 60)]
    assert max(graph.sum(axis=0).max() for graph in graphs) == most
    edges, variables = sum(g.sum() for g in graphs), sum(map(len, graphs))
    assert edges / variables == pytest.approx(mean, abs=0.15)


@pytest.mark.parametrize(("key", "most"), [("a", 4), ("b", 8), ("h1", 5), ("i", 4), ("j", 10)])
def test_numbers_of_states(drawn, key, most):
    assert max(case.table.nunique().max() for case in drawn(key)) == most


@pytest.mark.parametrize(("above", "r"), [((2,), 2), ((2, 2), 2), ((3, 2, 4), 3)])
def test_every_parent_of_a_noisy_function_matters(cases, above, r):
    rng = np.random.default_rng(0)
    for _ in range(50):
        table = cases.function_table(above, r, rng)
        assert np.allclose(table.sum(axis=1), 1)
        assert ((table.max(axis=1) >= 0.95) & (table.max(axis=1) <= 0.99)).all()
        value = dict(zip(product(*map(range, above)), table.argmax(axis=1), strict=True))
        for a in range(len(above)):
            rest = {}
            for parents, result in value.items():
                rest.setdefault(parents[:a] + parents[a + 1 :], set()).add(result)
            assert max(map(len, rest.values())) > 1


def test_skewed_margins_have_one_common_state(drawn):
    shares = [
        case.table.apply(lambda column: column.value_counts(normalize=True).iloc[0]).median()
        for case in drawn("e")
    ]
    assert np.median(shares) > 0.85


def test_sparse_tables_have_most_of_a_row_on_one_state(cases):
    table = cases.dirichlet_table((50, 40), 3, np.random.default_rng(0), 0.1)
    assert table.shape == (2000, 3)
    assert np.median(table.max(axis=1)) > 0.95
    assert table.mean(axis=0) == pytest.approx(1 / 3, abs=0.05)


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


def test_gaussian_blocks_join_no_variable_twice(drawn):
    for case in drawn("h2"):
        n = len(case.graph)
        assert case.skeleton.sum(axis=0).max() == 1
        assert case.graph.sum() == n // 2


def test_only_pairs_between_groups_are_judged(drawn):
    """Columns of one class are not judged; groups are disjoint, and there are two at least."""
    for case in drawn("i"):
        varies = (case.table.nunique() > 1).to_numpy()
        same = ~case.judged[np.ix_(varies, varies)]
        assert np.array_equal(same, same @ same)  # an equivalence relation
        assert not same.all()
        assert not case.graph.any()


def test_pairs_with_a_constant_column_are_not_judged(cases):
    codes = np.array([[0, 1, 1], [0, 0, 1], [2, 2, 2], [1, 0, 1]])
    case = cases.make_case(codes, np.zeros((4, 4), bool))
    assert np.argwhere(np.triu(case.judged)).tolist() == [[0, 1], [0, 3], [1, 3]]
