"""The whole study on a network of five variables: cells, resume, tables, plots, page."""

import json
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from lsbn.studies import comparison, paper, peers
from lsbn.studies.cells import Cell, CellStore, Outcome, load_targets
from lsbn.studies.comparison import plan, run_cell
from lsbn.studies.page import write_page
from lsbn.studies.paper import Settings, read_results, run_paper_study, settings_of, write_results
from lsbn.studies.plots import all_plots, f_plot, rows_plot, stage_plot
from lsbn.studies.result_tables import main_tables, seconds_tables
from lsbn.studies.results import Results, verdicts
from lsbn.studies.tabular import Table

TOY = """network toy { }
variable a { type discrete [ 2 ] { no, yes }; }
variable b { type discrete [ 2 ] { no, yes }; }
variable c { type discrete [ 2 ] { no, yes }; }
variable d { type discrete [ 2 ] { no, yes }; }
variable e { type discrete [ 2 ] { no, yes }; }
probability ( a ) { table 0.4, 0.6; }
probability ( b | a ) { (no) 0.9, 0.1; (yes) 0.2, 0.8; }
probability ( c | b ) { (no) 0.85, 0.15; (yes) 0.1, 0.9; }
probability ( d | a ) { (no) 0.2, 0.8; (yes) 0.9, 0.1; }
probability ( e | c ) { (no) 0.1, 0.9; (yes) 0.8, 0.2; }
"""


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    path = tmp_path_factory.mktemp("net") / "toy.bif"
    path.write_text(TOY, encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def finished(toy, tmp_path_factory):
    folder = tmp_path_factory.mktemp("study") / "run"
    settings = Settings(networks=[toy], rows=200, seeds=[0, 1])
    told = []
    results = run_paper_study(folder, settings, warm=False, n_jobs=1, progress=told.append)
    return folder, settings, results, told


def contents(folder, *, but=()):
    return {
        p.relative_to(folder).as_posix(): p.read_bytes()
        for p in sorted(folder.rglob("*"))
        if p.is_file() and not p.name.startswith(but)
    }


def test_every_cell_leaves_a_file(finished):
    folder, _, results, told = finished
    files = {p.name for p in (folder / "cells").iterdir()}
    assert len(files) == 2 * (1 + 5 * 3) == len(results.outcomes) == len(told)
    assert "toy-200-1-mmhc-global.json" in files
    record = json.loads((folder / "cells" / "toy-200-0-model-averaging-lsbn.json").read_text())
    assert record["figures"]["hits"] + record["figures"]["misses"] == 4
    assert record["curves"]["precision_recall"]
    assert sum(record["curves"]["calibration"]["counts"]) == 10
    assert {"partition", "last pass", "total"} <= set(record["seconds"])
    assert told[0].startswith("[1/32] toy, 200 rows, seed 0")


def test_tables_plots_and_page_are_written(finished, tmp_path):
    folder, _, results, _ = finished
    names = set(contents(folder))
    assert {"tables.md", "tables.txt", "seconds.md", "cells.csv", "study.json"} <= names
    assert {"tables/comparison_toy.csv", "tables/misprints.csv", "partition.md"} <= names
    written = write_page(results, folder, tmp_path / "paper.md")
    text = written[0].read_text(encoding="utf-8")
    assert "## Commands" in text
    for path in written[1:]:
        assert f"(paper/{path.name})" in text
        assert ET.parse(path).getroot().tag.endswith("svg")
    assert {p.stem for p in written[1:]} >= {"f_score", "precision_recall", "calibration", "stages"}


def test_seconds_are_only_in_their_own_tables(finished):
    results = finished[2]
    outcomes = {
        cell: replace(o, seconds={k: 7 * v + 1 for k, v in o.seconds.items()}, peak_mb=1.0)
        for cell, o in results.outcomes.items()
    }
    slower = replace(results, outcomes=outcomes)
    assert main_tables(slower) == main_tables(results)
    assert seconds_tables(slower) != seconds_tables(results)


def test_tables_follow_from_the_cells_alone(finished, tmp_path):
    folder, settings, results, _ = finished
    before = contents(folder, but=("study",))
    again = read_results(CellStore(folder / "cells"), load_targets(settings.networks), settings)
    assert again == results
    write_results(again, tmp_path)
    made = contents(tmp_path)
    assert made == {name: data for name, data in before.items() if not name.startswith("cells/")}


def test_same_seeds_give_the_same_tables(finished, toy, tmp_path):
    folder = finished[0]
    settings = Settings(networks=[toy], rows=200, seeds=[0, 1])
    run_paper_study(tmp_path / "again", settings, warm=False, n_jobs=2)
    for name in ("tables.md", "tables.txt", "cells.csv", "partition.csv"):
        assert (tmp_path / "again" / name).read_bytes() == (folder / name).read_bytes()


def test_a_killed_run_goes_on_where_it_was(finished, toy, tmp_path, monkeypatch):
    settings = Settings(networks=[toy], rows=200, seeds=[0, 1], learners=["aracne", "pc"])
    folder, ran = tmp_path / "run", []

    def counted(cell, target, n_jobs=None):
        if len(ran) == 5:
            raise KeyboardInterrupt
        ran.append(cell)
        return run_cell(cell, target, n_jobs)

    monkeypatch.setattr(comparison, "run_cell", counted)
    with pytest.raises(KeyboardInterrupt):
        run_paper_study(folder, settings, warm=False)
    assert {p.name for p in (folder / "cells").iterdir()} == {cell.file for cell in ran}
    kept = contents(folder / "cells")

    with pytest.raises(FileExistsError, match="--resume"):
        run_paper_study(folder, settings, warm=False)
    rest = []

    def noted(cell, target, n_jobs=None):
        rest.append(cell)
        return run_cell(cell, target, n_jobs)

    monkeypatch.setattr(comparison, "run_cell", noted)
    run_paper_study(folder, settings_of(folder), resume=True, warm=False)
    assert not set(ran) & set(rest)
    assert len(ran) + len(rest) == 2 * (1 + 2 * 3)
    assert kept.items() <= contents(folder / "cells").items()
    whole = dict(line.split(",done,") for line in _rows(finished[0]))
    assert all(whole[key] == value for key, value in map(_split, _rows(folder)))


def _rows(folder):
    return (folder / "cells.csv").read_text(encoding="utf-8").splitlines()[1:]


def _split(line):
    return line.split(",done,")


def test_force_begins_anew_and_leaves_other_files(finished, toy, tmp_path):
    settings = Settings(networks=[toy], rows=100, seeds=[3], learners=["pc"], scopes=["global"])
    run_paper_study(tmp_path / "run", settings, warm=False)
    (tmp_path / "run" / "mine.txt").write_text("keep", encoding="utf-8")
    other = replace(settings, seeds=[4])
    run_paper_study(tmp_path / "run", other, force=True, warm=False)
    assert (tmp_path / "run" / "mine.txt").is_file()
    assert {p.name for p in (tmp_path / "run" / "cells").iterdir()} == {
        "toy-100-4-pc-global.json",
        "toy-100-4-ropart-partition.json",
    }


def test_foreign_folders_and_changed_networks_are_refused(finished, toy, tmp_path):
    (tmp_path / "x.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError, match="no study"):
        run_paper_study(tmp_path, Settings(networks=[toy]), force=True)
    changed = tmp_path / "toy.bif"
    changed.write_text(TOY.replace("0.4, 0.6", "0.3, 0.7"), encoding="utf-8")
    with pytest.raises(ValueError, match="another network"):
        run_paper_study(finished[0], Settings(networks=[str(changed)]), resume=True)
    with pytest.raises(ValueError, match="two networks are called 'toy'"):
        load_targets([toy, str(changed)])


def test_a_broken_cell_is_named(finished, tmp_path):
    cell = next(iter(finished[2].outcomes))
    (tmp_path / cell.file).write_text("{}", encoding="utf-8")
    with pytest.raises(ValueError, match=cell.file):
        CellStore(tmp_path).read(cell)


def test_cheap_cells_come_first(toy):
    found = load_targets(["alarm", toy, "insurance"])
    assert [t.label for t in found] == ["toy", "insurance", "alarm"]
    cells = plan(found, 20_000, [0, 1], ["model-averaging", "aracne"], ["lsbn", "global"])
    assert len(cells) == len(set(cells)) == 3 * 2 * 5
    assert (cells[0].network, cells[-1].network) == ("toy", "alarm")
    assert (cells[-1].learner, cells[-1].scope) == ("model-averaging", "lsbn")
    more = plan(found, 20_000, [0], ["aracne"], ["lsbn"], rows_study=True)
    assert len(more) == 3 * 2 + 3 * len(comparison.ROWS_STUDY)


def made_up(network="alarm", scores=(97.0, 98.0)):
    """Results with one learner, as after a long run."""
    outcomes = {}
    for seed, score in enumerate(scores):
        for scope in ("lsbn", "global"):
            cell = Cell(network, 20_000, seed, "greedy", scope)
            figures = dict.fromkeys(("hits", "misses", "errors", "shd"), 1)
            figures |= dict.fromkeys(("precision", "recall", "f_score"), score)
            outcomes[cell] = Outcome(cell, figures=figures, seconds={"total": 1.0})
    return Results((network,), 20_000, (0, 1), ("greedy",), ("lsbn", "global"), outcomes)


def test_ours_stands_beside_the_papers():
    tables = {t.name: t for t in main_tables(made_up())}
    lsbn, whole = tables["comparison_alarm"].rows
    assert lsbn[:3] == ["Greedy", "LSBN", "1.0 / 43"]
    assert lsbn[7] == "97.5 ± 0.7 / 83.9"
    assert whole[7] == "97.5 ± 0.7 / 88.9"
    assert tables["normalised_f_score"].rows == [["alarm", "LSBN", "100.0 / 94.4 (104.0)"]]
    assert "LSBN 1 of 1, Global 1 of 1" in tables["f_score"].note


def test_a_verdict_is_about_the_printed_figure_and_about_its_counts():
    """Greedy on alarm is printed as 83.871, but 43, 3 and 4 give 92.473."""
    (verdict,) = verdicts(made_up(scores=(90.0, 90.0)), ["lsbn"])
    assert verdict.reached
    assert not verdict.reached_counts
    (verdict,) = verdicts(made_up(scores=(80.0, 80.0)), ["lsbn"])
    assert not verdict.reached


def test_rows_study_has_its_table_and_plot(finished, toy, tmp_path, monkeypatch):
    monkeypatch.setattr(comparison, "ROWS_STUDY", (500, 1_000))
    settings = Settings(
        networks=[toy],
        rows=200,
        seeds=[0],
        learners=["model-averaging"],
        scopes=["lsbn"],
        rows_study=True,
    )
    results = run_paper_study(tmp_path / "run", settings, warm=False)
    assert results.rows_networks == ["toy"]
    assert (tmp_path / "run" / "tables" / "rows.csv").is_file()
    assert (tmp_path / "run" / "plots" / "rows.svg").is_file()
    page = write_page(results, tmp_path / "run", tmp_path / "page.md")[0]
    assert "from" in page.read_text(encoding="utf-8").split("## Rows")[1]


def test_peers_run_in_their_own_process(toy, tmp_path, monkeypatch):
    """A peer that is not installed gives a failed cell."""
    (target,) = load_targets([toy])
    cell = Cell("toy", 100, 0, "causal-learn-pc", peers.PEER_SCOPE)
    if "causal-learn-pc" in peers.installed():
        pytest.skip("causal-learn is installed")
    outcome = peers.run_peer(cell, target, limit=60)
    assert outcome.status == "failed"
    assert "causallearn" in outcome.diagnostics["why"]
    slow = peers.run_peer(cell, target, limit=0.01)
    assert slow.status == "over limit"
    assert slow.seconds["total"] == 0.01


def test_peers_over_the_limit_are_reported_as_such(toy, tmp_path, monkeypatch):
    found = load_targets([toy])
    tried = []

    def over(cell, target, limit):
        tried.append(cell)
        return Outcome(cell, "over limit", seconds={"total": limit})

    monkeypatch.setattr(peers, "installed", lambda: ["pyagrum-greedy"])
    monkeypatch.setattr(peers, "run_peer", over)
    store = CellStore(tmp_path)
    cells = peers.peer_cells(found, 100, [0, 1, 2])
    assert peers.run_peers(cells, found, store, limit=5.0) == 3
    assert len(tried) == 1
    settings = Settings(networks=[toy], rows=100)
    tables = {t.name: t for t in main_tables(paper.read_results(store, found, settings))}
    assert tables["peers"].rows[0][-1] == "over limit"


def points(axes):
    """All points of the lines and marks of a panel."""
    return {(float(x), float(y)) for line in axes.lines for x, y in line.get_xydata()}


def names_in_legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_f_plot_shows_every_table_and_the_papers_figure():
    """Greedy on alarm is printed as 83.871 for LSBN and 88.889 for global."""
    figure = f_plot(made_up())
    panel = figure.axes[0]
    assert panel.get_title() == "alarm"
    assert panel.get_xlabel() == "F, percent"
    assert [label.get_text() for label in panel.get_yticklabels()] == ["Greedy"]
    ours = {(score, lane) for score in (97.0, 98.0) for lane in (-0.25, 0.25)}
    assert points(panel) == ours | {(83.871, -0.25), (88.889, 0.25)}
    names = ["ours, LSBN", "ours, Global", "paper, LSBN", "paper, Global"]
    assert names_in_legend(figure) == names


def test_stage_plot_has_shares_and_total(finished):
    results = finished[2]
    figure = stage_plot(results)
    (axes,) = figure.axes
    assert sum(bar.get_width() for bar in axes.patches) == pytest.approx(100)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["toy"]
    assert axes.texts[0].get_text().endswith(" s")
    assert {"partition", "last pass"} <= set(names_in_legend(figure))


def test_rows_plot_has_points_and_their_means():
    outcomes = {}
    for rows, score in ((500, 60.0), (1_000, 70.0), (20_000, 90.0)):
        for seed in (0, 1):
            cell = Cell("toy", rows, seed, "model-averaging", "lsbn")
            figures = {"f_score": score + 2 * seed}
            outcomes[cell] = Outcome(cell, figures=figures, seconds={"total": rows / 1_000})
    results = Results(("toy",), 20_000, (0, 1), ("model-averaging",), ("lsbn",), outcomes)
    figure = rows_plot(results)
    left, right = figure.axes
    assert names_in_legend(figure) == ["toy"]
    assert {(500, 60), (500, 62), (500, 61), (1_000, 71), (20_000, 91)} <= points(left)
    assert points(right) == {(500, 0.5), (1_000, 1), (20_000, 20)}
    assert right.get_ylim() == (0.1, 100)


def test_plots_are_the_same_every_time(finished, monkeypatch):
    results = finished[2]
    once = all_plots(results)
    import matplotlib

    monkeypatch.setitem(matplotlib.rcParams, "font.size", 30)
    assert all_plots(results) == once
    assert matplotlib.rcParams["font.size"] == 30
    assert not any("dc:date" in svg or "Matplotlib v" in svg for svg in once.values())


def test_without_matplotlib_the_study_has_no_plots_and_says_why(toy, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    settings = Settings(networks=[toy], rows=100, seeds=[0], learners=["pc"], scopes=["global"])
    told = []
    results = run_paper_study(tmp_path / "run", settings, warm=False, progress=told.append)
    assert "pip install 'lsbn[plots]'" in told[-1]
    assert (tmp_path / "run" / "tables.md").is_file()
    assert not (tmp_path / "run" / "plots").exists()
    (page,) = write_page(results, tmp_path / "run", tmp_path / "page.md")
    text = page.read_text(encoding="utf-8")
    assert "pip install 'lsbn[plots]'" in text
    assert "![" not in text
    assert "ring" not in text


def test_a_table_in_three_ways():
    table = Table("t", "T", ["", "x"], [["a,b", "1"]], "Note.")
    assert table.csv() == ',x\n"a,b",1\n'
    assert table.text().splitlines()[2:5] == ["     x", "------", "a,b  1"]
    assert "| a,b | 1 |" in table.markdown()
