"""Continuous columns: refused by name, or cut into intervals."""

from datetime import date

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import KBinsDiscretizer

from data_cases import assert_same, frame
from lsbn.data import DataError, Dataset
from lsbn.data.discretize import _bin_edges


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


def test_dates_by_the_calendar(tmp_path):
    days = pd.date_range("2019-11-30", periods=40, freq="D")
    table = frame(a=days, b=days, c=days, d=days.tz_localize("Asia/Tokyo"), e=np.arange(40) % 2)
    spec = {"a": "year", "b": "month", "c": "weekday", "d": "hour"}
    data = Dataset.from_table(table, discretize=spec)
    assert data.states[:2] == (("2019", "2020"), ("2019-11", "2019-12", "2020-01"))
    assert data.states[2:4] == (("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"), ("00",))
    assert data.codes[2][:3].tolist() == [5, 6, 0]
    table[["a", "e"]].assign(m=days).to_csv(tmp_path / "d.csv", index=False)
    read = Dataset.read(tmp_path / "d.csv", discretize="month,m=month-of-year")
    assert read.states == (data.states[1], ("0", "1"), ("01", "11", "12"))
    first = frame(a=[pd.Timestamp.min, pd.Timestamp.max], b=[1, 2])
    assert Dataset.from_table(first, discretize="year").states[0] == ("1677", "2262")


def test_dates_of_text_files(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("a,b,c\n2020-01-31T10:00:00Z,2020-01-31,2020-02-31\n2020-02-01T10:00Z,,x\n")
    data = Dataset.read(path, discretize="quantile", missing="state")
    assert data.states == (
        ("2020-01-31", "2020-02-01"),
        ("2020-01-31", "(missing)"),
        ("2020-02-31", "x"),
    )


def test_whole_numbers_are_cut_like_others():
    table = frame(age=np.arange(60), code=np.arange(60) % 3, x=np.arange(60) / 7)
    data = Dataset.from_table(table, discretize="quantile", bins=4)
    assert data.cards.tolist() == [4, 3, 4]
    assert data.states[0] == ("[0, 14]", "(14, 29]", "(29, 44]", "(44, 59]")
    wide = Dataset.from_table(table, discretize="quantile", bins=4, max_states=1000)
    assert_same(wide, data)


@pytest.mark.parametrize(
    "spec",
    [
        "kmeans:3,age=quantile:4,x=uniform:6,code=states",
        {None: "kmeans:3", "age": "quantile:4", "x": "uniform:6", "code": "states"},
        'x=uniform:6, age = quantile:4,kmeans:3,"code"=states',
    ],
)
def test_each_column_has_its_own_cut(spec):
    table = frame(age=np.arange(60), code=np.arange(60) % 9, x=np.arange(60) / 7, y=np.arange(60))
    data = Dataset.from_table(table, discretize=spec, bins=5)
    assert data.cards.tolist() == [4, 9, 6, 3]
    assert "discretised 1 column(s) (uniform, 6 bins): 'x'" in data.notes


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("agee=quantile", r"--discretize\) names columns.*'agee'; did you mean 'age'"),
        ("age=decile", "discretize is 'decile' for 'age'; use one of quantile"),
        ("age=quantile:1", "bins of 'age' is 1"),
        ("age=quantile:x", "bins of 'age' is 'x'"),
        ("age=year:3", "discretize is 'year:3'"),
        ("age=year", "cuts 'age' by the calendar"),
        ("s=quantile", "names 's', but only numbers"),
        ("age=quantile,age=uniform", "one method for each column"),
        ("", "one method for each column"),
        (3, "use a text such as 'quantile'"),
    ],
)
def test_wrong_cuts_are_refused(spec, message):
    with pytest.raises(DataError, match=message):
        Dataset.from_table(frame(age=[1, 2, 3], s=["a", "b", "c"]), discretize=spec)


def test_intervals_keep_their_order():
    table = frame(a=np.arange(-50, 150), b=pd.date_range("2020-09-01", periods=200))
    table["c"] = table.b - table.b[0]
    table["d"] = table.a.where(table.a % 3 > 0)
    data = Dataset.from_table(table, discretize="uniform", bins=7, missing="state")
    assert_same(Dataset.from_table(data.to_pandas()), data)


@pytest.mark.filterwarnings("ignore")
@settings(deadline=None, max_examples=150)
@given(
    st.lists(st.integers(-9, 9) | st.floats(-1e3, 1e3), min_size=3, max_size=60),
    st.integers(2, 9),
    st.sampled_from(["quantile", "uniform"]),
)
def test_edges_are_those_of_scikit_learn(values, bins, strategy):
    values = np.sort(np.array(values, float))
    if values[0] == values[-1]:
        values[-1] += 1
    how = {"strategy": strategy, "quantile_method": "averaged_inverted_cdf", "subsample": None}
    binner = KBinsDiscretizer(bins, encode="ordinal", **how).fit(values[:, None])
    expected = binner.bin_edges_[0]
    # the mean of two values may differ in the last bit: a + (b - a) / 2 is not (a + b) / 2
    np.testing.assert_allclose(_bin_edges(values, strategy, bins), expected, rtol=1e-12, atol=1e-12)
