"""Effects of interventions, against enumeration and the do-calculus of pyAgrum."""

import json
import subprocess
import sys

import numpy as np
import pytest

import naive_answers
from lsbn import LSBN, load_network
from lsbn.answers import effects
from lsbn.answers.ensemble import Ensemble
from lsbn.answers.families import FamilyTable
from lsbn.graph.sampled import SampledGraphs
from lsbn.network.generators import random_network


def ensemble_of(network):
    """The true network as an ensemble of one, with its own tables."""

    def table(child, parents):
        listed = network.parents[child].tolist()
        cards = network.cardinalities[listed]
        values = network.tables[child].reshape(*cards, -1)
        order = [listed.index(u) for u in sorted(listed)][::-1]
        rows = values.transpose(*order, len(listed)).reshape(-1, values.shape[-1])
        above = np.array(parents, np.int64)
        return FamilyTable(child, above, network.cardinalities[above], rows)

    edges = [(int(u), v) for v, parents in enumerate(network.parents) for u in parents]
    return Ensemble.of(SampledGraphs.of([edges], network.names), network.cardinalities, table)


@pytest.mark.parametrize("seed", range(6))
def test_effects_equal_enumeration(seed):
    network = random_network(6, states=(2, 3), random_state=seed)
    ensemble = ensemble_of(network)
    for x in range(6):
        for y in range(6):
            if x != y:
                found = effects.effect_of(ensemble, x, y)[0]
                np.testing.assert_allclose(found, naive_answers.effect(network, x, y), atol=1e-12)


def test_large_factors_are_sampled(monkeypatch):
    network = random_network(8, states=(2, 3), random_state=1)
    wanted = effects.effect_of(ensemble_of(network), 0, 7)
    monkeypatch.setattr(effects, "MOST_CELLS", 1)
    found = effects.effect_of(ensemble_of(network), 0, 7)
    np.testing.assert_allclose(found, wanted, atol=0.04)
    assert not np.array_equal(found, wanted)


DO_CALCULUS = """
import json, sys, warnings
warnings.simplefilter("ignore")
import pyagrum as gum
network = gum.loadBN(sys.argv[1])
model, answers = gum.CausalModel(network), []
for cause, outcome in json.loads(sys.argv[2]):
    for label in network.variable(cause).labels():
        found = gum.causalImpact(model, on=outcome, doing=cause, values={cause: label})
        answers.append(found[1].toarray().tolist())
print(json.dumps(answers))
"""


def test_effects_equal_those_of_pyagrum(tmp_path):
    """In a process of its own: two causal models of pyAgrum 3.3 in one process crash it."""
    pytest.importorskip("pyagrum")
    network = random_network(8, states=(2, 3), random_state=2)
    pairs = [(u, v) for u in network.names[:3] for v in network.names[-2:]]
    network.write_bif(tmp_path / "net.bif")
    words = [sys.executable, "-c", DO_CALCULUS, tmp_path / "net.bif", json.dumps(pairs)]
    wanted = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    ensemble = ensemble_of(network)
    found = []
    for pair in pairs:
        found += effects.effect_of(ensemble, *map(network.names.index, pair))[0].tolist()
    assert len(found) == len(wanted)
    for own, other in zip(found, wanted, strict=True):
        assert own == pytest.approx(other, abs=1e-6)  # pyAgrum reads single precision


def test_averaged_effects_have_intervals():
    network = load_network("alarm")
    names = ["HYPOVOLEMIA", "LVFAILURE", "STROKEVOLUME", "LVEDVOLUME", "HISTORY"]
    table = network.sample(8_000, random_state=0)[names]
    model = LSBN(random_state=0).fit(table)
    effect = model.effect("HISTORY", "STROKEVOLUME")
    assert effect.shares.shape == (200, 2, 3)
    assert effect.mean.to_numpy().sum(axis=1) == pytest.approx(1)
    assert (effect.low <= effect.mean + 1e-12).all(axis=None)
    assert (effect.mean <= effect.high + 1e-12).all(axis=None)
    frame = effect.to_frame()
    assert list(frame) == ["do(HISTORY)", "STROKEVOLUME", "probability", "low", "high"]
    assert len(frame) == 6
    assert "90% intervals" in repr(effect)
    path = model.probability("HISTORY", "STROKEVOLUME", how="path")
    assert effect.any_effect == pytest.approx(float(path), abs=0.1)


def test_wrong_effects():
    table = load_network("alarm").sample(100, random_state=0)[["HR", "HRBP"]]
    model = LSBN(random_state=0).fit(table)
    with pytest.raises(ValueError, match="'HR' twice"):
        model.effect("HR", "HR")
    with pytest.raises(ValueError, match="level is 1"):
        model.effect("HR", "HRBP", level=1)
