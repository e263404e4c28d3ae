"""Dataset: the same coding from every format, and a clear error for every unusable table."""

import gzip
from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsbn.data import DataError, Dataset


def assert_same(a: Dataset, b: Dataset) -> None:
    assert a.names == b.names
    assert a.states == b.states
    assert a.codes.dtype == b.codes.dtype
    np.testing.assert_array_equal(a.codes, b.codes)
    np.testing.assert_array_equal(a.cards, b.cards)


def frame(**columns):
    return pd.DataFrame(columns)


MIXED = {
    "text": ["1_1", "a", "n", "a", "1_1", "n"],
    "none": ["None", "Mild", "None", "Severe", "Mild", "None"],
    "text_int": ["10", "9", "9", "1", "10", "1"],
    "padded": ["007", "7", "07", "7", "007", "07"],
    "bool": [True, False, True, True, False, False],
    "yes": ["yes", "no", "no", "yes", "no", "yes"],
    "true": ["true", "false", "true", "true", "false", "true"],
    "TRUE": ["TRUE", "FALSE", "TRUE", "TRUE", "FALSE", "TRUE"],
    "int": [3, -1, 20, 3, 3, -1],
    "whole": [2.0, 10.0, 2.0, 1.0, 2.0, 10.0],
    "ünï": ["ß", "é", "日本", "é", "ß", "é"],
    "quoted": ["a,b", 'c"d', "e\nf", "a,b", "a,b", "e\nf"],
    "constant": ["k"] * 6,
}
MIXED_STATES = {
    "text": ("1_1", "a", "n"),
    "none": ("Mild", "None", "Severe"),
    "text_int": ("1", "9", "10"),
    "padded": ("007", "07", "7"),
    "bool": ("False", "True"),
    "yes": ("no", "yes"),
    "true": ("false", "true"),
    "TRUE": ("FALSE", "TRUE"),
    "int": ("-1", "3", "20"),
    "whole": ("1", "2", "10"),
    "ünï": ("ß", "é", "日本"),
    "quoted": ("a,b", 'c"d', "e\nf"),
    "constant": ("k",),
}


def test_states_labels_and_order():
    data = Dataset.from_table(frame(**MIXED))
    assert dict(zip(data.names, data.states, strict=True)) == MIXED_STATES
    assert data.codes.dtype == np.uint8
    assert data.codes.flags.c_contiguous
    assert data.cards.dtype == np.int64
    assert (data.n_variables, data.n_rows) == (len(MIXED), 6)
    assert any("'constant'" in note for note in data.notes)
    assert list(data.codes[data.names.index("text_int")]) == [2, 1, 1, 0, 2, 0]


def test_same_dataset_from_every_format(tmp_path):
    table = frame(**MIXED)
    expected = Dataset.from_table(table)
    arrow = pa.Table.from_pandas(table)
    table.to_csv(tmp_path / "t.csv", index=False)
    table.to_csv(tmp_path / "t.csv.gz", index=False)
    table.to_csv(tmp_path / "t.tsv", index=False, sep="\t", lineterminator="\r\n")
    table.to_csv(tmp_path / "bom.CSV", index=False, encoding="utf-8-sig")
    table.to_parquet(tmp_path / "t.parquet")
    table.set_axis(list("fedcba")).to_parquet(tmp_path / "indexed.parquet")
    pl.DataFrame(MIXED).write_parquet(tmp_path / "polars.parquet")
    others = [
        table.set_axis(list("fedcba")),
        table.astype(object),
        table.astype("category"),
        table.convert_dtypes(),
        pl.DataFrame(MIXED),
        pl.LazyFrame(MIXED),
        pl.DataFrame(MIXED).with_columns(pl.col("text", "true").cast(pl.Categorical)),
        arrow,
        pa.concat_tables([arrow.slice(0, 2), arrow.slice(2)]),
        expected,
    ]
    for other in others:
        assert_same(Dataset.from_table(other), expected)
    assert_same(Dataset.from_table(table.astype(object).to_numpy(), names=table.columns), expected)
    for path in tmp_path.iterdir():
        assert_same(Dataset.read(path), expected)
        assert_same(Dataset.read(str(path)), expected)


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.int32, np.float32, bool, "U3", "S3"])
def test_numpy_types(dtype):
    values = np.array([[1, 0], [0, 1], [1, 1]]).astype(dtype)
    data = Dataset.from_table(values)
    assert data.names == ("x0", "x1")
    labels = ("False", "True") if values.dtype.kind in "bUS" and dtype is bool else ("0", "1")
    assert data.states == (labels, labels)
    np.testing.assert_array_equal(data.codes, [[1, 0, 1], [0, 1, 1]])


