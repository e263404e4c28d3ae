"""Answers from the posterior: probabilities of features, likelihood, prediction, effects.

`Answers` holds all that is needed, from a fitted estimator or from a run folder (`store`).
"""
