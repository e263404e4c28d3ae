import csv
import gzip

import numpy as np
import pandas as pd
import pytest

from cli.cases import run
from lsbn.data import Dataset
from lsbn.network import BayesianNetwork, load_network


@pytest.fixture
def strange_net(tmp_path):
    net = BayesianNetwork(
        names=("β, one", 'say "hi"', "plain"),
        states=(("no", "yes, sir"), ('"', ""), ("été", "1")),
        parents=(np.array([], int), np.array([0]), np.array([1])),
        tables=(
            np.array([[0.5, 0.5]]),
            np.array([[0.9, 0.1], [0.1, 0.9]]),
            np.array([[0.9, 0.1], [0.1, 0.9]]),
        ),
    )
    net.write_bif(tmp_path / "strange.bif")
    return net


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet"])
def test_sample_writes_what_the_network_draws(tmp_path, suffix, capsys):
    target = tmp_path / f"a{suffix}"
    assert run("sample", "alarm", "--rows", 200, "-o", target, "--seed", 3) == 0
    assert "200 rows of 37 variables" in capsys.readouterr().out
    found = Dataset.read(target).to_pandas().astype(str)
    expected = load_network("alarm").sample(200, random_state=3).astype(str)
    pd.testing.assert_frame_equal(found, expected)


def test_sample_shuffles_columns_by_the_seed(tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        target = tmp_path / f"{name}.csv"
        run("sample", "alarm", "--rows", 20, "-o", target, "--seed", seed, "--shuffle-columns")
    a, b, c = (pd.read_csv(tmp_path / f"{name}.csv") for name in "abc")
    pd.testing.assert_frame_equal(a, b)
    names = list(load_network("alarm").names)
    assert list(a) != names
    assert sorted(a) == sorted(names)
    assert list(a) != list(c)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_sample_quotes_strange_words(tmp_path, strange_net):
    assert run("sample", tmp_path / "strange.bif", "--rows", 50, "-o", tmp_path / "x.csv") == 0
    with open(tmp_path / "x.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, strict=True))
    assert tuple(rows[0]) == strange_net.names
    expected = strange_net.sample(50, random_state=0).astype(str).to_numpy().tolist()
    assert rows[1:] == expected


def test_compressed_samples_are_the_same_bytes_every_time(tmp_path):
    for name in "ab":
        run("sample", "alarm", "--rows", 20, "-o", tmp_path / f"{name}.csv.gz")
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.csv.gz").read_bytes()).count(b"\n") == 21


def test_sample_does_not_overwrite(tmp_path, capsys):
    target = tmp_path / "a.csv"
    target.write_text("precious")
    assert run("sample", "alarm", "--rows", 5, "-o", target) == 2
    assert capsys.readouterr().err == (
        f"lsbn: error: {target} exists; choose another name, or replace it with --force\n"
    )
    assert target.read_text() == "precious"
    assert run("sample", "alarm", "--rows", 5, "-o", target, "--force") == 0
    assert target.read_text() != "precious"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("asia", "-o", "x.csv"), "'asia' is neither a bundled network"),
        (("nowhere.bif", "-o", "x.csv"), "nowhere.bif"),
        (("bad.bif", "-o", "x.csv"), "bad.bif, line 1"),
        (("alarm", "-o", "x.xlsx"), "must end in .csv"),
        (("alarm", "-o", "missing/x.csv"), "no such folder"),
        (("alarm", "-o", "folder.csv"), "is a folder"),
    ],
)
def test_sample_refuses(tmp_path, monkeypatch, capsys, words, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.bif").write_text("nonsense")
    (tmp_path / "folder.csv").mkdir()
    assert run("sample", "--rows", 5, *words) == 2
    err = capsys.readouterr().err
    assert err.startswith("lsbn: error: ")
    assert message in err
    assert err.count("\n") == 1
    assert not (tmp_path / "x.csv").exists()


def test_interrupted_sample_leaves_nothing(tmp_path, monkeypatch, capsys):
    def interrupt(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr("lsbn.cli.table_files._csv_lines", interrupt)
    assert run("sample", "alarm", "--rows", 5, "-o", tmp_path / "a.csv") == 130
    assert capsys.readouterr().err == "lsbn: interrupted; nothing was written\n"
    assert list(tmp_path.iterdir()) == []
