"""Bayesian model averaging over orders, or over graphs.

The parent sets of all variables are enumerated or searched (`search`, `rounds`), orders are summed
exactly (`exact`) or sampled over the sets (`sampler`). Graphs may be sampled instead, so that each
counts once (`graphs`). `convergence` judges the chains.
"""

from lsbn.learners.averaging.exact import COUNTS
from lsbn.learners.averaging.learner import learn_model_averaging
from lsbn.learners.averaging.settings import EFFORTS, SamplingSettings, SearchSettings

__all__ = [
    "COUNTS",
    "EFFORTS",
    "SamplingSettings",
    "SearchSettings",
    "learn_model_averaging",
]
