"""Bayesian model averaging over orders.

The parent sets of all variables are enumerated or searched (`search`, `rounds`), orders are summed
exactly (`exact`) or sampled over the sets (`sampler`), and `convergence` judges the chains.
"""

from lsbn.learners.averaging.learner import learn_model_averaging
from lsbn.learners.averaging.settings import SamplingSettings, SearchSettings

__all__ = ["SamplingSettings", "SearchSettings", "learn_model_averaging"]
