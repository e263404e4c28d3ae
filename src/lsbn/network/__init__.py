"""Bayesian networks with their tables: files, samples, estimates, and other packages."""

from lsbn.network.bif import BIFError
from lsbn.network.fit import fit_tables
from lsbn.network.generators import random_network, tile
from lsbn.network.network import (
    BUNDLED,
    BayesianNetwork,
    RandomState,
    load_network,
    parse_bif,
    read_bif,
)

__all__ = [
    "BUNDLED",
    "BIFError",
    "BayesianNetwork",
    "RandomState",
    "fit_tables",
    "load_network",
    "parse_bif",
    "random_network",
    "read_bif",
    "tile",
]
