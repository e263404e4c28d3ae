import numpy as np
import pytest

from lsbn.estimator import LSBN
from lsbn.parameters import check_parameters, copies_of, score_of, seed_sequence


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": None}, r"weights is None; use a sequence such as \['MI'\]"),
        ({"weights": []}, "weights is empty; use some of MI"),
        ({"max_community": -3}, "max_community is -3; use 2 or more"),
        ({"triplet_threshold": float("nan")}, "triplet_threshold is nan; use 0 to 1"),
        ({"max_community": "large"}, "max_community is 'large'; use 2 or more"),
        ({"max_size": 21}, "max_size is 21; use 2 to 20"),
        ({"max_size": 2.5}, "max_size is 2.5; use 2 to 20"),
        ({"threshold": "0.5"}, "threshold is '0.5'; use 0 or more, and less than 1"),
        ({"threshold": float("nan")}, "threshold is nan"),
        ({"triplet_threshold": None}, "triplet_threshold is None; use 0 to 1"),
        ({"blanket_alpha": "small"}, "blanket_alpha is 'small'; use more than 0"),
        ({"bins": 9, "max_states": 8}, r"bins is 9; use a whole number from 2 to max_states \(8\)"),
        ({"count": "dags"}, "count is 'dags'; use orders or graphs"),
        ({"count": "graphs", "learner": "greedy"}, "only model-averaging counts graphs"),
        ({"count": "graphs", "learner": print}, "only model-averaging counts graphs"),
        ({"count": "graphs", "last_pass": False}, "for the last pass; leave out count"),
        (
            {"fold_copies": "fold"},
            "fold_copies is 'fold'; use 'join', 'group', 'keep', True, False",
        ),
        ({"fold_copies": 1}, "fold_copies is 1; use"),
        ({"n_jobs": 0}, "n_jobs is 0; use 1 or more, -1 for all cores, or None"),
        ({"n_jobs": "all"}, "n_jobs is 'all'"),
        ({"checkpoint": 3}, "checkpoint is 3; use the name of a folder"),
    ],
)
def test_impossible_parameters_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        check_parameters(LSBN(**options).get_params())


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"max_size": np.int64(5), "threshold": np.float32(0.5), "n_jobs": np.int64(-1)},
        {"weights": np.array(["MI"]), "blanket_alpha": 0.01, "triplet_threshold": 1},
        {"learner": print, "threshold": 0},
        {"count": "graphs"},
        {"fold_copies": "group"},
        {"fold_copies": np.bool_(True)},
    ],
)
def test_possible_parameters_are_accepted(options):
    assert check_parameters(LSBN(**options).get_params()) is None


@pytest.mark.parametrize("wrong", [-1, 0.5, "x"])
def test_impossible_seeds_are_refused(wrong):
    with pytest.raises(ValueError, match=f"random_state is {wrong!r}; use a whole number"):
        seed_sequence(wrong)


def test_a_seed_sequence_may_be_used_again():
    first = np.random.SeedSequence(5)
    first.spawn(3)
    assert seed_sequence(first).spawn(1)[0].spawn_key == (0,)


def test_the_score_has_a_name_or_is_a_value():
    assert score_of("greedy", None) is None
    assert score_of("greedy", "bdeu").kind == "bdeu"


@pytest.mark.parametrize(
    ("learner", "value", "expected"),
    [
        ("model-averaging", None, "join"),
        (print, None, "join"),
        ("aracne", None, "keep"),
        ("pc", True, "join"),
        ("greedy", False, "keep"),
        ("pc", "group", "group"),
        ("greedy", "keep", "keep"),
    ],
)
def test_what_is_done_with_copies(learner, value, expected):
    assert copies_of(learner, value) == expected
