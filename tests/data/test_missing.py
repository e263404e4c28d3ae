"""Missing values: refused by name, dropped, or a state."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from data_cases import assert_same, frame
from lsbn.data import DataError, Dataset


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


def test_missing_infer_keeps_gaps(tmp_path):
    data = Dataset.from_table(with_gaps(), missing="infer")
    assert data.states == (("x", "y"), ("1", "2"), ("u", "v"))
    np.testing.assert_array_equal(data.gaps[0], [False, True, False, False])
    np.testing.assert_array_equal(data.codes[:2], [[0, 0, 1, 0], [0, 1, 1, 1]])
    assert data.missing == (0.25, 0.25, 0.0)
    assert "inferred from the other columns" in data.notes[0]
    part = data.select(["c", "a"])
    assert part.missing == (0.0, 0.25)
    np.testing.assert_array_equal(part.gaps[1], data.gaps[0])
    for missing in ("drop", "state"):
        assert Dataset.from_table(with_gaps(), missing=missing).missing == data.missing
    assert Dataset.from_table(frame(a=[0, 1], b=[1, 0]), missing="infer").missing == ()
    with_gaps().to_csv(tmp_path / "g.csv", index=False)
    assert_same(Dataset.read(tmp_path / "g.csv", missing="infer"), data)


def test_cut_points_are_those_of_observed_numbers():
    values = np.append(np.arange(100.0), [np.nan] * 100)
    table = frame(a=values, b=np.arange(200) % 2)
    whole = Dataset.from_table(table.head(100), discretize="a=quantile:4")
    gaps = Dataset.from_table(table, discretize="a=quantile:4", missing="infer")
    assert gaps.states[0] == whole.states[0]
    assert gaps.cuts == whole.cuts
