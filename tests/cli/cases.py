"""Functions that the tests of the commands share."""

import json

import numpy as np

from lsbn.cli import main
from lsbn.graph import EdgeProbabilities

RUN_FILES = [
    "coding.json",
    "communities.json",
    "edges.csv",
    "graph.graphml",
    "network.bif",
    "posterior.npz",
    "report.html",
    "summary.json",
]


def run(*words):
    return main([str(word) for word in words])


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def summary_of(folder):
    return json.loads((folder / "summary.json").read_text("utf-8"))


def chain_of(dataset):
    n = dataset.n_variables
    return EdgeProbabilities(np.diag(np.full(n - 1, 0.75), 1), dataset.names)
