import json

import pytest

from cli.cases import run, summary_of
from knowledge_cases import random_table
from lsbn.runs import Run


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    random_table(5, 300, 1).to_csv(path, index=False)
    return path


@pytest.mark.parametrize("scope", ["lsbn", "global"])
def test_learn_honours_knowledge_and_the_page_shows_it(tmp_path, table, scope, capsys):
    known = tmp_path / "known.json"
    known.write_text(json.dumps({"roots": ["c"]}), "utf-8")
    folder = tmp_path / "run"
    told = ("--require", "e->a", "--forbid", "a->*", "--tiers", "e;d", "--knowledge", known)
    assert run("learn", table, "-o", folder, "--scope", scope, *told, "--jobs", 1) == 0
    settings = summary_of(folder)["settings"]
    assert settings["knowledge"] == {
        "required": [["e", "a"]],
        "forbidden": [["a", "*"]],
        "tiers": [["e"], ["d"]],
        "roots": ["c"],
    }
    assert "tiers" not in settings
    found = summary_of(folder)["diagnostics"]["knowledge"]
    assert "required: e -> a" in found["told"]
    dag = Run(folder).edges().dag(0.01)
    assert ("e", "a") in dag.edges
    assert not list(dag.successors("a"))
    assert not list(dag.predecessors("c"))
    assert not dag.has_edge("d", "e")
    page = (folder / "report.html").read_text("utf-8")
    assert "What you told" in page
    assert "required: e -&gt; a" in page
    capsys.readouterr()
    assert run("report", folder) == 0
    assert (folder / "report.html").read_text("utf-8") == page


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--require", "a-b"), "'a-b' is no edge"),
        (("--require", "a->z"), "no column 'z'"),
        (("--forbid", "a->b", "--require", "a->b"), "a -> b is required, but it is also forbidden"),
        (("--tiers", "a,,b"), "empty name"),
        (("--knowledge", "nowhere.csv"), "nowhere.csv"),
    ],
)
def test_wrong_knowledge_is_refused(tmp_path, table, options, message, capsys):
    assert run("learn", table, "-o", tmp_path / "run", *options) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
