"""The page in a real browser: search, table, widths of screens, areas."""

import json

import pytest

from lsbn.graph import EdgeProbabilities
from lsbn.report import picture, report_page, write_report
from report.browser import find_browser
from report.pages import SCALE, choose, in_view, learned_alarm, links, move_slider, text

pytestmark = pytest.mark.skipif(
    find_browser() is None,
    reason="no browser: install chromium (apt-get install chromium) to test the page in one",
)


def test_search_zooms_to_what_it_found_and_the_node_stays_in_view(opened, page):
    _, edges, _ = page
    before = opened.run(SCALE)
    choose(opened, "HISTORY")
    assert opened.run(SCALE) > before
    mark = edges.names.index("HISTORY")
    opened.run("document.getElementById('network').focus()")
    for key in "+++++++------":
        opened.key(key)
        assert in_view(opened, mark)


def test_search_says_when_nothing_was_found_and_enter_goes_on(opened):
    choose(opened, "no such name <b>")
    assert text(opened, "found") == "No variable found"
    choose(opened, "vent")
    assert text(opened, "found") == "1 of 4 found; Enter shows the next"
    first = text(opened, "detail")
    opened.key("Enter")
    assert text(opened, "found").startswith("2 of 4")
    assert text(opened, "detail") != first


def test_a_click_on_a_row_or_a_line_selects_the_edge(opened):
    opened.click("#edge-table tbody tr:nth-child(3) td:nth-child(4)")
    assert text(opened, "detail").startswith("Edge")
    lit = "[...document.querySelectorAll('.link.near')].map(e => e.dataset.pair)"
    chosen = opened.run("document.querySelector('tr.chosen').dataset.pair")
    assert opened.run(lit) == [chosen]
    assert opened.run("document.querySelectorAll('.node.near').length") == 2
    opened.key("Escape")
    assert opened.run("document.querySelectorAll('tr.chosen').length") == 0
    opened.click(f'.link[data-pair="{chosen}"] .grip')
    assert opened.run(lit) == [chosen]


def test_names_in_the_picture_do_not_overlap(opened):
    boxes = opened.run(
        "[...document.querySelectorAll('.node text')].filter(e => e.style.display !== 'none')"
        ".map(e => e.getBoundingClientRect()).map(b => [b.left, b.top + 2, b.right, b.bottom - 2])"
    )
    assert len(boxes) > 20
    for k, a in enumerate(boxes):
        for b in boxes[:k]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


@pytest.mark.parametrize(("width", "height"), [(390, 800), (1400, 900)])
def test_the_picture_fits_the_first_screen(browser, page, width, height):
    browser.open(page[0], width=width, height=height)
    top, bottom = browser.run(
        "(() => { const b = document.getElementById('network').getBoundingClientRect();"
        "return [b.top, b.bottom]; })()"
    )
    assert bottom <= height
    assert bottom - top >= 300


def test_the_picture_has_little_empty_space_on_a_phone(browser, page):
    browser.open(page[0], width=390, height=844)
    share = browser.run(
        "(() => { const whole = document.getElementById('network').getBoundingClientRect();"
        "const drawn = document.querySelector('#network > g').getBoundingClientRect();"
        "return drawn.height / whole.height; })()"
    )
    assert share > 0.6


def test_names_in_the_table_stay_whole_on_a_phone(browser, page):
    browser.open(page[0], width=390, height=800)
    tall = browser.run(
        "[...document.querySelectorAll('#edge-table tbody tr')]"
        ".filter(r => !r.textContent.includes('<img')).map(r => r.getBoundingClientRect().height)"
    )
    assert max(tall) < 90


def test_the_keyboard_walks_and_zooms(opened, page):
    opened.run("document.getElementById('network').focus()")
    opened.key("ArrowDown")
    first = opened.run("document.querySelector('.node.chosen').dataset.mark")
    opened.key("ArrowUp")
    assert opened.run("document.querySelector('.node.chosen').dataset.mark") != first
    scale = "document.querySelector('#network > g').getAttribute('transform')"
    whole = opened.run(scale)
    opened.key("+")
    assert opened.run(scale) != whole
    opened.key("0")
    assert opened.run(scale) == whole


def test_the_table_sorts_and_filters(opened, page):
    _, _, dag = page
    column = (
        "[...document.querySelectorAll('#edge-table tbody tr')].map(r => r.cells[%d].innerText)"
    )
    values = [float(x) for x in opened.run(column % 2)]
    assert values == sorted(values, reverse=True)
    opened.click("#edge-table th:nth-child(1) button")
    names = opened.run(column % 0)
    assert [n.lower() for n in names] == sorted(n.lower() for n in names)
    assert (
        opened.run("document.querySelector('#edge-table th').getAttribute('aria-sort')")
        == "ascending"
    )
    opened.run("document.getElementById('filter').focus()")
    opened.call("Input.insertText", text="catechol")
    opened.settle()
    assert len(opened.run(column % 0)) == dag.degree("CATECHOL")


def test_a_community_is_lit_up(opened, page):
    opened.click("#community-list button")
    assert opened.run("document.querySelectorAll('.focus .node.near').length") == 20
    assert "20 variables" in text(opened, "detail")


