"""The README is correct: its Python runs, its commands parse, its links exist."""

import re
import shlex
from inspect import signature
from pathlib import Path

import pytest

from lsbn import LSBN, Dataset
from lsbn.cli.app import make_parser

README = Path(__file__).parents[1] / "README.md"
TEXT = README.read_text("utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
COMMANDS = re.findall(r"^\$ (?:\.venv/bin/)?lsbn (.*?)(?: +#.*)?$", TEXT, flags=re.MULTILINE)


@pytest.mark.parametrize("code", EXAMPLES)
def test_example(code, tmp_path, monkeypatch):
    """Examples under ``__main__`` start clusters: only their imports and syntax are tested."""
    if "dask" in code:
        pytest.importorskip("distributed")
    monkeypatch.chdir(tmp_path)
    found = {"__name__": "example"}
    exec(compile(code, str(README), "exec"), found)
    if "model" in found:
        assert found["model"].edge_probabilities_.shape == (37, 37)


def test_options_of_tables_that_the_estimator_has():
    """The README names them."""
    tables, model = (set(signature(each).parameters) for each in (Dataset.from_table, LSBN))
    assert tables & model == {"discretize", "bins", "missing", "max_states"}


def test_there_are_examples():
    assert len(EXAMPLES) >= 2
    assert len(COMMANDS) >= 2


@pytest.mark.parametrize("words", COMMANDS)
def test_command_is_one(words):
    assert callable(make_parser().parse_args(shlex.split(words, comments=True)).run)


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\((?!http)(.*?)\)", TEXT))))
def test_link_leads_somewhere(link):
    assert (README.parent / link).exists()
