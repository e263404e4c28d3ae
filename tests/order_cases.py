"""Scored parent sets of few variables, and their best graph in an order."""

import numpy as np

from lsbn.learners.averaging.parent_sets import ScoredSets


def scored(families):
    """Sets of every variable from {parents: score}."""
    depth = max(len(parents) for own in families for parents in own)
    return [
        ScoredSets(
            child,
            np.array([[*p, *[-1] * (depth - len(p))] for p in own], np.int32),
            np.array(list(own.values())),
            np.zeros(len(own), np.int32),
        )
        for child, own in enumerate(families)
    ]


def best_score(sets, keys):
    return sum(own.scores[own.best_row(keys)] for own in sets)


def keys_of(*order):
    keys = np.empty(len(order))
    keys[list(order)] = (np.arange(len(order)) + 0.5) / len(order)
    return keys


def random_families(rng, n, most):
    """Random sets of up to two parents with random scores, ``most`` for each variable."""
    families = []
    for v in range(n):
        others = [u for u in range(n) if u != v]
        own = {(): 0.0}
        for _ in range(most):
            size = rng.integers(1, min(3, n))
            own[tuple(sorted(rng.choice(others, size, replace=False).tolist()))] = rng.normal()
        families.append(own)
    return families
