"""``lsbn ask``: every question, in text and as JSON."""

import json

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