def test_numpy_extremes_and_masks():
    wide = np.array([[-128, 0], [127, 1], [0, 0]], dtype=np.int8)
    assert Dataset.from_table(wide).states[0] == ("-128", "0", "127")
    huge = np.array([[2**64 - 1, 0], [2**64 - 2, 1]], dtype=np.uint64)
    assert Dataset.from_table(huge).states[0] == (str(2**64 - 2), str(2**64 - 1))
    masked = np.ma.array([[1, 2], [3, 4], [1, 4]], mask=[[0, 0], [0, 1], [0, 0]])
    with pytest.raises(DataError, match=r"'x1' \(1\)"):
        Dataset.from_table(masked)
    mixed = np.array([[1, "a"], ["b", 2.0], [1, None]], dtype=object)
    assert Dataset.from_table(mixed, missing="state").states == (
        ("1", "b"),
        ("2", "a", "(missing)"),
    )


def test_more_than_256_states_need_uint16():
    table = frame(a=np.arange(300), b=np.arange(300) % 2)
    data = Dataset.from_table(table, max_states=300)
    assert data.codes.dtype == np.uint16
    np.testing.assert_array_equal(data.codes[0], np.arange(300))


def test_ordered_categories_keep_declared_order_and_drop_unobserved(tmp_path):
    levels = ["low", "mid", "high", "never"]
    values = ["high", "low", "mid", "low"]
    ordered = pd.Categorical(values, categories=levels, ordered=True)
    table = pd.DataFrame({"o": ordered, "u": pd.Categorical(values, categories=levels)})
    expected = Dataset.from_table(table)
    assert expected.states == (("low", "mid", "high"), ("high", "low", "mid"))
    table.to_parquet(tmp_path / "a.parquet", row_group_size=1)
    assert_same(Dataset.read(tmp_path / "a.parquet"), expected)
    enum = pl.DataFrame({"o": pl.Series(values, dtype=pl.Enum(levels)), "u": values})
    assert_same(Dataset.from_table(enum), expected)
    enum.write_parquet(tmp_path / "b.parquet")
    assert_same(Dataset.read(tmp_path / "b.parquet"), expected)


def test_categories_that_are_not_text():
    table = frame(cut=pd.cut([1.0, 5.0, 9.0, 1.0], 3), b=pd.Categorical([2.5, 1.0, 10.0, 1.0]))
    data = Dataset.from_table(table)
    assert data.states[0] == ("(0.992, 3.667]", "(3.667, 6.333]", "(6.333, 9.0]")
    assert data.states[1] == ("1", "2.5", "10")
    periods = frame(p=pd.period_range("2020", periods=2, freq="Y"), i=pd.interval_range(0, 2))
    assert Dataset.from_table(periods).states == (("2020", "2021"), ("(0, 1]", "(1, 2]"))
    sparse = frame(s=pd.arrays.SparseArray([1, 0, 2]), b=[0, 1, 1])
    assert Dataset.from_table(sparse).states[0] == ("0", "1", "2")


# ---------------------------------------------------------------- missing values


def with_gaps():
    return frame(a=["x", None, "y", "x"], b=[1.0, 2.0, np.nan, 2.0], c=["u", "v", "v", "u"])


