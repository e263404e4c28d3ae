import gc
import threading

import pytest

from lsbn.garbage import rare_collections


def test_thresholds_are_those_of_the_user_again():
    before = gc.get_threshold()
    with rare_collections():
        assert gc.get_threshold()[0] > before[0]
    with pytest.raises(ZeroDivisionError), rare_collections():
        _ = 1 / 0
    assert gc.get_threshold() == before


def test_blocks_of_two_threads_end_in_any_order():
    before = gc.get_threshold()
    first, second = rare_collections(), rare_collections()
    threads = [threading.Thread(target=block.__enter__) for block in (first, second)]
    threads += [
        threading.Thread(target=block.__exit__, args=[None] * 3) for block in (first, second)
    ]
    seen = []
    for thread in threads:
        thread.start()
        thread.join()
        seen.append(gc.get_threshold())
    assert seen[0] == seen[1] == seen[2] != before
    assert seen[3] == before


@pytest.mark.parametrize("first", [0, 1_000_000])
def test_rarer_collections_stay_as_they_are(first):
    before = gc.get_threshold()
    gc.set_threshold(first)
    try:
        with rare_collections():
            assert gc.get_threshold()[0] == first
        assert gc.get_threshold()[0] == first
    finally:
        gc.set_threshold(*before)
