"""``lsbn ask``: every question, in text and as JSON."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest

from cli.cases import run
from lsbn import LSBN, load_network


@pytest.fixture(scope="module")
def table():
    return load_network("alarm").sample(400, random_state=0)[["HR", "HRBP", "CO", "TPR"]]


@pytest.fixture(scope="module")
def finished(table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("ask")
    table.rename(columns={"CO": "cardiac output"}).to_csv(folder / "t.csv", index=False)
    words = ("--jobs", 1, "--graphs", 300, "--seed", 4)
    assert run("learn", folder / "t.csv", "-o", folder / "run", *words) == 0
    return folder


@pytest.fixture(scope="module")
def model(table):
    return LSBN(random_state=4, n_graphs=300).fit(table.rename(columns={"CO": "cardiac output"}))


@pytest.fixture
def ask(finished, capsys):
    """Ask and return the text, or the record of JSON."""

    def asked(*words, code=0):
        capsys.readouterr()
        assert run("ask", finished / "run", *words) == code
        out, err = capsys.readouterr()
        if code:
            return err
        return json.loads(out) if "--json" in words else out

    return asked


@pytest.mark.parametrize("how", ["edge", "adjacent", "path"])
def test_relations(ask, model, how):
    wanted = model.probability("HR", "cardiac output", how=how)
    found = ask(how, "HR", "cardiac output", "--json")
    assert found["probability"] == pytest.approx(float(wanted), rel=1e-5)
    assert ask(how, "HR", "cardiac output").startswith(f"{float(wanted):.3f}")


def test_blanket(ask, model):
    wanted = model.markov_blanket("HR")
    found = ask("blanket", "HR", "--json")["blanket"]
    assert [row["variable"] for row in found] == wanted["variable"].tolist()
    assert "1.000 ± 0.000  HRBP" in ask("blanket", "HR")


def test_effect(ask, model):
    wanted = model.effect("HR", "HRBP", level=0.5).to_frame()
    found = ask("effect", "HR", "HRBP", "--level", "0.5", "--json")["effects"]
    assert [row["probability"] for row in found] == pytest.approx(wanted["probability"].tolist())
    text = ask("effect", "HR", "HRBP")
    assert "90% intervals" in text
    assert "networks in which HR has an effect" in text


@pytest.mark.parametrize("average", [(), ("--average",)])
def test_score_and_prediction(ask, finished, model, tmp_path, average):
    rows = pd.read_csv(finished / "t.csv").head(40)
    rows.to_csv(tmp_path / "rows.csv", index=False)
    found = ask("score", tmp_path / "rows.csv", "--json", *average)
    wanted = model.log_likelihood(rows, average=bool(average)).mean()
    assert found["mean"] == pytest.approx(wanted)
    assert found["rows"] == 40
    rows.drop(columns="HR").to_csv(tmp_path / "rows.csv", index=False)
    words = ("predict", tmp_path / "rows.csv", "--target", "HR", *average)
    assert "40 predictions written" in ask(*words, "-o", tmp_path / "out.csv")
    table = pd.read_csv(tmp_path / "out.csv")
    assert list(table) == ["HR", "P(HIGH)", "P(LOW)", "P(NORMAL)"]
    assert table["HR"].tolist() == model.predict(rows, "HR", average=bool(average)).tolist()
    shares = model.predict_proba(rows, "HR", average=bool(average))
    np.testing.assert_allclose(table.iloc[:, 1:], shares, atol=1e-5)
    assert ask(*words).splitlines() == (tmp_path / "out.csv").read_text("utf-8").splitlines()
    assert ask(*words, "--json")["probabilities"] == shares.tolist()


def test_a_single_row_is_enough(ask, finished, tmp_path):
    pd.read_csv(finished / "t.csv").head(1).to_csv(tmp_path / "one.csv", index=False)
    assert "1 rows" in ask("score", tmp_path / "one.csv")


@pytest.mark.parametrize(
    ("above", "words"),
    [
        ("", ("--no-header",)),
        ("Title\n", ("--no-header", "--skip", 1)),
        ("Title\nx0,b\n", ("--skip", 1)),
    ],
)
def test_the_file_that_was_learned_and_single_rows(above, words, tmp_path, capsys):
    rows = ["0,1\n", "1,0\n", "1,0\n", "0,1\n"] * 5
    (tmp_path / "t.csv").write_text(above + "".join(rows))
    words = (*words, "--jobs", 1, "--graphs", 20, "-o", tmp_path / "run")
    assert run("learn", tmp_path / "t.csv", *words) == 0
    (tmp_path / "one.csv").write_text(above.removeprefix("Title\n") + rows[0])
    for file, n_rows in (("t.csv", 20), ("one.csv", 1)):
        capsys.readouterr()
        assert run("ask", tmp_path / "run", "predict", tmp_path / file, "--target", "x0") == 0
        assert len(capsys.readouterr().out.splitlines()) == 1 + n_rows


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
def test_sample(ask, model, tmp_path, ending):
    path = tmp_path / f"rows{ending}"
    assert "12 rows written" in ask("sample", "--rows", 12, "--seed", 3, "-o", path)
    read = pd.read_parquet if ending == ".parquet" else pd.read_csv
    wanted = model.sample(12, random_state=3).astype(str)
    assert read(path).astype(str).equals(wanted)
    assert "exists; choose another name" in ask("sample", "--rows", 1, "-o", path, code=2)


def test_graphs(ask, tmp_path):
    assert "20 networks written" in ask("graphs", "-k", 20, "-o", tmp_path / "g.csv")
    table = pd.read_csv(tmp_path / "g.csv")
    assert list(table) == ["graph", "source", "target"]
    assert table["graph"].nunique() == 20
    assert "use 1 to 300" in ask("graphs", "-k", 301, "-o", tmp_path / "h.csv", code=2)


def test_wrong_questions(ask, tmp_path, finished, capsys):
    assert "no variable 'HRB'; did you mean 'HRBP'" in ask("edge", "HRB", "HR", code=2)
    (tmp_path / "bad.csv").write_text("HR,HRBP,TPR\nLOW,LOW,LOW\nLOW,LOW,LOW\n")
    assert "missing: 'cardiac output'" in ask("score", tmp_path / "bad.csv", code=2)
    assert run("ask", tmp_path, "edge", "a", "b") == 2
    assert "has no edges.csv" in capsys.readouterr().err


def test_runs_without_networks_say_so(finished, tmp_path, capsys):
    words = ("--learner", "greedy", "--jobs", 1)
    assert run("learn", finished / "t.csv", "-o", tmp_path / "run", *words) == 0
    assert run("ask", tmp_path / "run", "path", "HR", "HRBP") == 2
    assert "--learner model-averaging" in capsys.readouterr().err
    assert run("ask", tmp_path / "run", "edge", "HR", "HRBP") == 0
    assert run("learn", finished / "t.csv", "-o", tmp_path / "x", *words, "--graphs", 5) == 2


NA = """age,g,h
-99,n,1
30,?,0
"""


@pytest.fixture(scope="module")
def coded(tmp_path_factory):
    """A run of a table in which -99 and ? mean 'missing'."""
    folder = tmp_path_factory.mktemp("coded")
    rows = [f"{20 + k % 60},{'y' if k % 60 > 30 else 'n'},{k % 2}\n" for k in range(120)]
    (folder / "t.csv").write_text("age,g,h\n" + "".join(rows) + NA.split("\n", 1)[1])
    words = ("--na=-99,?", "--missing", "drop", "--discretize", "quantile", "--bins", 3)
    words = (*words, "--jobs", 1, "--graphs", 50, "-o", folder / "run")
    assert run("learn", folder / "t.csv", *words) == 0
    return folder


@pytest.mark.parametrize("old", [False, True])
def test_values_that_mean_missing_are_those_of_the_run(coded, old, tmp_path, capsys):
    """Older runs have them in summary.json only."""
    shutil.copytree(coded / "run", tmp_path / "run")
    record = json.loads((tmp_path / "run" / "coding.json").read_text("utf-8"))
    assert record["na"] == ["-99", "?"]
    if old:
        del record["na"]
        (tmp_path / "run" / "coding.json").write_text(json.dumps(record), "utf-8")
    (tmp_path / "signs.csv").write_text(NA)
    (tmp_path / "blank.csv").write_text(NA.replace("-99", "").replace("?", ""))
    answers = []
    for name in ("signs.csv", "blank.csv"):
        for words in (("predict", "--target", "h"), ("score",), ("impute",)):
            capsys.readouterr()
            question, *more = words
            assert run("ask", tmp_path / "run", question, tmp_path / name, *more) == 0
            answers.append(capsys.readouterr().out)
    assert answers[:3] == answers[3:]
    words = ("-o", tmp_path / "filled.csv", "--cells", tmp_path / "cells.csv")
    assert run("ask", tmp_path / "run", "impute", tmp_path / "signs.csv", *words) == 0
    assert "2 cells written" in capsys.readouterr().out
    assert "-99" not in (tmp_path / "filled.csv").read_text("utf-8")
    assert pd.read_csv(tmp_path / "cells.csv")["column"].tolist() == ["age", "g"]


def test_a_new_table_may_have_signs_of_its_own(coded, tmp_path, capsys):
    (tmp_path / "t.csv").write_text(NA.replace("?", "none given"))
    question = ("ask", coded / "run", "impute", tmp_path / "t.csv", "--json")
    assert run(*question) == 2
    assert "'g' ('none given')" in capsys.readouterr().err
    assert run(*question, "--na", "none given") == 0
    found = json.loads(capsys.readouterr().out)["cells"]
    assert [cell["column"] for cell in found] == ["age", "g"]


def test_columns_that_were_dropped_stay_as_they_are(ask, finished, tmp_path):
    table = pd.read_csv(finished / "t.csv").head(5)
    days = pd.to_datetime(["2020-01-01", None, "2020-01-03", "2020-01-04", "2020-01-05"])
    more = {"day": days, "list": [[1, 2]] * 5, "n": pd.array([1, None, 3, 4, 5], "Int64")}
    table = table.assign(**more)
    table.loc[2, "HR"] = None
    table.to_parquet(tmp_path / "t.parquet")
    assert "5 rows" in ask("score", tmp_path / "t.parquet")
    words = ("impute", tmp_path / "t.parquet", "-o", tmp_path / "filled.csv")
    assert "1 cells written" in ask(*words)
    header, first, second, third, *_ = (tmp_path / "filled.csv").read_text("utf-8").splitlines()
    assert header == "HR,HRBP,cardiac output,TPR,day,list,n"
    assert first.endswith(',2020-01-01,"[1, 2]",1')
    assert second.endswith(',,"[1, 2]",')
    assert not third.startswith(",")


def test_a_column_without_a_name_stays_first(ask, finished, tmp_path):
    table = pd.read_csv(finished / "t.csv").head(5)
    table.loc[2, "HR"] = None
    table.to_csv(tmp_path / "t.csv")
    assert "1 cells written" in ask("impute", tmp_path / "t.csv", "-o", tmp_path / "f.csv")
    lines = [(tmp_path / name).read_text("utf-8").splitlines() for name in ("t.csv", "f.csv")]
    assert [a == b for a, b in zip(*lines, strict=True)] == [True, True, True, False, True, True]


def test_missing_as_a_state_is_not_filled_and_the_note_says_so(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("a,b\n" + "x,u\n,v\ny,u\nx,v\n" * 10)
    words = ("--missing", "state", "--jobs", 1, "--graphs", 20, "-o", tmp_path / "run")
    assert run("learn", tmp_path / "t.csv", *words) == 0
    capsys.readouterr()
    assert run("ask", tmp_path / "run", "impute", tmp_path / "t.csv") == 0
    out, err = capsys.readouterr()
    assert out == "row,column,value,probability\n"
    assert "note: 'missing' is a state of 1 column(s): 'a'; nothing is filled there" in err
