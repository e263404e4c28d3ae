"""Rows to learn from, rows to predict, and how well a graph predicts them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np
import pandas as pd

from lsbn.network import load_network
from lsbn.studies.cells import shuffled_table

LEARNED_SHARE = 0.7
NETWORK_ROWS = (200, 1_000, 5_000)
UNSEEN_ROWS = 5_000


@dataclass(frozen=True)
class Split:
    """Rows to learn from and rows to predict.

    Columns are categories, and their states are those of both parts. So a state that is not among
    the rows to learn from still has a positive probability.
    """

    train: pd.DataFrame
    test: pd.DataFrame

    @classmethod
    def of(cls, table: pd.DataFrame, train: np.ndarray, test: np.ndarray) -> "Split":
        """Choose rows of a table of states."""
        rows = table.iloc[np.concatenate([train, test])].reset_index(drop=True)
        rows = rows.astype(str).astype("category")
        return cls(rows.iloc[: len(train)], rows.iloc[len(train) :])


def split_table(table: pd.DataFrame, seed: int) -> Split:
    """Draw the rows to learn from, 70 % of all."""
    order = np.random.default_rng(seed).permutation(len(table))
    return Split.of(table, *np.split(order, [round(LEARNED_SHARE * len(table))]))


def split_network(name: str, rows: int, seed: int) -> Split:
    """Sample a network; columns are shuffled, and unseen rows are the same for all `rows`."""
    table = shuffled_table(load_network(name), max(NETWORK_ROWS) + UNSEEN_ROWS, seed)
    unseen = np.arange(len(table) - UNSEEN_ROWS, len(table))
    return Split.of(table, np.arange(rows), unseen)


def one_row_in_all(q: int, r: int) -> float:
    """Return the weight of a cell if all cells have the weight of one row."""
    return 1 / (q * r)


def one_row_in_each(q: int, r: int) -> float:
    """Return the weight of a cell if each configuration of the parents has that of one row."""
    return 1 / r


SMOOTHINGS = (one_row_in_all, one_row_in_each)


def predict(dag: nx.DiGraph, split: Split) -> np.ndarray:
    """Log-likelihood of every unseen row, in nats.

    Tables are smoothed by the weight of one row in all, or of one row in each configuration of the
    parents. Of the two, the one that predicts the unseen rows better is used, for the whole graph.
    """
    return max((log_likelihoods(dag, split, rule) for rule in SMOOTHINGS), key=np.sum)


def log_likelihoods(
    dag: nx.DiGraph, split: Split, smoothing: Callable[[int, int], float]
) -> np.ndarray:
    """Log-likelihood of every unseen row under one smoothing: the sum over the families."""
    train, test = (
        part.apply(lambda c: c.cat.codes.astype(int)) for part in (split.train, split.test)
    )
    total = np.zeros(len(test))
    for child in dag:
        family = [*dag.pred[child], child]
        cards = [len(split.train[name].cat.categories) for name in family]
        weight = smoothing(math.prod(cards[:-1]), cards[-1])
        total += family_logs(train[family].to_numpy(), test[family].to_numpy(), cards, weight)
    return total


def family_logs(
    train: np.ndarray, test: np.ndarray, cards: Sequence[int], weight: float
) -> np.ndarray:
    """Log-probability of the last column given those before it, for every row of `test`.

    State k under configuration j has the probability (N_jk + w) / (N_j + r w), where N are counts
    of `train`, r is the number of states, and w the weight of a cell.
    """
    codes = np.concatenate([train, test])
    j = np.zeros(len(codes), np.int64)
    for column, card in zip(codes.T[:-1], cards[:-1], strict=True):
        j = np.unique(j * card + column, return_inverse=True)[1]
    r, k, seen = cards[-1], codes[:, -1], len(train)
    cells = np.bincount((j * r + k)[:seen], minlength=r * (j.max() + 1)).reshape(-1, r)
    table = (cells + weight) / (cells.sum(axis=1, keepdims=True) + r * weight)
    return np.log(table[j[seen:], k[seen:]])
