"""The separator is the character that gives the first lines the same number of fields."""

import pytest

from lsbn.data import DataError, Dataset, TableOptions, check_file
from lsbn.data.textlayout import TextLayout, suggested_layout

NUMBERS = [("x", 5.1, 4.2), ("y", 5.3, 4.1), ("x", 5.1, 4.2), ("z", 5.0, 4.4)]


def european(rows, sep=";"):
    """Write rows with decimal commas."""
    return "".join(sep.join(str(v).replace(".", ",") for v in row) + "\n" for row in rows)


@pytest.mark.parametrize("repeats", [1, 60])
@pytest.mark.parametrize(("above", "layout"), [("", {}), ("By hand\n\n", {"skip": 1})])
def test_decimal_commas_do_not_part_fields(tmp_path, repeats, above, layout):
    path = tmp_path / "t.csv"
    path.write_text(above + "kind;length;width\n" + european(NUMBERS) * repeats)
    data = Dataset.read(path, discretize="quantile", **layout)
    assert data.names == ("kind", "length", "width")
    assert data.states[1:] == (("5", "5.1", "5.3"), ("4.1", "4.2", "4.4"))
    assert check_file(path, TableOptions()).layout == TextLayout(**layout)


@pytest.mark.parametrize("sep", [";", "\t", "|"])
def test_decimal_commas_without_a_header(tmp_path, sep):
    path = tmp_path / "t.csv"
    path.write_text(european([row[1:] for row in NUMBERS], sep))
    assert suggested_layout(path, TextLayout())[0] == TextLayout(header=False)
    data = Dataset.read(path, header=False, discretize="quantile")
    assert data.states == (("5", "5.1", "5.3"), ("4.1", "4.2", "4.4"))


@pytest.mark.parametrize(
    ("name", "text", "names"),
    [
        ("t.csv", 'a;b\n"so, yes, I do";1\n"no, I, never";2\n', "a b"),
        ("t.csv", 'a;b\n"so,\nyes";1\n"no,\nnever";2\n' * 1 + '"or,\nnot";2\n' * 60, "a b"),
        ("t.csv", "a;b\nso, yes;1\nno, never;2\n", "a b"),
        ("t.csv", "a;b (m, cm)\nso;1\nno;2\n", "a|b (m, cm)"),
        ("t.csv", "a;b;c\n1,5;1,5;1\n2,5;2,5;1\n1,5;2,5\n", ""),
        ("t.csv", "a,b\nx;y,1\ny;z,2\n", "a b"),
        ("t.csv", "a b\n1 2\n2 1\n", "a b"),
        ("t.tsv", "a, b\tc\n1, 2\t3\n2, 2\t3\n", "a, b|c"),
        ("t.tsv", "a,b\n1,2\n2,2\n", "a b"),
        ("t.txt", "a, b, c\n39, x, 2\n38, y, 2\n", "a b c"),
        ("t.txt", "full name,age\nJo 1,23\nJo 2,25\n", "full name|age"),
        ("t.txt", "a b c\n1,5 2 3\n2,5 2 4\n", "a b c"),
        ("t.txt", "a\tb c\n1  2\t'x'\n2   2\ty\n1 3 z\n", "a b c"),
    ],
)
def test_the_header_and_the_rows_have_the_same_number_of_fields(tmp_path, name, text, names):
    path = tmp_path / name
    path.write_text(text)
    if not names:
        with pytest.raises(DataError, match=r"row 3 \(line 4\) has 2; .* than ';' \(--sep\)"):
            Dataset.read(path)
        return
    data = Dataset.read(path, discretize="quantile")
    assert data.names == tuple(names.split("|") if "|" in names else names.split())
    assert suggested_layout(path, TextLayout())[0] == TextLayout()


def test_a_given_separator_is_not_changed(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("kind;length;width\n" + european(NUMBERS))
    with pytest.raises(DataError, match=r"have 3; .*: use --skip 1"):
        Dataset.read(path, sep=",")


def test_lines_longer_than_a_field_may_be(tmp_path):
    path = tmp_path / "t.csv"
    names = [f"a column {i}" for i in range(15_000)]
    rows = "".join(",".join([cell, *["0"] * 14_999]) + "\n" for cell in ("x;y", "y;z"))
    path.write_text(",".join(names) + "\n" + rows)
    assert Dataset.read(path).names == tuple(names)
