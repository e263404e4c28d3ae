import numpy as np
import pandas as pd
import pytest

from experiment_cases import load_experiment
from lsbn.learners import LEARNERS


@pytest.fixture(scope="module")
def study():
    return load_experiment("noise")


def test_made_tables_have_the_shape_and_states_of_their_name(study):
    made = {name: study.Kind(name, draw) for name, draw in study._made()}
    assert len(made) >= 20
    for name, kind in made.items():
        table = kind.table(1)
        *_, shape, rows = name.split("-")
        columns, _, states = shape.partition("x")
        assert table.shape == (int(rows), int(columns))
        assert table.nunique().max() <= int(states or study.STATES[1])
        if name.startswith(("uniform", "gaussian")):
            assert set(table.nunique()) == {int(states)}


def test_same_seed_and_name_same_table(study):
    first, other = (study.Kind(name, lambda rng: rng.integers(3, size=(50, 4))) for name in "ab")
    assert first.table(1).equals(first.table(1))
    assert not first.table(1).equals(first.table(2))
    assert not first.table(1).equals(other.table(1))


def test_margins(study):
    rng = np.random.default_rng(0)
    counts = np.bincount(study.uniform(6_000, [4], rng)[:, 0])
    assert counts == pytest.approx(1_500, abs=200)
    assert np.bincount(study.gaussian(90, [3], rng)[:, 0]).tolist() == [30, 30, 30]
    assert np.ptp([np.mean(c == 0) for c in study.skewed(500, [2] * 20, rng).T]) > 0.5
    usual = np.mean(study.near_constant(5_000, [2, 5], rng) == 0, axis=0)
    assert usual == pytest.approx(1 - study.RARE, abs=0.01)


def test_mixed_numbers_of_states(study):
    codes = study.mixed(2_000, 15, study.uniform, np.random.default_rng(0))
    cards = [len(np.unique(column)) for column in codes.T]
    assert len(set(cards)) > 5
    assert min(cards) >= 2
    assert max(cards) <= 20


def test_shuffled_copies_keep_margins_and_lose_dependence(study):
    rng = np.random.default_rng(0)
    column = rng.choice(["low", "high", "top"], 2_000, p=[0.5, 0.3, 0.2])
    table = pd.DataFrame({"x": column, "copy": column, "other": rng.choice(["0", "1"], 2_000)})
    codes = study.shuffled(table, rng)
    for name, shuffled in zip(table, codes.T, strict=True):
        assert sorted(shuffled) == sorted(table[name])
    agree = np.mean(codes[:, 0] == codes[:, 1])
    assert agree == pytest.approx(0.5**2 + 0.3**2 + 0.2**2, abs=0.06)
    assert (table["x"] == table["copy"]).all()


def test_real_tables_are_among_the_kinds(study):
    names = set(study.kinds())
    assert {"shuffled-breast_cancer", "shuffled-digits", "uniform-8x5-1000"} <= names


def test_counts_are_those_of_the_matrix(study):
    """A table with two copies of a column has one edge."""
    column = ["0", "1"] * 50
    table = pd.DataFrame({"a": column, "b": column, "c": ["0", "0", "1", "1"] * 25})
    for scope in study.SCOPES:
        found = study.measured("copies", table, "greedy", scope, 0)
        assert (found.likely, found.expected) == (1, 1.0)
        assert found.shape == ("100", "3", "2")


def test_page_sums_up_all_tables(study):
    shape = ("100", "5", "3")
    results = [
        study.Result(kind, learner, "lsbn", shape, expected, likely, 1.0, warned)
        for kind, learner, expected, likely, warned in (
            ("one", "model-averaging", 0.5, 0, True),
            ("two", "model-averaging", 2.5, 2, False),
            ("one", "pc", 0.0, 0, False),
            ("two", "pc", 0.0, 0, False),
        )
    ]
    text = study.page(results, "python experiments/noise.py")
    cells = [[c.strip() for c in line.split("|")[1:-1]] for line in text.splitlines()]
    assert ["model-averaging", "lsbn", "2", "2", "1.500", "two: 2.50", "1", "1.00"] in cells
    assert ["pc", "lsbn", "2", "0", "0.000", "none", "0", "1.00"] in cells
    assert ["two", *shape, "2.500", "2.500", "2", "1.00"] in cells
    assert "## By kind: model-averaging, lsbn" in text


def test_unknown_names_are_refused(study):
    with pytest.raises(SystemExit, match="unknown: fci; there are model-averaging"):
        study.chosen(LEARNERS, ["pc", "fci"])
