"""The documentation is correct: its examples run, its commands parse, its links exist."""

import doctest
import json
import re
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from lsbn.cli.app import make_parser

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
TEXT = {page.name: page.read_text("utf-8") for page in PAGES}


def found(pattern, flags=re.MULTILINE):
    """All matches of a pattern in all pages, as pairs of page and match."""
    return [
        (name, match) for name, text in TEXT.items() for match in re.findall(pattern, text, flags)
    ]


def anchors(name):
    """The anchors of the headings of a page, as mkdocs makes them."""
    titles = re.findall(r"^#+ (.*)$", TEXT[name], re.MULTILINE)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", t).strip().lower()) for t in titles}


def session(name):
    """All examples of a page."""
    return "\n".join(re.findall(r"```pycon\n(.*?)```", TEXT[name], re.DOTALL))


EXAMPLES = [name for name in TEXT if session(name)]
SCRIPTS = found(r"```python\n(.*?)```", re.DOTALL)
COMMANDS = found(r"^\$ lsbn (.*?)(?: +#.*)?$")
LINKS = found(r"\]\((?!https?:)(.*?)\)")
OBJECTS = found(r"^::: (\S+)$")


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name, tmp_path, monkeypatch):
    """The examples of a page are one session, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(session(name), {"__name__": "page"}, name, name, 0)
    told = []
    outcome = doctest.DocTestRunner(verbose=False).run(test, out=told.append)
    assert outcome.attempted > 0
    assert outcome.failed == 0, "".join(told)


@pytest.mark.parametrize(("name", "code"), SCRIPTS)
def test_scripts(name, code):
    """Scripts for other packages. Under ``__main__`` only imports and syntax are tested."""
    for package in ("pgmpy", "pyagrum", "distributed", "ray.util"):
        if package in code:
            pytest.importorskip(package)
    exec(compile(code, name, "exec"), {"__name__": "page"})


@pytest.mark.parametrize(("name", "words"), COMMANDS)
def test_command_is_one(name, words):
    assert callable(make_parser().parse_args(shlex.split(words, comments=True)).run)


@pytest.mark.parametrize(("name", "link"), sorted(set(LINKS)))
def test_link_leads_somewhere(name, link):
    path, _, anchor = link.partition("#")
    assert (DOCS / path).exists()
    if anchor:
        assert anchor in anchors(path or name)


@pytest.mark.parametrize(("name", "path"), OBJECTS)
def test_api_exists(name, path):
    module, _, attribute = path.rpartition(".")
    assert getattr(import_module(module), attribute).__doc__


def test_every_page_is_in_the_navigation():
    settings = (ROOT / "mkdocs.yml").read_text("utf-8")
    assert sorted(re.findall(r"^  - .*: (\w+\.md)$", settings, re.MULTILINE)) == sorted(TEXT)
    assert len(EXAMPLES) >= 5
    assert len(COMMANDS) >= 10


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site. The strict build fails for warnings, such as broken links and unknown objects."""
    pytest.importorskip("mkdocs")
    pytest.importorskip("mkdocstrings")
    pytest.importorskip("latex2mathml")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_site_takes_nothing_from_the_net(site):
    loaded = r"<(?:script|link|img|iframe)\b[^>]*?(?:src|href)=\"(?:https?:)?//[^\"]*"
    for name in TEXT:
        page = (site / name).with_suffix(".html").read_text("utf-8")
        assert not re.findall(loaded, page), name
        assert "arithmatex" not in page
    for style in site.rglob("*.css"):
        assert not re.findall(r"(?:@import|url\()\W*(?:https?:)?//", style.read_text("utf-8")), (
            style
        )


@pytest.mark.parametrize("name", EXAMPLES)
def test_notebook_is_the_page(site, name):
    notebook = json.loads((site / name).with_suffix(".ipynb").read_text("utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    examples = doctest.DocTestParser().get_examples(session(name))
    code = "".join(cell["source"] + "\n" for cell in cells)
    assert code == "".join(example.source for example in examples)
    shown = [example for example in examples if example.want]
    assert sum(len(cell["outputs"]) for cell in cells) == len(shown)
