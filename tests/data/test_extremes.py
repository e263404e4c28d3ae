"""Values that once became wrong codes without a word, or raw errors."""

import gzip

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lsbn.data.memory
import lsbn.data.textfile
from data_cases import frame
from lsbn.data import DataError, Dataset

HALF = [0, 1] * 50
CUTS = ["quantile", "uniform", "kmeans"]


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize(
    ("start", "dtype"), [(2**53, "i8"), (-(2**63), "i8"), (2**63, "u8"), (2**64 - 100, "u8")]
)
def test_large_whole_numbers_are_cut_exactly(cut, start, dtype):
    values = np.array([start + i for i in range(100)], dtype=dtype)
    data = Dataset.from_table(frame(a=values, b=HALF), discretize=cut, bins=4)
    assert data.cards.tolist() == [4, 2]
    assert set(np.bincount(data.codes[0])) <= {24, 25, 26}
    assert (np.diff(data.codes[0].astype(int)) >= 0).all()
    assert data.states[0][0].startswith(f"[{start}, ")
    assert data.states[0][-1].endswith(f", {start + 99}]")


@pytest.mark.parametrize("cut", CUTS)
def test_the_whole_range_of_64_bits(cut):
    ends = np.array([-(2**63), -1, 0, 1, 2, 2**63 - 1], dtype="i8")
    data = Dataset.from_table(frame(a=ends, b=[0, 1] * 3), discretize=cut, bins=3)
    assert (np.diff(data.codes[0].astype(int)) >= 0).all()
    assert data.codes[0][0] == 0
    assert data.codes[0][-1] == data.cards[0] - 1 > 0


@pytest.mark.parametrize("cut", CUTS)
def test_the_first_and_the_last_time(cut):
    times = [pd.Timestamp.min, pd.Timestamp("2020"), pd.Timestamp("2021"), pd.Timestamp.max]
    lengths = [pd.Timedelta.min, pd.Timedelta(1), pd.Timedelta(2), pd.Timedelta.max]
    table = frame(a=times, b=lengths, c=[0, 1, 0, 1])
    data = Dataset.from_table(table, discretize=cut, bins=2)
    for codes in data.codes[:2].astype(int):
        assert (np.diff(codes) >= 0).all()
        assert codes[-1] > codes[0]
    assert data.states[0][0].startswith("[1677-09-21")
    assert data.states[0][-1].endswith("2262-04-11]")


def test_times_are_labelled_in_their_time_zone():
    hours = pd.date_range("2020-01-01 10:00", periods=4, freq="h", tz="Asia/Tokyo")
    data = Dataset.from_table(frame(a=hours, b=[0, 1, 0, 1]), discretize="quantile", bins=2)
    assert data.states[0][0] == "[2020-01-01T10:00, 2020-01-01T11:00]"
    assert any("'a' (Asia/Tokyo)" in note for note in data.notes)
    twice = pd.date_range("2020-10-25", periods=6, freq="h", tz="UTC").tz_convert("Europe/Paris")
    data = Dataset.from_table(frame(a=twice, b=[0, 1] * 3), discretize="a=states")
    assert len(set(data.states[0])) == 6
    assert data.states[0][0] == "2020-10-25T00:00Z"


def test_a_dictionary_with_nan_has_a_missing_value():
    values = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2, 0]), pa.array([1.0, float("nan"), 2.0])
    )
    arrow = pa.table({"a": values, "b": [0, 1, 0, 1]})
    pandas = frame(a=pd.array(values, dtype=pd.ArrowDtype(values.type)), b=[0, 1, 0, 1])
    for table in (arrow, pandas):
        with pytest.raises(DataError, match=r"missing values in 1 column\(s\): 'a' \(1\)"):
            Dataset.from_table(table)
        assert Dataset.from_table(table, missing="state").states[0] == ("1", "2", "(missing)")


def test_arrow_dictionaries_of_pandas():
    kind = pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))
    table = frame(a=pd.Series(["x", "y", "x"], dtype=kind), b=[0, 1, 0])
    assert Dataset.from_table(table).states[0] == ("x", "y")


