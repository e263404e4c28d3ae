import lsbn.cli.demo
from cli.cases import RUN_FILES, names_in, run, summary_of


def test_demo_learns_alarm(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(lsbn.cli.demo, "ROWS", 1000)
    assert run("demo") == 0
    out = capsys.readouterr().out
    assert "37 variables, 46 edges" in out
    assert "From 1,000 rows" in out
    assert "of the 46 true edges lie inside a community" in out
    assert out.rstrip().endswith("report.html")
    assert names_in(tmp_path / "runs" / "demo") == RUN_FILES
    summary = summary_of(tmp_path / "runs" / "demo")
    assert summary["evaluation"]["f_score"] > 80
    assert summary["settings"]["score"] == "mixed"


def test_demo_replaces_nothing_but_a_demo(tmp_path, chain, estimator, monkeypatch, capsys):
    monkeypatch.setattr(lsbn.cli.demo, "ROWS", 10)
    for seed in (0, 1):
        assert run("demo", "-o", tmp_path / "demo", "--seed", seed) == 0
        assert summary_of(tmp_path / "demo")["seed"] == seed
    assert run("learn", chain, "-o", tmp_path / "mine") == 0
    capsys.readouterr()
    assert run("demo", "-o", tmp_path / "mine") == 2
    captured = capsys.readouterr()
    assert "mine exists" in captured.err
    assert captured.out == ""
    assert summary_of(tmp_path / "mine")["settings"]["command"] == "learn"
