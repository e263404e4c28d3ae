"""Text that looks like numbers, dates or times, and numbers with a few slips."""

import numpy as np
import pytest

from data_cases import frame
from lsbn.data import DataError, Dataset, TableOptions, check_file
from lsbn.data.problems import TableError

NUMBERS = "numbers as 1234.5, without such signs"


@pytest.mark.parametrize(
    ("text", "kind", "cure"),
    [
        ("${},982.52", "numbers with '$' and ','", NUMBERS),
        ("{}%", "numbers with '%'", NUMBERS),
        ("{}.5 €", "numbers with spaces and '€'", NUMBERS),
        ("{},345", "numbers with ','", NUMBERS),
        ("{}.982,52", "numbers with '.' and ','", NUMBERS),
        ("1.1{}.000", "numbers with '.'", NUMBERS),
        ("14:{}", "times of day", "14.5 hours"),
        ("{}/11/2024", "dates", "YYYY-MM-DD"),
        ("{}.11.2024 12:30", "dates", "YYYY-MM-DD"),
        ("2024/{}/1", "dates", "YYYY-MM-DD"),
    ],
)
def test_text_that_looks_like_numbers_is_named(text, kind, cure):
    some = [text.format(i) for i in range(10, 29)]
    found = Dataset.from_table(frame(a=some * 2 + ["unknown"], b=[0, 1, 0] * 13)).notes
    (note,) = [note for note in found if "looks like" in note]
    assert note.startswith(f"text looks like {kind} in 'a' ({some[0]!r}); ")
    assert cure in note


@pytest.mark.parametrize("text", ["0{}", "A{}", "{}.1.2", "192.168.1.{}", "{}-{}", "{} km"])
def test_codes_do_not_look_like_numbers(text):
    some = [text.format(i, i) for i in range(10, 29)]
    notes = Dataset.from_table(frame(a=some * 2, b=[0, 1] * 19)).notes
    assert not any("looks like" in note for note in notes)


def test_text_that_is_left_out_is_named_with_the_problem(tmp_path):
    days = [f"{1 + i % 28}/{1 + i % 12}/2024" for i in range(200)]
    pay = [f"${i},5" for i in range(100, 300)]
    table = frame(pay=pay, day=days, b=[0.5, 1] * 100, c=[0, 1] * 100)
    table.to_csv(tmp_path / "t.csv", index=False)
    report = check_file(tmp_path / "t.csv", TableOptions())
    assert report.cured.drop == ("pay", "day")
    assert "  note: text looks like numbers with '$' and ',' in 'pay' ('$100,5')" in report.problems
    assert "dates in 'day' ('1/1/2024'); lsbn reads dates as YYYY-MM-DD" in report.problems
    with pytest.raises(TableError, match=r"only numbers and dates .* reads dates as YYYY-MM-DD"):
        Dataset.read(tmp_path / "t.csv", drop="pay,b", discretize="day=month")


@pytest.mark.parametrize("n_ages", [80, 40])
def test_a_few_slips_among_numbers_are_missing_values(tmp_path, n_ages):
    ages = [str(18 + i % n_ages) for i in range(300)]
    table = frame(age=[*ages, "unknown", "4o"], b=[0, 1] * 151)
    table.to_csv(tmp_path / "t.csv", index=False)
    report = check_file(tmp_path / "t.csv", TableOptions())
    told = "'age' has numbers, except '4o', 'unknown' (2 of 302 rows)"
    assert (told in report.problems) == (n_ages > 64)
    assert (told in report.notes) == (n_ages < 64)
    assert report.cured.na == ("4o", "unknown")
    assert report.cured.missing == "drop"
    assert len(report.columns[0].states) == 5


@pytest.mark.parametrize("label", ["90+", "<18", "10-20", "\u226590", "10 to 20"])
def test_bounds_are_states(label):
    table = frame(age=[*(str(i % 20) for i in range(99)), label], b=[0, 1] * 50)
    assert not any("missing value" in note for note in Dataset.from_table(table).notes)


def test_many_labels_that_are_no_numbers_are_states():
    codes = [str(i) for i in range(40)] * 4 + [f"V{i}" for i in range(4)]
    table = frame(code=codes, b=[0, 1] * 82)
    assert not any("missing value" in note for note in Dataset.from_table(table).notes)


@pytest.mark.parametrize(
    ("values", "marks"),
    [
        ([1, 2, 3, -9], ["-9"]),
        ([0, 1, 999, -9], ["-9", "999"]),
        ([1.5, 2, 99, 3], []),
        ([1, 2, 5, 99], ["99"]),
        ([1, 20, 50, 99], []),
        ([100, 200, 500, 999], []),
        ([18, 50, 99, 9999], ["9999"]),
        ([-20, -10, 5, -9], []),
        ([-20, 1, 5, 999], []),
        ([0, 999], []),
        (["x", "y", "-"], ["-"]),
        (["x", "y", "."], ["."]),
        (["+", "-", "."], []),
        (["yes", "-"], []),
        (["1", "2", "3", "4", "-"], ["-"]),
    ],
)
def test_codes_of_missing_values(values, marks):
    table = frame(a=values * 9, b=np.arange(9 * len(values)) % 2)
    notes = Dataset.from_table(table, discretize="quantile", bins=4).notes
    told = [note.split(";")[0] for note in notes if "missing value" in note]
    assert told == [f"{mark!r} is a value of 'a'" for mark in marks]


def test_lists_are_told_with_the_other_problems(tmp_path):
    table = frame(a=[[1], [2], [1]], b=[0.5, 1, 2], c=["x", None, "y"])
    table.to_parquet(tmp_path / "t.parquet")
    report = check_file(tmp_path / "t.parquet", TableOptions(na="0"))
    assert report.problems.startswith("3 problems")
    assert "single states in 'a' (list<element: int64>)" in report.problems
    assert report.cured.drop == ("a",)
    assert [column.kind for column in report.columns] == ["no states", "fractions", "text"]
    with pytest.raises(DataError, match=r"single states in 'a' .* --drop a$"):
        Dataset.from_table(table[["a"]].assign(b=[1, 2, 3]))