def test_missing_is_an_error_naming_columns_and_counts(tmp_path):
    with_gaps().to_csv(tmp_path / "g.csv", index=False)
    for make in (
        lambda: Dataset.from_table(with_gaps()),
        lambda: Dataset.from_table(pl.DataFrame({"a": ["x", None], "b": [1.0, None]})),
        lambda: Dataset.read(tmp_path / "g.csv"),
    ):
        with pytest.raises(DataError, match=r"2 column.*'a' \(1\), 'b' \(1\).*missing=\"drop\""):
            make()


def test_missing_listing_stops_after_ten():
    table = pd.DataFrame({f"c{i}": ["a", None] for i in range(13)})
    with pytest.raises(DataError, match=r"13 column.*'c9' \(1\) and 3 more"):
        Dataset.from_table(table)


def test_missing_drop(tmp_path):
    data = Dataset.from_table(with_gaps(), missing="drop")
    assert data.n_rows == 2
    assert data.states == (("x",), ("1", "2"), ("u",))
    assert data.notes[0].startswith("dropped 2 of 4 rows")
    assert data.cards.tolist() == [1, 2, 1]
    with_gaps().to_csv(tmp_path / "g.csv", index=False)
    assert_same(Dataset.read(tmp_path / "g.csv", missing="drop"), data)


@pytest.mark.parametrize("b", [[None] * 3, ["x", None, None]])
def test_missing_drop_leaving_too_little(b):
    with pytest.raises(DataError, match=r"of 3 rows have no missing value.*'b'"):
        Dataset.from_table(frame(a=["x", "y", "y"], b=b), missing="drop")


def test_missing_state_is_last_and_never_clashes():
    table = frame(a=["(missing)", None, "z"], b=[7, None, 3], c=[None, True, False], d=[None] * 3)
    data = Dataset.from_table(table, missing="state")
    assert data.states == (
        ("(missing)", "z", "((missing))"),
        ("3", "7", "(missing)"),
        ("False", "True", "(missing)"),
        ("(missing)",),
    )
    np.testing.assert_array_equal(data.codes[:2], [[0, 2, 1], [1, 2, 0]])
    assert "4 column(s)" in data.notes[0]


