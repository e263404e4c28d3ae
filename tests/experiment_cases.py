"""Load a script of experiments/ in a test."""

import importlib.util
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "experiments"


def load_experiment(name):
    """Load a script; it may import other scripts of its folder."""
    spec = importlib.util.spec_from_file_location(f"{name}_experiment", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(FOLDER)
        spec.loader.exec_module(module)
    return module
