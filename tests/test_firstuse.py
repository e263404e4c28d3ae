"""The second process that compiles kernels on first use."""

import multiprocessing
import subprocess
import sys

import pytest

from lsbn import firstuse


@pytest.fixture
def started(monkeypatch):
    """Commands that would be started, on a machine with two cores and an empty cache."""
    commands = []

    class Process:
        def __init__(self, command, **options):
            commands.append((command, options))

    monkeypatch.setattr(subprocess, "Popen", Process)
    monkeypatch.setattr(firstuse.atexit, "register", lambda *call: None)
    monkeypatch.setattr(firstuse, "_helper", None)
    monkeypatch.setattr(firstuse, "is_first_use", lambda: True)
    monkeypatch.setattr(firstuse.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: None)
    monkeypatch.setattr(sys, "executable", "/usr/bin/python3")
    monkeypatch.delenv("LSBN_COMPILE")
    return commands


def test_one_process_is_started_once(started):
    firstuse.compile_beside(5)
    firstuse.compile_beside(5)
    [(command, options)] = started
    assert command[1:3] == ["-P", "-c"]
    assert options["env"]["LSBN_COMPILE"] == "alone"
    assert options["stdin"] == subprocess.PIPE


@pytest.mark.parametrize(
    ("where", "name", "value"),
    [
        (firstuse, "is_first_use", lambda: False),
        (firstuse.os, "cpu_count", lambda: 1),
        (multiprocessing, "parent_process", object),
        (sys, "executable", "/opt/spreadsheet"),
    ],
)
def test_no_process_is_started_where_it_would_not_help(started, monkeypatch, where, name, value):
    monkeypatch.setattr(where, name, value)
    firstuse.compile_beside(5)
    assert started == []


def test_no_process_is_started_against_the_users_wish(started, monkeypatch):
    monkeypatch.setenv("LSBN_COMPILE", "alone")
    firstuse.compile_beside(5)
    assert started == []


def test_first_use_is_an_empty_cache(tmp_path, monkeypatch):
    from lsbn.kernels.parents import explore_parent_sets as kernel

    class Stats:
        cache_path = str(tmp_path)

    monkeypatch.setattr(type(kernel), "stats", Stats)
    assert firstuse.is_first_use()
    (tmp_path / "parents.explore_parent_sets-9.py311.nbi").touch()
    assert not firstuse.is_first_use()


def test_the_second_process_ends_with_the_first_one():
    code = "import threading, time; from lsbn import firstuse as f; print(1, flush=True);"
    code += "threading.Thread(target=f._end_with_parent).start(); time.sleep(60)"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        process.stdin.close()
        assert process.wait(30) == 0
