"""Strengths, signs and probability tables on the page: the data, and what a browser shows."""

import json

import numpy as np
import pandas as pd
import pytest

import lsbn.report.dependence as part
from lsbn import LSBN, Knowledge
from lsbn.cli import main
from lsbn.report import report_from_run
from report.browser import find_browser
from report.pages import ODD, SCALE, choose

needs_browser = pytest.mark.skipif(find_browser() is None, reason="no browser: install chromium")
SHOWN = (
    "[...document.querySelectorAll('#probabilities tbody tr')]"
    ".map(r => r.innerText.split(/\\s*\\t\\s*/))"
)


def columns(rows=800):
    """Two causes in order, an effect with a nasty name, and colours without an order."""
    rng = np.random.default_rng(0)
    dose, age = rng.integers(0, 3, rows), rng.integers(0, 6, rows)
    noise = rng.integers(0, 3, rows)
    effect = np.where(rng.random(rows) < 0.85, (dose + age // 2) // 2, noise)
    pain = np.where(rng.random(rows) < 0.8, 2 - effect, noise)
    colour = np.where(rng.random(rows) < 0.7, dose, noise)
    names = np.array(["</script>", ODD, "red"])
    return pd.DataFrame({"dose": dose, "age": age, ODD: effect, "pain": pain, "hue": names[colour]})


@pytest.fixture(scope="module")
def model():
    return LSBN(random_state=0).fit(columns())


def data_of(page):
    return json.loads(page.split('id="data">')[1].split("</script>")[0])


def test_tables_are_those_of_the_network(model):
    data = data_of(model.plot().text)
    network = model.to_network()
    assert data["states"] == [list(labels) for labels in network.states]
    counts = columns().astype(str)
    for v, (parents, kept, more, hidden, cells) in enumerate(data["tables"]):
        assert parents == network.parents[v].tolist()
        assert (kept, more, hidden) == (len(network.states[v]), 0, 0)
        rows = np.array(cells).reshape(-1, len(parents) + 1 + kept)
        assert rows[:, : len(parents)].tolist() == [
            list(place) for place in np.ndindex(*network.cardinalities[parents])
        ]
        assert rows[:, len(parents) + 1 :] / 1000 == pytest.approx(network.tables[v], abs=6e-4)
        given = [counts[network.names[u]] for u in parents]
        first = [network.states[u][0] for u in parents]
        own = np.logical_and.reduce([c == s for c, s in zip(given, first, strict=True)], axis=0)
        assert rows[0, len(parents)] == (own.sum() if parents else len(counts))


def test_strengths_and_signs_are_those_of_the_model(model):
    pairs = data_of(model.plot().text)["pairs"]
    strengths = {
        frozenset((row.source, row.target)): (round(row.strength, 3), row.sign, np.isnan(row.tau))
        for row in model.edge_strengths().itertuples()
    }
    names = model.edges_.names
    assert len(pairs["s"]) == len(pairs["a"])
    for a, b, s, g in zip(*(pairs[key] for key in "absg"), strict=True):
        strength, sign, unordered = strengths[frozenset((names[a], names[b]))]
        assert s == strength
        assert g == (None if unordered else {"+": 1, "-": -1, "": 0}[sign])
    assert {1, -1, None} <= set(pairs["g"])


def test_large_tables_are_cut(model, monkeypatch):
    monkeypatch.setattr(part, "MOST_ROWS", 4)
    monkeypatch.setattr(part, "MOST_STATES", 2)
    child = max(range(5), key=lambda v: len(model.to_network().parents[v]))
    rows = len(model.to_network().tables[child])
    found = part.tables(model.answers_)["tables"]
    parents, kept, more, hidden, cells = found[child]
    assert (kept, more, hidden) == (2, rows - 4, 1)
    shown = np.array(cells).reshape(4, -1)[:, len(parents)]
    sizes = model.answers_.tables.counts(child, tuple(parents)).counts.sum(axis=1)
    assert sorted(shown) == sorted(sizes)[-4:]
    monkeypatch.setattr(part, "MOST_SIGNS", 150)
    found = part.tables(model.answers_)
    assert None in found["tables"]
    for v, table in enumerate(found["tables"]):
        assert table is None or all(found["states"][u] for u in (v, *table[0]))


def test_many_states_and_long_names_are_cut():
    labels = part._labels([f"{k:03}" + "x" * 70 for k in range(100)])
    assert len(labels) == part.MOST_LABELS
    assert all(len(label) == part.LONGEST and label.endswith("…") for label in labels)


def test_a_table_of_configurations_that_occur():
    """More than 1,024 configurations have a table of those that occur."""
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 40, (2, 3000))
    table = pd.DataFrame({"x": x, "y": y, "z": (x + y) % 2})
    known = Knowledge(required=[("x", "z"), ("y", "z")])
    model = LSBN(random_state=0, knowledge=known, max_states=64).fit(table)
    parents, kept, more, hidden, cells = part.tables(model.answers_)["tables"][2]
    assert (parents, kept, hidden) == ([0, 1], 2, 0)
    assert more == 1600 - part.MOST_ROWS
    for a, b, n, *_ in np.array(cells).reshape(-1, 5):
        assert n == ((x == a) & (y == b)).sum()


def test_the_page_of_a_run_has_them_again(tmp_path):
    columns(200).to_csv(tmp_path / "t.csv", index=False)
    command = ["learn", str(tmp_path / "t.csv"), "-o", str(tmp_path / "run"), "--effort", "quick"]
    assert main(command) == 0
    first = (tmp_path / "run" / "report.html").read_text("utf-8")
    assert data_of(first)["tables"]
    assert report_from_run(tmp_path / "run").read_text("utf-8") == first
    (tmp_path / "run" / "posterior.npz").unlink()
    old = report_from_run(tmp_path / "run").read_text("utf-8")
    assert "tables" not in data_of(old)


@pytest.fixture
def shown(browser, model, tmp_path):
    model.plot(tmp_path / "page.html")
    browser.open((tmp_path / "page.html").as_uri(), 1400, 900)
    yield browser
    assert browser.complaints == []
    assert browser.run("document.title").startswith("Bayesian network of 5")


@needs_browser
def test_the_table_of_the_chosen_variable(shown, model):
    assert shown.run("document.getElementById('probabilities').hidden")
    network = model.to_network()
    for name in (ODD, "pain"):
        choose(shown, name)
        v = network.names.index(name)
        heads = shown.run(
            "[...document.querySelectorAll('#probabilities thead th')].map(e => e.textContent)"
        )
        parents = [network.names[u] for u in network.parents[v]]
        assert heads == [*parents, "rows", *(f"P({s})" for s in network.states[v])]
        rows = shown.run(SHOWN)
        assert len(rows) == min(12, len(network.tables[v]))
        assert rows[0][-1] == f"{network.tables[v][0, -1]:.3f}"
    shown.key("Escape")
    assert shown.run("document.getElementById('probabilities').hidden")


@needs_browser
def test_rows_of_the_table_unfold(shown, model):
    child = max(model.dag_, key=model.dag_.in_degree)
    rows = len(model.to_network().tables[model.edges_.names.index(child)])
    assert rows > 12
    choose(shown, child)
    assert len(shown.run(SHOWN)) == 12
    shown.click("#more-rows")
    assert len(shown.run(SHOWN)) == rows
    shown.click("#more-rows")
    assert len(shown.run(SHOWN)) == 12


@needs_browser
def test_strengths_are_in_the_table_the_panel_and_the_tip(shown, model):
    row = model.edge_strengths(0.5).query("source == 'pain' or target == 'pain'").iloc[0]
    assert row.sign == "-"
    k = shown.run(
        "[...document.querySelectorAll('#edge-table tbody tr')]"
        ".find(r => r.innerText.includes('pain')).dataset.pair"
    )
    cell = f"document.querySelector('#edge-table tr[data-pair=\"{k}\"] [data-label=strength]')"
    figure = f"{round(row.strength, 3):.2f}"
    assert shown.run(f"{cell}.textContent") == f"{figure} −"
    tip = shown.run(f"document.querySelector('.link[data-pair=\"{k}\"] title').textContent")
    assert f"Strength {figure}, −: high states go with low states" in tip
    shown.click(f'#edge-table tr[data-pair="{k}"] .edge')
    assert "Cramér's V" in shown.run("document.getElementById('detail').textContent")


@needs_browser
def test_nothing_sticks_out_on_a_phone_and_two_fingers_zoom(browser, model, tmp_path):
    model.plot(tmp_path / "page.html")
    browser.open((tmp_path / "page.html").as_uri(), 390, 844)
    choose(browser, "pain")
    assert browser.run("document.documentElement.scrollWidth") <= 390
    browser.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
    x, y = browser.middle("#network")
    before = browser.run(SCALE)
    for kind, apart in (("Start", 20), ("Move", 40), ("Move", 60)):
        points = [{"x": x + s * apart, "y": y + s * apart, "id": i} for i, s in enumerate((-1, 1))]
        browser.call("Input.dispatchTouchEvent", type=f"touch{kind}", touchPoints=points)
    browser.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
    browser.settle()
    assert browser.run(SCALE) == pytest.approx(3 * before, rel=0.1)
    browser.call("Emulation.setTouchEmulationEnabled", enabled=False)
    assert browser.complaints == []
