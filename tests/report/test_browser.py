"""The page in a real browser: what a user sees of the picture, and does with it."""

import base64
from xml.etree import ElementTree

import pytest

from report.browser import find_browser
from report.pages import ODD, choose, links, move_slider, position, text

pytestmark = pytest.mark.skipif(
    find_browser() is None,
    reason="no browser: install chromium (apt-get install chromium) to test the page in one",
)


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
        words = ((counts["hit"], "hit"), (counts["miss"], "miss"), (counts["error"], "error"))
        for shown, (k, word) in zip(
            text(opened, "score").split("; ")[0].split(", "), words, strict=True
        ):
            assert shown == f"{k} {word}{'' if k == 1 else 'es' if word == 'miss' else 's'}"


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
