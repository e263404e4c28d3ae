"""Hook of mkdocs: offer every page with examples as a notebook, with the outputs of the page.

The tests run the examples and compare these outputs, so no kernel is needed for the build.
"""

import json
import re
from collections.abc import Iterator
from doctest import DocTestParser, Example
from typing import Any

from mkdocs.structure.files import File, Files

_SESSION = re.compile(r"```pycon\n(.*?)```", re.DOTALL)
_LINK = re.compile(r"\]\((\w+)\.md(#[\w-]+)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add a notebook for each page with a session."""
    for page in list(files.documentation_pages()):
        if _SESSION.search(page.content_string):
            notebook = json.dumps(notebook_of(page.content_string), indent=1)
            files.append(File.generated(config, _name(page), content=notebook))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Link the notebook at the end of its page."""
    if not _SESSION.search(markdown):
        return markdown
    return f"{markdown}\n\n[This page as a notebook]({_name(page.file)})\n"


def _name(page: File) -> str:
    return page.src_uri.removesuffix(".md") + ".ipynb"


def notebook_of(markdown: str) -> dict[str, Any]:
    """Return the notebook of a page: its text, its sessions, and their outputs."""
    cells: list[dict[str, Any]] = []
    for k, part in enumerate(_SESSION.split(markdown)):
        if k % 2:
            cells.extend(_code_cells(part))
        elif part.strip():
            text = _LINK.sub(r"](\1.html\2)", part.strip())
            cells.append({"cell_type": "markdown", "metadata": {}, "source": text})
    for k, cell in enumerate(cells):
        cell["id"] = f"cell-{k}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": cells}


def _code_cells(session: str) -> Iterator[dict[str, Any]]:
    """Yield a cell for each example that prints, together with the silent ones before it."""
    silent = ""
    examples = DocTestParser().get_examples(session)
    for k, example in enumerate(examples):
        silent += example.source
        if example.want or k == len(examples) - 1:
            yield {
                "cell_type": "code",
                "execution_count": None,
                "metadata": {},
                "source": silent.rstrip("\n"),
                "outputs": [_output(example)] if example.want else [],
            }
            silent = ""


def _output(example: Example) -> dict[str, Any]:
    """Return what the example prints or raises, in the form of nbformat 4."""
    if example.exc_msg is None:
        return {"output_type": "stream", "name": "stdout", "text": example.want}
    name, _, value = example.exc_msg.strip().partition(": ")
    lines = example.want.splitlines()
    return {"output_type": "error", "ename": name, "evalue": value, "traceback": lines}
