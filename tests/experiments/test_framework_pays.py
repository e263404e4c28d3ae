"""Candidates without communities: the heaviest partners, in both directions."""

import numpy as np
import pytest

from experiment_cases import load_experiment
from lsbn import Dataset
from lsbn.network import load_network


@pytest.fixture(scope="module")
def study():
    return load_experiment("framework_pays")


def test_partners_are_candidates_of_each_other(study, monkeypatch):
    monkeypatch.setattr(study, "PARTNERS", 2)
    dataset = Dataset.from_table(load_network("alarm").sample(300, random_state=0))
    parts = np.array_split(np.arange(37), 2)
    found = study.partners(dataset, parts)
    pairs = {(u, v) for v, pool in enumerate(found.neighbours) for u in pool.tolist()}
    assert pairs == {(v, u) for u, v in pairs}
    assert min(map(len, found.neighbours)) >= 1
    assert len(pairs) <= 4 * 37
    assert found.parts is parts


def test_every_way_gives_probabilities_and_a_log_score(study, monkeypatch):
    monkeypatch.setattr(study, "PART", 5)
    dataset = Dataset.from_table(load_network("alarm").sample(100, random_state=0).iloc[:, :10])
    for learn in study.WAYS.values():
        edges, _ = learn(dataset, 0)
        assert edges.names == dataset.names
