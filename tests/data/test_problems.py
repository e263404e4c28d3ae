"""All problems of a table at once, with one cure; and what each column becomes."""

import shlex

import numpy as np
import pandas as pd
import pytest

from data_cases import frame
from lsbn.data import DataError, Dataset, TableOptions, check_file
from lsbn.data.problems import TableError, command_words


def troubled(n=200):
    rng = np.random.default_rng(0)
    return frame(
        id=np.arange(n),
        name=[f"p{i}" for i in range(n)],
        size=rng.normal(size=n),
        age=np.where(np.arange(n) % 9 == 0, np.nan, rng.integers(0, 90, n)),
        load=np.where(np.arange(n) == 3, np.inf, rng.integers(0, 4, n)),
        mixed=["?" if i % 50 == 0 else str(i / 7) for i in range(n)],
        when=pd.date_range("2020", periods=n),
        sex=rng.choice(["f", "m"], n),
    )


def test_all_problems_are_told_at_once_with_one_cure(tmp_path):
    troubled().to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(TableError) as caught:
        Dataset.read(tmp_path / "t.csv")
    message = str(caught.value)
    for words in (
        "4 problems",
        r"infinite values in 'load' (1)",
        "missing values in 1 column(s): 'age' (23)",
        "continuous values in 2 column(s): 'size', 'when'",
        "'id' (200 states), 'name' (200 states)",
    ):
        assert words in message
    words = command_words(TableOptions(), caught.value.cured)
    assert shlex.join(shlex.split(" ".join(words))) in message.replace("'id,name'", "id,name")
    assert caught.value.cured.drop == ("id", "name")
    cured = caught.value.cured
    data = Dataset.read(
        tmp_path / "t.csv",
        discretize=cured.discretize,
        missing=cured.missing,
        drop=cured.drop,
        na=cured.na,
    )
    assert data.names == ("size", "age", "load", "mixed", "when", "sex")
    assert data.cards.max() <= 6


def test_few_incomplete_rows_are_dropped_many_are_kept():
    for gaps, missing in ((5, "drop"), (60, "infer")):
        values = [None] * gaps + [0, 1] * 50
        with pytest.raises(TableError, match=f"--missing {missing}$") as caught:
            Dataset.from_table(frame(a=values, b=[0] * len(values)))
        assert caught.value.cured.missing == missing


def test_the_cure_keeps_the_options_of_the_user():
    table = frame(
        a=np.arange(90) / 7, b=np.arange(90) / 3, c=["x"] * 90, d=[f"{i}," for i in range(90)]
    )
    with pytest.raises(TableError) as caught:
        Dataset.from_table(table, discretize="a=uniform:3", bins=4, drop="c")
    cured = caught.value.cured
    assert cured.drop == ("c", "d")
    assert cured.discretize == {"a": "uniform:3", None: "quantile"}
    data = Dataset.from_table(table, discretize=cured.discretize, bins=4, drop=cured.drop)
    assert data.cards.tolist() == [3, 4]


def test_columns_are_dropped_and_kept(tmp_path):
    table = frame(a=[1, 2], **{"b,c": [1, 2]}, d=[[1], [2]], e=[0.5, 1])
    data = Dataset.from_table(table, drop='d, "b,c"', discretize="quantile")
    assert data.names == ("a", "e")
    assert Dataset.from_table(table, keep=["b,c", "a"]).names == ("a", "b,c")
    with pytest.raises(DataError, match=r"drop \(--drop\) names.*'A'; there are 'a', 'b,c'"):
        Dataset.from_table(table, drop="A")
    with pytest.raises(DataError, match=r"'b,c' has a comma; .*\(--drop '\"b,c\"'\)"):
        Dataset.from_table(table, drop="a, b, c")
    with pytest.raises(DataError, match="a single column"):
        Dataset.from_table(table, keep="a")
    with pytest.raises(DataError, match="drop is 3; use a list"):
        Dataset.from_table(table, drop=3)