def test_integers_of_more_than_64_bits_are_states():
    long = [2**63, 2**64 + 1, 1, 2**70]
    expected = tuple(map(str, sorted(long)))
    tables = [
        frame(a=pd.Series(long, dtype=object), b=[0, 1, 0, 1]),
        np.array([long, [0, 1, 0, 1]], dtype=object).T,
        pl.DataFrame({"a": pl.Series(long, dtype=pl.Int128), "b": [0, 1, 0, 1]}),
        pa.table({"a": pa.array(long, pa.decimal128(30, 0)), "b": [0, 1, 0, 1]}),
    ]
    for table in tables:
        data = Dataset.from_table(table)
        assert data.states[0] == expected
        assert list(data.codes[0]) == [1, 2, 0, 3]


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(["\ud800", "x"], dtype=object),
        pd.Series(["\ud800", 1], dtype=object),
    ],
)
def test_text_that_is_not_unicode_is_named(values):
    table = pd.DataFrame({"bad": values, "ok": [0, 1]})
    with pytest.raises(DataError, match="not Unicode in column 'bad'"):
        Dataset.from_table(table)
    assert Dataset.from_table(table.assign(c=[1, 2]), drop="bad").names == ("ok", "c")
    array = np.array([["\ud800", "x"], ["0", "1"]])
    with pytest.raises(DataError, match="not Unicode in column 'x0'"):
        Dataset.from_table(array.T)


def test_names_that_are_not_unicode_are_refused():
    names = pd.Index(["a\ud800", "b"], dtype=object)
    with pytest.raises(DataError, match=r"not Unicode text: 'a\\ud800'"):
        Dataset.from_table(pd.DataFrame(np.zeros((3, 2)), columns=names))


def test_a_file_that_grows_when_it_is_unpacked(tmp_path, monkeypatch):
    with gzip.open(tmp_path / "bomb.csv.gz", "wb") as file:
        file.write(b"a,b\n" + b"1,2\n" * 1_000_000)
    pq.write_table(pa.table({"a": np.zeros(10**6), "b": np.ones(10**6)}), tmp_path / "b.parquet")
    assert Dataset.read(tmp_path / "bomb.csv.gz").n_rows == 1_000_000
    monkeypatch.setattr(lsbn.data.openfile, "_PLAUSIBLE", 1000)
    with pytest.raises(DataError, match="unpacks to more than 250 times its size"):
        Dataset.read(tmp_path / "bomb.csv.gz")
    for module in (lsbn.data.memory, lsbn.data.openfile):
        monkeypatch.setattr(module, "available_memory", lambda: 1 << 24)
    for name in ("bomb.csv.gz", "b.parquet"):
        with pytest.raises(DataError, match=r"cells need about .* GB of memory"):
            Dataset.read(tmp_path / name)


def test_one_endless_line(tmp_path):
    with gzip.open(tmp_path / "line.csv.gz", "wb") as file:
        file.write(b"a" * 50_000_000)
    with pytest.raises(DataError, match="line"):
        Dataset.read(tmp_path / "line.csv.gz")


@pytest.mark.parametrize(
    "metadata", [b"[]", b"null", b"not json", b"{" * 5000, b'{"index_columns": 3}']
)
def test_parquet_with_odd_metadata_of_pandas(tmp_path, metadata):
    table = pa.table({"a": [1, 2], "b": [1, 2]}).replace_schema_metadata({b"pandas": metadata})
    pq.write_table(table, tmp_path / "t.parquet")
    assert Dataset.read(tmp_path / "t.parquet").names == ("a", "b")


def test_numbers_of_thousands_of_digits_are_labels(tmp_path):
    (tmp_path / "t.csv").write_text(f"a,b\n{'9' * 5000},1\n1,2\n{'8' * 5000},1\n")
    assert Dataset.read(tmp_path / "t.csv").cards.tolist() == [3, 2]


def test_packed_spaces_are_counted_too(tmp_path, monkeypatch):
    with gzip.open(tmp_path / "bomb.txt.gz", "wb") as file:
        file.write(b"a b\n" + b"1 2\n" * 100_000)
    assert Dataset.read(tmp_path / "bomb.txt.gz").n_rows == 100_000
    monkeypatch.setattr(lsbn.data.openfile, "_PLAUSIBLE", 1000)
    with pytest.raises(DataError, match="unpacks to more than 250 times its size"):
        Dataset.read(tmp_path / "bomb.txt.gz")


def test_long_lines_and_many_columns(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n" + "1,2,3\n" * 3)
    monkeypatch.setattr(lsbn.data.textfile, "_MOST_COLUMNS", 1)
    with pytest.raises(DataError, match=r"more than 1 columns \(3\)"):
        Dataset.read(path)
    monkeypatch.setattr(lsbn.data.textlayout, "_LONGEST_LINE", 6)
    with pytest.raises(DataError, match="line 1 has more than 6 characters"):
        Dataset.read(path)
