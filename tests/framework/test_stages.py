"""What is reported of the stages of a fit."""

from lsbn.framework.stages import Stages


def test_the_pace_tells_pieces_rate_and_time_left(monkeypatch):
    told, now = [], [0.0]
    monkeypatch.setattr("lsbn.framework.stages.time.perf_counter", lambda: now[0])
    tell = Stages(told.append).pace("last pass")
    now[0] = 30.0
    tell(3, 12)
    assert told == ["last pass: learn all variables (3 of 12 parts, 6 a minute, 1 min 30 s left)"]
