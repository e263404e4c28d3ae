"""Learn the structure of large Bayesian networks, with a probability for every edge."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lsbn.version import __version__

if TYPE_CHECKING:
    from lsbn import metrics
    from lsbn.data import DataError, Dataset
    from lsbn.estimator import LSBN
    from lsbn.graph import EdgeProbabilities
    from lsbn.knowledge import Knowledge, Tier
    from lsbn.network import BayesianNetwork, load_network

__all__ = [
    "LSBN",
    "BayesianNetwork",
    "DataError",
    "Dataset",
    "EdgeProbabilities",
    "Knowledge",
    "Tier",
    "__version__",
    "load_network",
    "metrics",
]

_HOME = {
    "LSBN": "lsbn.estimator",
    "BayesianNetwork": "lsbn.network",
    "DataError": "lsbn.data",
    "Dataset": "lsbn.data",
    "EdgeProbabilities": "lsbn.graph",
    "Knowledge": "lsbn.knowledge",
    "Tier": "lsbn.knowledge",
    "load_network": "lsbn.network",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``lsbn --help`` answers at once."""
    if name == "metrics":
        return import_module("lsbn.metrics")
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'lsbn' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
