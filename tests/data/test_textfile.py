"""Text files: what is read, and a clear refusal of the rest."""

import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lsbn.data import DataError, Dataset


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\n\n", "the file is empty"),
        (b"\xef\xbb\xbf", "the file is empty"),
        (b"a,b\n", "no rows"),
        (b"a\n1\n2\n", "a single column"),
        (b"a,b\n1,2\n", "a single row"),
        (b"a,b\n1,2\n1,2,3\n4\n", r"header has 2 .*row 2 \(line 3\) has 3, row 3 \(line 4\) has 1"),
        (
            b"3,2,x\n1,2\n1,3\n",
            "line 1 has 3 fields, but all below have 2;.*--skip 1;.*--no-header",
        ),
        (b"a,b\n1,\xe9\n2,x\n", "not UTF-8"),
        (b"a,b\n" + b"1,2\n" * 10_000 + b"1,\xe9\n", "not UTF-8"),
        ("a,b\n1,2\n2,3\n".encode("utf-16"), "not UTF-8"),
        (b",a,b\n0,1,2\n0,3,4\n", "number 1; .*saved row index"),
        (b",,\n,,\n,,\n", "no column has a name or a value; expected a header and rows"),
        (b",\n1,\n2,\n", "number 1; .*saved row index"),
        (b"Title\n\na,b\n1,2\n2,1\n1,1\n", "line 1 has 1 field, but the rows have 2: use --skip 1"),
        (b"Title\na,b\n1,2\n2,1\n3,1\n", "line 1 has 1 field, but the rows have 2: use --skip 1"),
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


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("t.txt", "a\tb\n1\tx y\n2\tz\n", {}),
        ("t.txt", "a;b\n1;x y\n2;z\n", {}),
        ("t.csv", "a;b\n1;x y\n2;z\n", {}),
        ("t.txt", "a|b\n1|x y\n2|z\n", {"sep": "|"}),
        ("t.csv", "a\tb\n1\tx y\n2\tz\n", {"sep": "tab"}),
        ("t.csv", ",a,b\nr1,1,x y\nr2,2,z\n", {}),
        ("t.csv", "a,b\nr1,1,x y\nr2,2,z\n", {}),
        ("t.txt.gz", "a,b\n1,x y\n2,z\n", {}),
        (
            "t.arff",
            "@relation r\n@attribute a numeric\n@attribute b {'x y',z}\n@data\n1,'x y'\n2,z\n",
            {},
        ),
    ],
)
def test_layouts_of_text(name, text, options, tmp_path):
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    data = Dataset.read(path, **options)
    assert data.names == ("a", "b")
    assert data.states == (("1", "2"), ("x y", "z"))
    assert data.codes.tolist() == [[0, 1], [0, 1]]


