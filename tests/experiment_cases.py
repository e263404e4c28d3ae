"""Load a script of experiments/, or a part of a script, in a test."""

import importlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

FOLDER = Path(__file__).parents[1] / "experiments"


def load_experiment(name):
    """Load a module such as ``"noise"`` or ``"parts.reliability"``; it may import others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(FOLDER)
        return importlib.import_module(name)


def random_split(seed):
    """Split a table of independent columns, one of them constant."""
    rng = np.random.default_rng(seed)
    cards = {"a": 2, "b": 3, "c": 4, "constant": 1}
    table = pd.DataFrame({name: rng.integers(card, size=40) for name, card in cards.items()})
    return load_experiment("parts.prediction").split_table(table, seed)
