"""What is reported of the stages of a fit."""

import pytest

from lsbn import workers
from lsbn.framework import stages
from lsbn.framework.stages import Stages


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(stages.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(stages, "memory_in_words", lambda: ["1.5 GB"])
    return now


def test_the_pace_tells_pieces_rate_time_left_and_memory(clock):
    told = []
    tell = Stages(told.append).pace("last pass", "parts", "joining the parts")
    clock[0] = 30.0
    tell(3, 12, 0)
    clock[0] = 30.5
    tell(4, 12, 0)  # too early
    clock[0] = 60.0
    tell(12, 12, 0)
    assert told == [
        "last pass: learn all variables (3 of 12 parts, 6 a minute, 1 min 30 s left, 1.5 GB)",
        "last pass: learn all variables (12 of 12 parts, joining the parts, 1.5 GB)",
    ]


def test_pieces_of_a_draft_do_not_count_in_the_rate(clock):
    told = []
    tell = Stages(told.append).pace("merge", "merges")
    for done in range(1, 51):
        clock[0] += 0.1
        tell(done, 60, done)
    clock[0] += 10.0
    tell(52, 60, 50)
    assert told == ["merge the communities (52 of 60 merges, 12 a minute, 40.0 s left, 1.5 GB)"]


def test_the_memory_of_workers_is_told(monkeypatch):
    monkeypatch.setattr(workers, "_memory", lambda: 2_000_000_000)
    monkeypatch.setattr(workers, "_memory_of", {("a", 1): 500_000_000, ("b", 1): 700_000_000})
    assert workers.memory_in_words() == ["2.0 GB", "2 workers 1.2 GB"]
    monkeypatch.setattr(workers, "_memory", lambda: 0)
    assert workers.memory_in_words() == []
