"""Files of new rows are read as the file of the fit was."""

import pytest

from lsbn.answers.coding import Coding, read_columns
from lsbn.data import DataError, Dataset

ROWS = ["0,1,1\n", "1,0,0\n", "0,0,1\n", "1,1,0\n"]


def read(path, text, names):
    """Return the names of the columns in a file, and its number of rows."""
    path.write_text(text)
    columns = read_columns(path, names)
    return [column.name for column in columns], len(columns[0].values)


@pytest.mark.parametrize("n_rows", [1, 2, 3, 4])
@pytest.mark.parametrize("first", [0, 1])
def test_files_without_a_header(n_rows, first, tmp_path):
    """A first row of 0, 1 may be taken for names, if the run does not show that it has none."""
    names = ["x0", "x1", "x2"]
    rows = "".join((ROWS * 2)[first : first + n_rows])
    assert read(tmp_path / "t.csv", rows, names) == (names, n_rows)
    header = "x2,x0,x1\n"
    assert read(tmp_path / "t.csv", header + rows, names) == (["x2", "x0", "x1"], n_rows)
    two = "".join(line[:3] + "\n" for line in rows.splitlines())
    assert read(tmp_path / "t.csv", two, names[:2]) == (names[:2], n_rows)
    assert read(tmp_path / "t.csv", "x1,x2\n" + two, names) == (["x1", "x2"], n_rows)


@pytest.mark.parametrize("n_rows", [1, 2, 3, 4])
def test_files_with_a_header(n_rows, tmp_path):
    rows = "".join(ROWS[:n_rows])
    assert read(tmp_path / "t.csv", "a,b,c\n" + rows, ["a", "c"]) == (["a", "c"], n_rows)
    # names that look like a row
    assert read(tmp_path / "t.csv", "0,1,2\n" + rows, ["0", "2"]) == (["0", "2"], n_rows)


@pytest.mark.parametrize("width", [2, 3])
def test_titles_are_left_out(width, tmp_path):
    lines = [",".join(line.strip().split(",")[:width]) + "\n" for line in ROWS]
    names = list("abc")[:width]
    text = "Title\n\n" + ",".join(names) + "\n" + "".join(lines)
    assert read(tmp_path / "t.csv", text, names) == (names, 4)
    names = ["x0", "x1", "x2"][:width]
    text = "Title\n" + ",".join(names) + "\n" + "".join(lines)
    assert read(tmp_path / "t.csv", text, names) == (names, 4)


def test_a_title_above_rows_without_names(tmp_path):
    names = ["x0", "x1", "x2"]
    assert read(tmp_path / "t.csv", "Title\n" + "".join(ROWS), names) == (names, 4)
    two = "0,p\n1,q\n0,q\n"
    assert read(tmp_path / "t.csv", "Title\n" + two, names[:2]) == (names[:2], 3)
    for short_row in ("0\n", "7\n", '""\n'):
        with pytest.raises(DataError, match="line 1 has 1 field"):
            read(tmp_path / "t.csv", short_row + two, names[:2])


def test_the_file_of_a_fit_is_coded_as_in_the_fit(tmp_path):
    path = tmp_path / "t.csv"
    for text, options in (
        ("".join(ROWS), {"header": False}),
        ("Title\n" + "".join(ROWS), {"header": False, "skip": 1}),
        ("Title\na,b,c\n" + "".join(ROWS), {"skip": 1}),
    ):
        path.write_text(text)
        data = Dataset.read(path, **options)
        codes, gaps = Coding.of(data).codes(path)
        assert codes.tolist() == data.codes.tolist()
        assert not gaps.any()


def test_other_names_are_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n" + "".join(ROWS))
    coding = Coding.of(Dataset.read(path))
    path.write_text("a,B,C\n" + "".join(ROWS))
    with pytest.raises(DataError, match=r"2 column\(s\) of the fit are missing: 'b', 'c'"):
        coding.codes(path)
