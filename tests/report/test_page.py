import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import networkx as nx
import numpy as np
import pytest

from lsbn.graph import EdgeProbabilities
from lsbn.report import report_from_run, write_report
from lsbn.runs import Summary, evaluation_of, write_run

NASTY = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"quoted\" 'name' & <b>",
    "<!-- <script>",
    "{{data}}",
    "Ünïcode 変数 🙂 \u202eevil\u2028",
    "x" * 3_000,
    "]]> \\u003c",
)
VOID = {"meta", "link", "input", "br", "img", "hr", "rect"}


class Page(HTMLParser):
    """Elements, text and nesting of a page."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.text, self.scripts, self.faults = [], [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)

    def handle_data(self, data):
        if self.open and self.open[-1] in ("script", "style"):
            self.scripts.append((self.open[-1], self.elements[-1][1], data))
        else:
            self.text.append(data)

    def embedded(self):
        return json.loads(next(d for tag, attrs, d in self.scripts if attrs.get("id") == "data"))


def nasty_edges():
    n = len(NASTY)
    matrix = [[0.9 if j == i + 1 else 0.0 for j in range(n)] for i in range(n)]
    return EdgeProbabilities(matrix, NASTY)


@pytest.fixture
def nasty(tmp_path):
    summary = {
        "rows": 10,
        "settings": {"learner": NASTY[0], "data": f"/x/{NASTY[1]}", NASTY[2]: [NASTY[0]]},
        "seconds": {NASTY[0]: 1.5, "total": 2.0},
        "diagnostics": {"notes": [NASTY[0]], NASTY[1]: {NASTY[0]: NASTY[1]}, "r_hat": 1.4},
        "versions": {"lsbn": NASTY[0]},
        "seed": NASTY[1],
    }
    path = tmp_path / "report.html"
    write_report(path, edges=nasty_edges(), communities=[NASTY], summary=summary, title=NASTY[0])
    return path.read_text(encoding="utf-8")


def test_names_never_become_markup(nasty):
    page = Page(nasty)
    assert page.faults == []
    assert page.open == []
    assert [tag for tag, _ in page.elements].count("script") == 2
    assert not any(tag in ("img", "b", "iframe") for tag, _ in page.elements)
    assert not any(key.startswith("on") for _, attrs in page.elements for key in attrs)
    assert not any("style" in attrs for _, attrs in page.elements)
    assert any("<img src=x onerror=alert(1)>" in text for text in page.text)


def test_embedded_data_are_whole_and_harmless(nasty):
    page = Page(nasty)
    assert page.embedded()["names"] == list(NASTY)
    raw = next(d for _, attrs, d in page.scripts if attrs.get("id") == "data")
    assert raw.isascii()
    assert not set(raw) & set("<>&")


def test_nothing_points_outside(nasty):
    page = Page(nasty)
    for _, attrs in page.elements:
        assert "src" not in attrs
        assert attrs.get("href", "#").startswith(("#", "data:,"))
    code = "".join(d for tag, attrs, d in page.scripts if "type" not in attrs)
    addresses = set(re.findall(r"\w+://[^\"'\s]*", code))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest|innerHTML|eval\(", code)


def test_only_the_pages_own_script_and_style_may_run(nasty):
    page = Page(nasty)
    policy = next(a["content"] for t, a in page.elements if t == "meta" and "http-equiv" in a)
    assert "default-src 'none'" in policy
    for tag in ("script", "style"):
        text = next(d for kind, attrs, d in page.scripts if kind == tag and "type" not in attrs)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_ids_are_unique_and_labels_point_to_controls(nasty):
    page = Page(nasty)
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    for _, attrs in page.elements:
        for key in ("for", "aria-labelledby", "list"):
            assert attrs.get(key, ids[0]) in ids


def test_groups_of_copies_are_listed(tmp_path):
    edges = EdgeProbabilities(np.diag([0.9], 1), ("a = <b>", "c"))
    groups = {"a = <b>": ("a", "<b>")}
    truth = nx.DiGraph([("a", "<b>"), ("<b>", "c")])
    summary = Summary(3, 10, {}, 0, {}, groups=groups)
    write_report(tmp_path / "r.html", edges=edges, communities=[], summary=summary, truth=truth)
    page = Page((tmp_path / "r.html").read_text("utf-8"))
    assert not page.faults
    text = "".join(page.text)
    assert "a = <b> (2 columns): a, <b>" in text
    assert page.embedded()["pairs"]["t"] == [1]
    titles = [attrs.get("title") for tag, attrs in page.elements if tag == "div"]
    assert "1 group of equal columns among them" in titles
    assert "1 hits, 0 misses, 0 errors" in titles


def test_a_page_without_groups_has_no_section_of_groups(nasty):
    assert "Groups of equal columns" not in nasty


def test_a_warning_is_said_at_the_top(nasty):
    assert "Read before use: R-hat up to 1.4" in nasty


def test_same_input_same_page(tmp_path):
    for name in ("one.html", "two.html"):
        write_report(tmp_path / name, edges=nasty_edges(), communities=[NASTY], summary={})
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()
    assert len(list(tmp_path.iterdir())) == 2


def test_a_lone_surrogate_does_not_stop_the_page(tmp_path):
    edges = EdgeProbabilities([[0, 0.9], [0, 0]], ("a\ud800", "b"))
    write_report(tmp_path / "r.html", edges=edges, communities=[], summary={}, title="\udcff")
    page = Page((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert page.embedded()["names"] == ["a\ud800", "b"]


def test_a_failure_leaves_the_old_page(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    with pytest.raises(ValueError, match="only the truth has"):
        write_report(
            path, edges=nasty_edges(), communities=[], summary={}, truth=nx.DiGraph([("p", "q")])
        )
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_threshold_is_that_of_the_settings_or_the_given_one(tmp_path):
    edges = EdgeProbabilities([[0, 0.9, 0], [0, 0, 0.6], [0, 0, 0]], ("a", "b", "c"))
    truth = nx.DiGraph([("a", "b"), ("b", "c")])
    path = tmp_path / "r.html"
    for settings, given, expected, number, score in (
        ({}, None, 0.5, 2, "100.0 %"),
        ({"threshold": 0.75}, None, 0.75, 1, "66.7 %"),
        ({"threshold": 0.75}, 0.125, 0.125, 2, "100.0 %"),
        ({}, 0.95, 0.95, 0, "0.0 %"),
    ):
        summary = {"settings": settings}
        write_report(
            path, edges=edges, communities=[], summary=summary, truth=truth, threshold=given
        )
        page = Page(path.read_text(encoding="utf-8"))
        assert page.embedded()["threshold"] == expected
        assert f"<strong>{number}</strong><span>edges above {expected:g}<" in path.read_text()
        assert score in "".join(page.text)
        slider = next(attrs for _, attrs in page.elements if attrs.get("id") == "threshold")
        assert float(slider["value"]) == expected


def write_small_run(folder, settings, truth=None):
    edges = EdgeProbabilities([[0, 0.9, 0], [0.05, 0, 0.004], [0, 0, 0]], ("a", "b", "c"))
    evaluation = None if truth is None else evaluation_of(edges, truth, 7)
    summary = Summary(
        variables=3,
        rows=1234,
        settings=settings,
        seed=7,
        seconds={"read": 0.5, "learn": 75.0, "total": 75.5},
        diagnostics={"method": "exact"},
        evaluation=evaluation,
    )
    write_run(folder, summary, [["a", "b"], ["c"]], edges=edges)


def test_a_run_folder_is_enough(tmp_path):
    write_small_run(tmp_path / "run", {"learner": "pc", "data": "/somewhere/survey.csv"})
    path = report_from_run(tmp_path / "run")
    assert path == tmp_path / "run" / "report.html"
    page = Page(path.read_text(encoding="utf-8"))
    text = " ".join(" ".join(page.text).split())
    for words in ("1,234", "1 min 16 s", "survey.csv", "Exact averages", "Seconds by stage"):
        assert words in text
    data = page.embedded()
    assert data["names"] == ["a", "b", "c"]
    assert data["pairs"] == {"a": [0], "b": [1], "f": [0.9], "r": [0.05]}


def test_the_truth_of_a_run_is_found_again_or_its_figures_are_kept(tmp_path):
    truth_file = tmp_path / "truth.csv"
    truth_file.write_text("source,target\na,b\nb,c\n")
    truth = nx.DiGraph([("a", "b"), ("b", "c")])
    write_small_run(tmp_path / "run", {"truth": str(truth_file)}, truth)
    page = Page(report_from_run(tmp_path / "run").read_text(encoding="utf-8"))
    assert page.embedded()["pairs"]["t"] == [1, 1]
    truth_file.unlink()
    page = Page(report_from_run(tmp_path / "run").read_text(encoding="utf-8"))
    assert "t" not in page.embedded()["pairs"]
    assert "66.7 %" in "".join(page.text)


ORDER = ("wet", "alone", "rain", "cold")


def write_run_with_page(folder, settings=None, title=None, truth=None):
    """Write a run folder as `lsbn learn` does; return its page."""
    matrix = np.zeros((4, 4))
    matrix[0, 2], matrix[2, 0] = 0.1234065, 0.8765935  # the sum exceeds 1 after rounding
    matrix[3, 0] = 0.12345678
    edges = EdgeProbabilities(matrix, ORDER)
    communities = [["rain", "cold", "wet"], ["alone"]]
    odd = {"b": np.float64("nan"), "c": (1, 2), "d": np.arange(3), "e": np.bool_(True), 5: {"x": 1}}
    summary = Summary(
        variables=4,
        rows=50,
        settings={"learner": "pc", "data": "/somewhere/table.csv", **(settings or {})},
        seed=7,
        seconds={"read": 0.1, "total": 2 / 3},
        diagnostics={"method": "sampled", "r_hat": np.float64(1.01), "notes": ("a note",), **odd},
        evaluation=None if truth is None else evaluation_of(edges, truth, 7),
    )

    def page(draft):
        write_report(
            draft / "report.html",
            edges=edges,
            communities=communities,
            summary=summary,
            truth=truth,
            title=title,
        )

    write_run(folder, summary, communities, edges=edges, more=page)
    return (folder / "report.html").read_bytes()


def test_the_page_of_a_run_can_be_made_again(tmp_path):
    first = write_run_with_page(tmp_path / "run")
    assert report_from_run(tmp_path / "run").read_bytes() == first
    first = write_run_with_page(tmp_path / "high", {"threshold": 0.9999})
    assert Page(first.decode()).embedded()["threshold"] == 0.9999
    assert report_from_run(tmp_path / "high").read_bytes() == first
    first = write_run_with_page(tmp_path / "named", title="Weather")
    assert report_from_run(tmp_path / "named", title="Weather").read_bytes() == first


def test_the_page_of_a_run_with_a_truth_can_be_made_again(tmp_path):
    (tmp_path / "truth.csv").write_text("source,target\nrain,wet\ncold,alone\n")
    truth = nx.DiGraph([("rain", "wet"), ("cold", "alone")])
    settings = {"truth": str(tmp_path / "truth.csv")}
    first = write_run_with_page(tmp_path / "run", settings, truth=truth)
    assert report_from_run(tmp_path / "run").read_bytes() == first


def test_an_older_run_folder_without_names_has_a_page(tmp_path):
    write_run_with_page(tmp_path / "run")
    path = tmp_path / "run" / "summary.json"
    summary = json.loads(path.read_text(encoding="utf-8"))
    assert tuple(summary.pop("names")) == ORDER
    path.write_text(json.dumps(summary), encoding="utf-8")
    page = Page(report_from_run(tmp_path / "run").read_text(encoding="utf-8"))
    assert page.embedded()["names"] == sorted(ORDER)


def test_a_partition_has_no_page_yet(tmp_path):
    (tmp_path / "communities.json").write_text('[["a"]]')
    with pytest.raises(FileNotFoundError, match=r"edges\.csv"):
        report_from_run(tmp_path)


@pytest.mark.parametrize("number", [1, 3, 20])
def test_constant_columns_are_one_line(tmp_path, number):
    names = ("a", "b", *(f"{NASTY[1]} {k}" for k in range(number)))
    matrix = np.zeros((len(names), len(names)))
    matrix[0, 1] = 0.9
    path = tmp_path / "report.html"
    write_report(
        path,
        edges=EdgeProbabilities(matrix, names),
        communities=[],
        summary={"diagnostics": {"constants": list(names[2:])}},
    )
    page = Page(path.read_text(encoding="utf-8"))
    assert page.faults == []
    assert page.embedded()["picture"]["marks"] == [0, 1]
    said = "".join(page.text)
    assert f"{number} column{'s' * (number > 1)} with a single state" in said
    assert all(name in said for name in names[2:])
