"""AnnData: its matrix, dense, sparse or in a file; without the package, an object like it."""

import sys
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from cli.cases import run
from lsbn import LSBN
from lsbn.data import DataError, Dataset


@dataclass
class Cells:
    """What lsbn uses of AnnData."""

    X: Any
    var_names: Any

    @property
    def obs_names(self):
        return pd.Index([f"cell{i}" for i in range(self.X.shape[0])])


GENES = ["CD3E", "MS4A1", "NKG7"]


@pytest.fixture
def counts():
    rng = np.random.default_rng(0)
    first = rng.poisson(0.7, 300)
    return np.stack([first, rng.poisson(0.5 + first), rng.poisson(0.3, 300)], axis=1)


def same(one, other):
    assert one.names == other.names
    assert one.states == other.states
    assert np.array_equal(one.codes, other.codes)


def frame_of(counts, **options):
    return Dataset.from_table(pd.DataFrame(counts, columns=GENES), **options)


def test_dense(counts):
    same(Dataset.from_table(Cells(counts, GENES)), frame_of(counts))


@pytest.mark.parametrize(
    "kind", [sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array, sparse.coo_array]
)
@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_sparse(counts, kind, dtype):
    cells = Cells(kind(counts.astype(dtype)), pd.Index(GENES))
    same(Dataset.from_table(cells), frame_of(counts))


def test_cuts_missing_values_and_columns_as_for_other_tables(counts):
    logs = np.log1p(counts).astype(np.float32)
    logs[3, 1] = np.nan
    options = {"discretize": "quantile", "bins": 2, "missing": "state", "drop": "NKG7"}
    expected = frame_of(logs, **options)
    for matrix in (logs, sparse.csr_array(logs)):
        same(Dataset.from_table(Cells(matrix, GENES), **options), expected)
    with pytest.raises(DataError, match=r"continuous values in 2 column\(s\): 'CD3E', 'NKG7'"):
        Dataset.from_table(Cells(sparse.csr_array(logs), GENES), missing="state", drop="MS4A1")
    with pytest.raises(DataError, match="duplicate column names"):
        Dataset.from_table(Cells(logs, ["a", "a", "b"]))


def test_repeated_entries_of_a_sparse_matrix_are_added():
    matrix = sparse.coo_array(([1, 2, 5], ([0, 0, 1], [0, 0, 1])), shape=(2, 2)).tocsr(copy=False)
    assert Dataset.from_table(Cells(matrix, ["a", "b"])).states == (("0", "3"), ("0", "5"))


def test_no_matrix():
    cells = SimpleNamespace(X=None, var_names=GENES, obs_names=["cell"])
    with pytest.raises(DataError, match=r"no matrix X; choose one.*layers"):
        Dataset.from_table(cells)


def test_fit_and_predict(counts):
    cells = Cells(sparse.csr_matrix(np.minimum(counts, 3)), GENES)
    model = LSBN(random_state=0).fit(cells)
    assert model.feature_names_in_.tolist() == GENES
    assert model.probability("CD3E", "MS4A1", how="adjacent") > 0.9
    assert len(model.predict(cells, "MS4A1")) == 300
    assert np.isfinite(model.log_likelihood(cells)).all()


def test_a_file_without_the_package_names_the_cure(tmp_path, monkeypatch, capsys):
    (tmp_path / "cells.h5ad").write_bytes(b"not read")
    monkeypatch.setitem(sys.modules, "anndata", None)
    assert run("learn", tmp_path / "cells.h5ad", "-o", tmp_path / "run") == 2
    assert "pip install 'lsbn[anndata]'" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore")
def test_real_anndata_and_its_files(counts, tmp_path, capsys):
    anndata = pytest.importorskip("anndata", reason="pip install anndata to test it")
    cells = anndata.AnnData(sparse.csr_matrix(counts.astype(np.float32)))
    cells.var_names = GENES
    expected = frame_of(counts)
    same(Dataset.from_table(cells), expected)
    same(Dataset.from_table(cells[:, GENES[::-1]]).select(GENES), expected)
    with anndata.settings.override(allow_write_nullable_strings=True):
        cells.write_h5ad(tmp_path / "cells.h5ad")
    same(Dataset.read(tmp_path / "cells.h5ad"), expected)
    same(Dataset.from_table(anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")), expected)
    assert run("check", tmp_path / "cells.h5ad") == 0
    assert "CD3E" in capsys.readouterr().out
    (tmp_path / "bad.h5ad").write_bytes(b"no HDF5 file")
    with pytest.raises(DataError, match=r"bad\.h5ad: not a readable \.h5ad file"):
        Dataset.read(tmp_path / "bad.h5ad")
