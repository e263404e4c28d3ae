import json

import networkx as nx
import numpy as np

from cli.cases import run
from lsbn.graph import EdgeProbabilities
from lsbn.network import load_network


def test_evaluate_against_a_network(tmp_path, capsys):
    alarm = load_network("alarm")
    edges = EdgeProbabilities(nx.to_numpy_array(alarm.dag), alarm.names)
    edges.to_csv(tmp_path / "edges.csv")
    assert run("evaluate", tmp_path, "--truth", "alarm", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["hits"], found["f_score"], found["shd"], found["seed"]) == (46, 100.0, 0, None)


def test_evaluate_refuses(tmp_path, chain, halves, capsys):
    assert run("evaluate", tmp_path / "nowhere", "--truth", "alarm") == 2
    assert "nowhere" in capsys.readouterr().err
    run("partition", chain, "-o", tmp_path / "run")
    assert run("evaluate", tmp_path / "run", "--truth", "alarm") == 2
    assert "lsbn learn" in capsys.readouterr().err
    EdgeProbabilities(np.diag([1.0], 1), "ab").to_csv(tmp_path / "run" / "edges.csv")
    assert run("evaluate", tmp_path / "run", "--truth", "alarm") == 2
    assert "unknown variables 'a'" in capsys.readouterr().err