def test_missing_spellings_of_csv(tmp_path):
    path = tmp_path / "m.csv"
    words = ["", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", '"NA"']
    path.write_text("a,b\n" + "".join(f"{w},1\n" for w in words) + "None,2\nna,3\n")
    data = Dataset.read(path, missing="state")
    assert data.states[0] == ("None", "na", "(missing)")
    assert (data.codes[0] == 2).sum() == len(words)


def test_every_missing_value_of_memory_tables():
    table = frame(
        a=pd.Series(["x", pd.NA, "y"], dtype="string"),
        b=pd.Series([1, pd.NA, 2], dtype="Int64"),
        c=pd.Series(["x", float("nan"), 3], dtype=object),
        d=["x", "  ", "y"],
        e=pd.Categorical(["x", None, "y"]),
    )
    with pytest.raises(DataError, match=r"'a' \(1\), 'b' \(1\), 'c' \(1\), 'd' \(1\), 'e' \(1\)"):
        Dataset.from_table(table)
    nan = pl.DataFrame({"a": [1.0, float("nan"), None], "b": [1, 2, 3]})
    with pytest.raises(DataError, match=r"'a' \(2\)"):
        Dataset.from_table(nan)


# ---------------------------------------------------------------- continuous columns


def test_continuous_columns_are_refused_by_name(tmp_path):
    table = frame(t=[0.5, 1.0, 2.0], when=pd.date_range("2020", periods=3), ok=[1.0, 2.0, 1.0])
    table["lag"] = pd.to_timedelta([1, 2, 3], unit="h")
    with pytest.raises(DataError, match=r"3 column.*'t', 'when', 'lag'.*discretize=\"quantile\""):
        Dataset.from_table(table)
    table[["t", "ok"]].to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(DataError, match=r"'t'; cut .*--discretize quantile --bins 5"):
        Dataset.read(tmp_path / "t.csv")


@pytest.mark.parametrize("strategy", ["quantile", "uniform", "kmeans"])
def test_discretize(strategy, tmp_path):
    rng = np.random.default_rng(1)
    table = frame(x=rng.normal(size=200), n=rng.permutation(200), s=rng.choice(["a", "b"], 200))
    data = Dataset.from_table(table, discretize=strategy, bins=4)
    assert list(data.cards) == [4, 4, 2]
    assert data.states[0][0].startswith("[")
    assert all(label.startswith("(") and label.endswith("]") for label in data.states[0][1:])
    order = np.argsort(table.x.to_numpy())
    assert (np.diff(data.codes[0][order].astype(int)) >= 0).all()
    assert data.notes == (f"discretised 2 column(s) ({strategy}, 4 bins): 'x', 'n'",)
    if strategy == "quantile":
        assert set(np.bincount(data.codes[0])) == {50}
    table.to_csv(tmp_path / "t.csv", index=False)
    table.to_parquet(tmp_path / "t.parquet")
    for name in ("t.csv", "t.parquet"):
        assert_same(Dataset.read(tmp_path / name, discretize=strategy, bins=4), data)


@pytest.mark.parametrize("strategy", ["quantile", "uniform", "kmeans"])
@pytest.mark.parametrize(
    "values",
    [
        [0.0] * 90 + list(np.linspace(0.1, 5, 10)),
        [9.5] * 90 + list(np.linspace(0.1, 5, 10)),
        [0.25, 0.5] * 50,
        [1e-12, 2e-12, 3e-12, 4e-12, 5e-12, 6e-12, 7e-12, 8e-12] * 4,
        [1e300, -1e300, 0.5, 2.5, 3.5, 4.5, 5.5, 6.5],
        [1e9 + 0.5 + i for i in range(20)],
        list(np.logspace(-9, 9, 50)),
    ],
)
def test_discretize_never_loses_a_varying_column(strategy, values):
    table = frame(a=values, b=np.arange(len(values)) % 2)
    data = Dataset.from_table(table, discretize=strategy)
    assert 2 <= data.cards[0] <= 7
    assert len(set(data.states[0])) == data.cards[0]
    assert set(data.codes[0]) == set(range(data.cards[0]))
    rising = data.codes[0][np.argsort(values, kind="stable")].astype(int)
    assert (np.diff(rising) >= 0).all()


def test_discretize_few_values_constants_and_missing():
    table = frame(few=[0.5, 1.5, 0.5, np.nan], same=[2.5] * 4, none=[np.nan] * 4, when=[pd.NaT] * 4)
    data = Dataset.from_table(table, discretize="kmeans", missing="state")
    gap = "(missing)"
    assert data.states == (("0.5", "1.5", gap), ("2.5",), (gap,), (gap,))


def test_discretize_times():
    days = pd.date_range("2020-01-01", periods=100, freq="D")
    table = frame(a=days, b=days - days[0], c=[d.date() for d in days], d=days.as_unit("ns"))
    data = Dataset.from_table(table, discretize="uniform", bins=3)
    assert data.states[0] == (
        "[2020-01-01, 2020-02-03]",
        "(2020-02-03, 2020-03-07]",
        "(2020-03-07, 2020-04-09]",
    )
    assert data.states[2] == data.states[3] == data.states[0]
    assert data.states[1][0] == "[0 days 00:00:00, 33 days 00:00:00]"
    assert (data.codes == data.codes[0]).all()
    two = frame(a=[date(2020, 1, 1), date(2021, 1, 1)], b=[1, 2])
    assert Dataset.from_table(two, discretize="quantile").states[0] == ("2020-01-01", "2021-01-01")


def test_infinite_values_are_named(tmp_path):
    table = frame(a=[1.0, np.inf, 2.0], b=[1.5, -np.inf, np.inf], c=[1, 2, 3])
    table.to_csv(tmp_path / "i.csv", index=False)
    for make in (
        lambda: Dataset.from_table(table, discretize="quantile"),
        lambda: Dataset.read(tmp_path / "i.csv", discretize="quantile"),
    ):
        with pytest.raises(DataError, match=r"infinite values in 'a' \(1\), 'b' \(2\)"):
            make()


# ---------------------------------------------------------------- errors


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
        ({"max_states": "64"}, "max_states is '64'; use a whole number from 2 to 65536"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(DataError, match=message):
        Dataset.from_table(frame(a=[1, 2], b=[1, 2]), **options)


# ---------------------------------------------------------------- files


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\n\n", "the file is empty"),
        (b"\xef\xbb\xbf", "the file is empty"),
        (b"a,b\n", "no rows"),
        (b"a\n1\n2\n", "a single column"),
        (b"a;b\n1;2\n3;4\n", "header contains ';'"),
        (b"a,b\n1,2\n", "a single row"),
        (b"a,b\n1,2\n1,2,3\n4\n", r"header has 2 .*row 2 \(line 3\) has 3, row 3 \(line 4\) has 1"),
        (b"a,b\n1,\xe9\n2,x\n", "not UTF-8"),
        (b"a,b\n" + b"1,2\n" * 10_000 + b"1,\xe9\n", "not UTF-8"),
        ("a,b\n1,2\n2,3\n".encode("utf-16"), "not UTF-8"),
        (b",a,b\n0,1,2\n1,3,4\n", "number 1; .*saved row index"),
    ],
)
def test_bad_csv(content, message, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message) as caught:
        Dataset.read(path)
    assert "bad.csv" in str(caught.value)
    packed = tmp_path / "bad.csv.gz"
    packed.write_bytes(gzip.compress(content))
    with pytest.raises(DataError, match=message):
        Dataset.read(packed)


