import json
import pickle
from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pytest

from learner_cases import chain_table
from lsbn.graph import EdgeProbabilities
from lsbn.learners import LEARNERS, Diagnostics, Learned
from lsbn.learners.diagnostics import Level

SAMPLED = Diagnostics(method="sampled", r_hat=1.02, high_r_hat_edges=0, rounds=[])


def test_the_mapping_has_the_fields_that_are_not_none():
    assert list(SAMPLED) == ["method", "r_hat", "r_hat_above_1.1", "rounds"]
    assert dict(SAMPLED) == {"method": "sampled", "r_hat": 1.02, "r_hat_above_1.1": 0, "rounds": []}
    assert len(SAMPLED) == 4
    assert SAMPLED["r_hat_above_1.1"] == SAMPLED.high_r_hat_edges == 0
    assert "density" not in SAMPLED
    assert SAMPLED.get("density", 0.5) == 0.5
    assert not Diagnostics()


@pytest.mark.parametrize("key", ["density", "high_r_hat_edges", "colour"])
def test_other_keys_are_missing(key):
    with pytest.raises(KeyError, match=key):
        SAMPLED[key]


def test_it_equals_a_dict_with_the_same_items():
    assert dict(SAMPLED) == SAMPLED == Diagnostics.of(SAMPLED)
    assert replace(SAMPLED, density=0.1) != SAMPLED
    assert pickle.loads(pickle.dumps(SAMPLED)) == SAMPLED


def test_its_fields_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        SAMPLED.r_hat = 1.0


def test_its_text_shows_what_applies():
    assert repr(Diagnostics(method="exact", max_parents=3)) == (
        "Diagnostics(method='exact', max_parents=3)"
    )


def test_aracne_shows_that_it_has_no_constant_threshold():
    assert dict(Diagnostics(pairs_kept=3, edges=2)) == {
        "threshold": None,
        "pairs_kept": 3,
        "edges": 2,
    }


@pytest.mark.parametrize("learner", LEARNERS)
def test_json_gives_the_same_diagnostics_back(learner):
    written = LEARNERS[learner](chain_table(300), random_state=0).diagnostics
    record = json.loads(json.dumps(written))
    read = Diagnostics.of(record)
    assert read == written
    assert list(record) == list(written) == list(read)
    assert [getattr(read, each.name) for each in fields(read)] == [
        getattr(written, each.name) for each in fields(written)
    ]


def test_values_of_other_types_are_left_out():
    strange = {"r_hat": "low", "chains": True, "sweeps": 1.5, "scores": [1, None], "levels": [{}]}
    assert Diagnostics.of(strange | {"method": 3, 5: 6}) == {}
    numpy = {"r_hat": np.float32(1.5), "chains": np.int64(4), "scores": (1, 2.5)}
    assert Diagnostics.of(numpy) == {"r_hat": 1.5, "chains": 4, "scores": [1, 2.5]}
    assert Diagnostics.of({"levels": [{"size": 0, "pairs": 3, "tests": 3}]}).levels == [
        Level(size=0, pairs=3, tests=3)
    ]


def test_a_learner_of_the_user_may_give_a_dict():
    edges = EdgeProbabilities(np.zeros((2, 2)), ("a", "b"))
    learned = Learned(edges, {"r_hat": 1.3, "colour": "red"})
    assert learned.diagnostics.r_hat == 1.3
    assert learned.diagnostics == {"r_hat": 1.3}
    assert Learned(edges).diagnostics == {}
