"""Dataset: the same coding from every format."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_cases import assert_same, frame
from lsbn.data import DataError, Dataset

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


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_planes_are_not_copied_at_every_call(dtype):
    codes = np.array([[0, 0], [1, 1], [0, 1]], dtype).T
    data = Dataset(codes, np.array([2, 2]), ("a", "b"), (("x", "y"),) * 2)
    assert np.shares_memory(data.planes, data.planes)
    assert data.planes[0].tolist() == data.codes.tolist() == codes.tolist()


NULLS = {"", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL"}
LABEL = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1, max_size=6)
TEXT = LABEL.filter(lambda s: s not in NULLS and s == s.lstrip() and not s[0].isdigit())
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
