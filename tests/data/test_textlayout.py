"""Lines above a table, and first lines without names."""

import gzip

import pytest

from lsbn.data import DataError, Dataset, TableOptions, check_file, stored
from lsbn.data.ingest import file_columns
from lsbn.data.textlayout import TextLayout, suggested_layout

ROWS = "5.1,3.5,0\n4.9,3.0,1\n5.1,3.2,1\n4.7,3.5,0\n"


@pytest.mark.parametrize(
    ("name", "text", "skip", "header"),
    [
        # numbers of rows and columns, names of classes: the files of scikit-learn
        ("t.csv", "4,3\n" + ROWS, 1, False),
        ("t.csv", "4,2,yes\n" + ROWS, 1, False),
        ("t.csv", "004,2,yes\n" + ROWS, 1, False),
        ("t.csv", "5,2,yes\n" + ROWS, 0, True),
        ("t.csv", "4" * 5_000 + ",2,yes\n" + ROWS, 0, True),
        ("t.csv", "4,4,no,yes\n" + "1.5,2,3,4,0\n2.5,3,1,4,1\n" * 2, 1, False),
        # titles
        ("t.csv", "Measurements\na,b,c\n" + ROWS, 1, True),
        ("t.csv", "Made by hand, in 2020\n\n\na,b,c\n" + ROWS, 1, True),
        ("t.csv", 'Source,"x, y",\n\nDate,2020,\n\na,b,c,d\n' + "1,2,3,x\n2,2,1,y\n" * 2, 3, True),
        ("t.csv", '5" pipes\n' + ROWS, 1, False),
        ("t.txt", "A title of four words\na;b;c\n" + ROWS.replace(",", ";"), 1, True),
        ("t.txt", "title\n" + ROWS.replace(",", " "), 1, False),
        # no names
        ("t.csv", ROWS, 0, False),
        ("t.data", ROWS.replace("0\n", "no\n"), 0, False),
        ("t.csv", "?,3.5,0\n" + ROWS, 0, False),
        ("t.csv", "p,x,s\ne,x,s\np,y,s\ne,y,t\n", 0, False),
        ("t.csv", "# by hand\n" + ROWS, 0, False),
        # names
        ("t.csv", "a,b,c\n" + ROWS, 0, True),
        ("t.csv", "country,1990,2000\n" + "x,1,2\ny,3,4\n" * 2, 0, True),
        ("t.csv", "1,2,3\n" + ROWS, 0, True),
        ("t.csv", ",0,1\n" + ROWS, 0, True),
        ("t.csv", "dose,0.5,1,5,20,50\n" + "x,1,2,3,4,5\ny,3,4,1,2,2\n" * 2, 0, True),
        ("t.csv", "p,q,r\ne,x,s\np,y,s\ne,y,t\n", 0, True),
        # the header of R, and rows of several lengths
        ("t.csv", '"a","b"\n' + ROWS, 0, True),
        ("t.csv", "a,b\n1,2\n1,2,3\n4\n", 0, True),
        ("t.csv", "a,b,c\n" + ROWS + "1,2,3,4\n" + ROWS, 0, True),
    ],
)
def test_the_first_lines_show_where_the_table_starts(name, text, skip, header, tmp_path):
    (tmp_path / name).write_text(text)
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    for path in (tmp_path / name, tmp_path / f"{name}.gz"):
        layout, reason = suggested_layout(path, TextLayout())
        assert (layout.skip, layout.header) == (skip, header)
        assert bool(reason) == (layout != TextLayout())
        if reason:
            assert check_file(path, TableOptions()).layout == layout
            data = Dataset.read(path, discretize="quantile", na="?", missing="drop", **vars(layout))
            assert data.n_rows == 4
            assert suggested_layout(path, layout) == (layout, "")


def test_the_options_of_the_user_stay(tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n1,2,3\n" + ROWS)
    layout = check_file(tmp_path / "t.csv", TableOptions("quantile"), TextLayout(skip=2)).layout
    assert layout == TextLayout(skip=2, header=False)
    (tmp_path / "t.csv").write_text("7\n" + ROWS)
    layout, _ = suggested_layout(tmp_path / "t.csv", TextLayout(header=False))
    assert layout == TextLayout(skip=1, header=False)


def test_lines_are_counted_below_skipped_ones(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('5" pipes\n\na,b\n1,x\n2\n3,y\n')
    with pytest.raises(DataError, match=r"row 2 \(line 5\) has 1"):
        Dataset.read(path, skip=1)
    path.write_text("1,2\n3\n4\n5\n")
    with pytest.raises(DataError, match="below line 9"):
        Dataset.read(path, skip=9)
    for skip in (-1, 1.5, True, "1"):
        with pytest.raises(DataError, match=r"skip is .*; use a number of lines"):
            Dataset.read(path, skip=skip)


def test_skipped_lines_of_a_tall_file(tmp_path, monkeypatch):
    """The block of pyarrow has all lines to skip, also if they are longer than the rows."""
    path = tmp_path / "t.csv"
    path.write_text("9 lines\n" + f"{'x' * 500}\n" * 8 + "a,b\n" + "1,2\n2,1\n" * 500)
    monkeypatch.setattr("lsbn.data.textfile._LEAST_BLOCK", 1)
    expected = Dataset.read(path, skip=9)
    monkeypatch.setattr(stored, "LARGE", 0)
    monkeypatch.setattr(stored, "TALL", 0)
    columns, _ = file_columns(path, TableOptions(), layout=TextLayout(skip=9))
    assert isinstance(columns[0], stored.StoredColumn)
    found = Dataset.read(path, skip=9)
    assert found.names == expected.names == ("a", "b")
    assert found.codes.tolist() == expected.codes.tolist() == [[0, 1] * 500, [1, 0] * 500]