def test_spaces_and_no_header(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("  1   x\n\n 2  y \n")
    data = Dataset.read(path, header=False)
    assert data.names == ("x0", "x1")
    assert data.states == (("1", "2"), ("x", "y"))
    path.write_text("1 x\n2 y z\n")
    with pytest.raises(DataError, match=r"row 1 \(line 2\) has 3"):
        Dataset.read(path, sep="space", header=False)
    with pytest.raises(DataError, match="sep is '::'"):
        Dataset.read(path, sep="::")


def test_decimal_commas(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;b\n1,5;1,000\n2;2,000\n")
    data = Dataset.read(path, discretize="quantile")
    assert data.states == (("1.5", "2"), ("1,000", "2,000"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@relation r\n@attribute a numeric\n", "no line @data"),
        ("1,2\n3,4\n", "line 1: expected @attribute"),
        ("@attribute a\n@data\n1\n", "line 1: expected @attribute NAME TYPE"),
        ("@attribute a numeric\n@attribute b real\n@data\n1,2\n1\n", "row 2 after @data has 1"),
        ("@attribute a numeric\n@attribute b real\n@data\n{0 1}\n", "sparse"),
    ],
)
def test_bad_arff(text, message, tmp_path):
    path = tmp_path / "t.arff"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        Dataset.read(path)


def test_arff_keeps_declared_order_and_missing_values(tmp_path):
    path = tmp_path / "t.arff"
    path.write_text(
        "% comment\n@RELATION 'a b'\n\n@ATTRIBUTE 'full name' {low, mid, high, 'it\\'s'}\n"
        '@attribute x REAL\n@attribute day date "yyyy-MM-dd"\n@DATA\n'
        "mid, 1.5, 2020-01-01\nhigh, ?, 2020-01-02\n% c\nlow,2,2020-01-01\n'it\\'s',3,2020-01-03\n"
    )
    data = Dataset.read(path, missing="state", discretize="quantile")
    assert data.names == ("full name", "x", "day")
    assert data.states[0] == ("low", "mid", "high", "it's")
    assert data.states[1] == ("1.5", "2", "3", "(missing)")
    assert data.states[2] == ("2020-01-01", "2020-01-02", "2020-01-03")


def test_a_first_line_of_numbers_is_pointed_out(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("1,2.5\n3,4.5\n5,4.5\n")
    assert "line 1 seems to be a row" in Dataset.read(path, discretize="quantile").notes[0]
    path.write_text("0,1\n3,4.5\n5,4.5\n")
    assert "all names are numbers" in Dataset.read(path, discretize="quantile").notes[0]
    path.write_text("1,1\n3,4\n5,4\n")
    with pytest.raises(DataError, match="use --no-header"):
        Dataset.read(path)
    assert Dataset.read(path, header=False).n_rows == 3


def test_dates_with_slashes(tmp_path):
    (tmp_path / "t.csv").write_text("when,x\n2012/01/31,1\n2012/02/01 12:30,2\n2013/02/01,1\n")
    data = Dataset.read(tmp_path / "t.csv", discretize="year")
    assert data.states[0] == ("2012", "2013")
    (tmp_path / "t.csv").write_text("when,x\n31/01/2012,1\n2012/01/3,2\n")
    assert Dataset.read(tmp_path / "t.csv").states[0] == ("2012/01/3", "31/01/2012")


@pytest.mark.parametrize(
    ("text", "names", "states"),
    [
        ("# by hand\na,b\n1,x\n2,y\n", ("a", "b"), ("1", "2")),
        ("# by hand\n# in 2020\n\na;b\n1;x\n2;y\n", ("a", "b"), ("1", "2")),
        ("#a,b\n1,x\n2,y\n", ("#a", "b"), ("1", "2")),
        ("# by hand\n#a,b\n1,x\n2,y\n", ("#a", "b"), ("1", "2")),
        ("a,b\n#1,x\n#2,y\n", ("a", "b"), ("#1", "#2")),
    ],
)
def test_comments_above_the_header(tmp_path, text, names, states):
    path = tmp_path / "t.csv"
    path.write_text(text)
    data = Dataset.read(path)
    assert data.names == names
    assert data.states[0] == states
    assert any("start with #" in note for note in data.notes) == text.startswith("# ")


def test_lines_are_counted_below_comments(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("# by hand\na,b\n1,x\n2\n3,y\n")
    with pytest.raises(DataError, match=r"row 2 \(line 4\) has 1"):
        Dataset.read(path)


def test_columns_without_a_name_and_values_are_left_out(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(",a,b,,\n1,1,x,,\n2,2,y,,\n3,1,x,NA,\n")
    data = Dataset.read(path)
    assert data.names == ("a", "b")
    assert "left out 2 column(s) without a name" in data.notes[0]
    assert "left out the first column" in data.notes[1]
    assert Dataset.read(path, names=list("vwxyz"), missing="state").n_variables == 5


def test_spaces_around_names_and_numbers_are_left_out(tmp_path):
    path = tmp_path / "t.data"
    path.write_text("age, job, score \n39, clerk, 1.5\n50, ?,2.5 \n 38, clerk , NA\n40, cook,\n")
    data = Dataset.read(path, missing="state", discretize="quantile")
    assert data.names == ("age", "job", "score")
    assert data.states[0] == ("38", "39", "40", "50")
    assert data.states[1] == ("?", "clerk", "cook")
    with pytest.raises(DataError, match=r"missing values in 1 column\(s\): 'score' \(2\)"):
        Dataset.read(path, drop="job", discretize="quantile")
    path.write_text("a,b\n x,1\ny , 1\n")
    assert Dataset.read(path).states == ((" x", "y "), ("1",))


def test_quoted_fields_between_spaces(tmp_path):
    """As R writes tables; and a header with tabs above rows with spaces."""
    path = tmp_path / "t.txt"
    path.write_text('"city" "n"\n"1" "New York" 2\n"2" "the ""old"" town" 3\n"3" "New York" 3\n')
    data = Dataset.read(path)
    assert data.states == (("New York", 'the "old" town'), ("2", "3"))
    path.write_text('a\tb c\n1  2\t"x y"\n2   2\t"z"\n1 3 "z"\n')
    assert Dataset.read(path).states == (("1", "2"), ("2", "3"), ("x y", "z"))
    path.write_text('a b c\n1 2 "x y"\n2 "a b"\n1 3 "z"\n')
    with pytest.raises(DataError, match=r"row 2 \(line 3\) has 2"):
        Dataset.read(path)