def test_more_spellings_of_missing(tmp_path):
    table = frame(
        a=["x", "?", "y", "x"], b=["1", "?", "2", "3"], c=[1, -999, 2, 3], d=[0.5, 1, -999, 2]
    )
    table.to_csv(tmp_path / "t.csv", index=False)
    options = {"na": "?,-999", "missing": "state", "discretize": "quantile"}
    data = Dataset.read(tmp_path / "t.csv", **options)
    gap = "(missing)"
    assert data.states == (
        ("x", "y", gap),
        ("1", "2", "3", gap),
        ("1", "2", "3", gap),
        ("0.5", "1", "2", gap),
    )
    np.testing.assert_array_equal(Dataset.from_table(table, **options).codes, data.codes)


def test_marks_are_pointed_out(tmp_path):
    table = frame(
        a=["x", "?", "y", "*", "x"] * 4,
        b=["1", "2", "3", "4", "n/d"] * 4,
        c=["+", "-"] * 10,
        d=["1", "2", "3", "4", "5+"] * 4,
    )
    notes = Dataset.from_table(table).notes
    assert [note.split(";")[0] for note in notes] == [
        "'?' is a value of 'a'",
        "'*' is a value of 'a'",
        "'n/d' is a value of 'b'",
    ]
    assert all("--na" in note for note in notes)


def test_row_numbers_are_pointed_out():
    table = frame(row=np.arange(1, 31), patient_id=np.arange(30) ** 2, b=[0, 1] * 15)
    notes = Dataset.from_table(table).notes
    assert any("'row', 'patient_id' name the rows" in note for note in notes)


def test_what_each_column_becomes(tmp_path):
    troubled().to_csv(tmp_path / "t.csv", index=False)
    report = check_file(tmp_path / "t.csv", TableOptions())
    found = {c.name: (c.kind, round(c.missing, 3), c.cut, len(c.states)) for c in report.columns}
    cut = "quantile, 5 bins"
    assert found == {
        "id": ("whole numbers", 0.0, "", 0),
        "name": ("text", 0.0, "", 0),
        "size": ("fractions", 0.0, cut, 5),
        "age": ("whole numbers", 0.115, cut, 5),
        "load": ("whole numbers", 0.0, "", 4),
        "mixed": ("text", 0.0, cut, 5),
        "when": ("dates", 0.0, cut, 5),
        "sex": ("text", 0.0, "", 2),
    }
    assert report.problems.startswith("4 problems")
    again = check_file(tmp_path / "t.csv", report.cured)
    assert again.problems == ""
    assert [c.states for c in again.columns] == [c.states for c in report.columns if c.states]


def test_text_that_differs_in_nearly_all_rows_is_pointed_out():
    names = [f"person {k}" for k in range(19)]
    table = frame(name=[*names, names[0]], town=["a", "b"] * 10, street=[*names[:12], *["s"] * 8])
    told = "'name' names the rows, and is no variable"
    assert any(told in note for note in Dataset.from_table(table).notes)
    unused = pd.Categorical(["a", "b"] * 10, categories=["a", "b", *names])
    assert Dataset.from_table(frame(x=unused, y=[1, 2] * 10)).notes == ()


@pytest.mark.parametrize(
    ("name", "found"),
    [("userId", True), ("Identifier", True), ("x.ID", True), ("humid", False), ("grid", False)],
)
def test_identifiers_by_their_names(name, found):
    table = frame(**{name: np.arange(30) ** 2}, b=[0, 1] * 15)
    assert any("names the rows" in n for n in Dataset.from_table(table).notes) == found


def test_the_command_of_the_check_follows_its_own_advice(tmp_path):
    table = frame(day=np.arange(40), size=np.arange(40) % 20, town=["a", "b"] * 20)
    table.to_csv(tmp_path / "t.csv", index=False)
    report = check_file(tmp_path / "t.csv", TableOptions())
    assert report.problems == ""
    assert command_words(TableOptions(), report.cured) == [
        *("--discretize", "quantile"),
        *("--drop", "day"),
    ]
    assert [len(c.states) for c in report.columns] == [0, 5, 2]
    told = " ".join(report.notes)
    assert "'day' names the rows" in told
    assert "'size' (20)" in told
    chosen = TableOptions("day=states,size=states")
    assert check_file(tmp_path / "t.csv", chosen).cured == chosen


