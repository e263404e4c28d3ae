"""``lsbn export``: runs and networks for other programs."""

import pytest

from cli.cases import run
from lsbn.network import load_network, read_bif


@pytest.mark.usefixtures("estimator")
def test_a_run_in_every_format(chain, tmp_path, capsys):
    assert run("learn", chain, "-o", tmp_path / "run") == 0
    capsys.readouterr()
    for name in ("a.bif", "a.xmlbif", "a.net"):
        assert run("export", tmp_path / "run", "-o", tmp_path / name) == 0
        assert capsys.readouterr().out.startswith("4 variables, 3 edges written to ")
    assert (tmp_path / "a.bif").read_bytes() == (tmp_path / "run" / "network.bif").read_bytes()
    assert 'label = "ä,1";' in (tmp_path / "a.net").read_text("utf-8")
    assert "<FOR>b</FOR>\n  <GIVEN>" in (tmp_path / "a.xmlbif").read_text("utf-8")


def test_a_bundled_network(tmp_path):
    assert run("export", "alarm", "-o", tmp_path / "alarm.bif") == 0
    assert read_bif(tmp_path / "alarm.bif").names == load_network("alarm").names


def test_refusals(tmp_path, capsys):
    (tmp_path / "old.net").write_text("keep")
    for words, told in (
        (("alarm", "-o", tmp_path / "a.txt"), "must end in .bif"),
        (("alarm", "-o", tmp_path / "old.net"), "replace it with --force"),
        (("nothing", "-o", tmp_path / "a.net"), "neither a bundled network"),
        ((tmp_path, "-o", tmp_path / "a.net"), "has no edges.csv"),
    ):
        assert run("export", *words) == 2
        assert told in capsys.readouterr().err
    assert (tmp_path / "old.net").read_text() == "keep"
    assert run("export", "alarm", "-o", tmp_path / "old.net", "--force") == 0
