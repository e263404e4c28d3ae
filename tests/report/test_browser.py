"""The page in a real browser: what a user sees and does."""

import base64
import json
from xml.etree import ElementTree

import networkx as nx
import pytest

from lsbn.graph import EdgeProbabilities
from lsbn.network import load_network
from lsbn.report import picture, report_page, write_report
from report.browser import Browser, find_browser

pytestmark = pytest.mark.skipif(
    find_browser() is None,
    reason="no browser: install chromium (apt-get install chromium) to test the page in one",
)
ODD = "<img src=x onerror=\"document.title='broken'\">"


@pytest.fixture(scope="module")
def browser():
    opened = Browser(find_browser())
    yield opened
    opened.close()


def learned_alarm():
    """Alarm as if learned: probabilities from 0.3, one odd name, one undirected edge, one error."""
    dag = nx.relabel_nodes(load_network("alarm").dag, {"HR": ODD})
    names = tuple(sorted(dag))
    index = {name: v for v, name in enumerate(names)}
    matrix = [[0.0] * len(names) for _ in names]
    edges = sorted(dag.edges)
    for k, (u, v) in enumerate(edges):
        matrix[index[u]][index[v]] = round(0.3 + 0.7 * k / (len(edges) - 1), 3)
    u, v = edges[-1]
    matrix[index[u]][index[v]] = matrix[index[v]][index[u]] = 0.5
    strangers = next(p for p in ((0, j) for j in range(1, 9)) if not any_edge(dag, names, *p))
    matrix[strangers[0]][strangers[1]] = 0.95
    return EdgeProbabilities(matrix, names), dag


def any_edge(dag, names, i, j):
    return dag.has_edge(names[i], names[j]) or dag.has_edge(names[j], names[i])


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    edges, dag = learned_alarm()
    path = tmp_path_factory.mktemp("page") / "report.html"
    names = edges.names
    communities = [list(names[:20]), list(names[15:30]), list(names[30:])]
    diagnostics = {"method": "sampled", "r_hat": 1.2, "chains": 4, "chains_kept": 4}
    write_report(
        path,
        edges=edges,
        communities=communities,
        summary={"rows": 5, "diagnostics": diagnostics, "seconds": {"learn": 1.0, "total": 1.0}},
        truth=dag,
    )
    return path.as_uri(), edges, dag


@pytest.fixture
def opened(browser, page):
    browser.open(page[0])
    yield browser
    assert browser.complaints == []
    assert browser.requests == [page[0]]
    assert browser.run("document.title").startswith("Bayesian network of 37")


def links(browser, kind=""):
    return browser.run(
        f"[...document.querySelectorAll('.link{kind}[data-pair]')]"
        ".filter(e => e.style.display !== 'none').length"
    )


def move_slider(browser, value):
    browser.run(
        "(() => { const s = document.getElementById('threshold'); s.value = "
        f"{value}; s.dispatchEvent(new Event('input')); }})()"
    )
    browser.settle()


def text(browser, id):
    return browser.run(f"document.getElementById({id!r}).textContent")


def choose(browser, name):
    browser.run("document.getElementById('search').value = ''")
    browser.run("document.getElementById('search').focus()")
    browser.call("Input.insertText", text=name)
    browser.key("Enter")


def test_every_variable_is_drawn_with_its_name(opened, page):
    _, edges, _ = page
    drawn = opened.run("[...document.querySelectorAll('.node title')].map(e => e.textContent)")
    assert [title.split("\n")[0] for title in drawn] == list(edges.names)
    inside = opened.run(
        "(() => { const s = document.getElementById('network').getBoundingClientRect();"
        "return [...document.querySelectorAll('.node circle')].every(c => {"
        "const b = c.getBoundingClientRect(); return b.left >= s.left && b.right <= s.right &&"
        "b.top >= s.top && b.bottom <= s.bottom; }); })()"
    )
    assert inside


def test_the_slider_decides_which_edges_are_shown(opened, page):
    _, edges, _ = page
    opened.click("#truth")
    for threshold in (0.5, 0.8, 0.2, 0.97):
        move_slider(opened, threshold)
        expected = edges.skeleton(threshold).number_of_edges()
        assert links(opened) == expected
        assert text(opened, "shown").startswith(f"{expected} edge")


def test_the_threshold_of_the_run_is_shown_and_comes_back(opened):
    assert text(opened, "run-threshold") == "threshold of the run: 0.50"
    before = links(opened, ".hit")
    move_slider(opened, 0.9)
    assert links(opened, ".hit") < before
    opened.click("#run-threshold")
    assert links(opened, ".hit") == before
    assert opened.run("document.getElementById('threshold').value") == "0.5"


def test_truth_is_shown_as_hits_misses_and_errors(opened, page):
    _, edges, dag = page
    for threshold in (0.5, 0.9):
        move_slider(opened, threshold)
        found = {frozenset(e) for e in edges.skeleton(threshold).edges}
        true = {frozenset(e) for e in dag.edges}
        counts = {"hit": len(found & true), "miss": len(true - found), "error": len(found - true)}
        assert {kind: links(opened, f".{kind}") for kind in counts} == counts
        words = "{hit} hits, {miss} misses, {error} errors".format(**counts)
        assert text(opened, "score").startswith(words)


def test_an_edge_without_a_likely_direction_has_no_arrowhead(opened):
    k = opened.run("JSON.parse(document.getElementById('data').textContent).pairs.r.indexOf(0.5)")
    heads = f"document.querySelectorAll('[data-pair=\"{k}\"] .tip').length"
    assert opened.run(heads) == 0
    assert opened.run("document.querySelectorAll('[data-pair] .tip').length") == links(opened) - 1
    assert text(opened, "shown").endswith("1 without a clear direction")


