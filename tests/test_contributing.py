"""The paths in CONTRIBUTING exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PLACES = sorted(set(re.findall(r"`([a-z_/]+(?:\.py|/))`", TEXT)))


@pytest.mark.parametrize("place", PLACES)
def test_places_exist(place):
    folders = [ROOT, ROOT / "src" / "lsbn", *(ROOT / "src" / "lsbn").glob("*/")]
    assert any((folder / place).exists() for folder in folders), place


def test_there_are_ten_steps():
    assert len(re.findall(r"^\| \d+\. ", TEXT, re.MULTILINE)) == 10
