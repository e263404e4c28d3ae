from cli.cases import RUN_FILES, names_in, run


def test_report_is_written_again(tmp_path, chain, estimator, capsys):
    run("learn", chain, "-o", tmp_path / "run")
    page = tmp_path / "run" / "report.html"
    page.unlink()
    capsys.readouterr()
    assert run("report", tmp_path / "run") == 0
    assert capsys.readouterr().out == f"written: {page}\n"
    assert "ä,1" in page.read_text("utf-8")
    assert names_in(tmp_path / "run") == RUN_FILES


def test_report_refuses(tmp_path, chain, halves, capsys):
    assert run("report", tmp_path / "nowhere") == 2
    assert "nowhere" in capsys.readouterr().err
    run("partition", chain, "-o", tmp_path / "run")
    assert run("report", tmp_path / "run") == 2
    assert "lsbn learn" in capsys.readouterr().err
