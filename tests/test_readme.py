"""The README's Python examples run."""

import re
from pathlib import Path

import numpy as np
import pytest

from lsbn import EdgeProbabilities

README = Path(__file__).parents[1] / "README.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), flags=re.DOTALL)


@pytest.mark.parametrize("code", EXAMPLES)
def test_example(code, tmp_path, monkeypatch):
    (tmp_path / "runs" / "x").mkdir(parents=True)
    EdgeProbabilities(np.diag([1.0], 1), ("a", "b")).to_csv(tmp_path / "runs" / "x" / "edges.csv")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, str(README), "exec"), {})
