from itertools import product

import numpy as np
import pandas as pd
import pytest

from experiment_cases import load_experiment

KEYS = ("a", "b", "c", "d", "e", "f", "g", "h1", "h2", "i", "j")
NETWORKS = ("a", "b", "c", "d", "e", "f", "g")


@pytest.fixture(scope="module")
def study():
    return load_experiment("wider_calibration")


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


@pytest.mark.parametrize(("above", "r"), [((2,), 2), ((2, 2), 2), ((3, 2, 4), 3)])
def test_every_parent_of_a_noisy_function_matters(study, above, r):
    rng = np.random.default_rng(0)
    for _ in range(50):
        table = study.function_table(above, r, rng)
        assert np.allclose(table.sum(axis=1), 1)
        assert ((table.max(axis=1) >= 0.95) & (table.max(axis=1) <= 0.99)).all()
        value = dict(zip(product(*map(range, above)), table.argmax(axis=1), strict=True))
        for a in range(len(above)):
            rest = {}
            for parents, result in value.items():
                rest.setdefault(parents[:a] + parents[a + 1 :], set()).add(result)
            assert max(map(len, rest.values())) > 1


def test_skewed_margins_have_one_common_state(study):
    shares = [
        case.table.apply(lambda column: column.value_counts(normalize=True).iloc[0]).median()
        for case in drawn(study, "e")
    ]
    assert np.median(shares) > 0.85


def test_sparse_tables_have_most_of_a_row_on_one_state(study):
    table = study.dirichlet_table((50, 40), 3, np.random.default_rng(0), 0.1)
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


def test_judged_pairs_keep_direction_and_leave_out_the_rest(study):
    case = study.make_case(
        codes=np.array([[0, 1, 1], [0, 0, 1], [2, 2, 2], [1, 0, 1]]),
        graph=np.array([[0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0]], bool),
    )
    pairs = study.judged_pairs(case, np.arange(16).reshape(4, 4) / 100)
    assert pairs.forward.tolist() == [0.01, 0.03, 0.07]  # (0, 1), (0, 3), (1, 3)
    assert pairs.backward.tolist() == [0.04, 0.12, 0.13]
    assert pairs.relation.tolist() == [study.BACKWARD, study.NONE, study.NONE]


def simulated(rng, tables, pairs, dependence):
    """Calibrated probabilities; the pairs of one table are more or less dependent."""
    p = rng.beta(0.5, 1.5, size=(tables, pairs))
    alone = rng.random((tables, pairs)) > dependence
    u = np.where(alone, rng.random((tables, pairs)), rng.random((tables, 1)))
    return p.ravel(), (u < p).ravel(), np.repeat(np.arange(tables), pairs)


@pytest.mark.parametrize("dependence", [0.0, 0.5, 1.0])
def test_a_calibrated_learner_seldom_exceeds_the_limit(study, dependence):
    rng = np.random.default_rng(5)
    beyond = 0
    for _ in range(60):
        p, truth, table = simulated(rng, 20, 30, dependence)
        limit = study.chance_limit(p, truth, table, repeats=100)
        beyond += study.calibration_error(p, truth) > limit
    assert beyond <= 12


def test_an_overconfident_learner_exceeds_the_limit(study):
    """Also if the error is in one table, in which fifty sure edges are false."""
    rng = np.random.default_rng(6)
    p, truth, table = simulated(rng, 40, 50, 0.5)
    doubled = study.Figures.of((np.minimum(2 * p, 1), truth, table), 0.01)
    assert doubled.verdict == "above"
    p[:50], truth[:50] = 0.999, False
    sure = p >= 0.99
    assert study.Figures.of((p[sure], truth[sure], table[sure]), 0.01).verdict == "above"


def test_the_page_names_the_cells_above_the_bound(study):
    """A learner that is sure of the truth is within the bound; one that joins all pairs is not."""
    graphs = {
        tuple(case.table.iloc[0]): case.graph.astype(float)
        for key in ("f", "h1", "j")
        for case in drawn(study, key, 8)
    }
    right = [study.run_cell(key, 8, 1, lambda t, _: graphs[tuple(t.iloc[0])]) for key in ("f", "j")]
    wrong = study.run_cell("h1", 8, 1, lambda t, _: np.triu(np.ones((t.shape[1],) * 2), 1))
    text = " ".join(study.page([*right, wrong], "--networks 8")).replace("  ", " ")
    assert "Cells above it: h1." in text
    assert study.REASONS["h1"] in text
    perfect, noise, joined = (result.pairs for result in (*right, wrong))
    assert f"| f | {len(perfect.relation):,} | {perfect.skeleton[1].sum():,} |" in text
    assert f"| j | {len(noise.relation):,} | 0 | 0.0 | 0.0 | 0.0000 (0.0000) | 0 |" in text
    false = len(joined.relation) - joined.skeleton[1].sum()
    assert f"| {len(joined.relation):,}.0 | {false:,}.0 |" in text


def test_the_default_learner_gives_probabilities_for_a_case(study):
    case, seed = study.draw_cell("f", 1, 1)[0]
    matrix = study.learn(case.table.iloc[:, :5], seed)
    assert matrix.shape == (5, 5)
    assert ((matrix >= 0) & (matrix + matrix.T <= 1 + 1e-9)).all()


def test_missed_edges_are_counted_with_their_reason(study):
    """One edge is strong, one has no effect, one has a family that is too large."""
    rng = np.random.default_rng(0)
    a, weak, b = rng.integers(2, size=(3, 60))
    many = rng.integers(40, size=(2, 60))
    table = pd.DataFrame({"a": a, "w": weak, "b": b, "c": a ^ (rng.random(60) < 0.02)})
    table = table.assign(m=many[0], k=many[1]).astype(str)
    graph = np.zeros((6, 6), bool)
    graph[0, 3] = graph[1, 2] = graph[4, 5] = True
    case = study.Case(table, graph, ~np.eye(6, dtype=bool), True)
    assert study.missed(case, np.zeros((6, 6))).tolist() == [3, 1, 1]
    assert study.missed(case, graph.astype(float)).tolist() == [0, 0, 0]
