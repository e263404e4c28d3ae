"""Predictive tables: the distribution of a variable's next value given its parents and the data.

For one Dirichlet prior of weight w the distribution in configuration j is the posterior mean,
``(N_jk + w / r) / (N_j + w)``. The mixed score averages many models (`lsbn.kernels.mixture`). Each
of them predicts by its own posterior means, and the models are averaged by their posterior
probabilities, which are proportional to their likelihoods. Rows that shrink predict by
``(N_jk + w m_jk) / (N_j + w)``, with the margin m_j of the configurations that have more rows.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from lsbn.kernels.mixture import (
    MOST_CONTEXTS,
    OWN_WEIGHTS,
    SHRUNK_WEIGHTS,
    TABLE_WEIGHTS,
    TREE_WEIGHTS,
)
from lsbn.kernels.trees import LEAST_MASS, add_margins, n_contexts, plan_trees, predict_by_trees
from lsbn.learners import Score

__all__ = ["predictive_table"]


def predictive_table(counts: np.ndarray, cards: np.ndarray, score: Score) -> np.ndarray:
    """Return the distribution of the child's next state in each configuration of its parents.

    Parameters
    ----------
    counts : (m, r) int array
        The child's states in each configuration: in all of them, in mixed base `cards` with the
        first parent the lowest digit. Or, if there are many, only in those that occur, and perhaps
        a row of zeros for all others.
    cards : int array
        States of each parent.
    score : Score
        BIC has no prior. It corresponds to a prior with the weight of one row in each
        configuration.

    Returns
    -------
    (m, r) float array

    Examples
    --------
    >>> counts = np.array([[9, 1], [0, 0]])
    >>> predictive_table(counts, np.array([2]), Score("bdeu", ess=2.0)).round(3).tolist()
    [[0.864, 0.136], [0.5, 0.5]]
    >>> predictive_table(counts, np.array([2]), Score()).round(3).tolist()
    [[0.827, 0.173], [0.661, 0.339]]
    """
    if score.kind == "mixed":
        return _mixed_table(counts, cards)
    configurations = np.prod(cards.astype(float))
    weights = {"bdeu": score.ess / configurations, "k2": counts.shape[1], "bic": 1.0}
    return _posterior_means(counts, np.array(weights[score.kind]))


def _posterior_means(counts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Posterior means for Dirichlet priors of these weights: (..., m, r) for weights (...)."""
    weight = weights[..., None, None]
    sizes = counts.sum(axis=1, keepdims=True)
    return (counts + weight / counts.shape[1]) / (sizes + weight)


def _log_rows(counts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Log likelihood of each row under each weight: (weights, m)."""
    weight, r = weights[:, None], counts.shape[1]
    cells = _log_rising(weight[:, :, None] / r, counts).sum(axis=2)
    return cells - _log_rising(weight, counts.sum(axis=1))


def _log_rising(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    return gammaln(a + x) - gammaln(a)


def _weights(logs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the shares of the exponentials along the first axis, and the log of their mean.

    scipy's `logsumexp` and `softmax` took a third of the time of a small table.
    """
    top = logs.max(axis=0)
    shares = np.exp(logs - top)
    sums = shares.sum(axis=0)
    return shares / sums, top + np.log(sums / len(logs))


def _mixed_table(counts: np.ndarray, cards: np.ndarray) -> np.ndarray:
    """Average the predictions of all ways, by the posterior probabilities of the ways."""
    ways = [_one_weight(counts), _own_weights(counts), _shrunk_rows(counts)]
    if len(cards) > 1 and n_contexts(cards) <= MOST_CONTEXTS:
        wide = add_margins(counts, cards)
        plan = plan_trees(wide.sum(axis=1), cards)
        if plan.mass >= LEAST_MASS:
            leaf, means = _log_rows(wide, TREE_WEIGHTS), _posterior_means(wide, TREE_WEIGHTS)
            trees = [
                predict_by_trees(own, mean, cards, plan)
                for own, mean in zip(leaf, means, strict=True)
            ]
            ways.append(_average(trees))
            means, rows = _own_rows(wide)
            ways.append(predict_by_trees(rows, means, cards, plan))
    table, _ = _average(ways)
    return table / table.sum(axis=1, keepdims=True)


def _average(parts: list[tuple[np.ndarray, float]]) -> tuple[np.ndarray, float]:
    """Average tables by the exponentials of their log likelihoods: the table, and their mean."""
    logs = np.array([log for _, log in parts])
    if logs.max() == -np.inf:
        return parts[0]
    weights, log_mean = _weights(logs)
    return np.tensordot(weights, [table for table, _ in parts], axes=1), float(log_mean)


def _one_weight(counts: np.ndarray) -> tuple[np.ndarray, float]:
    """Rows that all have the same weight; without parents, also an infinite one."""
    tables = list(_posterior_means(counts, TABLE_WEIGHTS))
    logs = _log_rows(counts, TABLE_WEIGHTS).sum(axis=1).tolist()
    if len(counts) == 1:
        r = counts.shape[1]
        tables.append(np.full((1, r), 1 / r))
        logs.append(-counts.sum() * np.log(r))
    return _average(list(zip(tables, logs, strict=True)))


def _own_weights(counts: np.ndarray) -> tuple[np.ndarray, float]:
    """Rows that have their own weights."""
    table, logs = _own_rows(counts)
    return table, float(logs.sum())


def _own_rows(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows that have their own weights: the table, and the log likelihood of each row."""
    weights, log_means = _weights(_log_rows(counts, OWN_WEIGHTS))
    means = _posterior_means(counts, OWN_WEIGHTS)
    return (weights[:, :, None] * means).sum(axis=0), log_means


def _shrunk_rows(counts: np.ndarray) -> tuple[np.ndarray, float]:
    """Rows that shrink towards the margin of the rows with larger counts."""
    r, sizes = counts.shape[1], counts.sum(axis=1)
    falling = np.argsort(-sizes, kind="stable")
    before = np.cumsum(counts[falling], axis=0) - counts[falling]
    first = np.searchsorted(-sizes[falling], -sizes, side="left")
    margins = before[first] + 1 / r
    margins /= margins.sum(axis=1, keepdims=True)
    tables, logs = [], []
    for weight in SHRUNK_WEIGHTS.tolist():
        prior = weight * margins
        tables.append((counts + prior) / (sizes + weight)[:, None])
        rising = _log_rising(prior, counts).sum() - _log_rising(np.array(weight), sizes).sum()
        logs.append(float(rising))
    return _average(list(zip(tables, logs, strict=True)))
