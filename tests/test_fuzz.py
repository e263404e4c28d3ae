import pytest

from fuzz import TARGETS, fuzz


@pytest.mark.parametrize("kind", TARGETS)
def test_mutated_inputs_never_end_in_a_traceback(kind):
    assert fuzz(kind, 60, seed=1) == []
