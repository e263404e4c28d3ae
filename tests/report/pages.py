"""The page of alarm as if learned, and what a user does with a page."""

import networkx as nx

from lsbn.graph import EdgeProbabilities
from lsbn.network import load_network

SCALE = "document.querySelector('#network > g').transform.baseVal.consolidate().matrix.a"
ODD = "<img src=x onerror=\"document.title='broken'\">"


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
