import shlex

import numpy as np
import pandas as pd

from cli.cases import names_in, run


def test_check_says_what_each_column_becomes(tmp_path, capsys, estimator):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a b": rng.normal(size=99), "k": rng.integers(0, 3, 99).astype(float)})
    table["name"] = [f"p{i}" for i in range(99)]
    table.loc[3, "k"] = np.nan
    table.to_csv(tmp_path / "t.csv", index=False)
    assert run("check", tmp_path / "t.csv") == 0
    out = capsys.readouterr().out
    assert "99 rows, 98 of them used, 3 columns" in out
    assert "a b     fractions            -  5 by quantile: [" in out
    assert "k       whole numbers    1.0 %  3 states: 0, 1, 2" in out
    assert "name    text                 -  left out" in out
    assert "3 problems in the table" in out
    assert names_in(tmp_path) == ["t.csv"]
    words = shlex.split(out.splitlines()[-1])
    assert words[5:] == ["--missing", "drop", "--discretize", "quantile", "--drop", "name"]
    words[4] = tmp_path / "run"
    assert run(*words[1:]) == 0
    assert run("check", *words[2:3], *words[5:]) == 0
    assert "problem" not in capsys.readouterr().out


def test_check_of_many_columns_is_short(tmp_path, capsys):
    table = pd.DataFrame(np.arange(500).reshape(2, 250) % 2, columns=[f"v{i}" for i in range(250)])
    table.to_csv(tmp_path / "wide.csv", index=False)
    assert run("check", tmp_path / "wide.csv") == 0
    assert "... and 50 more columns" in capsys.readouterr().out


def test_check_refuses_what_is_no_table(tmp_path, capsys):
    assert run("check", tmp_path / "nothing.csv") == 2
    assert "no such file" in capsys.readouterr().err


def test_reading_options_of_learn(tmp_path, estimator):
    (tmp_path / "t.txt").write_text("1|?|2.5|k\n2|1|3.5|k\n" * 20)
    words = ("--sep", "|", "--no-header", "--drop", "x3", "--na", "?", "--missing", "state")
    cut = ("--discretize", "x2=uniform:2")
    assert run("learn", tmp_path / "t.txt", "-o", tmp_path / "run", *words, *cut) == 0
    assert (tmp_path / "run" / "edges.csv").read_text().count("x") == 4


def test_check_prints_a_command_for_lines_above_the_table(tmp_path, capsys, estimator):
    path = tmp_path / "wine data.csv"
    path.write_text(
        "40,5,class_0,class_1\n" + "14.2,1.7,2.4,127,1065,0\n13.2,1.8,2.1,99,12,1\n" * 20
    )
    assert run("learn", path, "-o", tmp_path / "run") == 2
    assert "line 1 has 4 fields, but the rows have 6" in (error := capsys.readouterr().err)
    assert "use --skip 1 --no-header" in error
    assert run("check", path) == 0
    words = shlex.split(capsys.readouterr().out.splitlines()[-1])
    assert words[5:] == ["--skip", "1", "--no-header", "--discretize", "quantile"]
    words[4] = tmp_path / "run"
    assert run(*words[1:]) == 0
    assert "seems" not in capsys.readouterr().out
    assert run("ask", tmp_path / "run", "predict", path, "--target", "x5") == 0
    assert len(capsys.readouterr().out.splitlines()) == 41


def test_values_for_missing_may_start_with_a_minus(tmp_path, capsys):
    table = pd.DataFrame({"a": [1, -99, 2, 3, 4] * 9, "b": ["x", "?", "y", "-", "x"] * 9})
    table.to_csv(tmp_path / "t.csv", index=False)
    assert run("check", tmp_path / "t.csv") == 0
    assert '(--na "-99")' in capsys.readouterr().out
    assert run("check", tmp_path / "t.csv", "--na", "-99,?", "--missing", "drop") == 0
    out = capsys.readouterr().out
    assert "a       whole numbers   20.0 %  4 states: 1, 2, 3, 4" in out
    assert run("check", tmp_path / "t.csv", "--na", "-,?", "--missing", "drop") == 0
    assert "b       text            40.0 %" in capsys.readouterr().out
