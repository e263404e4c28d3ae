"""A browser, and a page in it."""

import pytest

from lsbn.report import write_report
from report.browser import Browser, find_browser
from report.pages import learned_alarm


@pytest.fixture(scope="module")
def browser():
    opened = Browser(find_browser())
    yield opened
    opened.close()


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
