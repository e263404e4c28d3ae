import pytest

import lsbn.studies.paper
from cli.cases import names_in, run


def test_study_prints_and_writes_tables(tmp_path, capsys):
    words = ("--networks", "alarm", "--rows", 500, "--seeds", 1, "--learners", "pc")
    words = (*words, "--scopes", "global", "-o", tmp_path / "s")
    assert run("study", "paper", *words) == 0
    assert "alarm" in capsys.readouterr().out
    assert {"tables.md", "partition.md", "study.json"} <= set(names_in(tmp_path / "s"))


def test_study_is_not_run_over_another_but_goes_on(tmp_path, capsys):
    only = ("--learners", "pc", "--scopes", "global", "--seeds", 1, "-o", tmp_path / "s")
    words = ("study", "paper", "--networks", "alarm", "--rows", 500, *only)
    assert run(*words, "--page", tmp_path / "page.md") == 0
    assert (tmp_path / "page.md").is_file()
    written = (tmp_path / "s" / "tables.txt").read_text("utf-8")
    assert run(*words) == 2
    assert "--resume" in capsys.readouterr().err
    assert run("study", "paper", "--resume", "-o", tmp_path / "s") == 0
    assert (tmp_path / "s" / "tables.txt").read_text("utf-8") == written


def test_interrupted_study_tells_how_to_continue(tmp_path, monkeypatch, capsys):
    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(lsbn.studies.paper, "run_paper_study", interrupt)
    assert run("study", "paper", "-o", tmp_path / "s") == 130
    message = f"lsbn: interrupted; finished cells are in {tmp_path / 's'}, use --resume\n"
    assert capsys.readouterr().err == message


@pytest.mark.parametrize("seeds", ["x", "0", "-1,2", "1,1"])
def test_study_refuses_strange_seeds(seeds, tmp_path, capsys):
    assert run("study", "paper", f"--seeds={seeds}", "-o", tmp_path / "s") == 2
    assert "--seeds" in capsys.readouterr().err
