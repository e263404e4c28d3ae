import numpy as np
import pytest

from experiment_cases import load_experiment


@pytest.fixture(scope="module")
def study():
    return load_experiment("parts.real_tables")


def test_quantile_bins(study):
    assert study.quantile_bins(np.arange(9), 3).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert study.quantile_bins(np.array([0, 0, 0, 0, 5, 9]), 3).tolist() == [0, 0, 0, 0, 1, 1]
    assert study.quantile_bins(np.array([1, 9, 9, 9, 9, 9]), 3).tolist() == [0, 1, 1, 1, 1, 1]
    assert study.quantile_bins(np.full(5, 7), 3).max() <= 1


def test_tables_of_scikit_learn(study):
    found = study.sklearn_tables()
    shapes = {name: table.shape for name, table in found.items()}
    assert shapes == {
        "iris": (150, 5),
        "wine": (178, 14),
        "breast_cancer": (569, 31),
        "diabetes": (442, 11),
        "digits": (1797, 65),
    }
    for name, table in found.items():
        assert all(isinstance(value, str) for value in table.to_numpy().ravel())
        assert table.nunique().max() == (10 if name == "digits" else 3)


def test_missing_packages_are_left_out_with_a_reason(study, monkeypatch, capsys):
    monkeypatch.setattr(study, "find_spec", lambda name: None)
    assert study.statsmodels_tables() == {}
    assert "statsmodels is not installed" in capsys.readouterr().err
