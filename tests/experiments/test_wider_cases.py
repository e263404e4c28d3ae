from itertools import product

import numpy as np
import pytest

from experiment_cases import load_experiment


@pytest.fixture(scope="module")
def study():
    return load_experiment("parts.wider_cases")


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


def test_sparse_tables_have_most_of_a_row_on_one_state(study):
    table = study.dirichlet_table((50, 40), 3, np.random.default_rng(0), 0.1)
    assert table.shape == (2000, 3)
    assert np.median(table.max(axis=1)) > 0.95
    assert table.mean(axis=0) == pytest.approx(1 / 3, abs=0.05)


def test_pairs_with_a_constant_column_are_not_judged(study):
    codes = np.array([[0, 1, 1], [0, 0, 1], [2, 2, 2], [1, 0, 1]])
    case = study.make_case(codes, np.zeros((4, 4), bool))
    assert np.argwhere(np.triu(case.judged)).tolist() == [[0, 1], [0, 3], [1, 3]]