def test_ragged_row_far_into_a_large_file(tmp_path):
    path = tmp_path / "big.csv"
    path.write_text("a,b\n" + "1,2\n" * 1_500_000 + "1\n" + "1,2\n" * 10)
    with pytest.raises(DataError, match=r"row 1500001 \(line 1500002\) has 1"):
        Dataset.read(path)


def test_bad_paths(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nothing\.csv"):
        Dataset.read(tmp_path / "nothing.csv")
    with pytest.raises(DataError, match="is a folder"):
        Dataset.read(tmp_path)
    (tmp_path / "t.xlsx").write_bytes(b"x")
    with pytest.raises(DataError, match=r"unknown kind of file; use \.csv"):
        Dataset.read(tmp_path / "t.xlsx")
    for name in ("t.csv.gz", "t.parquet"):
        (tmp_path / name).write_bytes(b"not what the name says")
        with pytest.raises(DataError, match=name):
            Dataset.read(tmp_path / name)
    whole = gzip.compress(b"a,b\n" + b"1,2\n2,1\n" * 5000)
    (tmp_path / "cut.csv.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="damaged"):
        Dataset.read(tmp_path / "cut.csv.gz")
    pq.write_table(pa.table({"a": [1], "b": [2]}), tmp_path / "one.parquet")
    with pytest.raises(DataError, match=r"one\.parquet: a single row"):
        Dataset.read(tmp_path / "one.parquet")


def test_csv_details(tmp_path):
    path = tmp_path / "d.csv"
    long = "9" * 25
    path.write_text(f'\n"a\nb",sign,id,exp\n1,+1,{long},1e3\n\n2,-1,{long}0,2.0\n1,+1,{long},1e3\n')
    data = Dataset.read(path)
    assert data.names == ("a\nb", "sign", "id", "exp")
    assert data.states == (("1", "2"), ("-1", "1"), (long, f"{long}0"), ("2", "1000"))


# ---------------------------------------------------------------- methods


def test_select_and_to_pandas():
    data = Dataset.from_table(frame(a=["x", "y"], b=[1, 2], c=[True, True]))
    part = data.select(["c", 0])
    assert part.names == ("c", "a")
    assert part.states == (("True",), ("x", "y"))
    assert part.codes.flags.c_contiguous
    np.testing.assert_array_equal(data.select(np.array([-1])).codes, data.codes[2:])
    for wrong, message in (
        (["z"], "unknown variables: 'z'"),
        ([3], "no variable 3"),
        ([0, "a"], "each only once"),
        ([], "at least one"),
    ):
        with pytest.raises(DataError, match=message):
            data.select(wrong)
    table = data.to_pandas()
    assert list(table.columns) == ["a", "b", "c"]
    assert list(table["b"]) == ["1", "2"]
    assert not table["a"].cat.ordered
    assert_same(Dataset.from_table(table), data)


def test_inconsistent_parts_are_refused():
    with pytest.raises(DataError, match="same variables"):
        Dataset(np.zeros((2, 3), np.uint8), np.ones(1, np.int64), ("a",), (("x",),))


def test_bits_are_one_column_per_state():
    data = Dataset.from_table(frame(a=["x", "y", "x"], b=[1, 2, 3]))
    words, offsets = data.bits
    assert list(offsets) == [0, 2, 5]
    assert [int(w[0]) for w in words] == [0b101, 0b010, 0b001, 0b010, 0b100]
    assert data.bits is data.bits


# ---------------------------------------------------------------- invariants

NULLS = {"", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL"}
LABEL = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1, max_size=6)
TEXT = LABEL.filter(lambda s: s not in NULLS and not s.isspace() and not s[0].isdigit())
CELLS = [
    TEXT.filter(lambda s: s[0] not in "+-.iI"),
    st.integers(-(10**6), 10**6),
    st.booleans(),
    st.integers(-5, 5).map(float),
]


@st.composite
def tables(draw):
    n = draw(st.integers(2, 20))
    kinds = draw(st.lists(st.sampled_from(CELLS), min_size=2, max_size=5))
    columns = [draw(st.lists(cell, min_size=n, max_size=n)) for cell in kinds]
    return pd.DataFrame({f"v{i}": column for i, column in enumerate(columns)})


@settings(deadline=None, max_examples=60)
@given(tables(), st.randoms(use_true_random=False))
def test_round_trip_and_row_order(tmp_path_factory, table, random):
    data = Dataset.from_table(table)
    assert_same(Dataset.from_table(data.to_pandas()), data)
    assert_same(Dataset.from_table(pl.DataFrame(table.to_dict("list"))), data)
    path = tmp_path_factory.mktemp("round") / "t.csv"
    table.to_csv(path, index=False)
    assert_same(Dataset.read(path), data)
    rows = list(range(len(table)))
    random.shuffle(rows)
    shuffled = Dataset.from_table(table.iloc[rows])
    assert shuffled.states == data.states
    np.testing.assert_array_equal(shuffled.codes, data.codes[:, rows])
    for v, name in enumerate(data.names):
        same = table[name].to_numpy()[:, None] == table[name].to_numpy()[None, :]
        np.testing.assert_array_equal(data.codes[v][:, None] == data.codes[v][None, :], same)


@settings(deadline=None, max_examples=150)
@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=40),
    st.sampled_from(["quantile", "uniform", "kmeans"]),
    st.integers(2, 8),
    st.randoms(use_true_random=False),
)
def test_discretize_is_monotone_and_ignores_row_order(values, strategy, bins, random):
    table = frame(a=np.array([*values, 0.5]), b=np.arange(len(values) + 1) % 2)
    data = Dataset.from_table(table, discretize=strategy, bins=bins)
    x, codes = table.a.to_numpy(), data.codes[0].astype(int)
    assert (np.diff(codes[np.argsort(x, kind="stable")]) >= 0).all()
    assert (data.cards[0] == 1) == (len(np.unique(x)) == 1)
    assert data.cards[0] <= bins + 2
    assert len(set(data.states[0])) == data.cards[0]
    rows = list(range(len(x)))
    random.shuffle(rows)
    again = Dataset.from_table(table.iloc[rows], discretize=strategy, bins=bins)
    assert again.states == data.states
    np.testing.assert_array_equal(again.codes[0], data.codes[0][rows])