def test_a_cure_that_leaves_one_column_is_told_with_the_problem(tmp_path):
    table = frame(name=[f"n{k}" for k in range(99)], x=np.arange(99) % 3)
    table.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(DataError, match=r"'name' \(99 states\).*with this cure.*a single column"):
        check_file(tmp_path / "t.csv", TableOptions())


def test_no_cure_is_shown_where_an_option_should_be_left_out():
    with pytest.raises(TableError, match=r"leave out the name of this column$"):
        Dataset.from_table(frame(a=["x", "y"] * 5, b=[0, 1] * 5), discretize="a=quantile")


def test_numbers_that_may_mean_missing_are_pointed_out(tmp_path):
    table = frame(a=[1, 2, -999, 4] * 9, b=[-999, -1, 2, 3] * 9, c=[0.5, 1.5, -99.0, 2.5] * 9)
    notes = Dataset.from_table(table, discretize="quantile", bins=3).notes
    told = [note for note in notes if "missing value" in note]
    assert [note.split(";")[0] for note in told] == [
        "'-999' is a value of 'a'",
        "'-99' is a value of 'c'",
    ]
    data = Dataset.from_table(table, na="-999,-99", missing="state", discretize="quantile", bins=3)
    assert [states[-1] for states in data.states] == ["(missing)"] * 3


@pytest.mark.parametrize("infinite", [1, 60])
def test_many_infinite_values_are_cured_too(tmp_path, infinite):
    values = ["Inf"] * infinite + [str(v % 7 + 0.5) for v in range(200 - infinite)]
    (tmp_path / "t.csv").write_text(
        "u,g\n" + "".join(f"{v},{i % 2}\n" for i, v in enumerate(values))
    )
    report = check_file(tmp_path / "t.csv", TableOptions())
    assert report.cured.missing == ("drop" if infinite == 1 else "infer")
    assert "infinite values in 'u'" in report.problems
    assert check_file(tmp_path / "t.csv", report.cured).cured == report.cured


@pytest.mark.parametrize(
    ("fractions", "items", "spec"),
    [
        (1, 3, {"f0": "quantile"}),
        (3, 3, {"f0": "quantile", "f1": "quantile", "f2": "quantile"}),
        (3, 2, {None: "quantile", "i0": "states", "i1": "states"}),
        (3, 0, {None: "quantile"}),
        (32, 31, {None: "quantile"}),
    ],
)
def test_only_columns_that_need_it_are_cut(tmp_path, fractions, items, spec):
    """Codes such as 1 to 6 stay, although they are more than the intervals."""
    columns = {f"f{i}": np.arange(60) / 7 for i in range(fractions)}
    columns |= {f"i{i}": 1 + np.arange(60) % 6 for i in range(items)} | {"k": [0, 1, 2] * 20}
    frame(**columns).to_csv(tmp_path / "t.csv", index=False)
    report = check_file(tmp_path / "t.csv", TableOptions())
    assert report.cured.discretize == spec
    cut = 5 if spec == {None: "quantile"} else 6
    found = {column.name[0]: len(column.states) for column in report.columns}
    assert found == {"f": 5, "k": 3} | ({"i": cut} if items else {})
    if items and fractions < 32:
        with pytest.raises(TableError) as caught:
            Dataset.read(tmp_path / "t.csv")
        assert caught.value.cured.discretize == spec


def test_whole_numbers_with_many_states_are_cut_alone(tmp_path):
    age, item = 18 + np.arange(80) % 40, 1 + np.arange(80) % 6
    frame(age=age, item=item).to_csv(tmp_path / "t.csv", index=False)
    report = check_file(tmp_path / "t.csv", TableOptions())
    assert report.cured.discretize == {"age": "quantile"}
    assert [len(column.states) for column in report.columns] == [5, 6]
