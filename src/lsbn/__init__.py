"""Learn the structure of large Bayesian networks, with a probability for every edge."""

__version__ = "0.1.0"