def test_a_click_shows_parents_and_children(opened, page):
    _, edges, dag = page
    v = edges.names.index("CATECHOL")
    opened.click(f'[data-mark="{v}"] circle')
    said = text(opened, "detail")
    assert said.startswith("CATECHOL")
    for other in (*dag.pred["CATECHOL"], *dag.succ["CATECHOL"]):
        assert other in said
    near = opened.run("document.querySelectorAll('.focus .node.near').length")
    assert near == 1 + dag.degree("CATECHOL")
    opened.key("Escape")
    assert opened.run("document.querySelectorAll('.focus').length") == 0


def test_the_markov_blanket_is_shown_on_request(opened, page):
    _, edges, _ = page
    shown = edges.dag(0.5)
    v = max(shown, key=lambda v: len({u for c in shown.succ[v] for u in shown.pred[c]}))
    relatives = {*shown.pred[v], *shown.succ[v]}
    blanket = relatives | {u for c in shown.succ[v] for u in shown.pred[c]} - {v}
    assert blanket > relatives
    opened.click("#truth")
    choose(opened, v)
    opened.click("#blanket")
    lit = opened.run(
        "[...document.querySelectorAll('.node.near title')].map(e => e.textContent.split('\\n')[0])"
    )
    assert set(lit) == blanket | {v}
    assert text(opened, "blanket") == f"Markov blanket ({len(blanket)})"
    assert "parent of a child" in text(opened, "detail")
    opened.click("#blanket")
    assert opened.run("document.querySelectorAll('.node.near').length") == 1 + len(relatives)


def test_a_node_can_be_dragged_and_its_edges_follow(opened, page):
    _, edges, _ = page
    v = edges.names.index("CATECHOL")
    x, y = opened.middle(f'[data-mark="{v}"] circle')
    ends = (
        "[...document.querySelectorAll('.link[data-pair]')].map(e => ['x1', 'y1', 'x2', 'y2']"
        ".map(a => e.firstChild.getAttribute(a)).join())"
    )
    camera = "document.querySelector('#network > g').getAttribute('transform')"
    before, view, place = opened.run(ends), opened.run(camera), position(opened, v)
    mouse = {"button": "left", "buttons": 1, "clickCount": 1}
    opened.call("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, **mouse)
    for part in (10, 30, 60):
        opened.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + part, y=y - part, **mouse)
    opened.call("Input.dispatchMouseEvent", type="mouseReleased", x=x + 60, y=y - 60, **mouse)
    opened.settle()
    moved = position(opened, v)
    assert moved[:2] == pytest.approx([place[0] + 60, place[1] - 60], abs=1)
    assert opened.run(camera) == view
    changed = sum(a != b for a, b in zip(before, opened.run(ends), strict=True))
    assert changed == opened.run(
        "(d => d.pairs.a.filter((a, k) => [a, d.pairs.b[k]].includes(" + str(v) + ")).length)"
        "(JSON.parse(document.getElementById('data').textContent))"
    )
    assert opened.run("document.querySelectorAll('.node.chosen').length") == 0


def saved(browser, kind):
    """Save the picture, and return what would be the file as base64."""
    browser.run(
        "window.savedFile = new Promise(done => { URL.createObjectURL = blob => { const r = new "
        "FileReader(); r.onload = () => done(r.result); r.readAsDataURL(blob); "
        "return 'data:,'; }; }); 0"
    )
    browser.run(f"document.querySelector('[data-save={kind}]').click()")
    head, body = browser.run("window.savedFile").split(",", 1)
    return head, base64.b64decode(body)


def test_the_picture_is_saved_as_svg_and_png(browser, page):
    browser.open(page[0])
    head, body = saved(browser, "svg")
    assert head.startswith("data:image/svg+xml")
    root = ElementTree.fromstring(body)
    space = "{http://www.w3.org/2000/svg}"
    circles = list(root.iter(f"{space}circle"))
    assert len(circles) == 37
    assert all(circle.get("fill").startswith("rgb") for circle in circles)
    assert len(list(root.iter(f"{space}line"))) == links(browser)
    assert not {"script", "style", "img"} & {e.tag.removeprefix(space) for e in root.iter()}
    assert b"var(" not in body
    head, body = saved(browser, "png")
    assert head.startswith("data:image/png")
    assert body[:8] == b"\x89PNG\r\n\x1a\n"
    assert len(body) > 10_000
    assert browser.complaints == []


def test_pointing_at_a_variable_lights_its_neighbours_up(opened, page):
    _, edges, _ = page
    opened.hover(f'[data-mark="{edges.names.index("CO")}"] circle')
    assert opened.run("document.querySelectorAll('.focus .node.near').length") > 1


def test_search_finds_a_variable_whatever_its_name(opened, page):
    choose(opened, "img src")
    assert text(opened, "detail").startswith(ODD)
    choose(opened, "ventl")
    assert text(opened, "detail").startswith("VENTLUNG")


SCALE = "document.querySelector('#network > g').transform.baseVal.consolidate().matrix.a"


def position(browser, mark):
    return browser.run(
        f"(() => {{ const b = document.querySelector('[data-mark=\"{mark}\"] circle')"
        ".getBoundingClientRect(); const s = document.getElementById('network')"
        ".getBoundingClientRect(); return [b.left + b.width / 2 - s.left, b.top + b.height / 2 "
        "- s.top, s.width, s.height]; })()"
    )


def in_view(browser, mark):
    x, y, width, height = position(browser, mark)
    return 0 <= x <= width and 0 <= y <= height


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
