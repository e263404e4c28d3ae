"""Kernels that are compiled apart from their callers do what a plain call does."""

import numpy as np
import pytest
from numba import types

from lsbn.kernels import apart as module
from lsbn.kernels import scores, standins
from lsbn.kernels.apart import apart, stand_in
from lsbn.kernels.jit import njit
from lsbn.learners.scoring import Score, columns_of
from pair_cases import dataset


@njit(nogil=True)
def scaled(values, k):
    if k < 0:
        raise ValueError("negative")
    return values * (k + 0.5)


@njit(nogil=True)
def interrupted(values, k):
    return values * (k + 1.5)


@njit(nogil=True)
def wrong(values, k):
    return values.sum() + k


@njit(nogil=True)
def doubled(values, k):
    return 2.0 * scaled(values, k)


FLOATS = types.Array(types.float64, 1, "C")
scaled_apart, wrong_apart = apart(scaled, FLOATS), apart(wrong, FLOATS)
interrupted_apart = apart(interrupted, FLOATS)


@njit(nogil=True)
def call(values, k):
    return scaled_apart(values, k)[1:] + scaled_apart(values, np.int32(k))[:-1]


@njit(nogil=True)
def call_wrong(values, k):
    return wrong_apart(values, k)


@njit(nogil=True)
def call_interrupted(values, k):
    return interrupted_apart(values, k)


@njit(nogil=True)
def call_another(values, k):
    return scaled_apart(values, k)


def test_result_is_that_of_a_plain_call_and_integers_are_of_one_type():
    values = np.arange(4.0)
    want = scaled.py_func(values, 2)
    assert call(values, 2).tolist() == (want[1:] + want[:-1]).tolist()
    assert len(scaled.signatures) == 1


def test_errors_of_the_kernel_reach_the_caller():
    with pytest.raises(ValueError, match="negative"):
        call(np.arange(4.0), -1)


def test_another_type_than_the_promised_one_is_an_error(capsys):
    with pytest.raises(RuntimeError):
        call_wrong(np.arange(4.0), 1)
    assert "wrong returns float64" in capsys.readouterr().err


def test_an_interruption_while_compiling_reaches_the_caller(monkeypatch):
    class Interrupting:
        def compile(self, types):
            raise KeyboardInterrupt

    monkeypatch.setitem(module._STAND_INS, interrupted, Interrupting())
    with pytest.raises(KeyboardInterrupt):
        call_interrupted(np.arange(4.0), 1)
    monkeypatch.undo()
    assert call_interrupted(np.arange(2.0), 1).tolist() == [0.0, 2.5]


def test_a_stand_in_is_called_in_place_of_a_kernel(monkeypatch):
    monkeypatch.setattr(module, "_STAND_INS", {})
    stand_in(scaled, doubled)
    assert call_another(np.ones(1), 1).tolist() == [3.0]
    assert scaled(np.ones(1), 1).tolist() == [1.5]


@pytest.mark.parametrize("kind", ["mixed", "bdeu"])
def test_stand_ins_of_scores_return_the_same_types(kind):
    table = dataset([[0, 1, 0, 1], [0, 1, 1, 1], [0, 0, 1, 1]])
    case = columns_of(table), Score(kind).lookup(), 0
    one, two = np.array([1]), np.array([2])
    family = standins._family_score(*case, one)
    assert type(family) is type(scores.family_score(*case, one))
    grown, want = (
        f(*case, one, two) for f in (standins._extension_scores, scores.extension_scores)
    )
    assert grown.dtype == want.dtype
    assert grown.shape == want.shape