def test_dark_and_light(opened):
    shades = set()
    for scheme in ("dark", "light"):
        feature = {"name": "prefers-color-scheme", "value": scheme}
        opened.call("Emulation.setEmulatedMedia", features=[feature])
        shades.add(opened.run("getComputedStyle(document.body).backgroundColor"))
        before = opened.run("getComputedStyle(document.body).backgroundColor")
        opened.click("#theme")
        assert opened.run("getComputedStyle(document.body).backgroundColor") != before
        opened.run("delete document.documentElement.dataset.theme")
    assert len(shades) == 2


def test_nothing_sticks_out_of_a_narrow_window(browser, page):
    browser.open(page[0], width=400, height=800)
    assert browser.run("document.documentElement.scrollWidth") <= 400


def test_communities_are_drawn_where_variables_are_too_many(browser, tmp_path, monkeypatch):
    monkeypatch.setattr(picture, "MOST_DRAWN", 60)
    names = tuple(f"v{k}" for k in range(200))
    matrix = [[0.9 if j == i + 1 else 0.0 for j in range(200)] for i in range(200)]
    groups = [names[k : k + 5] for k in range(0, 200, 5)]
    path = tmp_path / "report.html"
    write_report(
        path, edges=EdgeProbabilities(matrix, names), communities=groups, summary={}, title="many"
    )
    browser.open(path.as_uri())
    assert browser.complaints == []
    assert browser.run("document.querySelectorAll('.node').length") == 40
    assert browser.run("document.querySelectorAll('#network .link').length") == 39
    assert "200 variables" in text(browser, "picture-note")
    choose(browser, "v77")
    assert json.loads(browser.run("JSON.stringify(document.querySelector('.chosen').dataset)"))
    assert text(browser, "detail").startswith("v77")
    browser.click('[data-zoom="0"]')
    browser.click('[data-mark="3"] circle')
    assert text(browser, "detail").startswith("Community")


def test_areas_open_and_close(browser, tmp_path):
    names = tuple(f"v{k}" for k in range(160))
    matrix = [[0.9 if j == i + 1 else 0.0 for j in range(160)] for i in range(160)]
    groups = [names[k : k + 8] for k in range(0, 160, 8)]
    path = tmp_path / "report.html"
    edges = EdgeProbabilities(matrix, names)
    write_report(path, edges=edges, communities=groups, summary={}, truth=edges.dag(0.5))
    browser.open(path.as_uri())
    shown = "[...document.querySelectorAll('.node')].filter(e => e.style.display !== 'none').length"
    whole = browser.run(SCALE)
    assert browser.run(shown) == 20
    browser.click('[data-mark="3"] circle')
    assert browser.run(shown) == 28
    assert browser.run(SCALE) > 5 * whole
    assert links(browser, ".hit") == 7  # those inside; lines to other areas are bundles
    assert browser.run("document.querySelectorAll('#network .link:not([data-pair])').length") == 19
    move_slider(browser, 0.95)
    assert (links(browser, ".hit"), links(browser, ".miss")) == (0, 7)
    move_slider(browser, 0.5)
    choose(browser, "v100")
    assert browser.run(shown) == 36
    mark = browser.run("document.querySelector('.node.chosen').dataset.mark")
    assert in_view(browser, mark)
    assert (
        browser.run("document.querySelector('.node.chosen circle').getBoundingClientRect().width")
        > 6
    )
    browser.click("#detail .chip")
    browser.click("#area")
    assert browser.run(shown) == 28
    assert browser.run(SCALE) == pytest.approx(whole)
    browser.run("document.getElementById('network').focus()")
    browser.key("Enter")
    assert browser.run(shown) == 36
    browser.click("#edge-table tbody tr:nth-child(1) td:nth-child(4)")
    assert text(browser, "detail").startswith("Edge")
    assert browser.run("document.querySelectorAll('.link.near[data-pair]').length") == 1
    assert browser.complaints == []


def test_a_notebook_frame_runs_the_page_and_nothing_else(browser, tmp_path):
    edges, _ = learned_alarm()
    page = report_page(edges=edges, communities=[], summary={})
    path = tmp_path / "notebook.html"
    path.write_text(f"<title>notebook</title>{page._repr_html_()}", encoding="utf-8")
    browser.open(path.as_uri())
    assert browser.complaints == []
    assert browser.requests in ([path.as_uri()], [path.as_uri(), "about:srcdoc"])
    assert browser.run("document.title") == "notebook"
    assert browser.run_in_frame("document.querySelectorAll('.node').length") == 37
    assert browser.run_in_frame("document.title").startswith("Bayesian network")


def test_a_network_without_edges_is_a_page_too(browser, tmp_path):
    edges = EdgeProbabilities([[0.0, 0.0], [0.0, 0.0]], ("a", "b"))
    write_report(tmp_path / "r.html", edges=edges, communities=[], summary={}, title="empty")
    browser.open((tmp_path / "r.html").as_uri())
    assert browser.complaints == []
    assert text(browser, "shown") == "0 edges"
