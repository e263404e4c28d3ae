from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

import lsbn.estimator
import lsbn.partition
from cli.cases import chain_of
from lsbn.answers.answers import Answers
from lsbn.answers.families import DataCounts
from lsbn.framework import FitDiagnostics
from lsbn.learners import Score


@pytest.fixture
def halves(monkeypatch):
    """Replace ROPART by a function that divides the variables into two overlapping halves."""

    def ropart(dataset, **options):
        middle, n = dataset.n_variables // 2, dataset.n_variables
        parts = (np.arange(middle + 1), np.arange(middle, n))
        return SimpleNamespace(communities=parts, by_weight={"MI": parts}, kept={"MI": 0.25})

    monkeypatch.setattr(lsbn.partition, "ropart", ropart, raising=False)


@pytest.fixture
def estimator(monkeypatch):
    """Replace LSBN by a class that finds the chain of the columns and stores its parameters."""

    class Stub:
        asked: ClassVar[list] = []
        r_hat = 1.0

        def __init__(self, **options):
            self.asked.append(options)

        @classmethod
        def paper(cls, **options):
            return cls(published=True, **options)

        def fit(self, dataset):
            self.edges_ = chain_of(dataset)
            self.communities_ = [list(dataset.names[:2]), list(dataset.names[1:])]
            self.groups_ = {}
            self.answers_ = Answers.of(DataCounts(dataset), Score(), self.edges_, self.edges_.dag())
            seconds = {"read": 100.0, "partition": 2.0}
            figures = {"method": "sampled", "r_hat": self.r_hat}
            self.diagnostics_ = FitDiagnostics(**figures, seconds=seconds)
            return self

    monkeypatch.setattr(lsbn.estimator, "LSBN", Stub)
    return Stub


@pytest.fixture
def chain(tmp_path):
    """A small table; one name has a comma and an umlaut."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.integers(0, 2, (50, 4)), columns=["ä,1", "b", "c", "d"])
    table.to_csv(tmp_path / "chain.csv", index=False)
    return tmp_path / "chain.csv"
