"""Large tables, read column by column: the same codes, notes and errors as read at once."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import lsbn.data.stored as stored
from lsbn.data import DataError, Dataset
from lsbn.data.check import check_file
from lsbn.data.ingest import file_columns
from lsbn.data.options import TableOptions
from lsbn.data.talltext import BlockColumns
from lsbn.data.textfile import combined

ROWS, LEVELS = 60, ["low", "high"]


@pytest.fixture
def path(tmp_path):
    """Columns of all kinds, some with missing values, a stored index, several row groups."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "fraction": rng.normal(size=ROWS),
            "hole": np.where(np.arange(ROWS) % 9 == 4, np.nan, rng.normal(size=ROWS)),
            "whole": rng.integers(0, 4, ROWS),
            "text": pd.Series(rng.choice(["b", "a", None], ROWS)),
            "flag": rng.random(ROWS) < 0.5,
            "level": pd.Categorical(
                rng.choice(["low", "high"], ROWS), ["low", "high"], ordered=True
            ),
            "when": pd.date_range("2020-01-01", periods=ROWS, freq="W"),
            "mark": rng.choice(["1", "2", "?"], ROWS),
            "count": np.arange(ROWS),
        },
        index=pd.Index(np.arange(ROWS) + 5, name="row"),
    )
    table.to_parquet(tmp_path / "t.parquet", row_group_size=17)
    return tmp_path / "t.parquet"


@pytest.fixture
def by_column(monkeypatch):
    """Switch: read every table column by column."""
    return lambda: (monkeypatch.setattr(stored, "LARGE", 0), monkeypatch.setattr(stored, "TALL", 0))


def same(one, other):
    assert (one.names, one.states, one.notes) == (other.names, other.states, other.notes)
    assert one.cuts == other.cuts
    assert one.codes.dtype == other.codes.dtype
    assert np.array_equal(one.codes, other.codes)


@pytest.mark.parametrize(
    "options",
    [
        {"missing": "drop"},
        {"missing": "state", "bins": 3},
        {"missing": "drop", "drop": "hole,when", "na": "?,2"},
        {"missing": "state", "keep": "text,hole,mark", "discretize": "uniform:2"},
        {"missing": "drop", "discretize": "kmeans,when=month", "bins": 2},
    ],
)
def test_same_codes_and_notes(path, by_column, options):
    options = {"discretize": "quantile", "max_states": 100, **options}
    expected = Dataset.read(path, **options)
    by_column()
    columns, _ = file_columns(path, TableOptions())
    assert all(isinstance(column, stored.StoredColumn) for column in columns)
    same(Dataset.read(path, **options), expected)


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
@pytest.mark.parametrize("few", [255, 20])
def test_text_is_coded_block_by_block(tmp_path, path, by_column, monkeypatch, name, few):
    """Blocks have 64 lines or more, and the table has 240."""
    monkeypatch.setattr("lsbn.data.textfile._LEAST_BLOCK", 1)
    monkeypatch.setattr("lsbn.data.talltext._FEW", few)
    table = pd.concat([pd.read_parquet(path)] * 4, ignore_index=True)
    table["text"] = table["text"].str.replace("b", 'b\n"c",')
    table.iloc[:, :8].to_csv(tmp_path / name, index_label="")
    options = {"discretize": "quantile", "max_states": 100, "missing": "state", "na": "?"}
    expected = Dataset.read(tmp_path / name, **options)
    by_column()
    columns, _ = file_columns(tmp_path / name, TableOptions())
    assert all(isinstance(column, stored.StoredColumn) for column in columns)
    same(Dataset.read(tmp_path / name, **options), expected)


def test_a_ragged_row_of_a_tall_file_is_named(tmp_path, by_column):
    (tmp_path / "t.csv").write_text("a,b\n" + "1,2\n" * 300 + "1,2,3\n")
    by_column()
    with pytest.raises(DataError, match=r"row 301 \(line 302\) has 3"):
        Dataset.read(tmp_path / "t.csv")


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(st.sampled_from(["", "a", "b", "c", "d", None]), min_size=1), min_size=1))
def test_blocks_join_like_chunks_of_arrow(blocks):
    chunks = [pa.array(block, pa.string()).dictionary_encode() for block in blocks]
    for few in (255, 2):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("lsbn.data.talltext._FEW", few)
            columns = BlockColumns(1)
            for chunk in chunks:
                columns.add([chunk])
        found = columns.column(0)
        assert found.to_pylist() == [value for block in blocks for value in block]
        assert (
            found.dictionary.to_pylist()
            == combined(pa.chunked_array(chunks)).dictionary.to_pylist()
        )
        assert columns.num_rows == len(found)


def test_same_errors_and_cure(path, by_column):
    with pytest.raises(DataError) as expected:
        Dataset.read(path)
    report = check_file(path, TableOptions())
    by_column()
    with pytest.raises(DataError) as found:
        Dataset.read(path)
    assert str(found.value) == str(expected.value)
    assert check_file(path, TableOptions()) == report


def test_only_one_column_is_in_memory(path, by_column, monkeypatch):
    by_column()
    columns, _ = file_columns(path, TableOptions())
    assert not any(
        isinstance(v, np.ndarray) and k != "missing" for c in columns for k, v in vars(c).items()
    )
    read = []
    real = stored.ParquetColumns.column
    monkeypatch.setattr(
        stored.ParquetColumns, "column", lambda self, place: read.append(place) or real(self, place)
    )
    for _ in range(3):
        columns[0].values, columns[0].continuous, columns[0].present
    assert read == [0]


def test_nested_columns_are_refused_as_before(tmp_path, by_column):
    table = pa.table({"a": [1, 2, 1], "b": [[1], [2], [3]], "c": [{"x": 1}] * 3})
    pq.write_table(table, tmp_path / "t.parquet")
    by_column()
    with pytest.raises(DataError, match=r"not single states in 'b' .*'c' "):
        Dataset.read(tmp_path / "t.parquet")


def test_a_damaged_column_is_named(path, by_column):
    by_column()
    data = bytearray(path.read_bytes())
    data[4:2000] = bytes(1996)
    path.write_bytes(data)
    with pytest.raises(DataError, match=r"t\.parquet: column 'fraction' is not readable"):
        Dataset.read(path)


def test_sparse_matrices(by_column):
    rng = np.random.default_rng(1)
    dense = rng.poisson(0.4, (80, 6)).astype(np.float32)
    names = [f"g{i}" for i in range(6)]
    cells = SimpleNamespace(X=sparse.csr_array(dense), var_names=names, obs_names=range(80))
    expected = Dataset.from_table(dense, names=names)
    by_column()
    same(Dataset.from_table(cells), expected)


def test_what_is_large():
    assert stored.is_large(1_000_000, 20)
    assert not stored.is_large(200, 100_000)
    assert not stored.is_large(100_000, 3)
