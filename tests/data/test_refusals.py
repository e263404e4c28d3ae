"""A clear error for every unusable table."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data_cases import frame
from lsbn.data import DataError, Dataset


def test_too_many_states():
    table = frame(id=[f"p{i}" for i in range(70)], n=np.arange(70), ok=np.arange(70) % 64)
    with pytest.raises(DataError, match=r"2 column.*'id' \(70 states\), 'n' \(70.*max_states"):
        Dataset.from_table(table)
    with pytest.raises(DataError, match=r"1 column.*'id' \(70 states\)"):
        Dataset.from_table(table, discretize="quantile")
    assert list(Dataset.from_table(table, max_states=70).cards) == [70, 70, 64]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["a", "b", "a"], r"duplicate column names: 'a' \(columns 1, 3\)"),
        ([1, "x", "1"], r"duplicate column names: '1' \(columns 1, 3\)"),
        (["a", "", "b"], r"empty name for column number 2"),
        ([None, "  ", "b"], r"empty name for column number 1, 2"),
        (["a", float("nan"), "b"], r"empty name for column number 2"),
    ],
)
def test_bad_names(columns, message, tmp_path):
    table = pd.DataFrame([[1, 2, 3], [4, 5, 6]], columns=pd.Index(columns, dtype=object))
    with pytest.raises(DataError, match=message):
        Dataset.from_table(table)
    table.to_csv(tmp_path / "n.csv", index=False)
    with pytest.raises(DataError, match=message):
        Dataset.read(tmp_path / "n.csv")
    assert Dataset.from_table(table, names=["p", "q", "r"]).names == ("p", "q", "r")
    assert Dataset.read(tmp_path / "n.csv", names=["p", "q", "r"]).names == ("p", "q", "r")


def test_names_from_other_types_and_wrong_number(tmp_path):
    table = pd.DataFrame([[1, 2], [3, 4]], columns=[10, 11])
    assert Dataset.from_table(table).names == ("10", "11")
    with pytest.raises(DataError, match="3 entries for 2 columns"):
        Dataset.from_table(table, names=["a", "b", "c"])
    twin = pa.table([pa.array([1, 2]), pa.array([3, 4])], names=["a", "a"])
    pq.write_table(twin, tmp_path / "twin.parquet")
    for make in (
        lambda: Dataset.from_table(twin),
        lambda: Dataset.read(tmp_path / "twin.parquet"),
    ):
        with pytest.raises(DataError, match="duplicate column names: 'a'"):
            make()


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pd.DataFrame(), "no columns"),
        (pd.DataFrame(index=[0, 1]), "no columns"),
        (pd.DataFrame({"a": [], "b": []}), "no rows"),
        (pd.DataFrame({"a": [1, 2]}), "a single column"),
        (pd.DataFrame({"a": [1], "b": [2]}), "a single row"),
        (pl.DataFrame(), "no columns"),
        (np.zeros((0, 3)), "no rows"),
        (np.zeros((3, 0)), "no columns"),
        (np.zeros(3), "1-D array"),
        (np.zeros((2, 2), complex), "complex"),
        ([[1, 2], [3, 4]], "cannot read a list"),
        ({"a": [1]}, "cannot read a dict"),
        (None, "cannot read a NoneType"),
        (pd.Series([1, 2]), "cannot read a Series"),
    ],
)
def test_tables_with_nothing_to_learn(table, message):
    with pytest.raises(DataError, match=message):
        Dataset.from_table(table)


@pytest.mark.parametrize("cell", [[1], {"k": 1}, {1, 2}, (1, 2), np.arange(2), b"raw", 1j])
def test_nested_values_are_named(cell):
    table = frame(ok=[1, 2], bad=pd.Series([cell, cell], dtype=object))
    with pytest.raises(DataError, match="not single states in 'bad'"):
        Dataset.from_table(table)
    mixed = frame(ok=[1, 2, 3], bad=pd.Series([cell, "text", 1], dtype=object))
    if not isinstance(cell, bytes):
        with pytest.raises(DataError, match="not single states in 'bad'"):
            Dataset.from_table(mixed)


def test_nested_polars():
    with pytest.raises(DataError, match=r"not single states in 'l' .*, 's'"):
        Dataset.from_table(pl.DataFrame({"l": [[1], [2]], "s": [{"a": 1}, {"a": 2}], "k": [1, 2]}))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"discretize": "deciles"}, "discretize is 'deciles'"),
        ({"missing": "ignore"}, "missing is 'ignore'"),
        ({"bins": 1}, "bins is 1"),
        ({"bins": 100}, "bins is 100"),
        ({"bins": 2.5}, "bins is 2.5; use a whole number from 2 to max_states"),
        ({"max_states": 70_000}, "max_states is 70000"),
        ({"max_states": 1}, "max_states is 1"),
        ({"max_states": "64"}, "max_states is '64'; use a whole number from 2 to 4096"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(DataError, match=message):
        Dataset.from_table(frame(a=[1, 2], b=[1, 2]), **options)


def test_a_repeated_name_can_be_left_out(tmp_path):
    table = pd.DataFrame([[1, 2, 3, 1], [4, 5, 6, 1]], columns=["a", "b", "a", "c"])
    table.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(DataError, match=r"'a' \(columns 1, 3\); .* leave out all .* \(--drop\)"):
        Dataset.read(tmp_path / "t.csv")
    for options in ({"drop": "a"}, {"keep": "b,c"}):
        assert Dataset.read(tmp_path / "t.csv", **options).names == ("b", "c")
        assert Dataset.from_table(table, **options).names == ("b", "c")
