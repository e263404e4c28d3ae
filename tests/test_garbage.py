import gc

import pytest

from lsbn.garbage import rare_collections


def test_thresholds_are_those_of_the_user_again():
    before = gc.get_threshold()
    with rare_collections():
        assert gc.get_threshold()[0] > before[0]
    with pytest.raises(ZeroDivisionError), rare_collections():
        _ = 1 / 0
    assert gc.get_threshold() == before
